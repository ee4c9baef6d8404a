"""Relays of one daemon in a process of their own: `python relay_relays.py nats://HOST:PORT DAEMON PREFIX COUNT`.

Each relay publishes the daemon's match by another name: PREFIX-0, PREFIX-1, ... Prints ``ready`` when all run. A line
on its standard input is answered by a line of JSON about the time since the line before: ``frames``, and ``latency``,
from published by the daemon to received by a relay, in ns.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncGenerator
from typing import Any

from abathur import _address
from abathur._nats._client import Client
from abathur._nats._relay import Options, Relay
from abathur._timeouts import Timeouts
from abathur.sync.v1 import sync_pb2

_CONNECT_SECONDS = 10.0
#: Every so many frames of a relay, one is measured.
SAMPLE = 7


class MeasuredRelay(Relay):
    """A relay that notes how long frames took to it."""

    latency: list[int] = []  # noqa: RUF012 - of all relays

    async def _frames(self, last: Any) -> AsyncGenerator[tuple[bytes, sync_pb2.Frame], None]:
        async for data, frame in super()._frames(last):
            if frame.sequence % SAMPLE == 0:
                self.latency.append(time.perf_counter_ns() - frame.published_monotonic_ns)
            yield data, frame


async def _run(servers: str, daemon: str, prefix: str, count: int) -> None:
    client = await Client.connect(_address.parse(servers), "_INBOX.relay", _CONNECT_SECONDS, "relays")
    relays = []
    began = 0
    all_run = asyncio.Event()

    def say(text: str) -> None:
        # The relays begin at once: to begin in the history of one daemon, some wait for others.
        nonlocal began
        began += "relaying" in text
        if began == count:
            all_run.set()

    for number in range(count):
        relay = MeasuredRelay(
            client,
            _address.parse(daemon),
            f"{prefix}-{number}",
            Options(),
            timeouts=Timeouts(),
            reconnect_timeout=10.0,
            say=say,
        )
        relays.append((relay, asyncio.create_task(relay.run())))
    await asyncio.wait(
        [asyncio.create_task(all_run.wait()), *(task for _, task in relays)], return_when=asyncio.FIRST_COMPLETED
    )
    for _, task in relays:
        if task.done():
            task.result()
    print("ready", flush=True)
    frames = 0
    while await asyncio.to_thread(sys.stdin.readline):
        failed = [str(task.exception()) for _, task in relays if task.done() and not task.cancelled()]
        now = sum(relay.frames for relay, _ in relays)
        taken, MeasuredRelay.latency[:] = MeasuredRelay.latency[:], []
        print(json.dumps({"frames": now - frames, "latency": taken, "failed": failed}), flush=True)
        frames = now
    for _, task in relays:
        task.cancel()
    await asyncio.gather(*(task for _, task in relays), return_exceptions=True)
    await client.close()


if __name__ == "__main__":
    asyncio.run(_run(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])))

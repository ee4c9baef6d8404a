"""A process full of agents: reads commands from standard input, a JSON object a line, and answers each with one.

- ``{"read": [{...}, ...], "blocking": false, "wait": true}`` subscribes; answered once each has had a frame, if that is
  wanted.
- ``{"until": N}``: answered once each has had N frames. ``{"forget": true}``: forgets and tells how many have come.
- ``{"measure": [START_NS, END_NS, "published"]}``: what was published, or ``"received"``, in that time.
- ``{"split": [START_NS, END_NS, "published"]}``, after measuring: the parts of each frame's way.
- ``{"stop": true}`` ends the subscriptions.

The process ends with its standard input.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from contextlib import closing
from itertools import pairwise
from typing import Any

import aiohttp
import grpc
from readers import Sample, Subscription, read_blocking, receive

_FIRST_FRAME_SECONDS = 30.0
_LINGER_SECONDS = 0.2


class Agents:
    """The subscriptions of this process."""

    def __init__(self) -> None:
        self._samples: list[list[Sample]] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._stop: threading.Event | None = None

    async def start(self, subscriptions: list[Subscription], *, blocking: bool, wait: bool) -> dict[str, Any]:
        """Subscribe once more, and wait until each subscription has had a frame, if that is wanted."""
        added: list[list[Sample]] = [[] for _ in subscriptions]
        self._samples += added
        pairs = zip(subscriptions, added, strict=True)
        if blocking:
            self._stop = stop = threading.Event()
            reading = [asyncio.to_thread(_read_blocking, each, samples, stop) for each, samples in pairs]
        else:
            reading = [receive(each, samples) for each, samples in pairs]
        self._tasks += [asyncio.create_task(each) for each in reading]
        deadline = time.monotonic() + _FIRST_FRAME_SECONDS
        while wait and not all(self._samples):
            failed = next((task for task in self._tasks if task.done()), None)
            if failed is not None:
                return {"error": str(failed.exception() or "the stream ended")}
            if time.monotonic() > deadline:
                return {"error": f"no frame within {_FIRST_FRAME_SECONDS:.0f} s"}
            await asyncio.sleep(0.01)
        return {}

    async def until(self, frames: int) -> dict[str, Any]:
        """Until each subscription has had so many frames."""
        while min(map(len, self._samples)) < frames:
            failed = next((task for task in self._tasks if task.done()), None)
            if failed is not None:
                return {"error": str(failed.exception() or "the stream ended")}
            await asyncio.sleep(0.0005)
        return {}

    def forget(self) -> dict[str, Any]:
        """Forget the frames that have come, and tell how many they are."""
        count = sum(map(len, self._samples))
        for each in self._samples:
            each.clear()
        return {"frames": count}

    async def measure(self, start: int, end: int, moment: str) -> dict[str, Any]:
        """What was published or received between two moments of the clock, and what that cost this process."""
        await _sleep_until(start)
        cpu_start = time.process_time()
        await _sleep_until(end)
        cpu = time.process_time() - cpu_start
        # What is on the way at the end is late, not lost.
        await asyncio.sleep(_LINGER_SECONDS)
        samples = [each for samples in self._samples for each in samples if start <= getattr(each, moment) < end]
        return {
            "frames": sum(1 for each in self._samples for sample in each if start <= sample.received < end),
            "published": [each.published for each in samples],
            "latency_us": [(each.received - each.published) // 1000 for each in samples],
            "decode_us": sum(each.decode for each in samples) / 1000 / max(1, len(samples)),
            "bytes": sum(each.size for each in samples) / max(1, len(samples)),
            "dropped": sum(each.dropped for each in samples),
            "gaps": sum(
                after.sequence - before.sequence > 1 for each in self._samples for before, after in pairwise(each)
            ),
            "cpu_seconds": cpu,
        }

    def split(self, start: int, end: int, moment: str) -> dict[str, Any]:
        """Of each frame published (or received) in that time, the parts of its way: source to every field read. µs."""
        samples = [each for samples in self._samples for each in samples if start <= getattr(each, moment) < end]
        return {
            "captured_published": [(each.published - each.captured) / 1000 for each in samples],
            "published_encoded": [(each.encoded - each.published) / 1000 for each in samples],
            "encoded_received": [(each.received - each.encoded) / 1000 for each in samples],
            "received_decoded": [each.decode / 1000 for each in samples],
            "decoded_touched": [each.touch / 1000 for each in samples],
        }

    async def stop(self) -> dict[str, Any]:
        """End the subscriptions."""
        if self._stop is None:
            for task in self._tasks:
                task.cancel()
        else:
            # Threads look up at their next frame.
            self._stop.set()
            self._stop = None
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks, self._samples = [], []
        return {"stopped": True}


def _read_blocking(subscription: Subscription, samples: list[Sample], stop: threading.Event) -> None:
    with closing(read_blocking(subscription)) as frames:
        for sample in frames:
            samples.append(sample)
            if stop.is_set():
                return


async def _sleep_until(moment: int) -> None:
    await asyncio.sleep(max(0.0, (moment - time.perf_counter_ns()) / 1e9))


async def _answer(agents: Agents, command: dict[str, Any]) -> dict[str, Any]:
    if "read" in command:
        subscriptions = [Subscription(**each) for each in command["read"]]
        return await agents.start(subscriptions, blocking=command["blocking"], wait=command["wait"])
    if "until" in command:
        return await agents.until(command["until"])
    if "forget" in command:
        return agents.forget()
    if "measure" in command:
        return await agents.measure(*command["measure"])
    if "split" in command:
        return agents.split(*command["split"])
    return await agents.stop()


async def _main() -> None:
    agents = Agents()
    while line := await asyncio.to_thread(sys.stdin.readline):
        try:
            answer = await _answer(agents, json.loads(line))
        except (OSError, grpc.RpcError, aiohttp.ClientError) as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)
    await agents.stop()


if __name__ == "__main__":
    asyncio.run(_main())

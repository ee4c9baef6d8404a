"""Publishes a recording's payloads to a NATS server at the game's rate, for `end_to_end.py`.

``python nats_publisher.py HOST:PORT RECORDING ENCODING COMPRESSION WINDOW...``: the window is options of ``play``.
Prints ``ready`` when every payload is in memory, and ends with its standard input. The recording is repeated.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import nats
from abathur.bench import _streamed
from readers import NATS_SUBJECT, STAMP

TICK_HZ = 22.4


async def _publish(address: str, payloads: list[bytes]) -> None:
    connection = await nats.connect(f"nats://{address}", allow_reconnect=False)
    ended = asyncio.create_task(asyncio.to_thread(sys.stdin.read))
    print("ready", flush=True)
    start, count = time.perf_counter(), 0
    while not ended.done():
        payload = payloads[count % len(payloads)]
        await connection.publish(NATS_SUBJECT, STAMP.pack(time.perf_counter_ns()) + payload)
        await connection.flush()
        count += 1
        await asyncio.sleep(max(0.0, start + count / TICK_HZ - time.perf_counter()))
    await connection.close()


def main(address: str, recording: str, encoding: str, compression: str, *window: str) -> None:
    """Read the payloads, then publish them."""
    messages = _streamed.messages(Path(recording), encoding, compression, list(window))
    asyncio.run(_publish(address, [each.data or each.observation.SerializeToString() for each in messages]))


if __name__ == "__main__":
    main(*sys.argv[1:])

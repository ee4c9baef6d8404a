"""Publishes the payloads of a recording to a NATS server at the game's rate, for `end_to_end.py`.

Prints ``ready`` when every payload is in memory, and ends with its standard input. The recording is repeated.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from pathlib import Path

import nats
from abathur.bench import _streamed
from readers import NATS_STAMP, NATS_SUBJECT

TICK_HZ = 22.4


async def _publish(address: str, payloads: list[bytes]) -> None:
    connection = await nats.connect(f"nats://{address}", allow_reconnect=False)
    ended = asyncio.create_task(asyncio.to_thread(sys.stdin.read))
    print("ready", flush=True)
    start, count = time.perf_counter(), 0
    while not ended.done():
        payload = payloads[count % len(payloads)]
        await connection.publish(NATS_SUBJECT, NATS_STAMP.pack(time.perf_counter_ns()) + payload)
        await connection.flush()
        count += 1
        await asyncio.sleep(max(0.0, start + count / TICK_HZ - time.perf_counter()))
    await connection.close()


def main() -> None:
    """Read the payloads, then publish them."""
    parser = argparse.ArgumentParser(prog="nats_publisher", description=__doc__)
    parser.add_argument("address", metavar="HOST:PORT")
    parser.add_argument("recording", type=Path)
    parser.add_argument("--encoding", default="proto")
    parser.add_argument("--compression", default="none")
    parser.add_argument("--start-offset", default="0")
    parser.add_argument("--playback-duration", default=None)
    options = parser.parse_args()
    window = ["--start-offset", options.start_offset]
    if options.playback_duration is not None:
        window += ["--playback-duration", options.playback_duration]
    messages = _streamed.messages(options.recording, options.encoding, options.compression, window)
    payloads = [message.data or message.observation.SerializeToString() for message in messages]
    asyncio.run(_publish(options.address, payloads))


if __name__ == "__main__":
    main()

"""What matches leave behind that follow each other in one daemon: `dotnet make.cs bench successive`.

First as many matches as fast as they can be published: memory, threads and handles of the daemon. Then matches at the
pace of the game with readers that follow with policy `every`: each has every frame exactly once, or it fails.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import json
import struct
import sys
import threading
import time
from pathlib import Path
from typing import Any

import abathur
from abathur.sync.v1 import sync_pb2
from figures import Figures, machine, save, table
from processes import PUBLISHED, MeasureError, Server

from recordings import LOCAL

_LOOPS_PER_SECOND = 22.4
_SUBSCRIBE = {"policy": "every", "encoding": "columns", "compression": "zstd_stream", "follow": True}


def serve(history_mb: int) -> Server:
    """A daemon that takes match after match."""
    arguments = ["serve", "--ports", "auto", "--history-mb", str(history_mb), "--stop-with-parent"]
    return Server([PUBLISHED, *arguments])


def frames_of(count: int) -> list[bytes]:
    """The first observations of the sample recording."""
    with abathur.open(abathur.sample()) as match:
        return [frame.response.SerializeToString() for frame, _ in zip(match.frames(), range(count), strict=False)]


async def publish(address: str, frames: list[bytes], *, paced: bool) -> None:
    """One match."""
    async with abathur.publisher(f"grpc://{address}", map_name="Successive") as publisher:
        started = time.perf_counter()
        for number, frame in enumerate(frames):
            if paced:
                await asyncio.sleep(max(0.0, started + number / _LOOPS_PER_SECOND - time.perf_counter()))
            await publisher.publish(frame)


async def leave_behind(figures: Figures, matches: int, history_mb: int) -> None:
    """Memory, threads and handles over many matches, from when the history is full."""
    frames = frames_of(200)
    with serve(history_mb) as daemon, abathur.connect_blocking(f"grpc://{daemon.address('grpc')}") as game:
        full = False
        for number in range(matches):
            await publish(daemon.address("grpc"), frames, paced=False)
            listed = game.matches() if number % 10 == 9 else []
            kept = [each.HasField("history") for each in listed]
            # The oldest has given way.
            if not full and kept and not kept[0]:
                full = True
                sample(figures, daemon, "when the history is full")
                print(f"full after {number + 1} matches, {sum(kept)} are kept", flush=True)
        if not full:
            raise MeasureError(f"{matches} matches do not fill {history_mb} MB")
        sample(figures, daemon, "at the end")


def sample(figures: Figures, daemon: Server, when: str) -> None:
    """Add what the daemon has now, after its memory had time to be trimmed."""
    time.sleep(15)
    info = daemon.info
    with info.oneshot():
        values = (info.memory_info().rss / 1e6, info.num_threads(), info.num_fds() if hasattr(info, "num_fds") else 0)
    for unit, value, name in zip(("MB", "threads", "handles"), values, ("rss", "threads", "handles"), strict=True):
        figures.add(unit, value, when, name)
    print(f"{when}: {values[0]:.0f} MB, {values[1]} threads, {values[2]} handles", flush=True)


async def follow(port: int, matches: int, frames: int, ready: threading.Semaphore) -> None:
    """Read so many matches; each frame exactly once."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    writer.write(json.dumps({"subscribe": {**_SUBSCRIBE, "bufferFrames": 256}}).encode() + b"\n")
    await writer.drain()
    ready.release()
    # The first match is a line, which comes when it begins.
    await reader.readline()
    expected, ended = 1, 0
    while ended < matches:
        (size,) = struct.unpack("<I", await reader.readexactly(4))
        message = sync_pb2.ServerMessage.FromString(await reader.readexactly(size))
        kind = message.WhichOneof("message")
        if kind == "frame" and (message.frame.sequence, message.frame.dropped) == (expected, 0):
            expected += 1
        elif kind == "match_ended" and expected == frames + 1:
            expected, ended = 1, ended + 1
        elif kind != "match":
            raise MeasureError(f"match {ended + 1}, frame {expected}: {str(message)[:300]}")
    writer.close()


def followers(figures: Figures, matches: int, readers: int, seconds: float) -> None:
    """Matches at the game's pace, with readers that follow them."""
    frames = frames_of(round(seconds * _LOOPS_PER_SECOND))
    with serve(16) as daemon:
        port = int(daemon.address("socket").rpartition(":")[2])
        ready = threading.Semaphore(0)
        failures: list[BaseException] = []

        async def read() -> None:
            await asyncio.gather(*(follow(port, matches, len(frames), ready) for _ in range(readers)))

        def run() -> None:
            try:
                asyncio.run(read())
            except BaseException as error:
                failures.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        for _ in range(readers):
            ready.acquire()
        time.sleep(1)
        cpu = daemon.cpu_seconds()
        for number in range(matches):
            asyncio.run(publish(daemon.address("grpc"), frames, paced=True))
            if failures:
                break
            if number % 50 == 49:
                print(f"{number + 1} matches", flush=True)
        thread.join(60)
        if failures:
            raise MeasureError(str(failures[0]))
        if thread.is_alive():
            raise MeasureError("the readers have not got all")
        per_frame = (daemon.cpu_seconds() - cpu) / (matches * len(frames))
        figures.add("us", per_frame * 1e6, f"{readers} followers", "cpu a frame")
        figures.add("matches", matches, f"{readers} followers", "matches read whole")
        print(f"{readers} readers had {matches} matches of {len(frames)} frames, each frame once", flush=True)


def page(figures: Figures, options: argparse.Namespace, about: dict[str, Any]) -> str:
    """The page of the results."""
    rows = [
        [when, *(figures.text(when, name) for name in ("rss", "threads", "handles"))]
        for when in ("when the history is full", "at the end")
    ]
    followers = f"{options.readers} followers"
    per_frame = figures.text(followers, "cpu a frame")
    return f"""# Successive matches

Made on {about["date"][:10]} at {about["commit"]}, on {about["cores"]} cores that ran everything together.

{options.matches:,} matches of 200 frames, one after the other, on a daemon with {options.history_mb} MB of history:

{table(["", "RSS, MB", "threads", "handles"], rows)}
{options.readers} readers followed {options.followed} matches of {options.seconds:g} s with policy `every`: each
had every frame exactly once. The daemon took {per_frame} us of processor time a frame,
for all of them.
"""


def main() -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="dotnet make.cs bench successive", description=__doc__)
    parser.add_argument("--matches", type=int, default=1000, help="matches one after the other (default: 1000)")
    parser.add_argument("--history-mb", type=int, default=16, help="memory of the history (default: 16)")
    parser.add_argument("--followed", type=int, default=200, help="matches that readers follow (default: 200)")
    parser.add_argument("--readers", type=int, default=50, help="readers that follow (default: 50)")
    parser.add_argument("--seconds", type=float, default=2.0, help="length of each match that is followed (default: 2)")
    parser.add_argument(
        "--output", type=Path, default=LOCAL / f"{datetime.date.today()}-successive", help="folder of the results"
    )
    options = parser.parse_args()
    figures = Figures()
    try:
        asyncio.run(leave_behind(figures, options.matches, options.history_mb))
        followers(figures, options.followed, options.readers, options.seconds)
    except MeasureError as error:
        print(error, file=sys.stderr)
        return 1
    about = machine()
    save(
        options.output,
        {"machine": about, "matches": options.matches, "figures": figures.to_json()},
        page(figures, options, about),
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

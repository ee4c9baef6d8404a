"""What matches leave behind that follow each other in one daemon: `dotnet make.cs bench successive`.

First as many matches as fast as they can be published: memory, threads and handles of the daemon. Then matches at the
pace of the game with readers that follow with policy `every`: each has every frame exactly once, or it fails.
"""

from __future__ import annotations

import asyncio
import json
import struct
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import abathur
from abathur.sync.v1 import sync_pb2
from figures import Figures
from pages import figure_table, made, page
from processes import PUBLISHED, MeasureError, Server
from runs import arguments, run

_LOOPS_PER_SECOND = 22.4
_SUBSCRIBE = {"policy": "every", "encoding": "columns", "compression": "zstd_stream", "follow": True}
_MOMENTS = ("when the history is full", "at the end")
#: Seconds in which the memory of a daemon is trimmed, and in which the readers get the last frames.
_TRIM_SECONDS, _LAST_SECONDS = 15, 60


def serve(history_mb: int) -> Server:
    """A daemon that takes match after match."""
    return Server([PUBLISHED, "serve", "--ports", "auto", "--history-mb", str(history_mb), "--stop-with-parent"])


def frames_of(count: int) -> list[bytes]:
    """The first observations of the sample recording."""
    with abathur.open(abathur.sample()) as match:
        return [frame.response.SerializeToString() for frame in islice(match.frames(), count)]


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
                sample(figures, daemon, _MOMENTS[0])
                print(f"full after {number + 1} matches, {sum(kept)} are kept", flush=True)
        if not full:
            raise MeasureError(f"{matches} matches do not fill {history_mb} MB")
        sample(figures, daemon, _MOMENTS[1])


def sample(figures: Figures, daemon: Server, when: str) -> None:
    """Add what the daemon has now, after its memory had time to be trimmed."""
    time.sleep(_TRIM_SECONDS)
    info = daemon.info
    figures.add("MB", info.memory_info().rss / 1e6, when, "rss")
    figures.add("threads", info.num_threads(), when, "threads")
    figures.add("handles", info.num_fds() if hasattr(info, "num_fds") else 0, when, "handles")


async def follow(port: int, matches: int, frames: int) -> None:
    """Read so many matches; each frame exactly once."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    writer.write(json.dumps({"subscribe": {**_SUBSCRIBE, "bufferFrames": 256}}).encode() + b"\n")
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

    async def read(port: int) -> None:
        await asyncio.gather(*(follow(port, matches, len(frames)) for _ in range(readers)))

    with serve(16) as daemon, ThreadPoolExecutor(1) as pool:
        reading = pool.submit(asyncio.run, read(int(daemon.address("socket").rpartition(":")[2])))
        time.sleep(2)
        cpu = daemon.cpu_seconds()
        for number in range(matches):
            if reading.done():
                break
            asyncio.run(publish(daemon.address("grpc"), frames, paced=True))
            if number % 50 == 49:
                print(f"{number + 1} matches", flush=True)
        try:
            reading.result(_LAST_SECONDS)
        except TimeoutError:
            raise MeasureError("the readers have not got all") from None
        cpu = (daemon.cpu_seconds() - cpu) / (matches * len(frames))
        figures.add("us", cpu * 1e6, f"{readers} followers", "cpu a frame")
        figures.add("matches", matches, f"{readers} followers", "matches read whole")


def main() -> int:
    """Measure, and write the page."""
    options = arguments(
        "successive",
        __doc__,
        matches=(1000, "matches one after the other"),
        history_mb=(16, "memory of the history"),
        followed=(200, "matches that readers follow"),
        readers=(50, "readers that follow"),
        seconds=(2.0, "length of each match that is followed"),
    )

    def measured(figures: Figures) -> None:
        asyncio.run(leave_behind(figures, options.matches, options.history_mb))
        followers(figures, options.followed, options.readers, options.seconds)

    def written(figures: Figures) -> str:
        columns = {"RSS, MB": "rss", "threads": "threads", "handles": "handles"}
        per_frame = figures.text(f"{options.readers} followers", "cpu a frame")
        return page(
            "Successive matches",
            made("successive"),
            f"{options.matches:,} matches of 200 frames, one after the other, on a daemon with {options.history_mb} "
            "MB of history:",
            figure_table(figures, "", {when: (when,) for when in _MOMENTS}, columns),
            f"{options.readers} readers followed {options.followed} matches of {options.seconds:g} s with policy "
            f"`every`: each had every frame exactly once. The daemon took {per_frame} us of processor time a frame, "
            "for all of them.",
        )

    return run(options, measured, written)


if __name__ == "__main__":
    sys.exit(main())

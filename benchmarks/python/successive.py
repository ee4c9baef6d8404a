"""What matches leave behind that follow each other in one daemon: `dotnet make.cs bench successive`.

As many matches as fast as they can be published: memory, threads and handles of the daemon.
"""

from __future__ import annotations

import asyncio
import sys
import time
from itertools import islice

import abathur
from figures import Figures
from pages import figure_table, made, page
from processes import PUBLISHED, MeasureError, Server
from runs import arguments, run

_MOMENTS = ("when the history is full", "at the end")
#: Seconds in which the memory of a daemon is trimmed.
_TRIM_SECONDS = 15


def serve(history_mb: int) -> Server:
    """A daemon that takes match after match."""
    return Server([PUBLISHED, "serve", "--ports", "auto", "--history-mb", str(history_mb), "--stop-with-parent"])


def frames_of(count: int) -> list[bytes]:
    """The first observations of the sample recording."""
    with abathur.open(abathur.sample()) as match:
        return [frame.response.SerializeToString() for frame in islice(match.frames(), count)]


async def publish(address: str, frames: list[bytes]) -> None:
    """One match."""
    async with abathur.publisher(f"grpc://{address}", map_name="Successive") as publisher:
        for frame in frames:
            await publisher.publish(frame)


async def leave_behind(figures: Figures, matches: int, history_mb: int) -> None:
    """Memory, threads and handles over many matches, from when the history is full."""
    frames = frames_of(200)
    with serve(history_mb) as daemon, abathur.connect_blocking(f"grpc://{daemon.address('grpc')}") as game:
        full = False
        for number in range(matches):
            await publish(daemon.address("grpc"), frames)
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


def main() -> int:
    """Measure, and write the page."""
    options = arguments(
        "successive",
        __doc__,
        matches=(1000, "matches one after the other"),
        history_mb=(16, "memory of the history"),
    )

    def measured(figures: Figures) -> None:
        asyncio.run(leave_behind(figures, options.matches, options.history_mb))

    def written(figures: Figures) -> str:
        columns = {"RSS, MB": "rss", "threads": "threads", "handles": "handles"}
        return page(
            "Successive matches",
            made("successive"),
            f"{options.matches:,} matches of 200 frames, one after the other, on a daemon with {options.history_mb} "
            "MB of history:",
            figure_table(figures, "", {when: (when,) for when in _MOMENTS}, columns),
        )

    return run(options, measured, written)


if __name__ == "__main__":
    sys.exit(main())

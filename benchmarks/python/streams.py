"""How long a reader waits that joins a stream of frames, or is back: `dotnet make.cs bench streams`.

A frame of a stream depends on those before it, so that both need a keyframe. What streams cost and save is in the
report.
"""

from __future__ import annotations

import asyncio
import sys
import time
from contextlib import aclosing
from itertools import product
from typing import Any

import abathur
from figures import Figures
from pages import figure_table, made, page
from processes import Daemon
from runs import arguments, rounds, run

from recordings import SKIRMISH

STREAMS = tuple(product(("proto", "columns"), ("zstd-stream", "br-stream")))
WAYS = ("joined", "back")
AWAY_SECONDS = 2.0


async def wait(address: str, options: dict[str, Any], stream: str, times: int, figures: Figures) -> None:
    """Milliseconds until a reader has a frame that is newer than all before."""
    newest = 0

    async def follow() -> None:
        nonlocal newest
        async for frame in steady.frames(**options):
            newest = frame.sequence

    async with abathur.connect(address) as steady:
        following = asyncio.create_task(follow())
        for _ in range(times):
            async with abathur.connect(address) as game, aclosing(game.frames(**options)) as frames:
                start = time.perf_counter()
                await anext(frames)
                figures.add("ms", (time.perf_counter() - start) * 1000, "joined", stream)
        async with abathur.connect(address) as game, aclosing(game.frames(**options)) as frames:
            for _ in range(max(2, times // 5)):
                await anext(frames)
                await asyncio.sleep(AWAY_SECONDS)
                start, wanted = time.perf_counter(), newest
                while (await anext(frames)).sequence <= wanted:
                    pass
                figures.add("ms", (time.perf_counter() - start) * 1000, "back", stream)
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


def main() -> int:
    """Measure, and write the page."""
    options = arguments("streams", __doc__, rounds=(3, "rounds"), times=(20, "times that a reader joins in a round"))

    def measured(figures: Figures) -> None:
        with Daemon(SKIRMISH, "--loop") as daemon:
            address = f"socket://{daemon.address('socket')}"
            for _, (encoding, compression) in product(rounds(options.rounds), STREAMS):
                chosen = {"policy": "latest", "encoding": encoding, "compression": compression, "credits": 1}
                asyncio.run(wait(address, chosen, f"{encoding}+{compression}", options.times, figures))

    def written(figures: Figures) -> str:
        names = [f"{encoding}+{compression}" for encoding, compression in STREAMS]
        return page(
            "Joining a stream",
            made("streams"),
            f"Milliseconds until a reader of the socket that joins, or comes back after {AWAY_SECONDS:g} s, has a "
            "frame newer than all before; at 22.4 Hz, where a tick is 44.6 ms. Joining takes a connection as well. The "
            "median, and the least and the most.",
            figure_table(figures, "stream", {name: (..., name) for name in names}, {each: each for each in WAYS}),
        )

    return run(options, measured, written)


if __name__ == "__main__":
    sys.exit(main())

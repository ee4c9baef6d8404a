"""Games at the same time on one daemon, beside as many daemons: `dotnet make.cs bench games`.

Each game answers at once with real observations, and its bot asks for one, and steps, 22.4 times a second. Between them
is `proxy`: one for all games, or one for each. Both record. The two ways take turns.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import abathur
import aiohttp
import numpy as np
from abathur.sync.v1 import sync_pb2
from aiohttp import web
from figures import Figures
from load import percentile
from pages import figure_table, made, page
from processes import PUBLISHED, MeasureError, Server
from runs import arguments, rounds, run
from s2clientprotocol import sc2api_pb2

_TICK = 1 / 22.4
_SETTLE = 4.0
ONE, EACH = "one daemon", "a daemon each"


class Game:
    """What answers the bots: the observations of the sample recording, again and again."""

    def __init__(self) -> None:
        with abathur.open(abathur.sample()) as match:
            self._info, self._data = match.game_info(), match.game_data()
            responses = [frame.response for frame, _ in zip(match.frames(), range(400), strict=False)]
        self._observations = [self._answer(observation=each) for each in responses]

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """One client."""
        client = web.WebSocketResponse(max_msg_size=0)
        await client.prepare(request)
        number = 0
        async for message in client:
            asked = sc2api_pb2.Request.FromString(message.data)
            kind = asked.WhichOneof("request")
            if kind == "observation":
                answer = self._observations[min(number, len(self._observations) - 1)]
                number += 1
            elif kind == "game_info":
                answer = self._answer(game_info=self._info)
            elif kind == "data":
                answer = self._answer(data=self._data)
            elif kind == "ping":
                answer = self._answer(ping=sc2api_pb2.ResponsePing(game_version="5.0.14"))
            else:
                answer = self._answer(step=sc2api_pb2.ResponseStep())
            # Of two messages one after the other the second wins: the id is added without making the answer again.
            await client.send_bytes(answer + sc2api_pb2.Response(id=asked.id).SerializeToString())
        return client

    @staticmethod
    def _answer(**content: Any) -> bytes:
        return sc2api_pb2.Response(status=sc2api_pb2.in_game, **content).SerializeToString()


@contextlib.asynccontextmanager
async def games(count: int) -> AsyncIterator[list[str]]:
    """Games on ports of their own."""
    game = Game()
    app = web.Application()
    app.router.add_get("/sc2api", game.serve)
    runner = web.AppRunner(app)
    await runner.setup()
    addresses = []
    try:
        for _ in range(count):
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
            addresses.append(f"127.0.0.1:{port}")
        yield addresses
    finally:
        await runner.cleanup()


async def play(url: str, start: float, over: asyncio.Event) -> list[float]:
    """One bot: the times of its requests for observations, in milliseconds."""
    observe = sc2api_pb2.Request(observation=sc2api_pb2.RequestObservation(), id=1).SerializeToString()
    step = sc2api_pb2.Request(step=sc2api_pb2.RequestStep(count=1), id=2).SerializeToString()
    times = []
    async with aiohttp.ClientSession() as session, session.ws_connect(url, max_msg_size=0) as game:
        due = time.monotonic()
        while not over.is_set():
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            asked = time.perf_counter()
            await game.send_bytes(observe)
            await game.receive_bytes()
            if due >= start:
                times.append(1000 * (time.perf_counter() - asked))
            await game.send_bytes(step)
            await game.receive_bytes()
            due += _TICK
    return times


def proxy(addresses: list[str], folder: Path) -> Server:
    """A daemon before games."""
    listed = [word for each in addresses for word in ("--sc2", each)]
    arguments = ["proxy", "--listen", "0", *listed, "--ports", "auto", "-o", f"{folder}/", "--stop-with-parent"]
    return Server([PUBLISHED, *arguments])


async def measure(count: int, seconds: float, way: str, figures: Figures) -> None:
    """One way: what all its daemons together take."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        async with games(count) as addresses:
            parts = [addresses] if way == ONE else [[each] for each in addresses]
            daemons = [stack.enter_context(proxy(part, folder)) for part in parts]
            start, over = time.monotonic() + _SETTLE, asyncio.Event()
            playing = [
                asyncio.create_task(play(f"ws://{daemon.address('sc2api')}/sc2api", start, over))
                for daemon, part in zip(daemons, parts, strict=True)
                for _ in part
            ]
            await asyncio.sleep(start - time.monotonic())
            before = sum(daemon.cpu_seconds() for daemon in daemons)
            await asyncio.sleep(seconds)
            cpu = sum(daemon.cpu_seconds() for daemon in daemons) - before
            running = sum([await asyncio.to_thread(_matches, daemon) for daemon in daemons])
            memory = [daemon.info.memory_full_info() for daemon in daemons]
            over.set()
            times = np.concatenate(await asyncio.gather(*playing))
    if running != count:
        raise MeasureError(f"{running} matches run, not {count}")
    figures.add("MB", sum(each.pss for each in memory) / 1e6, way, "memory")
    figures.add("MB", sum(each.rss for each in memory) / 1e6, way, "rss")
    figures.add("us", 1e6 * cpu / (count * seconds / _TICK), way, "cpu")
    for name, percent in (("p50", 50), ("p99", 99)):
        figures.add("ms", percentile(times, percent), way, name)


def _matches(daemon: Server) -> int:
    with abathur.connect_blocking(f"grpc://{daemon.address('grpc')}") as game:
        return sum(each.state == sync_pb2.match_running for each in game.matches())


def main() -> int:
    """Measure, and write the page."""
    options = arguments(
        "games",
        __doc__,
        games=(8, "games at the same time"),
        seconds=(20.0, "length of each measurement"),
        rounds=(3, "rounds"),
    )

    def measured(figures: Figures) -> None:
        for number in rounds(options.rounds):
            for way in (ONE, EACH) if number % 2 else (EACH, ONE):
                asyncio.run(measure(options.games, options.seconds, way, figures))

    def written(figures: Figures) -> str:
        columns = {"PSS, MB": "memory", "RSS, MB": "rss", "us a frame": "cpu", "p50, ms": "p50", "p99, ms": "p99"}
        return page(
            "Games at the same time",
            made("games"),
            f"{options.games} games of 22.4 observations a second, for {options.seconds:g} s, each recorded, without "
            f"agents; the median of {options.rounds} rounds, lowest and highest behind it. Memory is that of all "
            "daemons together: shares of common pages (PSS), and RSS, which counts a page once for each process "
            "that has it. Processor time is that of the daemons for a frame. The times are of a bot's request for "
            "an observation, through the proxy and back.",
            figure_table(figures, "", {way: (way,) for way in (ONE, EACH)}, columns),
        )

    return run(options, measured, written)


if __name__ == "__main__":
    sys.exit(main())

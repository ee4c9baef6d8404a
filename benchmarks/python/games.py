"""Games at the same time on one daemon, beside as many daemons: `dotnet make.cs bench games`.

Each game answers at once with real observations, and its bot asks for one, and steps, 22.4 times a second. Between them
is `proxy`: one for all games, or one for each. Both record. The two ways take turns.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import datetime
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
from figures import Figures, machine, save, table
from processes import PUBLISHED, MeasureError, Server
from s2clientprotocol import sc2api_pb2

from recordings import LOCAL

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


async def measure(count: int, seconds: float, way: str) -> dict[str, float]:
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
            status = [await asyncio.to_thread(_matches, daemon) for daemon in daemons]
            memory = [_memory(daemon.info.pid) for daemon in daemons]
            over.set()
            times = np.concatenate(await asyncio.gather(*playing))
    if sum(status) != count:
        raise MeasureError(f"{sum(status)} matches run, not {count}")
    return {
        "memory": sum(pss for pss, _ in memory) / 1e6,
        "rss": sum(rss for _, rss in memory) / 1e6,
        "cpu": 1e6 * cpu / (count * seconds / _TICK),
        "p50": float(np.percentile(times, 50)),
        "p99": float(np.percentile(times, 99)),
    }


def _matches(daemon: Server) -> int:
    with abathur.connect_blocking(f"grpc://{daemon.address('grpc')}") as game:
        return sum(each.state == sync_pb2.match_running for each in game.matches())


def _memory(pid: int) -> tuple[int, int]:
    """Bytes of a process: its share of pages that others have as well, and all."""
    values = {}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
        name, _, rest = line.partition(":")
        values[name] = 1024 * int(rest.split()[0])
    return values["Pss"], values["Rss"]


def page(figures: Figures, options: argparse.Namespace, about: dict[str, Any]) -> str:
    """The page of the results."""
    names = ("memory", "rss", "cpu", "p50", "p99")
    rows = [[way, *(figures.text(way, name) for name in names)] for way in (ONE, EACH)]
    return f"""# Games at the same time

Made on {about["date"][:10]} at {about["commit"]}, on {about["cores"]} cores that ran the games, the bots and the
daemons together.

{options.games} games of 22.4 observations a second, for {options.seconds:g} s, each recorded, without agents; the
median of {options.rounds} rounds, lowest and highest behind it. Memory is that of all daemons together: shares of
common pages (PSS), and RSS, which counts a page once for each process that has it. Processor time is that of the
daemons for a frame. The times are of a bot's request for an observation, through the proxy and back.

{table(["", "PSS, MB", "RSS, MB", "us a frame", "p50, ms", "p99, ms"], rows)}"""


def main() -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="dotnet make.cs bench games", description=__doc__)
    parser.add_argument("--games", type=int, default=8, help="games at the same time (default: 8)")
    parser.add_argument("--seconds", type=float, default=20.0, help="length of each measurement (default: 20)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds (default: 3)")
    parser.add_argument(
        "--output", type=Path, default=LOCAL / f"{datetime.date.today()}-games", help="folder of the results"
    )
    options = parser.parse_args()
    figures = Figures()
    try:
        for number in range(options.rounds):
            ways = (ONE, EACH) if number % 2 == 0 else (EACH, ONE)
            for way in ways:
                measured = asyncio.run(measure(options.games, options.seconds, way))
                for name, value in measured.items():
                    unit = {"memory": "MB", "rss": "MB", "cpu": "us"}.get(name, "ms")
                    figures.add(unit, value, way, name)
                print(way, {name: round(value, 2) for name, value in measured.items()}, flush=True)
    except MeasureError as error:
        print(error, file=sys.stderr)
        return 1
    about = machine()
    save(
        options.output,
        {"machine": about, "games": options.games, "figures": figures.to_json()},
        page(figures, options, about),
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

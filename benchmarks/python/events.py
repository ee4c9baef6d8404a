"""Unit events beside decoding the same frames, and a step of a BotAI on frames beside python-sc2's own client.

Events: frames of the largest minute of `elite` in columns, decoded, then compared. Bots: one that does nothing, at
every game loop of the sample: on a playback by `abathur.sc2`, and on `abathur-sync emulate` by python-sc2, each in a
process of its own, by turns.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from typing import Any

import abathur
from abathur._events.event_stream import EventStream
from abathur._frame.columns_source import ColumnsSource
from abathur._frame.frame import Frame
from abathur.columns import ColumnsDecoder
from figures import Figures
from pages import figure_table, made, page
from payloads import payloads
from processes import DAEMON, Daemon
from runs import answer, arguments, ask, rounds, run

from recordings import SKIRMISH, Frames, import_sequences, make_elite

#: Steps of a bot before its time counts.
WARM = 20
TICK_HZ = 22.4
CLIENTS = {"frames": "abathur.sc2", "game": "python-sc2"}


def measure_events(name: str, frames: list[bytes], figures: Figures) -> None:
    """One round: milliseconds of decoding and of events of each frame."""
    decoder, stream = ColumnsDecoder(), EventStream(active=True)
    taken: dict[str, list[float]] = {"decode": [], "events": []}
    count = 0
    for number, payload in enumerate(frames):
        start = time.perf_counter_ns()
        frame = Frame(ColumnsSource(decoder.decode(payload)))
        middle = time.perf_counter_ns()
        frame.game_loop = number
        stream.follow(frame)
        count += len(frame.events)
        taken["decode"].append((middle - start) / 1e6)
        taken["events"].append((time.perf_counter_ns() - middle) / 1e6)
    for part, times in taken.items():
        figures.add("ms", statistics.median(times), name, f"{part}_ms")
        figures.add("ms", statistics.quantiles(times, n=20)[-1], name, f"{part}_p95_ms")
    print(f"{name}: {len(frames)} frames, {count} events", flush=True)


def bot() -> Any:
    """A bot that does nothing but measure itself."""
    from sc2.bot_ai import BotAI

    class Idle(BotAI):
        steps = 0
        begun = (0.0, 0.0)
        ended = (0.0, 0.0)

        async def on_start(self) -> None:
            self.client.game_step = 1

        async def on_step(self, iteration: int) -> None:
            self.ended = (time.perf_counter(), time.process_time())
            if iteration == WARM:
                self.begun = self.ended
            self.steps = iteration - WARM

    return Idle()


def play(where: str, address: str) -> list[float]:
    """Run a bot, in a process of its own: milliseconds of each step by the clock, and of the processor."""
    idle = bot()
    if where == "frames":
        abathur.sc2.run(idle, address, policy="every")
    else:
        from sc2.data import Race
        from sc2.main import play_from_websocket
        from sc2.player import Bot

        asyncio.run(play_from_websocket(address, Bot(Race.Zerg, idle), False, None))
    return [1000 * (end - begin) / idle.steps for begin, end in zip(idle.begun, idle.ended, strict=True)]


def measure_bots(figures: Figures) -> None:
    """One round of both clients."""
    taken = {}
    with Daemon(SKIRMISH, "--rate", "unlimited", "--wait-agents", "1") as daemon:
        taken["frames"] = ask(__file__, "play", "frames", daemon.address("grpc"))
    with abathur.emulated_game(SKIRMISH, command=["dotnet", str(DAEMON)]) as game:
        taken["game"] = ask(__file__, "play", "game", game.url)
    for name, (wall, processor) in taken.items():
        figures.add("ms", wall, "bot", f"{name}_clock_ms")
        figures.add("ms", processor, "bot", f"{name}_processor_ms")
        figures.add("bots", 1000 / TICK_HZ / processor, "bot", f"{name}_per_core")


def main() -> int:
    """Measure, and write the page."""
    options = arguments("events", __doc__, rounds=(5, "rounds"))
    names = ["elite"]

    def measured(figures: Figures) -> None:
        matches = {"elite": payloads(Frames.late(make_elite()))}
        for recording in import_sequences("proxima-pvt-late-creep8"):
            matches["proxima"] = payloads(Frames("proxima", recording))
        names[:] = matches
        for _ in rounds(options.rounds):
            for name, frames in matches.items():
                measure_events(name, frames, figures)
            measure_bots(figures)

    def written(figures: Figures) -> str:
        parts = {f"{name}, {part}": (name, ..., part) for name in names for part in ("decode", "events")}
        columns = {
            "median, ms": lambda row: figures.text(row[0], f"{row[2]}_ms"),
            "p95, ms": lambda row: figures.text(row[0], f"{row[2]}_p95_ms"),
        }
        clients = {
            head: lambda row, what=what: figures.text("bot", f"{row[0]}_{what}")
            for head, what in {"clock, ms": "clock_ms", "processor, ms": "processor_ms", "a core": "per_core"}.items()
        }
        return page(
            "Unit events, and bots on frames",
            made("events"),
            "Milliseconds of a frame: decoding its columns, and comparing it with the frame before.",
            figure_table(figures, "frames", parts, columns),
            "A step of a bot that does nothing, and how many such bots a core can run at the game's rate.",
            figure_table(figures, "client", {client: (name,) for name, client in CLIENTS.items()}, clients),
        )

    return run(options, measured, written)


if __name__ == "__main__":
    sys.exit(answer({"play": play}, main))

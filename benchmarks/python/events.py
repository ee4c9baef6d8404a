"""Unit events beside decoding the same frames, and a step of a BotAI on frames beside python-sc2's own client.

Events: frames of the largest minute of `elite` in columns, decoded, then compared. Bots: one that does nothing, at
every game loop of the sample: on a playback by `abathur.sc2`, and on `abathur-sync emulate` by python-sc2, each in a
process of its own, by turns.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import abathur
from abathur._events.event_stream import EventStream
from abathur._frame.columns_source import ColumnsSource
from abathur._frame.frame import Frame
from abathur.columns import ColumnsDecoder
from processes import DAEMON, Process
from units import payloads

from recordings import SEQUENCES, SKIRMISH, Frames, make_elite

Figures = dict[str, dict[str, float]]

#: Steps of a bot before its time counts.
WARM = 20
TICK_HZ = 22.4
CLIENTS = {"frames": "abathur.sc2", "game": "python-sc2"}


def read(frames: list[bytes]) -> tuple[list[float], list[float], int]:
    """Milliseconds of decoding and of events of each frame, and the number of events."""
    decoder, stream = ColumnsDecoder(), EventStream(active=True)
    decoded, compared, count = [], [], 0
    for number, payload in enumerate(frames):
        start = time.perf_counter_ns()
        frame = Frame(ColumnsSource(decoder.decode(payload)))
        middle = time.perf_counter_ns()
        frame.game_loop = number
        stream.follow(frame)
        count += len(frame.events)
        end = time.perf_counter_ns()
        decoded.append((middle - start) / 1e6)
        compared.append((end - middle) / 1e6)
    return decoded, compared, count


def spread(values: list[float]) -> dict[str, float]:
    """The median of some rounds, the least and the most."""
    return {"value": statistics.median(values), "low": min(values), "high": max(values)}


def measure_events(name: str, frames: list[bytes], rounds: int) -> Figures:
    """Print and return the medians of all rounds."""
    parts: dict[str, list[list[float]]] = {"decode": [], "events": []}
    figures: Figures = {}
    for _ in range(rounds):
        decoded, compared, count = read(frames)
        parts["decode"].append(decoded)
        parts["events"].append(compared)
    for part, values in parts.items():
        median = figures[f"{name}/{part}_ms"] = spread([statistics.median(each) for each in values])
        p95 = figures[f"{name}/{part}_p95_ms"] = spread([statistics.quantiles(each, n=20)[-1] for each in values])
        print(
            f"| {name} | {part} | {median['value']:.3f} | {median['low']:.3f} to {median['high']:.3f} "
            f"| {p95['low']:.3f} to {p95['high']:.3f} |"
        )
    print(f"{name}: {len(frames)} frames, {count} events, load {os.getloadavg()[0]:.1f}", flush=True)
    return figures


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


def child(where: str, address: str) -> None:
    """Run a bot, and print its steps and the milliseconds of each: by the clock, and of the processor."""
    idle = bot()
    if where == "frames":
        abathur.sc2.run(idle, address, policy="every")
    else:
        from sc2.data import Race
        from sc2.main import play_from_websocket
        from sc2.player import Bot

        asyncio.run(play_from_websocket(address, Bot(Race.Zerg, idle), False, None))
    wall, processor = (1000 * (end - begin) / idle.steps for begin, end in zip(idle.begun, idle.ended, strict=True))
    print(idle.steps, wall, processor)


def in_process(where: str, address: str) -> tuple[int, float, float]:
    """What a child prints."""
    line = [sys.executable, __file__, "--child", where, "--source", address]
    done = subprocess.run(line, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    steps, wall, processor = done.stdout.split()[-3:]
    return int(steps), float(wall), float(processor)


def measure_bots(rounds: int) -> Figures:
    """Print and return the milliseconds of a step."""
    ports = ["--grpc-port", "0", "--socket-port", "0", "--http-port", "0", "--stop-with-parent"]
    play = ["dotnet", DAEMON, "play", SKIRMISH, "--rate", "unlimited", "--wait-agents", "1", *ports]
    taken: dict[str, list[tuple[int, float, float]]] = {"frames": [], "game": []}
    for _ in range(rounds):
        with Process(play) as daemon:
            addresses = dict(each.split("=", 1) for each in daemon.read_line().split()[1:])
            taken["frames"].append(in_process("frames", addresses["grpc"]))
        with abathur.emulated_game(SKIRMISH, command=["dotnet", str(DAEMON)]) as game:
            taken["game"].append(in_process("game", game.url))
    figures: Figures = {}
    for name, values in taken.items():
        wall = figures[f"bot/{name}_clock_ms"] = spread([each[1] for each in values])
        processor = figures[f"bot/{name}_processor_ms"] = spread([each[2] for each in values])
        bots = figures[f"bot/{name}_per_core"] = spread([1000 / TICK_HZ / each[2] for each in values])
        print(
            f"| {CLIENTS[name]} | {values[0][0]} | {wall['value']:.2f} | {wall['low']:.2f} to {wall['high']:.2f} "
            f"| {processor['value']:.2f} | {processor['low']:.2f} to {processor['high']:.2f} | {bots['value']:.0f} |"
        )
    print(f"bots: load {os.getloadavg()[0]:.1f}", flush=True)
    return figures


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--output", type=Path, help="folder for figures.json")
    parser.add_argument("--child", choices=("frames", "game"), help=argparse.SUPPRESS)
    parser.add_argument("--source", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child, options.source)
        return
    print("| frames | part | median, ms | least and most | p95 |\n|---|---|---:|---:|---:|")
    figures = measure_events("elite", payloads(Frames.late(make_elite())), options.rounds)
    sequence = SEQUENCES / "proxima-pvt-late-creep8.obs.zst"
    if sequence.exists():
        path = Path(make_elite()).with_name("proxima.mcap")
        if not path.exists():
            subprocess.run(["dotnet", DAEMON, "import", sequence, "-o", path], check=True, capture_output=True)
        figures |= measure_events("proxima", payloads(Frames("proxima", path)), options.rounds)
    print("| client | steps | clock, ms | least and most | processor, ms | least and most | bots a core |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    figures |= measure_bots(options.rounds)
    if options.output is not None:
        options.output.mkdir(parents=True, exist_ok=True)
        lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(figure)}" for name, figure in figures.items())
        (options.output / "figures.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""The questions of `bench growth`: what is varied, and what is measured at each point."""

from __future__ import annotations

import json
import random
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import abathur
import growth_inputs
import numpy as np
from abathur import actions, drawing
from growth_daemon import ReaderProcess, costs, counted, read_so_far, rss, timed, warm_up
from processes import DAEMON, FREE_PORTS, Daemon, MeasureError, Process, Server

from recordings import SKIRMISH

TICK_HZ = 22.4
MB = 1_000_000
_LOOPS_A_MINUTE = 1344
_READ_FRAME = 10_000
_RECORDING_FRAME = 150_000
#: The benchmark publishes frame by frame: more requests than the daemon takes otherwise.
_MOVE = actions.move(1, (60, 40))
_PAUSED = ("--loop", "--start-paused", "--act-rate", "100000")

Values = dict[str, float]


@dataclass(frozen=True)
class Scale:
    """The points of each question, seconds a point, and how many frames and requests are counted."""

    readers: Sequence[int] = (1, 10, 100, 300, 990)
    sizes: Sequence[int] = (10_000, 56_000, 150_000, 500_000, 2_000_000)
    rates: Sequence[float] = (16, 22.4, 100, 300, 1000)
    minutes: Sequence[int] = (1, 10, 60, 240)
    recordings: Sequence[int] = (10, 100, 1000, 4000)
    shapes: Sequence[int] = (1, 10, 100, 300, 1000)
    actions: Sequence[int] = (1, 10, 100, 300, 1000)
    requests: Sequence[int] = (1, 10, 100, 300, 900)
    seconds: float = 5.0
    frames: int = 50
    deliveries: int = 100_000
    calls: int = 300
    chunk: int | None = None


FULL = Scale()
#: In seconds; its times mean little.
QUICK = Scale(
    readers=(1, 8, 64),
    sizes=(10_000, 100_000, 1_000_000),
    rates=(22.4, 200, 1000),
    minutes=(1, 3, 9),
    recordings=(2, 6, 18),
    shapes=(1, 30, 1000),
    actions=(1, 30, 1000),
    requests=(10, 50, 200),
    seconds=0.25,
    frames=20,
    deliveries=6000,
    calls=200,
    chunk=MB,
)


@dataclass(frozen=True)
class Question:
    """One series of points and its chart. `name` is what `--only` looks in."""

    name: str
    x_name: str
    about: str
    measure: Callable[[Scale, Path], Iterator[tuple[float, Values]]]

    @property
    def file(self) -> str:
        """Name of the chart."""
        return self.name.replace(", ", "-").replace(" ", "-") + ".svg"


def _readers(policy: str) -> Callable[[Scale, Path], Iterator[tuple[float, Values]]]:
    def measure(scale: Scale, folder: Path) -> Iterator[tuple[float, Values]]:
        recording = growth_inputs.make(folder / "readers.mcap", _READ_FRAME, 3000)
        with Daemon(recording, *_PAUSED) as daemon, ReaderProcess(daemon) as readers:
            for count in scale.readers:
                readers.connect(policy, count)
                if count == scale.readers[0]:
                    warm_up(daemon, readers, scale.seconds)
                yield count, _without(_both(daemon, readers, scale), "cpu_second")

    return measure


def _both(daemon: Daemon, readers: ReaderProcess, scale: Scale, deliveries: int = 10**9) -> Values:
    """The clock's values and the counted ones; allocations are the counted."""
    values = timed(daemon, readers, scale.seconds)
    return {**values, **counted(daemon, readers, scale.frames, min(scale.deliveries, deliveries))}


def _without(values: Values, *names: str) -> Values:
    return {name: value for name, value in values.items() if name not in names}


def _frame_size(scale: Scale, folder: Path) -> Iterator[tuple[float, Values]]:
    for size in scale.sizes:
        recording = growth_inputs.make(folder / "size.mcap", size, max(40, min(600, 40 * MB // size)))
        with Daemon(recording, *_PAUSED) as daemon, ReaderProcess(daemon) as readers:
            readers.connect("every", 1)
            warm_up(daemon, readers, scale.seconds)
            # As many bytes of each size.
            values = _both(daemon, readers, scale, scale.deliveries * scale.sizes[0] // size)
            yield size / 1000, _without(values, "cpu_second")


def _tick_rate(scale: Scale, folder: Path) -> Iterator[tuple[float, Values]]:
    recording = growth_inputs.make(folder / "rate.mcap", _READ_FRAME, 20_000)
    with Daemon(recording, *_PAUSED) as daemon, ReaderProcess(daemon) as readers:
        readers.connect("every", 1)
        warm_up(daemon, readers, scale.seconds)
        for rate in scale.rates:
            daemon.set_rate(rate / TICK_HZ)
            values = timed(daemon, readers, scale.seconds)
            if abs(values["hz"] / rate - 1) > 0.2 and scale.seconds > 1:
                raise MeasureError(f"{values['hz']:.0f} frames/s were published in place of {rate:g}")
            yield rate, values


def _length(scale: Scale, folder: Path) -> Iterator[tuple[float, Values]]:
    recording = growth_inputs.make(folder / "length.mcap", _READ_FRAME, scale.minutes[-1] * _LOOPS_A_MINUTE + 200)
    # A finite rate: at unlimited rate no history is kept.
    with Daemon(recording, "--start-paused", "--rate", "1000") as daemon, ReaderProcess(daemon) as readers:
        readers.connect("every", 1)
        moments = [(time.perf_counter(), daemon.cpu_seconds(), daemon.status())]
        daemon.resume()
        for minutes in scale.minutes:
            while daemon.status().frames_published < minutes * _LOOPS_A_MINUTE:
                time.sleep(0.02)
            moments.append((time.perf_counter(), daemon.cpu_seconds(), daemon.status()))
            # The readers keep each frame's times: not over hours.
            readers.forget()
            (start, cpu, before), (end, used, after) = moments[-2:]
            allocated = after.process.allocated_bytes - before.process.allocated_bytes
            values = costs(used - cpu, after.frames_published - before.frames_published, allocated, end - start)
            more = {"rss": rss(daemon), "history": after.history.bytes / 1e6}
            yield minutes, _without({**values, **more}, "cpu_second")


def _recording_size(scale: Scale, folder: Path) -> Iterator[tuple[float, Values]]:
    for megabytes in scale.recordings:
        path = folder / "recording.mcap"
        frames = megabytes * MB // _RECORDING_FRAME
        growth_inputs.make(path, _RECORDING_FRAME, frames, compression="none", chunk=scale.chunk)
        info = subprocess.run(
            ["dotnet", DAEMON, "info", path, "--json"], capture_output=True, text=True, check=True, timeout=600
        )
        values: Values = {"chunks": json.loads(info.stdout)["chunks"]}
        with Daemon(path, *_PAUSED) as daemon, ReaderProcess(daemon) as readers:
            values["open"] = (daemon.ready_ns - daemon.started_ns) / 1e6
            values.update(read_so_far(daemon))
            values["seek"] = _seek(daemon, frames, 20)
            readers.connect("every", 1)
            daemon.set_rate(0)
            values["rss"] = timed(daemon, readers, scale.seconds)["rss"]
        path.unlink()
        yield megabytes, values


def _seek(daemon: Daemon, frames: int, calls: int) -> float:
    """Milliseconds of a seek to anywhere and of publishing the frame there, the median."""
    chosen = random.Random(1)
    times = []
    for _ in range(calls):
        loop = chosen.randrange(frames)
        start = time.perf_counter()
        daemon.seek(loop)
        daemon.step()
        times.append((time.perf_counter() - start) * 1e3)
    return float(np.median(times))


def _drawings(scale: Scale, folder: Path) -> Iterator[tuple[float, Values]]:
    with Daemon(SKIRMISH, *_PAUSED) as daemon:
        for count in scale.shapes:
            shapes = [drawing.circle((20 + each % 100, 20 + each // 100), 3) for each in range(count)]
            # More of the small ones: the runtime counts allocations in large steps.
            calls = max(scale.calls, 20_000 // (20 + count))
            yield count, _requests(daemon, daemon.game, partial(daemon.game.draw, shapes, layer="growth"), calls)


def _actions(scale: Scale, folder: Path) -> Iterator[tuple[float, Values]]:
    for count in scale.actions:
        with _live() as (daemon, game):
            values = _requests(daemon, game, partial(game.act, [_MOVE] * count), min(scale.calls, 100))
        yield count, values


def _act_rate(scale: Scale, folder: Path) -> Iterator[tuple[float, Values]]:
    for rate in scale.requests:
        calls = max(2, round(rate * max(scale.seconds, 2 / rate)))
        with _live() as (daemon, game):
            values = _requests(daemon, game, partial(game.act, [_MOVE]), calls, rate)
        yield rate, values


class _Live(Server):
    """The daemon in a game that runs in real time and takes actions."""

    def __init__(self, sc2: str) -> None:
        game = ["--sc2", sc2, "--map", "Any.SC2Map", "--opponent", "ai:zerg:elite", "--realtime", "--wait-agents", "1"]
        super().__init__([DAEMON, "live", *game, "--allow-actions", *FREE_PORTS])


@contextmanager
def _live() -> Iterator[tuple[Server, abathur.BlockingGame]]:
    """A daemon in a game of the emulator, and an agent that has had a frame of it."""
    with (
        abathur.emulated_game(SKIRMISH, command=["dotnet", str(DAEMON)]) as sc2,
        _Live(sc2.address) as daemon,
        abathur.connect_blocking(f"grpc://{daemon.address('grpc')}") as game,
    ):
        next(game.frames(max_frames=1))
        yield daemon, game


def _requests(
    daemon: Process, game: abathur.BlockingGame, ask: Callable[[], object], calls: int, rate: float = 0
) -> Values:
    """Cost of requests: one after the other, or so many a second."""
    for _ in range(1 if rate else 5):
        ask()
    status, cpu = game.status(), daemon.cpu_seconds()
    times = []
    start = time.perf_counter()
    for number in range(calls):
        if rate:
            time.sleep(max(0.0, start + number / rate - time.perf_counter()))
        began = time.perf_counter()
        ask()
        times.append((time.perf_counter() - began) * 1e3)
    took, used = time.perf_counter() - start, daemon.cpu_seconds() - cpu
    allocated = game.status().process.allocated_bytes - status.process.allocated_bytes
    costs = {"cpu_request": used * 1e6 / calls, "allocated_request": allocated / calls}
    if rate:
        costs = {"cpu_second": used * 1e3 / took, "allocated_second": allocated / took, "requests_second": calls / took}
    quantiles = {f"request_p{percent}": float(np.percentile(times, percent)) for percent in (50, 99)}
    return {**costs, "rss": rss(daemon), **quantiles}


_READERS_ABOUT = (
    "Frames of 10 KB at 22.4 Hz to readers of the socket that decode nothing. The last point is 990: the daemon takes "
    "1,000 connections, and the benchmark needs some itself. Bytes, allocations and system calls are counted while "
    "frames are published one by one, each after a request that belongs to it."
)
QUESTIONS = [
    *(
        Question(f"readers, {policy}", "readers", _READERS_ABOUT, _readers(policy))
        for policy in ("latest", "every", "lockstep")
    ),
    Question(
        "frame size",
        "KB a frame",
        "One reader under `every` at 22.4 Hz. Frames below 56 KB have fewer units and no images; larger ones have a "
        "feature layer beside the units of the sample. The history keeps each frame.",
        _frame_size,
    ),
    Question("tick rate", "frames a second", "One reader under `every`, frames of 10 KB.", _tick_rate),
    Question(
        "length of the match",
        "minutes of game time",
        "A match of frames of 10 KB is played once, as fast as a finite rate allows (1,000 times the tick rate): "
        "the history is kept. Memory at the end of each time; CPU and allocations since the time before.",
        _length,
    ),
    Question(
        "size of the recording",
        "MB",
        "Uncompressed recordings, made by concatenation. *Open*: from the start of the program until it is ready. "
        "*Seek*: to anywhere, and publishing the frame there. Resident memory while it plays at unlimited rate; "
        "reads are those until it is ready.",
        _recording_size,
    ),
    Question("drawings", "shapes a request", "Requests to draw, one after the other, on gRPC.", _drawings),
    Question(
        "actions",
        "actions a request",
        "Requests to act, one after the other, on gRPC, in a game that runs in real time (the emulator): the daemon "
        "also publishes 22.4 frames a second.",
        _actions,
    ),
    Question(
        "requests to act",
        "requests a second",
        "Requests of one action at a fixed rate, in the same game. The last point is 900: the daemon takes "
        "1,000 a second.",
        _act_rate,
    ),
]

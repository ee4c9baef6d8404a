"""Which encoding is the fastest for what an agent touches: units, the observation, or both; by transport and API.

Each case is an agent in a process of its own, which reads with policy `every` from a playback at full speed (processor
time and wall time a frame), or with `latest` at 22.4 Hz (latency from published to touched, processor time a frame).
The encodings of a case follow each other, and rounds repeat all cases, so that a busy machine slows all of them.

    python benchmarks/python/encoding_choice.py [--rounds 3] [--frames 300] [--filter 'grpc/*'] [--output DIR]
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from fnmatch import fnmatchcase
from itertools import product
from typing import Any

import abathur
from figures import Figures
from pages import figure_table, made, page
from processes import Daemon
from runs import answer, arguments, ask, rounds, run

from recordings import SKIRMISH, Frames, make_elite

TRANSPORTS = ("grpc", "socket")
APIS = ("asyncio", "blocking")
TOUCHES = ("units", "observation", "both")
ENCODINGS = ("proto", "json", "columns")
#: Multiples of the tick rate, the policy, and what is measured.
RATES = {"full speed": ("unlimited", "every", ("cpu", "wall")), "22.4 Hz": ("1", "latest", ("cpu", "latency"))}
_WARM_UP = 20


def read(address: str, api: str, touch: str, count: str, policy: str, encoding: str) -> dict[str, float]:
    """Read frames and touch them, in a process of its own: milliseconds a frame."""
    chosen: Any = {"policy": policy, "encoding": encoding}
    latencies: list[float] = []
    started = [0.0, 0.0]

    def is_last(frame: abathur.Frame) -> bool:
        if touch != "observation":
            units = frame.units
            _ = units.pos, units.unit_type, units.alliance, units.health
        if touch != "units":
            observation = frame.observation
            _ = observation.player_common.minerals, len(observation.raw_data.units)
        latencies.append((time.perf_counter_ns() - frame.timing.published) / 1e6)
        if len(latencies) == _WARM_UP:
            started[:] = time.process_time(), time.perf_counter()
        return len(latencies) == _WARM_UP + int(count)

    async def follow() -> None:
        async with abathur.connect(address) as game:
            async for frame in game.frames(**chosen):
                if is_last(frame):
                    return

    if api == "asyncio":
        asyncio.run(follow())
    else:
        with abathur.connect_blocking(address) as game:
            any(is_last(frame) for frame in game.frames(**chosen))
    cpu, wall = time.process_time() - started[0], time.perf_counter() - started[1]
    kept = latencies[_WARM_UP:]
    return {"cpu": 1000 * cpu / len(kept), "wall": 1000 * wall / len(kept), "latency": statistics.median(kept)}


def measure(name: str, frames: Frames, rate: str, options: Any, figures: Figures) -> None:
    """A round of one recording at one rate."""
    multiple, policy, kinds = RATES[rate]
    every = product(TRANSPORTS, APIS, TOUCHES)
    cases = [each for each in every if fnmatchcase("/".join((name, rate, *each)), options.filter)]
    if not cases:
        return
    with Daemon(frames.recording, *frames.daemon_options(), "--rate", multiple, "--wait-agents", "1") as daemon:
        for (transport, api, touch), encoding in product(cases, ENCODINGS):
            if transport == "grpc" and encoding == "json":
                continue
            address = f"{transport}://{daemon.address(transport)}"
            count = options.frames // 4 if encoding == "json" or touch != "units" else options.frames
            taken = ask(__file__, "read", address, api, touch, count, policy, encoding)
            for kind in kinds:
                figures.add("ms", taken[kind], name, rate, transport, api, touch, encoding, kind)


def main() -> int:
    """Measure, and write the page."""
    more = {"--filter": {"default": "*", "help": "cases: RECORDING/RATE/TRANSPORT/API/TOUCH"}}
    frames = (300, "frames of a case in a round")
    options = arguments("encoding_choice", __doc__, more, rounds=(3, "rounds"), frames=frames)
    matches = ("elite", "skirmish")

    def measured(figures: Figures) -> None:
        parts = dict(zip(matches, (Frames.late(make_elite()), Frames("skirmish", SKIRMISH)), strict=True))
        for _ in rounds(options.rounds):
            for (name, part), rate in product(parts.items(), RATES):
                measure(name, part, rate, options, figures)

    def written(figures: Figures) -> str:
        rows = {
            ", ".join((*case, kind)): (*case, ..., kind)
            for case in product(matches, RATES, TRANSPORTS, APIS, TOUCHES)
            for kind in RATES[case[1]][2]
        }
        table = figure_table(figures, "ms a frame", rows, {each: each for each in ENCODINGS}, measured=True)
        return page("The choice of the encoding", made("encoding_choice"), table)

    return run(options, measured, written)


if __name__ == "__main__":
    sys.exit(answer({"read": read}, main))

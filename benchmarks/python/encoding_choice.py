"""Which encoding is the fastest for what an agent touches: units, the observation, or both; by transport and API.

Each case is an agent in a process of its own, which reads with policy `every` from a playback at full speed (processor
time and wall time a frame), or with `latest` at 22.4 Hz (latency from published to touched, processor time a frame).
The encodings of a case follow each other, and rounds repeat all cases, so that a busy machine slows all of them.

    python benchmarks/python/encoding_choice.py [--rounds 3] [--frames 300] [--filter 'grpc/*'] [--output DIR]
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import statistics
import subprocess
import sys
import time
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, cast

import abathur
import figures
from abathur._client.options import SubscribeOptions
from processes import Daemon

from recordings import LOCAL, SKIRMISH, Frames, make_elite

TRANSPORTS = ("grpc", "socket")
APIS = ("asyncio", "blocking")
TOUCHES = ("units", "observation", "both")
ENCODINGS = ("proto", "json", "columns")
RATES = {"full speed": "unlimited", "22.4 Hz": "1"}
_WARM_UP = 20


class Agent:
    """Touches frames and measures."""

    def __init__(self, touch: str, frames: int) -> None:
        self._touch = touch
        self._left = frames + _WARM_UP
        self._latencies: list[float] = []
        self._started = (0.0, 0.0)

    def step(self, frame: abathur.Frame) -> bool:
        """Whether more frames are needed."""
        if self._touch != "observation":
            units = frame.units
            _ = units.pos, units.unit_type, units.alliance, units.health
        if self._touch != "units":
            observation = frame.observation
            _ = observation.player_common.minerals, len(observation.raw_data.units)
        self._latencies.append((time.perf_counter_ns() - frame.timing.published) / 1e6)
        self._left -= 1
        if len(self._latencies) == _WARM_UP:
            self._started = time.process_time(), time.perf_counter()
        return self._left > 0

    def result(self) -> dict[str, float]:
        """Milliseconds a frame."""
        cpu, wall = time.process_time() - self._started[0], time.perf_counter() - self._started[1]
        measured = self._latencies[_WARM_UP:]
        return {
            "cpu": 1000 * cpu / len(measured),
            "wall": 1000 * wall / len(measured),
            "latency": statistics.median(measured),
        }


def run_agent(address: str, api: str, touch: str, frames: int, options: SubscribeOptions) -> dict[str, float]:
    """Read frames and measure."""
    agent = Agent(touch, frames)

    async def read() -> None:
        async with abathur.connect(address) as game:
            async for frame in game.frames(**options):
                if not agent.step(frame):
                    return

    if api == "asyncio":
        asyncio.run(read())
    else:
        with abathur.connect_blocking(address) as game:
            for frame in game.frames(**options):
                if not agent.step(frame):
                    break
    return agent.result()


def measure(address: str, api: str, touch: str, frames: int, options: dict[str, Any]) -> dict[str, float]:
    """`run_agent` in a process of its own."""
    case = json.dumps([address, api, touch, frames, options])
    done = subprocess.run([sys.executable, __file__, "--agent", case], capture_output=True, text=True, check=True)
    return cast("dict[str, float]", json.loads(done.stdout))


def main() -> None:
    """Run the program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agent", help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--frames", type=int, default=300, help="frames of a case in a round")
    parser.add_argument("--filter", default="*", help="cases: RECORDING/RATE/TRANSPORT/API/TOUCH")
    parser.add_argument("--output", type=Path, default=LOCAL / "encoding_choice")
    options = parser.parse_args()
    if options.agent:
        print(json.dumps(run_agent(*json.loads(options.agent))))
        return
    late = Frames.late(make_elite())
    recordings = {"elite": (late.recording, late.daemon_options()), "skirmish": (SKIRMISH, ["--loop"])}
    found = figures.Figures()
    for _, (name, (recording, start)) in itertools.product(range(options.rounds), recordings.items()):
        for rate, value in RATES.items():
            cases = [
                each
                for each in itertools.product(TRANSPORTS, APIS, TOUCHES)
                if fnmatchcase("/".join((name, rate, *each)), options.filter)
            ]
            if not cases:
                continue
            with Daemon(recording, *start, "--rate", value, "--wait-agents", "1") as daemon:
                for (transport, api, touch), encoding in itertools.product(cases, ENCODINGS):
                    if transport == "grpc" and encoding == "json":
                        continue
                    address = f"{transport}://{daemon.address(transport)}"
                    policy = "latest" if value == "1" else "every"
                    frames = options.frames // 4 if encoding == "json" or touch != "units" else options.frames
                    made = measure(address, api, touch, frames, {"policy": policy, "encoding": encoding})
                    kinds = ("cpu", "latency") if value == "1" else ("cpu", "wall")
                    for kind in kinds:
                        found.add("ms", made[kind], name, rate, transport, api, touch, encoding, kind)
                    print(f"{name}/{rate}/{transport}/{api}/{touch}/{encoding}: {made}", file=sys.stderr, flush=True)
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "results.json").write_text(json.dumps(found.to_json(), indent=1) + "\n", encoding="utf-8")
    for name, rate, transport, api, touch in itertools.product(recordings, RATES, TRANSPORTS, APIS, TOUCHES):
        kinds = ("cpu", "latency") if RATES[rate] == "1" else ("cpu", "wall")
        for kind in kinds:
            texts = [found.text(name, rate, transport, api, touch, encoding, kind) for encoding in ENCODINGS]
            if set(texts) != {"-"}:
                print(f"| {name} | {rate} | {transport} | {api} | {touch} | {kind} | {' | '.join(texts)} |")


if __name__ == "__main__":
    main()

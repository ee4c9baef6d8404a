"""Frames/s, and a frame's way from the source to an agent that has read every field, by gRPC, socket and WebSocket.

One agent of each case (the probe) decodes frames and reads every field; the others take theirs without decoding, as
agents on machines of their own would cost this one no more than that.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import figures
import numpy as np
from processes import AgentProcess, Daemon, MeasureError, share, sleep_until, stop
from readers import Subscription

from recordings import LOCAL, SKIRMISH, Frames, make_elite

TRANSPORTS = {
    "gRPC": ("grpc", "none"),
    "gRPC+gzip": ("grpc", "gzip"),
    "gRPC+br": ("grpc", "br"),
    "gRPC+zstd": ("grpc", "zstd"),
    "gRPC+zstd-stream": ("grpc", "zstd-stream"),
    "socket proto": ("socket", "none"),
    "socket JSON": ("json", "none"),
    "ws proto": ("websocket", "none"),
    "ws JSON": ("websocket-json", "none"),
}
TICK_HZ = 22.4
UNLIMITED = "unlimited"
PARTS = ("captured_published", "published_encoded", "encoded_received", "received_decoded", "decoded_touched")
NOTES = (
    "One agent decodes every frame and reads every field of it (protobuf: generated code over all fields; JSON: "
    "every value of the objects "
    "that orjson makes); the other agents take their frames without decoding. Daemon and agents share the "
    "machine's cores.",
    "A frame says when the daemon had it from its source, when it was handed to the subscriptions, and when it was "
    "written in the encoding and compression of its stream (plain protobuf is the bytes that came: nothing).",
    "At 16 and 22.4 Hz the policy is “latest”, and “skipped” says what the agent did not keep up with; "
    "unlimited, it is “every”: frames then wait in "
    "queues of up to 64, which is in “encoded → received”, and the figure is frames/s.",
    "“Received” is when the message is whole in the agent's process; decompression is part of decoding. "
    "WebSocket is read by aiohttp.",
)
_SETTLE = 0.4
_WARM_UP = 2.0
_AGENT_PROCESSES = 4


@dataclass(frozen=True)
class Case:
    """One thing to measure. `rate`: Hz, or ``unlimited``."""

    transport: str
    rate: float | str
    agents: int

    @property
    def is_unlimited(self) -> bool:
        """Whether frames come as fast as agents take them."""
        return self.rate == UNLIMITED


@dataclass
class Measured:
    """A case's rounds: the parts of each frame's way in µs, a list per round."""

    rates: list[float] = field(default_factory=list)
    skipped: list[float] = field(default_factory=list)
    bytes: float = 0.0
    rounds: list[dict[str, list[float]]] = field(default_factory=list)
    error: str | None = None

    def to_json(self, case: Case, recording: str) -> dict[str, Any]:
        """As the report reads it."""
        head = {"recording": recording, "rate": case.rate, "agents": case.agents, "transport": case.transport}
        if not self.rounds:
            return {**head, "error": self.error or "not measured"}
        totals = [[sum(parts) for parts in zip(*(each[part] for part in PARTS), strict=True)] for each in self.rounds]
        return {
            **head,
            "frames_per_second": {"median": float(np.median(self.rates)), "rounds": self.rates},
            "bytes": self.bytes,
            "skipped": float(np.mean(self.skipped)),
            "frames": sum(len(each) for each in totals),
            "split_us": {part: _summary([each[part] for each in self.rounds]) for part in PARTS},
            "total_us": _summary(totals),
        }


def cases(*, quick: bool) -> list[Case]:
    """What is measured: compressed gRPC to one agent only."""
    plain = [name for name in TRANSPORTS if "+" not in name]
    if quick:
        return [Case(name, rate, count) for name in plain for rate, count in ((22.4, 1), (22.4, 10), (UNLIMITED, 1))]
    found = [Case(name, rate, count) for name in plain for rate in (16.0, 22.4, UNLIMITED) for count in (1, 10, 100)]
    return found + [Case(name, rate, 1) for name in TRANSPORTS if "+" in name for rate in (22.4, UNLIMITED)]


class EndToEnd:
    """A run: what is measured so far."""

    def __init__(self, frames: Frames, chosen: list[Case], *, rounds: int, seconds: float, seed: int) -> None:
        self.frames = frames
        self.measured = {case: Measured() for case in chosen}
        self._rounds = rounds
        self._seconds = seconds
        self._random = random.Random(seed)
        self._done = 0
        self._started = time.monotonic()

    def run(self) -> None:
        """Measure everything, in an order shuffled in each round, with a daemon of its own."""
        with ExitStack() as stack:
            agents = [stack.enter_context(AgentProcess()) for _ in range(_AGENT_PROCESSES)]
            for number in range(1, self._rounds + 1):
                with Daemon(self.frames.recording, *self.frames.daemon_options()) as daemon:
                    self._warm_up(daemon, agents)
                    for case in self._random.sample(list(self.measured), len(self.measured)):
                        try:
                            summary = self._measure(case, daemon, agents)
                        except MeasureError as error:
                            summary = self.measured[case].error = str(error)
                        self._say(number, case, summary)

    def to_json(self) -> list[dict[str, Any]]:
        """Every case."""
        return [each.to_json(case, self.frames.name) for case, each in self.measured.items()]

    def _say(self, number: int, case: Case, summary: str) -> None:
        self._done += 1
        elapsed = time.monotonic() - self._started
        left = elapsed / self._done * (self._rounds * len(self.measured) - self._done)
        print(
            f"{left:4.0f} s left  round {number}/{self._rounds}: {case.transport}, {case.rate}, {case.agents}: "
            f"{summary}",
            flush=True,
        )

    def _warm_up(self, daemon: Daemon, agents: list[AgentProcess]) -> None:
        """Have the code of every transport compiled before it is timed."""
        ordered = sorted({case.transport for case in self.measured})
        for start in range(0, len(ordered), len(agents)):
            group = list(zip(ordered[start : start + len(agents)], agents, strict=False))
            for name, agent in group:
                agent.send_read(_subscription(Case(name, UNLIMITED, 1), daemon, probe=True), 1)
            for _, agent in group:
                agent.answer()
            daemon.set_rate(0)
            time.sleep(_WARM_UP)
            daemon.set_rate(1)
            stop([agent for _, agent in group])

    def _measure(self, case: Case, daemon: Daemon, agents: list[AgentProcess]) -> str:
        probe = agents[0]
        others = share(case.agents - 1, agents[1:])
        daemon.resume()
        started = []
        try:
            for agent, count in [(probe, 1), *others]:
                agent.send_read(_subscription(case, daemon, probe=agent is probe), count)
                started.append(agent)
            for agent in started:
                agent.answer()
            daemon.set_rate(0 if isinstance(case.rate, str) else case.rate / TICK_HZ)
            time.sleep(_SETTLE)
            start = time.perf_counter_ns() + 20_000_000
            end = start + int(self._seconds * 1e9)
            window = [start, end, "received" if case.is_unlimited else "published"]
            probe.send(measure=window)
            before = _published_at(daemon, start)
            after = _published_at(daemon, end)
            answer = probe.answer()
            probe.send(split=window)
            split = probe.answer()
        finally:
            daemon.set_rate(1)
            stop(started)
            daemon.pause()
        count = len(answer["published"])
        if count == 0:
            raise MeasureError("no frame was received")
        measured = self.measured[case]
        measured.rates.append(answer["frames"] / self._seconds)
        measured.bytes = float(answer["bytes"])
        measured.skipped.append(0.0 if case.is_unlimited else max(0.0, 1 - count / max(1, after - before)))
        measured.rounds.append(split)
        total = [sum(parts) for parts in zip(*(split[part] for part in PARTS), strict=True)]
        return f"{measured.rates[-1]:,.0f} frames/s, p50 {np.percentile(total, 50) / 1000:.2f} ms"


def _published_at(daemon: Daemon, moment: int) -> int:
    """Frames that the daemon has published by a moment."""
    sleep_until(moment)
    return int(daemon.status().frames_published)


def _subscription(case: Case, daemon: Daemon, *, probe: bool) -> Subscription:
    transport, compression = TRANSPORTS[case.transport]
    policy = "every" if case.is_unlimited else "latest"
    return Subscription(transport, daemon.address(transport), policy, probe, probe, compression)


def _summary(rounds: list[list[float]]) -> dict[str, Any]:
    """Quantiles over all rounds, and least and most of the rounds' medians. µs."""
    everything = np.concatenate([np.array(each) for each in rounds])
    medians = [float(np.median(each)) for each in rounds if each]
    return {
        **{f"p{at}": float(np.percentile(everything, at)) for at in (50, 90, 99)},
        "p50_rounds": [min(medians), max(medians)],
    }


def main() -> int:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(prog="end_to_end", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="one round of the small recording, fewer cases: half a minute"
    )
    parser.add_argument("--output", type=Path, help="file to write (default: benchmarks/local/end-to-end.json)")
    parser.add_argument("--rounds", type=int, help="rounds (default: 3; quick: 2)")
    parser.add_argument("--seconds", type=float, help="how long a case is measured (default: 1.2; quick: 0.8)")
    parser.add_argument("--filter", default="*", help="glob of the transports")
    parser.add_argument("--seed", type=int, default=1, help="seed of the order")
    options = parser.parse_args()
    chosen = [
        case for case in cases(quick=options.quick) if fnmatchcase(case.transport.lower(), options.filter.lower())
    ]
    rounds = options.rounds or (2 if options.quick else 3)
    machine = figures.machine()
    interrupted = False
    run: EndToEnd | None = None
    try:
        frames = Frames("skirmish", SKIRMISH) if options.quick else Frames.late(make_elite())
        seconds = options.seconds or (0.8 if options.quick else 1.2)
        run = EndToEnd(frames, chosen, rounds=rounds, seconds=seconds, seed=options.seed)
        run.run()
    except KeyboardInterrupt:
        interrupted = True
        print("interrupted: writing what is measured", flush=True)
    path = options.output or LOCAL / "end-to-end.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    result = {
        "machine": machine,
        "rounds": rounds,
        "interrupted": interrupted,
        "notes": list(NOTES),
        "cases": run.to_json() if run else [],
    }
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 130 if interrupted else 0


if __name__ == "__main__":
    sys.exit(main())

"""A frame's way from the source to an agent that has read every field, by each transport and encoding.

One agent of each case (the probe) decodes frames and reads every field; the others take theirs without decoding, as
agents on machines of their own would cost this one no more than that. The same frames go over plain TCP and over NATS.

A run can be interrupted: the same command continues it, as long as the measured code and the options are the same.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import figures
import nats_server
import numpy as np
from load import Load, measure, percentile
from processes import BENCHMARKS, AgentProcess, Daemon, MeasureError, Server, share
from readers import Subscription
from runs import arguments

from recordings import SKIRMISH, Frames, make_elite

#: The server of the package, and the options of ours that make one.
_GRPC_DOTNET = {"grpc-dotnet's server": ["--grpc"], "grpc-dotnet's server, typed": ["--grpc", "--typed"]}
#: Transport, encoding, compression. The first nine are the daemon's ways at the game's rate, the last four are gRPC
#: compressed frame by frame.
TRANSPORTS = {
    "gRPC": ("grpc", "proto", "none"),
    "gRPC JSON": ("grpc", "json", "none"),
    "gRPC columns+zstd-stream": ("grpc", "columns", "zstd-stream"),
    "socket": ("socket", "proto", "none"),
    "socket JSON": ("socket", "json", "none"),
    "socket columns+zstd-stream": ("socket", "columns", "zstd-stream"),
    "WebSocket": ("websocket", "proto", "none"),
    "WebSocket JSON": ("websocket", "json", "none"),
    "WebSocket columns+zstd-stream": ("websocket", "columns", "zstd-stream"),
    **dict.fromkeys(_GRPC_DOTNET, ("grpc", "proto", "none")),
    "TCP": ("baseline", "proto", "none"),
    "NATS": ("nats-py", "proto", "none"),
    "NATS columns+zstd-stream": ("nats-py", "columns", "zstd-stream"),
    "gRPC+gzip": ("grpc", "proto", "gzip"),
    "gRPC+br": ("grpc", "proto", "br"),
    "gRPC+zstd": ("grpc", "proto", "zstd"),
    "gRPC zstd-stream": ("grpc", "proto", "zstd-stream"),
}
#: Servers of others, for comparison.
BASELINES = (*_GRPC_DOTNET, "TCP", "NATS", "NATS columns+zstd-stream")
_ONE_AGENT = ("gRPC+gzip", "gRPC+br", "gRPC+zstd", "gRPC zstd-stream")
SOURCES = (
    *figures.DAEMON_SOURCES,
    "python_agent/abathur",
    "benchmarks/python/readers.py",
    "benchmarks/python/agents.py",
    "benchmarks/python/load.py",
    "benchmarks/python/varints.py",
)
TICK_HZ = 22.4
UNLIMITED = "unlimited"
PARTS = ("captured_published", "published_encoded", "encoded_received", "received_decoded", "decoded_touched")
PERCENTILES = {"p50": 50.0, "p90": 90.0, "p99": 99.0, "p99_9": 99.9}
#: With fewer readers than these a case is measured again, where this many are too many for the machine.
_FEWER = {100: (75, 50, 25), 10: (5,)}
#: Share of the machine's processors from which on figures are those of a full machine.
MOST_CPU = 0.9
_MOST_DROPPED = 0.001
NOTES = (
    "One agent decodes every frame and reads every field of it (protobuf: generated code over all fields; JSON: every "
    "value of the objects that orjson makes; columns: all 42 columns of the units, as NumPy arrays); the other agents "
    "take their frames without decoding. Servers and agents share the machine's cores.",
    "Published → received is of all agents. A frame says when the daemon handed it to the subscriptions; encoding "
    "comes after that. Received is when the message is whole in the agent's process, in Python; WebSocket is read by "
    "aiohttp, NATS by nats-py (plain subscriptions).",
    "At 22.4 Hz the policy is latest: frames that an agent did not keep up with are dropped. Unlimited, it is every: "
    "frames wait in queues, and the figure is frames/s.",
    "TCP: a server of the same frames with a length in front, nothing else. NATS: the daemon's payloads, published "
    "without the daemon to nats-server by a program in Python.",
    "grpc-dotnet's server: the package alone (Grpc.AspNetCore.Server), with the same messages: as bytes that are made "
    "once for all readers, and typed, written for each reader by the package as generated services do it. The daemon "
    "has routing, status and health of the same package, and an output of its own for frames.",
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

    def subscription(self, server: Any, *, probe: bool) -> Subscription:
        """What its agents read."""
        transport, encoding, compression = TRANSPORTS[self.transport]
        policy = "every" if self.is_unlimited else "latest"
        # An agent of the package sends requests, which nothing answers there.
        decodes = probe and transport != "nats-py" and self.transport not in _GRPC_DOTNET
        return Subscription(
            transport, server.address(transport), policy, decodes, decodes, encoding=encoding, compression=compression
        )


def cases(*, quick: bool) -> list[Case]:
    """What is measured."""
    main = [name for name in TRANSPORTS if name not in _ONE_AGENT]
    paced = [Case(name, TICK_HZ, count) for name in main for count in ((1, 10) if quick else (1, 10, 100))]
    full_speed = [Case(name, UNLIMITED, 1) for name in main if name not in BASELINES]
    compressed = [] if quick else [Case(name, rate, 1) for name in _ONE_AGENT for rate in (TICK_HZ, UNLIMITED)]
    return paced + full_speed + compressed


class Results:
    """The file of the results: a round of a case at a time is added and written."""

    def __init__(self, path: Path, options: dict[str, Any]) -> None:
        """Continue a file of the same code and options, or begin."""
        self._path = path
        self._value: dict[str, Any] = {
            "code": figures.code(*SOURCES),
            "options": options,
            "machine": figures.machine(),
            "notes": list(NOTES),
            "rounds": [],
        }
        if path.exists():
            before = json.loads(path.read_text(encoding="utf-8"))
            same = before.get("options") == options and before.get("code") == self._value["code"]
            if same:
                self._value = before

    def has(self, number: int, case: Case) -> bool:
        """Whether a round of a case is measured."""
        return any(each["round"] == number and each["case"] == asdict(case) for each in self._value["rounds"])

    def add(self, number: int, case: Case, measured: dict[str, Any]) -> None:
        """Add a round of a case, and write the file."""
        self._value["rounds"].append({"round": number, "case": asdict(case), **measured})
        self.write(complete=False)

    def write(self, *, complete: bool) -> None:
        """Write the file; first beside its place, so that an interrupted run leaves no half file."""
        self._value["complete"] = complete
        partial = self._path.with_name(self._path.name + ".partial")
        partial.write_text(json.dumps(self._value, indent=1) + "\n", encoding="utf-8")
        partial.replace(self._path)


@dataclass(frozen=True)
class Run:
    """A run of cases.

    Attributes:
        frames: What is sent, over and over.
        results: Takes what is measured.
        rounds: Rounds of each case.
        counts: Frames to measure, by the number of agents; for others as for the next smaller number.
        seed: Seed of the order in each round.
    """

    frames: Frames
    results: Results
    rounds: int
    counts: dict[int, int]
    seed: int = 1

    def measure(self, chosen: list[Case]) -> None:
        """Measure what is not measured yet, in an order shuffled in each round, each server with rounds of its own."""
        order = random.Random(self.seed)
        with ExitStack() as stack:
            agents = [stack.enter_context(AgentProcess()) for _ in range(_AGENT_PROCESSES)]
            for number in range(1, self.rounds + 1):
                cases = order.sample(chosen, len(chosen))
                for kind in ("daemon", *_GRPC_DOTNET, "TCP", "nats proto", "nats columns"):
                    waiting = [case for case in cases if _server_of(case) == kind]
                    waiting = [case for case in waiting if not self.results.has(number, case)]
                    if waiting:
                        self._round(number, kind, waiting, agents)

    def _round(self, number: int, kind: str, waiting: list[Case], agents: list[AgentProcess]) -> None:
        try:
            with _server(kind, self.frames, waiting[0]) as server:
                if isinstance(server, Daemon):
                    _warm_up(server, waiting, agents)
                    server.pause()
                for case in waiting:
                    self._measure_with_fewer(number, case, server, agents)
        except nats_server.UnavailableError as error:
            for case in waiting:
                self.results.add(number, case, {"error": str(error)})
            print(f"round {number}/{self.rounds}: {error}", flush=True)

    def _measure_with_fewer(self, number: int, case: Case, server: Any, agents: list[AgentProcess]) -> None:
        """Measure a case; and with fewer agents, where two cores are too few for as many."""
        for count in (case.agents, *_FEWER.get(case.agents, ())):
            each = Case(case.transport, case.rate, count)
            others = [each.subscription(server, probe=False)] * (count - 1)
            readers = [(agents[0], [each.subscription(server, probe=True)]), *share(others, agents[1:])]
            try:
                load = measure(
                    server, readers, self._seconds(each), settle=_SETTLE, full_speed=each.is_unlimited, split=True
                )
                measured = _summary(each, load)
            except MeasureError as error:
                measured = {"error": str(error), "holds": False}
            self.results.add(number, each, measured)
            told = measured.get("error") or f"{measured['frames_per_second']:,.1f} frames/s"
            print(f"round {number}/{self.rounds}: {each.transport}, {each.rate}, {count}: {told}", flush=True)
            if measured["holds"] or case.is_unlimited:
                return

    def _seconds(self, case: Case) -> float:
        fitting = [count for count in self.counts if count <= case.agents]
        return min(self.counts[max(fitting)], 200 if case.is_unlimited else 1_000_000) / TICK_HZ


@contextmanager
def _server(kind: str, frames: Frames, case: Case) -> Iterator[Any]:
    if kind == "daemon":
        with Daemon(frames.recording, *frames.daemon_options()) as daemon:
            yield daemon
    elif kind in BASELINES:
        grpc = _GRPC_DOTNET.get(kind, [])
        with Server([BENCHMARKS, "baseline", frames.recording, *frames.baseline_options(), *grpc]) as baseline:
            yield baseline
    else:
        _, encoding, compression = TRANSPORTS[case.transport]
        with nats_server.running(frames, encoding, compression) as server:
            yield server


def _warm_up(daemon: Daemon, waiting: list[Case], agents: list[AgentProcess]) -> None:
    """Have the code of every transport compiled before it is timed."""
    ordered = sorted({case.transport for case in waiting})
    for start in range(0, len(ordered), len(agents)):
        subscriptions = [Case(name, UNLIMITED, 1).subscription(daemon, probe=True) for name in ordered[start:]]
        readers = [(agent, [each]) for agent, each in zip(agents, subscriptions, strict=False)]
        measure(daemon, readers, _WARM_UP, settle=0, full_speed=True)


def _summary(case: Case, load: Load) -> dict[str, Any]:
    """One round of a case. Times in µs."""
    dropped = 0.0 if case.is_unlimited else max(0.0, 1 - len(load.latency) / max(1, load.published * case.agents))
    cpu = (load.cpu + load.client_cpu) / load.seconds / figures.cores()
    # Frames of the baselines have no times of a daemon, so the parts of their way are not known.
    decodes = case.transport not in BASELINES and any(load.split["received_decoded"])
    total = np.sum([load.split[part] for part in PARTS], axis=0)
    return {
        "frames": len(load.latency),
        "frames_per_second": load.received / load.seconds / case.agents,
        "bytes": float(load.answers[0]["bytes"]),
        "dropped": dropped,
        "received_us": _percentiles(load.latency * 1000),
        "total_us": _percentiles(total) if decodes else None,
        "split_us": {part: _percentiles(load.split[part]) for part in PARTS} if decodes else None,
        "server_cpu_us": load.cpu * 1e6 / max(1, load.received),
        "agent_cpu_us": load.client_cpu * 1e6 / max(1, load.received),
        "machine_cpu": cpu,
        "allocated_bytes": None if load.allocated is None else load.allocated / max(1, load.published),
        "holds": bool(cpu <= MOST_CPU and dropped <= _MOST_DROPPED),
    }


def _percentiles(values: Any) -> dict[str, float]:
    return {name: percentile(values, at) for name, at in PERCENTILES.items()}


def _server_of(case: Case) -> str:
    """Which server a case needs."""
    transport, encoding, _ = TRANSPORTS[case.transport]
    if transport == "nats-py":
        return f"nats {encoding}"
    return case.transport if case.transport in BASELINES else "daemon"


def main() -> int:
    """Measure, and write the results."""
    more = {
        "--frames": {"metavar": "N,M", "help": "frames of a case with one agent, and with more (default: 2000,500)"},
        "--filter": {"default": "*", "help": "glob of the transports"},
        "--seed": {"type": int, "default": 1, "help": "seed of the order"},
    }
    quick = "one round of the small recording, fewer cases"
    options = arguments("end_to_end", __doc__, more, quick=quick, output="end-to-end.json", rounds=(3, "rounds", 1))
    one, _, many = (options.frames or ("20" if options.quick else "2000,500")).partition(",")
    if not one.isdigit() or not (many or one).isdigit():
        print(f"end_to_end: --frames: {options.frames} is not N or N,M", file=sys.stderr)
        return 2
    counts = {1: int(one), 10: int(many or one)}
    pattern = options.filter.lower()
    chosen = [each for each in cases(quick=options.quick) if fnmatchcase(each.transport.lower(), pattern)]
    if not chosen:
        print(f"--filter: no transport matches {options.filter}; there are {', '.join(TRANSPORTS)}", file=sys.stderr)
        return 2
    options.output.parent.mkdir(parents=True, exist_ok=True)
    frames = Frames("skirmish", SKIRMISH) if options.quick else Frames.late(make_elite())
    same = {"recording": frames.name, "rounds": options.rounds, "frames": list(counts.values()), "seed": options.seed}
    results = Results(options.output, same)
    try:
        Run(frames, results, options.rounds, counts, options.seed).measure(chosen)
    except KeyboardInterrupt:
        results.write(complete=False)
        print("interrupted: the same command continues", flush=True)
        return 130
    results.write(complete=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""A frame's way from the source to an agent that has read every field, by each transport and encoding.

One agent of each case (the probe) decodes frames and reads every field; the others take theirs without decoding, as
agents on machines of their own would cost this one no more than that. The same frames go over plain TCP and over NATS.

A run can be interrupted: the same command continues it, as long as the measured code and the options are the same.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import figures
import nats_server
import numpy as np
from processes import BENCHMARKS, AgentProcess, Daemon, MeasureError, Server, share, sleep_until, stop
from readers import Subscription

from recordings import LOCAL, SKIRMISH, Frames, make_elite

_GRPC_DOTNET = "grpc-dotnet's server"
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
    _GRPC_DOTNET: ("grpc", "proto", "none"),
    "TCP": ("baseline", "proto", "none"),
    "NATS": ("nats", "proto", "none"),
    "NATS columns+zstd-stream": ("nats", "columns", "zstd-stream"),
    "gRPC+gzip": ("grpc", "proto", "gzip"),
    "gRPC+br": ("grpc", "proto", "br"),
    "gRPC+zstd": ("grpc", "proto", "zstd"),
    "gRPC zstd-stream": ("grpc", "proto", "zstd-stream"),
}
#: Servers of others, for comparison.
BASELINES = (_GRPC_DOTNET, "TCP", "NATS", "NATS columns+zstd-stream")
_ONE_AGENT = ("gRPC+gzip", "gRPC+br", "gRPC+zstd", "gRPC zstd-stream")
SOURCES = (
    *figures.DAEMON_SOURCES,
    "python_agent/abathur",
    "benchmarks/python/readers.py",
    "benchmarks/python/agents.py",
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
    "grpc-dotnet's server: the package alone (Grpc.AspNetCore.Server), with the same messages, made once for all "
    "readers. The daemon has routing, status and health of the same package, and an output of its own for frames.",
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
        decodes = probe and transport != "nats" and self.transport != _GRPC_DOTNET
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


class EndToEnd:
    """A run."""

    def __init__(
        self, frames: Frames, chosen: list[Case], results: Results, *, rounds: int, counts: dict[int, int], seed: int
    ) -> None:
        """A run of cases.

        Args:
            frames: What is sent, over and over.
            chosen: The cases.
            results: Takes what is measured.
            rounds: Rounds of each case.
            counts: Frames to measure, by the number of agents; for others as for the next smaller number.
            seed: Seed of the order in each round.
        """
        self._frames = frames
        self._cases = chosen
        self._results = results
        self._rounds = rounds
        self._counts = counts
        self._random = random.Random(seed)

    def run(self) -> None:
        """Measure what is not measured yet, in an order shuffled in each round, each server with rounds of its own."""
        with ExitStack() as stack:
            agents = [stack.enter_context(AgentProcess()) for _ in range(_AGENT_PROCESSES)]
            for number in range(1, self._rounds + 1):
                order = self._random.sample(self._cases, len(self._cases))
                for kind in ("daemon", "grpc baseline", "baseline", "nats proto", "nats columns"):
                    waiting = [
                        each for each in order if _server_of(each) == kind and not self._results.has(number, each)
                    ]
                    if waiting:
                        self._round(number, kind, waiting, agents)

    def _round(self, number: int, kind: str, waiting: list[Case], agents: list[AgentProcess]) -> None:
        try:
            with self._server(kind, waiting[0]) as server:
                if isinstance(server, Daemon):
                    self._warm_up(server, waiting, agents)
                    server.pause()
                for case in waiting:
                    self._measure_with_fewer(number, case, server, agents)
        except nats_server.UnavailableError as error:
            for case in waiting:
                self._results.add(number, case, {"error": str(error)})
            print(f"round {number}/{self._rounds}: {error}", flush=True)

    def _measure_with_fewer(self, number: int, case: Case, server: Any, agents: list[AgentProcess]) -> None:
        """Measure a case; and with fewer agents, where two cores are too few for as many."""
        for count in (case.agents, *_FEWER.get(case.agents, ())):
            each = Case(case.transport, case.rate, count)
            try:
                measured = self._measure(each, server, agents)
            except MeasureError as error:
                measured = {"error": str(error), "holds": False}
            self._results.add(number, each, measured)
            summary = measured.get("error") or (
                f"{measured['frames_per_second']:,.1f} frames/s, received p50 "
                f"{measured['received_us']['p50'] / 1e3:.2f} p99 {measured['received_us']['p99'] / 1e3:.2f} ms, CPU "
                f"{measured['machine_cpu']:.0%}"
            )
            print(f"round {number}/{self._rounds}: {each.transport}, {each.rate}, {count}: {summary}", flush=True)
            if measured["holds"] or case.is_unlimited:
                return

    @contextmanager
    def _server(self, kind: str, case: Case) -> Iterator[Any]:
        frames = self._frames
        if kind == "daemon":
            with Daemon(frames.recording, *frames.daemon_options()) as daemon:
                yield daemon
        elif "baseline" in kind:
            grpc = ["--grpc"] if kind == "grpc baseline" else []
            with Server([BENCHMARKS, "baseline", frames.recording, *frames.baseline_options(), *grpc]) as baseline:
                yield baseline
        else:
            _, encoding, compression = TRANSPORTS[case.transport]
            with nats_server.running(frames, encoding, compression) as server:
                yield server

    def _warm_up(self, daemon: Daemon, waiting: list[Case], agents: list[AgentProcess]) -> None:
        """Have the code of every transport compiled before it is timed."""
        ordered = sorted({case.transport for case in waiting})
        for start in range(0, len(ordered), len(agents)):
            group = list(zip(ordered[start : start + len(agents)], agents, strict=False))
            for name, agent in group:
                agent.send_read(Case(name, UNLIMITED, 1).subscription(daemon, probe=True), 1)
            for _, agent in group:
                agent.answer()
            daemon.set_rate(0)
            time.sleep(_WARM_UP)
            daemon.set_rate(1)
            stop([agent for _, agent in group])

    def _measure(self, case: Case, server: Any, agents: list[AgentProcess]) -> dict[str, Any]:
        daemon = server if isinstance(server, Daemon) else None
        started: list[AgentProcess] = []
        probe, others = agents[0], share(case.agents - 1, agents[1:])
        if daemon:
            daemon.resume()
        try:
            for agent, count in [(probe, 1), *others]:
                agent.send_read(case.subscription(server, probe=agent is probe), count)
                started.append(agent)
            for agent in started:
                agent.answer()
            if daemon and case.is_unlimited:
                daemon.set_rate(0)
            time.sleep(_SETTLE)
            start = time.perf_counter_ns() + 20_000_000
            seconds = self._seconds(case)
            end = start + int(seconds * 1e9)
            window = [start, end, "received" if case.is_unlimited else "published"]
            for agent in started:
                agent.send(measure=window)
            before = _moment(server, start)
            after = _moment(server, end)
            answers = [agent.answer() for agent in started]
            probe.send(split=window)
            split = probe.answer()
        finally:
            if daemon:
                daemon.set_rate(1)
            stop(started)
            if daemon:
                daemon.pause()
        return _summary(case, seconds, before, after, answers, split)

    def _seconds(self, case: Case) -> float:
        fitting = [count for count in self._counts if count <= case.agents]
        return min(self._counts[max(fitting)], 200 if case.is_unlimited else 1_000_000) / TICK_HZ


@dataclass(frozen=True)
class _Moment:
    """The server at a moment: its processor time in s, frames published, bytes allocated (None: not the daemon)."""

    cpu: float
    published: int | None
    allocated: int | None


def _moment(server: Any, at: int) -> _Moment:
    sleep_until(at)
    cpu = server.cpu_seconds()
    status = server.status() if isinstance(server, Daemon) else None
    if status is None:
        return _Moment(cpu, None, None)
    return _Moment(cpu, status.frames_published, status.process.allocated_bytes)


def _summary(
    case: Case, seconds: float, before: _Moment, after: _Moment, answers: list[dict[str, Any]], split: dict[str, Any]
) -> dict[str, Any]:
    """One round of a case. Times in µs."""
    latency = np.concatenate([np.array(each["latency_us"], dtype=float) for each in answers])
    if not len(latency):
        raise MeasureError("no frame was received")
    published = len({stamp for each in answers for stamp in each["published"]})
    if before.published is not None and after.published is not None:
        published = after.published - before.published
    server_cpu = after.cpu - before.cpu
    client_cpu = sum(float(each["cpu_seconds"]) for each in answers)
    received = sum(int(each["frames"]) for each in answers)
    dropped = 0.0 if case.is_unlimited else max(0.0, 1 - len(latency) / max(1, published * case.agents))
    cpu = (server_cpu + client_cpu) / seconds / figures.cores()
    total = np.sum([split[part] for part in PARTS], axis=0)
    # Frames of the baselines have no times of a daemon, so the parts of their way are not known.
    decodes = case.transport not in BASELINES and any(split["received_decoded"])
    allocated = None if before.allocated is None or after.allocated is None else after.allocated - before.allocated
    return {
        "frames": len(latency),
        "frames_per_second": received / seconds / case.agents,
        "bytes": float(answers[0]["bytes"]),
        "dropped": dropped,
        "received_us": _percentiles(latency),
        "total_us": _percentiles(total) if decodes else None,
        "split_us": {part: _percentiles(np.array(split[part])) for part in PARTS} if decodes else None,
        "server_cpu_us": server_cpu * 1e6 / max(1, received),
        "agent_cpu_us": client_cpu * 1e6 / max(1, received),
        "machine_cpu": cpu,
        "allocated_bytes": None if allocated is None else allocated / max(1, published),
        "holds": bool(cpu <= MOST_CPU and dropped <= _MOST_DROPPED),
    }


def _percentiles(values: Any) -> dict[str, float]:
    return {name: float(np.percentile(values, at)) for name, at in PERCENTILES.items()}


def _server_of(case: Case) -> str:
    """Which server a case needs."""
    transport, encoding, _ = TRANSPORTS[case.transport]
    if transport == "nats":
        return f"nats {encoding}"
    if case.transport == _GRPC_DOTNET:
        return "grpc baseline"
    return "baseline" if transport == "baseline" else "daemon"


def _counts(text: str) -> dict[int, int]:
    one, _, many = text.partition(",")
    return {1: int(one), 10: int(many or one)}


def main() -> int:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(prog="end_to_end", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round of the small recording, fewer cases")
    parser.add_argument("--output", type=Path, help="file to write (default: benchmarks/local/end-to-end.json)")
    parser.add_argument("--rounds", type=int, help="rounds (default: 3; quick: 1)")
    parser.add_argument(
        "--frames", metavar="N,M", help="frames of a case with one agent, and with more (default: 2000,500; quick: 20)"
    )
    parser.add_argument("--filter", default="*", help="glob of the transports")
    parser.add_argument("--seed", type=int, default=1, help="seed of the order")
    options = parser.parse_args()
    try:
        counts = _counts(options.frames or ("20" if options.quick else "2000,500"))
    except ValueError:
        parser.error(f"--frames: {options.frames} is not N or N,M")
    chosen = [
        each for each in cases(quick=options.quick) if fnmatchcase(each.transport.lower(), options.filter.lower())
    ]
    if not chosen:
        parser.error(f"--filter: no transport matches {options.filter}; there are {', '.join(TRANSPORTS)}")
    rounds = options.rounds or (1 if options.quick else 3)
    path = options.output or LOCAL / "end-to-end.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    frames = Frames("skirmish", SKIRMISH) if options.quick else Frames.late(make_elite())
    same = {"recording": frames.name, "rounds": rounds, "frames": list(counts.values()), "seed": options.seed}
    results = Results(path, same)
    try:
        EndToEnd(frames, chosen, results, rounds=rounds, counts=counts, seed=options.seed).run()
    except KeyboardInterrupt:
        results.write(complete=False)
        print("interrupted: the same command continues", flush=True)
        return 130
    results.write(complete=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

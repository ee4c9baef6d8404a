"""Measures the daemon's transports with real agents, next to a plain TCP socket: `dotnet make.cs bench transports`."""

from __future__ import annotations

import argparse
import datetime
import random
import socket
import sys
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import figures
import numpy as np
import transports_page
from abathur.sync.v1 import sync_pb2
from figures import Figures
from processes import BENCHMARKS, AgentProcess, Daemon, MeasureError, Process, Server, share, sleep_until, stop
from readers import Subscription

from recordings import LOCAL, SKIRMISH, Frames, make_elite

AGENT_PROCESSES = 4
#: From this many agents on they take their frames without decoding them: the machine could not decode that much.
BARE_FROM = 100
_TRYING_SECONDS = 0.3


@dataclass(frozen=True)
class Case:
    """One thing to measure. `kind`: ``paced`` (22.4 Hz, policy latest), ``unlimited`` (policy every)."""

    kind: str
    transport: str
    agents: int
    decode: bool = True
    blocking: bool = False

    @property
    def name(self) -> str:
        """For progress lines and keys: what reads."""
        if self.kind == "paced" or self.agents != 1:
            return str(self.agents)
        return "agent" if self.decode else "bare"


@dataclass(frozen=True)
class Plan:
    """What to measure, and for how long."""

    rounds: int
    warm_up: float
    settle: float
    seconds: dict[tuple[str, int], float]
    cases: list[Case]
    start_rounds: int

    @staticmethod
    def full() -> Plan:
        """Under ten minutes."""
        return Plan(
            rounds=3,
            warm_up=5.0,
            settle=0.6,
            seconds={("paced", 1): 4.5, ("paced", 10): 3.0, ("paced", 100): 3.0},
            cases=_cases(paced=[1, 10, 100], json=[1, 10], fan_out=[10, 100]),
            start_rounds=6,
        )

    @staticmethod
    def quick() -> Plan:
        """Under a minute and a half: one round, fewer cases."""
        return Plan(
            rounds=1,
            warm_up=3.0,
            settle=0.3,
            seconds={("paced", 1): 2.0, ("unlimited", 1): 0.8},
            cases=_cases(paced=[1, 100], json=[1], fan_out=[]),
            start_rounds=2,
        )

    def seconds_of(self, case: Case) -> float:
        """How long a case is measured."""
        return self.seconds.get((case.kind, case.agents), 1.0)


def _cases(*, paced: list[int], json: list[int], fan_out: list[int]) -> list[Case]:
    cases = [Case("paced", "none", 0), Case("unlimited", "none", 0)]
    for transport in ("grpc", "socket", "baseline", "json"):
        counts = json if transport == "json" else paced
        cases += [Case("paced", transport, count, decode=count < BARE_FROM) for count in counts]
        cases.append(Case("unlimited", transport, 1))
        cases.append(Case("unlimited", transport, 1, decode=False, blocking=True))
        if transport in ("grpc", "socket"):
            cases += [Case("unlimited", transport, count, decode=False) for count in fan_out]
    return cases


class Bench:
    """A run: what is measured so far, and the agents that measure."""

    def __init__(self, plan: Plan, seed: int) -> None:
        self.plan = plan
        self.figures = Figures()
        self._random = random.Random(seed)
        self._started = time.monotonic()

    def run(self, frames: list[Frames], elite: Path) -> None:
        """Measure everything."""
        with ExitStack() as stack:
            agents = [stack.enter_context(AgentProcess()) for _ in range(AGENT_PROCESSES)]
            for number in range(1, self.plan.rounds + 1):
                for each in self._random.sample(frames, len(frames)):
                    self._round(number, each, agents)
            for transport in ("grpc", "socket"):
                self._whole_match(transport, elite, agents)
        self._start(frames[0])

    def say(self, text: str) -> None:
        """A progress line."""
        print(f"{time.monotonic() - self._started:6.1f} s  {text}", flush=True)

    def _round(self, number: int, frames: Frames, agents: list[AgentProcess]) -> None:
        with (
            Daemon(frames.recording, *frames.daemon_options()) as daemon,
            Server([BENCHMARKS, "baseline", frames.recording, *frames.baseline_options()]) as paced_baseline,
            Server(
                [BENCHMARKS, "baseline", frames.recording, *frames.baseline_options(), "--unlimited"]
            ) as unlimited_baseline,
        ):
            self._warm_up(daemon, [paced_baseline, unlimited_baseline], agents)
            daemon.pause()
            self.figures.add("B", daemon.status_cost(), "status_cost", frames.name)
            cases = self._random.sample(self.plan.cases, len(self.plan.cases))
            for index, case in enumerate(cases):
                baseline = paced_baseline if case.kind == "paced" else unlimited_baseline
                where = f"round {number}/{self.plan.rounds}, {frames.name} {index + 1}/{len(cases)}"
                try:
                    summary = self._measure(case, frames, daemon, baseline, agents)
                except MeasureError as error:
                    summary = f"not measured: {error}"
                self.say(f"{where}: {case.kind} {case.transport} {case.name}: {summary}")

    def _warm_up(self, daemon: Daemon, baselines: list[Server], agents: list[AgentProcess]) -> None:
        """Have the code compiled and the pools filled, as they are in a server that has run for a while."""
        for transport, agent in zip(("grpc", "socket", "json"), agents, strict=False):
            agent.send_read(_subscription(transport, daemon, "every", decode=False), 4)
        for agent in agents[:3]:
            agent.answer()
        daemon.set_rate(0)
        for baseline in baselines:
            agents[3].send_read(Subscription("baseline", baseline.address("baseline"), decode=False), 4)
            agents[3].answer()
            time.sleep(self.plan.warm_up / len(baselines))
            stop(agents[3:])
        daemon.set_rate(1)
        stop(agents[:3])

    def _measure(self, case: Case, frames: Frames, daemon: Daemon, baseline: Server, agents: list[AgentProcess]) -> str:
        is_daemon = case.transport != "baseline"
        server: Server = daemon if is_daemon else baseline
        readers = share(case.agents, agents)
        if is_daemon:
            daemon.resume()
        if case.agents > 0:
            policy = "latest" if case.kind == "paced" else "every"
            subscription = _subscription(case.transport, server, policy, decode=case.decode)
            for agent, count in readers:
                agent.send_read(subscription, count, blocking=case.blocking)
            for agent, _ in readers:
                agent.answer()
        if is_daemon and case.kind == "unlimited":
            daemon.set_rate(0)
        try:
            time.sleep(self.plan.settle)
            start = time.perf_counter_ns() + 30_000_000
            end = start + int(self.plan.seconds_of(case) * 1e9)
            # Unlimited, frames wait in queues for longer than the measuring takes.
            moment = "published" if case.kind == "paced" else "received"
            for agent, _ in readers:
                agent.send(measure=[start, end, moment])
            before = _observe(server, start)
            after = _observe(server, end)
            answers = [agent.answer() for agent, _ in readers]
        finally:
            if is_daemon and case.kind == "unlimited":
                daemon.set_rate(1)
            stop([agent for agent, _ in readers])
            if is_daemon:
                daemon.pause()
        return self._take_note(case, frames, before, after, answers)

    def _take_note(
        self,
        case: Case,
        frames: Frames,
        before: Observation,
        after: Observation,
        answers: list[dict[str, Any]],
    ) -> str:
        seconds = self.plan.seconds_of(case)
        key = (case.kind, frames.name, case.transport, case.name)
        published = len({stamp for answer in answers for stamp in answer["published"]})
        if before.status is not None and after.status is not None:
            published = after.status.frames_published - before.status.frames_published
            cost = self.figures.find("status_cost", frames.name)
            assert cost is not None
            allocated = after.status.process.allocated_bytes - before.status.process.allocated_bytes - cost.rounds[-1]
            self.figures.add("B", max(0.0, allocated) / max(1, published), "allocated", *key)
        cpu_us = (after.cpu - before.cpu) * 1e6
        self.figures.add("µs", cpu_us / max(1, published), "cpu_per_frame", *key)
        if not answers:
            return f"{published / seconds:,.0f} frames/s, {self.figures.text('allocated', *key)} B/frame"
        received = sum(int(answer["frames"]) for answer in answers)
        latency = np.concatenate([np.array(answer["latency_us"], dtype=float) for answer in answers]) / 1000
        if not len(latency):
            raise MeasureError("no frame was received")
        for name, value in (("p50", 50), ("p90", 90), ("p99", 99), ("max", 100)):
            self.figures.add("ms", float(np.percentile(latency, value)), f"latency_{name}", *key)
        self.figures.add("frames/s", received / seconds / case.agents, "frames_per_second", *key)
        self.figures.add("µs", cpu_us / max(1, received), "cpu_per_delivery", *key)
        client_cpu = sum(float(answer["cpu_seconds"]) for answer in answers)
        self.figures.add("µs", client_cpu * 1e6 / max(1, received), "client_cpu", *key)
        self.figures.add("%", 100 * (client_cpu * 1e6 + cpu_us) / 1e6 / seconds, "machine_cpu", *key)
        if case.decode:
            self.figures.add("µs", float(np.mean([answer["decode_us"] for answer in answers])), "decode", *key)
        if case.transport != "json":
            self.figures.add("B", float(np.mean([answer["bytes"] for answer in answers])), "message_bytes", *key)
        expected = published * case.agents
        self.figures.add("%", 100 * max(0.0, 1 - len(latency) / max(1, expected)), "lost", *key)
        return (
            f"{received / seconds / case.agents:,.0f} frames/s each, p50 {np.percentile(latency, 50):.2f} ms, "
            f"p99 {np.percentile(latency, 99):.2f} ms, server {cpu_us / max(1, received):.0f} µs a frame and agent"
        )

    def _whole_match(self, transport: str, elite: Path, agents: list[AgentProcess]) -> None:
        """Peak memory: a whole match at full rate, one agent that takes every frame and one that stalls."""
        reader, stalled = agents[0], AgentProcess()
        with Daemon(elite, "--rate", "unlimited", "--wait-agents", "2") as daemon, stalled:
            memory = Memory(daemon)
            reader.send_read(Subscription(transport, daemon.address(transport), "every"), 1)
            stalled.send(stall={"transport": transport, "address": daemon.address(transport)})
            reader.answer()
            stalled.answer()
            reader.send(progress=True)
            received = reader.answer()["received"]
            memory.stop()
            stop([reader])
        samples = memory.samples
        for part in (10, 50, 100):
            moment = received[max(0, len(received) * part // 100 - 1)]
            at = max((each for each in samples if each[0] <= moment), default=samples[0])
            self.figures.add("MB", at[1] / 1e6, "rss", transport, part)
        self.figures.add("MB", max(rss for _, rss in samples) / 1e6, "rss", transport, "peak")
        seconds = (received[-1] - received[0]) / 1e9
        self.figures.add("frames", len(received), "whole_match_frames", transport)
        self.figures.add("frames/s", len(received) / seconds, "whole_match_rate", transport)
        self.say(
            f"whole match by {transport}: {len(received)} frames in {seconds:.1f} s, peak RSS "
            f"{self.figures.text('rss', transport, 'peak')} MB"
        )

    def _start(self, frames: Frames) -> None:
        """Time from starting the daemon's process to the first frame of an agent that is trying already."""
        with AgentProcess() as agent:
            for _ in range(self.plan.start_rounds):
                for transport in self._random.sample(["grpc", "socket", "none"], 3):
                    self._start_once(transport, frames, agent)
        self.say(
            f"start to first frame: bare socket {self.figures.text('first_frame', 'none')} ms, "
            f"agent by socket {self.figures.text('first_frame', 'socket')} ms, "
            f"by gRPC {self.figures.text('first_frame', 'grpc')} ms"
        )

    def _start_once(self, transport: str, frames: Frames, agent: AgentProcess) -> None:
        grpc_port, socket_port = _free_port(), _free_port()
        options = ["--grpc-port", str(grpc_port), "--socket-port", str(socket_port), "--wait-agents", "1"]
        address = f"127.0.0.1:{grpc_port if transport == 'grpc' else socket_port}"
        first: list[int] = []
        bare = threading.Thread(target=lambda: first.append(_first_frame_ns(address)))
        if transport == "none":
            bare.start()
        else:
            agent.send_read(Subscription(transport, address, "every"), 1)
            time.sleep(_TRYING_SECONDS)
        with Daemon(frames.recording, *options) as daemon:
            self.figures.add("ms", (daemon.ready_ns - daemon.started_ns) / 1e6, "ready", transport)
            if transport == "none":
                bare.join()
            else:
                agent.answer()
                agent.send(first=True)
                first.append(agent.answer()["received"])
                stop([agent])
            self.figures.add("ms", (first[0] - daemon.started_ns) / 1e6, "first_frame", transport)


@dataclass(frozen=True)
class Observation:
    """The server at one moment: CPU time in seconds, and the daemon's own account."""

    cpu: float
    status: sync_pb2.Status | None


class Memory:
    """Samples a process's resident memory every 20 ms, until told to stop."""

    def __init__(self, process: Process) -> None:
        self.samples: list[tuple[int, int]] = []
        self._process = process
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Sample no more."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(0.02):
            self.samples.append((time.perf_counter_ns(), self._process.info.memory_info().rss))


def _subscription(transport: str, server: Server, policy: str, *, decode: bool) -> Subscription:
    """`json` is the socket with encoding json."""
    name, encoding = ("socket", "json") if transport == "json" else (transport, "proto")
    return Subscription(name, server.address(name), policy, decode, encoding=encoding)


def _observe(server: Server, moment: int) -> Observation:
    sleep_until(moment)
    cpu = server.cpu_seconds()
    return Observation(cpu, server.status() if isinstance(server, Daemon) else None)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _first_frame_ns(address: str) -> int:
    """Try to connect every millisecond; when the first frame is complete."""
    host, _, port = address.rpartition(":")
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            with socket.create_connection((host, int(port))) as connection:
                connection.sendall(Subscription("socket", address, "every").line())
                file = connection.makefile("rb")
                file.readline()
                file.read(int.from_bytes(file.read(4), "little"))
                return time.perf_counter_ns()
        except ConnectionError:
            time.sleep(0.001)
    raise MeasureError(f"no answer on {address}")


def main() -> int:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(prog="bench transports", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round, fewer cases, under a minute and a half")
    parser.add_argument(
        "--output", type=Path, help="folder for results.json and README.md (default: in benchmarks/local)"
    )
    parser.add_argument("--rounds", type=int, help="rounds (default: 3; quick: 1)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the order")
    options = parser.parse_args()
    plan = Plan.quick() if options.quick else Plan.full()
    if options.rounds:
        plan = replace(plan, rounds=options.rounds)
    bench = Bench(plan, options.seed)
    machine = figures.machine()
    interrupted = False
    try:
        elite = make_elite()
        skirmish, late = Frames("skirmish", SKIRMISH), Frames.late(elite)
        bench.run([skirmish, late], elite)
    except KeyboardInterrupt:
        interrupted = True
        print("interrupted: writing what is measured", flush=True)
    folder = options.output or LOCAL / f"{datetime.date.today()}-transports"
    results = {"machine": machine, "quick": options.quick, "rounds": plan.rounds, "complete": not interrupted}
    readme = transports_page.write(bench.figures, machine, rounds=plan.rounds, complete=not interrupted)
    figures.save(folder, {**results, "figures": bench.figures.to_json()}, readme)
    print(f"\n{readme}\nwritten to {folder}")
    return 130 if interrupted else 0


if __name__ == "__main__":
    sys.exit(main())

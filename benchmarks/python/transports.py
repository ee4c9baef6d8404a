"""Measures the daemon's transports with real agents, next to a plain TCP socket: `dotnet make.cs bench transports`."""

from __future__ import annotations

import random
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import transports_page
from figures import Figures
from load import QUANTILES, Load, measure, percentile
from processes import BENCHMARKS, AgentProcess, Daemon, MeasureError, Process, Server, free_port, share, stop
from readers import Subscription
from runs import arguments, run

from recordings import SKIRMISH, Frames, make_elite

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
    """What to measure, and for how long: readers at the tick rate, also of JSON, and more readers at full rate."""

    warm_up: float
    settle: float
    seconds: dict[tuple[str, int], float]
    paced: tuple[int, ...]
    json: tuple[int, ...]
    fan_out: tuple[int, ...]
    start_rounds: int

    def cases(self) -> list[Case]:
        """All of them."""
        cases = [Case("paced", "none", 0), Case("unlimited", "none", 0)]
        for transport in ("grpc", "socket", "baseline", "json"):
            counts = self.json if transport == "json" else self.paced
            cases += [Case("paced", transport, count, decode=count < BARE_FROM) for count in counts]
            cases.append(Case("unlimited", transport, 1))
            cases.append(Case("unlimited", transport, 1, decode=False, blocking=True))
            if transport in ("grpc", "socket"):
                cases += [Case("unlimited", transport, count, decode=False) for count in self.fan_out]
        return cases


#: Under ten minutes.
FULL = Plan(
    warm_up=5.0,
    settle=0.6,
    seconds={("paced", 1): 4.5, ("paced", 10): 3.0, ("paced", 100): 3.0},
    paced=(1, 10, 100),
    json=(1, 10),
    fan_out=(10, 100),
    start_rounds=6,
)
#: Under a minute and a half.
QUICK = Plan(
    warm_up=3.0,
    settle=0.3,
    seconds={("paced", 1): 2.0, ("unlimited", 1): 0.8},
    paced=(1, 100),
    json=(1,),
    fan_out=(),
    start_rounds=2,
)


def measure_round(plan: Plan, frames: Frames, agents: list[AgentProcess], order: random.Random, found: Figures) -> None:
    """Every case once."""
    baseline: list[str | Path] = [BENCHMARKS, "baseline", frames.recording, *frames.baseline_options()]
    with (
        Daemon(frames.recording, *frames.daemon_options()) as daemon,
        Server(baseline) as paced,
        Server([*baseline, "--unlimited"]) as unlimited,
    ):
        warm_up(plan.warm_up, daemon, [paced, unlimited], agents)
        daemon.pause()
        found.add("B", daemon.status_cost(), "status_cost", frames.name)
        cases = plan.cases()
        for case in order.sample(cases, len(cases)):
            server: Server = daemon
            if case.transport == "baseline":
                server = paced if case.kind == "paced" else unlimited
            policy = "latest" if case.kind == "paced" else "every"
            subscription = _subscription(case.transport, server, policy, decode=case.decode)
            try:
                load = measure(
                    server,
                    share([subscription] * case.agents, agents),
                    plan.seconds.get((case.kind, case.agents), 1.0),
                    settle=plan.settle,
                    full_speed=case.kind == "unlimited",
                    blocking=case.blocking,
                )
                take_note(case, frames, load, found)
            except MeasureError as error:
                print(f"{frames.name}, {case.kind} {case.transport} {case.name}: not measured: {error}", flush=True)
        print(f"{frames.name}: {len(cases)} cases", flush=True)


def warm_up(seconds: float, daemon: Daemon, baselines: list[Server], agents: list[AgentProcess]) -> None:
    """Have the code compiled and the pools filled, as they are in a server that has run for a while."""
    for transport, agent in zip(("grpc", "socket", "json"), agents, strict=False):
        agent.send_read([_subscription(transport, daemon, "every", decode=False)] * 4)
    for agent in agents[:3]:
        agent.answer()
    daemon.set_rate(0)
    for baseline in baselines:
        agents[3].send_read([Subscription("baseline", baseline.address("baseline"), decode=False)] * 4)
        agents[3].answer()
        time.sleep(seconds / len(baselines))
        stop(agents[3:])
    daemon.set_rate(1)
    stop(agents[:3])


def take_note(case: Case, frames: Frames, load: Load, found: Figures) -> None:
    """Add what was measured of a case."""
    key = (case.kind, frames.name, case.transport, case.name)
    cpu_us, published, received = load.cpu * 1e6, max(1, load.published), load.received
    if load.allocated is not None:
        cost = found.find("status_cost", frames.name)
        assert cost is not None
        found.add("B", max(0.0, load.allocated - cost.rounds[-1]) / published, "allocated", *key)
    found.add("µs", cpu_us / published, "cpu_per_frame", *key)
    if not load.answers:
        return
    for name, percent in QUANTILES.items():
        found.add("ms", percentile(load.latency, percent), f"latency_{name}", *key)
    found.add("frames/s", received / load.seconds / case.agents, "frames_per_second", *key)
    found.add("µs", cpu_us / max(1, received), "cpu_per_delivery", *key)
    found.add("µs", load.client_cpu * 1e6 / max(1, received), "client_cpu", *key)
    found.add("%", 100 * (load.client_cpu + load.cpu) / load.seconds, "machine_cpu", *key)
    if case.decode:
        found.add("µs", load.mean("decode_us"), "decode", *key)
    if case.transport != "json":
        found.add("B", load.mean("bytes"), "message_bytes", *key)
    found.add("%", 100 * max(0.0, 1 - len(load.latency) / (published * case.agents)), "lost", *key)


def whole_match(transport: str, elite: Path, reader: AgentProcess, found: Figures) -> None:
    """Peak memory: a whole match at full rate, one agent that takes every frame and one that stalls."""
    with AgentProcess() as stalled, Daemon(elite, "--rate", "unlimited", "--wait-agents", "2") as daemon:
        with memory_of(daemon) as samples:
            reader.send_read([Subscription(transport, daemon.address(transport), "every")])
            stalled.send(stall={"transport": transport, "address": daemon.address(transport)})
            reader.answer()
            stalled.answer()
            reader.send(received="ended")
            received = reader.answer()["received"]
        stop([reader])
    for part in (10, 50, 100):
        moment = received[max(0, len(received) * part // 100 - 1)]
        at = max((each for each in samples if each[0] <= moment), default=samples[0])
        found.add("MB", at[1] / 1e6, "rss", transport, part)
    found.add("MB", max(rss for _, rss in samples) / 1e6, "rss", transport, "peak")
    found.add("frames", len(received), "whole_match_frames", transport)
    found.add("frames/s", len(received) / ((received[-1] - received[0]) / 1e9), "whole_match_rate", transport)
    print(f"whole match by {transport}: {len(received)} frames", flush=True)


@contextmanager
def memory_of(process: Process) -> Iterator[list[tuple[int, int]]]:
    """Samples the resident memory every 20 ms: moments of the clock, and bytes."""
    samples: list[tuple[int, int]] = []
    over = threading.Event()

    def sample() -> None:
        while not over.wait(0.02):
            samples.append((time.perf_counter_ns(), process.info.memory_info().rss))

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield samples
    finally:
        over.set()
        thread.join()


def start_once(transport: str, recording: Path, agent: AgentProcess, found: Figures) -> None:
    """Time from starting the daemon's process to the first frame of an agent that is trying already."""
    ports = {name: free_port() for name in ("grpc", "socket")}
    address = f"127.0.0.1:{ports['grpc' if transport == 'grpc' else 'socket']}"
    options = [word for name, port in ports.items() for word in (f"--{name}-port", str(port))]
    first: list[int] = []
    bare = threading.Thread(target=lambda: first.append(_first_frame_ns(address)))
    if transport == "none":
        bare.start()
    else:
        agent.send_read([Subscription(transport, address, "every")])
        time.sleep(_TRYING_SECONDS)
    with Daemon(recording, *options, "--wait-agents", "1") as daemon:
        found.add("ms", (daemon.ready_ns - daemon.started_ns) / 1e6, "ready", transport)
        if transport == "none":
            bare.join()
        else:
            agent.answer()
            agent.send(received="so far")
            first.append(agent.answer()["received"][0])
            stop([agent])
        found.add("ms", (first[0] - daemon.started_ns) / 1e6, "first_frame", transport)


def _subscription(transport: str, server: Server, policy: str, *, decode: bool) -> Subscription:
    """`json` is the socket with encoding json; `none` is never read."""
    name, encoding = ("socket", "json") if transport in ("json", "none") else (transport, "proto")
    return Subscription(name, server.address(name), policy, decode, encoding=encoding)


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
    more = {"--seed": {"type": int, "default": 1, "help": "seed of the order"}}
    quick = "one round, fewer cases, under a minute and a half"
    options = arguments("transports", __doc__, more, quick=quick, rounds=(3, "rounds", 1))
    plan = QUICK if options.quick else FULL

    def measured(figures: Figures) -> None:
        order, elite = random.Random(options.seed), make_elite()
        frames = [Frames("skirmish", SKIRMISH), Frames.late(elite)]
        with ExitStack() as stack:
            agents = [stack.enter_context(AgentProcess()) for _ in range(AGENT_PROCESSES)]
            for number in range(1, options.rounds + 1):
                print(f"round {number} of {options.rounds}", flush=True)
                for each in order.sample(frames, len(frames)):
                    measure_round(plan, each, agents, order, figures)
            for transport in ("grpc", "socket"):
                whole_match(transport, elite, agents[0], figures)
            for _ in range(plan.start_rounds):
                for transport in order.sample(["grpc", "socket", "none"], 3):
                    start_once(transport, SKIRMISH, agents[0], figures)

    return run(options, measured, lambda figures: transports_page.write(figures, options.rounds))


if __name__ == "__main__":
    sys.exit(main())

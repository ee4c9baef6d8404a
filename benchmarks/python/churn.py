"""What agents that come and die at random cost one that stays: `dotnet make.cs bench churn`."""

from __future__ import annotations

import argparse
import datetime
import random
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import abathur
import numpy as np
import psutil
from figures import Figures, machine, save, table
from processes import ROOT, Daemon, MeasureError

from recordings import LOCAL, SKIRMISH

AGENTS = 200
PROCESSES = 4
KILL_SECONDS = (2.0, 8.0)
_SETTLE_SECONDS = 3.0
_NICE = 15
_TRANSPORTS = ("grpc", "socket")


class Crowd:
    """Processes of `churn_agents.py`, of which one is killed now and then and another takes its place."""

    def __init__(self, daemon: Daemon, agents: int, seed: int) -> None:
        """So many agents at a time, in four processes."""
        self._addresses = [daemon.address(name) for name in ("grpc", "socket", "http")]
        self._agents = agents
        self._random = random.Random(seed)
        self._processes: list[subprocess.Popen[str]] = []
        self._stop = threading.Event()
        self._killer = threading.Thread(target=self._kill_now_and_then)
        self.killed = 0

    def __enter__(self) -> Crowd:
        """Start them."""
        self._processes = [self._start() for _ in range(PROCESSES)]
        self._killer.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Kill them all, where they are."""
        self._stop.set()
        self._killer.join()
        for process in self._processes:
            self._kill(process)

    def _start(self) -> subprocess.Popen[str]:
        program = Path(__file__).with_name("churn_agents.py")
        count, seed = str(self._agents // PROCESSES), str(self._random.randrange(1 << 30))
        process = subprocess.Popen(
            [sys.executable, str(program), *self._addresses, count, seed],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=sys.platform != "win32",
        )
        # The question is what they cost the daemon, not what so much Python costs everything else on a machine.
        psutil.Process(process.pid).nice(psutil.BELOW_NORMAL_PRIORITY_CLASS if sys.platform == "win32" else _NICE)
        return process

    def _kill_now_and_then(self) -> None:
        while not self._stop.wait(self._random.uniform(*KILL_SECONDS)):
            number = self._random.randrange(PROCESSES)
            self._kill(self._processes[number])
            self.killed += 1
            self._processes[number] = self._start()

    @staticmethod
    def _kill(process: subprocess.Popen[str]) -> None:
        process.kill()
        process.wait()
        assert process.stdin is not None
        process.stdin.close()


@dataclass
class Reference:
    """An agent under `every` that stays: what it gets, on a thread of its own."""

    address: str
    frames: int = 0
    error: str = ""
    published: list[int] = field(default_factory=list)
    latency: list[int] = field(default_factory=list)

    def run(self, stop: threading.Event) -> None:
        """Read until told to stop; any gap is an error."""
        try:
            with abathur.connect_blocking(self.address) as game:
                last = 0
                for frame in game.frames(policy="every", encoding="proto", name="reference"):
                    if frame.dropped or (last and frame.sequence != last + 1):
                        self.error = f"frame {frame.sequence} came after {last}, {frame.dropped} dropped"
                        return
                    last = frame.sequence
                    self.frames += 1
                    self.published.append(frame.timing.published)
                    self.latency.append(frame.timing.received - frame.timing.published)
                    if stop.is_set():
                        return
            self.error = "the stream ended"
        except abathur.AbathurError as error:
            self.error = str(error)


def measure(daemon: Daemon, seconds: float, agents: int, seed: int) -> tuple[dict[str, np.ndarray], int]:
    """Latency of one reference agent per transport (ns), and how many processes were killed meanwhile."""
    stop = threading.Event()
    references = {name: Reference(f"{name}://{daemon.address(name)}") for name in _TRANSPORTS}
    threads = [threading.Thread(target=each.run, args=(stop,)) for each in references.values()]
    killed = 0
    with ExitStack() as stack:
        crowd = stack.enter_context(Crowd(daemon, agents, seed)) if agents else None
        for thread in threads:
            thread.start()
        time.sleep(_SETTLE_SECONDS)
        start = time.perf_counter_ns()
        time.sleep(seconds)
        end = time.perf_counter_ns()
        killed = crowd.killed if crowd else 0
        stop.set()
        for thread in threads:
            thread.join()
    for name, each in references.items():
        if each.error:
            raise MeasureError(f"the reference agent on {name}: {each.error}")
    within = {
        name: np.array([took for at, took in zip(each.published, each.latency, strict=True) if start <= at < end])
        for name, each in references.items()
    }
    return within, killed


def run(seconds: float, rounds: int, agents: int, seed: int) -> tuple[Figures, list[str]]:
    """Quiet and churning in turns, each with a daemon of its own."""
    figures, notes = Figures(), []
    for number in range(rounds):
        for kind, count in (("quiet", 0), ("churn", agents)):
            with Daemon(SKIRMISH, "--loop") as daemon:
                took, killed = measure(daemon, seconds, count, seed + number)
                peak = daemon.status().process.peak_working_set_bytes
            for transport, each in took.items():
                for name, quantile in (("p50", 50), ("p99", 99), ("p99.9", 99.9)):
                    figures.add("ms", float(np.percentile(each, quantile)) / 1e6, transport, kind, name)
                figures.add("frames", len(each), transport, kind, "frames")
            figures.add("MB", peak / 1e6, "daemon", kind, "peak")
            if killed:
                figures.add("processes", killed, "daemon", kind, "killed")
            print(
                f"round {number + 1} of {rounds}, {kind}: "
                + ", ".join(f"{name} p99 {np.percentile(each, 99) / 1e6:.2f} ms" for name, each in took.items()),
                flush=True,
            )
    return figures, notes


def page(figures: Figures, seconds: float, agents: int, seed: int) -> str:
    """The README of the results."""
    rows = [
        [
            f"{transport}, {name}",
            figures.text(transport, "quiet", name),
            figures.text(transport, "churn", name),
            ratio(figures, transport, name),
        ]
        for transport in _TRANSPORTS
        for name in ("p50", "p99", "p99.9")
    ]
    quiet, churn = (figures.text("daemon", kind, "peak") for kind in ("quiet", "churn"))
    about = machine()
    return (
        "# An agent that stays, among agents that come and die\n\n"
        f"Made by `dotnet make.cs bench churn` on {about['date']}: {about['cpu']}, {about['cores']} cores that run "
        f"daemon and agents together, {about['os']}, Python {about['python']}, .NET {about['dotnet']}, "
        f"commit {about['commit']}.\n\n"
        "The committed recording is played at 22.4 Hz (57 KB a frame) to one agent under `every` on gRPC and one on "
        f"the socket. In the churning run {agents} others in {PROCESSES} processes connect by gRPC, socket and "
        "WebSocket and die after 0.1 to 3 s: they close, reset, stop reading, stop in the middle of a handshake or of "
        "a message; "
        f"every 2 to 8 s a whole process is killed. Their processes have a lower priority (nice {_NICE}) than the "
        f"daemon and the agents that stay: all share the machine. {seconds:g} s a run, seed {seed}. "
        "The agents that stay lost nothing: a gap would have ended the run.\n\n"
        "Published to received, ms: the median of the rounds, and the lowest and highest.\n\n"
        + table(["", "quiet", "churn", "churn / quiet"], rows)
        + f"\nProcesses killed in a churning run: {figures.text('daemon', 'churn', 'killed')}. "
        f"Largest memory of the daemon: {quiet} MB quiet, {churn} MB churning.\n"
    )


def ratio(figures: Figures, transport: str, name: str) -> str:
    """How much longer it takes among the others, of the medians."""
    quiet, churn = figures.find(transport, "quiet", name), figures.find(transport, "churn", name)
    return f"{churn.median / quiet.median:.2f}" if quiet and churn else "-"


def main() -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="dotnet make.cs bench churn", description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0, help="seconds a run (default: 120)")
    parser.add_argument("--rounds", type=int, default=3, help="quiet and churning runs of each (default: 3)")
    parser.add_argument(
        "--agents", type=int, default=AGENTS, help=f"agents that come and go at a time (default: {AGENTS})"
    )
    parser.add_argument("--seed", type=int, default=20261122, help="seed of what they do")
    parser.add_argument(
        "--output", type=Path, default=LOCAL / f"{datetime.date.today()}-churn", help="folder of the results"
    )
    options = parser.parse_args()
    if options.seconds <= 0 or options.rounds < 1 or options.agents < PROCESSES:
        parser.error(f"--seconds and --rounds are positive, --agents at least {PROCESSES}")
    try:
        figures, _ = run(options.seconds, options.rounds, options.agents, options.seed)
    except MeasureError as error:
        print(f"churn: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print()
    text = page(figures, options.seconds, options.agents, options.seed)
    save(options.output, {"machine": machine(), "seed": options.seed, "figures": figures.to_json()}, text)
    print(text)
    print(f"results in {options.output.relative_to(ROOT) if options.output.is_relative_to(ROOT) else options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

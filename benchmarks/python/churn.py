"""What agents that come and die at random cost one that stays: `dotnet make.cs bench churn`."""

from __future__ import annotations

import argparse
import datetime
import json
import random
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil
from figures import Figures, machine, save, table
from processes import BENCHMARKS, ROOT, AgentProcess, Daemon, MeasureError, Process, Server, sleep_until
from readers import Subscription

from recordings import LOCAL, SKIRMISH

AGENTS = 200
PROCESSES = 4
KILL_SECONDS = (2.0, 8.0)
_SETTLE_SECONDS = 3.0
_NICE = 15
_TRANSPORTS = ("grpc", "socket")
BASELINE = "baseline"
_QUANTILES = {"p50": 50.0, "p99": 99.0, "p99.9": 99.9}


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


@dataclass(frozen=True)
class Measured:
    """One run: latency in ns by who read, and how many processes were killed meanwhile."""

    latency: dict[str, np.ndarray]
    killed: int


def measure(daemon: Daemon, seconds: float, agents: int, seed: int) -> Measured:
    """Latency of one reference agent per transport, and of the bare baseline beside them."""
    with ExitStack() as stack:
        crowd = stack.enter_context(Crowd(daemon, agents, seed)) if agents else None
        baseline: Server = stack.enter_context(Server([BENCHMARKS, "baseline", SKIRMISH, "--port", "0"]))
        bare: AgentProcess = stack.enter_context(AgentProcess())
        bare.send_read(Subscription("baseline", baseline.address("baseline"), decode=False), 1, blocking=True)
        bare.answer()
        program = Path(__file__).with_name("churn_reference.py")
        references: dict[str, Process] = {
            name: stack.enter_context(Process([sys.executable, program, f"{name}://{daemon.address(name)}"]))
            for name in _TRANSPORTS
        }
        for each in references.values():
            each.read_line()
        start = time.perf_counter_ns() + int(_SETTLE_SECONDS * 1e9)
        end = start + int(seconds * 1e9)
        bare.send(measure=[start, end, "published"])
        sleep_until(end)
        killed = crowd.killed if crowd else 0
        for each in references.values():
            each.write_line("stop")
        answers = {name: json.loads(each.read_line()) for name, each in references.items()}
        latency = {BASELINE: np.array(bare.answer()["latency_us"]) * 1000}
    for name, answer in answers.items():
        if answer["error"]:
            raise MeasureError(f"the reference agent on {name}: {answer['error']}")
        published = np.array(answer["published"])
        latency[name] = np.array(answer["latency"])[(start <= published) & (published < end)]
    return Measured(latency, killed)


def run(seconds: float, rounds: int, agents: int, seed: int) -> Figures:
    """Quiet and churning in turns, each with a daemon of its own."""
    figures = Figures()
    for number in range(rounds):
        for kind, count in (("quiet", 0), ("churn", agents)):
            with Daemon(SKIRMISH, "--loop") as daemon:
                measured = measure(daemon, seconds, count, seed + number)
                peak = daemon.status().process.peak_working_set_bytes
            for reader, each in measured.latency.items():
                for name, quantile in _QUANTILES.items():
                    figures.add("ms", float(np.percentile(each, quantile)) / 1e6, reader, kind, name)
                figures.add("frames", len(each), reader, kind, "frames")
            figures.add("MB", peak / 1e6, "daemon", kind, "peak")
            if agents and kind == "churn":
                figures.add("processes", measured.killed, "daemon", kind, "killed")
            print(
                f"round {number + 1} of {rounds}, {kind}: p99 "
                + ", ".join(
                    f"{name} {np.percentile(each, 99) / 1e6:.2f} ms" for name, each in measured.latency.items()
                ),
                flush=True,
            )
    return figures


def page(figures: Figures, seconds: float, agents: int, seed: int) -> str:
    """The README of the results."""
    rows = [
        [
            f"{reader}, {name}",
            figures.text(reader, "quiet", name),
            figures.text(reader, "churn", name),
            ratio(figures, (reader, "churn", name), (reader, "quiet", name)),
            *(
                ratio(figures, (reader, kind, name), (BASELINE, kind, name)) if reader != BASELINE else ""
                for kind in ("quiet", "churn")
            ),
        ]
        for reader in (*_TRANSPORTS, BASELINE)
        for name in _QUANTILES
    ]
    quiet, churn = (figures.text("daemon", kind, "peak") for kind in ("quiet", "churn"))
    about = machine()
    return (
        "# An agent that stays, among agents that come and die\n\n"
        f"Made by `dotnet make.cs bench churn` on {about['date']}: {about['cpu']}, {about['cores']} cores that run "
        f"daemon and agents together, {about['os']}, Python {about['python']}, .NET {about['dotnet']}, "
        f"commit {about['commit']}.\n\n"
        "The committed recording is played at 22.4 Hz (57 KB a frame) to one agent under `every` on gRPC and one on "
        f"the socket, each in a process of its own. In the churning run {agents} others in {PROCESSES} processes "
        "connect by gRPC, socket and "
        "WebSocket and die after 0.1 to 3 s: they close, reset, stop reading, stop in the middle of a handshake or of "
        "a message; "
        f"every 2 to 8 s a whole process is killed. Their processes have a lower priority (nice {_NICE}) than the "
        f"daemon and the agents that stay: all share the machine. {seconds:g} s a run, seed {seed}. "
        "The agents that stay lost nothing: a gap would have ended the run.\n\n"
        f"The {BASELINE} is what the same crowd on the same machine does to a reader that has nothing to do with the "
        "daemon: in each run a plain TCP server without other clients sends the same frames at the same "
        "rate to a reader that does not decode them. It ticks on its own: at a moment when the daemon and the crowd "
        "may be idle, while a frame of the daemon's is what wakes them all.\n\n"
        "Published to received, ms: the median of the rounds, and the lowest and highest.\n\n"
        + table(["", "quiet", "churn", "churn / quiet", "/ baseline, quiet", "/ baseline, churn"], rows)
        + f"\nProcesses killed in a churning run: {figures.text('daemon', 'churn', 'killed')}. "
        f"Largest memory of the daemon: {quiet} MB quiet, {churn} MB churning.\n"
    )


def ratio(figures: Figures, key: tuple[str, ...], base: tuple[str, ...]) -> str:
    """How many times one figure is another, of the medians."""
    figure, of = figures.find(*key), figures.find(*base)
    return f"{figure.median / of.median:.2f}" if figure and of else "-"


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
        figures = run(options.seconds, options.rounds, options.agents, options.seed)
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

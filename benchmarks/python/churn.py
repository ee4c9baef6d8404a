"""What agents that come and die at random cost one that stays: `dotnet make.cs bench churn`."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psutil
from figures import Figures
from load import measure, percentile
from pages import Ratio, figure_table, made, page, ratio
from processes import BENCHMARKS, AgentProcess, Daemon, MeasureError, Server
from readers import Subscription
from runs import arguments, rounds, run

from recordings import SKIRMISH

AGENTS = 200
PROCESSES = 4
KILL_SECONDS = (2.0, 8.0)
_SETTLE_SECONDS = 3.0
_NICE = 15
_TRANSPORTS = ("grpc", "socket")
BASELINE = "baseline"
_QUANTILES = {"p50": 50.0, "p99": 99.0, "p99.9": 99.9}


@contextmanager
def crowd(daemon: Daemon, agents: int, seed: int) -> Iterator[list[int]]:
    """Processes of `churn_agents.py`, of which one is killed now and then and another takes its place.

    Gives a list of the numbers of those that were killed.
    """
    addresses = [daemon.address(name) for name in ("grpc", "socket", "http")]
    chosen, stop = random.Random(seed), threading.Event()
    killed: list[int] = []

    def start() -> subprocess.Popen[bytes]:
        program = Path(__file__).with_name("churn_agents.py")
        given = [str(agents // PROCESSES), str(chosen.randrange(1 << 30))]
        process = subprocess.Popen(
            [sys.executable, str(program), *addresses, *given],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=sys.platform != "win32",
        )
        # The question is what they cost the daemon, not what so much Python costs everything else on a machine.
        psutil.Process(process.pid).nice(psutil.BELOW_NORMAL_PRIORITY_CLASS if sys.platform == "win32" else _NICE)
        return process

    def kill_now_and_then() -> None:
        while not stop.wait(chosen.uniform(*KILL_SECONDS)):
            number = chosen.randrange(PROCESSES)
            end(processes[number])
            killed.append(number)
            processes[number] = start()

    def end(process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.communicate()

    processes = [start() for _ in range(PROCESSES)]
    killer = threading.Thread(target=kill_now_and_then)
    killer.start()
    try:
        yield killed
    finally:
        stop.set()
        killer.join()
        for process in processes:
            end(process)


def measure_kind(kind: str, seconds: float, agents: int, seed: int, figures: Figures) -> None:
    """Latency of one agent that stays per transport, and of a reader of the baseline beside them."""
    with ExitStack() as stack:
        daemon: Daemon = stack.enter_context(Daemon(SKIRMISH, "--loop"))
        killed = stack.enter_context(crowd(daemon, agents, seed)) if agents else []
        baseline = stack.enter_context(Server([BENCHMARKS, "baseline", SKIRMISH, "--port", "0"]))
        subscriptions = {name: Subscription(name, daemon.address(name), "every") for name in _TRANSPORTS}
        subscriptions[BASELINE] = Subscription("baseline", baseline.address("baseline"), decode=False)
        readers = [(stack.enter_context(AgentProcess()), [each]) for each in subscriptions.values()]
        load = measure(daemon, readers, seconds, settle=_SETTLE_SECONDS, blocking=True)
        load.check_whole()
        figures.add("MB", daemon.status().process.peak_working_set_bytes / 1e6, "daemon", kind, "peak")
        if agents:
            figures.add("processes", len(killed), "daemon", kind, "killed")
    for reader, answer in zip(subscriptions, load.answers, strict=True):
        if not answer["frames"]:
            raise MeasureError(f"the agent on {reader} received no frame")
        for name, quantile in _QUANTILES.items():
            figures.add("ms", percentile(answer["latency_us"], quantile) / 1e3, reader, kind, name)
        figures.add("frames", len(answer["latency_us"]), reader, kind, "frames")
        print(f"{kind}, {reader}: p99 {figures.text(reader, kind, 'p99')} ms", flush=True)


def main() -> int:
    """Measure, and write the page."""
    more = {"--seed": {"type": int, "default": 20261122, "help": "seed of what they do"}}
    options = arguments(
        "churn",
        __doc__,
        more,
        seconds=(120.0, "seconds a run"),
        rounds=(3, "quiet and churning runs of each"),
        agents=(AGENTS, "agents that come and go at a time"),
    )

    def measured(figures: Figures) -> None:
        for number in rounds(options.rounds):
            for kind, agents in (("quiet", 0), ("churn", max(PROCESSES, options.agents))):
                measure_kind(kind, options.seconds, agents, options.seed + number, figures)

    def written(figures: Figures) -> str:
        rows = {f"{reader}, {name}": (reader, ..., name) for reader in (*_TRANSPORTS, BASELINE) for name in _QUANTILES}
        columns: dict[str, Any] = {"quiet": "quiet", "churn": "churn", "churn / quiet": Ratio("churn", "quiet")}
        for kind in ("quiet", "churn"):
            columns[f"/ baseline, {kind}"] = lambda row, kind=kind: ratio(
                figures, (row[0], kind, row[2]), (BASELINE, kind, row[2])
            )
        quiet, churn = (figures.text("daemon", kind, "peak") for kind in ("quiet", "churn"))
        return page(
            "An agent that stays, among agents that come and die",
            made("churn"),
            "The committed recording is played at 22.4 Hz (57 KB a frame) to one agent under `every` on gRPC and "
            f"one on the socket, each in a process of its own. In the churning run {options.agents} others in "
            f"{PROCESSES} processes connect by gRPC, socket and WebSocket and die after 0.1 to 3 s: they close, "
            "reset, stop reading, stop in the middle of a handshake or of a message; every 2 to 8 s a whole process "
            f"is killed. Their processes have a lower priority (nice {_NICE}) than the daemon and the agents that "
            f"stay: all share the machine. {options.seconds:g} s a run, seed {options.seed}. The agents that stay "
            "lost nothing: a gap would have ended the run.",
            f"The {BASELINE} is what the same crowd on the same machine does to a reader that has nothing to do with "
            "the daemon: in each run a plain TCP server without other clients sends the same frames at the same "
            "rate to a reader that does not decode them. It ticks on its own: at a moment when the daemon and the "
            "crowd may be idle, while a frame of the daemon's is what wakes them all.",
            "Published to received, ms: the median of the rounds, and the lowest and highest.",
            figure_table(figures, "", rows, columns),
            f"Processes killed in a churning run: {figures.text('daemon', 'churn', 'killed')}. Largest memory of the "
            f"daemon: {quiet} MB quiet, {churn} MB churning.",
        )

    return run(options, measured, written)


if __name__ == "__main__":
    sys.exit(main())

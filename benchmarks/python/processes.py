"""The processes of a benchmark: the daemon, the baseline server, and agents."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import abathur
import psutil
from readers import Subscription

ROOT = Path(__file__).resolve().parents[2]
DAEMON = ROOT / "artifacts" / "bin" / "Abathur.Sync" / "release" / "abathur-sync.dll"
#: The program that users get.
PUBLISHED = (
    ROOT / "artifacts" / "publish" / "tested" / ("abathur-sync.exe" if sys.platform == "win32" else "abathur-sync")
)
BENCHMARKS = ROOT / "artifacts" / "bin" / "Abathur.Benchmarks" / "release" / "Abathur.Benchmarks.dll"
#: Options of the daemon.
_PORTS = ("--grpc-port", "--socket-port", "--http-port")
FREE_PORTS = (*(word for name in _PORTS for word in (name, "0")), "--stop-with-parent")
_EXIT_SECONDS = 15.0
_CPUCLOCK_SCHED = 2
_ADDRESSES = {"websocket": "http"}


class MeasureError(Exception):
    """Something could not be measured; the message says why."""


class Process:
    """A child that is told to end by closing its standard input. Ctrl-C does not reach it."""

    def __init__(self, arguments: list[str | Path]) -> None:
        self.started_ns = time.perf_counter_ns()
        self._child = subprocess.Popen(
            [str(each) for each in arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            start_new_session=sys.platform != "win32",
        )
        self.info = psutil.Process(self._child.pid)

    def __enter__(self) -> Any:
        """The process."""
        return self

    def __exit__(self, *error: object) -> None:
        """End it, by force where it does not end by itself."""
        assert self._child.stdin is not None
        self._child.stdin.close()
        try:
            self._child.wait(0.5 if error[0] is KeyboardInterrupt else _EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        assert self._child.stdout is not None
        self._child.stdout.close()

    def read_line(self) -> str:
        """The next line that it prints."""
        assert self._child.stdout is not None
        line = self._child.stdout.readline()
        if not line:
            raise MeasureError(f"{' '.join(self._child.args)} ended with code {self._child.wait()}")  # type: ignore[arg-type]
        return line.rstrip("\n")

    def write_line(self, line: str) -> None:
        """Give it a line."""
        assert self._child.stdin is not None
        self._child.stdin.write(line + "\n")
        self._child.stdin.flush()

    def wait(self) -> None:
        """Wait until it ends by itself."""
        if self._child.wait() != 0:
            raise MeasureError(f"{' '.join(self._child.args)} ended with code {self._child.returncode}")  # type: ignore[arg-type]

    def cpu_seconds(self) -> float:
        """User and kernel time. To the nanosecond on Linux, where the usual counters go by 10 ms."""
        if not sys.platform.startswith("linux"):
            times = self.info.cpu_times()
            return float(times.user + times.system)
        # clock_getcpuclockid(3): the clock of another process, in the kernel's numbering.
        return time.clock_gettime((~self._child.pid << 3) | _CPUCLOCK_SCHED)


class Server(Process):
    """A process that prints ``ready NAME=ADDRESS ...``."""

    def __init__(self, arguments: list[str | Path]) -> None:
        program = Path(arguments[0])
        if not program.exists():
            raise MeasureError(f"{program} is missing: `dotnet make.cs bench NAME` makes what a benchmark needs")
        super().__init__([*(["dotnet"] if program.suffix == ".dll" else []), *arguments])
        words = self.read_line().split()
        self.ready_ns = time.perf_counter_ns()
        if not words or words[0] != "ready":
            raise MeasureError(f"expected the ready line, got {' '.join(words)!r}")
        self._addresses = dict(word.split("=", 1) for word in words[1:])

    def address(self, transport: str) -> str:
        """HOST:PORT."""
        return self._addresses[_ADDRESSES.get(transport, transport)]


class Daemon(Server):
    """The daemon playing a recording on free ports, with its status and the control of its playback."""

    def __init__(self, recording: Path, *options: str | Path) -> None:
        ports = [each for name in _PORTS if name not in options for each in (name, "0")]
        super().__init__([DAEMON, "play", recording, *ports, "--stop-with-parent", *options])
        self.game = abathur.connect_blocking(f"grpc://{self.address('grpc')}")
        self.status, playback = self.game.status, self.game.playback
        self.pause, self.resume, self.set_rate = playback.pause, playback.resume, playback.set_rate
        self.step, self.seek = playback.step, playback.seek

    def __exit__(self, *error: object) -> None:
        """Close the connection first."""
        self.game.close()
        super().__exit__(*error)


class AgentProcess(Process):
    """A process of `agents.py`. Commands are sent to all processes first, and answers read then."""

    def __init__(self) -> None:
        super().__init__([sys.executable, Path(__file__).with_name("agents.py")])

    def send(self, **command: Any) -> None:
        """Give a command."""
        self.write_line(json.dumps(command))

    def send_read(self, subscriptions: list[Subscription], *, blocking: bool = False, wait: bool = True) -> None:
        """Give the command to subscribe, and to wait for the first frame of each."""
        self.send(read=[asdict(each) for each in subscriptions], blocking=blocking, wait=wait)

    def answer(self) -> dict[str, Any]:
        """The answer to the oldest command that has none yet."""
        answer: dict[str, Any] = json.loads(self.read_line())
        if "error" in answer:
            raise MeasureError(f"agents: {answer['error']}")
        return answer


def share(
    subscriptions: list[Subscription], agents: list[AgentProcess]
) -> list[tuple[AgentProcess, list[Subscription]]]:
    """Share out subscriptions among processes; without those that get none."""
    parts = [subscriptions[index :: len(agents)] for index in range(len(agents))]
    return [(agent, part) for agent, part in zip(agents, parts, strict=True) if part]


def free_port() -> int:
    """A TCP port that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def sleep_until(moment: int) -> None:
    """Wait for a moment of `time.perf_counter_ns`; not at all for one that is over."""
    time.sleep(max(0.0, (moment - time.perf_counter_ns()) / 1e9))


def answers(agents: Sequence[AgentProcess]) -> list[dict[str, Any]]:
    """The answer of each to its oldest command.

    Raises:
        MeasureError: one failed. All have answered then, so that the next answer of each is that to its next command.
    """
    given, failed = [], []
    for agent in agents:
        try:
            given.append(agent.answer())
        except MeasureError as error:
            failed.append(error)
    if failed:
        raise failed[0]
    return given


def stop(agents: Sequence[AgentProcess]) -> None:
    """End their subscriptions."""
    for agent in agents:
        agent.send(stop=True)
    answers(agents)

"""What the daemon is asked and what is counted in it: time, memory, bytes, system calls."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from load import percentile, window
from processes import AgentProcess, Daemon, MeasureError, Process
from readers import Subscription

_ATTACH_SECONDS = 0.3
_WAIT_SECONDS = 10.0
_MOST_STEPS = 2000
_COUNTED = re.compile(r"^(\d+),.*raw_syscalls:sys_enter|^ *\S+ +\S+ +\S+ +(\d+).* total$", re.M)


class ReaderProcess(AgentProcess):
    """A process of agents that read the socket without decoding."""

    def __init__(self, daemon: Daemon) -> None:
        super().__init__()
        self._daemon = daemon
        self.reading: list[Subscription] = []

    def connect(self, policy: str, count: int) -> None:
        """Subscribe until there are so many."""
        more = [Subscription("socket", self._daemon.address("socket"), policy, decode=False)]
        more *= count - len(self.reading)
        # A paused playback has no frame yet.
        self.send_read(more, wait=False)
        self.answer()
        self.reading += more
        while len(self._daemon.status().subscribers) < count:
            time.sleep(0.01)

    def wait_frames(self, frames: int) -> None:
        """Until each reader has had that many frames since `forget`."""
        self.send(until=frames)
        self.answer()

    def forget(self) -> int:
        """Forget the frames that have come, and tell how many they are."""
        self.send(forget=True)
        return int(self.answer()["frames"])


@contextmanager
def system_calls(process: Process) -> Iterator[list[int]]:
    """Counts the system calls of a process with `perf`, else with `strace`.

    Gives a list that has the number in the end; it stays empty where neither can count.
    """
    counts: list[int] = []
    pid = str(process.info.pid)
    perf = ["perf", "stat", "-x", ",", "-e", "raw_syscalls:sys_enter", "-p", pid]
    for command in (perf, ["strace", "-q", "-c", "-f", "-p", pid]):
        if shutil.which(command[0]) is None:
            continue
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as counting:
            try:
                # One that may not count ends at once.
                counting.wait(_ATTACH_SECONDS)
                continue
            except subprocess.TimeoutExpired:
                yield counts
                counting.send_signal(signal.SIGINT)
                if found := _COUNTED.search(counting.communicate()[1]):
                    counts.append(int(found[1] or found[2]))
                return
    yield counts


def timed(daemon: Daemon, readers: ReaderProcess, seconds: float) -> dict[str, float]:
    """What the clock and the memory say while a playback runs: of a frame in µs, and of a second in ms."""
    daemon.resume()
    readers.wait_frames(1)
    time.sleep(seconds / 5)
    load = window(daemon, [(readers, readers.reading)], seconds)
    readers.forget()
    daemon.pause()
    return {
        **costs(load.cpu, load.published, load.allocated or 0, seconds),
        "hz": load.published / seconds,
        "rss": rss(daemon),
        **{f"p{percent}": percentile(load.latency, percent) for percent in (50, 99)},
    }


def costs(cpu: float, frames: int, allocated: int, seconds: float) -> dict[str, float]:
    """CPU (µs) and allocated bytes a frame, and CPU (ms) a second."""
    if frames <= 0:
        raise MeasureError("no frame was published")
    return {"cpu": cpu * 1e6 / frames, "cpu_second": cpu * 1e3 / seconds, "allocated": allocated / frames}


def warm_up(daemon: Daemon, readers: ReaderProcess, seconds: float) -> None:
    """Have the code compiled and the pools filled: play at unlimited rate for a while."""
    daemon.set_rate(0)
    daemon.resume()
    readers.wait_frames(1)
    time.sleep(seconds)
    daemon.pause()
    daemon.set_rate(1)


def counted(daemon: Daemon, readers: ReaderProcess, frames: int, deliveries: int) -> dict[str, float]:
    """What is counted for a frame, while every reader gets every frame.

    System calls: of `frames` frames that are published one by one, each once every reader has had the last; the request
    to publish one belongs to it. Allocations and bytes: of more frames, so that readers get `deliveries` in all,
    because the runtime counts allocations in large steps; without such requests, but for the policy `latest`.
    """
    daemon.pause()
    many = max(frames, min(_MOST_STEPS, deliveries // len(readers.reading)))
    _drain(readers)
    before = daemon.status()
    if readers.reading[0].policy == "latest":
        _step(daemon, readers, many)
    else:
        daemon.step(many)
        readers.wait_frames(many)
    after = daemon.status()
    counts = {
        "allocated": (after.process.allocated_bytes - before.process.allocated_bytes) / many,
        "sent": (after.bytes_sent - before.bytes_sent) / many,
    }
    with system_calls(daemon) as calls:
        _step(daemon, readers, frames)
    readers.forget()
    if calls:
        counts["system_calls"] = calls[0] / frames
    return counts


def _drain(readers: ReaderProcess) -> None:
    quiet = time.monotonic() + _WAIT_SECONDS
    # A paused playback may have frames under way.
    while readers.forget():
        if time.monotonic() > quiet:
            raise MeasureError("a paused playback sends frames")
        time.sleep(0.05)


def _step(daemon: Daemon, readers: ReaderProcess, frames: int) -> None:
    _drain(readers)
    for number in range(1, frames + 1):
        daemon.step()
        readers.wait_frames(number)


def rss(process: Process) -> float:
    """Resident memory, MB."""
    return float(process.info.memory_info().rss) / 1e6


def read_so_far(process: Process) -> dict[str, float]:
    """``read_calls`` and ``read_bytes`` (MB) of files and pipes since the start of a process; empty where unknown."""
    counts: Any = process.info.io_counters() if hasattr(process.info, "io_counters") else None
    if not hasattr(counts, "read_chars"):
        return {}
    return {"read_calls": float(counts.read_count), "read_bytes": float(counts.read_chars) / 1e6}

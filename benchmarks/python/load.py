"""A server under the load of agents, for a time: what the agents got, and what it cost."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from processes import AgentProcess, Daemon, MeasureError, Process, sleep_until, stop
from processes import answers as answered
from readers import Subscription

#: Agents of one process: what each of them reads.
Readers = tuple[AgentProcess, list[Subscription]]


@dataclass(frozen=True)
class Load:
    """What was measured.

    Attributes:
        seconds: How long.
        agents: Number of agents.
        cpus: Processor time of each server, s.
        answers: What each process of agents measured.
        published: Frames that the servers published: as daemons count them, else as agents saw them.
        allocated: Managed bytes that daemons allocated; None of other servers.
        split: The parts of the way of each frame to the agents of the first process.
    """

    seconds: float
    agents: int
    cpus: list[float]
    answers: list[dict[str, Any]]
    published: int
    allocated: int | None = None
    split: dict[str, list[float]] = field(default_factory=dict)

    @property
    def cpu(self) -> float:
        """Processor time of all servers, s."""
        return sum(self.cpus)

    @cached_property
    def received(self) -> int:
        """Frames that all agents received."""
        return sum(int(each["frames"]) for each in self.answers)

    @cached_property
    def latency(self) -> Any:
        """Published to received of each frame, ms."""
        latency = np.concatenate([np.array(each["latency_us"], dtype=float) for each in self.answers]) / 1000
        if not len(latency):
            raise MeasureError("no frame was received")
        return latency

    @property
    def client_cpu(self) -> float:
        """Processor time of the agents, s."""
        return sum(float(each["cpu_seconds"]) for each in self.answers)

    def mean(self, name: str) -> float:
        """The mean of what all processes answer."""
        return float(np.mean([each[name] for each in self.answers]))

    def check_whole(self) -> None:
        """Raise a MeasureError where an agent did not get every frame."""
        if lost := sum(each["dropped"] + each["gaps"] for each in self.answers):
            raise MeasureError(f"{lost} frames are missing")


def percentile(values: Any, percent: float) -> float:
    """As a number of Python."""
    return float(np.percentile(values, percent))


@contextmanager
def reading(
    servers: Process | Sequence[Process],
    readers: Sequence[Readers],
    *,
    full_speed: bool = False,
    blocking: bool = False,
) -> Iterator[None]:
    """Have agents read from servers: see `measure`. They have had a frame when it begins."""
    daemons = [each for each in _several(servers) if isinstance(each, Daemon)]
    agents = [agent for agent, _ in readers]
    with ExitStack() as stack:
        for daemon in daemons:
            stack.callback(daemon.pause)
            daemon.resume()
            # Who subscribes before the first frame gets a message without one.
            while daemon.status().frames_published == 0:
                time.sleep(0.01)
        stack.callback(stop, agents)
        for agent, subscriptions in readers:
            agent.send_read(subscriptions, blocking=blocking)
        answered(agents)
        for daemon in daemons if full_speed else ():
            stack.callback(daemon.set_rate, 1)
            daemon.set_rate(0)
        yield


def window(
    servers: Process | Sequence[Process],
    readers: Sequence[Readers],
    seconds: float,
    *,
    moment: str = "published",
    split: bool = False,
) -> Load:
    """Measure what agents read that read already: what was ``published`` or ``received`` in that time."""
    agents = [agent for agent, _ in readers]
    start = time.perf_counter_ns() + 30_000_000
    end = start + int(seconds * 1e9)
    for agent in agents:
        agent.send(measure=[start, end, moment])
    before, after = _moment(_several(servers), start), _moment(_several(servers), end)
    answers = answered(agents)
    parts = {}
    if split:
        agents[0].send(split=[start, end, moment])
        parts = agents[0].answer()
    cpu = [late - early for early, late in zip(before[0], after[0], strict=True)]
    published, allocated = after[1] - before[1], after[2] - before[2]
    count = sum(len(subscriptions) for _, subscriptions in readers)
    if not any(isinstance(each, Daemon) for each in _several(servers)):
        published = len({stamp for each in answers for stamp in each["published"]})
        return Load(seconds, count, cpu, answers, published, None, parts)
    return Load(seconds, count, cpu, answers, published, allocated, parts)


def measure(
    servers: Process | Sequence[Process],
    readers: Sequence[Readers],
    seconds: float,
    *,
    settle: float,
    full_speed: bool = False,
    blocking: bool = False,
    split: bool = False,
) -> Load:
    """Have agents read from servers, and measure it.

    Args:
        servers: Where they read; a daemon publishes only as long.
        readers: Who reads.
        seconds: How long it is measured.
        settle: Seconds before that.
        full_speed: Whether a daemon plays at unlimited rate. Frames then wait in queues for longer than the measuring
            takes, so that those count that are received in that time; else those that are published in it.
        blocking: Whether agents read without asyncio.
        split: Whether the parts of each frame's way are wanted.
    """
    moment = "received" if full_speed else "published"
    with reading(servers, readers, full_speed=full_speed, blocking=blocking):
        time.sleep(settle)
        return window(servers, readers, seconds, moment=moment, split=split)


def _several(servers: Process | Sequence[Process]) -> Sequence[Process]:
    return [servers] if isinstance(servers, Process) else servers


def _moment(servers: Sequence[Process], moment: int) -> tuple[list[float], int, int]:
    """Processor time of each server in s, frames published, and bytes allocated at a moment."""
    sleep_until(moment)
    cpu = [server.cpu_seconds() for server in servers]
    status = [server.status() for server in servers if isinstance(server, Daemon)]
    published = sum(each.frames_published for each in status)
    return cpu, published, sum(each.process.allocated_bytes for each in status)

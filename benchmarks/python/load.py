"""A server under the load of agents, for a time: what the agents got, and what it cost."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from processes import AgentProcess, Daemon, MeasureError, Process, sleep_until, stop
from readers import Subscription

QUANTILES = {"p50": 50.0, "p90": 90.0, "p99": 99.0, "max": 100.0}

#: Agents of one process: what they read, and how many of them.
Readers = tuple[AgentProcess, Subscription, int]


@dataclass(frozen=True)
class Load:
    """What was measured.

    Attributes:
        seconds: How long.
        agents: Number of agents.
        cpu: Processor time of the servers, s.
        answers: What each process of agents measured.
        published: Frames that the servers published: as daemons count them, else as agents saw them.
        allocated: Managed bytes that daemons allocated; None where the server is none.
        split: The parts of the way of each frame to the agents of the first process.
    """

    seconds: float
    agents: int
    cpu: float
    answers: list[dict[str, Any]]
    published: int
    allocated: int | None = None
    split: dict[str, list[float]] = field(default_factory=dict)

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
    """Have agents read from servers.

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
    of_all = [servers] if isinstance(servers, Process) else servers
    daemons = [each for each in of_all if isinstance(each, Daemon)]
    agents = [agent for agent, _, _ in readers]
    with ExitStack() as stack:
        for daemon in daemons:
            stack.callback(daemon.pause)
            daemon.resume()
            # Who subscribes before the first frame gets a message without one.
            while daemon.status().frames_published == 0:
                time.sleep(0.01)
        stack.callback(stop, agents)
        for agent, subscription, count in readers:
            agent.send_read(subscription, count, blocking=blocking)
        for agent in agents:
            agent.answer()
        for daemon in daemons if full_speed else ():
            stack.callback(daemon.set_rate, 1)
            daemon.set_rate(0)
        time.sleep(settle)
        start = time.perf_counter_ns() + 30_000_000
        end = start + int(seconds * 1e9)
        window = [start, end, "received" if full_speed else "published"]
        for agent in agents:
            agent.send(measure=window)
        before, after = _moment(of_all, daemons, start), _moment(of_all, daemons, end)
        answers = [agent.answer() for agent in agents]
        parts = {}
        if split:
            agents[0].send(split=window)
            parts = agents[0].answer()
    cpu, published, allocated = (late - early for early, late in zip(before, after, strict=True))
    seen = len({stamp for each in answers for stamp in each["published"]})
    count = sum(count for _, _, count in readers)
    if not daemons:
        return Load(seconds, count, cpu, answers, seen, None, parts)
    return Load(seconds, count, cpu, answers, int(published), int(allocated), parts)


def _moment(servers: Sequence[Process], daemons: Sequence[Daemon], moment: int) -> tuple[float, int, int]:
    """Processor time in s, frames published, and bytes allocated at a moment."""
    sleep_until(moment)
    cpu = sum(server.cpu_seconds() for server in servers)
    status = [daemon.status() for daemon in daemons]
    published = sum(each.frames_published for each in status)
    return cpu, published, sum(each.process.allocated_bytes for each in status)

"""Compares two builds of the daemon over gRPC, in alternation: `python benchmarks/python/two_daemons.py BEFORE AFTER`.

Each round plays the same frames with both, in an order that changes. Reported are the ratios AFTER/BEFORE of each
round: their median, lowest and highest.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import abathur
import grpc
import load
import processes
from abathur.sync.v1 import sync_pb2
from figures import Figures
from pages import Ratio, figure_table, made, page
from processes import AgentProcess, Daemon, Server, share
from readers import Subscription
from runs import arguments, rounds, run

from recordings import SKIRMISH, Frames, make_elite

AGENT_PROCESSES = 4
IDLE_STREAMS = 1000
PUBLISHED_FRAMES = 3000
_SETTLE = 0.6
#: Readers at the tick rate → seconds; None: one reader at full speed. With a hundred, the first seconds of a daemon
#: vary by a fifth.
READERS = {1: 4.5, 10: 4.0, 100: 12.0, None: 2.0}

Values = dict[str, float]


def read(daemon: Daemon, count: int | None, agents: list[AgentProcess], size: str) -> Values:
    """Latency, processor time and rate of readers of protobuf over gRPC."""
    subscription = Subscription("grpc", daemon.address("grpc"), "latest" if count else "every", decode=False)
    readers = share([subscription] * (count or 1), agents)
    seconds = READERS[count]
    found = load.measure(daemon, readers, seconds, settle=_SETTLE, full_speed=count is None)
    name = f"{size}, {count} readers" if count else f"{size}, full speed"
    values = {f"{name}: CPU µs a frame and reader": 1e6 * found.cpu / found.received}
    if count is None:
        return {**values, f"{name}: frames/s": found.received / seconds}
    quantiles = {f"{name}: p{each} ms": load.percentile(found.latency, each) for each in (50, 99)}
    return {**values, **quantiles}


def publish(observation: Any) -> Values:
    """Processor time of the daemon for a frame that a bot publishes over gRPC."""
    request = sync_pb2.PublishRequest(observation=observation).SerializeToString()
    moments: list[float] = []

    def requests() -> Iterator[bytes]:
        # The first part is not counted: code that is new is slow.
        for count in (PUBLISHED_FRAMES // 3, PUBLISHED_FRAMES):
            published = game.status().frames_published + count
            yield from [request] * count
            while game.status().frames_published < published:
                time.sleep(0.01)
            moments.append(daemon.cpu_seconds())

    with Server([processes.DAEMON, "serve", "--ports", "auto", "--stop-with-parent"]) as daemon:
        address = daemon.address("grpc")
        with abathur.connect_blocking(f"grpc://{address}") as game, grpc.insecure_channel(address) as channel:
            channel.stream_unary("/abathur.sync.v1.GameSync/Publish")(requests())
    return {"published frame: CPU µs": 1e6 * (moments[1] - moments[0]) / PUBLISHED_FRAMES}


def idle(daemon: Daemon) -> Values:
    """Memory of streams that are open, and get nothing."""
    before = daemon.info.memory_info().rss
    with ExitStack() as stack:
        for _ in range(4):
            channel = stack.enter_context(
                grpc.insecure_channel(daemon.address("grpc"), [("grpc.use_local_subchannel_pool", 1)])
            )
            subscribe = channel.unary_stream("/abathur.sync.v1.GameSync/Subscribe")
            request = sync_pb2.SubscribeRequest(policy="latest").SerializeToString()
            for _ in range(IDLE_STREAMS // 4):
                stack.callback(subscribe(request).cancel)
        while len(daemon.status().subscribers) < IDLE_STREAMS:
            time.sleep(0.05)
        time.sleep(1)
        return {f"{IDLE_STREAMS} idle streams: MB": (daemon.info.memory_info().rss - before) / 1e6}


def measure(build: Path, sizes: list[Frames], agents: list[AgentProcess], observation: Any) -> Values:
    """Everything, with one build."""
    processes.DAEMON = build
    values: Values = {}
    for frames in sizes:
        with Daemon(frames.recording, *frames.daemon_options()) as daemon:
            values.setdefault("start to ready ms", (daemon.ready_ns - daemon.started_ns) / 1e6)
            read(daemon, 10, agents, frames.name)
            for count in READERS:
                values.update(read(daemon, count, agents, frames.name))
    with Daemon(SKIRMISH, "--start-paused") as daemon:
        values.update(idle(daemon))
    return {**values, **publish(observation)}


def main() -> int:
    """Measure, and print a table."""
    more = {
        "before": {"type": Path, "help": "abathur-sync, or abathur-sync.dll, of the one build"},
        "after": {"type": Path, "help": "and of the other"},
    }
    options = arguments("two_daemons", __doc__, more, rounds=(5, "rounds"))
    names: dict[str, None] = {}

    def measured(figures: Figures) -> None:
        elite = make_elite()
        sizes = [Frames("middle", elite, start=4000 / 22.4, duration=60), Frames.late(elite)]
        with abathur.open(elite) as match:
            observation = next(iter(match.frames(start=9200))).response
        with ExitStack() as stack:
            agents = [stack.enter_context(AgentProcess()) for _ in range(AGENT_PROCESSES)]
            for number in rounds(options.rounds):
                for which in random.Random(number).sample(["before", "after"], 2):
                    for name, value in measure(getattr(options, which), sizes, agents, observation).items():
                        figures.add("", value, which, name)
                        names[name] = None

    def written(figures: Figures) -> str:
        columns = {"before": "before", "after/before": Ratio("after", "before")}
        return page(
            "Two daemons",
            made("two_daemons"),
            figure_table(figures, "figure", {name: (..., name) for name in names}, columns),
        )

    return run(options, measured, written)


if __name__ == "__main__":
    sys.exit(main())

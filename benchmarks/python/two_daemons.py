"""Compares two builds of the daemon over gRPC, in alternation: `python benchmarks/python/two_daemons.py BEFORE AFTER`.

Each round plays the same frames with both, in an order that changes. Reported are the ratios AFTER/BEFORE of each
round: their median, lowest and highest.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import abathur
import grpc
import numpy as np
import processes
from abathur.sync.v1 import sync_pb2
from processes import AgentProcess, Daemon, MeasureError, Server, share, stop
from readers import Subscription

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
    policy, number = ("latest", count) if count else ("every", 1)
    readers = share(number, agents)
    daemon.resume()
    for agent, each in readers:
        agent.send_read(Subscription("grpc", daemon.address("grpc"), policy, decode=False), each)
    for agent, _ in readers:
        agent.answer()
    daemon.set_rate(1 if count else 0)
    time.sleep(_SETTLE)
    start = time.perf_counter_ns() + 30_000_000
    end = start + int(READERS[count] * 1e9)
    for agent, _ in readers:
        agent.send(measure=[start, end, "published" if count else "received"])
    processes.sleep_until(start)
    before = daemon.cpu_seconds()
    processes.sleep_until(end)
    cpu = daemon.cpu_seconds() - before
    answers = [agent.answer() for agent, _ in readers]
    daemon.set_rate(1)
    stop([agent for agent, _ in readers])
    daemon.pause()
    frames = sum(int(answer["frames"]) for answer in answers)
    latency = np.concatenate([np.array(answer["latency_us"], dtype=float) for answer in answers]) / 1000
    if not len(latency):
        raise MeasureError("no frame was received")
    name = f"{size}, {count} readers" if count else f"{size}, full speed"
    values = {f"{name}: CPU µs a frame and reader": 1e6 * cpu / frames}
    if count is None:
        return {**values, f"{name}: frames/s": frames / READERS[count]}
    return {
        **values,
        f"{name}: p50 ms": float(np.percentile(latency, 50)),
        f"{name}: p99 ms": float(np.percentile(latency, 99)),
    }


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
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("before", type=Path, help="abathur-sync, or abathur-sync.dll, of the one build")
    parser.add_argument("after", type=Path, help="and of the other")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    elite = make_elite()
    sizes = [Frames("middle", elite, start=4000 / 22.4, duration=60), Frames.late(elite)]
    with abathur.open(elite) as match:
        observation = next(iter(match.frames(start=9200))).response
    ratios: dict[str, list[float]] = defaultdict(list)
    medians: dict[str, list[float]] = defaultdict(list)
    with ExitStack() as stack:
        agents = [stack.enter_context(AgentProcess()) for _ in range(AGENT_PROCESSES)]
        for number in range(1, options.rounds + 1):
            builds = random.Random(number).sample([options.before, options.after], 2)
            measured = {build: measure(build, sizes, agents, observation) for build in builds}
            for name, value in measured[options.after].items():
                ratios[name].append(value / measured[options.before][name])
                medians[name].append(measured[options.before][name])
            print(f"round {number} of {options.rounds}", file=sys.stderr, flush=True)
    print("| figure | before | after/before | lowest to highest |\n|---|---|---|---|")
    for name, each in ratios.items():
        print(
            f"| {name} | {statistics.median(medians[name]):.2f} | {statistics.median(each):.2f} "
            f"| {min(each):.2f} to {max(each):.2f} |"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

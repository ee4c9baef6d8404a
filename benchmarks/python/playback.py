"""Playback at full speed over gRPC beside a gRPC server that sends ready bytes: `dotnet make.cs bench playback`."""

from __future__ import annotations

import argparse
import datetime
import statistics
import sys
import time
from pathlib import Path

from figures import Figures, machine, table
from processes import BENCHMARKS, AgentProcess, Daemon, Server, sleep_until
from readers import Subscription
from runs import rounds, run

from recordings import LOCAL, make_compact, make_elite

#: Where the largest frames of the match are, in seconds.
START = "400"
_WARM_UP_SECONDS = 5.0
READY = "ready bytes"
PLAYED = "playback"
COMPACT = "playback, compact recording"


def rate(server: Server, seconds: float, figures: Figures, name: str) -> None:
    """Frames a second of a blocking grpcio reader under `every` that decodes nothing, and the processor time."""
    with AgentProcess() as agent:
        agent.send_read(Subscription("grpc", server.address("grpc"), "every", decode=False), 1, blocking=True)
        agent.answer()
        # Until the code is compiled that runs.
        time.sleep(_WARM_UP_SECONDS)
        cpu = server.cpu_seconds()
        start = time.perf_counter_ns()
        end = start + int(seconds * 1e9)
        agent.send(measure=[start, end, "received"])
        sleep_until(end)
        cpu = server.cpu_seconds() - cpu
        frames = int(agent.answer()["frames"])
    figures.add("frames/s", frames / seconds, name, "rate")
    figures.add("µs", cpu / frames * 1e6, name, "cpu")
    print(f"{name}: {frames / seconds:,.0f} frames/s", flush=True)


def measure(elite: Path, compact: Path, seconds: float, figures: Figures) -> None:
    """One round of all servers."""
    with Server([BENCHMARKS, "baseline", elite, "--grpc", "--unlimited", "--start-offset", START]) as baseline:
        rate(baseline, seconds, figures, READY)
    options = ["--start-offset", START, "--loop", "--rate", "unlimited", "--wait-agents", "1"]
    for name, recording in ((PLAYED, elite), (COMPACT, compact)):
        with Daemon(recording, *options) as daemon:
            rate(daemon, seconds, figures, name)


def page(figures: Figures, seconds: float, rounds: int) -> str:
    """The README of the results."""
    about = machine()
    ready = figures.find(READY, "rate")
    assert ready is not None
    rows = []
    for name in (READY, PLAYED, COMPACT):
        figure = figures.find(name, "rate")
        assert figure is not None
        ratios = sorted(each / of for each, of in zip(figure.rounds, ready.rounds, strict=True))
        ratio = f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
        rows.append([name, figures.text(name, "rate"), ratio, figures.text(name, "cpu")])
    return (
        "# Playback at full speed\n\n"
        f"Made by `dotnet make.cs bench playback` on {about['date']}: {about['cpu']}, {about['cores']} cores that run\n"
        f"server and reader together, {about['os']}, Python {about['python']},\n"
        f"grpcio {about['grpcio']}, .NET {about['dotnet']}, commit {about['commit']}.\n\n"
        "One reader (grpcio, blocking, decodes nothing) takes every frame of the generated match `elite`, from its\n"
        f"minute 6:40 on: 148 KB a frame in protobuf. *{READY.capitalize()}*: the same gRPC server sends 300\n"
        "messages from memory, over and over. *Playback*: the daemon reads, decompresses and checks the recording,\n"
        f"and publishes each frame. {_WARM_UP_SECONDS:g} s of warm-up and {seconds:g} s a cell, {rounds} rounds in\n"
        "turns: the median, and the lowest and highest; the ratio is of the same round.\n\n"
        + table(["", "frames/s", "beside ready bytes", "server CPU, µs a frame"], rows)
    )


def main() -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="dotnet make.cs bench playback", description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0, help="seconds a cell (default: 5)")
    parser.add_argument("--rounds", type=int, default=7, help="rounds (default: 7)")
    parser.add_argument(
        "--output", type=Path, default=LOCAL / f"{datetime.date.today()}-playback", help="folder of the results"
    )
    options = parser.parse_args()
    if options.seconds <= 0 or options.rounds < 1:
        parser.error("--seconds and --rounds are positive")

    def measured(figures: Figures) -> str:
        elite = make_elite()
        compact = make_compact(elite)
        for _ in rounds(options.rounds):
            measure(elite, compact, options.seconds, figures)
        return page(figures, options.seconds, options.rounds)

    return run("playback", options.output, measured)


if __name__ == "__main__":
    sys.exit(main())

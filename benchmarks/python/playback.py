"""Playback at full speed over gRPC beside a gRPC server that sends ready bytes: `dotnet make.cs bench playback`."""

from __future__ import annotations

import sys

from figures import Figures
from load import measure
from pages import figure_table, made, page, ratio
from processes import BENCHMARKS, AgentProcess, Daemon, Server
from readers import Subscription
from runs import arguments, rounds, run

from recordings import make_compact, make_elite

#: Where the frames are large, in seconds of the match.
START = "400"
_WARM_UP_SECONDS = 5.0
READY = "ready bytes"
PLAYED = "playback"
COMPACT = "playback, compact recording"


def rate(server: Server, seconds: float, figures: Figures, name: str) -> None:
    """Frames a second of a blocking grpcio reader under `every` that decodes nothing, and the processor time."""
    subscription = Subscription("grpc", server.address("grpc"), "every", decode=False)
    with AgentProcess() as agent:
        # Until the code is compiled that runs.
        readers = [(agent, [subscription])]
        load = measure(server, readers, seconds, settle=_WARM_UP_SECONDS, full_speed=True, blocking=True)
    figures.add("frames/s", load.received / seconds, name, "rate")
    figures.add("µs", load.cpu / load.received * 1e6, name, "cpu")
    print(f"{name}: {load.received / seconds:,.0f} frames/s", flush=True)


def main() -> int:
    """Measure, and write the page."""
    options = arguments("playback", __doc__, seconds=(5.0, "seconds a cell"), rounds=(7, "rounds"))

    def measured(figures: Figures) -> None:
        elite = make_elite()
        played = {PLAYED: elite, COMPACT: make_compact(elite)}
        for _ in rounds(options.rounds):
            with Server([BENCHMARKS, "baseline", elite, "--grpc", "--unlimited", "--start-offset", START]) as baseline:
                rate(baseline, options.seconds, figures, READY)
            for name, recording in played.items():
                with Daemon(recording, "--start-offset", START, "--loop") as daemon:
                    rate(daemon, options.seconds, figures, name)

    def written(figures: Figures) -> str:
        columns = {
            "frames/s": "rate",
            "beside ready bytes": lambda row: ratio(figures, (*row, "rate"), (READY, "rate")),
            "server CPU, µs a frame": "cpu",
        }
        return page(
            "Playback at full speed",
            made("playback"),
            "One reader (grpcio, blocking, decodes nothing) takes every frame of the generated match `elite`, from "
            "its minute 6:40 on: 148 KB a frame in protobuf. *Ready bytes*: the same gRPC server sends 300 messages "
            "from memory, over and over. *Playback*: the daemon reads, decompresses and checks the recording, and "
            f"publishes each frame. {_WARM_UP_SECONDS:g} s of warm-up and {options.seconds:g} s a cell, "
            f"{options.rounds} rounds in turns: the median, and the lowest and highest; the ratio is of the same "
            "round.",
            figure_table(figures, "", {name: (name,) for name in (READY, PLAYED, COMPACT)}, columns),
        )

    return run(options, measured, written)


if __name__ == "__main__":
    sys.exit(main())

"""The memory of the history, and what reading it costs another reader: `dotnet make.cs bench history`."""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from figures import Figures, machine, table
from processes import Daemon, MeasureError, Process, sleep_until
from runs import rounds, run

from recordings import LOCAL, make_elite

_SETTLE_SECONDS = 2.0
#: Frames that are kept before the reading is measured: 3.7 minutes of the match, up to 150 KB each.
KEPT = 5000
#: Multiple of the tick rate until then.
FAST = 20.0
#: Where the frames begin that are kept, in seconds of the match: what is measured must end before the match does.
START = 250.0
STREAM = {"policy": "every", "encoding": "columns", "compression": "zstd_stream"}
PROTO = {"policy": "every", "encoding": "proto"}
#: What is read beside the reference reader, and at most how many frames a second (0: any number).
READERS = {
    "columns, zstd-stream, 5,000/s": (STREAM, 5000),
    "columns, zstd-stream": (STREAM, 0),
    "proto, 1,000/s": (PROTO, 1000),
    "proto, 5,000/s": (PROTO, 5000),
    "proto": (PROTO, 0),
}
_QUANTILES = {"p50": 50.0, "p99": 99.0}


def memory(recording: Path, figures: Figures) -> None:
    """Working set at the end of the whole match, with and without history."""
    for megabytes in (0, 64):
        with Daemon(recording, "--rate", str(FAST), "--history-mb", str(megabytes)) as daemon:
            last = daemon.status().playback.last_game_loop
            while daemon.status().playback.game_loop < last - 200:
                time.sleep(0.01)
            daemon.pause()
            time.sleep(_SETTLE_SECONDS)
            status = daemon.status()
            figures.add("MB", status.process.working_set_bytes / 1e6, "memory", str(megabytes))
            if megabytes:
                figures.add("bytes a frame", status.history.bytes / status.history.frames, "kept", "size")
                figures.add("frames", status.history.frames, "kept", "frames")


def latency(daemon: Daemon, seconds: float, reader: tuple[dict[str, str], int] | None) -> tuple[np.ndarray, float]:
    """Published to received of a reference reader, in ns, and frames a second of a reader of the history."""
    here = Path(__file__).parent
    with ExitStack() as stack:
        address = daemon.address("socket")
        program = [sys.executable, here / "churn_reference.py", f"socket://{address}"]
        reference = stack.enter_context(Process(program))
        reference.read_line()
        other = None
        if reader is not None:
            subscribe, rate = reader
            options = [json.dumps(subscribe), str(KEPT), str(rate)]
            other = stack.enter_context(Process([sys.executable, here / "history_reader.py", address, *options]))
            other.read_line()
        start = time.perf_counter_ns() + int(_SETTLE_SECONDS * 1e9)
        end = start + int(seconds * 1e9)
        sleep_until(end)
        read_rate = 0.0
        if other is not None:
            other.write_line("stop")
            read = json.loads(other.read_line())
            read_rate = read["frames"] / read["seconds"]
        reference.write_line("stop")
        answer = json.loads(reference.read_line())
    if answer["error"]:
        raise MeasureError(f"the reference reader: {answer['error']}")
    published = np.array(answer["published"])
    return np.array(answer["latency"])[(start <= published) & (published < end)], read_rate


def reading(recording: Path, figures: Figures, seconds: float) -> None:
    """One round: the reference reader alone, and beside each reader of the history."""
    with Daemon(recording, "--start-offset", str(START), "--rate", str(FAST), "--loop") as daemon:
        while daemon.status().history.frames < KEPT:
            time.sleep(0.01)
        daemon.set_rate(1)
        for name, reader in {"alone": None, **READERS}.items():
            measured, rate = latency(daemon, seconds, reader)
            for quantile, percent in _QUANTILES.items():
                figures.add("ms", float(np.percentile(measured, percent)) / 1e6, name, quantile)
            if reader is not None:
                figures.add("frames/s", rate, name, "rate")
            print(f"{name}: p99 {np.percentile(measured, 99) / 1e6:.2f} ms, {rate:,.0f} frames/s", flush=True)


def page(figures: Figures, seconds: float, rounds: int) -> str:
    """The README of the results."""
    about = machine()
    rows = [
        [
            name,
            figures.text(name, "rate"),
            *(figures.text(name, quantile) for quantile in _QUANTILES),
            ratio(figures, name),
        ]
        for name in ("alone", *READERS)
    ]
    return (
        "# The history of a match\n\n"
        f"Made by `dotnet make.cs bench history` on {about['date']}: {about['cpu']}, {about['cores']} cores that run\n"
        f"daemon and readers together, {about['os']}, Python {about['python']},\n"
        f".NET {about['dotnet']}, commit {about['commit']}.\n\n"
        "## Memory\n\n"
        f"The generated match `elite` (16,860 frames of 134 to 169 KB) is played at {FAST:g} times the tick rate; the\n"
        "working set of the daemon near its end, in MB.\n\n"
        + table(
            ["", "MB"],
            [
                ["without history (`--history-mb 0`)", figures.text("memory", "0")],
                ["with history (`--history-mb 64`)", figures.text("memory", "64")],
            ],
        )
        + f"\nFrames kept: {figures.text('kept', 'frames')}, of {figures.text('kept', 'size')} bytes each.\n\n"
        "## Reading it beside another reader\n\n"
        f"The daemon keeps {KEPT} frames and more and publishes at 22.4 Hz to a reference reader under `every` on\n"
        f"the socket (protobuf). Another process reads {KEPT} kept frames over and over without decoding them, at\n"
        "most the named number a second. Three programs share the cores; the other process has the lowest priority,\n"
        "because what the daemon does for it is measured, not what it does itself.\n"
        f"{seconds:g} s a cell, {rounds} rounds: the median, and the lowest and highest. Published to received, ms:\n\n"
        + table(["reader of the history", "frames/s", "p50", "p99", "p99 / alone"], rows)
    )


def ratio(figures: Figures, name: str) -> str:
    """How many times the p99 of the reference reader alone."""
    figure, of = figures.find(name, "p99"), figures.find("alone", "p99")
    return f"{figure.median / of.median:.2f}" if figure and of else "-"


def main() -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="dotnet make.cs bench history", description=__doc__)
    parser.add_argument("--seconds", type=float, default=30.0, help="seconds a cell (default: 30)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds (default: 3)")
    parser.add_argument(
        "--output", type=Path, default=LOCAL / f"{datetime.date.today()}-history", help="folder of the results"
    )
    options = parser.parse_args()
    if options.seconds <= 0 or options.rounds < 1:
        parser.error("--seconds and --rounds are positive")

    def measured(figures: Figures) -> str:
        recording = make_elite()
        for _ in rounds(options.rounds):
            memory(recording, figures)
            reading(recording, figures, options.seconds)
        return page(figures, options.seconds, options.rounds)

    return run("history", options.output, measured)


if __name__ == "__main__":
    sys.exit(main())

"""The memory of the history, and what reading it costs another reader: `dotnet make.cs bench history`."""

from __future__ import annotations

import json
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import load
import numpy as np
from figures import Figures
from load import percentile
from pages import figure_table, made, page, ratio, section
from processes import AgentProcess, Daemon, Process
from readers import Subscription
from runs import arguments, rounds, run

from recordings import make_elite

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
    address = daemon.address("socket")
    with ExitStack() as stack:
        readers = [(stack.enter_context(AgentProcess()), [Subscription("socket", address, "every")])]
        stack.enter_context(load.reading(daemon, readers, blocking=True))
        other = None
        if reader is not None:
            program = Path(__file__).with_name("history_reader.py")
            options = [json.dumps(reader[0]), str(KEPT), str(reader[1])]
            other = stack.enter_context(Process([sys.executable, program, address, *options]))
            other.read_line()
        time.sleep(_SETTLE_SECONDS)
        measured = load.window(daemon, readers, seconds)
        measured.check_whole()
        rate = 0.0
        if other is not None:
            other.write_line("stop")
            read = json.loads(other.read_line())
            rate = read["frames"] / read["seconds"]
    return measured.latency * 1e6, rate


def reading(recording: Path, figures: Figures, seconds: float) -> None:
    """One round: the reference reader alone, and beside each reader of the history."""
    with Daemon(recording, "--start-offset", str(START), "--rate", str(FAST), "--loop") as daemon:
        while daemon.status().history.frames < KEPT:
            time.sleep(0.01)
        daemon.set_rate(1)
        for name, reader in {"alone": None, **READERS}.items():
            measured, rate = latency(daemon, seconds, reader)
            for quantile in (50, 99):
                figures.add("ms", percentile(measured, quantile) / 1e6, name, f"p{quantile}")
            if reader is not None:
                figures.add("frames/s", rate, name, "rate")
            print(f"{name}: p99 {figures.text(name, 'p99')} ms, {rate:,.0f} frames/s", flush=True)


def main() -> int:
    """Measure, and write the page."""
    options = arguments("history", __doc__, seconds=(30.0, "seconds a cell"), rounds=(3, "rounds"))

    def measured(figures: Figures) -> None:
        recording = make_elite()
        for _ in rounds(options.rounds):
            memory(recording, figures)
            reading(recording, figures, options.seconds)

    def written(figures: Figures) -> str:
        kept = {
            "without history (`--history-mb 0`)": ("memory", "0"),
            "with history (`--history-mb 64`)": ("memory", "64"),
        }
        columns = {
            "frames/s": "rate",
            "p50": "p50",
            "p99": "p99",
            "p99 / alone": lambda row: ratio(figures, (*row, "p99"), ("alone", "p99")),
        }
        return page(
            "The history of a match",
            made("history"),
            section(
                "Memory",
                f"The generated match `elite` (16,860 frames of 134 to 169 KB) is played at {FAST:g} times the tick "
                "rate; the working set of the daemon near its end, in MB.",
                figure_table(figures, "", kept, {"MB": ()}),
                f"Frames kept: {figures.text('kept', 'frames')}, of {figures.text('kept', 'size')} bytes each.",
            ),
            section(
                "Reading it beside another reader",
                f"The daemon keeps {KEPT} frames and more and publishes at 22.4 Hz to a reference reader under "
                f"`every` on the socket (protobuf). Another process reads {KEPT} kept frames over and over without "
                "decoding them, at most the named number a second. Three programs share the cores; the other "
                "process has the lowest priority, because what the daemon does for it is measured, not what it does "
                f"itself. {options.seconds:g} s a cell, {options.rounds} rounds: the median, and the lowest and "
                "highest. Published to received, ms; ratios are of the same round:",
                figure_table(
                    figures, "reader of the history", {name: (name,) for name in ("alone", *READERS)}, columns
                ),
            ),
        )

    return run(options, measured, written)


if __name__ == "__main__":
    sys.exit(main())

"""Every number of the match runs as one table: results.csv."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from report.results import Run

_HEAD = (
    "recording", "language", "codec", "operation", "frames", "rounds",
    "trimmed_mean_ns", "round_least_ns", "round_most_ns", "min_ns", "p50_ns", "p90_ns", "p99_ns", "p99_9_ns", "max_ns",
    "bytes_min", "bytes_mean", "bytes_max", "allocated_bytes", "peak_memory_bytes",
)  # fmt: skip


def write(runs: Sequence[Run], path: Path) -> None:
    """A row per recording, language, codec and operation."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(_HEAD)
        for run in runs:
            for codec in run.codecs.values():
                for operation, timing in codec.times.items():
                    head = (run.recording, run.language, codec.name, operation, codec.frames, run.rounds)
                    times = (timing.trimmed_mean, min(timing.rounds), max(timing.rounds), timing.least, timing.p50)
                    tail = (timing.p90, timing.p99, timing.p99_9, timing.most)
                    sizes = codec.bytes or ("", "", "")
                    table.writerow([*head, *times, *tail, *sizes, codec.allocated, codec.peak])

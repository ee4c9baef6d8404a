"""The figures of a report by name, with their spread: `figures.json`, to which README and docs refer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from report import wire
from report.results import Run, Timing

_TIMES = {"encode": "encode_ms", "decode": "decode_ms"}
_WIRE = {"received_us": ("p50", "p99"), "total_us": ("p50",)}

Figure = dict[str, float]
"""`value`, and `low` and `high`: least and most of the rounds."""


def collect(runs: Sequence[Run], end_to_end: dict[str, Any] | None) -> dict[str, Figure]:
    """Figures by name: ``odyssey-zvp-full/python/columns/ready_ms``, ``wire/gRPC/22.4/1/received_p50_ms``."""
    found = {name: figure for run in runs for name, figure in _of_run(run)}
    for case in wire.read(end_to_end):
        found.update(_of_case(case))
    return found


def write(
    runs: Sequence[Run], end_to_end: dict[str, Any] | None, path: Path, others: Mapping[str, Figure] | None = None
) -> None:
    """Write the file, a figure a line; with those of other benchmarks."""
    every = {**collect(runs, end_to_end), **(others or {})}
    lines = [f"{json.dumps(name)}: {json.dumps(figure)}" for name, figure in every.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _of_run(run: Run) -> Iterator[tuple[str, Figure]]:
    for codec in run.codecs.values():
        if codec.error or codec.mean_bytes is None:
            continue
        head = f"{run.recording}/{run.language}/{codec.name}"
        yield f"{head}/bytes", _figure([codec.mean_bytes])
        times: dict[str, Timing | None] = {name: codec.times.get(each) for each, name in _TIMES.items()}
        for name, timing in {**times, "ready_ms": codec.ready()}.items():
            if timing is not None:
                rounds = [each / 1e6 for each in timing.rounds]
                yield f"{head}/{name}", _figure(rounds, timing.trimmed_mean / 1e6)


def _of_case(case: wire.Case) -> Iterator[tuple[str, Figure]]:
    head = f"wire/{case.transport}/{case.rate}/{case.agents}"
    for group, names in _WIRE.items():
        for name in names:
            if values := [each / 1e3 for each in case.values(group, name)]:
                median = case.median(group, name)
                yield f"{head}/{group.removesuffix('_us')}_{name}_ms", _figure(values, (median or 0) / 1e3)
    if values := case.values("frames_per_second"):
        yield f"{head}/frames_per_second", _figure(values, case.median("frames_per_second"))
    if values := case.values("bytes"):
        yield f"{head}/bytes", _figure(values)


def _figure(values: Sequence[float], value: float | None = None) -> Figure:
    return {"value": values[0] if value is None else value, "low": min(values), "high": max(values)}

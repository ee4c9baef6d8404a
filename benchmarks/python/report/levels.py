"""Complexity levels: one observation of each, from a unit to feature layers."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from report.results import Codec, Run
from report.text import number, size, table


def table_of(runs: Sequence[Run]) -> str:
    """ns, B and allocations per operation by level; empty where no run has levels."""
    found = next((run for run in runs if run.levels), None)
    if found is None:
        return ""
    head = ["codec, operation", *(escape(f"{name}: {_size(codecs)}") for name, codecs in found.levels.items())]
    names = dict.fromkeys(name for codecs in found.levels.values() for name in codecs)
    rows = []
    for name in names:
        for operation, index in (("encode", 0), ("decode", 1)):
            cells = [_cell(codecs.get(name), operation, index) for codecs in found.levels.values()]
            if any(each != "–" for each in cells):
                rows.append([f"{escape(name)}, {operation}", *cells])
    caption = "ns per operation (allocations), by level; all levels are simulated"
    return f"<details><summary>Complexity levels</summary>{table(head, rows, caption)}</details>"


def _size(codecs: dict[str, Codec]) -> str:
    return size(max((codec.mean_bytes or 0 for name, codec in codecs.items() if name == "protobuf"), default=None))


def _cell(codec: Codec | None, operation: str, index: int) -> str:
    if codec is None or codec.error or operation not in codec.times:
        return "–"
    text = number(codec.times[operation].trimmed_mean)
    count = codec.allocations[index]
    return text if count is None else f"{text} ({number(count)})"

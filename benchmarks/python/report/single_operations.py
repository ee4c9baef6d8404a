"""BenchmarkDotNet's own reports, taken over as they are."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from html import escape
from pathlib import Path

from report.text import table

_COLUMNS = ("Method", "Categories", "Observation", "Codec", "Mean", "Error", "StdDev", "Median", "Ratio", "Allocated")


@dataclass(frozen=True)
class SingleOperations:
    """Tables by the name of their file."""

    tables: dict[str, list[dict[str, str]]]

    def html(self) -> str:
        """Every table with the columns that say something."""
        parts = [
            '<p class="note">One frame over and over, warm, by BenchmarkDotNet: what an operation costs at its best. '
            "Error is half of its 99.9 % confidence interval. Its own reports lie beside this page.</p>"
        ]
        for name, rows in self.tables.items():
            columns = [each for each in _COLUMNS if any(row.get(each) for row in rows)]
            # Of the columns before the times, BenchmarkDotNet's settings are the same in every row.
            others = [each for each in rows[0] if each not in _COLUMNS and len({row[each] for row in rows}) > 1]
            others = [each for each in others if not each.startswith("Gen")]
            head = [*columns[:1], *others, *columns[1:]]
            cells = [[escape(row.get(column) or "–") for column in head] for row in rows]
            parts.append(table([escape(each) for each in head], cells, name))
        return "".join(parts)


def read(folder: Path) -> SingleOperations | None:
    """The reports in a folder of BenchmarkDotNet's results (``*-report.csv``); None if there are none."""
    found: dict[str, list[dict[str, str]]] = {}
    for path in sorted(folder.glob("*-report.csv")):
        with path.open(encoding="utf-8-sig", newline="") as file:
            text = file.read()
        delimiter = ";" if ";" in text.partition("\n")[0] else ","
        rows = list(csv.DictReader(text.splitlines(), delimiter=delimiter))
        if rows:
            found[path.name.removesuffix("-report.csv")] = rows
    return SingleOperations(found) if found else None

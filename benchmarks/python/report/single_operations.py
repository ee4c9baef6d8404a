"""BenchmarkDotNet's own reports, taken over as they are."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from html import escape
from pathlib import Path

from report.text import share, table

_COLUMNS = ("Method", "Level", "Codec", "Mean", "Error", "StdDev", "Median", "Ratio", "Allocated")

_MOST_ERROR = 0.05
#: Objects of this size, all in one operation, bring collections.
_LARGE_BYTES = 32 * 1024.0


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
            # Rows of several runs may have different ones.
            others = [each for each in rows[0] if each not in _COLUMNS and len({row.get(each) for row in rows}) > 1]
            others = [each for each in others if not each.startswith("Gen")]
            head = [*columns[:1], *others, *columns[1:]]
            cells = [[*(escape(row.get(column) or "–") for column in head), escape(_error(row))] for row in rows]
            parts.append(table([*(escape(each) for each in head), "error / mean"], cells, name))
        return "".join(parts)


def _error(row: dict[str, str]) -> str:
    """The error as a share of the mean; where it is large, why."""
    mean, error = _ns(row.get("Mean")), _ns(row.get("Error"))
    if mean is None or error is None:
        return "–"
    part = share(error / mean)
    if error / mean < _MOST_ERROR:
        return part
    if (_bytes(row.get("Allocated")) or 0) >= _LARGE_BYTES:
        return f"{part}: it allocates {row['Allocated']}, and collections fall into some iterations only"
    return f"{part}: its iterations differ by {row.get('StdDev', '–')}, on a machine that others share"


def _ns(text: str | None) -> float | None:
    """A time of BenchmarkDotNet: ``12.3 μs``."""
    return _number(text, {"ns": 1.0, "us": 1e3, "μs": 1e3, "ms": 1e6, "s": 1e9})


def _bytes(text: str | None) -> float | None:
    return _number(text, {"B": 1.0, "KB": 1024.0, "MB": 1024.0**2})


def _number(text: str | None, units: dict[str, float]) -> float | None:
    number, _, unit = (text or "").partition(" ")
    try:
        return float(number.replace(",", "")) * units[unit]
    except (KeyError, ValueError):
        return None


def read(folder: Path) -> SingleOperations | None:
    """The reports in a folder of BenchmarkDotNet's results (``*-report.csv``), a table of each kind; None without."""
    found: dict[str, list[dict[str, str]]] = {}
    for path in sorted(folder.rglob("*-report.csv")):
        with path.open(encoding="utf-8-sig", newline="") as file:
            text = file.read()
        delimiter = ";" if ";" in text.partition("\n")[0] else ","
        rows = list(csv.DictReader(text.splitlines(), delimiter=delimiter))
        if rows:
            found.setdefault(path.name.removesuffix("-report.csv"), []).extend(rows)
    return SingleOperations(found) if found else None

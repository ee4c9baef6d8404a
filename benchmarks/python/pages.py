"""Pages of results: how they were made, and tables of figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from figures import Figures, machine, paragraph, table

#: The key of a figure, or a part of it. `...` in the key of a row is where the part of a column goes; else at the end.
Key: TypeAlias = tuple[Any, ...]


class Ratio(NamedTuple):
    """A column of ratios: of the figures of two other columns, round by round."""

    above: Any
    below: Any


def made(command: str, **versions: str) -> str:
    """On what the results were measured."""
    on = machine()
    names = {"Python": "python", "protobuf": "protobuf", "grpcio": "grpcio", ".NET": "dotnet"}
    used = [*(f"{name} {on[key]}" for name, key in names.items()), *map(" ".join, versions.items())]
    return (
        f"Made by `dotnet make.cs bench {command}` on {on['date']}: {on['cpu']}, {on['cores']} cores that run all "
        f"programs, load {on['load']} at the end, {on['os']}, {', '.join(used)}, commit {on['commit']}."
    )


def page(title: str, *parts: str) -> str:
    """A page: its title, paragraphs, which are wrapped, tables and sections, with a line between them."""
    return _joined(f"# {title}\n", *parts)


def section(title: str, *parts: str) -> str:
    """A part of a page: its title, paragraphs and tables."""
    return _joined(f"## {title}\n", *parts)


def _joined(*parts: str) -> str:
    return "\n".join(part if part.startswith(("|", "#")) else paragraph(part) for part in parts if part)


def figure_table(
    figures: Figures, first: str, rows: Mapping[str, Key], columns: Mapping[str, Any], *, measured: bool = False
) -> str:
    """A table of figures: the median of the rounds, and the lowest and highest.

    Args:
        figures: What was measured.
        first: Head of the first column.
        rows: Keys by the name of the row.
        columns: By its head, what a column adds to the key of a row: a tuple, one part, or a `Ratio` of two of them;
            or a function that makes the cell of the key of a row.
        measured: Whether rows without any figure are omitted.
    """
    lines = []
    for name, row in rows.items():
        cells = [_cell(figures, row, column) for column in columns.values()]
        if not measured or set(cells) != {"-"}:
            lines.append([name, *cells])
    return table([first, *columns], lines)


def ratio(figures: Figures, above: Key, below: Key) -> str:
    """How many times as much one figure is as another, of the same rounds; "-" where one was not measured in all."""
    counts = {len(found.rounds) if (found := figures.find(*key)) else 0 for key in (above, below)}
    return figures.ratio(above, below) if len(counts) == 1 else "-"


def _cell(figures: Figures, row: Key, column: Any) -> str:
    if callable(column):
        return str(column(row))
    if isinstance(column, Ratio):
        return ratio(figures, _key(row, column.above), _key(row, column.below))
    return figures.text(*_key(row, column))


def _key(row: Key, column: Any) -> Key:
    part = column if isinstance(column, tuple) else (column,)
    at = row.index(...) if ... in row else len(row)
    return (*row[:at], *part, *row[at + 1 :])

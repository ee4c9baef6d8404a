"""A table that fits into any terminal: columns are omitted, never cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from abathur._values.printable import printable

#: Between two columns: a space on the right of each, and the divider.
_GAP = 2


@dataclass(frozen=True)
class Column:
    """A column of a `FittingTable`.

    Attributes:
        heading: Its heading.
        cells: One for each row.
        keep: The higher, the longer it stays as the terminal gets narrower.
        is_text: Whether it is aligned to the left.
        note: What the caption says about it; columns can share a note.
    """

    heading: str
    cells: Sequence[str | Text]
    keep: int
    is_text: bool = False
    note: str = ""

    @property
    def width(self) -> int:
        """Terminal cells of its widest line."""
        return max(_plain(cell).cell_len for cell in (self.heading, *self.cells))


class FittingTable:
    """A table with as many of its columns as fit into the width where it is drawn. Its lines never wrap.

    The column with the highest `keep` is always there. Its cells are cut when it is alone and still too wide: at the
    front, because the end of an address tells more.
    """

    def __init__(self, title: str, columns: Sequence[Column], hint: str = "") -> None:
        """See the class.

        Args:
            title: A line above it.
            columns: From left to right.
            hint: The end of the caption, omitted before anything else.
        """
        self._title = title
        self._columns = columns
        self._hint = hint

    def fitting(self, width: int) -> list[Column]:
        """The columns that are shown at a width. Those with the same `keep` are omitted together."""
        kept = list(self._columns)
        for keep in sorted({column.keep for column in kept})[:-1]:
            if _width_of(kept) <= width:
                break
            kept = [column for column in kept if column.keep > keep]
        return kept

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The title, the table, and a caption about the columns that are shown."""
        width = options.max_width
        columns = self.fitting(width)
        table = Table(box=box.SIMPLE_HEAD, padding=(0, _GAP - 1, 0, 0), pad_edge=False, show_edge=False)
        for column in columns:
            table.add_column(column.heading, justify="left" if column.is_text else "right", no_wrap=True)
        for row in zip(*(column.cells for column in columns), strict=True):
            cells = [_plain(cell) for cell in row]
            table.add_row(*(cell if len(columns) > 1 else Text(_cut(cell.plain, width)) for cell in cells))
        yield Text(_cut(printable(self._title), width), style="bold")
        yield table
        notes = list(dict.fromkeys(column.note for column in columns if column.note))
        caption = _longest([*notes, self._hint] if self._hint else notes, width)
        if caption:
            yield Text(printable(caption), style="dim italic")


def _width_of(columns: Sequence[Column]) -> int:
    return sum(column.width + _GAP for column in columns) - _GAP


def _plain(cell: str | Text) -> Text:
    """The cell as it is: a label may have brackets, which are no markup, and control characters."""
    return Text(printable(cell)) if isinstance(cell, str) else cell


def _longest(parts: Iterable[str], width: int) -> str:
    """As many of the parts as fit, from the first on."""
    text = ""
    for part in parts:
        longer = f"{text}; {part}" if text else part
        if len(longer) > width:
            break
        text = longer
    return text


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"…{text[len(text) - width + 1 :]}"

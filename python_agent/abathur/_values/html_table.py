"""Tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from abathur._values.printable import printable


def table(title: str, names: Sequence[str], rows: Iterable[Sequence[object]], end: str = "") -> str:
    """A table in HTML. All text is escaped, because others have named maps and players.

    Args:
        title: Above it.
        names: Of the columns; none: the first cell of each row is the name of the row.
        rows: The cells.
        end: Below it; empty: nothing.
    """
    parts = [f"<table><caption>{_text(title)}</caption>"]
    if names:
        parts.append(f"<thead><tr>{''.join(f'<th>{_text(name)}</th>' for name in names)}</tr></thead>")
    parts.append("<tbody>")
    for row in rows:
        cells = [f"<td>{_text(cell)}</td>" for cell in row]
        if not names:
            cells[0] = f"<th>{_text(row[0])}</th>"
        parts.append(f"<tr>{''.join(cells)}</tr>")
    parts.append("</tbody></table>")
    if end:
        parts.append(f"<p>{_text(end)}</p>")
    return "".join(parts)


def _text(value: object) -> str:
    return escape(printable(str(value)))

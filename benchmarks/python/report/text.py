"""Numbers as people read them: three digits, units, and the spread beside them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

TICK_NS = 1e9 / 22.4
"""One game loop at "faster": 44.6 ms."""


def number(value: float) -> str:
    """Three digits: ``0.0571``, ``2.34``, ``56.1``, ``1,234``."""
    size = abs(value)
    if size >= 100 or value == 0:
        return f"{value:,.0f}"
    if size >= 10:
        return f"{value:.1f}"
    if size >= 1:
        return f"{value:.2f}"
    return f"{value:.3f}" if size >= 0.1 else f"{value:.3g}" if size < 0.01 else f"{value:.4f}"


def tick(value: float) -> str:
    """A number at an axis: ``0.3``, ``5``, ``1,000``."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def milliseconds(ns: float | None) -> str:
    """Nanoseconds in ms; "–" for None."""
    return "–" if ns is None else number(ns / 1e6)


def spread(values: Sequence[float], scale: float = 1.0) -> str:
    """Least to most of the rounds: ``0.51–0.55``; one value: ``1 round``."""
    if len(values) < 2:
        return "1 round"
    return f"{number(min(values) * scale)}–{number(max(values) * scale)}"


def kilobytes(size: float | None) -> str:
    """Bytes in KB of 1000."""
    return "–" if size is None else number(size / 1e3)


def mbit_per_second(size: float, hz: float) -> float:
    """Mbit/s of frames of that many bytes at a frequency."""
    return size * 8 * hz / 1e6


def link(bits_per_second: float) -> str:
    """A link's speed: ``24.5 Mbit/s``, ``2.1 Gbit/s``."""
    if bits_per_second >= 1e9:
        return f"{number(bits_per_second / 1e9)} Gbit/s"
    return f"{number(bits_per_second / 1e6)} Mbit/s"


def share(part: float) -> str:
    """A part as percent."""
    return f"{number(part * 100)} %"


def size(count: float | None) -> str:
    """Bytes with their unit: ``651 B``, ``12.3 KB``, ``1.55 MB`` (of 1000); "–" for None."""
    if count is None:
        return "–"
    if count < 1000:
        return f"{count:.0f} B"
    return f"{number(count / 1e3)} KB" if count < 1e6 else f"{number(count / 1e6)} MB"


def note(text: str) -> str:
    """A paragraph in small type."""
    return f'<p class="note">{escape(text)}</p>'


def table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "", style: str = "") -> str:
    """An HTML table in a box that scrolls sideways. Cells are HTML already; the first column is a heading."""
    heads = "".join(f'<th scope="col">{each}</th>' for each in head)
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td>{cell}</td>" for cell in row[1:])}</tr>' for row in rows
    )
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    inner = f"{title}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="scroll{" " + style if style else ""}" tabindex="0"><table>{inner}</table></div>'

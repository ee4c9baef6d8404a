"""Charts as inline SVG: axes, marks, and labels that keep out of each other's way. Colours are CSS variables."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

_LINE = 12.5
_CHAR = 6.5
#: Where a label may stand beside its mark, the best first.
_PLACES = (
    (8, 4, "start"), (-8, 4, "end"), (0, -9, "middle"), (0, 17, "middle"), (8, -8, "start"), (8, 16, "start"),
    (-8, -8, "end"), (-8, 16, "end"), (9, -10, "end"), (9, 19, "end"), (9, -22, "end"), (9, 31, "end"),
    (0, -21, "middle"), (0, 29, "middle"), (14, -19, "start"), (14, 27, "start"),
)  # fmt: skip


def label_room(names: Sequence[str]) -> float:
    """Width that labels beside the last point of a line need."""
    return 16 + 7 * max((len(each) for each in names), default=0)


@dataclass(frozen=True)
class Axis:
    """Maps values to pixels. `ticks` are (value, label)."""

    low: float
    high: float
    start: float
    end: float
    ticks: Sequence[tuple[float, str]]
    scale: Callable[[float], float] = float

    def at(self, value: float) -> float:
        """Pixel of a value; what is outside sits on the edge."""
        low, high = self.scale(self.low), self.scale(self.high)
        part = (self.scale(min(max(value, self.low), self.high)) - low) / (high - low or 1)
        return self.start + part * (self.end - self.start)


def log_axis(
    values: Sequence[float], start: float, end: float, label: Callable[[float], str], pad: float = 1.15
) -> Axis:
    """A logarithmic axis around the values, with ticks at 1, 2 and 5 where there is room for them."""
    positive = [each for each in values if each > 0] or [1.0]
    low, high = min(positive) / pad, max(positive) * pad
    decades = math.log10(high / low)
    steps = (1, 2, 5) if decades < 2 else (1, 3) if decades < 3 else (1,)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    ticks = [step * 10.0**power for power in range(first, last + 1) for step in steps]
    return Axis(low, high, start, end, [(each, label(each)) for each in ticks if low <= each <= high], math.log10)


@dataclass
class Canvas:
    """What is drawn so far, in a view of `width` by `height`."""

    width: float
    height: float
    title: str
    parts: list[str] = field(default_factory=list)
    _boxes: list[tuple[float, float, float, float]] = field(default_factory=list)

    def text(self, x: float, y: float, text: str, style: str = "", anchor: str = "start") -> None:
        """Text with its baseline at y."""
        attributes = f' class="{style}"' if style else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{attributes}>{escape(text)}</text>')

    def line(self, x1: float, y1: float, x2: float, y2: float, style: str) -> None:
        """A straight line."""
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{style}"/>')

    def path(self, points: Sequence[tuple[float, float]], style: str, tip: str) -> None:
        """A line through points, with a tooltip."""
        ends = " ".join(f"{'L' if index else 'M'}{x:.1f} {y:.1f}" for index, (x, y) in enumerate(points))
        self.parts.append(f'<path d="{ends}" class="line {style}"><title>{escape(tip)}</title></path>')

    def rect(self, x: float, y: float, width: float, height: float, style: str, tip: str) -> None:
        """A bar, with a tooltip."""
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.5):.1f}" height="{height:.1f}" class="bar {style}">'
            f"<title>{escape(tip)}</title></rect>"
        )

    def mark(self, x: float, y: float, style: str, tip: str, radius: float = 5) -> None:
        """A round mark, with a tooltip."""
        self.parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" class="mark {style}"><title>{escape(tip)}</title></circle>'
        )
        self._boxes.append((x - radius, y - radius, x + radius, y + radius))

    def axes(self, x: Axis, y: Axis, x_name: str, y_name: str) -> None:
        """Grid lines, tick labels and the names of both axes."""
        used = -math.inf
        for value, label in x.ticks:
            at = x.at(value)
            self.line(at, y.start, at, y.end, "grid")
            half = len(label) * _CHAR / 2
            if at - half > used:
                self.text(at, y.start + 16, label, "tick", "middle")
                used = at + half + 4
        used = math.inf
        for value, label in y.ticks:
            at = y.at(value)
            self.line(x.start, at, x.end, at, "grid")
            if at < used - 13:
                self.text(x.start - 6, at + 4, label, "tick", "end")
                used = at
        self.text((x.start + x.end) / 2, y.start + 33, x_name, "name", "middle")
        self.text(2, 13, y_name, "name")

    def label_near(self, x: float, y: float, text: str, style: str) -> bool:
        """Text beside a mark if it covers nothing; else omitted, because the tooltip has it."""
        width = len(text) * _CHAR
        for dx, dy, anchor in _PLACES:
            left = x + dx - (0 if anchor == "start" else width if anchor == "end" else width / 2)
            box = (left, y + dy - 10, left + width, y + dy + 2)
            inside = box[0] >= 2 and box[2] <= self.width - 2 and box[1] >= 18 and box[3] <= self.height - 36
            if inside and not any(_overlap(box, each) for each in self._boxes):
                self._boxes.append(box)
                self.text(x + dx, y + dy, text, f"label {style}", anchor)
                return True
        return False

    def labels_right(self, x: float, ends: Sequence[tuple[float, str, str]], low: float, high: float) -> None:
        """Labels of lines that end at x: (y, text, style), moved apart, with leaders; between low (top) and high."""
        if not ends:
            return
        ordered = sorted(ends)
        step = min(_LINE, (high - low) / max(1, len(ordered) - 1)) if len(ordered) > 1 else _LINE
        places = [max(low, min(high, y)) for y, _, _ in ordered]
        for index in range(1, len(places)):
            places[index] = max(places[index], places[index - 1] + step)
        if places[-1] > high:
            places[-1] = high
            for index in range(len(places) - 2, -1, -1):
                places[index] = min(places[index], places[index + 1] - step)
        for (y, text, style), place in zip(ordered, places, strict=True):
            self.line(x, y, x + 9, place, f"leader {style}")
            self.text(x + 11, place + 4, text, f"label {style}")

    def svg(self) -> str:
        """The element; it has the width of what it stands in."""
        return (
            f'<svg viewBox="0 0 {self.width:.0f} {self.height:.0f}" role="img" '
            f'aria-label="{escape(self.title, quote=True)}">' + "".join(self.parts) + "</svg>"
        )


def figure(canvas: Canvas) -> str:
    """A chart with its title above it."""
    return f"<figure><figcaption>{escape(canvas.title)}</figcaption>{canvas.svg()}</figure>"


def figures(canvases: Sequence[Canvas]) -> str:
    """Charts side by side where there is room, else one below the other."""
    return f'<div class="charts">{"".join(figure(each) for each in canvases)}</div>' if canvases else ""


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]

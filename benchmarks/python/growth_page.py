"""The page of `bench growth`: tables, exponents, and a chart for each question."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pages
from figures import Figures, table
from growth_questions import Question
from pages import figure_table, made, section
from report.svg import Axis, Canvas, label_room, log_axis
from report.text import number, tick

FLAT = 0.15
LINEAR = (0.8, 1.2)

#: A pair of what is varied and what is measured.
Point = tuple[float, float]


@dataclass(frozen=True)
class Fit:
    """y = factor * x^exponent, fitted over `points` points."""

    exponent: float
    factor: float
    points: int

    @property
    def verdict(self) -> str:
        """What the exponent is called."""
        return verdict(self.exponent)


def upper_half(points: Sequence[Point]) -> list[Point]:
    """The points with x at or above the geometric middle of the range; at least the upper two.

    Only values above 0 have a logarithm: the others do not count.
    """
    usable = sorted((x, y) for x, y in points if x > 0 and y > 0)
    if len(usable) < 3:
        return usable
    middle = math.sqrt(usable[0][0] * usable[-1][0])
    upper = [each for each in usable if each[0] >= middle * (1 - 1e-9)]
    return upper if len(upper) > 1 else usable[-2:]


def fit(points: Sequence[Point]) -> Fit | None:
    """Least squares on the logarithms of the upper half of the range; None where fewer than two points are left."""
    used = upper_half(points)
    if len({x for x, _ in used}) < 2:
        return None
    x, y = np.log(np.array(used)).T
    exponent, factor = np.polyfit(x, y, 1)
    return Fit(float(exponent), math.exp(factor), len(used))


def verdict(exponent: float) -> str:
    """``flat``, ``linear``, ``between``, ``more than linear``, or ``falls``."""
    if abs(exponent) < FLAT:
        return "flat"
    if exponent < 0:
        return "falls"
    if LINEAR[0] <= exponent <= LINEAR[1]:
        return "linear"
    return "between" if exponent < LINEAR[0] else "more than linear"


#: What is measured: name and unit. The order is that of the tables.
METRICS = {
    "cpu": ("CPU", "µs a frame"),
    "cpu_second": ("CPU", "ms a second"),
    "cpu_request": ("CPU", "µs a request"),
    "allocated": ("allocated", "B a frame"),
    "allocated_second": ("allocated", "B a second"),
    "allocated_request": ("allocated", "B a request"),
    "rss": ("RSS", "MB"),
    "history": ("history", "MB"),
    "p50": ("p50", "ms"),
    "p99": ("p99", "ms"),
    "request_p50": ("p50", "ms"),
    "request_p99": ("p99", "ms"),
    "requests_second": ("answered", "requests a second"),
    "sent": ("sent", "B a frame"),
    "system_calls": ("system calls", "a frame"),
    "open": ("open", "ms"),
    "seek": ("seek", "ms"),
    "chunks": ("chunks", "number"),
    "read_calls": ("reads", "number"),
    "read_bytes": ("read", "MB"),
}
#: The same in every run: tests assert on these alone.
COUNTED = ("allocated", "allocated_request", "sent", "system_calls", "chunks", "read_calls", "read_bytes")
_WIDTH, _HEIGHT = 760.0, 420.0
_LEFT, _TOP, _BOTTOM = 56.0, 28.0, 366.0
_COLOURS = {
    "CPU": "a", "allocated": "b", "RSS": "c", "p50": "d", "p99": "e", "sent": "f", "system calls": "g", "history": "h",
    "answered": "f", "open": "a", "seek": "d", "chunks": "f", "reads": "g", "read": "b",
}  # fmt: skip
_STYLE = """<style>
svg { --bg: #fff; --fg: #1c2127; --soft: #5a6572; --rule: #d9dee4; --a: #0b65c2; --b: #c2410c; --c: #14803c;
  --d: #7c3fc4; --e: #b0126b; --f: #0f766e; --g: #8a6100; --h: #64707d;
  font: 12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: var(--fg); }
@media (prefers-color-scheme: dark) { svg { --bg: #14181d; --fg: #e6eaee; --soft: #a0abb6; --rule: #333c46;
  --a: #6cb2ff; --b: #ff9560; --c: #62cf85; --d: #c3a0ff; --e: #ff8ac2; --f: #4fd1c5; --g: #e3bd4f; --h: #aab4bf; } }
.back { fill: var(--bg); } .grid { stroke: var(--rule); } .tick { fill: var(--soft); }
.name { fill: var(--soft); font-weight: 600; }
.line { fill: none; stroke: var(--k); stroke-width: 2; stroke-linejoin: round; }
.mark { fill: var(--k); stroke: var(--bg); } .leader { stroke: var(--k); opacity: .6; } .label { fill: var(--k); }
.guide { stroke: var(--soft); stroke-dasharray: 3 5; }
.a { --k: var(--a); } .b { --k: var(--b); } .c { --k: var(--c); } .d { --k: var(--d); } .e { --k: var(--e); }
.f { --k: var(--f); } .g { --k: var(--g); } .h { --k: var(--h); }
</style>"""


def series(figures: Figures, question: Question, xs: list[float]) -> dict[str, list[tuple[float, float]]]:
    """The points of each metric of a question, medians of the rounds."""
    found = {}
    for metric in METRICS:
        at = [(x, figures.find(question.name, f"{x:g}", metric)) for x in xs]
        points = [(x, figure.median) for x, figure in at if figure is not None]
        if points:
            found[metric] = points
    return found


def exponents(points: dict[str, list[tuple[float, float]]]) -> dict[str, Fit]:
    """The fit of each metric that has one."""
    fits = {metric: fit(each) for metric, each in points.items()}
    return {metric: each for metric, each in fits.items() if each is not None}


def chart(question: Question, points: dict[str, list[tuple[float, float]]]) -> str:
    """An SVG file: each metric as a multiple of its value at the first point, both axes logarithmic."""
    fits = exponents(points)
    ratios = {
        metric: [(x, y / each[0][1]) for x, y in each if y > 0] for metric, each in points.items() if each[0][1] > 0
    }
    names = {
        metric: f"{METRICS[metric][0]}, b = {_short(fits[metric].exponent)}" for metric in ratios if metric in fits
    }
    xs = [x for each in ratios.values() for x, _ in each]
    ys = [y for each in ratios.values() for _, y in each]
    canvas = Canvas(_WIDTH, _HEIGHT, f"Growth with {question.name}")
    ends_at = _WIDTH - label_room(list(names.values())) - 8
    all_x = log_axis(xs, _LEFT, ends_at, tick, 1.0)
    x = Axis(all_x.low, all_x.high, _LEFT, ends_at, [(each, tick(each)) for each in sorted(set(xs))], all_x.scale)
    y = log_axis([*ys, 0.5, 4], _BOTTOM, _TOP, lambda value: f"{tick(value)}x", 1.2)
    canvas.axes(x, y, question.x_name, "times the value at the first point")
    canvas.line(x.start, y.at(1), x.end, y.at(1), "guide")
    reach = min(x.high, x.low * y.high)
    canvas.line(x.start, y.at(1), x.at(reach), y.at(reach / x.low), "guide")
    # Below the line, where it is at six tenths of its way.
    along = x.low * (reach / x.low) ** 0.6
    canvas.text(x.at(along) + 6, y.at(along / x.low) + 14, "linear", "tick")
    ends = []
    for metric, each in ratios.items():
        if metric not in names:
            continue
        style = _COLOURS[METRICS[metric][0]]
        at = [(x.at(value), y.at(ratio)) for value, ratio in each]
        canvas.path(at, style, f"{METRICS[metric][0]}, {METRICS[metric][1]}")
        for (px, py), (value, ratio) in zip(at, each, strict=True):
            canvas.mark(px, py, style, f"{METRICS[metric][0]} at {tick(value)}: {number(ratio)}x", 3.5)
        ends.append((at[-1][1], names[metric], style))
    canvas.labels_right(x.end + 4, ends, _TOP + 4, _BOTTOM)
    return (
        canvas.svg()
        .replace(
            "<svg ",
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH:.0f}" height="{_HEIGHT:.0f}" ',
            1,
        )
        .replace(">", f'>{_STYLE}<rect class="back" width="100%" height="100%"/>', 1)
    )


def _short(exponent: float) -> str:
    """Two decimals, without a negative zero."""
    return f"{round(exponent, 2) + 0.0:.2f}"


def lines(fits: dict[str, Fit]) -> list[str]:
    """A line for each exponent."""
    return [
        f"  {METRICS[metric][0]}, {METRICS[metric][1]}: exponent {_short(each.exponent)}, {each.verdict}"
        for metric, each in fits.items()
    ]


def _section(figures: Figures, question: Question, xs: list[float], errors: list[str]) -> str:
    """What one question gave."""
    parts = [question.about, *(f"Not measured: {error}" for error in errors)]
    points = series(figures, question, xs)
    if points:
        columns = {", ".join(METRICS[each]): each for each in points}
        rows = {tick(x): (question.name, f"{x:g}") for x in xs}
        parts.append(figure_table(figures, question.x_name, rows, columns))
    if fits := exponents(points):
        rows_of_fits = [
            [", ".join(METRICS[each]), _short(found.exponent), found.verdict] for each, found in fits.items()
        ]
        parts.append(f"![Growth with {question.name}]({question.file})")
        parts.append(table(["figure", "exponent", "verdict"], rows_of_fits))
    return section(question.name.capitalize(), *parts)


def page(figures: Figures, measured: list[tuple[Question, list[float]]], errors: dict[str, list[str]], run: Any) -> str:
    """The README of the results."""
    return pages.page(
        "Growth",
        made(f"growth{' --quick' if run.quick else ''}"),
        "A short form: few points, and times that mean little." if run.quick else "",
        f"Rounds: {run.rounds}; the median, and the lowest and highest.",
        "The exponent b of y = a · x^b is fitted by least squares on the logarithms, over the points at or above the "
        "geometric middle of the range of x, at least the upper two: costs that do not depend on x hide it below. "
        f"*Flat*: |b| < {FLAT:g}; *linear*: {LINEAR[0]:g} to {LINEAR[1]:g}. A chart shows each figure as a multiple of "
        "its value at the first point.",
        *(_section(figures, question, xs, errors.get(question.name, [])) for question, xs in measured),
    )

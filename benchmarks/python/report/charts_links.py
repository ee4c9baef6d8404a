"""Charts of what follows from match runs: break-even of link speeds, and figures that others published."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from report.break_even import FASTEST, SLOWEST, Cost, fastest
from report.results import Run
from report.svg import Axis, Canvas, colour, label_room, log_axis
from report.text import link, milliseconds, number, tick

_WIDTH, _HEIGHT = 440.0, 374.0
_TOP, _BOTTOM = 24.0, 300.0
_MOST_LINES = 9
_TICKS = [(1e7, "10 M"), (1e8, "100 M"), (1e9, "1 G"), (1e10, "10 G"), (1e11, "100 G")]


def costs(run: Run) -> list[Cost]:
    """What each codec that carries the whole frame costs in a run."""
    return [Cost(each.name, (each.total_ns() or 0) / 1e9, each.mean_bytes or 0) for each in run.complete()]


def break_even(runs: Sequence[Run]) -> list[Canvas]:
    """Time of a frame over links from 10 Mbit/s to 100 Gbit/s, and below it who is fastest where; a chart per run."""
    canvases = []
    for run in runs:
        every = costs(run)
        if len(every) < 2:
            continue
        reigns = fastest(every)
        lines = _chosen(every, [each.name for each in reigns])
        styles = {cost.name: colour(index) for index, cost in enumerate(lines)}
        canvas = Canvas(_WIDTH, _HEIGHT + 16 * len(reigns), run.title)
        x = Axis(SLOWEST, FASTEST, 48, _WIDTH - label_room([cost.name for cost in lines]), _TICKS, math.log10)
        values = [cost.total(speed) * 1e3 for cost in lines for speed in (SLOWEST, FASTEST)]
        y = log_axis(values, _BOTTOM, _TOP, tick, 1.15)
        canvas.axes(x, y, "speed of the link, bit/s", "ms a frame: encode + decode + read + link")
        if y.low < 1000 / 22.4 < y.high:
            canvas.line(x.start, y.at(1000 / 22.4), x.end, y.at(1000 / 22.4), "tickline")
            canvas.text(x.end - 2, y.at(1000 / 22.4) - 4, "a tick: 44.6 ms", "tick", "end")
        ends = []
        for cost in lines:
            speeds = [SLOWEST * (FASTEST / SLOWEST) ** (step / 60) for step in range(61)]
            points = [(x.at(speed), y.at(cost.total(speed) * 1e3)) for speed in speeds]
            tip = f"{cost.name}: {number(cost.seconds * 1e3)} ms + {number(cost.bytes / 1e3)} KB"
            canvas.path(points, styles[cost.name], tip)
            ends.append((points[-1][1], cost.name, styles[cost.name]))
        canvas.labels_right(x.end, ends, _TOP, _BOTTOM)
        canvas.text(2, 361, "fastest", "name")
        for index, reign in enumerate(reigns):
            left, right = x.at(reign.start), x.at(reign.end)
            words = f"{reign.name}: {link(reign.start)} to {link(reign.end)}"
            canvas.rect(left, 350, right - left, 14, styles[reign.name], words)
            canvas.text(x.start, 382 + 16 * index, words, f"label {styles[reign.name]}")
        canvases.append(canvas)
    return canvases


def _chosen(every: list[Cost], winners: list[str]) -> list[Cost]:
    """The winners of some link speed, then the fastest uncompressed codecs, in the order of time."""
    plain = [cost for cost in every if "+" not in cost.name and cost.name not in winners]
    names = [*winners, *(cost.name for cost in plain)][:_MOST_LINES]
    return [cost for cost in every if cost.name in names]


def published(ours: Sequence[dict[str, Any]]) -> list[Canvas]:
    """Published times beside ours: rows of {label, seed, ours, tip}; a bar each, on a logarithmic axis."""
    if not ours:
        return []
    height = 36.0 + 40 * len(ours) + 34
    canvas = Canvas(_WIDTH, height, "2018 post and this machine, ms (logarithmic)")
    values = [row[key] for row in ours for key in ("seed", "ours") if row[key]]
    x = log_axis(values, 160, _WIDTH - 66, tick, 1.6)
    for value, label in x.ticks:
        canvas.line(x.at(value), 22, x.at(value), height - 30, "grid")
        canvas.text(x.at(value), height - 16, label, "tick", "middle")
    for index, row in enumerate(ours):
        top = 28 + 40 * index
        canvas.text(152, top + 19, row["label"], "label plain", "end")
        for offset, key, style in ((0, "seed", "k7"), (15, "ours", "k0")):
            if row[key]:
                canvas.rect(x.start, top + offset, x.at(row[key]) - x.start, 13, style, row["tip"])
                name = "2018" if key == "seed" else "ours"
                text = f"{milliseconds(row[key] * 1e6)} {name}"
                canvas.text(x.at(row[key]) + 4, top + offset + 11, text, "tick")
    return [canvas]

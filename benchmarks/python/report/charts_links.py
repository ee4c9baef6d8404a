"""Charts of what follows from match runs: break-even of link speeds, and figures that others published."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from report.break_even import FASTEST, SLOWEST, Cost, fastest
from report.colours import style
from report.delivery import shown
from report.svg import Axis, Canvas, label_room, log_axis
from report.text import link, milliseconds, number, size, tick

_WIDTH, _HEIGHT = 600.0, 380.0
_TOP, _BOTTOM = 24.0, 300.0
_TICKS = [(1e5, "100 k"), (1e6, "1 M"), (1e7, "10 M"), (1e8, "100 M"), (1e9, "1 G"), (1e10, "10 G"), (1e11, "100 G")]
_TICK_MS = 1000 / 22.4
_CHAR = 6.5


def break_even(title: str, every: Sequence[Cost]) -> Canvas:
    """Time of a frame over links of every speed for all encodings, and below it which is fastest where."""
    reigns = fastest(every)
    canvas = Canvas(_WIDTH, _HEIGHT, title)
    x = Axis(SLOWEST, FASTEST, 48, _WIDTH - label_room([shown(cost.name) for cost in every]), _TICKS, math.log10)
    values = [cost.total(speed) * 1e3 for cost in every for speed in (SLOWEST, FASTEST)]
    y = log_axis(values, _BOTTOM, _TOP, tick, 1.15)
    canvas.axes(x, y, "speed of the link, bit/s", "ms a frame: encoding, link, decoding")
    canvas.line(x.start, y.at(_TICK_MS), x.end, y.at(_TICK_MS), "tickline")
    canvas.text(x.end - 2, y.at(_TICK_MS) - 4, "a tick: 44.6 ms", "tick", "end")
    ends = []
    for cost in every:
        speeds = [SLOWEST * (FASTEST / SLOWEST) ** (step / 60) for step in range(61)]
        points = [(x.at(speed), y.at(cost.total(speed) * 1e3)) for speed in speeds]
        tip = f"{cost.name}: {number(cost.seconds * 1e3)} ms + {size(cost.bytes)}"
        canvas.path(points, style(cost.name), tip)
        ends.append((points[-1][1], shown(cost.name), style(cost.name)))
    canvas.labels_right(x.end, ends, _TOP, _BOTTOM)
    canvas.text(2, _HEIGHT - 26, "fastest", "name")
    for reign in reigns:
        left, right = x.at(reign.start), x.at(reign.end)
        canvas.rect(left, _HEIGHT - 36, right - left, 14, style(reign.name), f"{reign.name} up to {link(reign.end)}")
        # A label that has no room beside its neighbours is in the tooltip only.
        if len(reign.name) * _CHAR <= right - left:
            canvas.text((left + right) / 2, _HEIGHT - 8, reign.name, f"label {style(reign.name)}", "middle")
    return canvas


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
        for offset, key, look in ((0, "seed", "f-other"), (15, "ours", "f-protobuf")):
            if row[key]:
                canvas.rect(x.start, top + offset, x.at(row[key]) - x.start, 13, look, row["tip"])
                name = "2018" if key == "seed" else "ours"
                text = f"{milliseconds(row[key] * 1e6)} {name}"
                canvas.text(x.at(row[key]) + 4, top + offset + 11, text, "tick")
    return [canvas]

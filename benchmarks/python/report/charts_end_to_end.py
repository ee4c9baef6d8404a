"""The end-to-end latency split as stacked bars."""

from __future__ import annotations

from typing import Any

from report.svg import Canvas, linear_axis
from report.text import number

PARTS = {
    "captured_published": "source → published",
    "published_received": "published → received",
    "received_decoded": "received → decoded",
    "decoded_touched": "decoded → every field read",
}
_SHORT = {
    "captured_published": "to published",
    "published_received": "to received",
    "received_decoded": "to decoded",
    "decoded_touched": "to every field read",
}
_STYLES = dict(zip(PARTS, ("k3", "k0", "k1", "k2"), strict=True))
_WIDTH = 440.0


def latency_split(value: dict[str, Any]) -> list[Canvas]:
    """A chart for each rate and number of agents: the median of each part, one on the other, per transport."""
    cases = [case for case in value.get("cases", []) if not case.get("error") and case.get("split_us")]
    groups = dict.fromkeys((case["recording"], case["rate"], case["agents"]) for case in cases)
    return [_chart(key, [case for case in cases if _key(case) == key]) for key in groups]


def _key(case: dict[str, Any]) -> tuple[Any, Any, Any]:
    return (case["recording"], case["rate"], case["agents"])


def rate_name(rate: Any) -> str:
    """``22.4 Hz``, or ``unlimited``."""
    return "unlimited" if rate in (0, "unlimited") else f"{rate} Hz"


def _chart(key: tuple[Any, Any, Any], cases: list[dict[str, Any]]) -> Canvas:
    recording, rate, agents = key
    subscribers = "1 agent" if agents == 1 else f"{agents} agents"
    height = 44.0 + 22 * len(cases) + 44
    canvas = Canvas(_WIDTH, height, f"{recording}, {rate_name(rate)}, {subscribers}")
    ordered = sorted(cases, key=_total)
    x = linear_axis(max(_total(case) for case in cases) / 1000, 112, _WIDTH - 54, number)
    at = 2.0
    for part, name in _SHORT.items():
        canvas.rect(at, 8, 11, 11, _STYLES[part], PARTS[part])
        canvas.text(at + 15, 18, name, "tick")
        at += 24 + len(name) * 6.3
    for value, label in x.ticks:
        canvas.line(x.at(value), 30, x.at(value), height - 40, "grid")
        canvas.text(x.at(value), height - 25, label, "tick", "middle")
    canvas.text((x.start + x.end) / 2, height - 8, "ms, medians", "name", "middle")
    for index, case in enumerate(ordered):
        top = 34 + 22 * index
        canvas.text(106, top + 13, str(case["transport"]), "label", "end")
        left = x.start
        for part in PARTS:
            figure = case["split_us"].get(part)
            if not figure:
                continue
            width = x.at(figure["p50"] / 1000) - x.start
            low, high = figure.get("p50_rounds", [figure["p50"]] * 2)
            tip = f"{case['transport']}, {PARTS[part]}: {number(figure['p50'] / 1000)} ms (rounds {number(low / 1000)}–{number(high / 1000)})"
            canvas.rect(left, top, width, 17, _STYLES[part], tip)
            left += width
        canvas.text(left + 4, top + 13, number(_total(case) / 1000), "tick")
    return canvas


def _total(case: dict[str, Any]) -> float:
    return float(sum(part["p50"] for part in case["split_us"].values() if part))

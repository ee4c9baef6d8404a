"""The end-to-end latency split as stacked bars."""

from __future__ import annotations

from typing import Any

from report.svg import Canvas, linear_axis
from report.text import number, spread, tick

PARTS = {
    "captured_published": "source → published",
    "published_encoded": "published → encoded",
    "encoded_received": "encoded → received",
    "received_decoded": "received → decoded",
    "decoded_touched": "decoded → every field read",
}
_SHORT = {
    "captured_published": "to published",
    "published_encoded": "to encoded",
    "encoded_received": "to received",
    "received_decoded": "to decoded",
    "decoded_touched": "to every field read",
}
_STYLES = dict(zip(PARTS, ("k3", "k4", "k0", "k1", "k2"), strict=True))
_WIDTH = 440.0
UNLIMITED = "unlimited"


def latency_split(value: dict[str, Any]) -> list[Canvas]:
    """A chart for each rate and number of agents: the median of each part, one on the other, per transport.

    At an unlimited rate frames wait in queues, and the charts show frames/s.
    """
    cases = [case for case in value.get("cases", []) if not case.get("error") and case.get("split_us")]
    groups = dict.fromkeys((case["recording"], case["rate"], case["agents"]) for case in cases)
    canvases = []
    for key in groups:
        group = [case for case in cases if _key(case) == key]
        canvases.append((_rates if rate_name(key[1]) == UNLIMITED else _chart)(key, group))
    return canvases


def _key(case: dict[str, Any]) -> tuple[Any, Any, Any]:
    return (case["recording"], case["rate"], case["agents"])


def rate_name(rate: Any) -> str:
    """``22.4 Hz``, or ``unlimited``."""
    return UNLIMITED if rate in (0, UNLIMITED) else f"{rate:g} Hz"


def _rates(key: tuple[Any, Any, Any], cases: list[dict[str, Any]]) -> Canvas:
    height = 14.0 + 22 * len(cases) + 44
    canvas = Canvas(_WIDTH, height, _title(key))
    x = linear_axis(max(case["frames_per_second"]["median"] for case in cases), 112, _WIDTH - 54, tick)
    for value, label in x.ticks:
        canvas.line(x.at(value), 4, x.at(value), height - 40, "grid")
        canvas.text(x.at(value), height - 25, label, "tick", "middle")
    canvas.text((x.start + x.end) / 2, height - 8, "frames/s of the agent that reads every field", "name", "middle")
    for index, case in enumerate(sorted(cases, key=lambda each: -float(each["frames_per_second"]["median"]))):
        top, rate = 6 + 22 * index, case["frames_per_second"]
        tip = f"{case['transport']}: {number(rate['median'])} frames/s (rounds {spread(rate['rounds'])})"
        canvas.text(106, top + 13, str(case["transport"]), "label plain", "end")
        canvas.rect(x.start, top, x.at(rate["median"]) - x.start, 17, "k0", tip)
        canvas.text(x.at(rate["median"]) + 4, top + 13, number(rate["median"]), "tick")
    return canvas


def _title(key: tuple[Any, Any, Any]) -> str:
    recording, rate, agents = key
    return f"{recording}, {rate_name(rate)}, {'1 agent' if agents == 1 else f'{agents} agents'}"


def _chart(key: tuple[Any, Any, Any], cases: list[dict[str, Any]]) -> Canvas:
    height = 44.0 + 22 * len(cases) + 44
    canvas = Canvas(_WIDTH, height, _title(key))
    ordered = sorted(cases, key=_total)
    x = linear_axis(max(_total(case) for case in cases) / 1000, 112, _WIDTH - 54, tick)
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
        canvas.text(106, top + 13, str(case["transport"]), "label plain", "end")
        left = x.start
        for part in PARTS:
            figure = case["split_us"].get(part)
            if not figure:
                continue
            width = x.at(figure["p50"] / 1000) - x.start
            low, high = figure.get("p50_rounds", [figure["p50"]] * 2)
            tip = (
                f"{case['transport']}, {PARTS[part]}: {number(figure['p50'] / 1000)} ms (rounds "
                f"{number(low / 1000)}–{number(high / 1000)})"
            )
            canvas.rect(left, top, width, 17, _STYLES[part], tip)
            left += width
        canvas.text(left + 4, top + 13, number(_total(case) / 1000), "tick")
    return canvas


def _total(case: dict[str, Any]) -> float:
    return float(sum(part["p50"] for part in case["split_us"].values() if part))

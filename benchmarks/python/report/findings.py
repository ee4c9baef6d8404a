"""Sentences made from the numbers: what is fastest and smallest, and where ours loses. All of it is computed here."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from report.break_even import fastest
from report.charts_end_to_end import UNLIMITED, rate_name
from report.charts_links import costs
from report.published import beside_ours
from report.results import Codec, Run
from report.text import kilobytes, link, milliseconds, number

OURS = ("protojson", "projection")
_WHAT = {"encode": "encoding", "decode": "decoding", "decode_touch": "decoding and reading every field"}
_GOAL = 15.0


def findings(runs: Sequence[Run]) -> str:
    """What match runs say, as a list."""
    return _list([line for run in runs for line in (*_fastest(run), *_ours(run))])


def across(runs: Sequence[Run], end_to_end: dict[str, Any] | None) -> str:
    """What the published figures and the end-to-end measurement say, as a list."""
    recording = runs[0].recording if runs else ""
    return _list([*_published([run for run in runs if run.recording == recording]), *_end_to_end(end_to_end)])


def _list(lines: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{each}</li>' for each in lines)}</ul>" if lines else ""


def _fastest(run: Run) -> list[str]:
    complete = run.complete()
    if len(complete) < 2:
        return []
    best, smallest = complete[0], min(complete, key=lambda each: each.mean_bytes or 0)
    text = (
        f"<b>{escape(run.title)}</b>: {escape(best.name)} takes the least time for a frame both ways "
        f"({milliseconds(best.total_ns())} ms, {kilobytes(best.mean_bytes)} KB"
    )
    second = next(each for each in complete if each is not best)
    text += ", not clearly ahead of " if _overlapping(best, second) else ", ahead of "
    text += (
        f"{escape(second.name)}: {milliseconds(second.total_ns())} ms); {escape(smallest.name)} is the smallest "
        f"({kilobytes(smallest.mean_bytes)} KB)."
    )
    reigns = fastest(costs(run))
    text += " By link: " + ", ".join(f"{escape(each.name)} from {link(each.start)}" for each in reigns) + "."
    return [text]


def _overlapping(one: Codec, other: Codec) -> bool:
    first, second = one.total_spread_ns(), other.total_spread_ns()
    return bool(first and second and first[1] >= second[0])


def _ours(run: Run) -> list[str]:
    """Where this project's own codecs win and lose, by operation."""
    lines = []
    for name in OURS:
        ours = run.codecs.get(name)
        if ours is None or ours.error or ours.is_partial:
            continue
        lines += _ratios(run, ours)
        lost = [each for operation in _WHAT if (each := _lost(run, ours, operation)) is not None]
        smaller = [
            each
            for each in _rivals(run)
            if each.mean_bytes and ours.mean_bytes and each.mean_bytes < ours.mean_bytes * 0.995
        ]
        if smaller:
            names = ", ".join(f"{escape(each.name)} {kilobytes(each.mean_bytes)}" for each in smaller)
            lost.append(f"in size ({kilobytes(ours.mean_bytes)} KB a frame) to {names}")
        if lost:
            lines.append(f"<b>{escape(run.title)}</b>: {name} loses {'; '.join(lost)}.")
    return lines


def _rivals(run: Run) -> list[Codec]:
    """Uncompressed codecs of others that carry the whole frame."""
    found = (each for each in run.codecs.values() if each.base not in OURS)
    return [each for each in found if not each.compression and not each.is_partial and not each.error]


def _lost(run: Run, ours: Codec, operation: str) -> str | None:
    """The codec to which an operation loses; None if no codec is faster."""
    mine = ours.times.get(operation)
    if mine is None:
        return None
    rivals = [(each.name, each.times[operation].trimmed_mean) for each in _rivals(run) if operation in each.times]
    faster = sorted(((name, ns) for name, ns in rivals if ns < mine.trimmed_mean), key=lambda each: each[1])
    names = ", ".join(f"{escape(name)} {milliseconds(ns)}" for name, ns in faster)
    return f"in {_WHAT[operation]} ({milliseconds(mine.trimmed_mean)} ms) to {names}" if faster else None


def _ratios(run: Run, ours: Codec) -> list[str]:
    """Against Google's formatter and parser: the goal is 20 times on one warm frame, 15 over the frames of a match."""
    lines = []
    for reference in ("protojson-google", "protojson-google-wire"):
        google = run.codecs.get(reference)
        if google is None:
            continue
        parts = []
        for operation in ("encode", "decode"):
            mine, theirs = ours.times.get(operation), google.times.get(operation)
            if mine and theirs:
                low, high = min(theirs.rounds) / max(mine.rounds), max(theirs.rounds) / min(mine.rounds)
                ratio = theirs.trimmed_mean / mine.trimmed_mean
                reached = "reaches" if ratio >= _GOAL else "misses"
                between = f" (rounds {number(low)}–{number(high)})" if high > low else ""
                parts.append(f"{operation} {number(ratio)}×{between}, which {reached} the goal of {number(_GOAL)}×")
        if parts:
            lines.append(f"<b>{escape(run.title)}</b>: {escape(ours.name)} over {reference}: {'; '.join(parts)}.")
    return lines


def _published(runs: Sequence[Run]) -> list[str]:
    rows = [row for row in beside_ours(runs) if row["ratio"]]
    if not rows:
        return []
    slower = [row["label"] for row in rows if row["ratio"] < 1]
    low, high = min(row["ratio"] for row in rows), max(row["ratio"] for row in rows)
    text = f"Against the post of 2018 (a laptop of its time): from {number(low)}× to {number(high)}× its speed"
    return [escape(text + (f"; slower here: {', '.join(slower)}." if slower else "; nothing is slower here."))]


def _end_to_end(value: dict[str, Any] | None) -> list[str]:
    lines = []
    cases = [case for case in (value or {}).get("cases", []) if not case.get("error")]
    for key in dict.fromkeys((case["recording"], case["rate"], case["agents"]) for case in cases):
        group = [case for case in cases if (case["recording"], case["rate"], case["agents"]) == key]
        if len(group) < 2:
            continue
        agents = "1 agent" if key[2] == 1 else f"{key[2]} agents"
        # Unlimited, frames wait in line: what counts is how many come through.
        is_rate = rate_name(key[1]) == UNLIMITED
        best, *_, worst = sorted(group, key=(lambda case: -_rate(case)) if is_rate else _latency)
        said = [
            f"{escape(case['transport'])} "
            f"({f'{number(_rate(case))} frames/s' if is_rate else f'{number(_latency(case))} ms'})"
            for case in (best, worst)
        ]
        what = "most frames" if is_rate else "least time from the source to every field read, at the median,"
        lines.append(
            f"<b>End to end, {escape(str(key[0]))}, {escape(rate_name(key[1]))}, {agents}</b>: {what} by {said[0]}, "
            f"{'fewest' if is_rate else 'most'} by {said[1]}."
        )
    return lines


def _rate(case: dict[str, Any]) -> float:
    return float(case["frames_per_second"]["median"])


def _latency(case: dict[str, Any]) -> float:
    return float(case["total_us"]["p50"]) / 1e3

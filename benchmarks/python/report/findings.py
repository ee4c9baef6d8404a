"""Sentences made from the numbers: what a reader should take away, and where ours loses. Nothing is said that is not computed here."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from report.charts_end_to_end import rate_name
from report.charts_links import costs
from report.break_even import fastest
from report.published import beside_ours
from report.results import Codec, Run, Timing
from report.text import kilobytes, link, milliseconds, number

OURS = ("protojson", "projection")


def findings(runs: Sequence[Run], end_to_end: dict[str, Any] | None) -> str:
    """The section as a list."""
    lines: list[str] = []
    for run in runs:
        lines += _fastest(run)
        lines += _ours(run)
    lines += _published(runs)
    lines += _end_to_end(end_to_end)
    return f"<ul>{''.join(f'<li>{each}</li>' for each in lines)}</ul>" if lines else "<p>Nothing was measured.</p>"


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
    text += f"{escape(second.name)}: {milliseconds(second.total_ns())} ms); {escape(smallest.name)} is the smallest ({kilobytes(smallest.mean_bytes)} KB)."
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
        for operation in ("encode", "decode", "decode_touch"):
            mine = ours.times.get(operation)
            if mine is None:
                continue
            better = [
                (each.name, each.times[operation])
                for each in run.codecs.values()
                if each.base not in OURS and not each.compression and not each.is_partial and operation in each.times
                and each.times[operation].trimmed_mean < mine.trimmed_mean
            ]  # fmt: skip
            if better:
                lines.append(_lost(run, name, operation, mine, better))
        larger = [
            each for each in run.codecs.values()
            if each.base not in OURS and not each.compression and not each.is_partial and each.mean_bytes
            and ours.mean_bytes and each.mean_bytes < ours.mean_bytes * 0.995
        ]  # fmt: skip
        if larger and ours.mean_bytes:
            names = ", ".join(f"{escape(each.name)} {kilobytes(each.mean_bytes)}" for each in larger)
            lines.append(f"<b>{escape(run.title)}</b>: {name} loses in size: {kilobytes(ours.mean_bytes)} KB a frame, smaller are {names}.")
    return lines


def _lost(run: Run, name: str, operation: str, mine: Timing, better: list[tuple[str, Timing]]) -> str:
    ordered = sorted(better, key=lambda each: each[1].trimmed_mean)
    names = ", ".join(f"{escape(each)} {milliseconds(timing.trimmed_mean)}" for each, timing in ordered)
    what = {"encode": "encoding", "decode": "decoding", "decode_touch": "decoding and reading every field"}[operation]
    return f"<b>{escape(run.title)}</b>: {name} loses in {what}: {milliseconds(mine.trimmed_mean)} ms, faster are {names}."


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
                reached = "reaches" if ratio >= 15 else "misses"
                parts.append(f"{operation} {number(ratio)}× ({number(low)}–{number(high)}), which {reached} the goal of 15×")
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
        best, worst = (pick(group, key=lambda case: case["total_us"]["p50"]) for pick in (min, max))
        agents = "1 agent" if key[2] == 1 else f"{key[2]} agents"
        lines.append(
            f"<b>End to end, {escape(str(key[0]))}, {escape(rate_name(key[1]))}, {agents}</b>: least by {escape(best['transport'])} "
            f"({milliseconds(best['total_us']['p50'] * 1e3)} ms at the median, source to every field read), most by "
            f"{escape(worst['transport'])} ({milliseconds(worst['total_us']['p50'] * 1e3)} ms)."
        )
    return lines

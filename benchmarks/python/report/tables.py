"""The tables of match runs, of break-even, and of the end-to-end measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from report.results import Codec, Run, Timing
from report.running import QUIET_LOAD, Done
from report.text import (
    TICK_NS,
    kilobytes,
    mbit_per_second,
    milliseconds,
    number,
    share,
    size,
    spread,
    table,
)

_OPERATIONS = {
    "encode": "encode",
    "decode": "decode",
    "decode_touch": "decode + touch",
    "scan": "one property of all units",
}


def match_run(run: Run) -> str:
    """Tables of one run: times of each operation, sizes and rates, and what is to be known about each codec."""
    frames = [each.frames for each in run.codecs.values() if not each.error]
    budget = "all" if all(each >= run.recording_frames for each in frames) else "as many as fitted"
    simulated = "simulated" if run.simulated else "recorded, or rebuilt from a replay"
    intro = (
        f"{run.recording_frames:,} frames in the recording ({simulated}), {budget} of them timed (column n: "
        "evenly spaced over the "
        f"whole match), {run.rounds} {'round' if run.rounds == 1 else 'rounds, codecs shuffled in each'}."
    )
    if any(each.frames * run.rounds < 1000 for each in run.codecs.values() if not each.error):
        intro += " With fewer than 1,000 samples, p99.9 is little else than the largest."
    parts = [f'<p class="note">{escape(intro)}</p>']
    if run.interrupted:
        parts.append('<p class="warn">This run was interrupted: what is missing was not measured.</p>')
    for operation, name in _OPERATIONS.items():
        rows = [_times(codec, codec.times[operation]) for codec in run.codecs.values() if operation in codec.times]
        if rows:
            head = [
                f"{name}, ms",
                "n",
                "trimmed mean",
                "rounds",
                "min",
                "p50",
                "p90",
                "p99",
                "p99.9",
                "max",
                "of a tick",
                "frames/s",
            ]
            parts.append(table(head, rows, f"{run.title}: {name}"))
    memory = "allocated KB a frame" if run.language == "csharp" else "peak memory, KB"
    rows = [_size(codec, run.language) for codec in run.codecs.values() if codec.bytes]
    head = [
        "codec",
        "n",
        "least",
        "mean",
        "most",
        "Mbit/s at 16 Hz",
        "at 22.4 Hz",
        memory,
    ]
    if any(codec.compressed for codec in run.codecs.values()):
        head += ["KB gzip", "br", "zstd"]
        rows = [[*row, *_compressed(run.codecs[name])] for row, name in zip(rows, _sized(run), strict=True)]
    parts.append(table(head, rows, f"{run.title}: sizes and rates"))
    parts.append(_notes(run))
    return "".join(parts)


def _times(codec: Codec, timing: Timing) -> list[str]:
    values = (timing.least, timing.p50, timing.p90, timing.p99, timing.p99_9, timing.most)
    return [
        escape(codec.name),
        f"{codec.frames:,}",
        f"<b>{milliseconds(timing.trimmed_mean)}</b>",
        spread(timing.rounds, 1e-6),
        *(milliseconds(each) for each in values),
        share(timing.trimmed_mean / TICK_NS),
        number(1e9 / timing.trimmed_mean),
    ]


def _sized(run: Run) -> list[str]:
    return [codec.name for codec in run.codecs.values() if codec.bytes]


def _size(codec: Codec, language: str) -> list[str]:
    low, mean, high = codec.bytes or (0.0, 0.0, 0.0)
    return [
        escape(codec.name),
        f"{codec.frames:,}",
        size(low),
        f"<b>{size(mean)}</b>",
        size(high),
        number(mbit_per_second(mean, 16)),
        number(mbit_per_second(mean, 22.4)),
        kilobytes(codec.allocated if language == "csharp" else codec.peak),
    ]


def _compressed(codec: Codec) -> list[str]:
    return [kilobytes(codec.compressed.get(kind)) for kind in ("gzip", "br", "zstd")]


def _notes(run: Run) -> str:
    """How each library is used, what a format cannot carry, what failed."""
    items = []
    for codec in run.codecs.values():
        if codec.compression and not codec.error:
            continue
        lines = [escape(each) for each in codec.footnotes]
        lines += [f'<span class="warn">Does not carry {escape(each)}.</span>' for each in codec.cannot_carry]
        if codec.error:
            lines.append(f'<span class="warn">Not timed: {escape(codec.error)}</span>')
        items.append(f"<dt>{escape(codec.name)}: {escape(codec.label)}</dt><dd>{' '.join(lines)}</dd>")
    items += [
        f"<dt>{escape(name)}</dt><dd class=warn>Omitted: {escape(why)}</dd>" for name, why in run.unavailable.items()
    ]
    return (
        "<details><summary>How each codec is used, and what it cannot "
        f"carry</summary><dl>{''.join(items)}</dl></details>"
    )


def environments(runs: Sequence[Run]) -> str:
    """Machine, runtimes, packages and load, a column per language."""
    chosen: dict[str, Run] = {}
    for run in runs:
        chosen.setdefault(run.language, run)
    keys = ("date", "commit", "cpu", "cores", "os", "load", "runtimes", "packages", "settings", "clock")
    rows = []
    for key in keys:
        cells = [_plain(run.environment.get(key)) for run in chosen.values()]
        if any(cells):
            rows.append([key.replace("_", " "), *cells])
    return table(["", *(escape(run.title) for run in chosen.values())], rows, "Environment at the start of each run")


def parts(done: Mapping[str, Done]) -> str:
    """What each part was measured of; a mark where the machine was not quiet."""
    rows = []
    for title, each in done.items():
        load = "–" if each.load is None else f"{each.load:.2f}{'' if each.load < QUIET_LOAD else ' (not quiet)'}"
        rows.append([escape(title), escape(each.commit), escape(each.date), load])
    head = ["part", "commit", "began", "load at its start"]
    return table(head, rows, "Parts of this report") if rows else ""


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return "<br>".join(f"{escape(str(name))} {escape(str(each))}" for name, each in value.items())
    if isinstance(value, list):
        return escape(", ".join(number(each) if isinstance(each, float) else str(each) for each in value))
    return escape(str(value)) if value is not None else ""


_BROWSER = {
    "frames_per_second": "frames/s",
    "frames_per_second_without_server": "frames/s of the page alone",
    "received_to_decoded_ns": "received → decoded, ms",
    "decoded_to_touched_ns": "decoded → every field read, ms",
    "received_to_touched_ns": "received → every field read, ms",
    "published_to_received_ns": "published → received, ms",
    "published_to_touched_ns": "published → every field read, ms",
}


def browser_end_to_end(run: Run) -> str:
    """Frames that came to a page over WebSocket: a row per case; p50 and in brackets p99 of the parts of their way."""
    cases = run.end_to_end if isinstance(run.end_to_end, dict) else {}
    rows = []
    for name, case in cases.items():
        if isinstance(case, dict):
            cells = [_browser_cell(case.get(key)) for key in _BROWSER]
            rows.append([escape(name), str(case.get("frames", "–")), kilobytes(case.get("bytes_mean")), *cells])
    head = ["encoding and rate", "n", "KB", *_BROWSER.values()]
    return table(head, rows, f"{run.title}: frames by WebSocket, p50 (p99)") if rows else ""


def _browser_cell(value: Any) -> str:
    if isinstance(value, dict):
        return f"{milliseconds(value.get('p50'))} ({milliseconds(value.get('p99'))})"
    return "–" if value is None else number(float(value))

"""Charts of match runs: size against time, latency distribution, bytes over the match."""

from __future__ import annotations

import math
from collections.abc import Sequence

from report.results import LANGUAGES, Codec, Run
from report.svg import Axis, Canvas, colour, label_room, log_axis
from report.text import kilobytes, milliseconds, spread, tick

_WIDTH, _HEIGHT = 440.0, 350.0
_TOP, _BOTTOM = 24.0, 310.0
#: Codecs of one name whose mean sizes differ by less are the same format.
_SAME = 0.02
_RANK = {"protobuf": 0, "protojson": 1, "cbor": 2}
_NINES = [(50, "p50"), (90, "p90"), (99, "p99"), (99.9, "p99.9")]


def size_against_time(runs: Sequence[Run]) -> list[Canvas]:
    """Bytes of a frame against encoding + decoding + reading every field; a chart per run, all on the same axes.

    A filled mark is a codec, a hollow one the same compressed, tied to it by a line. Below and to the left is better.
    """
    shown = [run for run in runs if run.complete()]
    everything = [codec for run in shown for codec in run.complete()]
    times = [(codec.total_ns() or 0) / 1e6 for codec in everything]
    sizes = [(codec.mean_bytes or 0) / 1e3 for codec in everything]
    canvases = []
    for run in shown:
        canvas = Canvas(_WIDTH, _HEIGHT, run.title)
        x = log_axis(times, 48, _WIDTH - 12, tick, 1.4)
        y = log_axis(sizes, _BOTTOM, _TOP, tick, 1.3)
        canvas.axes(x, y, "encode + decode + read every field, ms", "KB a frame")
        codecs = run.complete()
        styles = {base: colour(index) for index, base in enumerate(dict.fromkeys(each.base for each in codecs))}
        marks = [(x.at((codec.total_ns() or 0) / 1e6), y.at((codec.mean_bytes or 0) / 1e3), codec) for codec in codecs]
        bases = {codec.name: (at_x, at_y) for at_x, at_y, codec in marks}
        for at_x, at_y, codec in marks:
            if codec.compression and codec.base in bases:
                canvas.line(*bases[codec.base], at_x, at_y, f"tie {styles[codec.base]}")
        for at_x, at_y, codec in marks:
            style = styles[codec.base].split()[0]
            canvas.mark(
                at_x,
                at_y,
                f"{style} {'hollow' if codec.compression else ''}",
                _tip(codec),
                4 if codec.compression else 5.5,
            )
        for at_x, at_y, codec in sorted(marks, key=lambda mark: bool(mark[2].compression)):
            text = f"+{codec.compression}" if codec.compression and codec.base in bases else codec.name
            canvas.label_near(at_x, at_y, text, styles[codec.base].split()[0])
        canvases.append(canvas)
    return canvases


def _tip(codec: Codec) -> str:
    low, high = codec.total_spread_ns() or (0.0, 0.0)
    parts = [f"{codec.name}: {kilobytes(codec.mean_bytes)} KB, {milliseconds(codec.total_ns())} ms"]
    if high > low:
        parts.append(f"(rounds {spread([low, high], 1e-6)})")
    return " ".join(parts)


def latency_distribution(runs: Sequence[Run], operation: str = "decode") -> list[Canvas]:
    """Quantiles of single operations from the fastest to p99.9, the axis stretched towards the tail; one per run."""
    canvases = []
    for run in runs:
        curves = [
            (codec, codec.times[operation].quantiles)
            for codec in run.codecs.values()
            if operation in codec.times
            and codec.times[operation].quantiles
            and not codec.compression
            and not codec.is_partial
        ]
        if not curves:
            continue
        canvas = Canvas(_WIDTH, _HEIGHT, f"{run.title}: {operation}")
        x = Axis(
            0,
            99.9,
            48,
            _WIDTH - label_room([codec.name for codec, _ in curves]),
            [(float(at), name) for at, name in _NINES],
            _nines,
        )
        values = [ns / 1e6 for _, curve in curves for at, ns in curve if at <= 99.9]
        y = log_axis(values, _BOTTOM, _TOP, tick, 1.1)
        canvas.axes(x, y, "share of the frames that took at most this", f"{operation}, ms")
        ends = []
        for index, (codec, curve) in enumerate(sorted(curves, key=lambda each: each[0].times[operation].p50)):
            points = [(x.at(at), y.at(ns / 1e6)) for at, ns in curve if at <= 99.9]
            timing = codec.times[operation]
            tip = (
                f"{codec.name}: p50 {milliseconds(timing.p50)}, p99 {milliseconds(timing.p99)}, "
                f"p99.9 {milliseconds(timing.p99_9)} ms, {codec.frames} frames"
            )
            canvas.path(points, colour(index), tip)
            ends.append((points[-1][1], codec.name, colour(index)))
        canvas.labels_right(x.end, ends, _TOP, _BOTTOM)
        canvases.append(canvas)
    return canvases


def _nines(percentage: float) -> float:
    return -math.log10(1 - percentage / 100) if percentage < 100 else 4.0


def bytes_over_match(runs: Sequence[Run]) -> list[Canvas]:
    """Size of each format over the frames of a recording, a chart each; what is the same in two languages only once."""
    canvases = []
    for recording in dict.fromkeys(run.recording for run in runs):
        here = [run for run in runs if run.recording == recording]
        series: list[tuple[Codec, str]] = []
        for run in here:
            for codec in run.codecs.values():
                if len(codec.series) < 2 or codec.is_partial:
                    continue
                same = [each for each, _ in series if each.name == codec.name]
                if same and abs((codec.mean_bytes or 0) - (same[0].mean_bytes or 0)) < _SAME * (codec.mean_bytes or 0):
                    continue
                series.append(
                    (codec, f"{codec.name} ({LANGUAGES.get(run.language, run.language)})" if same else codec.name)
                )
        if not series:
            continue
        chosen = _spaced(series)
        canvas = Canvas(_WIDTH, _HEIGHT, f"{recording}: bytes over the match")
        last = max(at for codec, _ in chosen for at, _ in codec.series)
        x = Axis(
            0,
            last,
            48,
            _WIDTH - label_room([name for _, name in chosen]),
            [(last * part / 4, f"{last * part / 4:,.0f}") for part in range(5)],
        )
        y = log_axis([length / 1e3 for codec, _ in chosen for _, length in codec.series], _BOTTOM, _TOP, tick, 1.1)
        canvas.axes(x, y, "frame of the recording", "KB")
        ends = []
        for index, (codec, name) in enumerate(chosen):
            points = [(x.at(at), y.at(length / 1e3)) for at, length in codec.series]
            low, mean, high = codec.bytes or (0.0, 0.0, 0.0)
            tip = f"{name}: {kilobytes(low)} to {kilobytes(high)} KB, mean {kilobytes(mean)}"
            canvas.path(points, colour(index), tip)
            ends.append((points[-1][1], name, colour(index)))
        canvas.labels_right(x.end, ends, _TOP, _BOTTOM)
        canvases.append(canvas)
    return canvases


def _spaced(series: list[tuple[Codec, str]], most: int = 12) -> list[tuple[Codec, str]]:
    """At most so many lines; what is within 3 % of a line drawn before is left to the tables."""
    kept: list[tuple[Codec, str]] = []
    for codec, name in sorted(series, key=lambda each: (_RANK.get(each[0].name, 9), bool(each[0].compression))):
        size = codec.mean_bytes or 0
        if all(abs(size - (other.mean_bytes or 0)) > 0.03 * size for other, _ in kept):
            kept.append((codec, name))
    return sorted(kept[:most], key=lambda each: -(each[0].mean_bytes or 0))

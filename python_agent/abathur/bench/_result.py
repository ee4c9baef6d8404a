"""A match run as JSON and as a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from abathur._values.printable import printable
from abathur.bench import _memory
from abathur.bench._frames import RecordedFrames, evenly_spaced
from abathur.bench._options import Options
from abathur.bench._runner import CodecRun, Runner
from abathur.bench._statistics import TRIM, Statistics, summarize

_TICK_NS = 1e9 / 22.4
_MAX_SERIES_POINTS = 400


def to_json(
    options: Options,
    frames: RecordedFrames,
    runner: Runner,
    runs: Iterable[CodecRun],
    environment: dict[str, Any],
    unavailable: dict[str, str],
) -> dict[str, Any]:
    """The result, in the same format as that of the C# match runner; the report reads both.

    Times are in nanoseconds, sizes in bytes. Missing values (the encoding of a row that only reads; a codec that failed
    its check) are null.
    """
    return {
        "environment": environment,
        "recording": {
            "file": frames.path.name,
            "frames": frames.count,
            "bytes": frames.bytes,
            "simulated": frames.is_simulated,
        },
        "frames": runner.frame_count,
        "rounds": options.rounds,
        "seed": options.seed,
        "trim": TRIM,
        "language": "python",
        "interrupted": runner.interrupted,
        "unavailable": unavailable,
        "peak_memory_method": _memory.method(),
        "codecs": {run.name: _codec(run) for run in runs},
    }


def cannot_carry(run: CodecRun) -> list[str]:
    """The content that the format omits, from its class and from the check."""
    found = list(run.codec.cannot_carry)
    if run.frames_without_unknown_fields:
        found.append(
            f"unknown fields of a newer game: {run.frames_without_unknown_fields} of {len(run.bytes)} frames came back"
            " without them"
        )
    return found


def table(runner: Runner, runs: Iterable[CodecRun]) -> str:
    """The run as text."""
    rows = [["codec", "frames", "encode ms", "p99", "decode ms", "p99", "+ touch ms", "KB/frame", "Mbit/s*", "peak KB"]]
    below = []
    for run in runs:
        if run.failure is not None:
            below.append(f"{run.name} was not timed: {printable(str(run.failure))}")
        below += [f"{run.name} does not carry {line}" for line in cannot_carry(run)]
        encode, decode, touch = (summarize(rounds) for rounds in (run.encode, run.decode, run.decode_touch))
        if decode is None:
            continue
        mean = _mean(run)
        rows.append(
            [
                run.name,
                str(len(run.frames)),
                _milliseconds(encode),
                _milliseconds(encode, 99),
                _milliseconds(decode),
                _milliseconds(decode, 99),
                _milliseconds(touch),
                f"{mean / 1e3:.{1 if mean >= 10_000 else 2}f}",
                f"{mean * 8 * 22.4 / 1e6:.{1 if mean >= 10_000 else 2}f}",
                "-" if run.peak_memory_bytes is None else f"{run.peak_memory_bytes / 1e3:.0f}",
            ]
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    lines.insert(1, "-" * len(lines[0]))
    lines.append("")
    lines.append("Times of single operations: mean of the middle half (25 % dropped at each end), and 99th percentile.")
    lines.append("* at 22.4 frames a second. 1 KB is 1000 bytes.")
    if runner.interrupted:
        below.append("Interrupted: the results so far.")
    return "\n".join(lines + below)


def _codec(run: CodecRun) -> dict[str, Any]:
    encode, decode, touch = (summarize(rounds) for rounds in (run.encode, run.decode, run.decode_touch))
    mean = _mean(run) if run.bytes else 0.0
    sizes = sorted(run.bytes.items())
    series = [list(sizes[index]) for index in evenly_spaced(len(sizes), _MAX_SERIES_POINTS)]
    return {
        "label": run.codec.label,
        "footnotes": list(run.codec.footnotes),
        "cannot_carry": cannot_carry(run),
        "error": run.failure,
        "frames": len(run.frames) if run.failure is None else 0,
        "samples": run.samples,
        "encode_ns": None if encode is None else encode.to_json(),
        "decode_ns": None if decode is None else decode.to_json(),
        "decode_touch_ns": None if touch is None else touch.to_json(),
        "bytes": {"min": min(run.bytes.values()), "mean": mean, "max": max(run.bytes.values())} if run.bytes else None,
        "keyframes": _keyframes(run),
        "bytes_series": series,
        "mbit_per_second": {"16": mean * 8 * 16 / 1e6, "22.4": mean * 8 * 22.4 / 1e6} if run.bytes else None,
        "frames_per_second": {"encode": _per_second(encode), "decode": _per_second(decode)},
        "tick_share": {"encode": _tick_share(encode), "decode": _tick_share(decode)},
        "allocated_bytes": None,
        "allocated_bytes_encode": None,
        "allocated_bytes_decode": None,
        "peak_memory_bytes": run.peak_memory_bytes,
    }


def _keyframes(run: CodecRun) -> dict[str, float] | None:
    sizes = [run.bytes[number] for number in run.codec.keyframes if number in run.bytes]
    return {"frames": len(sizes), "bytes": sum(sizes) / len(sizes)} if sizes else None


def _mean(run: CodecRun) -> float:
    return sum(run.bytes.values()) / len(run.bytes)


def _per_second(statistics: Statistics | None) -> float | None:
    return None if statistics is None else 1e9 / statistics.trimmed_mean


def _tick_share(statistics: Statistics | None) -> float | None:
    return None if statistics is None else statistics.trimmed_mean / _TICK_NS


def _milliseconds(statistics: Statistics | None, percentage: float | None = None) -> str:
    if statistics is None:
        return "-"
    value = statistics.trimmed_mean if percentage is None else statistics.percentile(percentage)
    return f"{value / 1e6:.3f}"

"""What the program of a language has measured, and the result file made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from abathur.bench._check import same_sums
from abathur.bench._frames import RecordedFrame, RecordedFrames
from abathur.bench._statistics import TRIM, summarize

OPERATIONS = ("encode", "decode", "decode_touch")
_WORD = 1 << 64


@dataclass
class Measured:
    """Everything of one run.

    Attributes:
        codecs: Rows by codec, as the programs write them: ``error`` and ``failed`` (index of the frame); ``footnotes``,
            ``cannot_carry``, ``lost_unknown_fields`` (frames); of each frame ``bytes`` and ``sums`` (``int``, and
            ``float`` as text); by operation ``samples`` (ns: a list a round) and ``allocated`` (``bytes``,
            ``allocations``).
        levels: The same by level and codec.
        extra: More blocks of the result.
    """

    runtimes: dict[str, str] = field(default_factory=dict)
    packages: dict[str, str] = field(default_factory=dict)
    clock: dict[str, float] | None = None
    codecs: dict[str, dict[str, Any]] = field(default_factory=dict)
    levels: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)


def check_sums(measured: Measured, frames: Sequence[RecordedFrame]) -> None:
    """Compare the sums over every field with those of Python. A row that differs gets an error, and loses its times."""
    for row in measured.codecs.values():
        for index, (frame, sums) in enumerate(zip(frames, row.get("sums") or (), strict=False)):
            whole, real = frame.sums()
            expected, actual = [whole % _WORD, real], [sums["int"] % _WORD, float(sums["float"])]
            if row.get("error") or same_sums(expected, actual, frame.magnitude):
                continue
            row |= {"error": "reading every field gave another sum than in Python", "failed": index}


def to_json(
    language: str,
    labels: Mapping[str, str],
    recorded: RecordedFrames,
    frames: Sequence[RecordedFrame],
    measured: Measured,
    unavailable: Mapping[str, str],
    *,
    rounds: int,
    seed: int,
    machine: Mapping[str, Any],
) -> dict[str, Any]:
    """The result, in the format of match runs. Times are in nanoseconds, sizes in bytes.

    Args:
        language: Its name in results.
        labels: Of the codecs, in the order of the rows.
        recorded: The recording.
        frames: Those of it that were taken.
        measured: What the program has written.
        unavailable: Rows that could not be measured, and why.
        rounds: Passes of each codec over the frames.
        seed: Of the order of the codecs.
        machine: What `_environment.describe` has said before.
    """
    environment = {**machine, "runtimes": measured.runtimes, "packages": measured.packages}
    # Python's own is another.
    environment.pop("clock")
    if measured.clock is not None:
        environment["clock"] = measured.clock
    numbers = [frame.number for frame in frames]
    return {
        "environment": environment,
        "recording": {
            "file": recorded.path.name,
            "frames": recorded.count,
            "bytes": recorded.bytes,
            "simulated": recorded.is_simulated,
        },
        "frames": len(frames),
        "rounds": rounds,
        "seed": seed,
        "trim": TRIM,
        "language": language,
        "interrupted": False,
        "unavailable": dict(unavailable),
        "codecs": {
            name: _row(label, measured.codecs[name], numbers)
            for name, label in labels.items()
            if name in measured.codecs
        },
        "levels": {
            level: {name: _level(label, rows[name]) for name, label in labels.items() if name in rows}
            for level, rows in measured.levels.items()
        },
        **measured.extra,
    }


def summary(rounds: Sequence[Sequence[float]] | None) -> dict[str, Any] | None:
    """Statistics of samples with their mean; None if there are none."""
    statistics = summarize(rounds or ())
    if statistics is None:
        return None
    samples = statistics.ordered
    return {**statistics.to_json(), "mean": sum(samples) / len(samples)}


def sizes(values: Sequence[float]) -> dict[str, float] | None:
    """Least, mean and most of some sizes."""
    return {"min": min(values), "mean": sum(values) / len(values), "max": max(values)} if values else None


def _level(label: str, row: dict[str, Any]) -> dict[str, Any]:
    """A row of one message: without quantiles, since the samples of Go are means of many operations."""
    result = _row(label, row, [])
    del result["bytes_series"]
    for operation in OPERATIONS:
        if result[f"{operation}_ns"] is not None:
            del result[f"{operation}_ns"]["quantiles"]
    return result


def _row(label: str, row: dict[str, Any], numbers: Sequence[int]) -> dict[str, Any]:
    error = row.get("error") or None
    if error is not None:
        # What was measured before does not count.
        row = {**row, "bytes": None, "samples": None, "allocated": None}
    samples, allocated, lengths = row.get("samples") or {}, row.get("allocated") or {}, row.get("bytes") or []
    cannot_carry = list(row.get("cannot_carry") or ())
    if lost := row.get("lost_unknown_fields"):
        cannot_carry.append(f"unknown fields of a newer game: {lost} of {len(lengths)} frames came back without them")
    if error is not None and numbers:
        error = f"frame {numbers[row['failed']]}: {error}"
    result: dict[str, Any] = {
        "label": label,
        "footnotes": list(row.get("footnotes") or ()),
        "cannot_carry": cannot_carry,
        "error": error,
        "frames": len(lengths),
        "samples": sum(map(len, samples.get("decode") or ())),
        "bytes": sizes(lengths),
        "bytes_series": [list(each) for each in zip(numbers, lengths, strict=False)],
    }
    for operation in OPERATIONS:
        result[f"{operation}_ns"] = summary(samples.get(operation))
        figures = allocated.get(operation) or {}
        result[f"allocated_bytes_{operation}"] = figures.get("bytes")
        result[f"allocations_{operation}"] = figures.get("allocations")
    both = [result["allocated_bytes_encode"], result["allocated_bytes_decode"]]
    result["allocated_bytes"] = None if None in both else sum(both)
    return result

"""Reads results: match runs of C#, Python and the browser, all in one JSON format, and the end-to-end file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

LANGUAGES = {
    "python": "Python",
    "csharp": "C#",
    "browser": "Chromium",
    "firefox": "Firefox",
    "jvm": "Java",
    "go": "Go",
}
COMPRESSIONS = ("gzip", "br", "zstd")
#: What a language's row reads or writes less than everything: never compared with rows that carry all.
PARTIAL = ("projection", "-scan", "-read", "unverified")
OPERATIONS = ("encode", "decode", "decode_touch")


@dataclass(frozen=True)
class Timing:
    """One operation of one codec, in nanoseconds: trimmed mean, its spread over the rounds, and quantiles."""

    trimmed_mean: float
    least: float
    most: float
    p50: float
    p90: float
    p99: float
    p99_9: float
    rounds: tuple[float, ...]

    @staticmethod
    def read(value: dict[str, Any] | None) -> Timing | None:
        """From a result; None if it is null or empty."""
        if not value or value.get("trimmed_mean") is None:
            return None
        mean = float(value["trimmed_mean"])
        median = float(value.get("p50", mean))
        p99 = float(value.get("p99", median))
        return Timing(
            mean,
            float(value.get("min", mean)),
            float(value.get("max", mean)),
            median,
            float(value.get("p90", p99)),
            p99,
            float(value.get("p99_9", p99)),
            tuple(float(each) for each in value.get("rounds") or [mean]),
        )


@dataclass(frozen=True)
class Codec:
    """A codec's row in a match run. Sizes are in bytes, of `sized_frames` frames; None or empty: not measured."""

    name: str
    label: str
    language: str
    frames: int
    times: dict[str, Timing]
    bytes: tuple[float, float, float] | None
    series: tuple[tuple[int, int], ...]
    allocated: float | None
    peak: float | None
    footnotes: tuple[str, ...]
    cannot_carry: tuple[str, ...]
    error: str | None
    compressed: dict[str, float] = field(default_factory=dict)
    keyframes: tuple[int, float] | None = None
    sized_frames: int = 0
    allocations: tuple[float | None, float | None] = (None, None)
    fetched: dict[str, Any] = field(default_factory=dict)
    packing: dict[str, float] = field(default_factory=dict)

    @property
    def base(self) -> str:
        """The name without its compression."""
        return self.name.partition("+")[0]

    @property
    def compression(self) -> str:
        """gzip, br or zstd; empty for none."""
        return self.name.partition("+")[2]

    @property
    def is_partial(self) -> bool:
        """Whether the row reads or writes less than the whole frame, or trusts its input unchecked."""
        return any(each in self.name for each in PARTIAL)

    @property
    def mean_bytes(self) -> float | None:
        """Mean size of a frame."""
        return self.bytes[1] if self.bytes else None

    def decoding(self) -> Timing | None:
        """Decoding with a read of every field where it is measured, else decoding."""
        return self.times.get("decode_touch") or self.times.get("decode")

    def ready(self) -> Timing | None:
        """From bytes to what a reader works with: every field read; of columns, the arrays of all columns."""
        if self.base == "columns" and self.language != "python":
            # Touching reads a message that is made of the columns there, which no reader of columns does.
            return self.times.get("decode")
        return self.decoding()

    def ready_ns(self) -> float | None:
        """The mean of `ready`."""
        timing = self.ready()
        return None if timing is None else timing.trimmed_mean


@dataclass(frozen=True)
class Run:
    """One match run: a recording in a language."""

    file: str
    language: str
    recording: str
    recording_frames: int
    simulated: bool
    frames: int
    rounds: int
    interrupted: bool
    environment: dict[str, Any]
    unavailable: dict[str, str]
    codecs: dict[str, Codec]
    end_to_end: Any
    http: dict[str, Any] = field(default_factory=dict)
    levels: dict[str, dict[str, Codec]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Recording and language."""
        return f"{self.recording}, {LANGUAGES.get(self.language, self.language)}"

    def complete(self) -> list[Codec]:
        """Codecs that carry a whole frame and whose decoding was timed, the fastest first."""
        found = [each for each in self.codecs.values() if each.ready_ns() is not None and not each.is_partial]
        return sorted(
            (each for each in found if each.bytes and not each.error), key=lambda each: each.ready_ns() or 0.0
        )


def read_run(path: Path) -> Run:
    """A match run from its JSON file.

    Raises:
        ValueError: the file is not a match run.
    """
    value = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(value, dict) or "codecs" not in value or "environment" not in value:
        raise ValueError(f"{path.name} is not a match run: it lacks codecs or environment")
    recording: dict[str, Any] = value.get("recording") or {}
    language = value.get("language", "csharp")
    return Run(
        file=path.name,
        language=language,
        recording=Path(str(recording.get("file", "recording"))).stem,
        recording_frames=int(recording.get("frames") or 0),
        simulated=bool(recording.get("simulated", False)),
        frames=int(value.get("frames", 0)),
        rounds=int(value.get("rounds", 1)),
        interrupted=bool(value.get("interrupted", False)),
        environment=value["environment"],
        unavailable=dict(value.get("unavailable") or {}),
        codecs={name: _codec(name, language, each) for name, each in value["codecs"].items()},
        end_to_end=value.get("end_to_end"),
        http=dict(value.get("http") or {}),
        levels={
            level: {name: _codec(name, language, each) for name, each in codecs.items()}
            for level, codecs in (value.get("levels") or {}).items()
        },
    )


def read_runs(folder: Path, pattern: str = "match-*.json") -> list[Run]:
    """All match runs in a folder: by recording, then in the order of `LANGUAGES`."""
    runs = [read_run(path) for path in sorted(folder.glob(pattern))]
    order = list(LANGUAGES)
    return sorted(
        runs,
        key=lambda run: (_rank(run.recording), order.index(run.language) if run.language in order else 9),
    )


def read_exact_sizes(folder: Path) -> list[Run]:
    """The runs that only took sizes, but of every frame; the order is that of `read_runs`."""
    return read_runs(folder, "sizes-*.json")


def read_matches(folder: Path, exact_sizes: Sequence[Run]) -> list[Run]:
    """All match runs, with the sizes of every frame where those were measured."""
    exact = {run.recording: run for run in exact_sizes}
    return [_with_sizes(run, exact[run.recording]) if run.recording in exact else run for run in read_runs(folder)]


def _with_sizes(run: Run, exact: Run) -> Run:
    """A run takes as many frames as its time allows; its streams are the same in each language."""
    codecs = dict(run.codecs)
    for name, codec in run.codecs.items():
        found = exact.codecs.get(name)
        if found is None or found.bytes is None or not (run.language == exact.language or found.keyframes):
            continue
        sizes = {"bytes": found.bytes, "series": found.series, "keyframes": found.keyframes}
        codecs[name] = replace(codec, **sizes, sized_frames=found.frames)
    return replace(run, codecs=codecs)


def _rank(recording: str) -> tuple[bool, bool, bool, str]:
    """Whole rebuilt matches come first, then `elite`, then the others; a noisy one after the one that it is made of."""
    return (not is_whole(recording), recording != "elite", recording.endswith("-noisy"), recording)


def is_whole(recording: str) -> bool:
    """Whether it is a whole match that was rebuilt from a replay."""
    return recording.endswith("-full")


def read_end_to_end(folder: Path) -> dict[str, Any] | None:
    """The end-to-end measurements (``end-to-end.json``), where there are any."""
    path = folder / "end-to-end.json"
    if not path.exists():
        return None
    value: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return value


def _codec(name: str, language: str, value: dict[str, Any]) -> Codec:
    times = {operation: Timing.read(value.get(f"{operation}_ns")) for operation in (*OPERATIONS, "scan")}
    size = value.get("bytes")
    compressed = value.get("compressed_bytes") or {}
    keyframes = value.get("keyframes")
    return Codec(
        name=name,
        label=value.get("label") or name,
        language=language,
        frames=int(_number(value.get("frames")) or 0),
        times={operation: each for operation, each in times.items() if each is not None},
        bytes=(float(size["min"]), float(size["mean"]), float(size["max"])) if size else None,
        series=tuple((int(at), int(length)) for at, length in value.get("bytes_series") or ()),
        allocated=_number(value.get("allocated_bytes")),
        peak=_number(value.get("peak_memory_bytes")),
        footnotes=tuple(value.get("footnotes") or ()),
        cannot_carry=tuple(value.get("cannot_carry") or ()),
        error=value.get("error"),
        compressed={kind: _mean(each) for kind, each in compressed.items() if each},
        keyframes=(int(keyframes["frames"]), float(keyframes["bytes"])) if keyframes else None,
        sized_frames=int(_number(value.get("frames")) or 0),
        allocations=(_number(value.get("allocations_encode")), _number(value.get("allocations_decode"))),
        fetched={name: each for name, each in (value.get("fetch") or {}).items() if each and "total_ns" in each},
        packing={
            name: float(each["trimmed_mean"]) for name, each in (value.get("compression_ns") or {}).items() if each
        },
    )


def _mean(value: Any) -> float:
    return float(value["mean"]) if isinstance(value, dict) else float(value)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)

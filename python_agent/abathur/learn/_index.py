"""What is known of each recording: as arrays, because lists of objects grow in each forked worker, page by page."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abathur._recording import input_files
from abathur._recording.frame_loops import FrameLoops
from abathur._recording.opened import open_recording
from abathur._recording.recording import Recording
from abathur.errors import AbathurError, RecordingError

_HEAD = {"format": "abathur index", "version": 1}


@dataclass(frozen=True, slots=True)
class Failure:
    """A recording that is not read.

    Attributes:
        source: Its path or URL.
        error: Why.
    """

    source: str
    error: str


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of a recording.

    Attributes:
        source: Its path or URL.
        stamp: Size and time of the file; of a URL nothing.
        loops: The game loops of its frames.
        match: The same for all recordings of a match.
    """

    source: str
    stamp: tuple[int, int]
    loops: FrameLoops
    match: str


class Recordings:
    """Recordings, by their number from 0."""

    def __init__(self, matches: NDArray[np.int64], sources: _Parts, runs: _Parts, segments: _Parts) -> None:
        """Use `of`."""
        #: Recordings of one match have the same number.
        self.matches = matches
        self._sources, self._runs, self._segments = sources, runs, segments

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> Recordings:
        """Of what is known of each."""
        sources = [each.source.encode("utf-8", "surrogateescape") for each in entries]
        return cls(
            np.unique([each.match for each in entries], return_inverse=True)[1].reshape(-1),
            _Parts.of([np.frombuffer(each, np.uint8) for each in sources]),
            _Parts.of([each.loops.runs for each in entries]),
            _Parts.of([each.loops.segments for each in entries]),
        )

    def __len__(self) -> int:
        """How many there are."""
        return len(self.matches)

    def source(self, number: int) -> str:
        """The path or URL of one."""
        return self._sources[number].tobytes().decode("utf-8", "surrogateescape")

    def loops(self, number: int) -> FrameLoops:
        """The game loops of the frames of one."""
        return FrameLoops(self._runs[number], self._segments[number])

    def part(self, numbers: NDArray[np.intp]) -> Recordings:
        """Some of them."""
        parts = (self._sources, self._runs, self._segments)
        return Recordings(self.matches[numbers], *(each.some(numbers) for each in parts))


class _Parts:
    """Arrays of different lengths as one."""

    def __init__(self, joined: NDArray[Any], ends: NDArray[np.int64]) -> None:
        self._joined = joined
        self._ends = ends

    @classmethod
    def of(cls, parts: Sequence[NDArray[Any]]) -> _Parts:
        return cls(np.concatenate(parts), np.cumsum([len(each) for each in parts], dtype=np.int64))

    def __getitem__(self, number: int) -> NDArray[Any]:
        return self._joined[self._ends[number - 1] if number else 0 : self._ends[number]]

    def some(self, numbers: NDArray[np.intp]) -> _Parts:
        return _Parts.of([self[each] for each in numbers.tolist()])


def find(
    inputs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    index: str | os.PathLike[str] | None,
    check: Callable[[str, Recording], None] | None,
) -> tuple[list[Entry], list[Failure]]:
    """What is known of recordings, and those that cannot be read.

    Args:
        inputs: Files, folders, globs and URLs.
        index: File that keeps what was known, so that older recordings are not read again; None: no file.
        check: Called with each recording, which is open; raises RecordingError if it cannot be used. None: those that
            the index knows are not opened.

    Raises:
        AbathurError: an input names no file.
        OSError: the index cannot be written.
    """
    given = [inputs] if isinstance(inputs, str | os.PathLike) else inputs
    sources = input_files.find([os.fspath(each) for each in given])
    known = {} if index is None else _read(Path(index))
    entries: list[Entry] = []
    failures: list[Failure] = []
    for source in sources:
        try:
            entries.append(_entry(source, known.get(source), check))
        except AbathurError as error:
            failures.append(Failure(source, str(error)))
        except OSError as error:
            failures.append(Failure(source, f"cannot open {source}: {error.strerror}"))
    if index is not None:
        fresh = {each.source: each for each in entries if each.stamp != (0, 0)}
        if any(known.get(source) is not each for source, each in fresh.items()):
            _write(Path(index), known | fresh)
    return entries, failures


def _entry(source: str, known: Entry | None, check: Callable[[str, Recording], None] | None) -> Entry:
    stamp = (0, 0)
    if not input_files.is_url(source):
        facts = Path(source).stat()
        stamp = (facts.st_size, facts.st_mtime_ns)
        if known is not None and known.stamp == stamp and check is None:
            return known
    with input_files.local(source) as path, open_recording(path) as recording:
        if not len(recording):
            raise RecordingError(f"{source} has no frames")
        if check is not None:
            check(source, recording)
        if known is not None and known.stamp == stamp != (0, 0) and len(known.loops) == len(recording):
            return known
        names = [recording.metadata.get(name, "") for name in ("map_name", "game_version")]
        match = recording.metadata.get("group_id") or recording.metadata.get("match_id") or source
        return Entry(source, stamp, recording._frame_loops(), json.dumps([match, *names]))


def _read(path: Path) -> dict[str, Entry]:
    """The entries of an index; what is not of this version, or damaged, is made again."""
    try:
        lines = path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except FileNotFoundError:
        return {}
    try:
        if not lines or json.loads(lines[0]) != _HEAD:
            return {}
        return {each.source: each for each in map(_from_json, map(json.loads, lines[1:]))}
    except (ValueError, KeyError, TypeError, OverflowError):
        return {}


def _write(path: Path, entries: dict[str, Entry]) -> None:
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    lines = [_HEAD, *(_to_json(entries[source]) for source in sorted(entries))]
    try:
        part.write_text("".join(f"{json.dumps(each)}\n" for each in lines), encoding="utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _to_json(entry: Entry) -> dict[str, Any]:
    loops, segments = entry.loops.to_text()
    return {
        "source": entry.source,
        "bytes": entry.stamp[0],
        "modified": entry.stamp[1],
        "frames": len(entry.loops),
        "loops": loops,
        "segments": segments,
        "match": entry.match,
    }


def _from_json(values: dict[str, Any]) -> Entry:
    return Entry(
        str(values["source"]),
        (int(values["bytes"]), int(values["modified"])),
        FrameLoops.parse(values["loops"], values["segments"], values["frames"]),
        str(values["match"]),
    )

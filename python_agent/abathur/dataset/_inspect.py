"""What a dataset has, and whether it is what its recordings have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from abathur._recording import input_files
from abathur._recording import tables as _tables
from abathur._recording.opened import open_recording
from abathur._recording.recording import Recording
from abathur.dataset import _matches
from abathur.dataset._entry import Entry, Part
from abathur.dataset._options import Options
from abathur.dataset._store import Store, digest
from abathur.dataset._tables import TABLES
from abathur.errors import RecordingError

#: Called with the number of recordings that are done, of all, and of their frames.
Progress = Callable[[int, int, int], None]


@dataclass(slots=True)
class TableSize:
    """A table of a dataset.

    Attributes:
        rows: Number of rows.
        bytes: Size of its files.
        files: Number of its files.
    """

    rows: int
    bytes: int
    files: int


@dataclass(slots=True)
class Info:
    """A dataset.

    Attributes:
        options: What it has of each recording.
        matches: Number of matches.
        recordings: Number of recordings.
        recording_bytes: Size of the recordings.
        frames: Observations in the recordings.
        sampled: Those of them that are in the dataset.
        tables: Sizes by table.
        failures: Source and error of each recording of the last build that is not in the dataset.
        overlapping: Ids of matches of which one player has several recordings: rows of the same game loop may repeat.
    """

    options: Options
    matches: int
    recordings: int
    recording_bytes: int
    frames: int
    sampled: int
    tables: dict[str, TableSize]
    failures: list[dict[str, str]]
    overlapping: list[str]


def info(folder: str | Path) -> Info:
    """What a dataset has, from its manifest.

    Raises:
        AbathurError: it is not a dataset, or its manifest is damaged.
    """
    store = Store.open(Path(folder))
    entries = store.entries()
    matches = _matches.together(entries)
    tables = {}
    for table in TABLES:
        parts = [entry.parts[table] for entry in entries]
        tables[table] = TableSize(sum(each.rows for each in parts), sum(each.bytes for each in parts), len(parts))
    return Info(
        options=store.options(),
        matches=len(matches),
        recordings=len(entries),
        recording_bytes=sum(entry.bytes for entry in entries),
        frames=sum(entry.frames for entry in entries),
        sampled=sum(entry.sampled for entry in entries),
        tables=tables,
        failures=store.failures(),
        overlapping=[each[0].match_id for each in matches if len({entry.player_id for entry in each}) < len(each)],
    )


def check(folder: str | Path, inputs: Iterable[str | Path] = (), *, progress: Progress | None = None) -> list[str]:
    """Compare the files of a dataset with its manifest, and its rows with recordings.

    Args:
        folder: The dataset.
        inputs: Recordings, as for `build`, whose frames, units, events and actions are counted. Without them, only the
            dataset's own files are read.
        progress: Called after each recording.

    Returns:
        What is wrong, a sentence each; empty if nothing is.

    Raises:
        AbathurError: it is not a dataset, its manifest is damaged, or an input names no file.
    """
    _tables.require()
    store = Store.open(Path(folder))
    entries = store.entries()
    sources = input_files.find([str(each) for each in inputs])
    problems = [problem for entry in entries for problem in _wrong_parts(store, entry)]
    problems += _other_files(store, entries)
    problems += _wrong_matches(store, entries)
    frames = 0
    for done, source in enumerate(sources, 1):
        try:
            with input_files.local(source) as path:
                entry = store.entry(digest(path))
                if entry is None:
                    problems.append(f"{source} is not in the dataset")
                else:
                    with open_recording(path) as recording:
                        problems += _wrong_rows(recording, source, entry, store.options())
                    frames += entry.frames
        except (RecordingError, OSError) as error:
            problems.append(str(error))
        # Whatever a value that no game writes leads to: the other recordings are checked.
        except Exception as error:
            problems.append(f"{source}: {type(error).__name__}: {error}")
        if progress is not None:
            progress(done, len(sources), frames)
    return problems


def _wrong_parts(store: Store, entry: Entry) -> Iterator[str]:
    for part in entry.parts.values():
        problem = _wrong_part(store.root / part.file, part)
        if problem:
            yield f"{part.file} {problem}; delete {store.entry_file(entry.sha256).name} in the manifest and build again"


def _wrong_part(file: Path, part: Part) -> str:
    import pyarrow.parquet as pq

    if not file.is_file():
        return "is missing"
    if file.stat().st_size != part.bytes or digest(file) != part.sha256:
        return f"was changed after it was written: it has {file.stat().st_size} bytes, of {part.bytes}"
    rows = pq.read_metadata(file).num_rows
    return f"has {rows} rows, not {part.rows}" if rows != part.rows else ""


def _other_files(store: Store, entries: Iterable[Entry]) -> Iterator[str]:
    known = {part.file for entry in entries for part in entry.parts.values()}
    for table in TABLES:
        for file in sorted((store.root / table).rglob("*.parquet")):
            if (name := file.relative_to(store.root).as_posix()) not in known:
                yield f"{name} belongs to no complete recording: build again, or delete it"


def _wrong_matches(store: Store, entries: list[Entry]) -> Iterator[str]:
    import pyarrow.parquet as pq

    file = store.root / _matches.FILE
    rows = pq.read_metadata(file).num_rows if file.is_file() else None
    expected = len(_matches.together(entries))
    if rows != expected:
        found = "is missing" if rows is None else f"has {rows} rows, not {expected}"
        yield f"{_matches.FILE} {found}: build again"


def _wrong_rows(recording: Recording, source: str, entry: Entry, options: Options) -> Iterator[str]:
    """Counted from the messages, not in the way in which the dataset was built."""
    counted = dict.fromkeys(TABLES, 0)
    for frame in recording.frames(every=options.every):
        counted["players"] += 1
        # Of a message, without the library.
        units = frame.units if frame._source.columns is not None else frame.observation.raw_data.units
        counted["units"] += len(units)
        counted["events"] += len(frame.events)
        for response in (frame.skipped_events, frame.rest):
            counted["actions"] += len(response.actions) if response is not None else 0
    counted["actions"] += sum(len(request.actions) for request in recording.action_requests())
    for table, number in counted.items():
        if (rows := entry.parts[table].rows) != number:
            yield f"{table} of {source}: the dataset has {rows} rows, the recording {number}"
    if recording.frame_count != entry.frames:
        yield f"{source}: the dataset knows {entry.frames} frames, the recording has {recording.frame_count}"

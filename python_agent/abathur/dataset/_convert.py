"""One recording to its files of a dataset."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from abathur._frame import numbers
from abathur._frame.frame import Frame
from abathur._recording import input_files, match_facts
from abathur._recording.opened import open_recording
from abathur._recording.recording import Recording
from abathur.dataset import _actions, _events, _matches, _tables
from abathur.dataset._entry import Entry
from abathur.dataset._options import Options
from abathur.dataset._recorded import RecordedMatch
from abathur.dataset._store import Store, digest, match_id
from abathur.dataset._units import UnitsWriter
from abathur.errors import AbathurError, ProtocolError, RecordingError


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a recording.

    Attributes:
        entry: Its entry; None if it failed.
        is_new: Whether it was converted now; False: the dataset had it.
        error: Why it failed.
        is_damaged: Whether the recording is the reason.
    """

    entry: Entry | None = None
    is_new: bool = False
    error: str = ""
    is_damaged: bool = False


def convert(source: str, root: str, options: Options) -> Outcome:
    """Convert a recording, unless the dataset has its content. Runs in workers; the same input makes the same bytes.

    Args:
        source: Absolute path, or URL, of the recording.
        root: Absolute path of the dataset, which exists.
        options: Those of the dataset.

    Raises:
        AbathurError: the dataset's folder is not there.
        OSError: the dataset cannot be written.
    """
    store = Store(Path(root))
    if not store.root.is_dir():
        raise AbathurError(f"{root} does not exist on this worker: all workers must see the folder of the dataset")
    try:
        with input_files.local(source) as path:
            try:
                return _new_or_kept(path, store, options)
            except AbathurError as error:
                is_damaged = isinstance(error, RecordingError | ProtocolError)
                # Not the name of a temporary copy; errors inside a recording do not name it.
                said = str(error).replace(str(path), source)
                return Outcome(error=said if source in said else f"{source}: {said}", is_damaged=is_damaged)
            except OSError:
                raise
            # Whatever a value that no game writes leads to: the other recordings go on.
            except Exception as error:
                return Outcome(error=f"{source}: {type(error).__name__}: {error}", is_damaged=True)
    except RecordingError as error:
        return Outcome(error=str(error), is_damaged=True)


def _new_or_kept(path: Path, store: Store, options: Options) -> Outcome:
    sha256 = _content(path)
    if (entry := store.entry(sha256)) is not None:
        return Outcome(entry)
    with open_recording(path) as recording:
        return Outcome(_convert(recording, sha256, store, options), is_new=True)


def _content(path: Path) -> str:
    try:
        return digest(path)
    except OSError as error:
        raise RecordingError(f"cannot open {path}: {error.strerror}") from None


def _convert(recording: Recording, sha256: str, store: Store, options: Options) -> Entry:
    known = recording.metadata
    entry = Entry(
        sha256=sha256,
        files=[],
        bytes=recording._file.size(),
        match_id=match_id(known.get("group_id") or known.get("match_id", ""), sha256),
        player_id=_number(known.get("player_id", "")),
        map_name=known.get("map_name", ""),
        game_version=known.get("game_version", ""),
        tick_hz=recording.tick_hz,
        source=known.get("source", ""),
        simulated=known.get("simulated") == "true",
        players=[],
        frames=0,
        sampled=0,
        first_game_loop=None,
        last_game_loop=None,
        parts={},
    )
    with store.temporary(sha256) as folder:
        rows = _write(recording, entry, options, folder)
        _matches.check(entry)
        for table in _tables.TABLES:
            entry.parts[table] = store.place(table, folder / f"{table}.parquet", entry, rows[table])
    return entry


def _write(recording: Recording, entry: Entry, options: Options, folder: Path) -> dict[str, int]:
    """Write all tables, complete the entry, and return the number of rows of each table."""
    wanted = numbers.numbers(options.fields)
    dtypes = {"game_loop": "u4", **{name: dtype for name, (_, dtype) in wanted.items()}}
    columns = {"players": dtypes, "events": _events.COLUMNS, "actions": _actions.COLUMNS}
    fields = numbers.Reader(wanted)
    results: dict[int, str] = {}
    with ExitStack() as stack:
        writers = {}
        for table, types in columns.items():
            schema = _tables.schema(types, nullable=table != "players")
            writers[table] = stack.enter_context(_tables.RowsWriter(folder / f"{table}.parquet", schema))
        units = stack.enter_context(UnitsWriter(folder / "units.parquet", options))
        match = RecordedMatch(recording, options.every)
        for frame in match.frames():
            rest = frame._without_units()
            if entry.sampled == 0:
                entry.first_game_loop = frame.game_loop
                entry.player_id = entry.player_id or rest.observation.player_common.player_id
            entry.sampled += 1
            units.add(frame)
            writers["players"].add_values([frame.game_loop, *fields.read(rest)])
            for row in _events.rows(frame.game_loop, frame.events):
                writers["events"].add(row)
            _add_actions(writers["actions"], frame, match)
            if frame.skipped_events is not None:
                results |= match_facts.results(frame.skipped_events)
            results |= match_facts.results(rest)
        _add_actions(writers["actions"], None, match)
    entry.frames = match.frame_count
    entry.last_game_loop = match.last_game_loop
    entry.players = match_facts.players(recording.game_info(), results)
    return {"units": units.count, **{table: writer.count for table, writer in writers.items()}}


def _add_actions(writer: _tables.RowsWriter, frame: Frame | None, match: RecordedMatch) -> None:
    """What was sent since the sampled frame before, and what the game tells of it."""
    for game_loop, request in match.sent:
        for row in _actions.rows(game_loop, _actions.SENT, request.actions):
            writer.add(row)
    match.sent.clear()
    if frame is None:
        return
    for response in (frame.skipped_events, frame._without_units()):
        for row in _actions.rows(frame.game_loop, _actions.OBSERVED, response.actions if response else ()):
            writer.add(row)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else 0

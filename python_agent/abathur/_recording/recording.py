"""Recordings without the daemon: MCAP files, read with the public `mcap` package."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from itertools import islice
from operator import index
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex, TypeVar

from s2clientprotocol import sc2api_pb2

from abathur._events import plots
from abathur._events.plots import PlotSeries
from abathur._events.timeline import Timeline, TimelineBuilder
from abathur._frame.equivalents import absent
from abathur._frame.frame import Frame
from abathur._recording import frame_loops, match_facts, tables
from abathur._recording.damage import as_recording_error
from abathur._recording.equivalents import RECORDING
from abathur._recording.frame_loops import FrameLoops
from abathur._recording.frame_range import RecordedFrames, number_of_frames
from abathur._recording.match_facts import RecordedPlayer
from abathur._recording.positioned_file import PositionedFile
from abathur._recording.recorded_frames import (
    ACTIONS,
    COLUMNS,
    DRAWINGS,
    OBSERVATION,
    OBSERVATIONS,
    PLOTS,
    Observation,
    check_every,
    game_loop_of,
    observations,
    select,
    with_others,
)
from abathur._recording.recorded_index import RecordedIndex
from abathur._recording.segments import parse_segment
from abathur._values import arguments, game_time
from abathur._values.game_time import GameTime
from abathur._values.printable import printable
from abathur._values.read_only import explain
from abathur.errors import RecordingError
from abathur.sync.v1 import sync_pb2

if TYPE_CHECKING:
    import pyarrow

_SCHEMA = "SC2APIProtocol.ResponseObservation"
_METADATA = "abathur.match"
#: How many frames are in how many segments of a compact recording.
_COUNTS = "abathur.compact"
_MAX_TICK_HZ = 1000
_INCOMPLETE = (
    "is not a complete MCAP file ({}); "
    "if it is a recording, `abathur-sync recover` makes a new file of its complete part"
)
_MAX_DIGITS = 12
#: Frames that are read and thrown away to get to one ahead, before reading starts again at a chunk.
_NEAR = 64
_T = TypeVar("_T")
_M = TypeVar("_M", sc2api_pb2.ResponseGameInfo, sc2api_pb2.ResponseData)


class _Cursor(NamedTuple):
    """Where the frame after the last one that was read by its number begins."""

    number: int
    observations: Iterator[Observation]


class Recording:
    """A recorded match. Made by `open`.

    ``len(match)`` is the number of its frames, ``match[0]`` the first of them; iteration gives all. Threads and forked
    processes may read one recording at once. It is pickled by its path: a process that is spawned opens it again.

    Attributes:
        path: The file.
        metadata: The recording's metadata of its match, as strings: match_id, map_name, tick_hz, simulated, ...
        frame_count: Number of observations.
    """

    def __init__(self, path: Path) -> None:
        """Use `open`."""
        self.path = path
        self.frame_count: int = 0
        self._timeline: Timeline | None = None
        self._index: RecordedIndex | None = None
        self._loops: FrameLoops | None = None
        #: The results in the last frame.
        self._ends: dict[int, str] | None = None
        # One at most: what is taken from it belongs to the thread that took it.
        self._cursors: deque[_Cursor] = deque(maxlen=1)
        self._file = PositionedFile(path)
        try:
            with as_recording_error(path, _INCOMPLETE):
                # Not needed by agents, and `import abathur` should be quick.
                from abathur._recording.mcap_file import McapFile

                self._mcap = McapFile(self._file)
                self.metadata: dict[str, str] = self._mcap.metadata(_METADATA)
            with as_recording_error(path):
                self._check_schema()
                self.frame_count = self._count_frames()
        except BaseException:
            self._file.close()
            raise

    def __reduce__(self) -> tuple[Callable[[Path], Recording], tuple[Path]]:
        """The path: the file is opened again."""
        return Recording, (self.path.absolute(),)

    def __len__(self) -> int:
        """Number of frames."""
        return self.frame_count

    def __bool__(self) -> bool:
        """A recording without frames is a recording."""
        return True

    def __repr__(self) -> str:
        """File, map and number of frames."""
        return f"<Recording {self.path.name}: {printable(self.map_name) or 'unknown map'}, {self.frame_count} frames>"

    # Type checkers find misspelled names.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """What to write in place of a name that does not exist."""
            return absent(self, name, RECORDING)

    def _repr_html_(self) -> str:
        """For notebooks: map, frames, duration and players."""
        return match_facts.html(self)

    @property
    def map_name(self) -> str:
        """The name of the map; empty if the recording does not have it."""
        return self.metadata.get("map_name", "")

    @property
    def game_version(self) -> str:
        """The version of the game, such as ``"5.0.14"``; empty if the recording does not have it."""
        return self.metadata.get("game_version", "")

    @property
    def duration(self) -> float:
        """The game time of the last frame, in seconds at 22.4 game loops a second; 0 without frames.

        Raises:
            RecordingError: the file is damaged there.
        """
        return (self._last_game_loop() or 0) / game_time.LOOPS_PER_SECOND

    @property
    def players(self) -> list[RecordedPlayer]:
        """The players of the match, by their number, with race and result as far as the recording tells.

        Raises:
            RecordingError: the file is damaged.
        """
        return match_facts.players(self.game_info(), self._results())

    @property
    def result(self) -> str | None:
        """The result of the recorded player: ``victory``, ``defeat``, ``tie`` or ``undecided``.

        None if the recording ends before the match, or does not tell whose it is; `players` has all results.

        Raises:
            RecordingError: the file is damaged.
        """
        number = self.metadata.get("player_id", "")
        return self._results().get(int(number)) if _is_number(number) else None

    def __iter__(self) -> Iterator[Frame]:
        """Every frame: `frames` without options."""
        return self.frames()

    def __getitem__(self, number: SupportsIndex) -> Frame:
        """A frame by its number, from 0; from the last one, -1. Its `events` are not known.

        Frames are fastest in their order; otherwise each needs its chunk of the file, as a rule 16 MiB of observations.
        Of a compact recording, and of one without an index, the first use reads the whole file.

        Raises:
            IndexError: there is no such frame.
            RecordingError: the file is damaged there.
            TypeError: it is not an integer.
        """
        if isinstance(number, slice):
            raise TypeError(f"a frame has one number, not {number}: `frames` has a range of game loops")
        if isinstance(number, str):
            raise TypeError(
                f"a frame has a number, not {number!r}: write recording.frame_at({number!r}) for a game time"
            )
        if not arguments.is_integer(number):
            raise TypeError(f"a frame has an integer as its number, not {arguments.shown(number)}")
        given = index(number)
        wanted = given + self.frame_count if given < 0 else given
        if not 0 <= wanted < self.frame_count:
            raise IndexError(f"{self.path} has no frame {given}; it has {self.frame_count} frames")
        self._file.check_open()
        with as_recording_error(self.path):
            return self._numbered(wanted).frame(self.metadata.get("match_id", ""))

    def frame_at(self, game_loop: GameTime) -> Frame:
        """The frame at a game loop, or at a game time (``"2:00"``), or the first one after it.

        Raises:
            RecordingError: no frame is there or after it, or the file is damaged there.
            TypeError, ValueError: it is neither.
        """
        for frame in self.frames(start=game_time.game_loop(game_loop, "game_loop")):
            return frame
        raise RecordingError(f"{self.path} has no frame at game loop {game_loop} or after it")

    def __enter__(self) -> Recording:
        """The recording is already open."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the file."""
        explain(error)
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @property
    def tick_hz(self) -> float:
        """Game loops per second of wall clock; 22.4 if the recording does not have it, or it is invalid."""
        try:
            hz = float(self.metadata.get("tick_hz", ""))
        except ValueError:
            return game_time.LOOPS_PER_SECOND
        return hz if 0 < hz <= _MAX_TICK_HZ else game_time.LOOPS_PER_SECOND

    def game_info(self) -> sc2api_pb2.ResponseGameInfo | None:
        """The game info; None if the recording has none. Raises RecordingError if the file is damaged."""
        return self._first("/game_info", sc2api_pb2.ResponseGameInfo)

    def game_data(self) -> sc2api_pb2.ResponseData | None:
        """The game data; None if the recording has none. Raises RecordingError if the file is damaged."""
        return self._first("/game_data", sc2api_pb2.ResponseData)

    def frames(self, *, start: GameTime | None = 0, stop: GameTime | None = None, every: int = 1) -> RecordedFrames:
        """The recorded frames, the same objects as from a daemon.

        Args:
            start: First game loop, or game time: ``"2:00"``, a `timedelta`; None: from the beginning.
            stop: Game loop, or game time, before which to stop; None: to the end.
            every: Only frames at least this many game loops apart, and the last one of the recording, as `Game.frames`
                does. 0 and 1: every frame. `Frame.skipped_events` has what happened once in the others.

        Returns:
            An iterator, which has a length where it is known: see `RecordedFrames`.

        Raises:
            RecordingError: the file is damaged there.
            TypeError: `start` or `stop` is neither a game loop nor a game time.
            ValueError: `every` is negative, or a text is not a game time.
        """
        check_every(every)
        first = 0 if start is None else game_time.game_loop(start, "start")
        end = None if stop is None else game_time.game_loop(stop, "stop")

        def count() -> int | None:
            return self._number_of(first, end, every)

        return RecordedFrames(self._frames(first, end, every), count, repr(self)[1:-1])

    def _frames(self, start: int, stop: int | None, every: int) -> Generator[Frame, None, None]:
        self._file.check_open()
        with as_recording_error(self.path):
            recorded = self._observations(self._log_time_before(start))
            yield from select(recorded, start, stop, every, self.metadata.get("match_id", ""))

    def _number_of(self, start: int, stop: int | None, every: int) -> int | None:
        """How many frames `frames` gives; None if it is not known without reading them."""
        if start <= 0 and stop is None and every <= 1:
            return self.frame_count
        try:
            last = self._last_game_loop()
            with as_recording_error(self.path):
                first = next(self._messages(OBSERVATIONS, None), None)
        except RecordingError:
            return None
        if first is None or last is None:
            return 0
        begin = game_loop_of(first[1])
        if last - begin + 1 != self.frame_count:
            return None
        return number_of_frames(begin, last, start, stop, every)

    def payloads(self) -> Iterator[bytes]:
        """Every recorded observation: a serialized `ResponseObservation`, built if the recording is compact.

        Raises:
            RecordingError: the file is damaged there.
        """
        with as_recording_error(self.path):
            for each in self._observations(None):
                yield each.data

    def action_requests(self) -> Iterator[sc2api_pb2.RequestAction]:
        """Every recorded request of actions: of the bot, and of agents.

        Raises:
            RecordingError: the file is damaged there.
        """
        with as_recording_error(self.path):
            for _, message in self._messages([ACTIONS], None):
                yield sc2api_pb2.RequestAction.FromString(message.data)

    def plots(self) -> list[PlotSeries]:
        """The series that agents plotted, by agent and name. Reads the whole file.

        Raises:
            RecordingError: the file is damaged.
        """
        with as_recording_error(self.path):
            return plots.merged(sync_pb2.Plots.FromString(message.data) for _, message in self._messages([PLOTS], None))

    def timeline(self) -> Timeline:
        """Some numbers of the match, one row a game second: see `Timeline`. Computed once, which reads the whole file.

        Raises:
            RecordingError: the file is damaged.
        """
        if self._timeline is None:
            builder = TimelineBuilder(self.game_data())
            with as_recording_error(self.path):
                for topic, each in with_others(self._messages([*OBSERVATIONS, DRAWINGS], None), self._file.size()):
                    if topic == DRAWINGS:
                        layers = sync_pb2.Drawings.FromString(each.data).layers
                        builder.add_layers(game_loop_of(each), [layer.name for layer in layers if layer.shapes])
                        continue
                    builder.add_events(each.game_loop, each.without_units())
                    if builder.is_due(each.game_loop):
                        builder.add(each.game_loop, each.frame("").observation)
            self._timeline = builder.build()
        return self._timeline

    def units_table(self, *, start: GameTime | None = 0, stop: GameTime | None = None) -> pyarrow.Table:
        """All units of all frames as one `pyarrow.Table`: game_loop (uint32), a column per field, and name.

        ``.to_pandas()`` makes a data frame of it. Needs pyarrow: ``pip install pyarrow``.
        """
        return tables.table(self.frames(start=start, stop=stop))

    def units_arrays(self, *, start: GameTime | None = 0, stop: GameTime | None = None) -> dict[str, Any]:
        """The same as NumPy arrays by name, each of shape (rows,)."""
        return tables.arrays(self.frames(start=start, stop=stop))

    def _check_schema(self) -> None:
        contents = self._mcap.contents
        schemas = {schema.id: schema.name for schema in contents.schemas.values()}
        self._channels = {
            channel.id: channel.topic
            for channel in contents.channels.values()
            if channel.topic == COLUMNS or (channel.topic == OBSERVATION and schemas.get(channel.schema_id) == _SCHEMA)
        }
        if not self._channels:
            raise RecordingError(f"{self.path} has no channel {OBSERVATION} with {_SCHEMA}")

    def _results(self) -> dict[int, str]:
        if self._ends is None:
            self._file.check_open()
            with as_recording_error(self.path):
                last = self._last_of(self._observations)
                self._ends = {} if last is None else match_facts.results(last.without_units())
        return self._ends

    def _last_game_loop(self) -> int | None:
        """The game loop of the last frame, which is not decoded; None without frames."""
        self._file.check_open()
        with as_recording_error(self.path):
            last = self._last_of(lambda start: self._messages(OBSERVATIONS, start))
            if last is None:
                return None
            topic, message = last
            steps = parse_segment(message.data).game_loop_steps if topic == COLUMNS else ()
            return game_loop_of(message) + sum(steps)

    def _last_of(self, read: Callable[[int | None], Iterable[_T]]) -> _T | None:
        """The last of what is read, from the last chunk that has any."""
        starts = {int(chunk.message_start_time) for chunk in self._mcap.contents.chunks}
        for start in (*sorted(starts, reverse=True), None):
            if found := deque(read(start), maxlen=1):
                return found[0]
        return None

    @property
    def _is_compact(self) -> bool:
        return COLUMNS in self._channels.values()

    def _count_frames(self) -> int:
        counts = {COLUMNS: 0, OBSERVATION: 0}
        for channel, topic in self._channels.items():
            counts[topic] += self._mcap.contents.message_counts.get(channel, 0)
        if counts[COLUMNS] == 0:
            return counts[OBSERVATION]
        # In a file that was made of another one, the number of frames may be that of the other one.
        counted = self._mcap.metadata(_COUNTS)
        if counted.get("segments") == str(counts[COLUMNS]) and _is_number(counted.get("frames", "")):
            return counts[OBSERVATION] + int(counted["frames"])
        return len(self._indexed())

    def _frame_loops(self) -> FrameLoops:
        """The game loops of all frames. A recording without the record of them is read, as far as it is stored."""
        if self._loops is None:
            self._file.check_open()
            with as_recording_error(self.path):
                found = FrameLoops.from_metadata(self._mcap.metadata(frame_loops.METADATA), self.frame_count)
                self._loops = found or FrameLoops.of_messages(self._messages(OBSERVATIONS, None))
        return self._loops

    def _indexed(self) -> RecordedIndex:
        if self._index is None:
            times = list(self._mcap.listed_times(self._channels.keys()))
            counts: Sequence[int] = [1] * self.frame_count
            if self._is_compact:
                counts = self._frame_loops().counts().tolist()
            # 0: they are being counted.
            if times and len(times) == len(counts) and self.frame_count in (0, sum(counts)):
                self._index = RecordedIndex(times, counts)
            else:
                self._index = RecordedIndex.of_messages(self._messages(OBSERVATIONS, None))
        return self._index

    def _numbered(self, number: int) -> Observation:
        """The observation with a number. Goes on after the last one, if it is a little further on."""
        try:
            cursor = self._cursors.pop()
        except IndexError:
            cursor = None
        if cursor is None or not 0 <= number - cursor.number <= _NEAR:
            time, before = self._indexed().place(number)
            cursor = _Cursor(number - before, self._observations(time))
        observation = next(islice(cursor.observations, number - cursor.number, None), None)
        if observation is None:
            raise RecordingError(f"{self.path} is damaged: it lacks some of the {self.frame_count} frames in its index")
        self._cursors.append(_Cursor(number + 1, cursor.observations))
        return observation

    def _observations(self, start_time: int | None) -> Iterator[Observation]:
        return observations(self._messages(OBSERVATIONS, start_time), self._file.size())

    def _messages(self, topics: Sequence[str], start_time: int | None) -> Iterator[tuple[str, Any]]:
        """Topics and messages, in the order of the file, in which segments are behind what they span."""
        return self._mcap.messages(topics, start_time or 0)

    def _first(self, topic: str, kind: type[_M]) -> _M | None:
        with as_recording_error(self.path):
            for _, message in self._messages([topic], None):
                return kind.FromString(message.data)
        return None

    def _log_time_before(self, game_loop: int) -> int | None:
        """A log time at or before the frame of a game loop, by binary search over the chunks."""
        chunks = sorted(self._mcap.contents.chunks, key=lambda chunk: chunk.message_start_time)
        low, high = 0, len(chunks)
        while low < high:
            middle = (low + high) // 2
            start = chunks[middle].message_start_time
            first = next(self._messages(OBSERVATIONS, start), None)
            if first is None or game_loop_of(first[1]) >= game_loop:
                high = middle
            else:
                low = middle + 1
        return int(chunks[low - 1].message_start_time) if low else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS

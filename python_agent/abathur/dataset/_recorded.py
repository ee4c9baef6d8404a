"""The sampled frames of a recording, and the requests of actions in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import cached_property
from itertools import chain, islice, pairwise
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
from google.protobuf.message import DecodeError
from numpy.typing import NDArray
from s2clientprotocol import sc2api_pb2

from abathur._frame.frame import Frame
from abathur._frame.nested import NestedSource
from abathur._frame.source import BytesSource, UnreadableError
from abathur._frame.unit_columns import COLUMNS
from abathur._frame.unit_messages import MessageUnits
from abathur._frame.units import Units
from abathur._program.daemon import has_daemon
from abathur._recording import tables, without_units
from abathur._recording.damage import as_recording_error
from abathur._recording.recorded_frames import (
    ACTIONS,
    OBSERVATION,
    OBSERVATIONS,
    Observation,
    game_loop_of,
    select,
    with_others,
)
from abathur._recording.recording import Recording
from abathur._recording.tables import Block
from abathur.errors import RecordingError

#: Game loop and request.
_Request = tuple[int, sc2api_pb2.RequestAction]

#: Parsing fewer frames takes less time than starting a daemon.
_FEW_FRAMES = 200
#: The daemon parses all units of a recording, in a third of the time that it takes here.
_MAX_STRIDE = 2


class RecordedMatch:
    """Reads a recording once, from its first frame to its last.

    Attributes:
        sent: Game loops and requests of the actions that were read and not taken yet.
        frame_count: Number of frames that were read, whether they are sampled or not.
        last_game_loop: Game loop of the last of them; None before the first.
    """

    def __init__(self, recording: Recording, every: int) -> None:
        """Read an open recording, of which frames at least `every` game loops apart are sampled."""
        self._recording = recording
        self._every = every
        self._stack = ExitStack()
        self._rows: _DaemonRows | None = None
        self.sent: list[_Request] = []
        self.frame_count = 0
        self.last_game_loop: int | None = None

    def __enter__(self) -> RecordedMatch:
        """Start a daemon where that is faster: it parses the units, with the same result."""
        # Columns are arrays already.
        is_whole = not self._recording._is_compact
        if is_whole and self._recording.frame_count >= _FEW_FRAMES and self._stride() <= _MAX_STRIDE and has_daemon():
            blocks = self._stack.enter_context(tables.recorded_blocks(self._recording.path, 0, None))
            self._rows = _DaemonRows(blocks)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End the daemon."""
        self._stack.close()

    def frames(self) -> Iterator[Frame]:
        """The sampled frames, as `Recording.frames` has them, with all columns of units.

        Raises:
            RecordingError: the recording is damaged.
        """
        with as_recording_error(self._recording.path):
            match_id = self._recording.metadata.get("match_id", "")
            for frame in select(self._observations(), 0, None, self._every, match_id):
                if self._rows is not None:
                    assert isinstance(frame._source, BytesSource)
                    frame._source = _RowsSource(frame._source.data, self._rows.current)
                yield frame
            if self._rows is not None:
                self._rows.finish(self._recording)

    def _observations(self) -> Iterator[Observation]:
        """The observations, each with its units in `_rows`."""
        previous = None
        for (observation, requests), following in pairwise(chain(self._with_requests(), [(None, [])])):
            assert observation is not None
            game_loop = observation.game_loop
            self.frame_count += 1
            self.last_game_loop = game_loop
            self.sent += requests
            if self._rows is not None:
                # Only with the frame's own number can units of two frames of one game loop be told apart.
                loops = (previous, following[0] and following[0].game_loop)
                self._rows.advance(game_loop, _number_of_units(observation.data) if game_loop in loops else None)
                previous = game_loop
            yield observation

    def _with_requests(self) -> Iterator[tuple[Observation | None, list[_Request]]]:
        """Observations, each with the requests of actions before it."""
        requests: list[_Request] = []
        messages = self._recording._messages([*OBSERVATIONS, ACTIONS], None)
        for topic, message in with_others(messages, self._recording._file.size()):
            if topic == OBSERVATION:
                yield message, requests
                requests = []
            else:
                requests.append((game_loop_of(message), sc2api_pb2.RequestAction.FromString(message.data)))
        self.sent += requests

    def _stride(self) -> float:
        """Frames of the recording for each that is sampled."""
        loops = [each.game_loop for each in islice(self._recording._observations(None), 2)]
        step = loops[1] - loops[0] if len(loops) == 2 else 1
        return self._every / max(step, 1)


class Rows(NamedTuple):
    """Consecutive rows of a block."""

    block: Block
    begin: int
    end: int


class _DaemonRows:
    """The units of frames in order, from the daemon's blocks, in which each frame is whole."""

    def __init__(self, blocks: Iterator[Block]) -> None:
        self._blocks = blocks
        self._block: Block = {}
        self._place = 0
        self._end = 0
        self.current = Rows({}, 0, 0)

    def advance(self, game_loop: int, count: int | None) -> None:
        """Go to the units of the next frame.

        Args:
            game_loop: Its game loop.
            count: Number of its units; None: all rows of this game loop that follow.
        """
        while self._place == self._end:
            self._block = next(self._blocks, {})
            if not self._block:
                break
            self._place, self._end = 0, len(self._block["game_loop"])
        begin = self._place
        if count is None:
            # Rows are in the order of the frames: those of this frame, if it has any, are the next.
            count = _run_length(self._block["game_loop"][begin:], game_loop) if self._block else 0
        self._place = begin + count
        self.current = Rows(self._block, begin, self._place)

    def finish(self, recording: Recording) -> None:
        """After the last frame, no row may be left: then the daemon has read other frames."""
        if self._place != self._end or next(self._blocks, None) is not None:
            raise RecordingError(f"{recording.path}: the daemon found other units than those of the frames")


class _RowsSource(BytesSource):
    """An observation whose units are in rows already."""

    def __init__(self, data: bytes, rows: Rows) -> None:
        super().__init__(data)
        self._rows = rows

    @cached_property
    def units(self) -> Units:
        return Units(ArraySource(self._rows, self.data))

    @cached_property
    def rest(self) -> sc2api_pb2.ResponseObservation:
        try:
            return without_units.parse(self.data)
        except DecodeError as error:
            raise UnreadableError(str(error)) from None


class ArraySource:
    """Units in arrays; what is not in them is parsed when it is read, which is rare.

    Attributes:
        rows: Where they are.
    """

    def __init__(self, rows: Rows, data: bytes) -> None:
        """Rows that have all columns, and the serialized observation."""
        self.rows = rows
        self._data = data

    def __len__(self) -> int:
        """Number of units."""
        return self.rows.end - self.rows.begin

    def columns(self, path: str, dtypes: Mapping[str, str]) -> dict[str, NDArray[Any]]:
        """A field of all units."""
        block, begin, end = self.rows
        # There is no block where there are no units any more.
        return {path: block[_NAMES[path]][begin:end] if block else np.empty(0, dtypes[path])}

    def present(self, path: str) -> NDArray[Any]:
        """Which units have a field."""
        return self._messages().present(path)

    def nested(self, field: str) -> NestedSource:
        """A repeated field of all units."""
        return self._messages().nested(field)

    def _messages(self) -> MessageUnits:
        return MessageUnits(sc2api_pb2.ResponseObservation.FromString(self._data).observation.raw_data.units)


_NAMES = {path: name for name, (_, path) in COLUMNS.items()}


def _run_length(values: NDArray[Any], value: int) -> int:
    """How many values at the beginning are equal to another one."""
    others = values != value
    first = int(others.argmax()) if len(others) else 0
    return first if others[first : first + 1].any() else len(values)


def _number_of_units(data: bytes) -> int:
    return len(sc2api_pb2.ResponseObservation.FromString(data).observation.raw_data.units)

"""The units of many frames as tables, in blocks of bounded size."""

from __future__ import annotations

import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abathur._blocking_game import connect_blocking
from abathur._daemon import find_daemon, ready_addresses, stop_daemon
from abathur._frame import Frame
from abathur._units import COLUMNS
from abathur.columns._schema import KINDS, UNITS
from abathur.columns._table import Table
from abathur.columns._values import Values
from abathur.errors import AbathurError, DaemonError

if TYPE_CHECKING:
    import pyarrow

#: Few enough for the caches of a processor.
BLOCK_ROWS = 16_384
_STOP_SECONDS = 10


def require() -> None:
    """Make sure that pyarrow is installed.

    Raises:
        AbathurError: it is not.
    """
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise AbathurError("tables need pyarrow: pip install pyarrow") from None


class Block(ABC):
    """The units of consecutive frames, of at most `BLOCK_ROWS` rows unless one frame has more.

    Attributes:
        rows: Number of units.
        frames: Number of frames.
        game_loop: Of the last frame.
    """

    def __init__(self) -> None:
        """Start without a frame."""
        self.rows = 0
        self.frames = 0
        self.game_loop = 0

    def has_room(self, frame: Frame) -> bool:
        """Whether the units of a frame fit."""
        return not self.rows or self.rows + len(frame.units) <= BLOCK_ROWS

    def add(self, frame: Frame) -> None:
        """Add the units of a frame, for which there is room."""
        self._add(frame)
        self.rows += len(frame.units)
        self.frames += 1
        self.game_loop = frame.game_loop

    @abstractmethod
    def _add(self, frame: Frame) -> None:
        """Take the units of a frame."""

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """`game_loop`, and all columns of the units: (rows,)."""


class _ArraysBlock(Block):
    """From the arrays of each frame."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[dict[str, NDArray[Any]]] = []

    def _add(self, frame: Frame) -> None:
        loops = np.full(len(frame.units), frame.game_loop, "u4")
        self._parts.append({"game_loop": loops, **{name: getattr(frame.units, name) for name in COLUMNS}})

    def arrays(self) -> dict[str, NDArray[Any]]:
        return joined(self._parts)


class _CellsBlock(Block):
    """From the cells of encoding ``columns``, which are converted together."""

    def __init__(self, first: Frame) -> None:
        super().__init__()
        capacity = max(BLOCK_ROWS, len(first.units))
        self._loops = np.empty(capacity, "u4")
        self._cells = np.empty((KINDS + 1, capacity), np.int64)

    def has_room(self, frame: Frame) -> bool:
        return frame._columns is not None and super().has_room(frame)

    def _add(self, frame: Frame) -> None:
        columns = frame._columns
        assert columns is not None
        place = slice(self.rows, self.rows + len(frame.units))
        self._loops[place] = frame.game_loop
        cells = columns.units.cells[: KINDS + 1]
        self._cells[:, place] = cells if columns.used.all() else cells.take(columns.used.nonzero()[0], axis=1)

    def arrays(self) -> dict[str, NDArray[Any]]:
        values = Values(UNITS, Table(self._cells[:, : self.rows], np.empty((0, self.rows), np.int64)))
        made = values.all({path: dtype for dtype, path in COLUMNS.values()})
        columns = {name: made[path] for name, (_, path) in COLUMNS.items()}
        return {"game_loop": self._loops[: self.rows], **columns}


def blocks(frames: Iterable[Frame]) -> Iterator[Block]:
    """The units of all frames, in blocks that a reader may convert in another thread."""
    block: Block | None = None
    for frame in frames:
        if block is None or not block.has_room(frame):
            if block is not None:
                yield block
            block = _ArraysBlock() if frame._columns is None else _CellsBlock(frame)
        block.add(frame)
    if block is not None:
        yield block


class Batches:
    """Makes record batches of blocks: their arrays, and `name`, the names of the unit types, as a dictionary column."""

    def __init__(self) -> None:
        """Start without a name. The dictionary only grows from batch to batch."""
        self._codes: dict[int, int] = {}
        self._names: list[str] = []

    def batch(self, block: Block) -> pyarrow.RecordBatch:
        """The record batch of a block."""
        return self._batch(block.arrays())

    def empty(self) -> pyarrow.RecordBatch:
        """Of no units."""
        return self._batch(_no_units())

    def _batch(self, arrays: dict[str, NDArray[Any]]) -> pyarrow.RecordBatch:
        import pyarrow as pa

        columns = {name: pa.array(column) for name, column in arrays.items()}
        types = columns["unit_type"].dictionary_encode()
        codes = np.array([self._code(number) for number in types.dictionary.to_pylist()], np.int32)
        names = pa.array(self._names, pa.string())
        columns["name"] = pa.DictionaryArray.from_arrays(codes.take(types.indices.to_numpy()), names)
        return pa.record_batch(columns)

    def _code(self, number: int) -> int:
        from abathur.ids import UnitTypeId, name_of

        if number not in self._codes:
            self._codes[number] = len(self._names)
            self._names.append(name_of(UnitTypeId, number))
        return self._codes[number]


def table(frames: Iterable[Frame]) -> pyarrow.Table:
    """A `pyarrow.Table`: game_loop (uint32), a column per field, and name. Raises AbathurError without pyarrow."""
    require()
    import pyarrow as pa

    batches = Batches()
    made = [batches.batch(block) for block in blocks(frames)] or [batches.empty()]
    return pa.Table.from_batches(made).unify_dictionaries()


def arrays(frames: Iterable[Frame]) -> dict[str, NDArray[Any]]:
    """The same as NumPy arrays by name, without `name`: each of shape (rows,)."""
    return joined([block.arrays() for block in blocks(frames)])


def joined(parts: list[dict[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    """The arrays of blocks, one after another."""
    parts = parts or [_no_units()]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


@contextmanager
def frames_in_columns(recording: Path) -> Iterator[Iterator[Frame]]:
    """All frames of a recording in encoding ``columns``, from a daemon that is started for it, without parsing units.

    Raises:
        DaemonError: the daemon was not found, or does not play the recording.
    """
    line = [
        *find_daemon(None),
        "play",
        str(recording),
        "--rate",
        "unlimited",
        "--wait-agents",
        "1",
        "--stop-with-parent",
    ]
    line += ["--grpc-port", "0", "--socket-port", "0", "--http-port", "0"]
    try:
        process = subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8"
        )
    except OSError as error:
        raise DaemonError(f"cannot start {line[0]}: {error}", None) from error
    try:
        addresses = ready_addresses(process)
        if "socket" not in addresses:
            raise DaemonError(f"it does not play {recording}", process.wait(_STOP_SECONDS))
        with connect_blocking(f"socket://{addresses['socket']}") as game:
            yield game.frames(policy="every", encoding="columns", fields=["observation.raw_data.units"])
    finally:
        stop_daemon(process)


def _no_units() -> dict[str, NDArray[Any]]:
    columns = {name: np.empty(0, dtype) for name, (dtype, _) in COLUMNS.items()}
    return {"game_loop": np.empty(0, "u4"), **columns}

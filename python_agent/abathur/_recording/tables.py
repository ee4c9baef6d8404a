"""The units of many frames as tables, in blocks of bounded size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abathur._frame import bytes_units
from abathur._frame.frame import Frame
from abathur._frame.source import BytesSource
from abathur._frame.unit_columns import COLUMNS
from abathur.errors import AbathurError

if TYPE_CHECKING:
    import pyarrow

#: The units of consecutive frames: `game_loop`, and all columns, by name; each of shape (rows,).
Block = dict[str, NDArray[Any]]

#: Few enough for the caches of a processor.
BLOCK_ROWS = 16_384


def has_pyarrow() -> bool:
    """Whether pyarrow is installed. It is imported later."""
    return find_spec("pyarrow") is not None


def require() -> None:
    """Make sure that pyarrow is installed.

    Raises:
        AbathurError: it is not.
    """
    if not has_pyarrow():
        raise AbathurError("tables need pyarrow: pip install pyarrow")


class UnitRows:
    """Collects the units of frames, in their order.

    Attributes:
        loops: The game loop of each frame.
        sizes: The number of units of each.
    """

    def __init__(self, names: Iterable[str]) -> None:
        """Collect these columns."""
        self._names = list(names)
        self.loops: list[int] = []
        self.sizes: list[int] = []
        self._blocks: list[Block] = []
        #: Frames of serialized messages, which are decoded together, and the number of their units.
        self._waiting: list[tuple[Frame, bytes]] = []
        self._waiting_units = 0

    def add(self, frame: Frame) -> int:
        """Add a frame; returns the number of its units."""
        source = frame._source
        count = bytes_units.number_of_units(source.data) if isinstance(source, BytesSource) else -1
        if count >= 0:
            assert isinstance(source, BytesSource)
            self._waiting.append((frame, source.data))
            self._waiting_units += count
            if self._waiting_units >= BLOCK_ROWS:
                self._decode()
        else:
            self._decode()
            count = len(frame.units)
            self._add_units(frame)
        self.loops.append(frame.game_loop)
        self.sizes.append(count)
        return count

    def take(self) -> Block:
        """What was collected, with `game_loop`; then nothing is."""
        self._decode()
        loops = np.repeat(np.array(self.loops, "u4"), self.sizes)
        taken = {"game_loop": loops, **joined(self._blocks, self._names)}
        self._blocks, self.loops, self.sizes = [], [], []
        return taken

    def _decode(self) -> None:
        waiting, count = self._waiting, self._waiting_units
        self._waiting, self._waiting_units = [], 0
        if not waiting:
            return
        made = bytes_units.joined([data for _, data in waiting], count)
        if made is not None:
            self._blocks.append({name: made[COLUMNS[name][1]] for name in self._names})
            return
        for frame, _ in waiting:
            self._add_units(frame)

    def _add_units(self, frame: Frame) -> None:
        self._blocks.append({name: getattr(frame.units, name) for name in self._names})


def blocks(frames: Iterable[Frame]) -> Iterator[Block]:
    """The units of all frames, in blocks that have at least `BLOCK_ROWS` rows, but for the last."""
    rows = UnitRows(COLUMNS)
    count = 0
    for frame in frames:
        count += rows.add(frame)
        if count >= BLOCK_ROWS:
            yield rows.take()
            count = 0
    if count:
        yield rows.take()


class Batches:
    """Makes record batches of blocks: their arrays, and `name`, the names of the unit types, as a dictionary column."""

    def __init__(self) -> None:
        """Start without a name. The dictionary only grows from batch to batch."""
        self._codes: dict[int, int] = {}
        self._names: list[str] = []

    def empty(self) -> pyarrow.RecordBatch:
        """Of no units."""
        return self.batch(_no_units())

    def batch(self, block: Block) -> pyarrow.RecordBatch:
        """The record batch of a block."""
        import pyarrow as pa

        columns = {name: pa.array(column) for name, column in block.items()}
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


def arrays(frames: Iterable[Frame]) -> Block:
    """The same as NumPy arrays by name, without `name`: each of shape (rows,)."""
    rows = UnitRows(COLUMNS)
    for frame in frames:
        rows.add(frame)
    return rows.take()


def joined(parts: list[Block], names: Iterable[str]) -> Block:
    """Blocks as one, of these columns."""
    if len(parts) == 1:
        return parts[0]
    none = _no_units()
    return {name: np.concatenate([part[name] for part in parts] or [none[name]]) for name in names}


def _no_units() -> Block:
    columns = {name: np.empty(0, dtype) for name, (dtype, _) in COLUMNS.items()}
    return {"game_loop": np.empty(0, "u4"), **columns}

"""Decodes payloads to tables: the units of every frame, and what else is in it on first use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from abathur.columns import _motion
from abathur.columns._contents import FIRST_COUNT, Blob, Contents
from abathur.columns._reader import Reader
from abathur.columns._schema import LISTS, UNITS
from abathur.columns._table import Table
from abathur.errors import ProtocolError

_VERSION = 1
_KEYFRAME = 1
_SECTIONS = 10
_Cell = TypeVar("_Cell", np.int64, np.bool_)
_NO_ROWS: NDArray[np.int64] = np.zeros(0, np.int64)


@dataclass(slots=True)
class Columns:
    """An observation in columns. Later frames do not change it.

    The lists and the blobs are decoded on first use, with those of the frames before; they raise `ProtocolError` if
    that part of a payload is damaged.

    Attributes:
        units: The units' table.
        used: Which rows of it are units, (rows,) bool.
        heads: Which rows move in the direction that they face, (rows,) bool.
        contents: What is not in the units' table.
    """

    units: Table
    used: NDArray[np.bool_]
    heads: NDArray[np.bool_]
    contents: Contents

    @property
    def lists(self) -> tuple[Table, ...]:
        """Orders, buffs, passengers and rally targets."""
        return self.contents.lists

    @property
    def blobs(self) -> tuple[Blob, ...]:
        """Bytes (uint8) of `visibility`, `creep`, `rest` and `extras`, or None."""
        return self.contents.blobs

    @property
    def visibility(self) -> Blob:
        """Bytes of the visibility grid."""
        return self.blobs[0]

    @property
    def creep(self) -> Blob:
        """Bytes of the creep grid."""
        return self.blobs[1]

    @property
    def rest(self) -> bytes:
        """Everything that is not in a table, in protobuf."""
        rest = self.contents.rest
        return b"" if rest is None else rest.tobytes()

    @property
    def extras(self) -> bytes:
        """Fields without a column, as records."""
        return b"" if self.blobs[3] is None else self.blobs[3].tobytes()


class ColumnsDecoder:
    """Reads the payloads of one stream, in their order.

    Attributes:
        columns: The newest observation; None before the first keyframe.
    """

    __slots__ = ("columns",)

    def __init__(self) -> None:
        self.columns: Columns | None = None

    def __repr__(self) -> str:
        """The number of units of the newest observation."""
        newest = "no keyframe yet" if self.columns is None else f"{int(self.columns.used.sum())} units"
        return f"<ColumnsDecoder: {newest}>"

    def decode(self, payload: bytes) -> Columns:
        """The next frame.

        Raises:
            ProtocolError: the units in the payload are damaged, it is of another version, or not a keyframe although
                one is needed. After that only a keyframe can be read.
        """
        last, self.columns = self.columns, None
        reader = Reader(payload)
        if (version := reader.uint(1)) != _VERSION:
            raise ProtocolError(f"columns: version {version} is unknown; {_VERSION} is supported")
        if (flags := reader.uint(1)) & ~_KEYFRAME:
            raise ProtocolError(f"columns: flags {flags:#x} are unknown")
        if last is None and not flags:
            raise ProtocolError("columns: a delta frame without the frame before it")
        sections = reader.uint(2)
        if sections >> _SECTIONS:
            raise ProtocolError(f"columns: sections {sections:#x} are unknown")
        self.columns = _apply(reader, sections, None if flags else last)
        return self.columns


def _apply(reader: Reader, sections: int, last: Columns | None) -> Columns:
    nothing = np.zeros(0, np.bool_)
    state = _State(Table.empty(UNITS), nothing, nothing) if last is None else _State(last.units, last.used, last.heads)
    now, stays, counts_change = _units(reader, sections, state)
    counts = now.units.cells[FIRST_COUNT : FIRST_COUNT + len(LISTS)] if counts_change or last is None else None
    contents = Contents(reader, sections, now.used, stays, counts, None if last is None else last.contents)
    return Columns(now.units, now.used, now.heads, contents)


@dataclass(slots=True)
class _State:
    """The units' table and its flags."""

    units: Table
    used: NDArray[np.bool_]
    heads: NDArray[np.bool_]


def _units(reader: Reader, sections: int, last: _State) -> tuple[_State, NDArray[np.bool_], bool]:
    """The units; which rows have the same unit as in the previous frame; and whether list counts change."""
    rows, gone, added, values = len(last.used), _NO_ROWS, _NO_ROWS, None
    which: list[int] = []
    if sections & 1:
        rows, free, new = reader.uint(2), reader.count(), reader.count()
        if free > len(last.used) or new > rows:
            raise ProtocolError(f"columns: {rows} units, of which {new} are new and {free} are gone")
        gone, added = reader.gaps(free, len(last.used)), reader.gaps(new, rows)
        gone = gone[gone < rows]
        if new:
            which, widths = reader.columns(UNITS.width)
            values = reader.planes(widths, np.full(len(which), new), new * len(which)).reshape(len(which), new)
    changes = reader.changes(UNITS.width, rows) if sections & 2 else None
    now = _moved(last, rows, gone, changes)
    stays = now.used
    if values is not None:
        cells = np.zeros((UNITS.width, len(added)), np.int64)
        cells[which] = values
        now.units.cells[:, added] = cells
        now.units.velocity[:, added] = 0
        now.used = stays.copy()
        now.used[added] = True
        now.heads[added] = True
    if now.used is not last.used:
        return now, stays, True
    # Changes are in the order of the columns, and those of the counts are the last.
    return now, stays, changes is not None and len(changes[0]) > 0 and int(changes[0][-1]) >= FIRST_COUNT * rows


def _moved(
    last: _State, rows: int, gone: NDArray[np.int64], changes: tuple[NDArray[np.int64], NDArray[np.int64]] | None
) -> _State:
    """Update all units that stay, in a table of `rows` rows, of which some are `gone`."""
    used, velocity, before = last.used, last.units.velocity, last.units.cells[: UNITS.predicted]
    cells, heads = _carried(last.units.cells, rows, gone), _carried(last.heads, rows, gone)
    if rows != len(used) or len(gone):
        used, velocity, before = (
            _carried(used, rows, gone),
            _carried(velocity, rows, gone),
            cells[: UNITS.predicted].copy(),
        )
    cells[: UNITS.predicted] += velocity
    if changes is not None:
        where, values = changes
        cells.reshape(-1)[where] += values
    return _State(Table(cells, _motion.follow(cells, velocity, before, heads)), used, heads)


def _carried(array: NDArray[_Cell], rows: int, gone: NDArray[np.int64]) -> NDArray[_Cell]:
    """A copy with another number of rows; those that are `gone`, and additional ones, are zero."""
    kept = array.shape[-1]
    if rows == kept:
        made = array.copy()
    else:
        made = np.empty((*array.shape[:-1], rows), array.dtype)
        made[..., :kept] = array[..., :rows]
        made[..., kept:] = 0
    if len(gone):
        made[..., gone] = 0
    return made

"""Decodes payloads to tables."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from abathur.columns import _extras, _motion
from abathur.columns._reader import Reader
from abathur.columns._schema import LISTS, MAX_ROWS, UNITS, Schema
from abathur.errors import ProtocolError

_VERSION = 1
_KEYFRAME = 1
_SECTIONS = 10
_BLOBS = 4
_FIRST_LIST = 2
_FIRST_BLOB = 6
_FIRST_COUNT = 45
_NO_ROWS: NDArray[np.int64] = np.zeros(0, np.int64)
_NOTHING: NDArray[np.uint8] = np.zeros(0, np.uint8)

Blob = NDArray[np.uint8] | None


@dataclass(slots=True)
class Table:
    """One table after a frame.

    Attributes:
        cells: int64, (columns, rows): see docs/columns.md. Not changed by later frames.
        velocity: int64, (predicted columns, rows).
    """

    cells: NDArray[np.int64]
    velocity: NDArray[np.int64]

    @classmethod
    def empty(cls, schema: Schema, rows: int = 0) -> Table:
        """A table of zeros."""
        return cls(np.zeros((schema.width, rows), np.int64), np.zeros((schema.predicted, rows), np.int64))


@dataclass(slots=True)
class Columns:
    """An observation in columns. Later frames do not change it.

    Attributes:
        units: The units' table.
        used: Which rows of it are units, (rows,) bool.
        heads: Which rows move in the direction that they face, (rows,) bool.
        lists: Orders, buffs, passengers and rally targets.
        blobs: Bytes (uint8) of `visibility`, `creep`, `rest` and `extras`, or None.
    """

    units: Table
    used: NDArray[np.bool_]
    heads: NDArray[np.bool_]
    lists: tuple[Table, ...]
    blobs: tuple[Blob, ...]

    @classmethod
    def empty(cls) -> Columns:
        """The initial state of a keyframe."""
        nothing = np.zeros(0, np.bool_)
        return cls(Table.empty(UNITS), nothing, nothing, tuple(map(Table.empty, LISTS)), (None,) * _BLOBS)

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
        return b"" if self.blobs[2] is None else self.blobs[2].tobytes()

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

    def decode(self, payload: bytes) -> Columns:
        """The next frame.

        Raises:
            ProtocolError: the payload is damaged, of another version, or not a keyframe although one is needed. After
                that only a keyframe can be read.
        """
        last, self.columns = self.columns, None
        reader = Reader(payload)
        if (version := reader.uint(1)) != _VERSION:
            raise ProtocolError(f"columns: version {version} is unknown; {_VERSION} is supported")
        if (flags := reader.uint(1)) & ~_KEYFRAME:
            raise ProtocolError(f"columns: flags {flags:#x} are unknown")
        if flags:
            last = Columns.empty()
        elif last is None:
            raise ProtocolError("columns: a delta frame without the frame before it")
        sections = reader.uint(2)
        if sections >> _SECTIONS:
            raise ProtocolError(f"columns: sections {sections:#x} are unknown")
        self.columns = _apply(reader, sections, last)
        return self.columns


def _apply(reader: Reader, sections: int, last: Columns) -> Columns:
    now, stays = _units(reader, sections, last)
    lists = _lists(reader, sections, last, now, stays)
    blobs = tuple(
        _blob(reader, blob) if sections & (1 << (_FIRST_BLOB + at)) else blob for at, blob in enumerate(last.blobs)
    )
    if reader.left:
        raise ProtocolError(f"columns: {reader.left} bytes follow the last section")
    columns = Columns(now.units, now.used, now.heads, lists, blobs)
    if blobs[-1] is not None:
        _extras.check(columns.extras, now.used, [len(now.used), *(table.cells.shape[1] for table in lists)])
    return columns


def _units(reader: Reader, sections: int, last: Columns) -> tuple[Columns, NDArray[np.bool_]]:
    """The units, and which rows have the same unit as in the previous frame."""
    added, values = _NO_ROWS, None
    which: list[int] = []
    if sections & 1:
        rows, free, new = reader.uint(2), reader.count(), reader.count()
        if free > len(last.used) or new > rows:
            raise ProtocolError(f"columns: {rows} units, of which {new} are new and {free} are gone")
        gone, added = reader.gaps(free, len(last.used)), reader.gaps(new, rows)
        if new:
            which, widths = reader.columns(UNITS.width)
            values = reader.planes(widths, np.full(len(which), new)).reshape(len(which), new)
        if free or rows != len(last.used):
            # A new array of used rows means that rows have other units.
            last = _resized(last, rows, gone)
    now = _moved(last, reader.changes(UNITS.width, len(last.used)) if sections & 2 else None)
    if values is None:
        return now, last.used
    now.units.cells[:, added] = 0
    now.units.cells[np.ix_(np.array(which, np.int64), added)] = values
    now.units.velocity[:, added] = 0
    used = last.used.copy()
    used[added] = True
    now.heads[added] = True
    return replace(now, used=used), last.used


def _resized(last: Columns, rows: int, gone: NDArray[np.int64]) -> Columns:
    """The previous frame, with freed rows and a new number of rows."""
    kept = min(rows, len(last.used))
    units = Table.empty(UNITS, rows)
    units.cells[:, :kept] = last.units.cells[:, :kept]
    units.velocity[:, :kept] = last.units.velocity[:, :kept]
    used, heads = np.zeros(rows, np.bool_), np.zeros(rows, np.bool_)
    used[:kept], heads[:kept] = last.used[:kept], last.heads[:kept]
    gone = gone[gone < rows]
    units.cells[:, gone] = 0
    units.velocity[:, gone] = 0
    used[gone] = heads[gone] = False
    return replace(last, units=units, used=used, heads=heads)


def _moved(last: Columns, changes: tuple[NDArray[np.int64], NDArray[np.int64]] | None) -> Columns:
    """Update all units that stay."""
    velocity = last.units.velocity
    before = last.units.cells[: UNITS.predicted]
    cells = last.units.cells.copy()
    cells[: UNITS.predicted] += velocity
    if changes is not None:
        where, values = changes
        cells.reshape(-1)[where] += values
    heads = last.heads.copy()
    return replace(last, units=Table(cells, _motion.follow(cells, velocity, before, heads)), heads=heads)


def _lists(reader: Reader, sections: int, last: Columns, now: Columns, stays: NDArray[np.bool_]) -> tuple[Table, ...]:
    """Update the lists of units."""
    old, counts = (each.units.cells[_FIRST_COUNT : _FIRST_COUNT + len(LISTS)] for each in (last, now))
    # Rows have the same units if none was added or removed.
    same = [not each for each in (old != counts).any(axis=1)] if now.used is last.used else [False] * len(LISTS)
    lists = []
    for at, schema in enumerate(LISTS):
        table, carried = last.lists[at], None
        if not same[at] and (table.cells.shape[1] or counts[at].any()):
            table, carried = _rearranged(schema, table, old[at], counts[at], stays)
        changes = reader.changes(schema.width, table.cells.shape[1]) if sections & (1 << (_FIRST_LIST + at)) else None
        lists.append(_list(schema, table, carried, changes))
    return tuple(lists)


def _list(
    schema: Schema,
    table: Table,
    carried: NDArray[np.bool_] | None,
    changes: tuple[NDArray[np.int64], NDArray[np.int64]] | None,
) -> Table:
    if changes is None and not (schema.predicted and table.velocity.any()):
        return table
    cells = table.cells.copy()
    cells[: schema.predicted] += table.velocity
    if changes is not None:
        where, values = changes
        cells.reshape(-1)[where] += values
    velocity = cells[: schema.predicted] - table.cells[: schema.predicted]
    if carried is not None:
        velocity[:, ~carried] = 0
    return Table(cells, velocity)


def _rearranged(
    schema: Schema, table: Table, old: NDArray[np.int64], counts: NDArray[np.int64], stays: NDArray[np.bool_]
) -> tuple[Table, NDArray[np.bool_]]:
    """A table after units were added, removed, or changed their number of rows; and which of its rows were kept."""
    # Unsigned, so that negative numbers are large.
    if counts.view(np.uint64).max(initial=0) > MAX_ROWS or (total := int(counts.sum())) > MAX_ROWS:
        raise ProtocolError(f"columns: a unit has an impossible number of {schema.message or 'buff'}s")
    kept = min(len(old), len(counts))
    starts = counts.cumsum() - counts
    # For each unit: the offset of its old rows to the new ones, and the end of its old rows.
    shift, end = -starts, starts.copy()
    shift[:kept] += (old.cumsum() - old)[:kept]
    end[:kept] += old[:kept] * stays[:kept]
    place = np.arange(total)
    carried = place < end.repeat(counts)
    arranged = Table.empty(schema, total)
    (rows,) = carried.nonzero()
    source = (place + shift.repeat(counts))[rows]
    arranged.cells[:, rows] = table.cells.take(source, axis=1)
    if schema.predicted:
        arranged.velocity[:, rows] = table.velocity.take(source, axis=1)
    return arranged, carried


def _blob(reader: Reader, last: Blob) -> Blob:
    mode = reader.uint(1)
    if mode == 0:
        return None
    if mode == 1:
        return reader.take(reader.uint(4))
    if mode != 2:
        raise ProtocolError(f"columns: unknown kind of blob {mode}")
    size = reader.count()
    last = _NOTHING if last is None else last
    if size > reader.left:
        raise ProtocolError("columns: truncated")
    where = reader.gaps(size, len(last))
    patched = last.copy()
    patched[where] ^= reader.take(size)
    return patched

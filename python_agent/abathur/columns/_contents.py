"""What an observation has beside the units' table: lists of units, grids, the rest. Decoded on first use."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from abathur.columns import _extras
from abathur.columns._reader import Reader
from abathur.columns._schema import LISTS, MAX_ROWS, Schema
from abathur.columns._table import Table
from abathur.errors import ProtocolError

#: Of the units' columns with the number of rows in each list.
FIRST_COUNT: Final = 45
_FIRST_LIST = 2
_FIRST_BLOB = 6
_BLOBS = 4
#: Of the blobs: the rest of the observation.
_REST = 2
#: Waiting frames are decoded at this size: a daemon could send delta frames without end.
_MAX_WAITING_BYTES = 8 * 1024 * 1024
# Of a waiting frame beside its payload: its objects, and the time that its decoding will take. At most 1,024 wait.
_FRAME_BYTES = 8 * 1024
_NOTHING: NDArray[np.uint8] = np.zeros(0, np.uint8)

Blob = NDArray[np.uint8] | None


class Contents:
    """The lists and blobs of a frame.

    Each frame depends on the one before, and most readers need the lists of few frames, or of none. So a frame waits
    with its payload until it, or a later one, is read; a keyframe releases the frames before it.
    """

    __slots__ = ("_before", "_counts", "_payload", "_rest", "_sections", "_stays", "_tables", "_used", "_waiting_bytes")

    def __init__(
        self,
        reader: Reader,
        sections: int,
        used: NDArray[np.bool_],
        stays: NDArray[np.bool_],
        counts: NDArray[np.int64] | None,
        before: Contents | None,
    ) -> None:
        """Of a payload whose units have been read.

        Args:
            reader: Of the payload, after the units.
            sections: The sections in it.
            used: Which rows are units; the same object as in the previous frame if none was added or removed.
            stays: Which rows have the same unit as in the previous frame.
            counts: The number of rows of each unit in each list, which are copied; None: as in the previous frame.
            before: The previous frame; None: this is a keyframe.
        """
        self._payload = reader.rest
        self._sections = sections
        self._used = used
        self._stays = stays
        self._before = before
        self._tables: tuple[tuple[Table, ...], tuple[Blob, ...]] | None = None
        #: The rest without the tables, in the newest frame where it was read; None: not here.
        self._rest: tuple[Blob] | None = None
        self._waiting_bytes = len(self._payload[0]) + _FRAME_BYTES
        if counts is None:
            assert before is not None
            counts = before._counts
        else:
            counts = counts.copy()
            self._waiting_bytes += counts.nbytes
        self._counts: NDArray[np.int64] = counts
        if before is not None and before._tables is None:
            self._waiting_bytes += before._waiting_bytes
        if self._waiting_bytes > _MAX_WAITING_BYTES:
            self._read()

    @property
    def lists(self) -> tuple[Table, ...]:
        """Orders, buffs, passengers and rally targets."""
        return self._read()[0]

    @property
    def blobs(self) -> tuple[Blob, ...]:
        """Bytes (uint8) of `visibility`, `creep`, `rest` and `extras`, or None."""
        return self._read()[1]

    @property
    def rest(self) -> Blob:
        """Bytes (uint8) of `rest`, or None: the same as in `blobs`, without decoding the lists and grids before it."""
        waiting: list[Contents] = []
        at: Contents | None = self
        while at is not None:
            # In this order, because another thread may be decoding the same frames.
            before, tables, rest = at._before, at._tables, at._rest
            if tables is not None:
                rest = (tables[1][_REST],)
            if rest is not None:
                break
            waiting.append(at)
            at = before
        last = rest[0] if at is not None and rest is not None else None
        if waiting:
            for each in reversed(waiting):
                last = each._decode_rest(last)
            self._rest = (last,)
            if at is not None:
                # Each frame would keep a copy.
                at._rest = None
        return last

    def __getstate__(self) -> tuple[None, dict[str, object]]:
        """Decoded, without the frames before it."""
        self._read()
        return None, {name: getattr(self, name) for name in self.__slots__}

    def _read(self) -> tuple[tuple[Table, ...], tuple[Blob, ...]]:
        """Decode this frame and those before it that wait."""
        waiting: list[tuple[Contents, Contents | None]] = []
        at: Contents | None = self
        while at is not None:
            # In this order, because another thread may be decoding the same frames.
            before, tables = at._before, at._tables
            if tables is not None:
                break
            waiting.append((at, before))
            at = before
        for each, before in reversed(waiting):
            each._tables = each._decode(before)
            each._before = each._rest = None
        assert self._tables is not None
        return self._tables

    def _decode(self, before: Contents | None) -> tuple[tuple[Table, ...], tuple[Blob, ...]]:
        reader = Reader(*self._payload)
        last_blobs: tuple[Blob, ...] = (None,) * _BLOBS
        if before is not None:
            last_blobs = before.blobs
        lists = self._lists(reader, before)
        blobs = tuple(
            _blob(reader, blob) if self._sections & (1 << (_FIRST_BLOB + at)) else blob
            for at, blob in enumerate(last_blobs)
        )
        _check_end(reader)
        if (extras := blobs[-1]) is not None:
            rows = [len(self._used), *(table.cells.shape[1] for table in lists)]
            _extras.check(extras.tobytes(), self._used, rows)
        return lists, blobs

    def _decode_rest(self, last: Blob) -> Blob:
        reader = Reader(*self._payload)
        for at in range(_FIRST_LIST, _FIRST_BLOB + _BLOBS):
            if not self._sections & (1 << at):
                continue
            if at < _FIRST_BLOB:
                reader.skip_changes()
            elif at == _FIRST_BLOB + _REST:
                last = _blob(reader, last)
            else:
                _skip_blob(reader)
        _check_end(reader)
        return last

    def _lists(self, reader: Reader, before: Contents | None) -> tuple[Table, ...]:
        counts = self._counts
        old = np.zeros((len(LISTS), 0), np.int64) if before is None else before._counts
        same_rows = before is not None and self._used is before._used
        lists = []
        for at, schema in enumerate(LISTS):
            table, carried = Table.empty(schema) if before is None else before.lists[at], None
            is_same = same_rows and (counts is old or np.array_equal(old[at], counts[at]))
            if not is_same and (table.cells.shape[1] or counts[at].any()):
                table, carried = _rearranged(schema, table, old[at], counts[at], self._stays)
            is_changed = self._sections & (1 << (_FIRST_LIST + at))
            changes = reader.changes(schema.width, table.cells.shape[1]) if is_changed else None
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


def _skip_blob(reader: Reader) -> None:
    mode = reader.uint(1)
    if mode == 1:
        reader.take(reader.uint(4))
    elif mode == 2:
        size = reader.count()
        reader.take(size * reader.uint(1))
        reader.take(size)
    elif mode != 0:
        raise ProtocolError(f"columns: unknown kind of blob {mode}")


def _check_end(reader: Reader) -> None:
    if reader.left:
        raise ProtocolError(f"columns: {reader.left} bytes follow the last section")

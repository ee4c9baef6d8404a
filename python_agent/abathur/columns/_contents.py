"""What an observation has beside the units' table: lists of units, grids, the rest. Decoded on first use."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abathur.columns import _extras, _implementation
from abathur.columns._applied import Applied, ListBefore
from abathur.columns._reader import Reader
from abathur.columns._schema import BLOBS, FIRST_BLOB, FIRST_COUNT, FIRST_LIST, LISTS, REST
from abathur.columns._table import Table
from abathur.errors import ProtocolError

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

    def __init__(self, payload: bytes, sections: int, units: Applied, before: Contents | None) -> None:
        """Of a payload whose units have been read.

        Args:
            payload: The payload.
            sections: The sections in it.
            units: Its units.
            before: The previous frame; None: this is a keyframe.
        """
        self._payload = (payload, units.position)
        self._sections = sections
        self._used = units.used
        self._stays = units.stays
        self._before = before
        self._tables: tuple[tuple[Table, ...], tuple[Blob, ...]] | None = None
        #: The rest without the tables, in the newest frame where it was read; None: not here.
        self._rest: tuple[Blob] | None = None
        self._waiting_bytes = len(payload) + _FRAME_BYTES
        if before is None or units.counts_change:
            counts = units.units.cells[FIRST_COUNT : FIRST_COUNT + len(LISTS)].copy()
            self._waiting_bytes += counts.nbytes
        else:
            counts = before._counts
        #: How many rows each unit has in each list.
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
                rest = (tables[1][REST - FIRST_BLOB],)
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
        payload, position = self._payload
        blobs: list[Blob] = [None] * BLOBS if before is None else list(before.blobs)
        lists, position = self._lists(payload, position, before)
        for at, last in enumerate(blobs):
            if self._sections & (1 << (FIRST_BLOB + at)):
                blobs[at], position = _blob(payload, position, last)
        _check_end(payload, position)
        if (extras := blobs[-1]) is not None:
            rows = [len(self._used), *(table.cells.shape[1] for table in lists)]
            _extras.check(extras.tobytes(), self._used, rows)
        return lists, tuple(blobs)

    def _decode_rest(self, last: Blob) -> Blob:
        payload, position = self._payload
        position = _implementation.functions.position_of_rest(payload, position, self._sections)
        if self._sections & (1 << REST):
            last, position = _blob(payload, position, last)
        reader = Reader(payload, position)
        if self._sections >> (REST + 1):
            reader.skip_blob()
        _check_end(payload, reader.position)
        return last

    def _lists(self, payload: bytes, position: int, before: Contents | None) -> tuple[tuple[Table, ...], int]:
        counts = self._counts
        old = np.zeros((len(LISTS), 0), np.int64) if before is None else before._counts
        same_rows = before is not None and self._used is before._used
        lists = []
        for at, schema in enumerate(LISTS):
            table = Table.empty(schema) if before is None else before.lists[at]
            is_same = same_rows and (counts is old or np.array_equal(old[at], counts[at]))
            is_rearranged = not is_same and bool(table.cells.shape[1] or counts[at].any())
            has_section = bool(self._sections & (1 << (FIRST_LIST + at)))
            if is_rearranged or has_section or (schema.predicted and table.velocity.any()):
                table, position = _implementation.functions.apply_list(
                    *(payload, position, has_section),
                    ListBefore(schema, table, old[at], counts[at], self._stays, is_rearranged),
                )
            lists.append(table)
        return tuple(lists), position


def _blob(payload: bytes, position: int, last: Blob) -> tuple[Blob, int]:
    reader = Reader(payload, position)
    mode = reader.uint(1)
    if mode == 0:
        return None, reader.position
    if mode == 1:
        return reader.take(reader.uint(4)), reader.position
    if mode != 2:
        raise ProtocolError(f"columns: unknown kind of blob {mode}")
    return _implementation.functions.patch(payload, reader.position, _NOTHING if last is None else last)


def _check_end(payload: bytes, position: int) -> None:
    if left := len(payload) - position:
        raise ProtocolError(f"columns: {left} bytes follow the last section")

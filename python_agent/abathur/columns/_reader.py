"""The building blocks of a columns payload."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abathur.errors import ProtocolError

_ONE = np.uint64(1)
_LONG_COUNT = 255
_NONE: NDArray[np.int64] = np.zeros(0, np.int64)


class Reader:
    """Reads one payload from its start. Nothing that it returns is larger than the payload says and has bytes for.

    Raises:
        ProtocolError: the payload ends too early, or says what cannot be.
    """

    __slots__ = ("_bytes", "_data", "_position")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._bytes: NDArray[np.uint8] = np.frombuffer(data, np.uint8)
        self._position = 0

    @property
    def left(self) -> int:
        """Bytes that have not been read."""
        return len(self._data) - self._position

    def take(self, count: int) -> NDArray[np.uint8]:
        """The next bytes, as a view."""
        start = self._position
        end = start + count
        if end > len(self._data):
            raise ProtocolError(f"columns: cut off ({end - len(self._data)} bytes are missing)")
        self._position = end
        return self._bytes[start:end]

    def uint(self, size: int) -> int:
        """An unsigned integer of so many bytes."""
        start = self._position
        end = start + size
        if end > len(self._data):
            raise ProtocolError(f"columns: cut off ({end - len(self._data)} bytes are missing)")
        self._position = end
        return int.from_bytes(self._data[start:end], "little")

    def count(self) -> int:
        """A number of things."""
        count = self.uint(1)
        return self.uint(4) if count == _LONG_COUNT else count

    def columns(self, most: int) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Which columns follow, of so many, and the width of their values in bytes."""
        head = self.take(self.uint(1))
        which = (head & 63).astype(np.int64)
        if (which >= most).any() or (which[1:] <= which[:-1]).any():
            raise ProtocolError(f"columns: no such columns: {which.tolist()}")
        return which, (1 << (head >> 6)).astype(np.uint8)

    def planes(self, widths: NDArray[np.uint8], counts: NDArray[Any]) -> NDArray[np.int64]:
        """The values of several columns, one after the other; of each its width in bytes and how many there are."""
        total = int(counts.sum())
        if total * int(widths.min(initial=8)) > self.left:
            raise ProtocolError("columns: cut off")
        values = np.zeros((total, 8), np.uint8)
        if total:
            each = widths.repeat(counts)
            for plane in range(int(each.max())):
                (where,) = (each > plane).nonzero()
                values[where, plane] = self.take(len(where))
        return unzigzag(values.view("<u8")[:, 0])

    def gaps(self, count: int, limit: int) -> NDArray[np.int64]:
        """Ascending numbers from 0 to less than a limit."""
        width = self.uint(1)
        if width > 8:
            raise ProtocolError(f"columns: values of {width} bytes")
        if count == 0:
            return _NONE
        if count * width > self.left:
            raise ProtocolError("columns: cut off")
        gaps = np.zeros(count, np.int64)
        for plane in range(width):
            gaps |= self.take(count).astype(np.int64) << (8 * plane)
        numbers = np.cumsum(gaps)
        if gaps.min() < 0 or not gaps[1:].all() or numbers[-1] >= limit or numbers.min() < 0:
            raise ProtocolError("columns: a place that is not there")
        return numbers

    def changes(self, columns: int, rows: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Cells of a table of so many columns and rows, as flat indices, and by how much they change."""
        size = self.count()
        if size > rows:
            raise ProtocolError(f"columns: {size} rows of {rows} change")
        changed = self.gaps(size, rows)
        which, widths = self.columns(columns)
        cells = len(which) * size
        bits = np.unpackbits(self.take((cells + 7) // 8), count=cells, bitorder="little")
        (flat,) = bits.nonzero()
        counts = np.count_nonzero(bits.reshape(len(which), size), axis=1)
        at = np.arange(len(which)).repeat(counts)
        return (which * rows)[at] + changed[flat - at * size], self.planes(widths, counts)


def unzigzag(values: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Signed numbers from zigzag ones."""
    return (values >> _ONE).view(np.int64) ^ -((values & _ONE).view(np.int64))

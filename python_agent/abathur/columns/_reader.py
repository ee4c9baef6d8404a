"""The building blocks of a columns payload."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from abathur.errors import ProtocolError

# An array without dimensions: an operation with another number takes longer, because it converts the number.
_ONE: NDArray[np.uint64] = np.array(1, np.uint64)
_LONG_COUNT = 255
_VALUE: Final = np.dtype("<u8")
_HALVES: Final = (np.dtype("u1"), np.dtype("<u2"), np.dtype("<u4"))
_NONE: NDArray[np.int64] = np.zeros(0, np.int64)


class Reader:
    """Reads one payload from its start. Results are not larger than declared, and bounded by the bytes of the payload.

    Raises:
        ProtocolError: the payload is truncated or invalid.
    """

    __slots__ = ("_bytes", "_data", "_position")

    def __init__(self, data: bytes, position: int = 0) -> None:
        self._data = data
        self._bytes: NDArray[np.uint8] = np.frombuffer(data, np.uint8)
        self._position = position

    @property
    def position(self) -> int:
        """Where the next byte is."""
        return self._position

    @property
    def left(self) -> int:
        """Bytes that have not been read."""
        return len(self._data) - self._position

    def take(self, count: int) -> NDArray[np.uint8]:
        """The next bytes, as a view."""
        start = self._position
        end = start + count
        if end > len(self._data):
            raise ProtocolError(f"columns: truncated ({end - len(self._data)} bytes are missing)")
        self._position = end
        return self._bytes[start:end]

    def uint(self, size: int) -> int:
        """An unsigned integer of `size` bytes."""
        start = self._position
        end = start + size
        if end > len(self._data):
            raise ProtocolError(f"columns: truncated ({end - len(self._data)} bytes are missing)")
        self._position = end
        return int.from_bytes(self._data[start:end], "little")

    def count(self) -> int:
        """A count."""
        count = self.uint(1)
        return self.uint(4) if count == _LONG_COUNT else count

    def columns(self, most: int) -> tuple[list[int], list[int]]:
        """Which columns follow, and the width of their values in bytes."""
        head = self.take(self.uint(1)).tolist()
        which = [each & 63 for each in head]
        if which and (which[-1] >= most or sorted(set(which)) != which):
            raise ProtocolError(f"columns: unknown columns: {which}")
        return which, [1 << (each >> 6) for each in head]

    def planes(self, widths: list[int], counts: NDArray[Any], total: int) -> NDArray[np.int64]:
        """The values of several columns, one column at a time, by the width in bytes and the count of each."""
        if total > self.left:
            raise ProtocolError("columns: truncated")
        values = np.zeros((total, _VALUE.itemsize), np.uint8)
        if total:
            values[:, 0] = self.take(total)
            if (most := max(widths)) > 1:
                each = np.array(widths, np.uint8).repeat(counts)
                # The second byte of wider values, then the second half of 4 bytes, then that of 8.
                for half in _HALVES[: most.bit_length() - 1]:
                    (where,) = (each > half.itemsize).nonzero()
                    planes = self.take(len(where) * half.itemsize).reshape(half.itemsize, len(where))
                    values.view(half)[:, 1][where] = planes.T.copy().view(half)[:, 0]
        return unzigzag(values.view(_VALUE)[:, 0])

    def gaps(self, count: int, limit: int) -> NDArray[np.int64]:
        """Ascending numbers from 0 to less than a limit."""
        width = self.uint(1)
        if width > 8:
            raise ProtocolError(f"columns: invalid width of {width} bytes")
        if count == 0:
            return _NONE
        gaps: NDArray[Any] = self.take(count * width)
        if width == 1:
            is_ascending = b"\0" not in gaps[1:].tobytes()
        else:
            planes = gaps.reshape(width, count).astype(np.int64)
            gaps = np.zeros(count, np.int64)
            for plane in range(width):
                gaps |= planes[plane] << (8 * plane)
            is_ascending = bool(gaps[1:].all())
        numbers: NDArray[np.int64] = gaps.cumsum(dtype=np.int64)
        if numbers[-1] >= limit or not is_ascending or (width > 4 and min(gaps.min(), numbers.min()) < 0):
            raise ProtocolError("columns: a position out of range")
        return numbers

    def changes(self, columns: int, rows: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Changed cells of a table, as flat indices, and their differences."""
        size = self.count()
        if size > rows:
            raise ProtocolError(f"columns: {size} rows of {rows} change")
        changed = self.gaps(size, rows)
        which, widths = self.columns(columns)
        cells = len(which) * size
        bits = np.unpackbits(self.take((cells + 7) // 8), count=cells, bitorder="little")
        (places,) = bits.view(np.bool_).nonzero()
        ends = places.searchsorted(np.arange(0, cells + 1, size or 1))
        starts = np.array(which, np.int64) * rows
        where = (starts[:, np.newaxis] + changed).reshape(-1).take(places)
        return where, self.planes(widths, ends[1:] - ends[:-1], len(places))

    def skip_changes(self) -> None:
        """Read over changes of a table."""
        size = self.count()
        self.take(size * self.uint(1))
        head = self.take(self.uint(1)).tolist()
        bits = int.from_bytes(self.take((len(head) * size + 7) // 8).tobytes(), "little")
        column = (1 << size) - 1
        total = 0
        for each in head:
            total += (bits & column).bit_count() << (each >> 6)
            bits >>= size
        self.take(total)

    def skip_blob(self) -> None:
        """Read over a blob."""
        mode = self.uint(1)
        if mode == 1:
            self.take(self.uint(4))
        elif mode == 2:
            size = self.count()
            self.take(size * self.uint(1))
            self.take(size)
        elif mode != 0:
            raise ProtocolError(f"columns: unknown kind of blob {mode}")


def unzigzag(values: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Decode zigzag numbers."""
    signs = (values & _ONE).view(np.int64)
    np.negative(signs, out=signs)
    signs ^= (values >> _ONE).view(np.int64)
    return signs

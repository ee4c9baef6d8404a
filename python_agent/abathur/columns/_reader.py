"""The building blocks of a columns payload."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abathur.errors import ProtocolError

_ONE = np.uint64(1)
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

    def planes(self, widths: NDArray[np.uint8], counts: NDArray[Any]) -> NDArray[np.uint64]:
        """The values of several columns, one after the other; of each its width in bytes and how many there are."""
        total = int(counts.sum())
        values = np.zeros(total, np.uint64)
        deepest = int(widths.max(initial=0))
        if deepest > 8:
            raise ProtocolError(f"columns: values of {deepest} bytes")
        shallowest = int(widths.min(initial=8))
        each = np.repeat(widths, counts) if shallowest < deepest else None
        for plane in range(deepest):
            if each is None or plane < shallowest:
                values |= self.take(total).astype(np.uint64) << np.uint64(8 * plane)
            else:
                (where,) = (each > plane).nonzero()
                values[where] |= self.take(len(where)).astype(np.uint64) << np.uint64(8 * plane)
        return values

    def gaps(self, count: int, limit: int) -> NDArray[np.int64]:
        """Ascending numbers from 0 to less than a limit."""
        width = self.uint(1)
        if width > 8:
            raise ProtocolError(f"columns: values of {width} bytes")
        if count == 0:
            return _NONE
        gaps = np.zeros(count, np.int64)
        for plane in range(width):
            gaps |= self.take(count).astype(np.int64) << (8 * plane)
        numbers = np.cumsum(gaps)
        if gaps.min() < 0 or not gaps[1:].all() or numbers[-1] >= limit or numbers.min() < 0:
            raise ProtocolError("columns: a place that is not there")
        return numbers

    def changes(self, columns: int, rows: int) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Cells of a table of so many columns and rows, as flat indices, and by how much they change; None: no cell."""
        changed = self.uint(1)
        if changed == 0:
            return None
        which = self.take(changed).astype(np.int64)
        widths = self.take(changed)
        if which[-1] >= columns or (np.diff(which) <= 0).any():
            raise ProtocolError(f"columns: no such columns: {which.tolist()}")
        masks = self.take(changed * ((rows + 7) // 8)).reshape(changed, -1)
        bits = np.unpackbits(masks, axis=1, count=rows, bitorder="little")
        (flat,) = bits.reshape(-1).nonzero()
        counts = np.count_nonzero(bits, axis=1)
        values = unzigzag(self.planes(widths, counts))
        # From rows of the masks to rows of the table.
        return flat + np.repeat((which - np.arange(changed)) * rows, counts), values


def unzigzag(values: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Signed numbers from zigzag ones."""
    return (values >> _ONE).view(np.int64) ^ -((values & _ONE).view(np.int64))

"""Payloads of encoding `columns` that no encoder would write: valid, with any numbers in any column."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

_SPEED, _FACING, _KINDS, _COUNTS, _WIDTH = 2, 10, 44, 45, 49
_LISTS = (8, 1, 10, 6)
_UNIT, _CHANGES, _FIRST_LIST, _FIRST_BLOB, _REST = 0, 1, 2, 6, 8
#: A column, the width of its values, and the values as they are written.
Column = tuple[int, int, list[int]]


@dataclass
class Stream:
    """A stream of payloads whose numbers are random; only the numbers of entries are as they must be."""

    draw: random.Random
    #: Of each used row, how many entries it has in each list.
    counts: dict[int, list[int]] = field(default_factory=dict)
    rows: int = 0
    blobs: dict[int, int] = field(default_factory=dict)

    def payload(self, is_keyframe: bool) -> bytes:
        """The next one."""
        draw = self.draw
        if is_keyframe:
            self.rows, self.counts, self.blobs = 0, {}, {}
        sections, parts = 0, b""
        if is_keyframe or draw.random() < 0.4:
            sections |= 1 << _UNIT
            parts += self._rows()
        if draw.random() < 0.8:
            sections |= 1 << _CHANGES
            parts += self._changes(_COUNTS, self.rows, self._unit_value)
        for number, columns in enumerate(_LISTS):
            if draw.random() < 0.5:
                sections |= 1 << _FIRST_LIST + number
                total = sum(counts[number] for counts in self.counts.values())
                parts += self._changes(columns, total, self._value)
        for number in range(_FIRST_BLOB, _REST + 1):
            if draw.random() < 0.5:
                sections |= 1 << number
                parts += self._blob(number)
        return bytes((1, is_keyframe)) + sections.to_bytes(2, "little") + parts

    def _rows(self) -> bytes:
        draw, before = self.draw, self.rows
        self.rows = max(0, min(before + draw.choice((0, 0, 1, 5, -1, 60, -20)), 300)) if before else draw.randrange(150)
        gone = [row for row in range(before) if draw.random() < 0.1]
        for row in [*gone, *(row for row in self.counts if row >= self.rows)]:
            self.counts.pop(row, None)
        # An encoder does not write that a row without a unit becomes free, or give a used row to a new unit.
        new = [row for row in range(self.rows) if row not in self.counts and draw.random() < 0.7]
        part = (
            self.rows.to_bytes(2, "little") + _count(len(gone)) + _count(len(new)) + self._gaps(gone) + self._gaps(new)
        )
        if not new:
            return part
        columns = self._columns(_COUNTS, lambda column: [self._unit_value(column) for _ in new])
        for row in new:
            self.counts[row] = [draw.choice((0, 0, 0, 1, 3)) for _ in _LISTS]
        columns += [(_COUNTS + at, 1, [2 * self.counts[row][at] for row in new]) for at in range(len(_LISTS))]
        return part + _head(columns) + _planes(columns)

    def _changes(self, most: int, rows: int, value: Callable[[int], int]) -> bytes:
        changed = [row for row in range(rows) if self.draw.random() < self.draw.choice((0.1, 0.9))]
        bits: list[bool] = []

        def values(column: int) -> list[int]:
            here = [self.draw.random() < 0.6 for _ in changed]
            bits.extend(here)
            return [value(column) for each in here if each]

        columns = self._columns(most, values)
        bitmap = sum(1 << place for place, bit in enumerate(bits) if bit).to_bytes((len(bits) + 7) // 8, "little")
        return _count(len(changed)) + self._gaps(changed) + _head(columns) + bitmap + _planes(columns)

    def _columns(self, most: int, values: Callable[[int], list[int]]) -> list[Column]:
        columns = []
        for column in range(most):
            if self.draw.random() < 0.4:
                width = self.draw.choice((1, 2, 4, 8))
                columns.append((column, width, [each & (1 << 8 * width) - 1 for each in values(column)]))
        return columns

    def _value(self, column: int) -> int:
        return self.draw.choice(
            (0, 1, self.draw.randrange(1 << 8), self.draw.randrange(1 << 20), self.draw.getrandbits(64))
        )

    def _unit_value(self, column: int) -> int:
        draw = self.draw
        if column == _KINDS:
            # Of facing: a number on the grid, or an angle.
            return draw.choice((0, 0, 2 << 2 * _FACING, draw.getrandbits(64)))
        if column == _FACING:
            return draw.choice((draw.randrange(1 << 16), draw.randrange(1 << 17)))
        if column < _SPEED + 1:
            return draw.choice((0, draw.randrange(2000), draw.randrange(2000), draw.randrange(1 << 21)))
        return self._value(column)

    def _blob(self, number: int) -> bytes:
        draw, length = self.draw, self.blobs.get(number, 0)
        if draw.random() < 0.1:
            self.blobs.pop(number, None)
            return b"\0"
        if number not in self.blobs or draw.random() < 0.2:
            self.blobs[number] = length = draw.choice((0, 1, 300, draw.randrange(2000)))
            return b"\x01" + length.to_bytes(4, "little") + draw.randbytes(length)
        places = [place for place in range(length) if draw.random() < draw.choice((0.01, 0.5))]
        return b"\x02" + _count(len(places)) + self._gaps(places) + draw.randbytes(len(places))

    def _gaps(self, numbers: Sequence[int]) -> bytes:
        gaps = [number - before for before, number in zip([0, *numbers], numbers, strict=False)]
        most = max(gaps, default=0)
        least = (most.bit_length() + 7) // 8
        width = self.draw.choice((least, least, self.draw.randint(least, 8)))
        return bytes([width]) + b"".join(bytes(gap >> 8 * plane & 255 for gap in gaps) for plane in range(width))


def stream(seed: int, length: int) -> list[bytes]:
    """Payloads of a stream, the first a keyframe."""
    made = Stream(random.Random(seed))
    return [made.payload(number == 0 or made.draw.random() < 0.1) for number in range(length)]


def _count(number: int) -> bytes:
    return bytes([number]) if number < 255 else b"\xff" + number.to_bytes(4, "little")


def _head(columns: Sequence[Column]) -> bytes:
    return bytes([len(columns), *(column | width.bit_length() - 1 << 6 for column, width, _ in columns)])


def _planes(columns: Sequence[Column]) -> bytes:
    return b"".join(
        bytes(value >> 8 * plane & 255 for value in values)
        for plane in range(8)
        for _, width, values in columns
        if width > plane
    )

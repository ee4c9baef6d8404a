"""Fields of units, and of their submessages, that have no column."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from abathur.columns._schema import BUFFS, UNITS
from abathur.errors import ProtocolError

_HEAD_BYTES = 9


def records(data: bytes) -> Iterator[tuple[tuple[int, int], bytes]]:
    """The records of the blob `extras`: table and row, and the fields in protobuf.

    Raises:
        ProtocolError: a record is truncated.
    """
    at = 0
    while at < len(data):
        start = at + _HEAD_BYTES
        row, size = (int.from_bytes(data[begin : begin + 4], "little") for begin in (at + 1, at + 5))
        if start + size > len(data):
            raise ProtocolError("columns: extras are truncated")
        yield (data[at], row), data[start : start + size]
        at = start + size


def check(data: bytes, used: NDArray[np.bool_], rows: list[int]) -> None:
    """Check the records against the tables, with `rows` rows each.

    Raises:
        ProtocolError: a record is for a row that does not exist, or they are not in the order of the rows.
    """
    last = (UNITS.table, -1)
    for place, _ in records(data):
        table, row = place
        is_there = table < len(rows) and table != BUFFS.table and row < rows[table]
        if not is_there or (table == UNITS.table and not used[row]) or place <= last:
            raise ProtocolError("columns: extras are not in the order of the rows, or for a row that does not exist")
        last = place

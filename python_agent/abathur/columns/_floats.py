"""Floats, which are integers of several kinds in a table."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from abathur.columns._schema import ANGLE, BITS, Schema

FLOAT: Final = np.dtype(np.float32)
_BASE = 4.71238898038469
_GRID = np.array(1 / 4096, np.float32)


def floats(schema: Schema, cells: NDArray[np.int64], first: int, end: int) -> NDArray[np.float32]:
    """The floats in some consecutive columns of a table, (columns, rows). What other columns contain is not defined.

    Args:
        schema: Of the table.
        cells: The table.
        first: The first column.
        end: The column after the last.
    """
    # Exact: values on the grid have no more digits than a float.
    values = cells[first:end].astype(np.float32)
    values *= _GRID
    assert schema.kinds is not None
    kinds = cells[schema.kinds]
    some = int(np.bitwise_or.reduce(kinds))
    if not some >> (2 * first) & (1 << (2 * (end - first))) - 1:
        return values
    for column in schema.floats:
        if first <= column < end and (here := some >> (2 * column) & 3):
            kind = (kinds >> (2 * column)) & 3
            if here & ANGLE:
                (angles,) = (kind == ANGLE).nonzero()
                values[column - first, angles] = _BASE + cells[column, angles] / 4096
            if here & BITS:
                # Kind 3 is invalid; all decoders read it as bits.
                (raw,) = (kind & BITS).nonzero()
                values[column - first].view(np.int32)[raw] = cells[column, raw]
    return values

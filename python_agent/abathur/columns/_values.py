"""From cells to values: arrays as agents use them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abathur.columns._decoder import Table
from abathur.columns._schema import ANGLE, BITS, Schema

_BASE = 4.71238898038469


class Values:
    """The columns of one table, by the path of their field. Each array is made when it is first asked for, and kept."""

    def __init__(self, schema: Schema, table: Table) -> None:
        """Columns of a table."""
        self._schema = schema
        self._cells = table.cells
        self._at = {path: at for at, path in enumerate(schema.fields) if path}
        self._floats: NDArray[np.float32] | None = None

    def column(self, path: str, dtype: str) -> NDArray[Any]:
        """A field of all rows; where a row does not have it, the default."""
        at = self._at[path]
        if at in self._schema.floats:
            if self._floats is None:
                self._floats = floats(self._schema, self._cells)
            column: NDArray[Any] = self._floats[self._schema.floats.index(at)]
        else:
            column = self._cells[at].astype(dtype)
        return column

    def present(self, path: str) -> NDArray[np.bool_]:
        """Which rows have a field."""
        if self._schema.has is None:
            return np.ones(self._cells.shape[1], np.bool_)
        bit = self._schema.parents[path] if path in self._schema.parents else self._at[path]
        present: NDArray[np.bool_] = (self._cells[self._schema.has] >> bit & 1).astype(np.bool_)
        return present


def floats(schema: Schema, cells: NDArray[np.int64]) -> NDArray[np.float32]:
    """All columns of a table that are floats, in the order of `schema.floats`: (columns, rows)."""
    numbers = cells[list(schema.floats)]
    values = (numbers * (1 / 4096)).astype(np.float32)
    if schema.kinds is None:
        return values
    kinds = cells[schema.kinds]
    if not kinds.any():
        return values
    each = kinds >> np.array([[2 * at] for at in schema.floats])
    each &= 3
    raw = np.flatnonzero(each == BITS)
    values.view(np.int32).reshape(-1)[raw] = numbers.reshape(-1)[raw]
    angles = np.flatnonzero(each == ANGLE)
    if len(angles):
        values.reshape(-1)[angles] = _BASE + numbers.reshape(-1)[angles] / 4096
    return values

"""Converts cells to arrays of values."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abathur.columns._decoder import Table
from abathur.columns._schema import ANGLE, BITS, LISTS, UNITS, Schema

_BASE = 4.71238898038469
_GRID = np.float32(1 / 4096)


class Values:
    """The columns of one table, by the path of their field. Arrays are created together on first use."""

    def __init__(self, schema: Schema, table: Table, rows: NDArray[np.intp] | None = None) -> None:
        """Columns of some rows of a table, or of all."""
        self._schema = schema
        self._cells = table.cells if rows is None else table.cells[:, rows]

    def columns(self, dtypes: Mapping[str, str]) -> dict[str, NDArray[Any]]:
        """All columns by their path, in these types; defaults for fields that a row does not have."""
        layout = _layout(self._schema.table, tuple(dtypes.items()))
        made: dict[str, NDArray[Any]] = {}
        for dtype, paths, columns in layout:
            if dtype == "f4" and self._schema.floats:
                block = floats(self._schema, self._cells)
            else:
                block = self._cells[_rows(columns)].astype(dtype)
            made.update(zip(paths, block, strict=True))
        return made

    def present(self, path: str) -> NDArray[np.bool_]:
        """Which rows have a field."""
        if self._schema.has is None:
            return np.ones(self._cells.shape[1], np.bool_)
        bit = self._schema.parents[path] if path in self._schema.parents else self._schema.fields.index(path)
        present: NDArray[np.bool_] = (self._cells[self._schema.has] >> bit & 1).astype(np.bool_)
        return present


@cache
def _layout(table: int, dtypes: tuple[tuple[str, str], ...]) -> list[tuple[str, list[str], tuple[int, ...]]]:
    """The columns of a table by type: paths, and numbers of the columns; all floats, in their order."""
    schema = (UNITS, *LISTS)[table]
    blocks: dict[str, list[str]] = {}
    for path, dtype in dtypes:
        blocks.setdefault(dtype, []).append(path)
    if schema.floats:
        blocks["f4"] = [schema.fields[at] for at in schema.floats]
    return [(dtype, paths, tuple(map(schema.fields.index, paths))) for dtype, paths in blocks.items()]


def floats(schema: Schema, cells: NDArray[np.int64]) -> NDArray[np.float32]:
    """All float columns of a table, in the order of `schema.floats`: (columns, rows)."""
    # Exact: values on the grid have no more digits than a float.
    values = cells[_rows(schema.floats)].astype(np.float32)
    values *= _GRID
    assert schema.kinds is not None
    kinds = cells[schema.kinds]
    some = int(np.bitwise_or.reduce(kinds))
    for at, column in enumerate(schema.floats):
        if (some >> (2 * column)) & 3 == 0:
            continue
        kind = (kinds >> (2 * column)) & 3
        # Kind 3 is invalid; all decoders read it as bits.
        (raw,) = (kind & BITS).nonzero()
        if len(raw):
            values[at].view(np.int32)[raw] = cells[column, raw]
        (angles,) = (kind == ANGLE).nonzero()
        if len(angles):
            values[at, angles] = _BASE + cells[column, angles] / 4096
    return values


@cache
def _rows(columns: tuple[int, ...]) -> NDArray[np.intp]:
    return np.array(columns, np.intp)

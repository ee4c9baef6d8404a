"""Converts cells to arrays of values."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abathur.columns._schema import ANGLE, BITS, GRID, LISTS, UNITS, Schema
from abathur.columns._table import Table

_BASE = 4.71238898038469
_GRID = np.float32(1 / 4096)
#: Columns that are created one by one.
_ALONE = 8


class Values:
    """The columns of one table, by the path of their field.

    The first arrays are created one by one. A reader of more is likely to need all, which is faster at once.
    """

    def __init__(self, schema: Schema, table: Table, rows: NDArray[np.intp] | None = None) -> None:
        """Columns of some rows of a table, or of all."""
        self._schema = schema
        self._cells = table.cells
        self._rows = rows
        self._left_alone = _ALONE

    def columns(self, path: str, dtypes: Mapping[str, str]) -> dict[str, NDArray[Any]]:
        """A column by its path, or all, in these types; defaults for fields that a row does not have."""
        if self._left_alone:
            self._left_alone -= 1
            at = _numbers(self._schema.table)[path]
            if at in self._schema.floats and self._kinds >> (2 * at) & 3 != GRID:
                return {path: floats(self._schema, self._cells, (at,), self._rows)[0]}
            column = self._selected(self._cells[at]).astype(dtypes[path])
            if at in self._schema.floats:
                column *= _GRID
            return {path: column}
        return self.all(dtypes)

    def all(self, dtypes: Mapping[str, str]) -> dict[str, NDArray[Any]]:
        """All columns by their path, in these types."""
        made: dict[str, NDArray[Any]] = {}
        for dtype, paths, columns in _layout(self._schema.table, tuple(dtypes.items())):
            if dtype == "f4" and self._schema.floats:
                block = floats(self._schema, self._cells, self._schema.floats, self._rows)
            else:
                block = self._selected(self._cells[_array(columns)].astype(dtype))
            made.update(zip(paths, block, strict=True))
        return made

    @cached_property
    def _kinds(self) -> int:
        """The kinds of all floats that are in the table, or-ed."""
        return 0 if self._schema.kinds is None else int(np.bitwise_or.reduce(self._cells[self._schema.kinds]))

    def _selected(self, cells: NDArray[Any]) -> NDArray[Any]:
        return cells if self._rows is None else cells.take(self._rows, axis=-1)

    def present(self, path: str) -> NDArray[np.bool_]:
        """Which rows have a field."""
        if self._schema.has is None:
            return np.ones(self._cells.shape[1], np.bool_)
        bit = self._schema.parents[path] if path in self._schema.parents else self._schema.fields.index(path)
        return (self._selected(self._cells[self._schema.has]) >> bit & 1).astype(np.bool_)


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


def floats(
    schema: Schema, cells: NDArray[np.int64], columns: tuple[int, ...], rows: NDArray[np.intp] | None = None
) -> NDArray[np.float32]:
    """Some float columns of a table, for some rows or for all: (columns, rows)."""
    # Exact: values on the grid have no more digits than a float.
    values = cells[_array(columns)].astype(np.float32)
    values *= _GRID
    assert schema.kinds is not None
    kinds = cells[schema.kinds]
    some = int(np.bitwise_or.reduce(kinds))
    for at, column in enumerate(columns):
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
    return values if rows is None else values.take(rows, axis=1)


@cache
def _numbers(table: int) -> dict[str, int]:
    """The columns of a table by the path of their field."""
    return {path: at for at, path in enumerate((UNITS, *LISTS)[table].fields) if path}


@cache
def _array(columns: tuple[int, ...]) -> NDArray[np.intp]:
    return np.array(columns, np.intp)

"""Converts cells to arrays of values."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from abathur.columns._schema import ANGLE, BITS, Schema
from abathur.columns._table import Table

_Cell = TypeVar("_Cell", np.int64, np.float32)
_BASE = 4.71238898038469
_FLOAT = np.dtype(np.float32)
_GRID = np.array(1 / 4096, np.float32)
#: Columns that are created one by one.
_ALONE = 6


class Values:
    """The columns of one table, by the path of their field.

    The first arrays are created one by one, and the coordinates of a point together. A reader of more is likely to need
    all, which is faster at once.
    """

    def __init__(self, schema: Schema, table: Table, rows: NDArray[np.intp] | None = None) -> None:
        """Columns of some rows of a table, or of all."""
        self._schema = schema
        self._cells = table.cells
        self._rows = rows
        self._left_alone = _ALONE

    def columns(self, path: str, dtypes: Mapping[str, str]) -> dict[str, NDArray[Any]]:
        """A column by its path, and the columns that are created with it; defaults for fields that a row does not have.

        Args:
            path: The path of the column.
            dtypes: The types of all columns, by path.
        """
        if not self._left_alone:
            return self.all(dtypes)
        self._left_alone -= 1
        dtype, paths, columns = _layout(self._schema, dtypes).by_path[path]
        if dtype == _FLOAT:
            first, last = columns[0], columns[-1]
            block = self._selected(floats(self._schema, self._cells, first, last + 1, self._kinds))
            return {path: block[column - first] for path, column in zip(paths, columns, strict=True)}
        return {path: self._selected(self._cells[columns[0]]).astype(dtype)}

    def all(self, dtypes: Mapping[str, str]) -> dict[str, NDArray[Any]]:
        """All columns by their path, in these types."""
        made: dict[str, NDArray[Any]] = {}
        cells = self._selected(self._cells)
        for dtype, paths, columns in _layout(self._schema, dtypes).blocks:
            if dtype == _FLOAT:
                block = floats(self._schema, cells, 0, columns[-1] + 1, self._kinds)
                made.update(zip(paths, map(block.__getitem__, columns), strict=True))
            else:
                made.update(zip(paths, cells[_array(columns)].astype(dtype), strict=True))
        return made

    @cached_property
    def _kinds(self) -> int:
        """The kinds of all floats that are in the table, or-ed."""
        return 0 if self._schema.kinds is None else int(np.bitwise_or.reduce(self._cells[self._schema.kinds]))

    def _selected(self, cells: NDArray[_Cell]) -> NDArray[_Cell]:
        return cells if self._rows is None else cells.take(self._rows, axis=-1)

    def present(self, path: str) -> NDArray[np.bool_]:
        """Which rows have a field."""
        if self._schema.has is None:
            return np.ones(self._cells.shape[1], np.bool_)
        bit = self._schema.parents[path] if path in self._schema.parents else self._schema.fields.index(path)
        return (self._selected(self._cells[self._schema.has]) >> bit & 1).astype(np.bool_)


class _Block(NamedTuple):
    """Columns that are created together: their type, and path and number of each, ascending."""

    dtype: np.dtype[Any]
    paths: tuple[str, ...]
    columns: tuple[int, ...]


class _Layout(NamedTuple):
    """What is created with each column by itself, and all columns by type."""

    by_path: dict[str, _Block]
    blocks: list[_Block]


#: By number of the table. The types of its columns are always the same.
_LAYOUTS: dict[int, _Layout] = {}


def _layout(schema: Schema, dtypes: Mapping[str, str]) -> _Layout:
    found = _LAYOUTS.get(schema.table)
    if found is None:
        found = _LAYOUTS[schema.table] = _new_layout(schema, dtypes)
    return found


def _new_layout(schema: Schema, dtypes: Mapping[str, str]) -> _Layout:
    types = {at: np.dtype(dtype) for path, dtype in dtypes.items() for at in [schema.fields.index(path)]}

    def block(columns: list[int]) -> _Block:
        return _Block(types[columns[0]], tuple(schema.fields[at] for at in columns), tuple(columns))

    def together(at: int) -> list[int]:
        parent, _, _ = schema.fields[at].rpartition(".")
        return [each for each in sorted(types) if parent and schema.fields[each].startswith(f"{parent}.")] or [at]

    by_type: dict[np.dtype[Any], list[int]] = {}
    for at in sorted(types):
        by_type.setdefault(types[at], []).append(at)
    return _Layout({schema.fields[at]: block(together(at)) for at in types}, [block(each) for each in by_type.values()])


def floats(
    schema: Schema, cells: NDArray[np.int64], first: int, end: int, some: int | None = None
) -> NDArray[np.float32]:
    """The floats in some consecutive columns of a table, (columns, rows). What other columns contain is not defined.

    Args:
        schema: Of the table.
        cells: The table.
        first: The first column.
        end: The column after the last.
        some: The kinds that occur in the table, or-ed; None: not known.
    """
    # Exact: values on the grid have no more digits than a float.
    values = cells[first:end].astype(np.float32)
    values *= _GRID
    assert schema.kinds is not None
    kinds = cells[schema.kinds]
    some = int(np.bitwise_or.reduce(kinds)) if some is None else some
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


@cache
def _array(columns: tuple[int, ...]) -> NDArray[np.intp]:
    return np.array(columns, np.intp)

"""Converts cells to arrays of values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abathur._values.usual import Usual
from abathur.columns import _implementation
from abathur.columns._schema import ColumnGroup, Schema, Wanted

_MOST_KEPT = 64


class Values:
    """The columns of one table, by the path of their field.

    A program reads the same columns of each frame: those that it has read of the frames before are created together
    with the first, others one by one, and after some of them all, which is faster at once.
    """

    def __init__(self, schema: Schema, cells: NDArray[np.int64], rows: NDArray[np.intp] | None = None) -> None:
        """Columns of some rows of the cells of a table, or of all."""
        self._schema = schema
        self._cells = cells
        self._rows = rows
        self._reader = _implementation.functions.TableReader(schema, cells, rows)
        self._read = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """The cells: another process may have another implementation."""
        return type(self), (self._schema, self._cells, self._rows)

    def columns(self, path: str, dtypes: Mapping[str, str]) -> dict[str, NDArray[Any]]:
        """A column by its path, and the columns that are created with it; defaults for fields that a row does not have.

        Args:
            path: The path of the column.
            dtypes: The types of all columns, by path.
        """
        layout = _LAYOUTS.get(self._schema.table) or _LAYOUTS.setdefault(
            self._schema.table, _Layout(self._schema, dtypes)
        )
        self._read += 1
        return self._reader.arrays(layout.wanted(path, self._read))

    def present(self, path: str) -> NDArray[np.bool_]:
        """Which rows have a field."""
        if self._schema.has is None:
            return np.ones(self._cells.shape[1], np.bool_)
        bit = self._schema.parents[path] if path in self._schema.parents else self._schema.fields.index(path)
        has: NDArray[np.int64] = self._cells[self._schema.has]
        return ((has if self._rows is None else has.take(self._rows)) >> bit & 1).astype(np.bool_)


class _Layout:
    """What is created with each column of a kind of table."""

    def __init__(self, schema: Schema, dtypes: Mapping[str, str]) -> None:
        """Columns of these types."""
        self._numbers = {path: schema.fields.index(path) for path in dtypes}
        self._dtypes = {path: np.dtype(dtype) for path, dtype in dtypes.items()}
        self._usual = Usual(dtypes)
        self._made: dict[frozenset[str], Wanted] = {}

    def wanted(self, path: str, read: int) -> Wanted:
        """What to create for the `read`-th column of a table that is not there."""
        paths = self._usual.with_column(path, read)
        found = self._made.get(paths)
        if found is None:
            if len(self._made) > _MOST_KEPT:
                self._made.clear()
            found = self._made[paths] = self._new(paths)
        return found

    def _new(self, paths: frozenset[str]) -> Wanted:
        by_type: dict[np.dtype[Any], list[str]] = {}
        for path in sorted(paths, key=self._numbers.__getitem__):
            by_type.setdefault(self._dtypes[path], []).append(path)
        groups = (
            ColumnGroup(dtype, tuple(each), tuple(self._numbers[path] for path in each))
            for dtype, each in by_type.items()
        )
        return Wanted(*groups)


#: By number of the table. The types of its columns are always the same.
_LAYOUTS: dict[int, _Layout] = {}

"""Lists inside units, as columns: the entries of all units in one table, and where those of each unit begin."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from abathur._values.read_only import read_only

_SNAKE = re.compile("(?<=[a-z])(?=[A-Z])")


class NestedSource(Protocol):
    """A source of entries."""

    def counts(self) -> NDArray[np.int64]:
        """How many entries each unit has: (N,)."""

    def columns(self, path: str, dtypes: Mapping[str, str]) -> Mapping[str, NDArray[Any]]:
        """A field of all entries by its path, and fields that are cheap to create with it; all types are given.

        If an entry does not have a field, its value is the protocol's default.
        """

    def present(self, path: str) -> NDArray[np.bool_]:
        """Which entries have a field."""

    def select(self, rows: NDArray[np.intp]) -> NestedSource:
        """The entries of some of the units."""


class Nested:
    """M entries of N units, unit by unit: orders, buffs, passengers, or rally targets.

    Each column is an array of shape (M,), read-only unless the units are a selection. The entries of unit i are those
    from ``offsets[i]`` to ``offsets[i + 1]``.
    """

    def __init__(self, source: NestedSource, columns: Mapping[str, tuple[str, str]], is_shared: bool) -> None:
        """Entries are created by the package."""
        self._source = source
        self._columns = columns
        self._is_shared = is_shared

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """The start of the entries of each unit, and the end of the last: (N + 1,) int64."""
        return self._kept(np.concatenate((np.zeros(1, np.int64), np.cumsum(self._source.counts()))))

    @cached_property
    def unit(self) -> NDArray[np.int64]:
        """Which unit each entry belongs to, as an index into the units: (M,) int64."""
        counts = self._source.counts()
        return self._kept(np.repeat(np.arange(len(counts)), counts))

    def has(self, column: str) -> NDArray[np.bool_]:
        """Which entries have a field: (M,) bool.

        Raises:
            AttributeError: there is no such column.
        """
        return self._source.present(self._path(column))

    def __getitem__(self, column: str) -> NDArray[Any]:
        """A column by its name.

        Raises:
            AttributeError: there is no such column.
            TypeError: it is not a name.
        """
        if not isinstance(column, str):
            raise TypeError(
                f"the {type(self).__name__} of all units have no index {column!r}, only columns: those of one unit are "
                f"units[0].{_SNAKE.sub('_', type(self).__name__).lower()}"
            )
        self._path(column)
        found: NDArray[Any] = getattr(self, column)
        return found

    def __len__(self) -> int:
        """Number of entries."""
        return int(self.offsets[-1])

    def __dir__(self) -> list[str]:
        """The columns too, for prompts."""
        return [*super().__dir__(), *self._columns]

    def __repr__(self) -> str:
        """The columns, and the first entries of each."""
        columns = ", ".join(f"{name}={np.array2string(getattr(self, name), threshold=8)}" for name in self._columns)
        return f"<{type(self).__name__}: {len(self)} of {len(self.offsets) - 1} units: {columns}>"

    # Type checkers know the columns by the annotations of the derived classes, and find misspelled ones.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NDArray[Any]:
            """Build a column."""
            if name.startswith("_"):
                raise AttributeError(name)
            dtypes = {path: dtype for dtype, path in self._columns.values()}
            column = self._kept(self._source.columns(self._path(name), dtypes)[self._path(name)])
            setattr(self, name, column)
            return column

    def _kept(self, array: NDArray[Any]) -> NDArray[Any]:
        return read_only(array) if self._is_shared else array

    def _path(self, name: str) -> str:
        if name not in self._columns:
            raise AttributeError(f"no column {name!r}; there are {', '.join(self._columns)}")
        return self._columns[name][1]


class NestedSelection:
    """The entries of some units of another source."""

    def __init__(self, source: NestedSource, rows: NDArray[np.intp]) -> None:
        """The units' rows, in the order wanted."""
        self._source = source
        counts = source.counts()
        self._counts = counts[rows]
        starts = (np.cumsum(counts) - counts)[rows]
        within = np.arange(int(self._counts.sum())) - np.repeat(np.cumsum(self._counts) - self._counts, self._counts)
        self._entries = np.repeat(starts, self._counts) + within

    def counts(self) -> NDArray[np.int64]:
        """How many entries each unit has."""
        return self._counts

    def columns(self, path: str, dtypes: Mapping[str, str]) -> dict[str, NDArray[Any]]:
        """A field of the entries."""
        return {path: self._source.columns(path, dtypes)[path][self._entries]}

    def present(self, path: str) -> NDArray[np.bool_]:
        """Which entries have a field."""
        return self._source.present(path)[self._entries]

    def select(self, rows: NDArray[np.intp]) -> NestedSource:
        """The entries of some of the units."""
        return NestedSelection(self, rows)

"""Some of the units of a frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import index
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from abathur._frame.nested import NestedSource
from abathur._frame.unit_columns import COLUMNS
from abathur._values import arguments

_NAMES = {path: name for name, (_, path) in COLUMNS.items()}
#: Larger integers are tags.
_MAX_ROWS = 1 << 20


class Selectable(Protocol):
    """Units: of a frame, or a selection. Each column is an attribute."""

    _source: Any

    def __len__(self) -> int:
        """Number of units."""

    def __iter__(self) -> Iterator[Any]:
        """Each unit, as an object."""

    def has(self, column: str) -> NDArray[np.bool_]:
        """Which units have a field."""


_Units = TypeVar("_Units", bound=Selectable)


class Selection:
    """The source of units that are some of other units."""

    def __init__(self, units: Selectable, rows: NDArray[np.intp]) -> None:
        """The other units, and which of them, in the order wanted."""
        self._units = units
        self._rows = rows

    def __len__(self) -> int:
        """Number of units."""
        return len(self._rows)

    def columns(self, path: str, dtypes: Mapping[str, str]) -> dict[str, NDArray[Any]]:
        """A field of these units."""
        return {path: getattr(self._units, _NAMES[path])[self._rows]}

    def present(self, path: str) -> NDArray[np.bool_]:
        """Which of these units have a field."""
        return self._units.has(_NAMES[path])[self._rows]

    def nested(self, field: str) -> NestedSource:
        """A repeated field of these units."""
        found: NestedSource = self._units._source.nested(field).select(self._rows)
        return found


def origin(units: _Units) -> tuple[_Units, NDArray[np.intp]]:
    """The units of the frame that these are selected from, and their rows in them."""
    rows = np.arange(len(units))
    while isinstance(source := units._source, Selection):
        units, rows = cast("_Units", source._units), source._rows[rows]
    return units, rows


def rows_of_both(first: _Units, second: _Units, sign: str) -> tuple[_Units, NDArray[np.intp], NDArray[np.intp]]:
    """The units of a frame, and the rows of two selections of them.

    Raises:
        ValueError: they are not of one frame.
    """
    (units, rows), (others, other_rows) = origin(first), origin(second)
    if units is not others:
        raise ValueError(
            f"units {sign} units needs two selections of one frame.units, and these are of two; "
            "for tables of several frames write pandas.concat([first.to_pandas(), second.to_pandas()])"
        )
    return units, rows, other_rows


def row_number(given: Any, count: int) -> int:
    """The row of an integer index, which may be negative. Raises IndexError."""
    row = index(given)
    if -count <= row < count:
        return row % count
    hint = f"; a unit by its tag is units.by_tag({row})" if row > _MAX_ROWS else ""
    raise IndexError(f"no unit has index {row}: there are {count} units{hint}")


def rows(given: Any, count: int) -> NDArray[np.intp]:
    """The rows of a mask, of indices, or of a slice.

    Raises:
        IndexError: an index is out of range, or a mask has another length.
        TypeError: it is nothing that selects units.
    """
    if not isinstance(given, np.ndarray | slice):
        _check_selecting(given)
    found: NDArray[np.intp] = np.arange(count)[given]
    if found.ndim != 1:
        raise IndexError(f"units are selected by an array with one axis, not {found.ndim}")
    return found


def _check_selecting(given: Any) -> None:
    """Raise TypeError, with what to write, if it does not select units."""
    if isinstance(given, tuple):
        raise TypeError(f"units have one axis, not units[{arguments.shown(given)[1:-1]}]: write units[[0, 1]]")
    if isinstance(given, bool | np.bool_) or given is None or given is Ellipsis:
        raise TypeError(f"units are selected by an index, a mask, indices or a slice, not {given}")
    if hasattr(given, "tag"):
        raise TypeError("units are not an index of units: write units.by_tag(unit), or units.where(tag=others)")
    if isinstance(given, list) and any(isinstance(each, str) for each in given):
        raise TypeError(f"units have one column at a time, as units.health: write units.to_pandas()[{given}]")
    if callable(given):
        raise TypeError("a function is not an index of units: write units.where(function)")


def mask(units: Selectable, chosen: Any) -> NDArray[np.bool_]:
    """Which units a function, or a mask, chooses; a new array. Raises TypeError if it is neither."""
    if callable(chosen):
        return np.fromiter((bool(chosen(unit)) for unit in units), np.bool_, len(units))
    found = np.array(chosen)
    if found.dtype != np.bool_ or found.shape != (len(units),):
        raise TypeError(
            f"where takes a function of a unit, or a mask of {len(units)} bools, not {arguments.shown(chosen)}"
        )
    return found


def order(units: Selectable, key: Any, reverse: bool) -> NDArray[np.intp]:
    """The rows in the order of a key, see `Units.sort_by`."""
    count = len(units)
    keys = getattr(units, key) if isinstance(key, str) else [key(unit) for unit in units] if callable(key) else key
    if len(keys) != count or (np.ndim(keys) > 1 and not callable(key)):
        raise ValueError(f"a key has one value for each of {count} units, not {arguments.shown(keys)}")
    if isinstance(keys, list):
        # Of any objects that can be compared, such as tuples.
        return np.array(sorted(range(count), key=keys.__getitem__, reverse=reverse), np.intp)
    array: NDArray[Any] = np.asarray(keys)
    return count - 1 - array[::-1].argsort(kind="stable")[::-1] if reverse else array.argsort(kind="stable")

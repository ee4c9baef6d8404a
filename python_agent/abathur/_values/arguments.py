"""What users give for units and places: numbers, arrays, and the objects of this package and of python-sc2."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from numbers import Real
from operator import index
from typing import Any, Final, Protocol, SupportsIndex, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

_MAX_TAG: Final = 2**64 - 1
#: The protocol's coordinates are floats of 32 bits.
_MAX_COORDINATE: Final = float(np.finfo(np.float32).max)
_SHOWN_CHARACTERS: Final = 100


class Tagged(Protocol):
    """Something with a tag: a `UnitView`, a `Units`, a passenger, a protobuf unit, a unit of python-sc2."""

    @property
    def tag(self) -> Any:
        """The tag; of `Units` an array."""


class Located(Protocol):
    """Something with a position: a `UnitView`, a unit of python-sc2."""

    @property
    def position(self) -> Any:
        """The coordinates."""


class Coordinates(Protocol):
    """Something with coordinates: a protobuf point, the view of an order."""

    @property
    def x(self) -> Any:
        """The first coordinate, in map cells."""

    @property
    def y(self) -> Any:
        """The second coordinate, in map cells."""


#: One unit: its tag, or an object with a tag.
Unit: TypeAlias = SupportsIndex | Tagged
#: Several units, or one: tags, an array of tags of any integer type, or objects with tags.
UnitsLike: TypeAlias = Unit | NDArray[np.integer[Any]] | Iterable[Unit]
#: Two or three coordinates in map cells: numbers, a row of an array, a point, or a unit, whose position it is.
Place: TypeAlias = Sequence[float] | NDArray[Any] | Located | Coordinates


def tags(units: UnitsLike) -> list[int]:
    """The tags of units, in their order.

    Raises:
        TypeError: something is neither a tag nor has one.
        ValueError: a tag is negative, or has more than 64 bits.
    """
    found: Any = getattr(units, "tag", units)
    if isinstance(found, np.ndarray) and found.dtype.kind in "iu":
        # The least and the greatest stand for all.
        for each in (found.min(), found.max()) if found.size else ():
            _check_tag(int(each))
        return found.ravel().tolist()
    if is_integer(found):
        return [_check_tag(index(found))]
    if isinstance(found, str | bytes) or not isinstance(found, Iterable):
        raise TypeError(f"a unit is a tag, or an object with a tag, not {shown(units)}")
    if isinstance(found, np.ndarray) and found.dtype.kind != "O" and found.size:
        raise TypeError(f"tags are integers, not {found.dtype}: {shown(units)}")
    return [tag for each in found for tag in tags(each)]


def tag(unit: UnitsLike) -> int:
    """The tag of one unit; also of `Units`, or of an array, with one element.

    Raises:
        TypeError: it is neither a tag nor has one.
        ValueError: these are several units or none, or the tag is negative or has more than 64 bits.
    """
    found = tags(unit)
    if len(found) != 1:
        raise ValueError(f"one unit is needed, not {len(found)}: {shown(unit)}")
    return found[0]


def point(place: Place, what: str = "a position is (x, y) or (x, y, z)") -> tuple[float, ...]:
    """The coordinates of a place: x and y, and z if it has one. They are finite.

    Args:
        place: The place.
        what: What it may be, for errors.

    Raises:
        TypeError: it has no coordinates, or they are not numbers.
        ValueError: it does not have two or three coordinates, or one is not a finite number of 32 bits.
    """
    found: Any = place
    # Of a unit: with its height, if it tells it.
    for name in ("pos", "position"):
        found = getattr(found, name, found)
    if hasattr(found, "x") and hasattr(found, "y"):
        found = [getattr(found, name) for name in "xyz" if hasattr(found, name)]
    if isinstance(found, np.ndarray) and found.ndim == 2 and len(found) == 1:
        # The positions of units, of which there is one.
        found = found[0]
    if isinstance(found, str | bytes) or not isinstance(found, Sequence | np.ndarray) or np.ndim(found) == 0:
        raise TypeError(f"{what}, not {shown(place)}")
    if len(found) not in (2, 3):
        raise ValueError(f"{what}, not {shown(place)}")
    if not all(isinstance(each, Real) and not isinstance(each, bool) for each in found):
        raise TypeError(f"{what}, not {shown(place)}")
    coordinates = tuple(float(each) for each in found)
    if not all(abs(each) <= _MAX_COORDINATE for each in coordinates):
        raise ValueError(f"coordinates are finite numbers of 32 bits, not {shown(place)}")
    return coordinates


def number(value: Any) -> Any:
    """The number of a member of an enumeration, such as those of python-sc2; any other value as it is."""
    return value.value if isinstance(value, Enum) else value


def is_integer(value: Any) -> TypeGuard[SupportsIndex]:
    """Whether it is one integer of Python or NumPy, and not a bool."""
    return hasattr(value, "__index__") and not isinstance(value, bool | np.bool_) and np.ndim(value) == 0


def shown(value: object) -> str:
    """A value in an error message: its first line, of some length."""
    text = repr(value).partition("\n")[0]
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}..."


def _check_tag(number: int) -> int:
    if not 0 <= number <= _MAX_TAG:
        raise ValueError(f"a tag is a number from 0 to {_MAX_TAG}, not {number}")
    return number

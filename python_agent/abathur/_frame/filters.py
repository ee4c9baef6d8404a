"""What `Units.where` compares a column with: numbers of its type, from names, enumerations and numbers.

A filter that can match no unit, because of a misspelled name or a value of another kind, is an error: an empty
selection would look like a match without such units.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cache
from numbers import Real
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from s2clientprotocol import raw_pb2

from abathur._values import arguments

#: Enumerations of this package, of python-sc2 and of the protocol, by the column whose numbers they have.
_KINDS: Final = {
    "unit_type": "UnitTypeId",
    "alliance": "Alliance",
    "display_type": "DisplayType",
    "cloak": "CloakState",
}
#: Those of nothing that a column has.
_OTHER_KINDS: Final = frozenset(("AbilityId", "UpgradeId", "BuffId", "EffectId", "Race", "Result", "Attribute"))
_ENUMS: Final = {"alliance": raw_pb2.Alliance, "display_type": raw_pb2.DisplayType, "cloak": raw_pb2.CloakState}
_TAGS: Final = ("tag", "engaged_target_tag", "add_on_tag")
#: Enumerations of what the game numbers.
KINDS_OF_IDS: Final = frozenset(("UnitTypeId", "AbilityId", "UpgradeId", "BuffId", "EffectId"))
#: Names that an error lists; of more it suggests the closest.
_LISTED = 10


def wanted(column: str, dtype: np.dtype[Any], given: object) -> NDArray[Any]:
    """The values that a column may have, (values,), in its type.

    Args:
        column: The name of the column.
        dtype: Its type.
        given: A value, or several: a list, a set, an array.

    Raises:
        TypeError: a value is of a kind that the column does not have.
        ValueError: a name that does not exist, or a number that the column cannot have.
    """
    if column in _TAGS:
        return np.array(arguments.tags(given), dtype)  # type: ignore[arg-type]
    if isinstance(given, np.ndarray):
        several = given.ravel().tolist()
    elif isinstance(given, str | bytes) or not isinstance(given, Iterable) or hasattr(given, "tag"):
        several = [given]
    else:
        several = list(given)
    return np.array([_number(column, dtype, each) for each in several], dtype)


def _number(column: str, dtype: np.dtype[Any], value: Any) -> Any:
    """One value as a number."""
    if isinstance(value, Enum):
        _check_kind(column, value)
    value = arguments.number(value)
    if isinstance(value, str):
        return named(column, value)
    if callable(value):
        raise TypeError(f"{column} has a value, or several, not a function: write units[units.{column} > ...]")
    if not isinstance(value, Real | np.bool_):
        raise TypeError(f"{column} is a number{' or a name' * (column in _KINDS)}, not {arguments.shown(value)}")
    if not _can_have(dtype, value):
        raise ValueError(f"no unit has {column} {value!r}: it is {_range(dtype)}")
    return value


def _can_have(dtype: np.dtype[Any], value: Any) -> bool:
    if dtype.kind == "f":
        # Nothing is equal to NaN.
        return bool(abs(value) <= float(np.finfo(dtype).max) or value in (np.inf, -np.inf))
    if dtype.kind == "b":
        return value in (0, 1)
    limits = np.iinfo(dtype)
    return bool(limits.min <= value <= limits.max and value == int(value))


def _range(dtype: np.dtype[Any]) -> str:
    if dtype.kind == "b":
        return "True or False"
    if dtype.kind == "f":
        return "a number of 32 bits"
    limits = np.iinfo(dtype)
    return f"an integer from {limits.min} to {limits.max}"


def _check_kind(column: str, value: Enum) -> None:
    """Refuse a member of an enumeration of something else; users may have enumerations of their own."""
    kind = type(value).__name__
    if kind in (*_KINDS.values(), *_OTHER_KINDS) and kind != _KINDS.get(column):
        raise TypeError(f"{column} has no values of {kind}: {value!r}")


def named(column: str, name: str) -> int:
    """The number that a column has for a name.

    Raises:
        TypeError: the column has no names.
        ValueError: there is no such name.
    """
    known = names(column)
    if not known:
        raise TypeError(f"{column} is a number, not {name!r}")
    found = known.get(plain(name))
    if found is not None:
        return found
    what = column.replace("_", " ")
    if len(known) <= _LISTED:
        raise ValueError(f"there is no {what} {name!r}; there are {', '.join(known)}")
    close = [each.upper() for each in difflib.get_close_matches(plain(name), known)]
    hint = f"; did you mean {' or '.join(close)}?" if close else ""
    raise ValueError(f"there is no {what} {name!r}{hint}")


@cache
def names(column: str) -> Mapping[str, int]:
    """The numbers of a column by name, as `plain` writes them; none if it has no names."""
    if column == "unit_type":
        # Not at the top: see `UnitView.name`.
        from abathur.ids import UnitTypeId

        return {plain(name): member.value for name, member in UnitTypeId.__members__.items()}
    enum = _ENUMS.get(column)
    return {} if enum is None else {plain(name): number for name, number in enum.items()}


def plain(name: str) -> str:
    """In lower case, without what differs between the names of this package, of python-sc2 and of the game's data."""
    return name.lower().replace("_", "").replace(" ", "")

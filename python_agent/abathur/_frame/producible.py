"""What makes a unit or an upgrade that a user names: the ability, and the target that it needs."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cache
from typing import Any, NamedTuple

from abathur._frame import filters
from abathur._frame.production import NEXT_LEVEL, PRODUCED, RESEARCHED, WARPED
from abathur._values import arguments
from abathur.ids import UnitTypeId, UpgradeId, name_of

#: Names that an error lists.
_LISTED = 6


class Product(NamedTuple):
    """A unit or an upgrade, as it is made.

    Attributes:
        name: Its name in `UnitTypeId` or `UpgradeId`.
        ability: The ability that makes it.
        target: What the ability needs: nothing (``""``), ``point``, ``unit`` (a geyser), ``point or none`` (an add-on).
        warp: The ability of a warp gate; 0 if it is not warped in.
    """

    name: str
    ability: int
    target: str
    warp: int


def unit(given: int | str | Enum) -> Product:
    """A unit type by its number, its member of an enumeration, or its name.

    Raises:
        TypeError: it is of another type.
        ValueError: nothing makes such a unit, or the name is ambiguous or does not exist.
    """
    number = _number(given, "unit_type", "UnitTypeId", _unit_names())
    name = name_of(UnitTypeId, number)
    if number not in PRODUCED:
        raise ValueError(f"no ability makes {name}; actions.command takes any ability")
    ability, target, _ = PRODUCED[number]
    return Product(name, ability, target, WARPED.get(number, 0))


def upgrade(given: int | str | Enum) -> Product:
    """An upgrade in the same way; a name without a level, such as ``"TerranInfantryWeapons"``, is the next level.

    Raises:
        TypeError: it is of another type.
        ValueError: nothing researches it, or the name is ambiguous or does not exist.
    """
    if isinstance(given, str) and (ability := _next_levels().get(filters.plain(given))):
        return Product(given, ability, "", 0)
    number = _number(given, "upgrade", "UpgradeId", _upgrade_names())
    name = name_of(UpgradeId, number)
    if number not in RESEARCHED:
        raise ValueError(f"no ability researches {name}; actions.command takes any ability")
    return Product(name, RESEARCHED[number][0], "", 0)


def _number(given: Any, what: str, kind: str, names: Mapping[str, int]) -> int:
    if isinstance(given, Enum) and type(given).__name__ in filters.KINDS_OF_IDS and type(given).__name__ != kind:
        raise TypeError(f"{what} has no values of {type(given).__name__}: {given!r}")
    given = arguments.number(given)
    if isinstance(given, str):
        return _named(given, what.replace("_", " "), names)
    if not arguments.is_integer(given):
        raise TypeError(f"{what} is a name, a number or a member of {kind}, not {arguments.shown(given)}")
    return int(given)


def _named(given: str, what: str, names: Mapping[str, int]) -> int:
    plain = filters.plain(given)
    if (found := names.get(plain)) is not None:
        return found
    if what == "unit type" and (known := filters.names("unit_type").get(plain)) is not None:
        return known
    parts = _of_numbers((name for name in names if plain and plain in name), names)
    if len(parts) > 1:
        raise ValueError(f"the {what} {given!r} is ambiguous: write {_either(parts)}")
    close = parts or _of_numbers(difflib.get_close_matches(plain, names), names)
    raise ValueError(f"there is no {what} {given!r}{f'; did you mean {_either(close)}?' if close else ''}")


def _of_numbers(found: Iterable[str], names: Mapping[str, int]) -> list[str]:
    """The first of the names of each number."""
    by_number: dict[int, str] = {}
    for name in found:
        by_number.setdefault(names[name], name.upper())
    return list(by_number.values())


def _either(names: list[str]) -> str:
    shown = names if len(names) <= _LISTED else [*names[:_LISTED], f"{len(names) - _LISTED} others"]
    return " or ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


@cache
def _unit_names() -> Mapping[str, int]:
    """The names of what is made: of the unit types, then those that their abilities have for them."""
    names = {filters.plain(name_of(UnitTypeId, number)): number for number in PRODUCED}
    for number, (_, _, name) in PRODUCED.items():
        names.setdefault(filters.plain(name), number)
    return names


@cache
def _upgrade_names() -> Mapping[str, int]:
    names = {filters.plain(name_of(UpgradeId, number)): number for number in RESEARCHED}
    for number, (_, name) in RESEARCHED.items():
        names.setdefault(filters.plain(name), number)
    return names


@cache
def _next_levels() -> Mapping[str, int]:
    return {filters.plain(name): ability for name, ability in NEXT_LEVEL.items()}

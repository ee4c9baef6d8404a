"""The names of unit types, as an array."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abathur._frame import filters


class UnitNames(np.ndarray[Any, Any]):
    """Names of unit types in upper case: (N,) object, of `str`.

    ``names == "Siege Tank"`` and ``!=`` compare with the unit type that has this name, written as in `Units.where`, and
    raise ValueError if there is no such type. Everything else, such as `numpy.isin`, compares letter by letter.
    """

    def __eq__(self, other: object) -> Any:
        """Which names are this one."""
        return np.asarray(self) == _canonical(other)

    def __ne__(self, other: object) -> Any:
        """Which names are not this one."""
        return np.asarray(self) != _canonical(other)

    __hash__ = None


def names(unit_type: NDArray[np.uint32]) -> UnitNames:
    """The name of each unit type; the number, as a text, of one without a name."""
    # Not at the top: see `UnitView.name`.
    from abathur.ids import UnitTypeId

    return names_of(UnitTypeId, unit_type).view(UnitNames)


def names_of(kind: type[IntEnum], numbers: NDArray[np.uint32]) -> NDArray[np.object_]:
    """The name of each number in an enumeration: (N,) object, of `str`. A number without a name is its own text."""
    from abathur.ids import name_of

    distinct, places = np.unique(numbers, return_inverse=True)
    found = np.empty(len(distinct), object)
    found[:] = [name_of(kind, number) for number in distinct.tolist()]
    return found[places]


def _canonical(name: object) -> object:
    """A text as `names` writes it."""
    if not isinstance(name, str) or name.isdecimal():
        return name
    from abathur.ids import UnitTypeId, name_of

    return name_of(UnitTypeId, filters.named("unit_type", name))

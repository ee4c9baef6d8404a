"""The names of unit types, as an array."""

from __future__ import annotations

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
    from abathur.ids import UnitTypeId, name_of

    numbers, places = np.unique(unit_type, return_inverse=True)
    distinct = np.empty(len(numbers), object)
    distinct[:] = [name_of(UnitTypeId, number) for number in numbers.tolist()]
    return distinct[places].view(UnitNames)


def _canonical(name: object) -> object:
    """A text as `names` writes it."""
    if not isinstance(name, str) or name.isdecimal():
        return name
    from abathur.ids import UnitTypeId, name_of

    return name_of(UnitTypeId, filters.named("unit_type", name))

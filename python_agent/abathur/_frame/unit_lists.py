"""The lists of units, as columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abathur._frame.nested import Nested
from abathur._frame.unit_names import UnitNames, names, names_of


class Orders(Nested):
    """The orders of units: an ability, the unit or the point that it is for, and `progress` from 0 to 1."""

    ability_id: NDArray[np.uint32]
    target_unit_tag: NDArray[np.uint64]
    x: NDArray[np.float32]
    y: NDArray[np.float32]
    z: NDArray[np.float32]
    progress: NDArray[np.float32]

    @property
    def name(self) -> NDArray[np.object_]:
        """The names of the abilities in `AbilityId`: (M,) object. A new array each time."""
        from abathur.ids import AbilityId

        return names_of(AbilityId, self.ability_id)


class Buffs(Nested):
    """The buffs on units."""

    buff_id: NDArray[np.uint32]

    @property
    def name(self) -> NDArray[np.object_]:
        """The names of the buffs in `BuffId`: (M,) object. A new array each time."""
        from abathur.ids import BuffId

        return names_of(BuffId, self.buff_id)


class Passengers(Nested):
    """The passengers of units."""

    tag: NDArray[np.uint64]
    unit_type: NDArray[np.uint32]
    health: NDArray[np.float32]
    health_max: NDArray[np.float32]
    shield: NDArray[np.float32]
    shield_max: NDArray[np.float32]
    energy: NDArray[np.float32]
    energy_max: NDArray[np.float32]

    @property
    def name(self) -> UnitNames:
        """The names of their types in `UnitTypeId`, as in `Units.name`: (M,) object."""
        return names(self.unit_type)


class RallyTargets(Nested):
    """The rally targets of units: a point, and `tag` if the target is a unit."""

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    z: NDArray[np.float32]
    tag: NDArray[np.uint64]

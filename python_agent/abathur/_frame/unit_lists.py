"""The lists of units, as columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abathur._frame.nested import Nested


class Orders(Nested):
    """The orders of units: an ability, the unit or the point that it is for, and `progress` from 0 to 1."""

    ability_id: NDArray[np.uint32]
    target_unit_tag: NDArray[np.uint64]
    x: NDArray[np.float32]
    y: NDArray[np.float32]
    z: NDArray[np.float32]
    progress: NDArray[np.float32]


class Buffs(Nested):
    """The buffs on units."""

    buff_id: NDArray[np.uint32]


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


class RallyTargets(Nested):
    """The rally targets of units: a point, and `tag` if the target is a unit."""

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    z: NDArray[np.float32]
    tag: NDArray[np.uint64]

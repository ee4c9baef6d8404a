"""What a payload makes of the units' table, and what it is given of a list."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abathur.columns._schema import UNITS, Schema
from abathur.columns._table import Table


class Applied(NamedTuple):
    """The units after a payload.

    Attributes:
        units: The table.
        used: Which rows are units, (rows,) bool; the same object as before if none was added or removed.
        heads: Which rows move in the direction that they face, (rows,) bool.
        stays: Which rows have the same unit as before.
        counts_change: Whether the number of a unit's rows in a list changes.
        position: In the payload, after the units.
        memory: For the implementation that made it.
    """

    units: Table
    used: NDArray[np.bool_]
    heads: NDArray[np.bool_]
    stays: NDArray[np.bool_]
    counts_change: bool
    position: int
    memory: Any = None


class ListBefore(NamedTuple):
    """A list before a payload, and what becomes of its units.

    Attributes:
        schema: Of the list.
        table: The list.
        old: How many rows each unit had.
        counts: How many it has.
        stays: Which units' rows have the same unit as before.
        is_rearranged: Whether rows move, come or go.
    """

    schema: Schema
    table: Table
    old: NDArray[np.int64]
    counts: NDArray[np.int64]
    stays: NDArray[np.bool_]
    is_rearranged: bool


_NO_FLAGS: NDArray[np.bool_] = np.zeros(0, np.bool_)
#: Before a keyframe.
NOTHING = Applied(Table.empty(UNITS), _NO_FLAGS, _NO_FLAGS, _NO_FLAGS, True, 0)

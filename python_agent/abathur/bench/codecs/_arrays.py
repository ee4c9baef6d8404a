"""What is read of a frame whose units are arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from abathur._frame.frame import Frame
from abathur._frame.unit_columns import BUFF_COLUMNS, COLUMNS, ORDER_COLUMNS, PASSENGER_COLUMNS
from abathur.bench._codec import Sums

_NESTED = {"orders": ORDER_COLUMNS, "buffs": BUFF_COLUMNS, "passengers": PASSENGER_COLUMNS}


def arrays_of(frame: Frame) -> list[NDArray[Any]]:
    """All columns of the units, of what belongs to units, and the grids."""
    units = frame.units
    arrays = [getattr(units, name) for name in COLUMNS]
    for nested, columns in _NESTED.items():
        table = getattr(units, nested)
        arrays += [getattr(table, name) for name in columns]
    return arrays + [grid for grid in (frame.grids.visibility, frame.grids.creep) if grid is not None]


def sums_of(arrays: Sequence[NDArray[Any]]) -> Sums:
    """Sums of all integers and of all floats in arrays."""
    integers, floats = 0, 0.0
    for values in arrays:
        if values.dtype.kind == "f":
            floats += float(values.sum(dtype="f8"))
        else:
            integers += int(values.sum(dtype="u8" if values.dtype.kind in "ub" else "i8"))
    return [integers, floats]

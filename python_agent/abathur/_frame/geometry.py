"""Distances between units and places, on the ground: of x and y, in map cells."""

from __future__ import annotations

from numbers import Real
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from abathur._values import arguments


class Located(Protocol):
    """N units: their coordinates, (N,)."""

    @property
    def x(self) -> NDArray[np.float32]:
        """In map cells."""

    @property
    def y(self) -> NDArray[np.float32]:
        """In map cells."""


def distances(units: Located, places: Any) -> NDArray[np.float32]:
    """From each unit to a place, (N,) float32; or to each of M places, (N, M).

    Args:
        units: The units.
        places: A point, a unit; or several: `Units`, a list of these, or an array (M, 2) or (M, 3).

    Raises:
        TypeError: something in it has no coordinates.
        ValueError: it has other than two or three coordinates, or they are not finite.
    """
    if (several := _several(places)) is not None:
        table: NDArray[np.float32] = np.hypot(units.x[:, None] - several[:, 0], units.y[:, None] - several[:, 1])
        return table
    x, y = arguments.point(places)[:2]
    found: NDArray[np.float32] = np.hypot(units.x - np.float32(x), units.y - np.float32(y))
    return found


def nearest_distances(units: Located, places: Any) -> NDArray[np.float32]:
    """From each unit to a place, or to the nearest of several places: (N,) float32. Without a place infinite."""
    found = distances(units, places)
    return found if found.ndim == 1 else found.min(axis=1, initial=np.inf)


def between(first: Any, second: Any) -> float:
    """From one place to another."""
    (x, y), (other_x, other_y) = arguments.point(first)[:2], arguments.point(second)[:2]
    return float(np.hypot(x - other_x, y - other_y))


def _several(places: Any) -> NDArray[np.float32] | None:
    """The coordinates x and y of several places, (M, 2); None if it is one place, or none."""
    found = getattr(places, "pos", places)
    if isinstance(found, np.ndarray) and found.ndim == 2 and found.shape[1] in (2, 3) and found.dtype.kind in "iuf":
        return found[:, :2].astype(np.float32)
    if isinstance(found, list | tuple | set) and found and not any(isinstance(each, Real) for each in found):
        return np.array([arguments.point(each)[:2] for each in found], np.float32)
    return None

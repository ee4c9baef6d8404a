"""Where a unit that walks where it faces will be."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from abathur.columns._schema import ANGLE, FACING, KINDS, SPEED

_TERMS = 24
_MAX_ANGLE = 32_767
_MAX_SPEED = 1 << 20
_UNIT = 1 << 20
_HALF = 1 << 19
_SHIFT = 20


@cache
def _directions() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """X and y of the direction of a facing, in 1/2**20, by ``(kind << 16) + q + 32768``."""
    t = np.arange(_MAX_ANGLE + 1) / 4096.0
    u = -(t * t)
    term = np.ones_like(t)
    cosine = term.copy()
    for n in range(1, _TERMS + 1):
        term = term * u / float((2 * n - 1) * (2 * n))
        cosine = cosine + term
    term = t
    sine = t
    for n in range(1, _TERMS + 1):
        term = term * u / float((2 * n) * (2 * n + 1))
        sine = sine + term
    c = np.floor(cosine * _UNIT + 0.5).astype(np.int64)
    s = np.floor(sine * _UNIT + 0.5).astype(np.int64)
    c = np.concatenate(([0], c[:0:-1], c))
    s = np.concatenate(([0], -s[:0:-1], s))
    return np.concatenate((c, s)), np.concatenate((s, -c))


def steps(
    cells: NDArray[np.int64], rows: NDArray[np.int64], speed: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """The steps of some rows of the units at given speeds: x and y in 1/4096, and which of them have a step at all."""
    facing = cells[FACING, rows]
    kind = (cells[KINDS, rows] >> (2 * FACING)) & 3
    valid = (kind <= ANGLE) & (facing >= -_MAX_ANGLE) & (facing <= _MAX_ANGLE) & (speed >= 0) & (speed < _MAX_SPEED)
    if not valid.all():
        facing, kind, speed = facing * valid, kind * valid, speed * valid
    index = (kind << 16) + facing + (_MAX_ANGLE + 1)
    x, y = _directions()
    return (speed * x[index] + _HALF) >> _SHIFT, (speed * y[index] + _HALF) >> _SHIFT, valid


def speeds(dx: NDArray[np.int64], dy: NDArray[np.int64]) -> NDArray[np.int64]:
    """Lengths of steps, rounded, and none longer than the first that is no step any more."""
    x, y = dx.astype(np.float64), dy.astype(np.float64)
    return np.minimum(np.floor(np.sqrt(x * x + y * y) + 0.5), _MAX_SPEED).astype(np.int64)


def follow(
    cells: NDArray[np.int64], velocity: NDArray[np.int64], before: NDArray[np.int64], heads: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Corrects x and y of the rows that head, in place, and sets speeds. Returns the new velocity.

    Args:
        cells: The units after the changes, (columns, rows).
        velocity: Velocity in the frame before, (predicted columns, rows).
        before: The predicted cells in the frame before, same shape; rows that have become free are zero in all three.
        heads: Whether each row heads; changed in place.
    """
    rows = np.flatnonzero(heads & ((cells[SPEED] != 0) | (velocity[0] != 0) | (velocity[1] != 0)))
    if len(rows):
        x, y, valid = steps(cells, rows, cells[SPEED, rows])
        if not valid.all():
            rows, x, y = rows[valid], x[valid], y[valid]
        cells[0, rows] += x - velocity[0, rows]
        cells[1, rows] += y - velocity[1, rows]
    predicted = len(before)
    changed = cells[:predicted] - before
    rows = np.flatnonzero((changed[0] != 0) | (changed[1] != 0))
    cells[SPEED] = 0
    if len(rows):
        dx, dy = changed[0, rows], changed[1, rows]
        speed = speeds(dx, dy)
        cells[SPEED, rows] = speed
        x, y, valid = steps(cells, rows, speed)
        heads[rows] = valid & (abs(dx - x) <= 1) & (abs(dy - y) <= 1)
    changed[SPEED] = cells[SPEED] - before[SPEED]
    return changed

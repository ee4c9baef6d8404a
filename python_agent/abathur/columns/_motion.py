"""Predicts the movement of units in their facing direction."""

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
def _directions() -> NDArray[np.int64]:
    """X and y of the direction of a facing, in 1/2**20, by ``(kind << 16) + q + 32768``: (2, 131072)."""
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
    return np.array((np.concatenate((c, s)), np.concatenate((s, -c))))


def follow(
    cells: NDArray[np.int64], velocity: NDArray[np.int64], before: NDArray[np.int64], heads: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Corrects x and y of rows that move as they face, in place, and sets speeds. Returns the new velocity.

    Args:
        cells: The units after the changes, (columns, rows).
        velocity: Velocity in the previous frame, (predicted columns, rows).
        before: The predicted cells in the previous frame, same shape; freed rows are zero in all three.
        heads: Whether each row moves in the direction that it faces; changed in place.
    """
    changed = cells[: len(before)] - before
    # All units that have moved, move, or may move.
    (rows,) = (changed[0] | changed[1] | velocity[0] | velocity[1] | cells[SPEED]).nonzero()
    if not len(rows):
        return changed
    speed, headed = cells[SPEED, rows], heads[rows]
    direction, valid = _directions_of(cells, rows)
    steps = headed & valid & (speed.view(np.uint64) < _MAX_SPEED)
    step = changed[:2, rows]
    # Replace the prediction by velocity with the prediction by direction.
    step += (((speed * direction + _HALF) >> _SHIFT) - velocity[:2, rows]) * steps
    changed[:2, rows] = step
    cells[:2] = before[:2] + changed[:2]
    squares = step.astype(np.float64)
    squares *= squares
    # At most the first speed that has no step.
    speed = np.minimum(np.sqrt(squares[0] + squares[1]) + 0.5, _MAX_SPEED).astype(np.int64)
    cells[SPEED] = 0
    cells[SPEED, rows] = speed
    changed[SPEED] = cells[SPEED] - before[SPEED]
    misses = np.abs(step - ((speed * direction + _HALF) >> _SHIFT)).max(axis=0)
    heads[rows] = np.where(speed != 0, (misses <= 1) & valid & (speed < _MAX_SPEED), headed)
    return changed


def _directions_of(cells: NDArray[np.int64], rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Directions of some rows: x and y in 1/2**20, and which of them are in the table."""
    facing = cells[FACING, rows]
    kind = (cells[KINDS, rows] >> (2 * FACING)) & 3
    # Unsigned, so that one comparison checks both bounds.
    valid = (kind <= ANGLE) & ((facing + _MAX_ANGLE).view(np.uint64) <= 2 * _MAX_ANGLE)
    index = ((kind << 16) + facing + (_MAX_ANGLE + 1)) * valid
    return _directions().take(index, axis=1), valid

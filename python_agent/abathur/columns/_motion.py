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
    speed, step = cells[SPEED], changed[:2]
    # For all rows: their number is small compared with the cost of a selection. Rows at rest stay as they are.
    direction, valid = _directions_of(cells)
    moves = _steps(direction, speed)
    moves -= velocity[:2]
    moves *= heads & valid & (speed.view(np.uint64) < _MAX_SPEED)
    # This replaces the prediction by velocity with the prediction by direction.
    step += moves
    cells[:2] += moves
    squares = step.astype(np.float64)
    squares *= squares
    length = squares[0] + squares[1]
    np.sqrt(length, out=length)
    length += 0.5
    # At most the first speed that has no step.
    np.minimum(length, _MAX_SPEED, out=length)
    speed[:] = length
    np.subtract(speed, before[SPEED], out=changed[SPEED])
    misses = _steps(direction, speed)
    misses -= step
    np.abs(misses, out=misses)
    fits = np.maximum(misses[0], misses[1]) <= 1
    fits &= valid
    fits &= speed < _MAX_SPEED
    np.copyto(heads, fits, where=speed != 0)
    return changed


def _steps(direction: NDArray[np.int64], speed: NDArray[np.int64]) -> NDArray[np.int64]:
    steps = direction * speed
    steps += _HALF
    steps >>= _SHIFT
    return steps


def _directions_of(cells: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Directions of all rows: x and y in 1/2**20, and which of them are in the table."""
    index = cells[FACING] + _MAX_ANGLE
    kind = cells[KINDS] >> (2 * FACING)
    kind &= 3
    # Unsigned, so that one comparison checks both bounds.
    valid = index.view(np.uint64) <= 2 * _MAX_ANGLE
    valid &= kind <= ANGLE
    kind <<= 16
    index += kind
    index += 1
    index *= valid
    return _directions().take(index, axis=1), valid

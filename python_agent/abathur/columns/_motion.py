"""Predicts the movement of units in their facing direction."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from abathur.columns._schema import ANGLE, FACING, GRID, KINDS, SPEED

_TERMS = 24
_MAX_ANGLE = 32_767
_UNIT = 1 << 20
# Arrays without dimensions: an operation with another number takes longer, because it converts the number.
_MAX_SPEED = np.array(1 << 20, np.uint64)
_HALF, _SHIFT, _KIND_SHIFT, _KIND, _ZERO = (np.array(each) for each in (1 << 19, 20, 2 * FACING, 3, 0))
#: Angles beyond the limit have the entry after it in the table.
_LEAST, _MOST = np.array(-_MAX_ANGLE - 1), np.array(_MAX_ANGLE + 1)
_ENTRIES = 2 * _MAX_ANGLE + 3
#: The entry of angle 0, by kind.
_ORIGINS = np.array((0, _ENTRIES, 2 * _ENTRIES, 2 * _ENTRIES)) + _MAX_ANGLE + 1


@cache
def quarter() -> NDArray[np.int64]:
    """Cosine and sine of angles from 0 in 1/2**20, (2, angles)."""
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
    return np.floor(np.stack((cosine, sine)) * _UNIT + 0.5).astype(np.int64)


@cache
def _directions() -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """X and y of directions in 1/2**20, (2, entries), and which exist, (entries,): by ``_ORIGINS[kind] + q``."""
    c, s = quarter()
    c = np.concatenate((c[:0:-1], c))
    s = np.concatenate((-s[:0:-1], s))
    direction, valid = np.zeros((2, 3 * _ENTRIES), np.int64), np.zeros(3 * _ENTRIES, np.bool_)
    for kind, each in ((GRID, (c, s)), (ANGLE, (s, -c))):
        place = slice(_ORIGINS[kind] - _MAX_ANGLE, _ORIGINS[kind] + _MAX_ANGLE + 1)
        direction[:, place], valid[place] = each, True
    return direction, valid


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
    follows = speed.view(np.uint64) < _MAX_SPEED
    follows &= heads
    follows &= valid
    np.copyto(moves, _ZERO, where=~follows)
    # This replaces the prediction by velocity with the prediction by direction.
    step += moves
    cells[:2] += moves
    squares = step.astype(np.float64)
    squares *= squares
    length = squares[0]
    length += squares[1]
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
    fits &= speed.view(np.uint64) < _MAX_SPEED
    np.copyto(heads, fits, where=speed.astype(np.bool_))
    return changed


def _steps(direction: NDArray[np.int64], speed: NDArray[np.int64]) -> NDArray[np.int64]:
    steps = direction * speed
    steps += _HALF
    steps >>= _SHIFT
    return steps


def _directions_of(cells: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Directions of all rows: x and y in 1/2**20, and which of them are in the table."""
    kind = cells[KINDS] >> _KIND_SHIFT
    kind &= _KIND
    entry = np.maximum(cells[FACING], _LEAST)
    np.minimum(entry, _MOST, out=entry)
    entry += _ORIGINS.take(kind)
    direction, valid = _directions()
    return direction.take(entry, axis=1), valid.take(entry)

"""The start location of the observing player, from the game info."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from s2clientprotocol import sc2api_pb2

_Grid = NDArray[np.uint8]
#: The symmetries that maps have: of a grid in rows of y, and of an offset from the center of the playable area.
_SYMMETRIES: tuple[tuple[Callable[[_Grid], _Grid], Callable[[float, float], tuple[float, float]]], ...] = (
    (lambda grid: grid[::-1, ::-1], lambda x, y: (-x, -y)),
    (lambda grid: grid[:, ::-1], lambda x, y: (-x, y)),
    (lambda grid: grid[::-1], lambda x, y: (x, -y)),
    (lambda grid: grid.T, lambda x, y: (y, x)),
    (lambda grid: grid[::-1, ::-1].T, lambda x, y: (-y, -x)),
    (lambda grid: np.rot90(grid), lambda x, y: (y, -x)),
    (lambda grid: np.rot90(grid, 3), lambda x, y: (-y, x)),
)
#: Steps of height that symmetric cells may differ by, at the mean. Maps are not symmetric in every cell.
_MAX_DIFFERENCE = 12.0
_SAME_PLACE = 3.0


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A symmetry of the map around the center of its playable area."""

    center: tuple[float, float]
    turn: Callable[[float, float], tuple[float, float]]

    def image(self, x: float, y: float) -> tuple[float, float]:
        """Where a place is on the other side."""
        dx, dy = self.turn(x - self.center[0], y - self.center[1])
        return self.center[0] + dx, self.center[1] + dy


class Start(NamedTuple):
    """Where the observing player started, and the symmetry that shows it."""

    start: tuple[float, float]
    symmetry: Symmetry


def find_start(info: sc2api_pb2.ResponseGameInfo, halls: list[tuple[float, float]]) -> Start | None:
    """Where the observing player started.

    Game info has the start locations of the others only. Maps are symmetric, so the own one is the image of another by
    a symmetry of the terrain's height.

    Args:
        info: The game info.
        halls: Positions of the player's town halls: where several images are possible, one with a town hall is right.

    Returns:
        The start; None if the map has no symmetry.
    """
    raw = info.start_raw
    area = raw.playable_area
    others = [(start.x, start.y) for start in raw.start_locations]
    size = raw.terrain_height.size
    grid = np.frombuffer(raw.terrain_height.data, np.uint8).reshape(size.y, size.x)
    grid = grid[area.p0.y : area.p1.y, area.p0.x : area.p1.x]
    center = (area.p0.x + area.p1.x) / 2, (area.p0.y + area.p1.y) / 2
    candidates: list[tuple[float, Start]] = []
    for turned, turn in _SYMMETRIES:
        symmetry = Symmetry(center, turn)
        difference = _difference(grid, turned(grid))
        if difference <= _MAX_DIFFERENCE:
            places = [symmetry.image(x, y) for x, y in others]
            candidates += [(difference, Start(place, symmetry)) for place in places if not _is_at(place, others)]
    with_hall = [each for each in candidates if _is_at(each[1].start, halls)]
    best = min(with_hall or candidates, key=lambda each: each[0], default=None)
    return None if best is None else best[1]


def _is_at(place: tuple[float, float], others: list[tuple[float, float]]) -> bool:
    return any(max(abs(place[0] - x), abs(place[1] - y)) < _SAME_PLACE for x, y in others)


def _difference(grid: _Grid, other: _Grid) -> float:
    """The mean difference of two grids around their common center."""
    rows, columns = min(grid.shape[0], other.shape[0]), min(grid.shape[1], other.shape[1])
    return float(np.abs(_middle(grid, rows, columns).astype(np.int16) - _middle(other, rows, columns)).mean())


def _middle(grid: _Grid, rows: int, columns: int) -> _Grid:
    top, left = (grid.shape[0] - rows) // 2, (grid.shape[1] - columns) // 2
    return grid[top : top + rows, left : left + columns]

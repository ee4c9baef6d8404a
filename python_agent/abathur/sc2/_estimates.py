"""Answers to queries where neither the game nor a daemon answers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from s2clientprotocol import common_pb2, error_pb2, query_pb2, sc2api_pb2

from abathur._events.structures import STRUCTURES

_STRUCTURES = frozenset(STRUCTURES)
_LARGEST_RADIUS = 3.0


class Estimates:
    """Neutral answers, so that a bot goes on as it would in the game.

    The length of a path is that of a straight line. A structure can be placed where the map allows it and no other
    structure or resource stands: if all placements were refused, some bots would ask for hundreds of thousands more.
    No unit has an available ability.
    """

    def __init__(self, info: sc2api_pb2.ResponseGameInfo, data: sc2api_pb2.ResponseData) -> None:
        """Of a match that `check_match` accepts."""
        self._pathing = _grid(info.start_raw.pathing_grid)
        self._placement = _grid(info.start_raw.placement_grid)
        self._footprints = {each.ability_id: each.footprint_radius for each in data.abilities if each.footprint_radius}

    def answer(
        self, query: query_pb2.RequestQuery, response: sc2api_pb2.ResponseObservation
    ) -> query_pb2.ResponseQuery:
        """The answer, for an observation."""
        units = {unit.tag: unit for unit in response.observation.raw_data.units}
        answer = query_pb2.ResponseQuery()
        for path in query.pathing:
            start = units[path.unit_tag].pos if path.unit_tag in units else path.start_pos
            walks = _is_free(self._pathing, path.end_pos.x, path.end_pos.y, 0.5)
            distance = math.hypot(start.x - path.end_pos.x, start.y - path.end_pos.y)
            answer.pathing.add(distance=distance if walks else 0.0)
        for each in query.abilities:
            unit = units.get(each.unit_tag)
            answer.abilities.add(unit_tag=each.unit_tag, unit_type_id=unit.unit_type if unit is not None else 0)
        if query.placements:
            taken = np.array(
                [
                    (unit.pos.x, unit.pos.y, min(unit.radius, _LARGEST_RADIUS))
                    for unit in units.values()
                    if unit.unit_type in _STRUCTURES and not unit.is_flying
                ],
                np.float64,
            ).reshape(-1, 3)
            for place in query.placements:
                fits = self._fits(place, taken)
                answer.placements.add(result=error_pb2.Success if fits else error_pb2.CantBuildLocationInvalid)
        return answer

    def _fits(self, place: query_pb2.RequestQueryBuildingPlacement, taken: NDArray[np.float64]) -> bool:
        x, y = place.target_pos.x, place.target_pos.y
        radius = self._footprints.get(place.ability_id, 0.5)
        if not _is_free(self._placement, x, y, radius):
            return False
        # Structures stand on squares that are about as large as they are.
        apart = np.maximum(abs(taken[:, 0] - x), abs(taken[:, 1] - y))
        return not bool((apart < radius + np.floor(taken[:, 2] * 2) / 2 - 0.25).any())


def _grid(image: common_pb2.ImageData) -> NDArray[np.bool_]:
    bits = np.unpackbits(np.frombuffer(image.data, np.uint8))
    return bits.reshape(image.size.y, image.size.x).astype(np.bool_)


def _is_free(grid: NDArray[np.bool_], x: float, y: float, radius: float) -> bool:
    """Whether all cells of a square are set."""
    left, bottom = math.floor(x - radius + 0.25), math.floor(y - radius + 0.25)
    size = max(1, round(2 * radius))
    if left < 0 or bottom < 0:
        return False
    cells = grid[bottom : bottom + size, left : left + size]
    return cells.shape == (size, size) and bool(cells.all())

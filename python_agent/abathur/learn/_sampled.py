"""Sampled frames: what samples are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abathur._frame import numbers
from abathur._frame.frame import Frame
from abathur.errors import AbathurError
from abathur.learn._features import ALLIANCES
from abathur.learn._spec import Spec


@dataclass(slots=True)
class Sampled:
    """One frame, N units of it in the order of their tags: their order in the message is not known to be stable.

    Attributes:
        game_loop: Its game loop.
        number: The multiple of `Spec.every` at or before it.
        tags: (N,) uint64, ascending; each once.
        alliances: (N,) int8.
        types: (N,) int32.
        units: (N, F) float32.
        players: (P,) float32.
        grids: (H, W, C) uint8; None: the spec asks for none.
    """

    game_loop: int
    number: int
    tags: NDArray[np.uint64]
    alliances: NDArray[np.int8]
    types: NDArray[np.int32]
    units: NDArray[np.float32]
    players: NDArray[np.float32]
    grids: NDArray[np.uint8] | None


class Sampler:
    """Takes out of frames what a spec asks for."""

    def __init__(self, spec: Spec) -> None:
        """Of a spec."""
        self._spec = spec
        known = numbers.numbers(numbers.DEFAULT)
        self._player_scales = np.array([each.scale for each in spec.player_features])
        self._reader = numbers.Reader({each.name: known[each.name] for each in spec.player_features})

    def sample(self, frame: Frame) -> Sampled:
        """A frame.

        Raises:
            AbathurError: its grids do not fit.
            ProtocolError: it is damaged.
        """
        spec = self._spec
        units = frame.units
        tags = units.tag
        order = tags.argsort(kind="stable")
        tags = tags[order]
        alliances = units.alliance[order]
        types = units.unit_type[order].astype(np.int32)
        rows = np.empty((len(tags), len(spec.unit_features)), np.float32)
        for number, feature in enumerate(spec.unit_features):
            if feature.name in ALLIANCES:
                column: NDArray[Any] = alliances == ALLIANCES[feature.name]
            else:
                column = getattr(units, feature.name)[order]
            rows[:, number] = column if feature.scale == 1 else column / feature.scale
        if (tags[1:] == tags[:-1]).any():
            kept = _first_of_each_tag(tags, alliances, types, rows)
            tags, alliances, types, rows = tags[kept], alliances[kept], types[kept], rows[kept]
        return Sampled(
            game_loop=frame.game_loop,
            number=frame.game_loop // spec.every,
            tags=tags,
            alliances=alliances,
            types=types,
            units=rows,
            players=self._players(frame),
            grids=self._grids(frame) if spec.grid_features else None,
        )

    def _players(self, frame: Frame) -> NDArray[np.float32]:
        if not self._spec.player_features:
            return np.empty(0, np.float32)
        values = np.array(self._reader.read(frame._without_units()), np.float64)
        scaled: NDArray[np.float32] = (values / self._player_scales).astype(np.float32)
        return scaled

    def _grids(self, frame: Frame) -> NDArray[np.uint8]:
        found = [getattr(frame.grids, each.name) for each in self._spec.grid_features]
        sizes = {grid.shape for grid in found if grid is not None}
        size = self._spec.grid_size or (max(sizes) if sizes else (0, 0))
        made = np.zeros((*size, len(found)), np.uint8)
        for number, grid in enumerate(found):
            if grid is not None:
                rows, columns = grid.shape
                if rows > size[0] or columns > size[1]:
                    raise AbathurError(f"a map has {rows} rows and {columns} columns, which do not fit into {size}")
                made[:rows, :columns, number] = grid
        return made


def _first_of_each_tag(tags: NDArray[Any], *others: NDArray[Any]) -> NDArray[np.intp]:
    """Rows, of which each tag has the one with the smallest values, whatever the order of units was."""
    keys = [column for other in others for column in (other.T if other.ndim > 1 else [other])]
    order = np.lexsort((*reversed(keys), tags))
    first = np.ones(len(tags), np.bool_)
    first[1:] = tags[order][1:] != tags[order][:-1]
    return order[first]

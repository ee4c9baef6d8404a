"""The map's state as images."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from s2clientprotocol import common_pb2, raw_pb2

from abathur._frame import equivalents
from abathur._values.read_only import read_only


class Grids:
    """Grids of one observation, of shape (H, W): row y, column x, in map cells from the lower left corner.

    They are read-only, because those of the next frame may depend on them: ``grids.creep.copy()`` can be changed.
    """

    def __init__(self, state: raw_pb2.MapState, data: Mapping[str, NDArray[np.uint8] | None]) -> None:
        """Grids of a map state, or of its bytes."""
        self._state = state
        self._data = data

    @cached_property
    def visibility(self) -> NDArray[np.uint8] | None:
        """What the player sees of each cell: 0 hidden, 1 fogged, 2 visible, 3 hidden in full; None: no grid."""
        return self._image("visibility")

    @cached_property
    def creep(self) -> NDArray[np.uint8] | None:
        """Where creep is: 1, else 0. None: there is no grid."""
        return self._image("creep")

    # Type checkers find misspelled names.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """What to write in place of a name that does not exist."""
            return equivalents.absent(self, name, equivalents.GRIDS)

    def __repr__(self) -> str:
        """The shapes of the grids."""
        grids = {"visibility": self.visibility, "creep": self.creep}
        shapes = ", ".join(f"{name} {None if grid is None else grid.shape}" for name, grid in grids.items())
        return f"<Grids: {shapes}>"

    def _image(self, name: str) -> NDArray[np.uint8] | None:
        image: common_pb2.ImageData = getattr(self._state, name)
        data = self._data.get(name)
        if data is None:
            data = np.frombuffer(image.data, np.uint8)
        width, height = image.size.x, image.size.y
        if not len(data) or width <= 0 or height <= 0:
            return None
        if image.bits_per_pixel == 1:
            # Highest bit first, without gaps between rows.
            data = np.unpackbits(data)
        if len(data) < width * height:
            return None
        return read_only(data[: width * height].reshape(height, width))

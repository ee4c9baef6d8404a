"""A table of cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abathur.columns._schema import Schema


@dataclass(slots=True)
class Table:
    """One table after a frame.

    Attributes:
        cells: int64, (columns, rows): see docs/columns.md. Not changed by later frames.
        velocity: int64, (predicted columns, rows).
    """

    cells: NDArray[np.int64]
    velocity: NDArray[np.int64]

    @classmethod
    def empty(cls, schema: Schema, rows: int = 0) -> Table:
        """A table of zeros."""
        return cls(np.zeros((schema.width, rows), np.int64), np.zeros((schema.predicted, rows), np.int64))

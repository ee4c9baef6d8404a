"""What units are read from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from abathur._frame.nested import NestedSource


class UnitSource(Protocol):
    """A source of units: a message, JSON, or the columns encoding."""

    def __len__(self) -> int:
        """Number of units."""

    def columns(self, path: str, dtypes: Mapping[str, str]) -> Mapping[str, NDArray[Any]]:
        """A field of all units by its path, and fields that are cheap to create with it; all types are given.

        If a unit does not have a field, its value is the protocol's default. The arrays of the units of a frame, which
        are kept, are read-only.
        """

    def present(self, path: str) -> NDArray[np.bool_]:
        """Which units have a field."""

    def nested(self, field: str) -> NestedSource:
        """A repeated field of all units."""

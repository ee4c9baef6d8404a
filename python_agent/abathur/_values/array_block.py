"""Arrays of different types in one piece of memory, wider types first, so that all are aligned."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abathur._values.read_only import read_only

#: The types, as `abathur.h` numbers them.
_TYPES = ("float32", "uint64", "uint32", "int32", "int8", "bool")
#: As many arrays have memory of their own: a program may keep one of each frame.
_FEW = 8


class ArrayBlock:
    """What is in such a block: an array for each name.

    Attributes:
        names: The names, in the order of the arrays.
        types: Their types.
        numbers: Their types, as `abathur.h` numbers them.
        starts: The sizes of the elements of the arrays before each; the last is that of all.
    """

    def __init__(self, dtypes: Iterable[tuple[str, str | np.dtype[Any]]]) -> None:
        """Arrays of these names and types."""
        # Those of a type are next to each other.
        types = [(name, np.dtype(dtype)) for name, dtype in dtypes]
        types.sort(key=lambda each: (-each[1].itemsize, each[1].str))
        self.names = [name for name, _ in types]
        self.types = [dtype for _, dtype in types]
        self.numbers = [_TYPES.index(dtype.name) for dtype in self.types]
        self.starts = [0]
        for dtype in self.types:
            self.starts.append(self.starts[-1] + dtype.itemsize)
        self._places = {name: (start, dtype) for (name, dtype), start in zip(types, self.starts, strict=False)}
        self._groups: list[tuple[np.dtype[Any], int, list[str]]] = []
        for (name, dtype), start in zip(types, self.starts, strict=False):
            if self._groups and self._groups[-1][0] == dtype:
                self._groups[-1][2].append(name)
            else:
                self._groups.append((dtype, start, [name]))

    def new(self, count: int) -> NDArray[np.uint8]:
        """Memory for arrays of `count` elements, (bytes of an element of each array, count)."""
        return np.empty((self.starts[-1], count), np.uint8)

    def array(self, block: NDArray[np.uint8], name: str) -> NDArray[Any]:
        """An array in a block."""
        start, dtype = self._places[name]
        count = block.shape[1]
        # In half the time of a slice and a view.
        return np.ndarray(count, dtype, block, start * count)

    def arrays(self, block: NDArray[np.uint8]) -> dict[str, NDArray[Any]]:
        """All arrays in a block, which are read-only."""
        block.setflags(write=False)
        count = block.shape[1]
        made: dict[str, NDArray[Any]] = {}
        for dtype, start, names in self._groups:
            made.update(zip(names, np.ndarray((len(names), count), dtype, block, start * count), strict=True))
        return made

    def some(self, block: NDArray[np.uint8], names: frozenset[str]) -> dict[str, NDArray[Any]]:
        """Some of the arrays in a block, read-only; copies if they are few."""
        if len(names) > _FEW:
            return self.arrays(block)
        return {name: read_only(self.array(block, name).copy()) for name in names}

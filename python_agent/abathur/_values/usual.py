"""What a program reads of each frame: mostly the same columns as of the frames before."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

#: Columns of a table that are created one by one, before all others are.
ALONE: Final = 6
#: Tables of a kind until what is usual is learned again.
_RELEARN = 64


class Usual:
    """Which columns to create with one that is read: those that are usual, it alone, or all."""

    def __init__(self, paths: Iterable[str]) -> None:
        """The columns that there are, by path. Those of a point belong together."""
        self._all = frozenset(paths)
        self._usual: frozenset[str] = frozenset()
        self._tables = 0
        self._alone = {path: frozenset(self._of_point(path)) for path in self._all}

    def with_column(self, path: str, read: int) -> frozenset[str]:
        """What to create, if the column is not there, and it is the `read`-th of its table that was not."""
        usual = self._usual
        if read == 1:
            self._tables += 1
            if self._tables % _RELEARN == 0:
                self._usual = usual = frozenset()
            if path in usual:
                return usual
        paths = self._alone[path] if read <= ALONE else self._all
        # Threads may overwrite what another has added.
        self._usual = usual | paths
        return paths

    def _of_point(self, path: str) -> list[str]:
        parent, _, _ = path.rpartition(".")
        return [each for each in self._all if parent and each.startswith(f"{parent}.")] or [path]

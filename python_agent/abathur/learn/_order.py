"""In which order windows are given: a function of seed and epoch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Share:
    """Which consumer of how many: each of `ranks` has `workers`."""

    rank: int = 0
    ranks: int = 1
    worker: int = 0
    workers: int = 1


class Order:
    """The windows that a consumer gets, as numbers of block and window.

    Blocks, which are read at once, are shuffled, then their windows within a buffer. Each rank gets as many windows as
    the others, so that what is left over is not used in this epoch; those of a rank are divided among its workers.
    """

    def __init__(
        self, sizes: NDArray[np.int64], seed: int, epoch: int, share: Share, *, buffer: int, shuffle: bool
    ) -> None:
        """Of the number of windows of each block."""
        self._seeds = (seed, epoch)
        self._share = share
        self._buffer = buffer if shuffle else 1
        self._sizes = sizes
        self._blocks = np.random.default_rng(self._seeds).permutation(len(sizes)) if shuffle else np.arange(len(sizes))
        self._ends = sizes[self._blocks].cumsum()
        self._places = np.argsort(self._blocks)
        each = int(self._ends[-1]) // share.ranks if len(sizes) else 0
        first = share.rank * each
        self._first = first + each * share.worker // share.workers
        self._last = first + each * (share.worker + 1) // share.workers

    def __len__(self) -> int:
        """Number of windows."""
        return self._last - self._first

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Numbers of block, and of a window in it."""
        if self._buffer <= 1:
            yield from self._in_blocks()
            return
        share = self._share
        random = np.random.default_rng((*self._seeds, share.rank, share.ranks, share.worker, share.workers))
        waiting: list[tuple[int, int]] = []
        for each in self._in_blocks():
            if len(waiting) < self._buffer:
                waiting.append(each)
                continue
            place = int(random.integers(len(waiting)))
            yield waiting[place]
            waiting[place] = each
        for place in random.permutation(len(waiting)):
            yield waiting[place]

    def of_block(self, block: int) -> range:
        """The windows of a block that are this consumer's."""
        at = int(self._places[block])
        start = int(self._ends[at]) - int(self._sizes[block])
        return range(max(self._first - start, 0), min(self._last - start, int(self._sizes[block])))

    def _in_blocks(self) -> Iterator[tuple[int, int]]:
        at = int(self._ends.searchsorted(self._first, side="right"))
        while at < len(self._blocks) and (windows := self.of_block(block := int(self._blocks[at]))):
            yield from ((block, window) for window in windows)
            at += 1

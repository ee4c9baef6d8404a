"""Which frames of a recording are sampled, and where its windows are: the rules of `Rolling`, for all at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abathur.learn._spec import Spec


@dataclass(frozen=True, slots=True)
class Sampling:
    """The sampled frames of a recording, by their number from 0.

    Attributes:
        positions: Their numbers among all frames, (J,).
        loops: Their game loops, (J,).
        begins: The first sampled frame from which on none is missing up to each, (J,).
        ends: The last frames of the windows, (W,).
        with_target: Windows whose horizon the recording has, (W,) bool.
    """

    positions: NDArray[np.int64]
    loops: NDArray[np.int64]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    with_target: NDArray[np.bool_]

    @classmethod
    def of(cls, loops: NDArray[np.int64], spec: Spec, step: int, within: int) -> Sampling:
        """Of the game loops of all frames.

        Args:
            loops: (frames,).
            spec: What a window is.
            step: Game loops from the end of a window to that of the next.
            within: Game loops that the target needs after a window.
        """
        every = spec.every
        before, after = loops[:-1], loops[1:]
        is_back = after < before
        is_sampled = np.ones(len(loops), np.bool_)
        is_sampled[1:] = np.where(is_back, after % every == 0, (after > before) & (after // every != before // every))
        positions = np.flatnonzero(is_sampled)
        numbers = loops[positions] // every
        backwards = np.concatenate(([0], is_back.cumsum()))[positions]
        is_gap = np.ones(len(positions), np.bool_)
        is_gap[1:] = (np.diff(numbers) != 1) | (np.diff(backwards) != 0)
        begins = np.maximum.accumulate(np.where(is_gap, np.arange(len(positions)), 0))
        lengths = np.arange(len(positions)) - begins + 1
        is_whole = (lengths >= spec.frames) | (spec.pad & (begins == 0))
        ends = np.flatnonzero(is_whole & (numbers * every % step == 0))
        horizon = ends + within // every
        inside = np.minimum(horizon, len(positions) - 1)
        with_target = (horizon < len(positions)) & (begins[inside] == begins[ends])
        return cls(positions, loops[positions], begins, ends, with_target)

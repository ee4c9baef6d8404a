"""Windows of sampled frames: each unit has one slot in all frames of a window."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from abathur.errors import AbathurError
from abathur.learn._sampled import Sampled
from abathur.learn._spec import Spec

#: Arrays by name: see `Spec`.
Window: TypeAlias = dict[str, NDArray[Any]]

_NEUTRAL = 3


def empty(spec: Spec, grids: NDArray[np.uint8] | None, *more: int) -> Window:
    """A window without frames; with another axis in front, several. The size of grids is that of a frame's."""
    frames, slots = spec.frames, spec.number_of_slots
    made: Window = {
        "units": np.zeros((*more, frames, slots, len(spec.unit_features)), np.float32),
        "mask": np.zeros((*more, frames, slots), np.bool_),
        "types": np.zeros((*more, frames, slots), np.int32),
        "tags": np.zeros((*more, slots), np.int64),
        "overflow": np.zeros(more, np.int64),
        "loops": np.full((*more, frames), -1, np.int32),
    }
    if spec.player_features:
        made["players"] = np.zeros((*more, frames, len(spec.player_features)), np.float32)
    if grids is not None:
        made["grids"] = np.zeros((*more, frames, *grids.shape), np.uint8)
    return made


def fill(window: Window, spec: Spec, samples: Sequence[Sampled], kept: dict[int, int] | None = None) -> None:
    """Write sampled frames, the last of them last, into a window that is empty.

    Args:
        window: From `empty`.
        spec: What it is.
        samples: At most `Spec.frames` of one match.
        kept: The slots of units, if these keep them from window to window.

    Raises:
        AbathurError: their grids have different sizes.
    """
    pad = spec.frames - len(samples)
    tags = np.concatenate([each.tags for each in samples])
    counts = [len(each.tags) for each in samples]
    frames = np.repeat(np.arange(pad, spec.frames), counts)
    slots = spec.number_of_slots
    if kept is None:
        units, first, inverse = np.unique(tags, return_index=True, return_inverse=True)
        alliances = np.concatenate([each.alliances for each in samples])[first]
        order = np.lexsort((units, alliances, frames[first], alliances == _NEUTRAL))
        slot = np.empty(len(units), np.intp)
        slot[order] = np.arange(len(units))
        slot = slot[inverse.reshape(-1)]
        shown = units[order[:slots]]
        window["tags"][: len(shown)] = shown.view(np.int64)
        window["overflow"][...] = max(0, len(units) - slots)
    else:
        slot = np.array([kept.get(tag, slots) for tag in tags.tolist()], np.intp)
        for tag, number in kept.items():
            window["tags"][number] = tag - (tag >> 63 << 64)
        window["overflow"][...] = len(np.unique(tags[slot == slots]))
    rows = np.concatenate([each.units for each in samples])
    types = np.concatenate([each.types for each in samples])
    if (slot >= slots).any():
        there = slot < slots
        frames, slot, rows, types = frames[there], slot[there], rows[there], types[there]
    window["units"][frames, slot] = rows
    window["mask"][frames, slot] = True
    window["types"][frames, slot] = types
    window["loops"][pad:] = [each.game_loop for each in samples]
    if "players" in window:
        window["players"][pad:] = [each.players for each in samples]
    if "grids" in window:
        for number, each in enumerate(samples, pad):
            grids = each.grids
            assert grids is not None
            if grids.shape != window["grids"].shape[1:]:
                raise AbathurError(
                    f"grids of {grids.shape[0]} x {grids.shape[1]} cells are not of the size of others, "
                    f"{window['grids'].shape[1]} x {window['grids'].shape[2]}: give Spec(grid_size=(ROWS, COLUMNS))"
                )
            window["grids"][number] = grids


def window_of(spec: Spec, samples: Sequence[Sampled], kept: dict[int, int] | None = None) -> Window:
    """A window of sampled frames: see `fill`."""
    made = empty(spec, samples[-1].grids)
    fill(made, spec, samples, kept)
    return made


class KeptSlots:
    """Slots that units keep for a match.

    Attributes:
        slots: By tag.
    """

    def __init__(self, number: int) -> None:
        """So many slots, all free."""
        self.slots: dict[int, int] = {}
        self._free = list(range(number))

    def free(self, dead: Iterable[int]) -> None:
        """Free the slots of units that have died."""
        for tag in dead:
            slot = self.slots.pop(tag, None)
            if slot is not None:
                heapq.heappush(self._free, slot)

    def take(self, sampled: Sampled) -> None:
        """Give the units of a frame that have no slot the lowest free ones, as far as there are any."""
        order = np.lexsort((sampled.tags, sampled.alliances, sampled.alliances == _NEUTRAL))
        for tag in sampled.tags[order].tolist():
            if not self._free:
                return
            if tag not in self.slots:
                self.slots[tag] = heapq.heappop(self._free)

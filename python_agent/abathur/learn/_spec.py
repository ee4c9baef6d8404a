"""What a sample is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from abathur._values import arguments
from abathur.learn import _features
from abathur.learn._features import Feature, Names

_MAX_FRAMES = 4096
_MAX_EVERY = 100_000
_MAX_SLOTS = 65_536
_MAX_CELLS = 1024


@dataclass(frozen=True, kw_only=True, repr=False)
class Spec:
    """What a sample is, wherever it comes from: `Windows`, `live` and `Env` make the same tensors of it. Pickles.

    A sample is a dict of NumPy arrays that are its own, contiguous and writable. T frames, S slots, F features of
    units, P numbers of the player, C grids of H rows and W columns:

    - ``units`` (T, S, F) float32; zeros where a unit is not there.
    - ``mask`` (T, S) bool: where one is.
    - ``types`` (T, S) int32: their types, numbers of `abathur.ids.UnitTypeId`.
    - ``tags`` (S,) int64: the unit of each slot, 0 where it is free.
    - ``overflow`` () int64: units for which there was no slot.
    - ``loops`` (T,) int32: the game loop of each frame, -1 where the window is padded.
    - ``players`` (T, P) float32 and ``grids`` (T, H, W, C) uint8, if the spec asks for them.

    A frame is sampled if it is the first at or after a multiple of `every` game loops.

    Attributes:
        frames: Frames of a window, T.
        every: Game loops from one of them to the next.
        slots: Slots, S. A unit has one slot in all frames of a window: own units first, neutral ones last; of each kind
            those that were there first, then by alliance and tag. ``"match"``: a unit keeps its slot from window to
            window until it dies, and the next unit gets the lowest free one, for agents with a memory; only in the
            order of the match, from its first frame.
        match_slots: How many slots there are with ``"match"``.
        units: Features of units: columns of `abathur.Units` that are numbers, and ``is_own``, ``is_ally``,
            ``is_neutral``, ``is_enemy``. A mapping has the scale of each, by which values are divided: see `scaled`.
        players: Numbers of the player who sees it: fields of `PlayerCommon` and of the score, such as ``minerals`` and
            ``lost_minerals_army``; with scales in the same way.
        grids: ``visibility``, ``creep``.
        grid_size: Rows and columns of the grids. Smaller maps are filled with 0 above and to the right. Default: those
            of the map, so that windows of maps of different sizes cannot be in one batch.
        pad: Whether the first windows of a match are padded in front, so that there is one from its first frame on.
    """

    frames: int = 1
    every: int = 8
    slots: int | Literal["match"] = 512
    match_slots: int = 512
    units: Names = ("x", "y", "health", "shield", "is_own", "is_enemy")
    players: Names = ()
    grids: Names = ()
    grid_size: tuple[int, int] | None = None
    pad: bool = True

    def __post_init__(self) -> None:
        """Check, and keep names as features.

        Raises:
            TypeError: something is not a number, or not a list of names.
            ValueError: a number is too small or too large, or there is no such feature.
        """
        check_number("frames", self.frames, _MAX_FRAMES)
        check_number("every", self.every, _MAX_EVERY)
        if self.slots != "match":
            if isinstance(self.slots, str):
                raise ValueError(f'slots is a number, or "match", not {self.slots!r}')
            check_number("slots", self.slots, _MAX_SLOTS)
        check_number("match_slots", self.match_slots, _MAX_SLOTS)
        if self.grid_size is not None:
            if len(self.grid_size) != 2:
                raise ValueError(f"grid_size is rows and columns, not {self.grid_size!r}")
            for size in self.grid_size:
                check_number("grid_size", size, _MAX_CELLS)
            object.__setattr__(self, "grid_size", tuple(map(int, self.grid_size)))
        object.__setattr__(self, "units", _features.of_units(self.units))
        object.__setattr__(self, "players", _features.of_players(self.players))
        object.__setattr__(self, "grids", _features.of_grids(self.grids))

    def __repr__(self) -> str:
        """Sizes and names."""
        parts = {"units": self.unit_features, "players": self.player_features, "grids": self.grid_features}
        names = ", ".join(f"{name} {[each.name for each in part]}" for name, part in parts.items())
        slots = f"{self.number_of_slots} slots{' kept for the match' if self.keeps_slots else ''}"
        return f"<Spec: {self.frames} frames, one each {self.every} loops, {slots}; {names}>"

    @property
    def unit_features(self) -> tuple[Feature, ...]:
        """The features of units, in the order of the last axis of ``units``: names, units, scales."""
        return self.units  # type: ignore[return-value]

    @property
    def player_features(self) -> tuple[Feature, ...]:
        """The numbers of the player, in the order of the last axis of ``players``; `unit` is the field."""
        return self.players  # type: ignore[return-value]

    @property
    def grid_features(self) -> tuple[Feature, ...]:
        """The grids, in the order of the last axis of ``grids``."""
        return self.grids  # type: ignore[return-value]

    @property
    def number_of_slots(self) -> int:
        """S."""
        return self.match_slots if self.slots == "match" else int(self.slots)

    @property
    def keeps_slots(self) -> bool:
        """Whether units keep their slots from window to window."""
        return self.slots == "match"


def check_number(name: str, value: object, most: int, least: int = 1) -> int:
    """An argument that is a number from `least` to `most`. Raises TypeError or ValueError, which name it."""
    if not arguments.is_integer(value):
        raise TypeError(f"{name} is a number, not {arguments.shown(value)}")
    if not least <= int(value) <= most:
        raise ValueError(f"{name} is {value}; it must be {least} to {most}")
    return int(value)

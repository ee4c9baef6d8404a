"""The numbers that a sample may have of each unit: names, units and usual scales."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeAlias

from abathur._frame import numbers
from abathur._frame.unit_columns import COLUMNS


@dataclass(frozen=True, slots=True)
class Feature:
    """One number in a tensor.

    Attributes:
        name: Its name.
        unit: What is counted.
        scale: What the value is divided by.
    """

    name: str
    unit: str
    scale: float


#: Names, or names and what each value is divided by.
Names: TypeAlias = Iterable[str | Feature] | Mapping[str, float]

#: Features of units that are no columns, by the number of the alliance that they tell.
ALLIANCES = {"is_own": 1, "is_ally": 2, "is_neutral": 3, "is_enemy": 4}
#: The unit of each, and a number of about its largest values.
_UNITS: dict[str, tuple[str, float]] = {
    "unit_type": ("number of UnitTypeId", 2000),
    "owner": ("number of a player", 16),
    "alliance": ("1 self, 2 ally, 3 neutral, 4 enemy", 4),
    "display_type": ("1 visible, 2 snapshot, 3 hidden, 4 placeholder", 4),
    "cloak": ("0 unknown, 1 cloaked, 2 detected, 3 not cloaked, 4 allied", 4),
    "x": ("map cells", 200),
    "y": ("map cells", 200),
    "z": ("map cells", 16),
    "facing": ("radians", 6.2831855),
    "radius": ("map cells", 4),
    "build_progress": ("fraction", 1),
    "detect_range": ("map cells", 16),
    "radar_range": ("map cells", 32),
    "health": ("points", 400),
    "health_max": ("points", 400),
    "shield": ("points", 400),
    "shield_max": ("points", 400),
    "energy": ("points", 200),
    "energy_max": ("points", 200),
    "weapon_cooldown": ("game loops", 32),
    "mineral_contents": ("minerals", 1800),
    "vespene_contents": ("vespene", 2250),
    "assigned_harvesters": ("workers", 16),
    "ideal_harvesters": ("workers", 16),
    "cargo_space_taken": ("places", 8),
    "cargo_space_max": ("places", 8),
    "attack_upgrade_level": ("levels", 3),
    "armor_upgrade_level": ("levels", 3),
    "shield_upgrade_level": ("levels", 3),
    "buff_duration_remain": ("game loops", 1000),
    "buff_duration_max": ("game loops", 1000),
    **{name: ("0 or 1", 1) for name, (dtype, _) in COLUMNS.items() if dtype == "?"},
    **dict.fromkeys(ALLIANCES, ("0 or 1", 1)),
}
#: Grids of a frame, in the order of `Grids`.
GRIDS = {"visibility": "0 hidden, 1 fogged, 2 visible, 3 hidden in full", "creep": "0 or 1"}


def scaled(*names: str) -> dict[str, float]:
    """Names of unit features with their usual scales: ``Spec(units=learn.scaled("x", "y", "health"))``.

    Divided by them, values are about 0 to 1.

    Raises:
        ValueError: units have no such feature.
    """
    return {each.name: _UNITS[each.name][1] for each in of_units(names)}


def of_units(names: Names) -> tuple[Feature, ...]:
    """Features of units. Raises ValueError if there is no such one, it is named twice, or its scale is not positive."""
    found = []
    for name, scale in _with_scales(names, "units"):
        if name in ("tag", "engaged_target_tag", "add_on_tag"):
            raise ValueError(f"{name} cannot be a feature: a tag has 64 bits, a float32 has 24; tags are in `tags`")
        if name not in _UNITS:
            raise ValueError(f"units have no feature {name!r}{_instead(name, _UNITS)}")
        found.append(Feature(name, _UNITS[name][0], scale))
    return tuple(found)


def of_players(names: Names) -> tuple[Feature, ...]:
    """Features of the player. Raises ValueError as `of_units`."""
    known = numbers.numbers(numbers.DEFAULT)
    found = []
    for name, scale in _with_scales(names, "players"):
        if name not in known:
            raise ValueError(f"players have no number {name!r}{_instead(name, known)}")
        found.append(Feature(name, known[name][0], scale))
    return tuple(found)


def of_grids(names: Names) -> tuple[Feature, ...]:
    """Grids. Raises ValueError as `of_units`."""
    found = []
    for name, _ in _with_scales(names, "grids"):
        if name not in GRIDS:
            raise ValueError(f"there is no grid {name!r}{_instead(name, GRIDS)}")
        found.append(Feature(name, GRIDS[name], 1.0))
    return tuple(found)


def _with_scales(names: Names, what: str) -> list[tuple[str, float]]:
    if isinstance(names, str):
        raise TypeError(f"{what} takes a list of names: {what}=[{names!r}]")
    if isinstance(names, Mapping):
        pairs = list(names.items())
    else:
        pairs = [(each.name, each.scale) if isinstance(each, Feature) else (each, 1.0) for each in names]
    for name, scale in pairs:
        if not isinstance(name, str):
            raise TypeError(f"{what} takes names, not {name!r}")
        if not 0 < float(scale) < float("inf"):
            raise ValueError(f"the scale of {name} is {scale}; values are divided by it, so that it must be positive")
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError(f"a name is twice in {what}: {', '.join(name for name, _ in pairs)}")
    return [(name, float(scale)) for name, scale in pairs]


def _instead(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(known)}"

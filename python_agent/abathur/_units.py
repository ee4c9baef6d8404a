"""Units as columns: one NumPy array per field instead of one object per unit."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from s2clientprotocol import raw_pb2

#: Columns by name: dtype, and the path of the field in `SC2APIProtocol.Unit`.
COLUMNS: dict[str, tuple[str, str]] = {
    "tag": ("u8", "tag"),
    "unit_type": ("u4", "unit_type"),
    "owner": ("i4", "owner"),
    "alliance": ("i1", "alliance"),
    "display_type": ("i1", "display_type"),
    "cloak": ("i1", "cloak"),
    "x": ("f4", "pos.x"),
    "y": ("f4", "pos.y"),
    "z": ("f4", "pos.z"),
    "facing": ("f4", "facing"),
    "radius": ("f4", "radius"),
    "build_progress": ("f4", "build_progress"),
    "detect_range": ("f4", "detect_range"),
    "radar_range": ("f4", "radar_range"),
    "health": ("f4", "health"),
    "health_max": ("f4", "health_max"),
    "shield": ("f4", "shield"),
    "shield_max": ("f4", "shield_max"),
    "energy": ("f4", "energy"),
    "energy_max": ("f4", "energy_max"),
    "weapon_cooldown": ("f4", "weapon_cooldown"),
    "mineral_contents": ("i4", "mineral_contents"),
    "vespene_contents": ("i4", "vespene_contents"),
    "assigned_harvesters": ("i4", "assigned_harvesters"),
    "ideal_harvesters": ("i4", "ideal_harvesters"),
    "cargo_space_taken": ("i4", "cargo_space_taken"),
    "cargo_space_max": ("i4", "cargo_space_max"),
    "attack_upgrade_level": ("i4", "attack_upgrade_level"),
    "armor_upgrade_level": ("i4", "armor_upgrade_level"),
    "shield_upgrade_level": ("i4", "shield_upgrade_level"),
    "engaged_target_tag": ("u8", "engaged_target_tag"),
    "add_on_tag": ("u8", "add_on_tag"),
    "is_flying": ("?", "is_flying"),
    "is_burrowed": ("?", "is_burrowed"),
    "is_hallucination": ("?", "is_hallucination"),
    "is_on_screen": ("?", "is_on_screen"),
    "is_selected": ("?", "is_selected"),
    "is_blip": ("?", "is_blip"),
    "is_powered": ("?", "is_powered"),
    "is_active": ("?", "is_active"),
}
_ENUMS = {
    "alliance": raw_pb2.Alliance,
    "display_type": raw_pb2.DisplayType,
    "cloak": raw_pb2.CloakState,
}


class Units:
    """The units of one observation, N of them, in the order of the message.

    Each column is an array of shape (N,), made when it is first asked for and kept: a copy, valid as long as you hold
    it. A field that a unit does not have has the protocol's default (0, False; for enums the first value). Positions
    are map cells, facing radians, energy and health points, weapon_cooldown game loops, tags the game's 64-bit unit
    tags. `alliance`, `display_type` and `cloak` hold the numbers of the protocol's enums (alliance: 1 self, 2 ally,
    3 neutral, 4 enemy).
    """

    tag: NDArray[np.uint64]
    unit_type: NDArray[np.uint32]
    owner: NDArray[np.int32]
    alliance: NDArray[np.int8]
    display_type: NDArray[np.int8]
    cloak: NDArray[np.int8]
    x: NDArray[np.float32]
    y: NDArray[np.float32]
    z: NDArray[np.float32]
    facing: NDArray[np.float32]
    radius: NDArray[np.float32]
    build_progress: NDArray[np.float32]
    detect_range: NDArray[np.float32]
    radar_range: NDArray[np.float32]
    health: NDArray[np.float32]
    health_max: NDArray[np.float32]
    shield: NDArray[np.float32]
    shield_max: NDArray[np.float32]
    energy: NDArray[np.float32]
    energy_max: NDArray[np.float32]
    weapon_cooldown: NDArray[np.float32]
    mineral_contents: NDArray[np.int32]
    vespene_contents: NDArray[np.int32]
    assigned_harvesters: NDArray[np.int32]
    ideal_harvesters: NDArray[np.int32]
    cargo_space_taken: NDArray[np.int32]
    cargo_space_max: NDArray[np.int32]
    attack_upgrade_level: NDArray[np.int32]
    armor_upgrade_level: NDArray[np.int32]
    shield_upgrade_level: NDArray[np.int32]
    engaged_target_tag: NDArray[np.uint64]
    add_on_tag: NDArray[np.uint64]
    is_flying: NDArray[np.bool_]
    is_burrowed: NDArray[np.bool_]
    is_hallucination: NDArray[np.bool_]
    is_on_screen: NDArray[np.bool_]
    is_selected: NDArray[np.bool_]
    is_blip: NDArray[np.bool_]
    is_powered: NDArray[np.bool_]
    is_active: NDArray[np.bool_]

    def __init__(self, units: Sequence[Any], read: Callable[[Sequence[Any], str], list[Any]]) -> None:
        """Units are made by `from_proto` and `from_json`."""
        self._units = units
        self._read = read

    @classmethod
    def from_proto(cls, units: Sequence[raw_pb2.Unit]) -> Units:
        """Columns over protobuf units, which are kept."""
        return cls(units, _read_proto)

    @classmethod
    def from_json(cls, units: Sequence[Mapping[str, Any]]) -> Units:
        """Columns over units in ProtoJSON, which are kept."""
        return cls(units, _read_json)

    @property
    def pos(self) -> NDArray[np.float32]:
        """Positions: (N, 3) float32, map cells."""
        return np.column_stack((self.x, self.y, self.z))

    def __len__(self) -> int:
        """Number of units."""
        return len(self._units)

    def __getattr__(self, name: str) -> NDArray[Any]:
        """Build a column."""
        if name not in COLUMNS:
            raise AttributeError(f"units have no column {name!r}; there are {', '.join(COLUMNS)}")
        dtype, path = COLUMNS[name]
        column = np.array(self._read(self._units, path), dtype=dtype)
        setattr(self, name, column)
        return column


def _read_proto(units: Sequence[Any], path: str) -> list[Any]:
    parent, _, leaf = path.rpartition(".")
    if parent:
        return [getattr(getattr(unit, parent), leaf) for unit in units]
    return [getattr(unit, leaf) for unit in units]


def _read_json(units: Sequence[Any], path: str) -> list[Any]:
    parent, _, leaf = (_camel(part) for part in path.rpartition("."))
    if parent:
        # ProtoJSON writes "NaN", "Infinity" and "-Infinity" as strings.
        return [float(unit.get(parent, {}).get(leaf, 0)) for unit in units]
    default = raw_pb2.Unit.DESCRIPTOR.fields_by_name[path].default_value
    values = [unit.get(leaf, default) for unit in units]
    if path in _ENUMS:
        enum = _ENUMS[path]
        return [enum.Value(value) if isinstance(value, str) else value for value in values]
    if any(isinstance(value, str) for value in values):
        # 64-bit numbers, NaN and the infinities are strings.
        return [(int if COLUMNS[path][0] == "u8" else float)(value) for value in values]
    return values


def _camel(name: str) -> str:
    return re.sub("_([a-z])", lambda match: match[1].upper(), name)

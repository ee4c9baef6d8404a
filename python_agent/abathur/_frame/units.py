"""Units as columns: one NumPy array per field instead of one object per unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray
from s2clientprotocol import raw_pb2

from abathur._frame import filters, unit_view
from abathur._frame.nested import Nested, NestedSource
from abathur._frame.unit_messages import JsonUnits, MessageUnits
from abathur._frame.unit_view import UnitView
from abathur._values import arguments
from abathur._values.read_only import read_only

if TYPE_CHECKING:
    import pyarrow

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
    "buff_duration_remain": ("i4", "buff_duration_remain"),
    "buff_duration_max": ("i4", "buff_duration_max"),
}
_POINT_OF_ORDER = "target_world_space_pos"
ORDER_COLUMNS: dict[str, tuple[str, str]] = {
    "ability_id": ("u4", "ability_id"),
    "target_unit_tag": ("u8", "target_unit_tag"),
    "x": ("f4", f"{_POINT_OF_ORDER}.x"),
    "y": ("f4", f"{_POINT_OF_ORDER}.y"),
    "z": ("f4", f"{_POINT_OF_ORDER}.z"),
    "progress": ("f4", "progress"),
}
BUFF_COLUMNS: dict[str, tuple[str, str]] = {"buff_id": ("u4", "buff_id")}
PASSENGER_COLUMNS: dict[str, tuple[str, str]] = {
    "tag": ("u8", "tag"),
    "unit_type": ("u4", "unit_type"),
    "health": ("f4", "health"),
    "health_max": ("f4", "health_max"),
    "shield": ("f4", "shield"),
    "shield_max": ("f4", "shield_max"),
    "energy": ("f4", "energy"),
    "energy_max": ("f4", "energy_max"),
}
RALLY_COLUMNS: dict[str, tuple[str, str]] = {
    "x": ("f4", "point.x"),
    "y": ("f4", "point.y"),
    "z": ("f4", "point.z"),
    "tag": ("u8", "tag"),
}


class Orders(Nested):
    """The orders of units: an ability, the unit or the point that it is for, and `progress` from 0 to 1."""

    ability_id: NDArray[np.uint32]
    target_unit_tag: NDArray[np.uint64]
    x: NDArray[np.float32]
    y: NDArray[np.float32]
    z: NDArray[np.float32]
    progress: NDArray[np.float32]


class Buffs(Nested):
    """The buffs on units."""

    buff_id: NDArray[np.uint32]


class Passengers(Nested):
    """The passengers of units."""

    tag: NDArray[np.uint64]
    unit_type: NDArray[np.uint32]
    health: NDArray[np.float32]
    health_max: NDArray[np.float32]
    shield: NDArray[np.float32]
    shield_max: NDArray[np.float32]
    energy: NDArray[np.float32]
    energy_max: NDArray[np.float32]


class RallyTargets(Nested):
    """The rally targets of units: a point, and `tag` if the target is a unit."""

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    z: NDArray[np.float32]
    tag: NDArray[np.uint64]


class UnitSource(Protocol):
    """A source of units: a message, JSON, or the columns encoding."""

    def __len__(self) -> int:
        """Number of units."""

    def columns(self, path: str, dtypes: Mapping[str, str]) -> Mapping[str, NDArray[Any]]:
        """A field of all units by its path, and fields that are cheap to create with it; all types are given.

        If a unit does not have a field, its value is the protocol's default.
        """

    def present(self, path: str) -> NDArray[np.bool_]:
        """Which units have a field."""

    def nested(self, field: str) -> NestedSource:
        """A repeated field of all units."""


class Units:
    """The units of one observation, N of them.

    Each column is an array of shape (N,), created on first use and kept: it stays valid as long as you hold it, and
    later frames do not change it. It is read-only, because the events of the next frame are computed from it:
    ``units.health.copy()`` can be changed. `pos`, `has`, and the columns of a selection (``units[...]``, `where`) are
    copies, which can be changed. A field that a unit does not have has the protocol's default (0, False; for enums
    the first value); `has` distinguishes them. Positions are map cells, facing radians, energy and health points,
    weapon_cooldown game loops, tags the game's 64-bit unit tags. `alliance`, `display_type` and `cloak` are the numbers
    of the protocol's enums (alliance: 1 self, 2 ally, 3 neutral, 4 enemy).

    The order is that of the message; with encoding ``columns`` it is another one, in which a unit keeps its place from
    frame to frame as long as no unit before it disappears.
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
    buff_duration_remain: NDArray[np.int32]
    buff_duration_max: NDArray[np.int32]

    def __init__(self, source: UnitSource) -> None:
        """Units are created by `from_proto`, `from_json`, and by frames."""
        self._source = source

    @classmethod
    def from_proto(cls, units: Sequence[raw_pb2.Unit]) -> Units:
        """Columns over protobuf units, which are kept."""
        return cls(MessageUnits(units))

    @classmethod
    def from_json(cls, units: Sequence[Mapping[str, Any]]) -> Units:
        """Columns over units in ProtoJSON, which are kept."""
        return cls(JsonUnits(units))

    @property
    def pos(self) -> NDArray[np.float32]:
        """Positions: (N, 3) float32, map cells. A new array each time."""
        positions = np.empty((len(self), 3), np.float32)
        positions[:, 0], positions[:, 1], positions[:, 2] = self.x, self.y, self.z
        return positions

    @cached_property
    def orders(self) -> Orders:
        """The orders of units."""
        return Orders(self._source.nested("orders"), ORDER_COLUMNS, self._is_shared)

    @cached_property
    def buffs(self) -> Buffs:
        """The buffs on units."""
        return Buffs(self._source.nested("buff_ids"), BUFF_COLUMNS, self._is_shared)

    @cached_property
    def passengers(self) -> Passengers:
        """The passengers of units."""
        return Passengers(self._source.nested("passengers"), PASSENGER_COLUMNS, self._is_shared)

    @cached_property
    def rally_targets(self) -> RallyTargets:
        """The rally targets of units."""
        return RallyTargets(self._source.nested("rally_targets"), RALLY_COLUMNS, self._is_shared)

    def has(self, column: str) -> NDArray[np.bool_]:
        """Which units have a field: (N,) bool.

        Raises:
            AttributeError: there is no such column.
        """
        return self._source.present(_path(COLUMNS, column))

    def where(self, **values: Any) -> Units:
        """The units whose columns have these values; a list, set or array matches any of its values.

        ``units.where(alliance="self", unit_type=UnitTypeId.QUEEN)``, ``units.where(unit_type=["queen", 105])``.
        `unit_type`, `alliance`, `display_type` and `cloak` take numbers, members of the enumerations of this package
        and of python-sc2, and names in upper or lower case; columns of tags also take units.

        Raises:
            AttributeError: there is no such column.
            TypeError: a value is of a kind that the column does not have.
            ValueError: there is no such name, or the column cannot have such a number.
        """
        chosen = np.ones(len(self), np.bool_)
        for name, value in values.items():
            _path(COLUMNS, name)
            column = getattr(self, name)
            several = filters.wanted(name, column.dtype, value)
            chosen &= np.isin(column, several) if len(several) != 1 else column == several[0]
        return self[chosen]

    def to_arrow(self) -> pyarrow.Table:
        """All columns as a `pyarrow.Table`.

        Raises:
            ImportError: pyarrow is not installed.
        """
        import pyarrow as pa

        return pa.table({name: getattr(self, name) for name in COLUMNS})

    def to_pandas(self) -> Any:
        """All columns as a `pandas.DataFrame`.

        Raises:
            ImportError: pandas is not installed.
        """
        import pandas as pd  # type: ignore[import-untyped, import-not-found, unused-ignore]

        return pd.DataFrame({name: getattr(self, name) for name in COLUMNS})

    def by_tag(self, tag: arguments.Unit) -> Units:
        """The unit with a tag, as `Units` with one element: ``units.by_tag(tag).health[0]``.

        Args:
            tag: The tag; or a unit that has it, such as one of another frame.

        Raises:
            KeyError: no unit has this tag.
            TypeError, ValueError: it is not a tag.
        """
        tag = arguments.tag(tag)
        found = np.flatnonzero(self.tag == tag)
        if not len(found):
            raise KeyError(f"no unit has tag {tag}")
        return self[found[:1]]

    def __getitem__(self, chosen: Any) -> Units:
        """Some of the units, selected as in an array: by a mask, indices, or a slice. Their columns are copies."""
        rows = np.atleast_1d(np.arange(len(self))[chosen])
        return Units(_Selection(self, rows))

    def __len__(self) -> int:
        """Number of units."""
        return len(self._source)

    def __iter__(self) -> Iterator[UnitView]:
        """Each unit, as an object with `name`, `position`, and the columns as attributes."""
        return unit_view.views(self)

    def __dir__(self) -> list[str]:
        """The columns too, for prompts."""
        return [*super().__dir__(), *COLUMNS]

    def __repr__(self) -> str:
        """A table of the first units."""
        return unit_view.table(self)

    # Type checkers know the columns by their annotations, and find misspelled ones.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NDArray[Any]:
            """Build a column."""
            if name.startswith("_"):
                raise AttributeError(name)
            made = self._source.columns(_path(COLUMNS, name), _DTYPES)
            if self._is_shared:
                for array in made.values():
                    read_only(array)
            for path, array in made.items():
                self.__dict__.setdefault(_NAMES[path], array)
            return self.__dict__[name]

        def __setattr__(self, name: str, value: object) -> None:
            """Columns are not replaced, for the reason why their arrays are read-only."""
            if (name in COLUMNS or name in _LISTS) and self._is_shared:
                raise AttributeError(f"{name} of a frame's units cannot be set: keep a changed copy in a variable")
            super().__setattr__(name, value)

    @property
    def _is_shared(self) -> bool:
        """Whether events are computed from the columns; not those of a selection."""
        return not isinstance(self.__dict__.get("_source"), _Selection)


class _Selection:
    """Some of other units."""

    def __init__(self, units: Units, rows: NDArray[np.intp]) -> None:
        self._units = units
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def columns(self, path: str, dtypes: Mapping[str, str]) -> dict[str, NDArray[Any]]:
        return {path: getattr(self._units, _NAMES[path])[self._rows]}

    def present(self, path: str) -> NDArray[np.bool_]:
        return self._units.has(_NAMES[path])[self._rows]

    def nested(self, field: str) -> NestedSource:
        return self._units._source.nested(field).select(self._rows)


def _path(columns: Mapping[str, tuple[str, str]], name: str) -> str:
    if name not in columns:
        raise AttributeError(f"units have no column {name!r}; there are {', '.join(columns)}")
    return columns[name][1]


_DTYPES = {path: dtype for dtype, path in COLUMNS.values()}
_LISTS = ("orders", "buffs", "passengers", "rally_targets")
_NAMES = {path: name for name, (_, path) in COLUMNS.items()}

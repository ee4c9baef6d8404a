"""The columns of the tables in docs/columns.md."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np

#: Kinds of a float: the meaning of its integer.
GRID: Final = 0
ANGLE: Final = 1
BITS: Final = 2

MAX_ROWS: Final = 262_144


@dataclass(frozen=True)
class Schema:
    """The columns of a table.

    Attributes:
        table: Number of the table, as sections and extras count them.
        message: Name of the message in `s2clientprotocol.raw_pb2`; None if rows are single values.
        fields: Path of the field of each column, in order; empty for a column that is not a field.
        predicted: How many of the first columns are predicted from frame to frame.
        has: Column with the presence bits of the fields.
        kinds: Column with the kinds of the floats.
        floats: Columns that are floats.
        parents: Bits of `has` for the presence of submessages, by field.
        count: Number of the units' column with the number of rows of a unit here; None for the units themselves.
    """

    table: int
    message: str | None
    fields: tuple[str, ...]
    predicted: int = 0
    has: int | None = None
    kinds: int | None = None
    floats: tuple[int, ...] = ()
    parents: dict[str, int] = field(default_factory=dict)
    count: int | None = None

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.fields)


class ColumnGroup(NamedTuple):
    """Columns that are created together: their type, and path and number of each, ascending."""

    dtype: np.dtype[Any]
    paths: tuple[str, ...]
    columns: tuple[int, ...]


class Wanted:
    """Columns that are wanted together.

    Attributes:
        groups: By their type.
        native: For the implementation that reads them.
    """

    __slots__ = ("groups", "native")

    def __init__(self, *groups: ColumnGroup) -> None:
        """These columns."""
        self.groups = groups
        self.native: Any = None


X: Final = 0
Y: Final = 1
SPEED: Final = 2
FACING: Final = 10
TAG: Final = 40
HAS: Final = 43
KINDS: Final = 44

UNITS: Final = Schema(
    table=0,
    message="Unit",
    fields=(
        *("pos.x", "pos.y", "", "pos.z", "buff_duration_remain"),
        *("build_progress", "health", "shield", "energy", "weapon_cooldown"),
        *("facing", "radius", "detect_range", "radar_range", "health_max", "shield_max", "energy_max"),
        *("display_type", "alliance", "unit_type", "owner", "cloak"),
        *("is_selected", "is_on_screen", "is_blip", "is_powered", "is_active"),
        *("attack_upgrade_level", "armor_upgrade_level", "shield_upgrade_level"),
        *("mineral_contents", "vespene_contents", "is_flying", "is_burrowed", "is_hallucination"),
        *("cargo_space_taken", "cargo_space_max", "assigned_harvesters", "ideal_harvesters", "buff_duration_max"),
        *("tag", "add_on_tag", "engaged_target_tag"),
        *("", "", "", "", "", ""),
    ),
    predicted=10,
    has=HAS,
    kinds=KINDS,
    floats=(0, 1, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16),
    parents={"pos": 2},
)
ORDERS: Final = Schema(
    table=1,
    message="UnitOrder",
    fields=(
        *("progress", "target_world_space_pos.x", "target_world_space_pos.y", "target_world_space_pos.z"),
        *("ability_id", "target_unit_tag", "", ""),
    ),
    predicted=1,
    has=6,
    kinds=7,
    floats=(0, 1, 2, 3),
    parents={"target_world_space_pos": 8},
    count=45,
)
BUFFS: Final = Schema(table=2, message=None, fields=("buff_id",), count=46)
PASSENGERS: Final = Schema(
    table=3,
    message="PassengerUnit",
    fields=(
        *("health", "health_max", "shield", "shield_max", "energy", "energy_max", "unit_type", "tag"),
        *("", ""),
    ),
    has=8,
    kinds=9,
    floats=(0, 1, 2, 3, 4, 5),
    count=47,
)
RALLY_TARGETS: Final = Schema(
    table=4,
    message="RallyTarget",
    fields=("point.x", "point.y", "point.z", "tag", "", ""),
    has=4,
    kinds=5,
    floats=(0, 1, 2),
    parents={"point": 6},
    count=48,
)
#: The tables below units, in the order of their sections.
LISTS: Final = (ORDERS, BUFFS, PASSENGERS, RALLY_TARGETS)
#: Of the units' columns with the number of rows in each list.
FIRST_COUNT: Final = 45
#: Sections of a payload: changes of the lists, then blobs, of which one is the rest of the observation.
FIRST_LIST: Final = 2
FIRST_BLOB: Final = FIRST_LIST + len(LISTS)
BLOBS: Final = 4
REST: Final = FIRST_BLOB + 2

"""One unit, and an entry of its lists, as objects over the columns of its frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeVar

from abathur._frame.row_view import RowView

if TYPE_CHECKING:
    from abathur._frame.nested import Nested
    from abathur._frame.units import Units

#: Names of `SC2APIProtocol.Alliance`, from 1.
ALLIANCES = ("self", "ally", "neutral", "enemy")
#: Rows that a table shows before it says how many follow.
_SHOWN_ROWS = 20


class OrderView(RowView):
    """An order of a unit: a row of `Units.orders`. Without a target, `target_unit_tag` or x, y, z are 0."""

    __slots__ = ()

    ability_id: int
    target_unit_tag: int
    x: float
    y: float
    z: float
    progress: float


class BuffView(RowView):
    """A buff on a unit: a row of `Units.buffs`."""

    __slots__ = ()

    buff_id: int


class PassengerView(RowView):
    """A passenger of a unit: a row of `Units.passengers`."""

    __slots__ = ()

    tag: int
    unit_type: int
    health: float
    health_max: float
    shield: float
    shield_max: float
    energy: float
    energy_max: float


class RallyTargetView(RowView):
    """A rally target of a unit: a row of `Units.rally_targets`. `tag` is 0 if the target is a point."""

    __slots__ = ()

    x: float
    y: float
    z: float
    tag: int


_Entry = TypeVar("_Entry", bound=RowView)


class UnitView(RowView):
    """A unit of a frame. Its attributes are the columns of `Units`, as Python values: ``unit.health``, ``unit.tag``.

    It holds the columns of its frame, not the unit: later frames do not change it. It is read-only.
    """

    __slots__ = ()
    _extra = ("name", "position", "pos", "orders", "buffs", "passengers", "rally_targets")

    tag: int
    unit_type: int
    owner: int
    alliance: int
    display_type: int
    cloak: int
    x: float
    y: float
    z: float
    facing: float
    radius: float
    build_progress: float
    detect_range: float
    radar_range: float
    health: float
    health_max: float
    shield: float
    shield_max: float
    energy: float
    energy_max: float
    weapon_cooldown: float
    mineral_contents: int
    vespene_contents: int
    assigned_harvesters: int
    ideal_harvesters: int
    cargo_space_taken: int
    cargo_space_max: int
    attack_upgrade_level: int
    armor_upgrade_level: int
    shield_upgrade_level: int
    engaged_target_tag: int
    add_on_tag: int
    is_flying: bool
    is_burrowed: bool
    is_hallucination: bool
    is_on_screen: bool
    is_selected: bool
    is_blip: bool
    is_powered: bool
    is_active: bool
    buff_duration_remain: int
    buff_duration_max: int

    @property
    def name(self) -> str:
        """The name of its type in `UnitTypeId`, such as ``"QUEEN"``; the number of a type without a name."""
        # Not at the top: 2,700 names take longer to import than the rest, and most agents compare numbers.
        from abathur.ids import UnitTypeId, name_of

        return name_of(UnitTypeId, self.unit_type)

    @property
    def position(self) -> tuple[float, float]:
        """The coordinates x and y, in map cells."""
        return self.x, self.y

    @property
    def pos(self) -> tuple[float, float, float]:
        """The coordinates x, y and z, in map cells."""
        return self.x, self.y, self.z

    @property
    def orders(self) -> list[OrderView]:
        """The orders, the current one first."""
        return self._entries(OrderView, self._table.orders)

    @property
    def buffs(self) -> list[BuffView]:
        """The buffs."""
        return self._entries(BuffView, self._table.buffs)

    @property
    def passengers(self) -> list[PassengerView]:
        """The passengers."""
        return self._entries(PassengerView, self._table.passengers)

    @property
    def rally_targets(self) -> list[RallyTargetView]:
        """The rally targets."""
        return self._entries(RallyTargetView, self._table.rally_targets)

    def _entries(self, kind: type[_Entry], nested: Nested) -> list[_Entry]:
        start, end = nested.offsets[self._row : self._row + 2].tolist()
        return [kind(nested, row) for row in range(start, end)]

    def __repr__(self) -> str:
        """Name, alliance, position and health."""
        x, y = self.position
        return f"<{self.name} {alliance(self.alliance)} at ({x:.1f}, {y:.1f}), health {self.health:g}, tag {self.tag}>"


def views(units: Units) -> Iterator[UnitView]:
    """Each unit."""
    return (UnitView(units, row) for row in range(len(units)))


def alliance(number: int) -> str:
    """The name of an alliance; the number of one that the protocol does not have."""
    return ALLIANCES[number - 1] if 1 <= number <= len(ALLIANCES) else str(number)


def table(units: Units) -> str:
    """Units as a table in text, of at most 79 columns."""
    count = len(units)
    lines = [f"{count} unit{'s' * (count != 1)}"]
    if count:
        lines.append(f"{'name':<28} {'alliance':<8} {'x':>6} {'y':>6} {'health':>6} {'energy':>6} tag")
    for unit in views(units[:_SHOWN_ROWS]):
        whose, name = alliance(unit.alliance), unit.name
        place = f"{unit.x:>6.1f} {unit.y:>6.1f}"
        lines.append(f"{name[:28]:<28} {whose:<8} {place} {unit.health:>6.0f} {unit.energy:>6.0f} {unit.tag}")
    if count > _SHOWN_ROWS:
        lines.append(f"and {count - _SHOWN_ROWS} more")
    return "\n".join(lines)

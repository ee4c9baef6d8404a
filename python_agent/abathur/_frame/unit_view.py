"""One unit, and an entry of its lists, as objects over the columns of its frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sized
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from abathur._frame import equivalents, geometry
from abathur._frame.row_view import RowView
from abathur._frame.unit_columns import COLUMNS
from abathur._values import arguments, html_table

if TYPE_CHECKING:
    from abathur._frame.nested import Nested

#: Names of `SC2APIProtocol.Alliance`, from 1.
ALLIANCES = ("self", "ally", "neutral", "enemy")
#: Rows that a table shows before it says how many follow.
_SHOWN_ROWS = 20


class OrderView(RowView):
    """An order of a unit: a row of `Units.orders`. Without a target, `target_unit_tag` or x, y, z are 0."""

    __slots__ = ()
    _extra = ("name",)

    ability_id: int
    target_unit_tag: int
    x: float
    y: float
    z: float
    progress: float

    @property
    def name(self) -> str:
        """The name of the ability in `AbilityId`; the number of one without a name."""
        from abathur.ids import AbilityId, name_of

        return name_of(AbilityId, self.ability_id)


class BuffView(RowView):
    """A buff on a unit: a row of `Units.buffs`."""

    __slots__ = ()
    _extra = ("name",)

    buff_id: int

    @property
    def name(self) -> str:
        """The name of the buff in `BuffId`; the number of one without a name."""
        from abathur.ids import BuffId, name_of

        return name_of(BuffId, self.buff_id)


class PassengerView(RowView):
    """A passenger of a unit: a row of `Units.passengers`."""

    __slots__ = ()
    _extra = ("name",)

    tag: int
    unit_type: int
    health: float
    health_max: float
    shield: float
    shield_max: float
    energy: float
    energy_max: float

    @property
    def name(self) -> str:
        """The name of the type in `UnitTypeId`; the number of one without a name."""
        from abathur.ids import UnitTypeId, name_of

        return name_of(UnitTypeId, self.unit_type)


class RallyTargetView(RowView):
    """A rally target of a unit: a row of `Units.rally_targets`. `tag` is 0 if the target is a point."""

    __slots__ = ()

    x: float
    y: float
    z: float
    tag: int


_KEYS = ("name", *COLUMNS)
_Entry = TypeVar("_Entry", bound=RowView)


class UnitView(RowView, Mapping[str, Any]):
    """A unit of a frame. Its attributes are the columns of `Units`, as Python values: ``unit.health``, ``unit.tag``.

    It holds the columns of its frame, not the unit: later frames do not change it. It is read-only. It is also a
    mapping of its name and its columns: ``unit["health"]``, ``dict(unit)``. Views of the same unit, by its tag, are
    equal, also in different frames.
    """

    __slots__ = ()
    _extra = (
        "name",
        "position",
        "pos",
        "distance_to",
        "orders",
        "buffs",
        "passengers",
        "rally_targets",
        "keys",
        "values",
        "items",
        "get",
    )

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

    def distance_to(self, place: arguments.Place) -> float:
        """The distance to a point, or to a unit, of x and y, in map cells.

        Raises:
            TypeError, ValueError: it is neither.
        """
        return geometry.between(self, place)

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

    def __getitem__(self, name: str) -> Any:
        """The name, or the value of a column. Raises KeyError if there is no such column."""
        if name not in _KEYS:
            hint = equivalents.hint(name, equivalents.UNIT, _KEYS) if isinstance(name, str) else ""
            raise KeyError(f"a unit has no column {name!r}{hint}")
        return getattr(self, name)

    def __iter__(self) -> Iterator[str]:
        """``name``, then the names of the columns."""
        return iter(_KEYS)

    def __len__(self) -> int:
        """The number of columns, with ``name``."""
        return len(_KEYS)

    def __eq__(self, other: object) -> bool:
        """Whether both are the same unit, by its tag."""
        return bool(self.tag == other.tag) if isinstance(other, UnitView) else NotImplemented

    def __hash__(self) -> int:
        """Of the tag."""
        return hash(self.tag)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """The unit itself, as one element: an array of a list of units has units."""
        array = np.empty((), object)
        array[()] = self
        return array

    def __repr__(self) -> str:
        """Name, alliance, position and health."""
        x, y = self.position
        return f"<{self.name} {alliance(self.alliance)} at ({x:.1f}, {y:.1f}), health {self.health:g}, tag {self.tag}>"


class _Absent:
    """A name that others have for something: an error, with what to write. `__getattr__` would slow all names down."""

    __slots__ = ("_name", "_text")

    def __init__(self, name: str, text: str) -> None:
        self._name = name
        self._text = text

    def __get__(self, view: UnitView | None, kind: type | None = None) -> _Absent:
        if view is None:
            return self
        text = f"'UnitView' object has no attribute {self._name!r}: write {self._text}"
        raise AttributeError(text, name=self._name, obj=view)


for _name, _text in equivalents.UNIT.items():
    if not hasattr(UnitView, _name):
        setattr(UnitView, _name, _Absent(_name, _text))


def views(units: Sized) -> Iterator[UnitView]:
    """Each unit."""
    return (UnitView(units, row) for row in range(len(units)))


def alliance(number: int) -> str:
    """The name of an alliance; the number of one that the protocol does not have."""
    return ALLIANCES[number - 1] if 1 <= number <= len(ALLIANCES) else str(number)


def table(units: Sized) -> str:
    """Units as a table in text, of at most 79 columns."""
    count = len(units)
    lines = [f"{count} unit{'s' * (count != 1)}"]
    if count:
        lines.append(f"{'name':<28} {'alliance':<8} {'x':>6} {'y':>6} {'health':>6} {'energy':>6} tag")
    for unit in islice(views(units), _SHOWN_ROWS):
        whose, name = alliance(unit.alliance), unit.name
        place = f"{unit.x:>6.1f} {unit.y:>6.1f}"
        lines.append(f"{name[:28]:<28} {whose:<8} {place} {unit.health:>6.0f} {unit.energy:>6.0f} {unit.tag}")
    if count > _SHOWN_ROWS:
        lines.append(f"and {count - _SHOWN_ROWS} more")
    return "\n".join(lines)


def html(units: Sized) -> str:
    """Units as a table in HTML, of at most 20 rows."""
    count = len(units)
    rows = [
        (unit.name, alliance(unit.alliance), f"{unit.x:.1f}", f"{unit.y:.1f}", f"{unit.health:g}", unit.tag)
        for unit in islice(views(units), _SHOWN_ROWS)
    ]
    more = f"and {count - _SHOWN_ROWS} more" if count > _SHOWN_ROWS else ""
    names = ("name", "alliance", "x", "y", "health", "tag")
    return html_table.table(f"{count} unit{'s' * (count != 1)}", names, rows, more)

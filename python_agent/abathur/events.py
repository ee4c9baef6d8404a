"""What happened to units between two frames, with the names and the meaning of python-sc2's BotAI.

`Frame.events` has them, and `Agent` has a callback for each. docs/agents.md has the rules.

::

    Event
    ├── UnitDestroyed                   on_unit_destroyed
    ├── UnitCreated                     on_unit_created
    ├── UnitTookDamage                  on_unit_took_damage
    ├── UnitTypeChanged                 on_unit_type_changed
    ├── BuildingConstructionStarted     on_building_construction_started
    ├── BuildingConstructionComplete    on_building_construction_complete
    ├── UpgradeComplete                 on_upgrade_complete
    ├── EnemyUnitEnteredVision          on_enemy_unit_entered_vision
    ├── EnemyUnitLeftVision             on_enemy_unit_left_vision
    └── Alert                           on_alert
"""

from __future__ import annotations

from dataclasses import dataclass

from abathur._frame.unit_view import UnitView

__all__ = [
    "Alert",
    "BuildingConstructionComplete",
    "BuildingConstructionStarted",
    "EnemyUnitEnteredVision",
    "EnemyUnitLeftVision",
    "Event",
    "UnitCreated",
    "UnitDestroyed",
    "UnitTookDamage",
    "UnitTypeChanged",
    "UpgradeComplete",
]


class Event:
    """Any of the events below."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class UnitDestroyed(Event):
    """A unit that was in the previous frame has died: of any player, or neutral.

    Attributes:
        tag: Its tag.
        unit: The unit as it was in the previous frame.
    """

    tag: int
    unit: UnitView


@dataclass(frozen=True, slots=True)
class UnitCreated(Event):
    """An own unit, not a structure, appears for the first time.

    Attributes:
        unit: The unit.
    """

    unit: UnitView


@dataclass(frozen=True, slots=True)
class UnitTookDamage(Event):
    """An own unit or structure has less health or less shield than in the previous frame.

    Attributes:
        unit: The unit.
        amount: How much less of both together, in points: 0 or less if one of them has grown by as much, or by more.
    """

    unit: UnitView
    amount: float


@dataclass(frozen=True, slots=True)
class UnitTypeChanged(Event):
    """An own unit or structure has another type than in the previous frame.

    Attributes:
        unit: The unit.
        previous_type: Its type before: a number of `abathur.ids.UnitTypeId`.
    """

    unit: UnitView
    previous_type: int


@dataclass(frozen=True, slots=True)
class BuildingConstructionStarted(Event):
    """An own structure that is not complete appears.

    Attributes:
        unit: The structure.
    """

    unit: UnitView


@dataclass(frozen=True, slots=True)
class BuildingConstructionComplete(Event):
    """An own structure is complete, or appears complete.

    Attributes:
        unit: The structure.
    """

    unit: UnitView


@dataclass(frozen=True, slots=True)
class UpgradeComplete(Event):
    """An upgrade is complete.

    Attributes:
        upgrade: A number of `abathur.ids.UpgradeId`.
    """

    upgrade: int


@dataclass(frozen=True, slots=True)
class EnemyUnitEnteredVision(Event):
    """An enemy unit or structure appears.

    Attributes:
        unit: The unit.
    """

    unit: UnitView


@dataclass(frozen=True, slots=True)
class EnemyUnitLeftVision(Event):
    """An enemy unit or structure is not in the frame any more: it is hidden, or dead.

    Attributes:
        tag: Its tag.
        unit: The unit as it was in the previous frame.
    """

    tag: int
    unit: UnitView


@dataclass(frozen=True, slots=True)
class Alert(Event):
    """An alert of the game, such as ``NuclearLaunchDetected``.

    Attributes:
        alert: A number of `s2clientprotocol.sc2api_pb2.Alert`.
    """

    alert: int

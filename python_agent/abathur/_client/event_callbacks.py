"""Calls the callbacks of an `Agent` for the events of a frame."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from abathur import events
from abathur._frame.frame import Frame

#: The callback of each event, and how it is called.
_CALLS: dict[type[events.Event], tuple[str, Callable[[Any], tuple[Any, ...]]]] = {
    events.UnitDestroyed: ("on_unit_destroyed", lambda event: (event.tag,)),
    events.UnitCreated: ("on_unit_created", lambda event: (event.unit,)),
    events.UnitTookDamage: ("on_unit_took_damage", lambda event: (event.unit, event.amount)),
    events.UnitTypeChanged: ("on_unit_type_changed", lambda event: (event.unit, event.previous_type)),
    events.BuildingConstructionStarted: ("on_building_construction_started", lambda event: (event.unit,)),
    events.BuildingConstructionComplete: ("on_building_construction_complete", lambda event: (event.unit,)),
    events.UpgradeComplete: ("on_upgrade_complete", lambda event: (event.upgrade,)),
    events.EnemyUnitEnteredVision: ("on_enemy_unit_entered_vision", lambda event: (event.unit,)),
    events.EnemyUnitLeftVision: ("on_enemy_unit_left_vision", lambda event: (event.tag,)),
    events.Alert: ("on_alert", lambda event: (event.alert,)),
}


def overridden(agent: type, base: type) -> bool:
    """Whether a class of agents has a callback for an event, which its base has not."""
    return any(getattr(agent, name) is not getattr(base, name) for name, _ in _CALLS.values())


async def call(agent: object, frame: Frame) -> None:
    """Call the callbacks of an agent for the events of a frame, in their order."""
    for event in frame.events:
        name, arguments = _CALLS[type(event)]
        callback: Callable[..., Awaitable[None]] = getattr(agent, name)
        await callback(*arguments(event))

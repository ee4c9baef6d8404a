"""The table `events`: a row for each unit event, in the order in which `Frame.events` has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from abathur._frame.unit_view import UnitView
from abathur.events import Alert, Event, UnitTookDamage, UnitTypeChanged, UpgradeComplete

#: Of a unit that died or left vision: as it was last seen.
_UNIT = {
    "tag": "u8",
    "unit_type": "u4",
    "owner": "i4",
    "alliance": "i1",
    "x": "f4",
    "y": "f4",
    "z": "f4",
    "health": "f4",
    "shield": "f4",
}
COLUMNS = {
    "game_loop": "u4",
    "event": "word",
    **_UNIT,
    "name": "word",
    "amount": "f4",
    "previous_type": "u4",
    "upgrade": "u4",
    "alert": "i4",
}


def rows(game_loop: int, events: tuple[Event, ...]) -> Iterator[dict[str, Any]]:
    """The rows of a frame: values by column."""
    for event in events:
        row: dict[str, Any] = {"game_loop": game_loop, "event": type(event).__name__}
        match event:
            case UpgradeComplete(upgrade):
                row["upgrade"] = upgrade
            case Alert(alert):
                row["alert"] = alert
            case _:
                unit: UnitView = event.unit  # type: ignore[attr-defined]
                row.update((name, getattr(unit, name)) for name in (*_UNIT, "name"))
        if isinstance(event, UnitTookDamage):
            row["amount"] = event.amount
        elif isinstance(event, UnitTypeChanged):
            row["previous_type"] = event.previous_type
        yield row

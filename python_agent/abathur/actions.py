"""Actions for the common unit commands: ``await game.act([actions.attack(tags, (60, 40))])``.

Each function returns one `sc2api_pb2.Action` with a raw unit command. Units are identified by their tags; a target is a
point in map cells or the tag of a unit. Ability ids are the general ones, which the game maps to the unit's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from s2clientprotocol import sc2api_pb2

__all__ = [
    "attack",
    "chat",
    "command",
    "gather",
    "hold_position",
    "move",
    "move_camera",
    "patrol",
    "return_cargo",
    "smart",
    "stop",
    "toggle_autocast",
]

SMART: Final = 1
STOP: Final = 3665
HARVEST_GATHER: Final = 3666
HARVEST_RETURN: Final = 3667
ATTACK: Final = 3674
HOLD_POSITION: Final = 3793
MOVE: Final = 3794
PATROL: Final = 3795

#: A point (x, y) in map cells, or the tag of a unit.
Target = Sequence[float] | int
#: Tags of the commanded units: one or several.
Units = int | Iterable[int]


def command(ability_id: int, units: Units, target: Target | None = None, *, queue: bool = False) -> sc2api_pb2.Action:
    """Order units to use an ability: train, build, cast, anything that has an id.

    Args:
        ability_id: As in `ResponseData.abilities`.
        units: Tags of the units.
        target: Point in map cells, tag of a unit, or None for abilities without a target.
        queue: Whether they first finish their current orders (shift).

    Raises:
        ValueError: `target` is a sequence of other than two numbers.
    """
    action = sc2api_pb2.Action()
    unit_command = action.action_raw.unit_command
    unit_command.ability_id = ability_id
    unit_command.unit_tags.extend([int(units)] if _is_tag(units) else (int(tag) for tag in units))  # type: ignore[union-attr,arg-type]
    if queue:
        unit_command.queue_command = True
    if target is None:
        return action
    if _is_tag(target):
        unit_command.target_unit_tag = int(target)  # type: ignore[arg-type]
        return action
    if len(target) != 2:  # type: ignore[arg-type]
        raise ValueError(f"a target is a point (x, y) or the tag of a unit, not {target!r}")
    unit_command.target_world_space_pos.x = float(target[0])  # type: ignore[index]
    unit_command.target_world_space_pos.y = float(target[1])  # type: ignore[index]
    return action


def move(units: Units, target: Target, *, queue: bool = False) -> sc2api_pb2.Action:
    """Move to a point, or follow a unit."""
    return command(MOVE, units, target, queue=queue)


def attack(units: Units, target: Target, *, queue: bool = False) -> sc2api_pb2.Action:
    """Attack a unit, or all enemies on the way to a point."""
    return command(ATTACK, units, target, queue=queue)


def patrol(units: Units, target: Target, *, queue: bool = False) -> sc2api_pb2.Action:
    """Patrol between the current position and a target."""
    return command(PATROL, units, target, queue=queue)


def gather(units: Units, resource: int, *, queue: bool = False) -> sc2api_pb2.Action:
    """Gather from a mineral field or a gas building, by its tag."""
    return command(HARVEST_GATHER, units, resource, queue=queue)


def return_cargo(units: Units, *, queue: bool = False) -> sc2api_pb2.Action:
    """Return gathered resources."""
    return command(HARVEST_RETURN, units, queue=queue)


def smart(units: Units, target: Target, *, queue: bool = False) -> sc2api_pb2.Action:
    """The action of a right click."""
    return command(SMART, units, target, queue=queue)


def stop(units: Units) -> sc2api_pb2.Action:
    """Stop at once."""
    return command(STOP, units)


def hold_position(units: Units, *, queue: bool = False) -> sc2api_pb2.Action:
    """Hold position, and attack enemies in range."""
    return command(HOLD_POSITION, units, queue=queue)


def toggle_autocast(ability_id: int, units: Units) -> sc2api_pb2.Action:
    """Switch an ability's autocast."""
    action = sc2api_pb2.Action()
    toggle = action.action_raw.toggle_autocast
    toggle.ability_id = ability_id
    toggle.unit_tags.extend([int(units)] if _is_tag(units) else (int(tag) for tag in units))  # type: ignore[union-attr,arg-type]
    return action


def move_camera(center: Sequence[float]) -> sc2api_pb2.Action:
    """Move the player's camera to a point in map cells."""
    action = sc2api_pb2.Action()
    point = action.action_raw.camera_move.center_world_space
    point.x, point.y = float(center[0]), float(center[1])
    return action


def chat(message: str, *, team_only: bool = False) -> sc2api_pb2.Action:
    """Send a message to the game's chat."""
    action = sc2api_pb2.Action()
    action.action_chat.message = message
    action.action_chat.channel = sc2api_pb2.ActionChat.Team if team_only else sc2api_pb2.ActionChat.Broadcast
    return action


def _is_tag(value: object) -> bool:
    """Whether it is a single integer of Python or NumPy."""
    return hasattr(value, "__index__")

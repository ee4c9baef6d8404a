"""Actions for the common unit commands: ``await game.act([actions.attack(tags, (60, 40))])``.

Each function returns one `sc2api_pb2.Action` with a raw unit command. Ability ids are the general ones, which the game
maps to the unit's own.

`units` is one tag or unit, or several of them: an array of any integer type (``units.tag``), a list, `abathur.Units`,
or units of python-sc2; none is allowed. A `target` is a point in map cells, or a unit: two or three numbers as a tuple,
a row of ``units.pos``, a point of python-sc2 (of three numbers the last, z, is ignored: the game takes the height of
the ground there); a tag, or an object with a tag.

All raise TypeError for what is neither a unit nor a point, and ValueError for coordinates that are not finite, for
negative tags, and for several units as the target; the error has the value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from s2clientprotocol import sc2api_pb2

from abathur._frame.unit_view import RallyTargetView
from abathur._values import arguments

if TYPE_CHECKING:
    from enum import Enum

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

#: A point in map cells, or a unit.
Target: TypeAlias = arguments.Place | arguments.Unit
#: The commanded units: one or several.
Units: TypeAlias = arguments.UnitsLike


def command(
    ability_id: int | Enum, units: Units, target: Target | None = None, *, queue: bool = False
) -> sc2api_pb2.Action:
    """Order units to use an ability: train, build, cast, anything that has an id.

    Args:
        ability_id: As in `ResponseData.abilities`: a number, or a member of `AbilityId`, also of that of python-sc2.
        units: The units.
        target: A point in map cells, a unit, or None for abilities without a target.
        queue: Whether they first finish their current orders (shift).

    Raises:
        TypeError: `units` are not units, or `target` is neither a unit nor a point.
        ValueError: a tag is negative, `target` has other than two or three coordinates or they are not finite, or it is
            several units.
    """
    action = sc2api_pb2.Action()
    unit_command = action.action_raw.unit_command
    unit_command.ability_id = arguments.number(ability_id)
    unit_command.unit_tags.extend(arguments.tags(units))
    if queue:
        unit_command.queue_command = True
    if target is None:
        return action
    if _is_unit(target):
        unit_command.target_unit_tag = arguments.tag(target)  # type: ignore[arg-type]
    else:
        place = arguments.point(target, "a target is a point (x, y), a tag or a unit")  # type: ignore[arg-type]
        unit_command.target_world_space_pos.x, unit_command.target_world_space_pos.y = place[:2]
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


def gather(units: Units, resource: arguments.Unit, *, queue: bool = False) -> sc2api_pb2.Action:
    """Gather from a mineral field or a gas building: its tag, or the unit."""
    return command(HARVEST_GATHER, units, arguments.tag(resource), queue=queue)


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


def toggle_autocast(ability_id: int | Enum, units: Units) -> sc2api_pb2.Action:
    """Switch an ability's autocast."""
    action = sc2api_pb2.Action()
    toggle = action.action_raw.toggle_autocast
    toggle.ability_id = arguments.number(ability_id)
    toggle.unit_tags.extend(arguments.tags(units))
    return action


def move_camera(center: arguments.Place) -> sc2api_pb2.Action:
    """Move the player's camera to a point in map cells, or to a unit. A third coordinate is ignored."""
    action = sc2api_pb2.Action()
    point = action.action_raw.camera_move.center_world_space
    point.x, point.y = arguments.point(center)[:2]
    return action


def chat(message: str, *, team_only: bool = False) -> sc2api_pb2.Action:
    """Send a message to the game's chat."""
    action = sc2api_pb2.Action()
    action.action_chat.message = message
    action.action_chat.channel = sc2api_pb2.ActionChat.Team if team_only else sc2api_pb2.ActionChat.Broadcast
    return action


def _is_unit(target: Target) -> bool:
    """Whether a target is a unit, by its tag or as an object, and not a point."""
    if isinstance(target, RallyTargetView) and not target.tag:
        return False
    is_tag = arguments.is_integer(target) or (isinstance(target, np.ndarray) and target.size == 1)
    return is_tag or hasattr(target, "tag")

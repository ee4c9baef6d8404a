"""Actions for the common unit commands: ``await game.act([actions.attack(tags, (60, 40))])``.

`train`, `build` and `research` choose the ability: ``actions.train(barracks, "Marine")``. Names are those of
`abathur.ids` and of the game, in upper or lower case, with or without spaces; members of python-sc2's enumerations and
numbers work as well.

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

from typing import TYPE_CHECKING, Final, NoReturn, TypeAlias

import numpy as np
from s2clientprotocol import sc2api_pb2

from abathur._frame.unit_view import RallyTargetView
from abathur._values import arguments

if TYPE_CHECKING:
    from enum import Enum
    from types import ModuleType

__all__ = [
    "attack",
    "build",
    "chat",
    "command",
    "gather",
    "hold_position",
    "move",
    "move_camera",
    "patrol",
    "research",
    "return_cargo",
    "smart",
    "stop",
    "toggle_autocast",
    "train",
]

SMART: Final = 1
STOP: Final = 3665
HARVEST_GATHER: Final = 3666
HARVEST_RETURN: Final = 3667
ATTACK: Final = 3674
HOLD_POSITION: Final = 3793
MOVE: Final = 3794
PATROL: Final = 3795
_WARP_GATE: Final = 133
#: Functions that take members of other enumerations than that of abilities.
_MADE: Final = {"UnitTypeId": "train", "UpgradeId": "research"}

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
    unit_command.ability_id = _ability(ability_id)
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


def train(
    units: Units, unit_type: int | str | Enum, *, at: Target | None = None, queue: bool = False
) -> sc2api_pb2.Action:
    """Train a unit, or morph into one: ``train(larvae, "Zergling")``, ``train(hatchery, "Lair")``.

    Args:
        units: What trains it, or what morphs.
        unit_type: A unit type: a name, a member of `UnitTypeId`, also of that of python-sc2, or a number.
        at: Where a warp gate warps it in: ``train(warp_gates, "Zealot", at=(60, 40))``.
        queue: Whether they first finish their current orders.

    Raises:
        TypeError: `unit_type` is of another type; or see `command`.
        ValueError: nothing trains such a unit, the name is ambiguous or does not exist, a warp gate has no place, or a
            unit that is not warped in has one.
    """
    product = _producible().unit(unit_type)
    if product.target:
        raise ValueError(f"{product.name} is built: write actions.build(units, {product.name!r}, place)")
    if at is not None and not product.warp:
        raise ValueError(f"{product.name} is not warped in, so that it has no place: leave out `at`")
    if at is None and product.warp and _WARP_GATE in np.atleast_1d(getattr(units, "unit_type", 0)):
        raise ValueError(f"a warp gate needs a place: write actions.train(units, {product.name!r}, at=(x, y))")
    return command(product.ability if at is None else product.warp, units, at, queue=queue)


def build(
    units: Units, unit_type: int | str | Enum, target: Target | None = None, *, queue: bool = False
) -> sc2api_pb2.Action:
    """Build a structure: ``build(scv, "Barracks", (60, 40))``, ``build(drone, "Extractor", geyser)``.

    Add-ons need no place, which is that of the structure: ``build(barracks, "TechLab")``. Structures that others
    become, such as ``"Lair"``, need none either.

    Args:
        units: What builds it.
        unit_type: The type of the structure, as in `train`.
        target: A point in map cells; for gas the geyser, as a unit.
        queue: Whether they first finish their current orders.

    Raises:
        TypeError: `unit_type` or the target is of another type; or see `command`.
        ValueError: nothing builds such a structure, the name is ambiguous or does not exist, or the target is missing.
    """
    product = _producible().unit(unit_type)
    if not product.target:
        if target is not None:
            raise ValueError(f"{product.name} has no place: write actions.train(units, {product.name!r})")
    elif target is None and product.target != "point or none":
        needed = "a geyser" if product.target == "unit" else "a place"
        raise ValueError(f"{product.name} needs {needed}: write actions.build(units, {product.name!r}, {needed[2:]})")
    elif product.target == "unit" and not _is_unit(target):  # type: ignore[arg-type]
        raise TypeError(f"{product.name} is built on a geyser, which is a unit, not {arguments.shown(target)}")
    elif product.target != "unit" and target is not None and not arguments.is_integer(target):
        target = arguments.point(target)[:2]  # type: ignore[arg-type]
    return command(product.ability, units, target, queue=queue)


def research(units: Units, upgrade: int | str | Enum, *, queue: bool = False) -> sc2api_pb2.Action:
    """Research an upgrade: ``research(tech_lab, "Stimpack")``, ``research(bay, "TerranInfantryWeapons")``.

    Args:
        units: What researches it.
        upgrade: A name, with the level (``"TerranInfantryWeaponsLevel1"``) or without it for the next one; a member of
            `UpgradeId`, also of that of python-sc2; or a number.
        queue: Whether they first finish their current orders.

    Raises:
        TypeError: `upgrade` is of another type; or see `command`.
        ValueError: nothing researches it, or the name is ambiguous or does not exist.
    """
    return command(_producible().upgrade(upgrade).ability, units, queue=queue)


def toggle_autocast(ability_id: int | Enum, units: Units) -> sc2api_pb2.Action:
    """Switch an ability's autocast."""
    action = sc2api_pb2.Action()
    toggle = action.action_raw.toggle_autocast
    toggle.ability_id = _ability(ability_id)
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
    if not isinstance(message, str):
        raise TypeError(f"a message is a text, not {arguments.shown(message)}: write str(message)")
    action = sc2api_pb2.Action()
    action.action_chat.message = message
    action.action_chat.channel = sc2api_pb2.ActionChat.Team if team_only else sc2api_pb2.ActionChat.Broadcast
    return action


def _ability(given: int | Enum) -> int:
    """The number of an ability."""
    kind = type(given).__name__
    if kind in _MADE:
        raise TypeError(f"an ability is not a {kind}: write actions.{_MADE[kind]}(units, {given!s})")
    number = arguments.number(given)
    if not arguments.is_integer(number):
        raise TypeError(f"an ability is a number or a member of AbilityId, not {arguments.shown(given)}")
    return int(number)


def _producible() -> ModuleType:
    # Not at the top: its names take longer to import than the rest.
    from abathur._frame import producible

    return producible


def _is_unit(target: Target) -> bool:
    """Whether a target is a unit, by its tag or as an object, and not a point."""
    if isinstance(target, RallyTargetView) and not target.tag:
        return False
    is_tag = arguments.is_integer(target) or (isinstance(target, np.ndarray) and target.size == 1)
    return is_tag or hasattr(target, "tag")


#: What to write in place of functions that do not exist.
_EQUIVALENTS: Final = {
    "cast": "actions.command(ability, units, target)",
    "use": "actions.command(ability, units, target)",
    "use_ability": "actions.command(ability, units, target)",
    "ability": "actions.command(ability, units, target)",
    "hold": "actions.hold_position(units)",
    "say": "actions.chat(message)",
    "message": "actions.chat(message)",
    "camera": "actions.move_camera(center)",
    "morph": "actions.train(units, unit_type)",
    "produce": "actions.train(units, unit_type)",
    "warp_in": "actions.train(units, unit_type, at=place)",
    "upgrade": "actions.research(units, upgrade)",
    "right_click": "actions.smart(units, target)",
    "harvest": "actions.gather(units, resource)",
    "mine": "actions.gather(units, resource)",
    "return_resource": "actions.return_cargo(units)",
    "cancel": "actions.command(3659, units)",
    "repair": "actions.command(3685, units, target)",
    "rally": "actions.command(3673, units, target)",
    "load": "actions.command(3668, units, target)",
    "lift": "actions.command(3679, units)",
    "land": "actions.command(3678, units, place)",
    "burrow": "actions.command(3661, units)",
    "unburrow": "actions.command(3662, units)",
}

# Type checkers find misspelled names.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        hint = f": write {_EQUIVALENTS[name]}" if name in _EQUIVALENTS else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")

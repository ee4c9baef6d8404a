"""The table `actions`: what the recorded player did, and what was sent to the game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from s2clientprotocol import common_pb2, raw_pb2, sc2api_pb2

from abathur.ids import AbilityId, name_of

COLUMNS = {
    "game_loop": "u4",
    "origin": "word",
    "kind": "word",
    "ability_id": "u4",
    "ability": "word",
    "unit_tags": "tags",
    "target_unit_tag": "u8",
    "target_x": "f4",
    "target_y": "f4",
    "queued": "?",
    "message": "text",
    "action": "bytes",
}
#: From the observations: the game tells what the player did.
OBSERVED = "observed"
#: From the requests of a bot or an agent.
SENT = "sent"


def rows(game_loop: int, origin: str, actions: Iterable[sc2api_pb2.Action]) -> Iterator[dict[str, Any]]:
    """A row for each action: values by column."""
    for action in actions:
        yield {
            "game_loop": action.game_loop if action.HasField("game_loop") else game_loop,
            "origin": origin,
            **_described(action),
            "action": action.SerializeToString(deterministic=True),
        }


def _described(action: sc2api_pb2.Action) -> dict[str, Any]:
    if action.HasField("action_chat"):
        return {"kind": "chat", "message": action.action_chat.message}
    for surface in ("feature_layer", "render", "ui"):
        if action.HasField(f"action_{surface}"):  # type: ignore[arg-type]
            inner = getattr(action, f"action_{surface}")
            kind = inner.WhichOneof("action")
            ability = _ability(inner.unit_command.ability_id) if kind == "unit_command" else {}
            return {"kind": f"{surface}.{kind}" if kind else surface, **ability}
    return _raw(action.action_raw)


def _raw(action: raw_pb2.ActionRaw) -> dict[str, Any]:
    kind = action.WhichOneof("action")
    if kind == "unit_command":
        command = action.unit_command
        row = {"kind": kind, **_ability(command.ability_id), "unit_tags": list(command.unit_tags)}
        row["queued"] = command.queue_command
        if command.HasField("target_unit_tag"):
            row["target_unit_tag"] = command.target_unit_tag
        if command.HasField("target_world_space_pos"):
            row.update(_target(command.target_world_space_pos))
        return row
    if kind == "camera_move":
        return {"kind": kind, **_target(action.camera_move.center_world_space)}
    if kind == "toggle_autocast":
        toggle = action.toggle_autocast
        return {"kind": kind, **_ability(toggle.ability_id), "unit_tags": list(toggle.unit_tags)}
    return {"kind": "other"}


def _ability(number: int) -> dict[str, Any]:
    return {"ability_id": number, "ability": name_of(AbilityId, number)}


def _target(point: common_pb2.Point2D | common_pb2.Point) -> dict[str, Any]:
    return {"target_x": point.x, "target_y": point.y}

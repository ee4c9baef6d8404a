"""What a bot did, as a file that is committed beside a test: writing it, and comparing a run with it."""

from __future__ import annotations

import difflib
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

from google.protobuf import json_format
from s2clientprotocol import common_pb2, raw_pb2, sc2api_pb2

from abathur.ids import AbilityId, UnitTypeId, name_of

__all__ = ["Entry", "check", "entries"]

#: Update snapshots instead of comparing with them.
UPDATE = "ABATHUR_UPDATE"
#: The lines of a difference that are shown.
MAX_LINES = 20
#: Map cells to 0.001. The game's positions are float32, which have noise from the fifth digit on.
DIGITS = 3

#: One action as JSON: its game loop, and what it is.
Entry: TypeAlias = dict[str, Any]
#: Number of the match, and game loop.
_Loop: TypeAlias = tuple[int, int]


def entries(game_loop: int, action: sc2api_pb2.Action, unit_types: Mapping[str, int]) -> Iterator[Entry]:
    """An action as it stands in a snapshot. One that has several parts, as no bot's action has, gives several entries.

    Args:
        game_loop: Game loop at which it came.
        action: The action.
        unit_types: Types of its units and its target, by tag as text.
    """
    raw = action.action_raw
    kind = raw.WhichOneof("action") if action.HasField("action_raw") else None
    if kind == "unit_command":
        yield {"loop": game_loop, **_command(raw.unit_command, unit_types)}
    elif kind == "toggle_autocast":
        ability, tags = raw.toggle_autocast.ability_id, raw.toggle_autocast.unit_tags
        yield {"loop": game_loop, "autocast": name_of(AbilityId, ability), "units": _units(tags, unit_types)}
    elif kind == "camera_move":
        yield {"loop": game_loop, "camera": _point(raw.camera_move.center_world_space)}
    if action.HasField("action_chat"):
        chat = action.action_chat
        team = {"team": True} if chat.channel == sc2api_pb2.ActionChat.Team else {}
        yield {"loop": game_loop, "chat": chat.message, **team}
    rest = sc2api_pb2.Action()
    rest.CopyFrom(action)
    for field in ("action_chat", "game_loop", *(["action_raw"] if kind else [])):
        rest.ClearField(field)  # type: ignore[arg-type]
    if rest.ListFields():
        yield {"loop": game_loop, "action": json_format.MessageToDict(rest, preserving_proto_field_name=True)}


def check(path: Path, got: Sequence[Entry]) -> None:
    """Compare with a snapshot; with ABATHUR_UPDATE=1 write it.

    Raises:
        AssertionError: There is no snapshot, or it differs. The text has the difference, and how to update it.
        ValueError: The file is no snapshot.
        OSError: It cannot be read or written.
    """
    __tracebackhide__ = True
    if os.environ.get(UPDATE, "") not in ("", "0"):
        _write(path, _text(got))
        return
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise AssertionError(f"there is no snapshot {path}; to write it: {_how_to_update()}") from None
    difference = _difference(_parse(path, text), got)
    if difference:
        raise AssertionError(f"{path}: {difference}\nto accept the new actions: {_how_to_update()}")


def _command(command: raw_pb2.ActionRawUnitCommand, unit_types: Mapping[str, int]) -> Entry:
    entry: Entry = {"ability": name_of(AbilityId, command.ability_id), "units": _units(command.unit_tags, unit_types)}
    if command.HasField("target_unit_tag"):
        entry["target"] = _unit(command.target_unit_tag, unit_types)
    elif command.HasField("target_world_space_pos"):
        entry["target"] = _point(command.target_world_space_pos)
    if command.queue_command:
        entry["queue"] = True
    return entry


def _units(tags: Iterable[int], unit_types: Mapping[str, int]) -> list[str]:
    # A command goes to all of its units: what order a bot's set of them happens to have makes no difference.
    return sorted(_unit(tag, unit_types) for tag in tags)


def _unit(tag: int, unit_types: Mapping[str, int]) -> str:
    number = unit_types.get(str(tag))
    return f"{'UNKNOWN' if number is None else name_of(UnitTypeId, number)} {tag}"


def _point(point: common_pb2.Point2D | common_pb2.Point) -> list[float | str]:
    # JSON has no infinity and no NaN; 0.0 is added because -0.0 is not what anyone means.
    return [round(each, DIGITS) + 0.0 if math.isfinite(each) else str(each) for each in (point.x, point.y)]


def _line(entry: Entry) -> str:
    return json.dumps(entry, sort_keys=True, ensure_ascii=False)


def _text(got: Sequence[Entry]) -> str:
    lines = ",\n".join(f"    {_line(entry)}" for entry in got)
    return f'{{\n  "actions": [\n{lines}\n  ]\n}}\n' if lines else '{\n  "actions": []\n}\n'


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        part.write_text(text, encoding="utf-8", newline="\n")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _parse(path: Path, text: str) -> list[Entry]:
    try:
        actions = json.loads(text)["actions"]
        if not all(isinstance(entry["loop"], int) for entry in actions):
            raise TypeError("a loop is not a whole number")
    except (ValueError, KeyError, TypeError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{path} is no snapshot of actions ({reason}); to replace it: {_how_to_update()}") from error
    return list(actions)


def _difference(expected: Sequence[Entry], got: Sequence[Entry]) -> str:
    """What differs, by game loop; empty if nothing does."""
    before, after = _by_loop(expected), _by_loop(got)
    loops = sorted({*before, *after})
    changes = [(loop, _changes(before.get(loop, []), after.get(loop, []))) for loop in loops]
    changes = [(loop, lines) for loop, lines in changes if lines]
    if not changes:
        return ""
    (_, first), _ = changes[0]
    text = [f"the actions differ at {len(changes)} of {len(loops)} game loops with actions, first at {first}"]
    shown, total = 0, sum(len(lines) for _, lines in changes)
    for (match, loop), lines in changes:
        if shown == MAX_LINES:
            break
        order = ", in another order" if sorted(_of("-", lines)) == sorted(_of("+", lines)) else ""
        text.append(f"loop {loop}{f' of match {match}' if match > 1 else ''}{order}")
        text += lines[: MAX_LINES - shown]
        shown += len(lines[: MAX_LINES - shown])
    if shown < total:
        text.append(f"... and {total - shown} more")
    return "\n".join(text)


def _by_loop(actions: Sequence[Entry]) -> dict[_Loop, list[Entry]]:
    """The actions of each game loop in order. Where the game loop goes back, a further match begins."""
    match, last = 1, 0
    groups: dict[_Loop, list[Entry]] = {}
    for loop, group in groupby(actions, key=lambda entry: int(entry["loop"])):
        if loop < last:
            match += 1
        last = loop
        groups[match, loop] = list(group)
    return groups


def _changes(expected: Sequence[Entry], got: Sequence[Entry]) -> list[str]:
    """Lines of a difference: what is missing after "- ", what is new after "+ "."""
    before, after = [_line(entry) for entry in expected], [_line(entry) for entry in got]
    lines: list[str] = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind != "equal":
            lines += [f"- {_described(entry)}" for entry in expected[i1:i2]]
            lines += [f"+ {_described(entry)}" for entry in got[j1:j2]]
    return lines


def _of(sign: str, lines: Sequence[str]) -> list[str]:
    return [line[1:] for line in lines if line[0] == sign]


def _described(entry: Entry) -> str:
    """An action for people: ``ZERGLING 101 102: ATTACK_ATTACK -> QUEEN 7, queued``."""
    if "ability" in entry:
        target = f" -> {_place(entry['target'])}" if "target" in entry else ""
        queued = ", queued" if entry.get("queue") else ""
        return f"{_names(entry.get('units', []))}: {entry['ability']}{target}{queued}"
    if "autocast" in entry:
        return f"{_names(entry.get('units', []))}: autocast of {entry['autocast']}"
    if "camera" in entry:
        return f"camera -> {_place(entry['camera'])}"
    if "chat" in entry:
        return f"chat{' to the team' if entry.get('team') else ''}: {json.dumps(entry['chat'], ensure_ascii=False)}"
    return _line({key: value for key, value in entry.items() if key != "loop"})


def _names(units: Sequence[str]) -> str:
    """The units, the name once for those that follow each other: ``ZERGLING 101 102, QUEEN 7``."""
    named = [unit.rpartition(" ") for unit in units]
    groups = groupby(named, key=lambda each: each[0])
    return ", ".join(" ".join([name, *(tag for _, _, tag in group)]) for name, group in groups) or "no unit"


def _place(target: str | Sequence[float | str]) -> str:
    return target if isinstance(target, str) else f"({', '.join(str(each) for each in target)})"


def _how_to_update() -> str:
    test, _, _ = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")
    if not test:
        return f"set the environment variable {UPDATE}=1 and run it again"
    quoted = f'"{test}"' if set(test) & set(" []") else test
    return f"$env:{UPDATE}=1; pytest {quoted}" if os.name == "nt" else f"{UPDATE}=1 pytest {quoted}"

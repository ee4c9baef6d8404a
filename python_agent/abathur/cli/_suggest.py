"""Words that complete a command line, for the scripts of ``abathur completion``."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence

from abathur.cli import _commands, _daemon_command
from abathur.cli._parser import parser_of
from abathur.errors import DaemonError


def words(arguments: Sequence[str]) -> list[str]:
    """The words that may stand at a position: ``[suggest:POSITION]``, ``LINE``."""
    position, line = arguments[0].removeprefix("[suggest:").removesuffix("]"), arguments[1] if arguments[1:] else ""
    before = line[: int(position)] if position.isdecimal() else line
    parts = before.split()[1:]
    current = "" if not parts or before[-1].isspace() else parts.pop()
    if not parts:
        return _starting(current, (*_commands.ALL, "--help", "--version"))
    command = parts[0]
    found: list[str] = []
    if command in _commands.DAEMON:
        try:
            found = _daemon_command.suggest(" ".join([*parts, current]))
        except DaemonError:
            return []
    if command in (*_commands.PYTHON, "export"):
        found += _starting(current, _of_parser(parts))
    return sorted(set(found), key=found.index)


def _of_parser(parts: Sequence[str]) -> Iterable[str]:
    command, previous = parts[0], parts[-1]
    actions = parser_of(command)._actions
    subcommands = next((each.choices for each in actions if isinstance(each, argparse._SubParsersAction)), {})
    if len(parts) > 1 and parts[1] in subcommands:
        actions = subcommands[parts[1]]._actions
    elif subcommands:
        return [*subcommands, "--help"]
    for action in actions:
        if previous in action.option_strings and action.nargs != 0:
            return action.type.values if isinstance(action.type, _commands.OneOf) else ()
    return [option for action in actions if action.help != argparse.SUPPRESS for option in action.option_strings]


def _starting(current: str, known: Iterable[str]) -> list[str]:
    return [each for each in known if each.startswith(current)]

"""The option ``--relay`` of the daemon's commands, which the daemon itself does not have.

It becomes an agent that runs `abathur relay`: the daemon starts it again when it fails, and ends it after the match.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence

from abathur import _address

NAME = "--relay"
#: The commands that run agents.
COMMANDS = ("play", "serve", "proxy", "live")
#: Options with names that are like this one, which the daemon knows and suggests.
_LIKE = {"play": ("--delay",), "serve": ("--delay",), "proxy": ("--delay",), "live": ("--delay", "--replay")}
_LIKENESS = 0.8
HELP = f"""
NATS:
  {NAME} nats://HOST:PORT[/NAME]
                              Publish the match to a NATS server, by that name
                              (default: --name, else the match id), with
                              `abathur relay` as an agent. The match does not
                              wait for it.
"""


def replaced(arguments: Sequence[str]) -> list[str]:
    """The command line with ``--relay URL`` as ``--agent COMMAND``.

    Raises:
        AbathurError: the relay needs a package that is not installed, or its credentials cannot be read.
        ValueError: the address is missing, or not of a NATS server; or the option is misspelled.
    """
    command = arguments[0]
    if command not in COMMANDS:
        return list(arguments)
    match = _value_of("--name", arguments)
    found: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        name, is_joined, value = argument.partition("=")
        if name != NAME:
            if name.startswith("--") and difflib.get_close_matches(name, [NAME, *_LIKE[command]], 1, _LIKENESS) == [
                NAME
            ]:
                raise ValueError(f"unknown option {name} (did you mean {NAME}?). See `abathur {command} --help`.")
            found.append(argument)
            continue
        url = value if is_joined else next(rest, "")
        address = _address.parse(url or NAME)
        if address.transport != "nats":
            raise ValueError(f"{NAME} {url!r} is not the address of a NATS server: expected nats://HOST:PORT")
        # Not for commands without a relay, which it would delay.
        from abathur._nats._client import check_installed

        # Here, because the daemon would start a relay again and again that cannot run.
        check_installed(address)
        named = f" --match {match}" if match and not address.match else ""
        found += ["--agent", f'"{sys.executable}" -m abathur relay {url}{named}']
    return found


def _is_meant(name: str, command: str) -> bool:
    """Whether an option is this one, misspelled, of which the daemon does not know."""
    return name.startswith("--") and difflib.get_close_matches(name, [NAME, *_LIKE[command]], 1, _LIKENESS) == [NAME]


def _value_of(option: str, arguments: Sequence[str]) -> str:
    """The value of an option of the daemon; empty without one."""
    for argument, following in zip(arguments, (*arguments[1:], ""), strict=True):
        name, is_joined, value = argument.partition("=")
        if name == option:
            return value if is_joined else following
    return ""


def is_help(arguments: Sequence[str]) -> bool:
    """Whether a command line asks for the help of a command that has this option."""
    return arguments[0] in COMMANDS and any(each in ("-h", "--help", "-?") for each in arguments[1:])

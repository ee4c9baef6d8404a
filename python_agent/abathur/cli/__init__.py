"""The command line ``abathur``.

Some commands are in this package; the others are the daemon's, and are passed on to its program.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from abathur._values.printable import printable
from abathur.cli import _commands, _daemon_command, _suggest, _version
from abathur.cli._parser import USAGE, parser_of
from abathur.errors import AbathurError, DaemonError, RecordingError

__all__ = ["main"]

_OK = 0
_FAILED = 1
_BAD_INPUT = 3
_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code.

    0: done; 1: failed, with one line on standard error; 2: wrong usage; 3: bad recording; 130: interrupted.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except (AbathurError, ValueError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            # The reader of standard output has closed it; nothing can be written there any more, not even at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return _OK
        print(f"abathur: {printable(str(error))}", file=sys.stderr)
        if isinstance(error, RecordingError):
            return _BAD_INPUT
        if isinstance(error, DaemonError) and error.exit_code == _BAD_INPUT:
            return _BAD_INPUT
        return USAGE if isinstance(error, ValueError) else _FAILED
    except ImportError as error:
        # What the environment asks for and is not here: an error of the user.
        if error.name != "abathur._values.native":
            raise
        print(f"abathur: {printable(str(error))}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        return _INTERRUPTED
    return code


def _run(arguments: list[str]) -> int:
    command = arguments[0] if arguments else ""
    if command in ("-h", "--help", "help"):
        print(_commands.HELP, end="")
        return _OK
    if command == "--version":
        print(_version.text(), end="")
        return _OK
    if command.startswith("[suggest"):
        print(*_suggest.words(arguments), sep="\n")
        return _OK
    if command in _commands.DAEMON and not (command == "export" and _commands.is_table(arguments)):
        return _daemon_command.run(arguments)
    if not command:
        print(_commands.HELP, end="", file=sys.stderr)
        return USAGE
    if command not in (*_commands.PYTHON, "export"):
        said = f"unknown command {command!r}{_commands.did_you_mean(command, _commands.ALL)}"
        print(f"abathur: {said}. See `abathur --help`.", file=sys.stderr)
        return USAGE
    options = parser_of(command).parse(arguments[1:])
    # What a command returns, if it is not always done.
    return options.run(options) or _OK

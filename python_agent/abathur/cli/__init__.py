"""The command line ``abathur``: watch, info, export, bench."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import abathur
from abathur.cli import bench, export, info, watch
from abathur.errors import AbathurError, RecordingError

__all__ = ["main"]

_OK = 0
_FAILED = 1
_USAGE = 2
_BAD_INPUT = 3
_INTERRUPTED = 130


class _Version(argparse.Action):
    """Like argparse's action, but reads the version only when it is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"abathur {abathur.__version__}")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code.

    0: done; 1: failed, with one line on standard error; 2: wrong usage; 3: bad recording; 130: interrupted.
    """
    parser = argparse.ArgumentParser(
        prog="abathur", description="Watch a running Abathur.Sync daemon, and inspect recordings."
    )
    parser.add_argument("--version", action=_Version, help="show the version, and exit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in (watch, info, export, bench):
        command.add_to(commands)
    options = parser.parse_args(arguments)
    try:
        options.run(options)
        sys.stdout.flush()
    except (AbathurError, ValueError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            # The reader of standard output has closed it; nothing can be written there any more, not even at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return _OK
        print(f"abathur: {error}", file=sys.stderr)
        if isinstance(error, RecordingError):
            return _BAD_INPUT
        return _USAGE if isinstance(error, ValueError) else _FAILED
    except KeyboardInterrupt:
        return _INTERRUPTED
    return _OK

"""Parsers of the commands of this package."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

from abathur.cli import _commands

#: Exit code of a command that was used wrongly.
USAGE = 2


class Parser(argparse.ArgumentParser):
    """Reports errors in one line that names the command's own help, and options that may have been meant."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        # By its name in the options: `type=int`.
        self.register("type", int, _commands.whole_number)
        self.register("type", float, _commands.number)

    def parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        for before, argument in zip(("", *arguments), arguments, strict=False):
            if not argument or (argument.startswith("--") and argument.endswith("=")):
                named = argument[:-1] or (before if before.startswith("-") else "an argument")
                self.error(f"{named} must not be empty")
        options, unknown = self.parse_known_args(arguments)
        if unknown:
            # The command's own, or that of its subcommand.
            parser: argparse.ArgumentParser = getattr(options, "parser", self)
            name = unknown[0].split("=")[0]
            if not name.startswith("-"):
                parser.error(f"unexpected argument {name!r}")
            known = [option for action in parser._actions for option in action.option_strings]
            parser.error(f"unknown option {name}{_commands.did_you_mean(name, known)}")
        return options

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"{self.prog}: {message.removesuffix('.')}. See `{self.prog} --help`.\n")


def parser_of(command: str) -> Parser:
    """The parser of a command of this package."""
    parser = Parser(prog=f"abathur {command}")
    import_module(f"abathur.cli.{command}").add_to(parser)
    return parser

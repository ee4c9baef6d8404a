"""The commands, and the help text that lists them."""

from __future__ import annotations

import argparse
import difflib
import math
import re
from collections.abc import Iterable, Sequence

#: The daemon's commands. `export` is here, too: it is the daemon's for files that are not tables.
DAEMON = (
    "play",
    "serve",
    "proxy",
    "live",
    "emulate",
    "synth",
    "status",
    "relay",
    "info",
    "cat",
    "import",
    "export",
    "recover",
    "completion",
)
PYTHON = ("demo", "watch", "matches", "dataset", "bench")
ALL = (*PYTHON, *DAEMON)
#: Names of the files that `export` writes as tables.
TABLES = (".parquet", ".arrow", ".npz")
# Of tables that it does not write.
_OTHER_TABLES = (".csv", ".tsv", ".feather", ".json", ".jsonl", ".npy", ".xlsx")

HELP = """\
StarCraft II observations: publish, watch, record and replay them.

usage: abathur COMMAND [OPTIONS]

First:
  demo        play the sample recording to two agents, and show what they get

Publish a match to agents:
  play        from a recording
  proxy       from the connection between a bot and its game
  live        from a game, played or watched
  serve       from a bot that sends its observations
  relay       the match of a daemon, to NATS for other machines

Watch:
  watch       what agents receive
  matches     which matches run
  status      what the daemon does

Test bots without the game:
  emulate     play a recording to a bot, in place of the game
  synth       simulate a match

Recordings:
  info        show what a recording contains
  cat         print its messages as JSON
  import      make a recording of serialized observations
  export      write its units as a table, or its observations as a stream
  recover     make a complete recording of a damaged one
  dataset     make tables of many recordings, and recordings of replays

More:
  bench       measure codecs on a recording
  completion  print a completion script for a shell

Options of all commands: --help. Of this one: --help, --version.
"""


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """Text to append to a message: the known name that is most like a given one; empty if none is."""
    found = difflib.get_close_matches(given, list(known), n=1, cutoff=0.6)
    return f" (did you mean {found[0]}?)" if found else ""


def whole_number(text: str) -> int:
    """Type of an option with a whole number: digits and a sign. `int` takes ``1_000``, spaces and other digits, too."""
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise ValueError(text)
    return int(text)


def number(text: str) -> float:
    """Type of an option with a finite number: digits, a sign, a decimal point and an exponent."""
    value = float(text) if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text) else math.nan
    if not math.isfinite(value):
        raise ValueError(text)
    return value


class OneOf:
    """Type of an option that has one of some values; for another one, it suggests the nearest."""

    def __init__(self, values: Iterable[str]) -> None:
        self.values = tuple(values)

    def __call__(self, text: str) -> str:
        if text not in self.values:
            known = ", ".join(self.values)
            raise argparse.ArgumentTypeError(f"{text!r} is not one of {known}{did_you_mean(text, self.values)}")
        return text


def is_table(arguments: Sequence[str]) -> bool:
    """Whether `export` is to write a table: its output has the name of one."""
    return any(argument.lower().endswith((*TABLES, *_OTHER_TABLES)) for argument in arguments)

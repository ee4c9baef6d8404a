"""``abathur matches``: the matches that run."""

from __future__ import annotations

import argparse

from abathur.cli import _nats_matches, relay


def add_to(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "List the matches on a NATS server: players, since when, newest game loop, readers."
    relay.add_server_to(parser)
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print the list."""
    _nats_matches.show(relay.servers_of(options), as_json=options.json)

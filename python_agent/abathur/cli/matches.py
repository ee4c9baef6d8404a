"""``abathur matches``: the matches that run."""

from __future__ import annotations

import argparse

from abathur.cli import _local_matches, relay


def add_to(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "List the matches that run: on this machine, or on a NATS server."
    relay.add_server_to(parser, optional=True)
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print the list."""
    if options.servers is None:
        _local_matches.show(as_json=options.json)
    else:
        # Not for the matches of this machine, whose list it would delay.
        from abathur.cli import _nats_matches

        _nats_matches.show(relay.servers_of(options), as_json=options.json)

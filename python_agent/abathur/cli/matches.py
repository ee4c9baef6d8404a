"""``abathur matches``: the matches that run."""

from __future__ import annotations

import argparse

from abathur._program import address as _address
from abathur.cli import _local_matches


def add_to(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "List the matches that run: on this machine, or on a NATS server."
    parser.add_argument(
        "servers",
        nargs="?",
        metavar="nats://HOST:PORT",
        help="a NATS server; natss://: with TLS (default: this machine)",
    )
    parser.add_argument("--creds", metavar="FILE", help="credentials for the server (default: ABATHUR_NATS_CREDS)")
    parser.add_argument("--ca", metavar="FILE", help="trusted root certificates (default: ABATHUR_CA)")
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print the list."""
    if options.servers is None:
        _local_matches.show(as_json=options.json)
        return
    address = _address.parse(options.servers, ca=options.ca, creds=options.creds)
    if address.transport != "nats":
        raise ValueError(f"{options.servers!r} is not the address of a NATS server: expected nats://HOST:PORT")
    # Not for the matches of this machine, whose list it would delay.
    from abathur.cli import _nats_matches

    _nats_matches.show(address, as_json=options.json)

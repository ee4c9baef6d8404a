"""``abathur relay``: publishes the match of a daemon to NATS JetStream."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import re
import signal
import sys
from typing import TYPE_CHECKING

from abathur import _address, _directory
from abathur._address import Address
from abathur._printable import printable
from abathur._timeouts import CONNECT_TIMEOUT, RECONNECT_TIMEOUT, Timeouts
from abathur.cli import _commands
from abathur.errors import ConnectError, LostError

if TYPE_CHECKING:
    from abathur._nats._relay import Options

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_MAX_SECONDS = 365 * 86400
_MEGABYTE = 1024 * 1024
#: The token with which a relay connects to a daemon, where it is not that of other agents: others read what it reads.
_TOKEN_ENVIRONMENT = "ABATHUR_RELAY_TOKEN"


def add_to(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Publish the match of a daemon to NATS JetStream, unopened, and pass requests of readers to the daemon. "
        "Ends with the match."
    )
    add_server_to(parser)
    parser.add_argument("--address", metavar="DAEMON", help="gRPC address of the daemon (default: ABATHUR_ADDRESS)")
    parser.add_argument("--match", metavar="NAME", help="name on NATS: letters, digits, _ and - (default: match id)")
    parser.add_argument(
        "--keep",
        type=seconds_of,
        default=7200.0,
        metavar="TIME",
        help="keep frames so long: 90s, 30m, 2h (default: 2h)",
    )
    parser.add_argument(
        "--match-mb", type=_positive, default=64, metavar="MB", help="keep at most this of a match (default: 64)"
    )
    parser.add_argument(
        "--replicas", type=_replicas, default=1, metavar="N", help="servers that store it: 1, 3 or 5 (default: 1)"
    )
    parser.add_argument(
        "--storage",
        type=_commands.OneOf(("file", "memory")),
        default="file",
        metavar="STORAGE",
        help="file, memory (default: file)",
    )
    parser.set_defaults(run=run)


def add_server_to(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """Declare the arguments that name the servers of NATS and how to log in."""
    parser.add_argument(
        "servers",
        nargs="?" if optional else None,
        metavar="nats://HOST:PORT",
        help="a NATS server; natss://: with TLS" + (" (default: this machine)" if optional else ""),
    )
    parser.add_argument("--creds", metavar="FILE", help="credentials for the server (default: ABATHUR_NATS_CREDS)")
    parser.add_argument("--ca", metavar="FILE", help="trusted root certificates (default: ABATHUR_CA)")


def servers_of(options: argparse.Namespace) -> Address:
    """The address of the servers. Raises ValueError if it is not one."""
    address = _address.parse(options.servers, ca=options.ca, creds=options.creds)
    if address.transport != "nats":
        raise ValueError(f"{options.servers!r} is not the address of a NATS server: expected nats://HOST:PORT")
    return address


def run(options: argparse.Namespace) -> None:
    """Publish until the match is over."""
    # Not for help and wrong usage, whose answer it would delay.
    from abathur._nats._relay import Options

    servers = servers_of(options)
    daemon = _address.parse(options.address, os.environ.get(_TOKEN_ENVIRONMENT))
    if daemon.transport != "grpc":
        raise ValueError(f"{daemon} is not the gRPC address of a daemon, which the relay reads")
    name = options.match or servers.match or None
    if name is not None and not _directory.is_name(name):
        raise ValueError(f"{name!r} is not a name of a match: it has letters, digits, _ and -, at most 64")
    keep = Options(options.keep, options.match_mb * _MEGABYTE, options.replicas, options.storage)
    asyncio.run(_relay(servers, daemon, name, keep))


async def _relay(servers: Address, daemon: Address, name: str | None, options: Options) -> None:
    from abathur._nats._client import Client
    from abathur._nats._relay import Relay

    timeouts = Timeouts()
    try:
        client = await Client.connect(servers, "_INBOX.relay", CONNECT_TIMEOUT, "abathur relay")
    except LostError as error:
        raise ConnectError(str(servers), str(error), "server") from None
    relay = Relay(client, daemon, name, options, timeouts=timeouts, reconnect_timeout=RECONNECT_TIMEOUT, say=_say)
    running = asyncio.ensure_future(relay.run())
    if sys.platform != "win32":
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, running.cancel)
    try:
        with contextlib.suppress(asyncio.CancelledError):
            await running
    finally:
        await client.close()


def _say(text: str) -> None:
    print(printable(text), file=sys.stderr, flush=True)


def seconds_of(text: str) -> float:
    """Type of an option with a duration: a number and s, m, h or d."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([smhd])", text)
    seconds = float(found[1]) * _SECONDS[found[2]] if found else 0.0
    if not 1 <= seconds <= _MAX_SECONDS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time such as 90s, 30m, 2h or 7d, from 1s to 365d")
    return seconds


def _positive(text: str) -> int:
    if not 1 <= (value := _commands.whole_number(text)) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 1 to 1000000")
    return value


def _replicas(text: str) -> int:
    if text not in ("1", "3", "5"):
        raise argparse.ArgumentTypeError(f"{text!r} is not 1, 3 or 5")
    return int(text)

"""``abathur watch``: live figures of what agents receive, then a summary."""

from __future__ import annotations

import argparse
import io
import multiprocessing
import re
import sys
from collections.abc import Iterator, Sequence
from multiprocessing import connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from abathur._client.options import Compression, Encoding, Policy, SubscribeOptions
from abathur._program import address as _address
from abathur.cli import _commands, _outputs
from abathur.errors import AbathurError

if TYPE_CHECKING:
    from abathur.cli import _watcher
    from abathur.cli._stats import Snapshot

_REFRESH_SECONDS = 0.25
_STOP_SECONDS = 5.0


def add_to(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "live figures of what agents receive from a running daemon"
    parser.add_argument(
        "addresses",
        nargs="*",
        metavar="ADDRESS",
        help="one agent each: HOST:PORT, grpc://..., socket://..., grpc+unix:PATH, socket+unix:PATH, match:NAME, "
        "nats://HOST/MATCH",
    )
    parser.add_argument(
        "--seconds", type=seconds_of, default=None, help="stop this long after the first frame (default: match end)"
    )
    parser.add_argument(
        "--wait", type=seconds_of, default=0.0, metavar="SECONDS", help="for a daemon that starts later (default: 0)"
    )
    for option, values, default in (
        ("--policy", get_args(Policy), "latest"),
        ("--encoding", get_args(Encoding), "auto"),
        ("--compression", get_args(Compression), "none"),
    ):
        parser.add_argument(
            option,
            type=_commands.OneOf(values),
            default=default,
            metavar=option[2:].upper(),
            help=f"{', '.join(values)} (default: {default})",
        )
    parser.add_argument("--fields", default="", metavar="A,B", help="field mask, e.g. observation.raw_data.units")
    parser.add_argument("--dashboard", action="store_true", help="show a match from NATS in a dashboard here instead")
    add_picture_to(parser)
    parser.set_defaults(run=run)


def add_picture_to(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the picture."""
    parser.add_argument("--svg", metavar="FILE", help="write the last view and the summary as a picture, too")
    parser.add_argument("-f", "--force", action="store_true", help="overwrite the picture if it exists")


def check_picture(options: argparse.Namespace) -> None:
    """Refuse a picture that cannot be written."""
    if options.svg:
        _outputs.check(Path(options.svg), force=options.force)


def run(options: argparse.Namespace) -> None:
    """Start the agents and show their reports."""
    if options.dashboard:
        _show_dashboard(options)
        return
    check_picture(options)
    subscription: SubscribeOptions = {
        "policy": options.policy,
        "encoding": options.encoding,
        "compression": options.compression,
        "fields": tuple(path for path in options.fields.split(",") if path),
    }
    show(options.addresses, options.seconds, options.svg, subscription, options.wait)


def _show_dashboard(options: argparse.Namespace) -> None:
    addresses = [_address.parse(each) for each in options.addresses or [None]]
    if len(addresses) != 1 or addresses[0].transport != "nats":
        raise ValueError("--dashboard shows one match from NATS: abathur watch nats://HOST/MATCH --dashboard")
    _address.check_match(addresses[0])
    from abathur.cli import _dashboard

    _dashboard.show(options.addresses[0] if options.addresses else None, options.seconds)


def show(
    addresses: Sequence[str],
    seconds: float | None,
    picture: str | None,
    subscription: SubscribeOptions | None = None,
    wait: float = 0.0,
) -> None:
    """Receive as one agent for each address, and show live figures and a summary.

    Args:
        addresses: Addresses of daemons; empty: the default one.
        seconds: When to stop; None: at the match's end.
        picture: File for an SVG of the last view and the summary.
        subscription: Of all agents.
        wait: Seconds for a daemon that is not there yet.

    Raises:
        AbathurError: an agent failed, or received no frame.
    """
    # Not for help and wrong usage, whose answer it would delay.
    from abathur._client import request
    from abathur.cli import _watcher

    defaults: SubscribeOptions = {"policy": "latest", "encoding": "auto", "compression": "none"}
    subscription = {**defaults, **(subscription or {}), "name": "abathur watch"}
    request.subscribe_request(subscription)
    each_address: list[str | None] = [*addresses] or [None]
    agents = [_watcher.Options(address, subscription, seconds, wait) for address in each_address]
    for agent in agents:
        _address.check_match(_address.parse(agent.address))
    snapshots = _collect(agents)
    if picture and any(snapshot.frames for snapshot in snapshots):
        _save_picture(snapshots, picture)
    silent = [snapshot.label for snapshot in snapshots if snapshot.frames == 0 and not snapshot.error]
    if silent:
        raise AbathurError(f"no frame was received from {', '.join(silent)}")
    failed = [snapshot for snapshot in snapshots if snapshot.error]
    if failed:
        raise AbathurError("; ".join(f"{snapshot.label}: {snapshot.error}" for snapshot in failed))


def _collect(agents: list[_watcher.Options]) -> list[Snapshot]:
    from rich.console import Console
    from rich.live import Live

    from abathur.cli import _watcher
    from abathur.cli._stats import Snapshot
    from abathur.cli._watch_tables import live_table, summary_table

    context = multiprocessing.get_context("spawn")
    snapshots = [Snapshot(agent.label) for agent in agents]
    pipes = []
    processes = []
    for agent in agents:
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_watcher.run, args=(agent, theirs), daemon=True)
        process.start()
        theirs.close()
        pipes.append(ours)
        processes.append(process)
    console = Console()
    try:
        with Live(live_table(snapshots), console=console, auto_refresh=False, transient=True, screen=False) as live:
            for _ in _updates(pipes, snapshots):
                if sys.stdout.isatty():
                    live.update(live_table(snapshots), refresh=True)
    except KeyboardInterrupt:
        console.print("interrupted")
    finally:
        for process in processes:
            process.terminate()
            process.join(_STOP_SECONDS)
    if any(snapshot.frames for snapshot in snapshots):
        console.print(summary_table(snapshots))
    return snapshots


def _save_picture(snapshots: list[Snapshot], path: str) -> None:
    from rich.console import Console

    from abathur.cli._watch_tables import live_table, summary_table

    console = Console(record=True, width=80, file=io.StringIO())
    console.print(live_table(snapshots), summary_table(snapshots))
    picture = console.export_svg(title="abathur demo")
    # Rich's picture loads its font from the network; any fixed-width font is fine.
    picture = re.sub(r"@font-face \{.*?\}", "", picture, flags=re.DOTALL)
    Path(path).write_text(picture, encoding="utf-8")


def _updates(pipes: list[Any], snapshots: list[Snapshot]) -> Iterator[None]:
    """Updates the snapshots, and yields after each refresh interval, until every agent is done."""
    open_pipes: dict[Any, int] = {pipe: index for index, pipe in enumerate(pipes)}
    while open_pipes:
        ready: list[Any] = connection.wait(list(open_pipes), timeout=_REFRESH_SECONDS)
        for pipe in ready:
            try:
                snapshots[open_pipes[pipe]] = pipe.recv()
            except EOFError:
                del open_pipes[pipe]
        yield


def seconds_of(text: str) -> float:
    """Type of an option with a duration in seconds."""
    seconds = _commands.number(text)
    if not 0 < seconds <= 86_400:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 86400")
    return seconds

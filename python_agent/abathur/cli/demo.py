"""``abathur demo``: plays a recording to two agents, and shows what they receive."""

from __future__ import annotations

import argparse
from pathlib import Path

from abathur._program.daemon import sample, serving
from abathur.cli import watch


def add_to(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "Play a recording to one agent by gRPC and to one by socket, and show what they receive."
    parser.add_argument(
        "file",
        nargs="?",
        type=Path,
        metavar="FILE",
        help="a recording (default: the sample that comes with the package)",
    )
    parser.add_argument(
        "--seconds", type=watch.seconds_of, default=30.0, metavar="N", help="stop after this long (default: 30)"
    )
    watch.add_picture_to(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Start the daemon and the agents."""
    watch.check_picture(options)
    file: Path = options.file or sample()
    with serving("play", str(file), "--wait-agents", "2", "--loop") as addresses:
        print(f"Playing {file.name} to two agents: gRPC and socket.")
        print(f"Dashboard: http://{addresses['http']}/")
        watch.show([f"grpc://{addresses['grpc']}", f"socket://{addresses['socket']}"], options.seconds, options.svg)

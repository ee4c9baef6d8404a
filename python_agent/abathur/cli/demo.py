"""``abathur demo``: plays a recording to two agents, and shows what they receive."""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

from abathur._daemon import find_daemon, ready_addresses, sample, stop_daemon
from abathur.cli import watch
from abathur.errors import DaemonError


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
    line = [*find_daemon(), "play", str(file), "--wait-agents", "2", "--loop", "--stop-with-parent"]
    line += ["--grpc-port", "0", "--socket-port", "0"]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        daemon = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, encoding="utf-8")
        try:
            addresses = ready_addresses(daemon)
            if not {"grpc", "socket", "http"} <= addresses.keys():
                code = daemon.wait()
                errors.seek(0)
                raise DaemonError(errors.read().strip().removeprefix("abathur-sync: "), code)
            print(f"Playing {file.name} to two agents: gRPC and socket.")
            print(f"Dashboard: http://{addresses['http']}/")
            watch.show([f"grpc://{addresses['grpc']}", f"socket://{addresses['socket']}"], options.seconds, options.svg)
        finally:
            stop_daemon(daemon)

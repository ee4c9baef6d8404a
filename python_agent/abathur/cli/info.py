"""``abathur info``: shows a recording or a running daemon."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from abathur._blocking_game import connect_blocking
from abathur._recording import open_recording


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser("info", help="what a recording or a running daemon has")
    parser.add_argument("what", nargs="?", metavar="FILE|ADDRESS", help="default: the daemon at 127.0.0.1:22400")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print one line per fact."""
    what: str | None = options.what
    is_file = what is not None and (Path(what).exists() or ":" not in what)
    rows = _recording(str(what)) if is_file else _daemon(what)
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{name:<{width}}  {value}")


def _recording(path: str) -> list[tuple[str, str]]:
    with open_recording(path) as match:
        first = next(match.frames(), None)
        rows = [("file", path), *sorted(match.metadata.items()), ("frames", f"{match.frame_count}")]
        if first is not None:
            rows += [("first game loop", f"{first.game_loop}"), ("units in it", f"{len(first.units)}")]
        return rows


def _daemon(address: str | None) -> list[tuple[str, str]]:
    with connect_blocking(address, reconnect_timeout=0) as game:
        status = game.status()
    match = status.match
    rows = [
        ("daemon", f"{game.address}, version {status.process.version}"),
        ("map", match.map_name or "unknown"),
        ("tick rate", f"{match.tick_hz} Hz"),
        ("simulated", "yes" if match.simulated else "no"),
        ("frames published", f"{status.frames_published}"),
        ("frames a second", f"{status.frames_per_second:.1f}"),
    ]
    for each in status.subscribers:
        sent = f"{each.frames_sent} frames sent, {each.frames_dropped} dropped"
        rows.append((f"agent {each.id}", f"{each.name or each.peer} ({each.transport}): {sent}"))
    return rows

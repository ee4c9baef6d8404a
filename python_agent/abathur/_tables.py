"""The units of many frames as one table."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from abathur._blocking_game import connect_blocking
from abathur._daemon import find_daemon, stop_daemon
from abathur._frame import Frame
from abathur._units import COLUMNS
from abathur.errors import AbathurError, DaemonError

if TYPE_CHECKING:
    import pyarrow

_STOP_SECONDS = 10


def require() -> None:
    """Make sure that pyarrow is installed.

    Raises:
        AbathurError: it is not.
    """
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise AbathurError("tables need pyarrow: pip install abathur-agent[tables]") from None


def table(frames: Iterable[Frame]) -> pyarrow.Table:
    """A `pyarrow.Table`: game_loop (uint32), then a column per field. Raises AbathurError without pyarrow."""
    require()
    import pyarrow as pa

    batches = [pa.record_batch(columns) for columns in _columns(frames)]
    return pa.Table.from_batches(batches) if batches else pa.table(_no_columns())


def arrays(frames: Iterable[Frame]) -> dict[str, Any]:
    """The same as NumPy arrays by name, each of shape (rows,)."""
    parts = list(_columns(frames)) or [_no_columns()]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


@contextmanager
def frames_in_columns(recording: Path) -> Iterator[Iterator[Frame]]:
    """All frames of a recording in encoding ``columns``, from a daemon that is started for it, without parsing units.

    Raises:
        DaemonError: the daemon was not found, or does not play the recording.
    """
    line = [
        *find_daemon(None),
        "play",
        str(recording),
        "--rate",
        "unlimited",
        "--wait-agents",
        "1",
        "--stop-with-parent",
    ]
    line += ["--grpc-port", "0", "--socket-port", "0", "--http-port", "0"]
    try:
        process = subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8"
        )
    except OSError as error:
        raise DaemonError(f"cannot start {line[0]}: {error}", None) from error
    assert process.stdout is not None
    try:
        addresses = dict(each.split("=", 1) for each in process.stdout.readline().split()[1:])
        if "socket" not in addresses:
            raise DaemonError(f"it does not play {recording}", process.wait(_STOP_SECONDS))
        with connect_blocking(f"socket://{addresses['socket']}") as game:
            yield game.frames(policy="every", encoding="columns", fields=["observation.raw_data.units"])
    finally:
        stop_daemon(process)


def _columns(frames: Iterable[Frame]) -> Iterator[dict[str, Any]]:
    for frame in frames:
        units = frame.units
        loops = np.full(len(units), frame.game_loop, dtype="u4")
        yield {"game_loop": loops, **{name: getattr(units, name) for name in COLUMNS}}


def _no_columns() -> dict[str, Any]:
    columns = {name: np.empty(0, dtype) for name, (dtype, _) in COLUMNS.items()}
    return {"game_loop": np.empty(0, "u4"), **columns}

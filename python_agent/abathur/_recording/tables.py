"""The units of many frames as tables, in blocks of bounded size."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abathur._frame.frame import Frame
from abathur._frame.unit_columns import COLUMNS
from abathur._program.daemon import find_daemon
from abathur.errors import AbathurError, DaemonError, RecordingError

if sys.platform == "linux":
    import fcntl

if TYPE_CHECKING:
    import pyarrow

#: The units of consecutive frames: `game_loop`, and all columns, by name; each of shape (rows,).
Block = dict[str, NDArray[Any]]

#: Few enough for the caches of a processor.
BLOCK_ROWS = 16_384
#: The most that Linux gives a pipe without privileges.
_PIPE_BYTES = 1 << 20


def has_pyarrow() -> bool:
    """Whether pyarrow is installed. It is imported later, while the daemon starts."""
    return find_spec("pyarrow") is not None


def require() -> None:
    """Make sure that pyarrow is installed.

    Raises:
        AbathurError: it is not.
    """
    if not has_pyarrow():
        raise AbathurError("tables need pyarrow: pip install pyarrow")


def blocks(frames: Iterable[Frame]) -> Iterator[Block]:
    """The units of all frames, in blocks that have at least `BLOCK_ROWS` rows, but for the last."""
    parts: list[Block] = []
    rows = 0
    for frame in frames:
        loops = np.full(len(frame.units), frame.game_loop, "u4")
        parts.append({"game_loop": loops, **{name: getattr(frame.units, name) for name in COLUMNS}})
        rows += len(loops)
        if rows >= BLOCK_ROWS:
            yield joined(parts)
            parts, rows = [], 0
    if rows:
        yield joined(parts)


@contextmanager
def recorded_blocks(recording: Path, start: int, stop: int | None) -> Iterator[Iterator[Block]]:
    """The same of a recording, from a daemon that reads it, without work for each frame here. Needs pyarrow.

    Args:
        recording: The file.
        start: First game loop.
        stop: Game loop before which to stop; None: to the end.

    Raises:
        DaemonError: the daemon was not found, or does not start.
        RecordingError: it cannot read the recording.
    """
    line = [*find_daemon(None), "export", str(recording), "--units", "-o", "-", "--start", str(start)]
    line += [] if stop is None else ["--stop", str(stop)]
    try:
        process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as error:
        raise DaemonError(f"cannot start {line[0]}: {error}", None) from error
    with process:
        _widen(process)
        try:
            yield _received(process, recording)
        finally:
            # It has ended, or its reader has not read to the end.
            process.kill()


def _received(process: subprocess.Popen[bytes], recording: Path) -> Iterator[Block]:
    import pyarrow as pa

    assert process.stdout is not None and process.stderr is not None
    try:
        with pa.ipc.open_stream(process.stdout) as batches:
            for batch in batches:
                yield {
                    name: column.to_numpy(zero_copy_only=False)
                    for name, column in zip(batch.schema.names, batch.columns, strict=True)
                }
        problem = ""
    except (pa.ArrowException, OSError) as error:
        problem = str(error)
        # It may be writing what is not read any more.
        process.kill()
    # What it says is short: the pipe has room for it.
    said = process.stderr.read().decode(errors="replace").strip()
    if process.wait() or problem:
        raise RecordingError(f"cannot export {recording}: {said or problem}")


def _widen(process: subprocess.Popen[bytes]) -> None:
    """Let the daemon write further ahead than the 64 KiB of a pipe, a fraction of a batch: fewer changes of threads."""
    if sys.platform == "linux":
        assert process.stdout is not None
        # Denied where the user has too many of such pipes.
        with contextlib.suppress(OSError):
            fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


class Batches:
    """Makes record batches of blocks: their arrays, and `name`, the names of the unit types, as a dictionary column."""

    def __init__(self) -> None:
        """Start without a name. The dictionary only grows from batch to batch."""
        self._codes: dict[int, int] = {}
        self._names: list[str] = []

    def empty(self) -> pyarrow.RecordBatch:
        """Of no units."""
        return self.batch(_no_units())

    def batch(self, block: Block) -> pyarrow.RecordBatch:
        """The record batch of a block."""
        import pyarrow as pa

        columns = {name: pa.array(column) for name, column in block.items()}
        types = columns["unit_type"].dictionary_encode()
        codes = np.array([self._code(number) for number in types.dictionary.to_pylist()], np.int32)
        names = pa.array(self._names, pa.string())
        columns["name"] = pa.DictionaryArray.from_arrays(codes.take(types.indices.to_numpy()), names)
        return pa.record_batch(columns)

    def _code(self, number: int) -> int:
        from abathur.ids import UnitTypeId, name_of

        if number not in self._codes:
            self._codes[number] = len(self._names)
            self._names.append(name_of(UnitTypeId, number))
        return self._codes[number]


def table(frames: Iterable[Frame]) -> pyarrow.Table:
    """A `pyarrow.Table`: game_loop (uint32), a column per field, and name. Raises AbathurError without pyarrow."""
    require()
    import pyarrow as pa

    batches = Batches()
    made = [batches.batch(block) for block in blocks(frames)] or [batches.empty()]
    return pa.Table.from_batches(made).unify_dictionaries()


def arrays(frames: Iterable[Frame]) -> Block:
    """The same as NumPy arrays by name, without `name`: each of shape (rows,)."""
    return joined(list(blocks(frames)))


def joined(parts: list[Block]) -> Block:
    """Blocks as one."""
    parts = parts or [_no_units()]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _no_units() -> Block:
    columns = {name: np.empty(0, dtype) for name, (dtype, _) in COLUMNS.items()}
    return {"game_loop": np.empty(0, "u4"), **columns}

"""``abathur export``: the units of a whole recording as one table."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from abathur import _tables
from abathur._daemon import find_daemon
from abathur._frame import Frame
from abathur._recording import Recording, open_recording
from abathur.errors import DaemonError

#: Parsing fewer frames takes less time than starting a daemon.
_FEW_LOOPS = 200
_FORMATS = (".parquet", ".npz", ".arrow")


def add_to(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "the units of a recording as one table"
    parser.add_argument("file", metavar="FILE", help="a recording")
    parser.add_argument(
        "-o", "--output", required=True, type=_output, metavar="OUT", help=f"a file that ends in {', '.join(_FORMATS)}"
    )
    parser.add_argument("--start", type=int, default=0, metavar="LOOP", help="first game loop")
    parser.add_argument("--stop", type=int, default=None, metavar="LOOP", help="game loop before which to stop")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Write the table and print its size."""
    output: Path = options.output
    if output.suffix != ".npz":
        _tables.require()
    with open_recording(options.file) as match, _frames(match, options.start, options.stop) as frames:
        if output.suffix == ".npz":
            arrays = _tables.arrays(frames)
            np.savez_compressed(output, **arrays)
            rows, columns = len(arrays["game_loop"]), len(arrays)
        else:
            rows, columns = _write_table(_tables.table(frames), output)
    print(f"{output}: {rows} rows, {columns} columns")


@contextmanager
def _frames(match: Recording, start: int, stop: int | None) -> Iterator[Iterable[Frame]]:
    """In columns if there is a daemon to encode them; a short part is read faster than a daemon starts."""
    if stop is not None and stop - start < _FEW_LOOPS:
        yield match.frames(start=start, stop=stop)
        return
    try:
        find_daemon(None)
    except DaemonError:
        yield match.frames(start=start, stop=stop)
        return
    with _tables.frames_in_columns(match.path) as frames:
        wanted = itertools.dropwhile(lambda frame: frame.game_loop < start, frames)
        yield wanted if stop is None else itertools.takewhile(lambda frame: frame.game_loop < stop, wanted)


def _write_table(table: Any, output: Path) -> tuple[int, int]:
    if output.suffix == ".parquet":
        import pyarrow.parquet

        pyarrow.parquet.write_table(table, output, compression="zstd")
    else:
        import pyarrow

        with pyarrow.OSFile(str(output), "wb") as file, pyarrow.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    return table.num_rows, table.num_columns


def _output(text: str) -> Path:
    path = Path(text)
    if path.suffix not in _FORMATS:
        raise argparse.ArgumentTypeError(f"{text} must end in {', '.join(_FORMATS)}")
    return path

"""``abathur export``: the units of a whole recording as one table."""

from __future__ import annotations

import argparse
import json
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from abathur._frame.unit_columns import COLUMNS
from abathur._recording import tables
from abathur._recording.opened import open_recording
from abathur._recording.tables import Block
from abathur.cli import _outputs

#: Blocks in one row group.
_GROUP_BLOCKS = 8
#: Blocks that wait to be written: when decoding is faster, it waits.
_WAITING_BLOCKS = 4


def add_to(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "the units of a recording as one table"
    parser.add_argument("file", metavar="FILE", help="a recording")
    parser.add_argument(
        "-o", "--output", required=True, type=_output, metavar="OUT", help=f"a file that ends in {', '.join(_WRITERS)}"
    )
    parser.add_argument("--start", type=int, default=0, metavar="LOOP", help="first game loop")
    parser.add_argument("--stop", type=int, default=None, metavar="LOOP", help="game loop before which to stop")
    parser.add_argument("-f", "--force", action="store_true", help="overwrite OUT if it exists")
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    parser.add_argument("--json", action="store_true", help="print the result as a JSON object")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Write the table and print its size."""
    output: Path = options.output
    if output.suffix != ".npz":
        tables.require()
    write = _WRITERS[output.suffix]
    with open_recording(options.file) as match:
        _outputs.check(output, force=options.force)
        # Of a part, the number of frames is not known before it is read.
        frames = match.frames(start=options.start, stop=options.stop)
        total = match.frame_count if options.start == 0 and options.stop is None else 0
        try:
            with (
                _outputs.replacing(output) as part,
                _shown(tables.blocks(frames), total, quiet=options.quiet) as shown,
            ):
                rows, columns = write(shown, part)
        except KeyboardInterrupt:
            print(f"abathur: interrupted; {output} was not written", file=sys.stderr)
            raise
    if options.json:
        done = {"file": str(output), "file_bytes": output.stat().st_size, "rows": rows, "columns": columns}
        print(json.dumps(done, indent=2))
    else:
        print(f"{output}: {rows} rows, {columns} columns")


@contextmanager
def _shown(blocks: Iterable[Block], total: int, *, quiet: bool) -> Iterator[Iterable[Block]]:
    """The same blocks, with a progress bar on a terminal."""
    if quiet or not sys.stderr.isatty():
        yield blocks
        return
    from abathur.cli._progress import ProgressBar

    bar = ProgressBar()

    def counted() -> Iterator[Block]:
        frames = 0
        for block in blocks:
            yield block
            loops = block["game_loop"]
            # Each frame is whole in one block. Those without units are not counted.
            frames += int(np.count_nonzero(np.diff(loops))) + 1
            bar("export", frames, total, frames=frames)

    try:
        yield counted()
    finally:
        bar.clear()


def _write_parquet(blocks: Iterable[Block], output: Path) -> tuple[int, int]:
    import pyarrow.parquet

    # Measured: without dictionaries of numbers, level 1 is the fastest, and smaller than with them.
    return _write_batches(
        blocks,
        lambda schema: pyarrow.parquet.ParquetWriter(
            output,
            schema,
            compression="zstd",
            compression_level=1,
            use_dictionary=["name"],
        ),
    )


def _write_arrow(blocks: Iterable[Block], output: Path) -> tuple[int, int]:
    import pyarrow.ipc

    # The dictionary of names grows.
    options = pyarrow.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
    return _write_batches(blocks, lambda schema: pyarrow.ipc.new_file(str(output), schema, options=options))


def _write_batches(blocks: Iterable[Block], open_writer: Callable[[Any], Any]) -> tuple[int, int]:
    """Write blocks as they come, in another thread: decoding goes on meanwhile."""
    import pyarrow as pa

    batches = tables.Batches()
    empty = batches.empty()
    group: list[Any] = []
    rows = 0

    def convert(block: Block) -> None:
        group.append(batches.batch(block))
        if len(group) == _GROUP_BLOCKS:
            write_group()

    def write_group() -> None:
        writer.write_table(pa.Table.from_batches(group, empty.schema).unify_dictionaries())
        group.clear()

    with open_writer(empty.schema) as writer, ThreadPoolExecutor(1) as pool:
        waiting: deque[Future[None]] = deque()
        for block in blocks:
            waiting.append(pool.submit(convert, block))
            rows += len(block["game_loop"])
            if len(waiting) > _WAITING_BLOCKS:
                waiting.popleft().result()
        for each in waiting:
            each.result()
        write_group()
    return rows, empty.num_columns


def _write_npz(blocks: Iterable[Block], output: Path) -> tuple[int, int]:
    arrays = tables.joined(list(blocks), ("game_loop", *COLUMNS))
    # A file, because NumPy adds a suffix to a name.
    with output.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
    return len(arrays["game_loop"]), len(arrays)


_WRITERS = {".parquet": _write_parquet, ".npz": _write_npz, ".arrow": _write_arrow}


def _output(text: str) -> Path:
    path = Path(text)
    if path.suffix not in _WRITERS:
        raise argparse.ArgumentTypeError(f"{text} must end in {', '.join(_WRITERS)}")
    return path

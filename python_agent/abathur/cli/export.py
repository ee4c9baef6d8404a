"""``abathur export``: the units of a whole recording as one table."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from abathur._recording import open_recording

_FORMATS = (".parquet", ".npz", ".arrow")


def add_to(verbs: Any) -> None:
    """Declare the verb."""
    parser = verbs.add_parser("export", help="the units of a recording as one table")
    parser.add_argument("file", metavar="FILE", help="a recording")
    parser.add_argument(
        "-o", "--output", required=True, type=_output, metavar="OUT", help=f"a file that ends in {', '.join(_FORMATS)}"
    )
    parser.add_argument("--start", type=int, default=0, metavar="LOOP", help="first game loop")
    parser.add_argument("--stop", type=int, default=None, metavar="LOOP", help="game loop to stop before")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Write the table and say how large it is."""
    output: Path = options.output
    with open_recording(options.file) as match:
        if output.suffix == ".npz":
            arrays = match.units_arrays(start=options.start, stop=options.stop)
            np.savez_compressed(output, **arrays)
            rows, columns = len(arrays["game_loop"]), len(arrays)
        else:
            rows, columns = _write_table(match.units_table(start=options.start, stop=options.stop), output)
    print(f"{output}: {rows} rows, {columns} columns")


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

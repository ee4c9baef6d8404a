"""Units in Python: columns of a frame to arrays beside parsing the same frame, and a recording to one Parquet table.

The recording is `elite`; frames are those of its largest minute. Run it with another PYTHONPATH and ABATHUR_SYNC, by
turns, to compare two versions.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from statistics import median

import abathur
from abathur._frame.columns_source import ColumnsUnits
from abathur._frame.unit_columns import COLUMNS
from abathur._frame.units import Units
from abathur.columns import ColumnsDecoder
from figures import Figures
from pages import figure_table, made, page
from processes import Daemon
from runs import arguments, output_of, rounds, run, times
from s2clientprotocol import sc2api_pb2

from recordings import Frames, make_elite, make_part

FRAMES = 600
PARSED = 150
#: What is read of the units of a frame.
TOUCHES = {"positions, types, alliance, health": ("pos", "unit_type", "alliance", "health"), "all columns": (*COLUMNS,)}
PARSING = "parsing, nothing read"


def payloads(late: Frames, count: int = FRAMES) -> list[bytes]:
    """The first frames of a part in columns, as a subscriber gets them after decompression."""
    taken: list[bytes] = []
    decode = ColumnsDecoder.decode

    def keeping(decoder: ColumnsDecoder, payload: bytes) -> object:
        taken.append(payload)
        return decode(decoder, payload)

    options = ["--rate", "unlimited", "--wait-agents", "1", *late.daemon_options()]
    with Daemon(late.recording, *options) as daemon:
        ColumnsDecoder.decode = keeping  # type: ignore[method-assign, assignment]
        try:
            with abathur.connect_blocking(f"socket://{daemon.address('socket')}") as game:
                for _ in zip(range(count), game.frames(policy="every", encoding="columns"), strict=False):
                    pass
        finally:
            ColumnsDecoder.decode = decode  # type: ignore[method-assign]
    return taken


def decode_and_read(names: tuple[str, ...]) -> Callable[[bytes], None]:
    """A function that decodes frames in order, and makes arrays of the units."""
    decoder = ColumnsDecoder()

    def read(payload: bytes) -> None:
        units = Units(ColumnsUnits(decoder.decode(payload)))
        for name in names:
            getattr(units, name)

    return read


def export(recording: Path, figures: Figures) -> None:
    """`abathur export` to Parquet, in a process of its own."""
    import pyarrow.parquet

    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "units.parquet"
        before, start = os.times(), time.perf_counter()
        output_of([sys.executable, "-m", "abathur", "export", str(recording), "-q", "-o", str(output)])
        seconds, after = time.perf_counter() - start, os.times()
        rows = pyarrow.parquet.read_metadata(output).num_rows
    figures.add("rows", rows, recording.stem, "rows")
    figures.add("rows/s", rows / seconds, recording.stem, "rate")
    figures.add("µs", (sum(after[2:4]) - sum(before[2:4])) / rows * 1e6, recording.stem, "cpu")


def main() -> int:
    """Measure, and write the page."""
    options = arguments("units", __doc__, rounds=(5, "rounds"))
    names: list[str] = []

    def measured(figures: Figures) -> None:
        elite = make_elite()
        frames = payloads(Frames.late(elite))
        with abathur.open(elite) as match:
            observations = list(islice(match.payloads(), 9200, 9200 + PARSED))
        exported = [elite, make_part(elite, 9200, 11200)]
        names.extend(each.stem for each in exported)
        figures.add("KB", median(map(len, observations)) / 1000, "frame")
        for _ in rounds(options.rounds):
            for name, columns in TOUCHES.items():
                figures.add("ms", median(times(decode_and_read(columns), frames)) / 1000, name)
            figures.add("ms", median(times(sc2api_pb2.ResponseObservation.FromString, observations)) / 1000, PARSING)
            for recording in exported:
                export(recording, figures)

    def written(figures: Figures) -> str:
        return page(
            "Units in Python",
            made("units"),
            f"A frame has {figures.text('frame')} KB in protobuf. Milliseconds of a frame: medians of the rounds.",
            figure_table(figures, "", {name: (name,) for name in (*TOUCHES, PARSING)}, {"ms": ()}),
            "`abathur export` of a recording to Parquet, in a process of its own:",
            figure_table(
                figures,
                "recording",
                {name: (name,) for name in names},
                {"rows": "rows", "rows/s": "rate", "processor time of a row, µs": "cpu"},
            ),
        )

    return run(options, measured, written)


if __name__ == "__main__":
    sys.exit(main())

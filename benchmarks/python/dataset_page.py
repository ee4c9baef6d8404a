"""The page of `dotnet make.cs bench dataset`."""

from __future__ import annotations

from itertools import product
from typing import Any

import pages
import pyarrow as pa
from figures import Figures
from pages import figure_table, made, section

TABLES = ("units", "players", "events", "actions")
#: Game loops that are read alone: 5 s.
RANGE_LOOPS = 112
EVERY = 8
_MANY = {
    "recordings, MB": "recordings",
    "matches an hour, two local workers": "local",
    "matches an hour, Dask, two workers and then one": "dask",
    "largest memory of a local worker, MB": "worker",
    "unit rows": "rows",
    "dataset, MB": "dataset",
    "files that are equal": "files",
}


def page(figures: Figures, names: list[str], options: Any) -> str:
    """The README of the results."""
    speed = {
        "unit rows": "rows",
        "seconds": "seconds",
        "unit rows a second": "rate",
        "largest memory of a worker, MB": "worker",
        **{f"bytes a frame, `{name}`": name for name in TABLES},
    }
    kinds = {f"{name}, {kind}": (name, kind) for name, kind in product(names, ("dataset", "defaults"))}
    columns = {
        "bytes a frame": "bytes",
        "read, rows/s": "read",
        "range, ms": "range",
        "range, % of the file": "range bytes",
    }
    ratios = {
        head: pages.Ratio(("dataset", what), ("defaults", what))
        for head, what in {"bytes, dataset / defaults": "bytes", "rows read a second": "read"}.items()
    }
    return pages.page(
        "Datasets of recordings",
        made("dataset", pyarrow=pa.__version__),
        f"{options.rounds} rounds: the median, and the lowest and highest.",
        section(
            "Speed and memory",
            "`abathur dataset build` of two generated matches (`synth --preset elite`, 16,860 frames of 134 to 169 "
            "KB each), every loop and all columns, with two workers on two cores, with the start of all processes:",
            figure_table(figures, "", {name: ("speed", key) for name, key in speed.items()}, {"value": ()}),
        ),
        section(
            "Beside pyarrow's defaults",
            "The same rows, in the order of the frames, by `pyarrow.parquet.write_table` without an option. Both "
            f"files are read whole into a table, and {RANGE_LOOPS} game loops of the middle with a condition on "
            "`game_loop`, in one thread; the share of the file is that of the row groups that have such loops. The "
            "rows of both are equal.",
            figure_table(figures, "units of", kinds, columns),
            figure_table(figures, "units of", {name: (name,) for name in names}, ratios),
        ),
        section(
            f"{options.matches} matches",
            f"{options.matches} generated matches of {options.frames} frames (`synth`, a seed each), `--every "
            f"{EVERY}`. Local: `--workers 2`. Dask: a scheduler and two workers of one thread on loopback, of which "
            "one is killed when half of the matches are done, so that the other makes the rest. Both datasets are "
            "equal, file by file.",
            figure_table(figures, "", {name: ("many", key) for name, key in _MANY.items()}, {"value": ()}),
        ),
    )

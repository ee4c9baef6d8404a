"""The page of `dotnet make.cs bench dataset`."""

from __future__ import annotations

import argparse

import pyarrow as pa
from figures import Figures, machine, paragraph, table

TABLES = ("units", "players", "events", "actions")
#: Game loops that are read alone: 5 s.
RANGE_LOOPS = 112
EVERY = 8


def page(figures: Figures, names: list[str], options: argparse.Namespace) -> str:
    """The README of the results."""
    return "\n".join(
        (
            "# Datasets of recordings\n",
            _machine(options.rounds),
            _speed(figures),
            _sizes(figures, names),
            _many(figures, options),
        )
    )


def _machine(rounds: int) -> str:
    about = machine()
    return paragraph(
        f"Made by `dotnet make.cs bench dataset` on {about['date']}: {about['cpu']}, {about['cores']} cores,",
        f"{about['os']}, Python {about['python']}, pyarrow {pa.__version__}, .NET {about['dotnet']},",
        f"commit {about['commit']}.",
        f"{rounds} rounds: the median, and the lowest and highest.",
    )


def _speed(figures: Figures) -> str:
    rows = [
        ["unit rows", figures.text("speed", "rows")],
        ["seconds", figures.text("speed", "seconds")],
        ["unit rows a second", figures.text("speed", "rate")],
        ["largest memory of a worker, MB", figures.text("speed", "worker")],
        *([f"bytes a frame, `{name}`", figures.text("speed", name)] for name in TABLES),
    ]
    text = paragraph(
        "`abathur dataset build` of two generated matches (`synth --preset elite`, 16,860 frames of 134 to 169 KB",
        "each), every loop and all columns, with two workers on two cores, with the start of all processes:",
    )
    return f"## Speed and memory\n\n{text}\n{table(['', 'value'], rows)}"


def _sizes(figures: Figures, names: list[str]) -> str:
    columns = ("bytes", "read", "range", "range bytes")
    rows = [
        [f"{name}, {kind}", *(figures.text(name, kind, column) for column in columns)]
        for name in names
        for kind in ("dataset", "defaults")
    ]
    smaller = ", ".join(f"{name} {_ratio(figures, name, 'bytes'):.2f}" for name in names)
    faster = ", ".join(f"{name} {_ratio(figures, name, 'read'):.2f}" for name in names)
    text = paragraph(
        "The same rows, in the order of the frames, by `pyarrow.parquet.write_table` without an option. Both files are",
        f"read whole into a table, and {RANGE_LOOPS} game loops of the middle with a condition on `game_loop`, in one",
        "thread; the share of the file is that of the row groups that have such loops. The rows of both are equal.",
    )
    ratios = paragraph(
        f"Bytes of the dataset / the defaults: {smaller}. Rows read a second, dataset / defaults: {faster}.",
    )
    head = ["units of", "bytes a frame", "read, rows/s", "range, ms", "range, % of the file"]
    return f"## Beside pyarrow's defaults\n\n{text}\n{table(head, rows)}\n{ratios}"


def _many(figures: Figures, options: argparse.Namespace) -> str:
    rows = [
        ["recordings, MB", figures.text("many", "recordings")],
        ["matches an hour, two local workers", figures.text("many", "local")],
        ["matches an hour, Dask, two workers and then one", figures.text("many", "dask")],
        ["largest memory of a local worker, MB", figures.text("many", "worker")],
        ["unit rows", figures.text("many", "rows")],
        ["dataset, MB", figures.text("many", "dataset")],
        ["files that are equal", figures.text("many", "files")],
    ]
    text = paragraph(
        f"{options.matches} generated matches of {options.frames} frames (`synth`, a seed each), `--every {EVERY}`.",
        "Local: `--workers 2`. Dask: a scheduler and two workers of one thread on loopback, of which one is killed",
        "when half of the matches are done, so that the other makes the rest. Both datasets are equal, file by file.",
    )
    return f"## {options.matches} matches\n\n{text}\n{table(['', 'value'], rows)}"


def _ratio(figures: Figures, name: str, what: str) -> float:
    ours, theirs = figures.find(name, "dataset", what), figures.find(name, "defaults", what)
    assert ours is not None and theirs is not None
    return ours.median / theirs.median

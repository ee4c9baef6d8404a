"""The page of `dotnet make.cs bench learn`."""

from __future__ import annotations

from itertools import product
from typing import Any, TypeAlias

import pages
from figures import Figures
from pages import Ratio, figure_table, made, section

FRAMES, EVERY, SLOTS, BATCH, HORIZON = 16, 8, 512, 64, 224
COLUMNS = ("x", "y", "health")
#: Game loops from a window to the next.
STEPS = (8, 64)
#: Windows that are read by their numbers.
RANDOM = 200
#: Copies of a recording that workers read.
COPIES = 4
FORMS = ("compact", "full")
KINDS = {"plain": "Windows of units", "target": f'With `players=["minerals"]` and `target=learn.losses({HORIZON})`'}
ORDERS = {"order": "in order", "shuffled": "shuffled"}
PROCESSES, LOADERS = (1, 2), (0, 1, 2)
STYLES = {"map": "`DataLoader(data, shuffle=True)`", "stream": "`DataLoader(data.stream(...))`"}
INDEX = ("without-index", "with-index")

Key: TypeAlias = tuple[str | int, ...]


def page(figures: Figures, names: list[str], rounds: int, versions: dict[str, str]) -> str:
    """The README of the results."""
    found: dict[str, Key] = {f"{name}, {form}": (name, form) for name, form in product(names, FORMS)}
    parts = [_orders(figures, found, kind) for kind in KINDS]

    def add(title: str, text: str, rows: dict[str, Key], columns: dict[str, Any]) -> None:
        parts.append(section(title, text, figure_table(figures, "", rows, columns)))

    add(
        "Windows at random",
        f"`data[i]` of {RANDOM} random numbers, or of all if there are fewer, `step={EVERY}`. Milliseconds.",
        found,
        {
            "median": ("plain", "random", "ms"),
            "95th percentile": ("plain", "random", "p95"),
            "with the target: median": ("target", "random", "ms"),
            "with the target: 95th percentile": ("target", "random", "p95"),
        },
    )
    one, two = (("processes", workers, "windows") for workers in PROCESSES)
    add(
        "Processes",
        f"Spawned processes, each with `batches({BATCH}, seed=1, worker=(n, N))` over {COPIES} copies of the "
        f"recording, `step={STEPS[-1]}`, from when all have read a window until the last is done. Windows a second.",
        found,
        {"1 process": one, "2 processes": two, "2 / 1": Ratio(two, one)},
    )
    for style, title in STYLES.items() if versions else ():
        loaders = {f"`num_workers={workers}`": (f"{style}-{workers}", "windows") for workers in LOADERS}
        _, *both = loaders.values()
        add(
            f"PyTorch: {title}",
            f"{', '.join(map(' '.join, versions.items()))}. {COPIES} copies of `{names[0]}`, `step={STEPS[-1]}`, "
            f"from a DataLoader in batches of {BATCH}, with the start of its workers, which are forked. Windows a "
            "second.",
            {form: (names[0], form) for form in FORMS},
            {**loaders, "2 / 1": Ratio(*reversed(both))},
        )
    if not versions:
        parts.append(section("PyTorch", "Not measured: `--torch PYTHON` names a Python that has PyTorch."))
    add(
        "The first window",
        "Seconds from `learn.Windows(...)` to the end of `data[0]`, after the imports. The index was written before.",
        found,
        {"without `index`": ("first", INDEX[0], "seconds"), "with `index`": ("first", INDEX[1], "seconds")},
    )
    return pages.page(
        "Windows of recordings",
        made("learn"),
        f"Whole matches: {' and '.join(f'`{name}`' for name in names)}. `elite` and `skirmish` are generated; "
        f"another one was rebuilt from a replay of a real game. Windows of {FRAMES} frames, one each {EVERY} game "
        f"loops, {SLOTS} slots, with x, y and health, in batches of {BATCH}. The windows of all orders are compared "
        "first: their bytes are equal. Each measurement is a process of its own, which reads a frame or a window "
        f"before. The recording is in the file cache. Rounds: {rounds}, each in another order of the measurements; "
        "the median, and the lowest and highest. Ratios are of the same round. Load at the ends of rounds: "
        f"{figures.text('load')}; the benchmark makes about 1 of it, with two workers 2. Where it is higher, other "
        "programs took a share, most of all from what uses two cores.",
        *parts,
    )


def _orders(figures: Figures, found: dict[str, Key], kind: str) -> str:
    rows: dict[str, Key] = {}
    for name, key in found.items():
        rows[f"{name}, baseline"] = (*key, "baseline")
        for how, step in product(ORDERS, STEPS):
            rows[f"{name}, {ORDERS[how]}, `step={step}`"] = (*key, kind, how, step)
    columns = {
        "ms a window": "ms",
        "frames/s": "frames",
        "of the baseline": lambda row: pages.ratio(figures, (*row, "frames"), (*row[:2], "baseline", "frames")),
        "memory, MB": "memory",
    }
    return section(
        KINDS[kind],
        f"`batches({BATCH}, shuffle=False)` and `batches({BATCH}, seed=1)` over all windows. Frames/s: all frames of "
        "the recording / the time. The baseline reads all frames by `abathur.open(path).frames()`, and the three "
        "columns of every eighth. Memory: the most, above that after the imports.",
        figure_table(figures, "", rows, columns),
    )

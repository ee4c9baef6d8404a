"""The page of `dotnet make.cs bench learn`."""

from __future__ import annotations

from itertools import product
from typing import TypeAlias

from figures import Figures, machine, paragraph, table

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
    about = machine()
    made = paragraph(
        f"Made by `dotnet make.cs bench learn` on {about['date']}: {about['cpu']}, {about['cores']} cores,",
        f"{about['os']}, Python {about['python']}, protobuf {about['protobuf']}, .NET {about['dotnet']}, commit",
        f"{about['commit']}, load {about['load']} at the end.",
    )
    matches = " and ".join(f"`{name}`" for name in names)
    what = paragraph(
        f"Whole matches: {matches}. `elite` and `skirmish` are generated; another one was rebuilt from a replay of a",
        f"real game. Windows of {FRAMES} frames, one each {EVERY} game loops, {SLOTS} slots, with x, y and health, in",
        f"batches of {BATCH}. The windows of all orders are compared first: their bytes are equal. Each measurement is",
        "a process of its own, which reads a frame or a window before. The recording is in the file cache. Rounds:",
        f"{rounds}, each in another order of the measurements; the median, and the lowest and highest. Ratios are of",
        f"the same round. Load at the ends of rounds: {figures.text('load')}; the benchmark makes about 1 of it, with",
        "two workers 2. Where it is higher, other programs took a share, most of all from what uses two cores.",
    )
    found: dict[str, Key] = {f"{name}, {form}": (name, form) for name, form in product(names, FORMS)}
    parts = ["# Windows of recordings\n", made, what, *(_orders(figures, found, kind) for kind in KINDS)]

    def add(title: str, text: str, head: list[str], rows: dict[str, Key], tails: list[Key]) -> None:
        """A table of figures; a last column without a figure is the ratio of the two before it."""
        cells = []
        for name, key in rows.items():
            keys = [(*key, *tail) for tail in tails]
            ratio = [figures.ratio(keys[-1], keys[-2])] if len(head) > len(keys) else []
            cells.append([name, *(figures.text(*each) for each in keys), *ratio])
        parts.append(f"## {title}\n\n{paragraph(text)}\n{table(['', *head], cells)}")

    text = f"`data[i]` of {RANDOM} random numbers, or of all if there are fewer, `step={EVERY}`. Milliseconds."
    head = ["median", "95th percentile", "with the target: median", "95th percentile"]
    add("Windows at random", text, head, found, [(kind, "random", each) for kind in KINDS for each in ("ms", "p95")])
    text = (
        f"Spawned processes, each with `batches({BATCH}, seed=1, worker=(n, N))` over {COPIES} copies of the recording,"
        f" `step={STEPS[-1]}`, from when all have read a window until the last is done. Windows a second."
    )
    tails: list[Key] = [("processes", workers, "windows") for workers in PROCESSES]
    add("Processes", text, ["1 process", "2 processes", "2 / 1"], found, tails)
    text = (
        f"{', '.join(map(' '.join, versions.items()))}. {COPIES} copies of `{names[0]}`, `step={STEPS[-1]}`, from a "
        f"DataLoader in batches of {BATCH}, with the start of its workers, which are forked. Windows a second."
    )
    head = [*(f"`num_workers={workers}`" for workers in LOADERS), "2 / 1"]
    for style, title in STYLES.items() if versions else ():
        tails = [(f"{style}-{workers}", "windows") for workers in LOADERS]
        add(f"PyTorch: {title}", text, head, {form: (names[0], form) for form in FORMS}, tails)
    if not versions:
        parts.append("## PyTorch\n\nNot measured: `--torch PYTHON` names a Python that has PyTorch.\n")
    text = "Seconds from `learn.Windows(...)` to the end of `data[0]`, after the imports. The index was written before."
    tails = [("first", index, "seconds") for index in INDEX]
    add("The first window", text, ["without `index`", "with `index`"], found, tails)
    return "\n".join(parts)


def _orders(figures: Figures, found: dict[str, Key], kind: str) -> str:
    text = paragraph(
        f"`batches({BATCH}, shuffle=False)` and `batches({BATCH}, seed=1)` over all windows. Frames/s: all frames of",
        "the recording / the time. The baseline reads all frames by `abathur.open(path).frames()`, and the three",
        "columns of every eighth. Memory: the most, above that after the imports.",
    )
    rows = []
    for name, key in found.items():
        base = (*key, "baseline", "frames")
        rows.append([f"{name}, baseline", "-", figures.text(*base), "1", "-"])
        for how, step in product(ORDERS, STEPS):
            milliseconds, frames, memory = ((*key, kind, how, step, each) for each in ("ms", "frames", "memory"))
            cells = [figures.text(*milliseconds), figures.text(*frames), figures.ratio(frames, base)]
            rows.append([f"{name}, {ORDERS[how]}, `step={step}`", *cells, figures.text(*memory)])
    head = ["", "ms a window", "frames/s", "of the baseline", "memory, MB"]
    return f"## {KINDS[kind]}\n\n{text}\n{table(head, rows)}"

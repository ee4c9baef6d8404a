"""What `learn.py` runs in a process of its own: windows of recordings. It prints a JSON object of figures.

It needs the package and NumPy, and for some questions PyTorch, which another Python has.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import multiprocessing
import platform
import random
import statistics
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from typing import Any

import abathur
import numpy as np
from abathur import learn
from abathur._values import native
from abathur.bench._memory import _status as status
from learn_page import BATCH, COLUMNS, EVERY, FRAMES, HORIZON, ORDERS, RANDOM, SLOTS

_SEED = 1


def windows(path: str, kind: str, step: str, index: str | None = None) -> learn.Windows:
    """Windows of a recording, or of a folder of them: plain, or with a number of the player and a target."""
    more: Any = {"players": ["minerals"]} if kind == "target" else {}
    spec = learn.Spec(frames=FRAMES, every=EVERY, slots=SLOTS, units=COLUMNS, **more)
    target = learn.losses(HORIZON) if kind == "target" else None
    return learn.Windows(path, spec, step=int(step), target=target, index=index)


def batches(data: learn.Windows, how: str) -> Iterable[Any]:
    """All windows: in an order, by two workers in turn, or by a PyTorch loader, such as ``map-2``."""
    if how in ORDERS:
        return data.batches(BATCH, seed=_SEED, shuffle=how == "shuffled")
    if how == "shares":
        return (each for worker in ((0, 2), (1, 2)) for each in data.batches(BATCH, seed=_SEED, worker=worker))
    style, workers = how.split("-")
    load = importlib.import_module("torch.utils.data").DataLoader
    if style == "map":
        return load(data, batch_size=BATCH, shuffle=True, num_workers=int(workers))  # type: ignore[no-any-return]
    return load(data.stream(BATCH, seed=_SEED), batch_size=None, num_workers=int(workers))  # type: ignore[no-any-return]


def digests(given: Iterable[Any]) -> list[str]:
    """Of all bytes of each window of batches."""
    arrays = ([np.asarray(batch[name]) for name in sorted(batch)] for batch in given)
    each = (window for batch in arrays for window in zip(*batch, strict=True))
    return [hashlib.sha256(b"".join(array.tobytes() for array in window)).hexdigest() for window in each]


def check(path: str, kind: str, step: str, index: str, *hows: str) -> dict[str, str]:
    """Compare the windows of all orders, write the index, and tell versions."""
    data = windows(path, kind, step, index)
    expected = digests(batches(data, "order"))
    for how in hows:
        assert sorted(digests(batches(data, how))) == sorted(expected), how
    for number in chosen(data):
        assert digests([{name: array[None] for name, array in data[number].items()}]) == [expected[number]], number
    versions = {name: sys.modules[name].__version__ for name in ("torch", "numpy") if name in sys.modules}
    return {"Python": platform.python_version(), **versions}


def chosen(data: learn.Windows) -> list[int]:
    """Random numbers of windows, always the same."""
    return random.Random(_SEED).sample(range(len(data)), min(RANDOM, len(data)))


def baseline(path: str) -> dict[str, float]:
    """All frames, and columns of every eighth."""
    with abathur.open(path) as match:
        next(iter(match.frames()))
        begin = time.perf_counter()
        for number, frame in enumerate(match.frames()):
            for name in () if number % EVERY else COLUMNS:
                getattr(frame.units, name)
        return {"frames": match.frame_count / (time.perf_counter() - begin)}


def read(path: str, kind: str, how: str, step: str, frames: str) -> dict[str, float]:
    """All windows, of so many frames."""
    before = status("VmRSS")
    data = windows(path, kind, step)
    data[0]
    count, seconds = _timed(batches(data, how))
    figures = {"ms": 1000 * seconds / count, "windows": count / seconds, "frames": int(frames) / seconds}
    return figures | {"memory": (status("VmHWM") - before) / 1e6}


def single(path: str, kind: str, step: str) -> dict[str, float]:
    """Windows by random numbers."""
    taken = []
    data = windows(path, kind, step)
    data[0]
    for number in chosen(data):
        begin = time.perf_counter()
        data[number]
        taken.append(1000 * (time.perf_counter() - begin))
    return {"ms": statistics.median(taken), "p95": statistics.quantiles(taken, n=20)[-1]}


def first(path: str, kind: str, step: str, *index: str) -> dict[str, float]:
    """Until the first window is there."""
    begin = time.perf_counter()
    windows(path, kind, step, *index)[0]
    return {"seconds": time.perf_counter() - begin}


def processes(path: str, kind: str, step: str, workers: str) -> dict[str, float]:
    """Worker processes, each with its share of the windows, from when all are ready until the last is done."""
    count, context = int(workers), multiprocessing.get_context("spawn")
    with context.Manager() as manager, ProcessPoolExecutor(count, context) as pool:
        shared = (repeat(windows(path, kind, step)), repeat(manager.Barrier(count)))
        counts, times = zip(*pool.map(_share, *shared, range(count), repeat(count)), strict=True)
    return {"windows": sum(counts) / max(times)}


def _share(data: learn.Windows, barrier: Any, worker: int, workers: int) -> tuple[int, float]:
    data[0]
    barrier.wait(60)
    return _timed(data.batches(BATCH, seed=_SEED, worker=(worker, workers)))


def _timed(given: Iterable[Any]) -> tuple[int, float]:
    """Windows, and seconds in which they were read."""
    begin = time.perf_counter()
    return sum(len(batch["loops"]) for batch in given), time.perf_counter() - begin


if __name__ == "__main__":
    if native.LIBRARY is None:
        sys.exit("there is no compiled library: `dotnet make.cs setup` makes it with a C compiler")
    # As `runs.answer`, which needs more packages than another Python may have.
    print(json.dumps(globals()[sys.argv[2]](*sys.argv[3:])))

"""Windows of recordings, `abathur.learn`: `dotnet make.cs bench learn`.

In order, shuffled, at random; with a target; in several processes, and under PyTorch; beside reading frames alone.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

import abathur
from figures import Figures
from learn_page import COPIES, FORMS, INDEX, KINDS, LOADERS, ORDERS, PROCESSES, STEPS, STYLES, Key, page
from processes import ROOT
from runs import arguments, ask, rounds, run

from recordings import LOCAL, SKIRMISH, import_sequences, make_compact, make_elite

#: Of ../shared/sequences: a match that was rebuilt from a replay.
REAL = "odyssey-zvp-full"
_UNITS = {"frames": "frames/s", "windows": "windows/s", "seconds": "s", "memory": "MB"}
_READING = Path(__file__).with_name("learn_reading.py")
_NEAR, _FAR = STEPS

#: The key of figures, the Python, and what `learn_reading.py` is asked.
Question = tuple[Key, str, tuple[object, ...]]


def read(python: str, *question: object) -> dict[str, Any]:
    """What `learn_reading.py` answers."""
    answer: dict[str, Any] = ask(_READING, *question, python=python, PYTHONPATH=str(ROOT / "python_agent"))
    return answer


def prepare(full: Path, folder: Path, torch: str | None) -> tuple[list[Question], dict[str, str]]:
    """What is asked about a match in each round, and the versions of PyTorch and its NumPy; windows are compared."""
    asked: list[Question] = []
    versions: dict[str, str] = {}
    with abathur.open(full) as match:
        frames = match.frame_count

    def add(*key: str | int, question: tuple[object, ...], python: str = sys.executable) -> None:
        asked.append(((full.stem, form, *key), python, question))

    for form, path in zip(FORMS, (make_compact(full), full), strict=True):
        copies, index = folder / full.stem / form, folder / f"{full.stem}-{form}.index"
        copies.mkdir(parents=True)
        for number in range(COPIES):
            shutil.copyfile(path, copies / f"{number}.mcap")
        add("baseline", question=("baseline", path))
        for kind, step in product(KINDS, STEPS):
            read(sys.executable, "check", path, kind, step, index, "shuffled", "shares")
            for how in ORDERS:
                add(kind, how, step, question=("read", path, kind, how, step, frames))
        for kind in KINDS:
            add(kind, "random", question=("single", path, kind, _NEAR))
        for name, given in zip(INDEX, ([], [index]), strict=True):
            add("first", name, question=("first", path, "plain", _NEAR, *given))
        for workers in PROCESSES:
            add("processes", workers, question=("processes", copies, "plain", _FAR, workers))
        if torch:
            loaders = [f"{style}-{workers}" for style, workers in product(STYLES, LOADERS)]
            versions = read(torch, "check", copies, "plain", _FAR, folder / "copies.index", *loaders)
            for how in loaders:
                add(how, question=("read", copies, "plain", how, _FAR, frames * COPIES), python=torch)
    print(f"{full.stem}: windows are equal in all orders", flush=True)
    return asked, versions


def main() -> int:
    """Measure, and write the page."""
    more = {"--torch": {"metavar": "PYTHON", "help": "a Python that has PyTorch (default: not measured)"}}
    quick = "one short match: shows that it works"
    options = arguments("learn", __doc__, more, quick=quick, rounds=(3, "rounds", 1))
    matches = [SKIRMISH] if options.quick else [*import_sequences(REAL), make_elite()]
    versions: dict[str, str] = {}

    def measured(figures: Figures) -> None:
        asked: list[Question] = []
        LOCAL.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=LOCAL) as temporary:
            for match in matches:
                more, found = prepare(match, Path(temporary), options.torch if match == matches[0] else None)
                asked += more
                versions.update(found)
            for number in rounds(options.rounds):
                for key, python, question in random.Random(number).sample(asked, len(asked)):
                    for name, value in read(python, *question).items():
                        figures.add(_UNITS.get(name, "ms"), value, *key, name)
                figures.add("", os.getloadavg()[0], "load")

    names = [each.stem for each in matches]
    return run(options, measured, lambda figures: page(figures, names, options.rounds, versions))


if __name__ == "__main__":
    sys.exit(main())

"""Windows of recordings, `abathur.learn`: `dotnet make.cs bench learn`.

In order, shuffled, at random; with a target; in several processes, and under PyTorch; beside reading frames alone.
"""

from __future__ import annotations

import argparse
import datetime
import json
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
from runs import output_of, rounds, run

from recordings import LOCAL, SKIRMISH, import_sequences, make_compact, make_elite

#: Of ../shared/sequences: a match that was rebuilt from a replay.
REAL = "odyssey-zvp-full"
_UNITS = {"frames": "frames/s", "windows": "windows/s", "seconds": "s", "memory": "MB"}
_READING = Path(__file__).with_name("learn_reading.py")
_NEAR, _FAR = STEPS

#: The key of figures, the Python, and what `learn_reading.py` is asked.
Question = tuple[Key, str, tuple[object, ...]]


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
            ask(sys.executable, "check", path, kind, step, index, "shuffled", "shares")
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
            versions = ask(torch, "check", copies, "plain", _FAR, folder / "copies.index", *loaders)
            for how in loaders:
                add(how, question=("read", copies, "plain", how, _FAR, frames * COPIES), python=torch)
    print(f"{full.stem}: windows are equal in all orders", flush=True)
    return asked, versions


def ask(python: str, *arguments: object) -> dict[str, Any]:
    """What `learn_reading.py` answers."""
    line = [python, str(_READING), *map(str, arguments)]
    answer: dict[str, Any] = json.loads(output_of(line, PYTHONPATH=str(ROOT / "python_agent")))
    return answer


def main() -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="dotnet make.cs bench learn", description=__doc__)
    parser.add_argument("--rounds", type=int, help="rounds (default: 3; quick: 1)")
    parser.add_argument("--quick", action="store_true", help="one short match: shows that it works")
    parser.add_argument("--torch", metavar="PYTHON", help="a Python that has PyTorch (default: not measured)")
    parser.add_argument(
        "--output", type=Path, default=LOCAL / f"{datetime.date.today()}-learn", help="folder of the results"
    )
    options = parser.parse_args()
    count = options.rounds if options.rounds is not None else 1 if options.quick else 3
    if count < 1:
        parser.error("--rounds is positive")

    def measured(figures: Figures) -> str:
        LOCAL.mkdir(parents=True, exist_ok=True)
        real = [] if options.quick else [each for each in import_sequences() if each.stem == REAL]
        matches = [SKIRMISH] if options.quick else [*real, make_elite()]
        asked: list[Question] = []
        versions: dict[str, str] = {}
        with tempfile.TemporaryDirectory(dir=LOCAL) as temporary:
            for match in matches:
                more, found = prepare(match, Path(temporary), options.torch if match == matches[0] else None)
                asked += more
                versions |= found
            for number in rounds(count):
                for key, python, question in random.Random(number).sample(asked, len(asked)):
                    for name, value in ask(python, *question).items():
                        figures.add(_UNITS.get(name, "ms"), value, *key, name)
                figures.add("", os.getloadavg()[0], "load")
                print(f"load {os.getloadavg()[0]:.1f}", flush=True)
        return page(figures, [each.stem for each in matches], count, versions)

    return run("learn", options.output, measured)


if __name__ == "__main__":
    sys.exit(main())

"""The command line of codec benchmarks of other languages."""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abathur.bench import _environment
from abathur.bench._frames import RecordedFrames, evenly_spaced
from abathur.errors import AbathurError, RecordingError
from varints import varint

from languages import measured as results
from languages.builds import UnavailableError
from languages.measured import Measured

_FAILED, _BAD_RECORDING, _INTERRUPTED = 1, 3, 130
_MAX_FRAMES = 100_000
_DEFAULT_FRAMES = 200


@dataclass(frozen=True)
class Work:
    """What a program has to measure.

    Attributes:
        codecs: Names of the rows.
        frames: File of the frames, each with its length before it as a varint.
        levels: Folder of single messages; None: no levels.
        folder: Temporary folder for more files.
        quick: Measure only as long as shows that every row works.
    """

    codecs: tuple[str, ...]
    frames: Path
    levels: Path | None
    folder: Path
    rounds: int
    seed: int
    quick: bool


@dataclass(frozen=True)
class Language:
    """Codecs of a language.

    Attributes:
        name: In results; the program is ``NAME.py``.
        codecs: Rows and what they are called.
        unavailable: Of rows, those that cannot be measured here, and why.
        measure: Builds and runs. Raises UnavailableError where packages cannot be downloaded.
    """

    name: str
    codecs: dict[str, str]
    unavailable: Callable[[Sequence[str]], dict[str, str]]
    measure: Callable[[Work], Measured]


def main(language: Language) -> int:
    """Run a command line.

    Returns:
        0: done; 1: failed; 2: wrong usage; 3: bad recording; 130: interrupted.
    """
    parser = argparse.ArgumentParser(prog=f"{language.name}.py", description=sys.modules["__main__"].__doc__)
    parser.add_argument("recording", type=Path, nargs="?", metavar="FILE.mcap")
    parser.add_argument("--frames", type=int, default=_DEFAULT_FRAMES, metavar="N", help="evenly spaced (default: 200)")
    parser.add_argument("--rounds", type=int, default=1, metavar="R", help="passes of each codec over its frames")
    parser.add_argument("--levels", type=Path, metavar="DIR", help="folder of single observations, LEVEL.binpb")
    parser.add_argument("--codecs", metavar="A,B", help="rows to measure (default: all)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="start of the random order of the codecs")
    parser.add_argument("--quick", action="store_true", help="only show that every row works: the times say nothing")
    parser.add_argument("--json", type=Path, metavar="OUT", help="file to write the result to; it is overwritten")
    parser.add_argument("--list", action="store_true", help="list the codecs")
    options = parser.parse_args()
    if options.list:
        width = max(map(len, language.codecs)) + 2
        print("\n".join(f"{name:<{width}}{label}" for name, label in language.codecs.items()))
        return 0
    names = list(language.codecs)
    if options.codecs is not None:
        names = list(dict.fromkeys(name.strip() for name in options.codecs.split(",") if name.strip()))
    for problem in _problems(language, options, names):
        parser.error(problem)
    try:
        _run(language, options, names)
    except (AbathurError, OSError) as error:
        print(f"{language.name}.py: {error}", file=sys.stderr)
        return _BAD_RECORDING if isinstance(error, RecordingError) else _FAILED
    except KeyboardInterrupt:
        print(f"{language.name}.py: interrupted", file=sys.stderr)
        return _INTERRUPTED
    return 0


def _problems(language: Language, options: argparse.Namespace, names: list[str]) -> Iterable[str]:
    """What is wrong with the options."""
    if options.recording is None:
        yield "which FILE.mcap? --list shows the codecs"
    if not 1 <= options.frames <= _MAX_FRAMES:
        yield f"--frames must be 1 to {_MAX_FRAMES}"
    if not 1 <= options.rounds <= 1000:
        yield "--rounds must be 1 to 1000"
    if options.json is not None and not options.json.absolute().parent.is_dir():
        yield f"cannot write {options.json}: the folder {options.json.parent} does not exist"
    if options.levels is not None:
        levels = [path.stem for path in options.levels.glob("*.binpb")]
        if not levels:
            yield f"--levels {options.levels} has no files *.binpb"
        if wrong := [each for each in levels if not re.fullmatch(r"[\w-]+", each)]:
            yield f"--levels: names have letters, digits, - and _ only, not {wrong[0]!r}"
    if not names:
        yield "--codecs is empty"
    if unknown := [name for name in names if name not in language.codecs]:
        yield f"there is no codec {unknown[0]}; there are {', '.join(language.codecs)}"


def _run(language: Language, options: argparse.Namespace, names: list[str]) -> None:
    recorded = RecordedFrames(options.recording)
    frames = list(recorded.read(evenly_spaced(recorded.count, options.frames)))
    unavailable = language.unavailable(names)
    machine = _environment.describe()
    with tempfile.TemporaryDirectory(prefix="abathur-") as scratch:
        folder = Path(scratch)
        codecs = tuple(name for name in names if name not in unavailable)
        given = (options.rounds, options.seed, options.quick)
        work = Work(codecs, folder / "frames.binpb", options.levels, folder, *given)
        write_delimited(work.frames, (frame.observation for frame in frames))
        measured = Measured()
        try:
            if work.codecs:
                measured = language.measure(work)
        except UnavailableError as error:
            unavailable |= dict.fromkeys(work.codecs, str(error))
    results.check_sums(measured, frames)
    result = results.to_json(
        language.name,
        language.codecs,
        recorded,
        frames,
        measured,
        unavailable,
        rounds=options.rounds,
        seed=options.seed,
        machine=machine,
    )
    if options.json is not None:
        # First beside it, so that a full disk does not leave half a result.
        partial = options.json.with_name(options.json.name + ".partial")
        partial.write_text(json.dumps(result) + "\n", encoding="utf-8")
        partial.replace(options.json)
    print(_table(result))


def write_delimited(path: Path, messages: Iterable[bytes]) -> None:
    """Write messages with their lengths before them, as varints."""
    with path.open("wb") as file:
        for message in messages:
            file.write(varint(len(message)) + message)


def _table(result: dict[str, Any]) -> str:
    rows = [["codec", "frames", "encode ms", "decode ms", "+ touch ms", "KB/frame", "KB allocated"]]
    below = ["Times: mean of the middle half. Allocated: by encoding and decoding. 1 KB is 1000 bytes."]
    for reason in dict.fromkeys(result["unavailable"].values()):
        names = [name for name, each in result["unavailable"].items() if each == reason]
        below.append(f"not available: {', '.join(names)}: {reason}")
    for name, row in result["codecs"].items():
        if row["error"] is not None:
            below.append(f"{name} was not timed: {row['error']}")
            continue
        times = [row[f"{operation}_ns"] for operation in results.OPERATIONS]
        cells = ["-" if each is None else f"{each['trimmed_mean'] / 1e6:.3f}" for each in times]
        memory = row["allocated_bytes"]
        size = f"{row['bytes']['mean'] / 1e3:.1f}"
        rows.append([name, str(row["frames"]), *cells, size, "-" if memory is None else f"{memory / 1e3:.0f}"])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(lines + below)

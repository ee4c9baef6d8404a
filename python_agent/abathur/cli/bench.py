"""``abathur bench``: codecs over the frames of a recording."""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path

from abathur.bench import _catalog
from abathur.cli import _outputs

#: Encoding the streams and the checks take as long again for a whole match.
_QUICK_SECONDS = 60


def add_to(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "time codecs over the frames of a recording"
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="a recording")
    parser.add_argument(
        "--codecs",
        metavar="A,B",
        help=f"codecs, each optionally with +{', +'.join(_catalog.COMPRESSIONS)}, and streams (default: all of --list)",
    )
    parser.add_argument("--json", type=Path, metavar="OUT", help="file to write the result to")
    parser.add_argument("-f", "--force", action="store_true", help="overwrite OUT if it exists")
    parser.add_argument("--rounds", type=int, default=1, metavar="R", help="passes of each codec over its frames")
    parser.add_argument("--frames", type=int, metavar="N", help="frames to take, evenly spaced (default: every frame)")
    parser.add_argument(
        "--budget",
        type=float,
        metavar="SECONDS",
        help="time that the run may take: codecs use as many evenly spaced frames as fit",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help=f"few frames, under two minutes: as --budget {_QUICK_SECONDS}",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="start of the random order of the codecs")
    parser.add_argument("--list", action="store_true", help="list the codecs")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Measure, write the result, print the table."""
    if options.list:
        _list()
        return
    _check(options)
    from abathur.bench import _environment, _memory, _result
    from abathur.bench._frames import RecordedFrames
    from abathur.bench._options import Options
    from abathur.bench._runner import CodecRun, Runner
    from abathur.cli._progress import ProgressBar

    names = _names(options.codecs)
    frames = RecordedFrames(options.file)
    if options.quick:
        options.budget = options.budget or float(_QUICK_SECONDS)
        print(
            "abathur: one to two minutes; of few frames, so that times vary more than those of a full run",
            file=sys.stderr,
        )
    runs: list[CodecRun] = []
    unavailable, packages = {}, {}
    for name in names:
        try:
            runs.append(CodecRun(name, _catalog.create(name)))
        except _catalog.CodecUnavailableError as error:
            if options.codecs is not None:
                raise
            unavailable[name] = str(error)
            if error.package is None:
                print(f"abathur: {error}", file=sys.stderr)
            else:
                packages[name] = error.package
    if packages:
        wanted = " ".join(dict.fromkeys(packages.values()))
        print(f"abathur: not measured: {', '.join(packages)}: pip install {wanted}", file=sys.stderr)
    chosen = Options(options.file, names, options.rounds, options.frames, options.budget, options.seed)
    environment = _environment.describe()
    progress = ProgressBar()
    runner = Runner(chosen, frames, runs, progress)
    runner.run()
    try:
        for each in runs if not runner.interrupted else []:
            if each.failure is None and not each.codec.is_stream:
                progress(f"peak memory of {each.name}", 1, 1)
                largest = max(each.bytes, key=lambda number: each.bytes[number])
                each.peak_memory_bytes = _memory.peak_memory(each.name, next(frames.read([largest])).observation)
    except KeyboardInterrupt:
        runner.interrupted = True
    progress.clear()
    if options.json is not None:
        # To a temporary file first, so that a full disk does not leave an incomplete result.
        result = _result.to_json(chosen, frames, runner, runs, environment, unavailable)
        partial = options.json.with_name(options.json.name + ".partial")
        partial.write_text(json.dumps(result) + "\n", encoding="utf-8")
        partial.replace(options.json)
    print(_result.table(runner, runs))
    if runner.interrupted:
        print("abathur: interrupted: the results so far", file=sys.stderr)
        raise KeyboardInterrupt


def _check(options: argparse.Namespace) -> None:
    if options.file is None:
        raise ValueError("bench needs a FILE; --list shows the codecs")
    if not 1 <= options.rounds <= 1000:
        raise ValueError("--rounds must be 1 to 1000")
    if options.frames is not None and options.frames < 1:
        raise ValueError("--frames must be at least 1")
    if options.budget is not None and not 0 < options.budget < math.inf:
        raise ValueError("--budget must be above 0 and finite")
    if options.json is not None:
        _outputs.check(options.json, force=options.force)


def _names(given: str | None) -> tuple[str, ...]:
    if given is None:
        return _catalog.DEFAULT
    names = tuple(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))
    if not names:
        raise ValueError("--codecs is empty")
    return names


def _list() -> None:
    width = max(len(name) for name in _catalog.DEFAULT) + 2
    for name in _catalog.DEFAULT:
        try:
            print(f"{name:<{width}}{_catalog.create(name).label}")
        except _catalog.CodecUnavailableError as error:
            print(f"{name:<{width}}not available: {error}")
    print(f"each but the streams also with +{', +'.join(_catalog.COMPRESSIONS)}; columns as well")

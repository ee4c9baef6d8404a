"""``abathur dataset``: recordings to Parquet tables, and replays to recordings."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from abathur._values.printable import printable

if TYPE_CHECKING:
    from abathur.dataset import Info

_FAILED = 1
_BAD_INPUT = 3
#: Failures and problems that are printed.
_SHOWN = 10


def add_to(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommands and their arguments."""
    parser.description = "Parquet tables of many recordings, and recordings of replays"
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=type(parser))
    for name, about, declare in (
        ("build", "make, or continue, a dataset of recordings", _declare_build),
        ("info", "show what a dataset has", _declare_info),
        ("check", "compare a dataset with its manifest and with recordings", _declare_check),
        ("record", "make recordings of replays, with games on this machine", _declare_record),
    ):
        command = commands.add_parser(name, help=about, description=about)
        command.set_defaults(parser=command)
        declare(command)


def _declare_build(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help="a recording, a folder, a glob, or a URL of fsspec")
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="the dataset, new or to continue")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="a frame every N game loops (default: each)")
    parser.add_argument("--columns", metavar="A,B", help="columns of units (default: all)")
    parser.add_argument(
        "--fields",
        metavar="A,B",
        help="numbers of the observation in the table players: paths such as observation.player_common "
        "(default: that, and observation.score)",
    )
    parser.add_argument(
        "--group-loops",
        type=int,
        default=0,
        metavar="N",
        help="game loops in a row group of units (default: 384 N)",
    )
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes (default: 1)")
    parser.add_argument(
        "--scheduler",
        metavar="URL",
        help="use the workers of a Dask cluster: the address of its scheduler, tcp://HOST:PORT",
    )
    parser.add_argument(
        "--retries", type=int, default=2, metavar="N", help="tries after a worker was killed (default: 2)"
    )
    _add_output_options(parser)
    parser.set_defaults(run=_build)


def _declare_info(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="the dataset")
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    parser.set_defaults(run=_info)


def _declare_check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="the dataset")
    parser.add_argument(
        "inputs",
        nargs="*",
        metavar="INPUT",
        help="recordings to compare with (default: the manifest only)",
    )
    _add_output_options(parser)
    parser.set_defaults(run=_check)


def _declare_record(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("replays", nargs="+", metavar="REPLAY", help="a replay, a folder, or a glob")
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="folder of the recordings")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="games at a time (default: 1)")
    parser.add_argument(
        "--player",
        type=int,
        action="append",
        metavar="N",
        help="a player whose view is recorded; repeatable (default: 1, 2)",
    )
    parser.add_argument("--step", type=int, default=1, metavar="N", help="game loops between observations (default: 1)")
    parser.add_argument("--compact", action="store_true", help="make compact recordings (see docs/recordings.md)")
    parser.add_argument(
        "--sc2",
        action="append",
        default=[],
        metavar="HOST:PORT",
        help="a running game, one for each job (default: each job starts the installed game)",
    )
    parser.add_argument(
        "--connect-timeout",
        type=float,
        default=120,
        metavar="SECONDS",
        help="how long to wait for a game to answer (default: 120)",
    )
    _add_output_options(parser)
    parser.set_defaults(run=_record)


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    parser.add_argument("--json", action="store_true", help="print the result as a JSON object")


def _build(options: argparse.Namespace) -> int:
    from abathur import dataset

    if options.scheduler is not None:
        _quiet_dask()
    with _Progress("build", options.quiet) as progress:
        built = dataset.build(
            options.inputs,
            options.output,
            every=options.every,
            columns=options.columns,
            fields=options.fields,
            group_loops=options.group_loops,
            workers=options.workers,
            scheduler=options.scheduler,
            retries=options.retries,
            progress=progress,
        )
    rows = ", ".join(f"{number:,} {table}" for table, number in built.rows.items())
    _print(
        options,
        asdict(built),
        [
            f"{options.output}: {_number(built.matches, 'match')}",
            f"{_number(built.converted, 'recording')} converted ({built.frames:,} frames), {built.kept} kept",
            *([f"rows written: {rows}"] if built.converted else []),
        ],
    )
    failed = (each.error if each.source in each.error else f"{each.source}: {each.error}" for each in built.failures)
    _complain(failed, len(built.failures), "failures.jsonl has all")
    if not built.failures:
        return 0
    return _BAD_INPUT if all(each.is_damaged for each in built.failures) else _FAILED


def _quiet_dask() -> None:
    """What it logs of a lost scheduler is said here, in one line."""
    # The import sets the levels of its loggers.
    if find_spec("distributed") is not None:
        import_module("distributed.client")
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)


def _info(options: argparse.Namespace) -> None:
    from abathur import dataset

    found = dataset.info(options.folder)
    _print(options, asdict(found), _facts(options.folder, found))


def _facts(folder: str, found: Info) -> Iterable[str]:
    chosen = found.options
    recordings = f"{_number(found.recordings, 'recording')} of {_size(found.recording_bytes)}"
    yield f"{folder}: {_number(found.matches, 'match')}, {recordings}"
    yield f"{found.frames:,} frames, of which {found.sampled:,} are sampled (every {chosen.every} game loops)"
    for table, size in found.tables.items():
        each = f"  {size.bytes / found.sampled:,.0f} B a frame" if found.sampled else ""
        yield f"{table:<8} {size.rows:>14,} rows  {_size(size.bytes):>10}{each}"
    for match_id in found.overlapping[:_SHOWN]:
        yield f"match {match_id}: one player has several recordings"
    if found.failures:
        yield f"{_number(len(found.failures), 'recording')} failed: see failures.jsonl"


def _check(options: argparse.Namespace) -> int:
    from abathur import dataset

    with _Progress("check", options.quiet) as progress:
        problems = dataset.check(options.folder, options.inputs, progress=progress)
    found = _number(len(problems), "problem") if problems else "no problem"
    _print(options, {"problems": problems}, [f"{options.folder}: {found}"])
    if not options.json:
        _complain(problems, len(problems), "--json prints all")
    return _BAD_INPUT if problems else 0


def _record(options: argparse.Namespace) -> int:
    from abathur import dataset

    with _Progress("record", options.quiet) as progress:
        done = dataset.record(
            options.replays,
            options.output,
            jobs=options.jobs,
            players=options.player or (1, 2),
            step=options.step,
            compact=options.compact,
            games=options.sc2,
            connect_timeout=options.connect_timeout,
            progress=lambda number, total: progress(number, total, 0),
        )
    result = {
        "recorded": [str(each) for each in done.recorded],
        "kept": [str(each) for each in done.kept],
        "failures": [asdict(each) for each in done.failures],
    }
    _print(options, result, [f"{options.output}: {len(done.recorded)} recorded, {len(done.kept)} kept"])
    failed = (f"{each.replay}, player {each.player_id}: {each.error}" for each in done.failures)
    _complain(failed, len(done.failures), "failures.jsonl has all")
    return _FAILED if done.failures else 0


class _Progress:
    """A progress bar of recordings; after Ctrl-C, a line that says how to continue."""

    def __init__(self, what: str, quiet: bool) -> None:
        self._what = what
        self._show: Callable[..., None] | None = None
        self._clear: Callable[[], None] = lambda: None
        if not quiet and sys.stderr.isatty():
            from abathur.cli._progress import ProgressBar

            bar = ProgressBar()
            self._show, self._clear = bar, bar.clear

    def __enter__(self) -> _Progress:
        return self

    def __call__(self, done: int, total: int, frames: int) -> None:
        if self._show is not None:
            self._show(f"{self._what} {done} of {total}", done, total, frames=frames)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._clear()
        if kind is KeyboardInterrupt and self._what != "check":
            print("abathur: interrupted; the same command continues", file=sys.stderr)


def _print(options: argparse.Namespace, result: dict[str, Any], lines: Iterable[str]) -> None:
    print(json.dumps(result, indent=2, default=str) if options.json else "\n".join(map(printable, lines)))


def _complain(lines: Iterable[str], number: int, more: str) -> None:
    for shown, line in enumerate(lines):
        if shown == _SHOWN:
            print(f"abathur: and {number - shown} more; {more}", file=sys.stderr)
            return
        print(f"abathur: {printable(line)}", file=sys.stderr)


def _number(number: int, what: str) -> str:
    plural = "es" if what.endswith("ch") else "s"
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}{plural}"


def _size(number: int) -> str:
    for unit in ("B", "KB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1000  # type: ignore[assignment]
    return f"{number:.1f} GB"

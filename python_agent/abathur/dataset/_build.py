"""Recordings to a dataset."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from abathur._frame import numbers
from abathur._recording import input_files, tables
from abathur.dataset import _dask, _local, _matches
from abathur.dataset._convert import Outcome, convert
from abathur.dataset._options import Options, names
from abathur.dataset._store import Store
from abathur.dataset._tables import TABLES
from abathur.errors import AbathurError

_ADDRESS = re.compile(r"(\w+://)?[^/]+:\d{1,5}")
_MAX_WORKERS = 256
_MAX_RETRIES = 100

#: Called after each recording with the number of those that are done, of all, and of their frames.
Progress = Callable[[int, int, int], None]


@dataclass(slots=True)
class Failure:
    """A recording that is not in the dataset.

    Attributes:
        source: Its path or URL.
        error: Why.
        is_damaged: Whether the recording is the reason: another run does not help.
    """

    source: str
    error: str
    is_damaged: bool


@dataclass(slots=True)
class Built:
    """What a build has done.

    Attributes:
        converted: Number of recordings that were converted.
        kept: Number of recordings that the dataset had already, or that have the same content as another one.
        frames: Number of frames of those that were converted.
        rows: Rows that were written, by table.
        matches: Number of matches in the dataset.
        failures: Recordings that failed, by source.
    """

    converted: int = 0
    kept: int = 0
    frames: int = 0
    rows: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TABLES, 0))
    matches: int = 0
    failures: list[Failure] = field(default_factory=list)


def build(
    inputs: str | Path | Iterable[str | Path],
    output: str | Path,
    *,
    every: int = 1,
    columns: str | Iterable[str] | None = None,
    fields: str | Iterable[str] | None = None,
    group_loops: int = 0,
    workers: int = 1,
    scheduler: str | None = None,
    retries: int = 2,
    progress: Progress | None = None,
) -> Built:
    """Add recordings to a dataset of Parquet files: docs/datasets.md describes it.

    What the dataset has already is kept, by the content of the recordings: a build that was killed continues. A
    recording that cannot be read is listed in ``failures.jsonl``, and the others go on.

    Args:
        inputs: Recordings: files, folders, globs, URLs of fsspec.
        output: Folder of the dataset: a new or empty one, or a dataset with the same options.
        every: Game loops from one sampled frame to the next at least; 1: each frame.
        columns: Columns of `units`, as a list or separated by commas. Default: all.
        fields: Fields of an observation whose numbers `players` has, in the same way. Default: resources and score.
        group_loops: Game loops in a row group of `units`; 0: 384 sampled frames.
        workers: Processes that convert recordings. With more than one, the program that calls this needs the line
            ``if __name__ == "__main__":``, as all programs with `multiprocessing`.
        scheduler: Address of a Dask scheduler (``tcp://HOST:PORT``), whose workers convert in place of processes. They
            see recordings and output by the same paths.
        retries: How often a recording is tried again whose worker was killed.
        progress: Called at the start and after each recording.

    Returns:
        What was done.

    Raises:
        ValueError: an option is not valid.
        AbathurError: an input names no file, the output is not a dataset or has other options, another build is
            writing there, a package or the scheduler is missing, or the output cannot be written.
    """
    tables.require()
    options = Options(
        every=every,
        fields=numbers.DEFAULT if fields is None else names(fields),
        group_loops=group_loops,
        **({} if columns is None else {"columns": names(columns)}),
    )
    if not 1 <= workers <= _MAX_WORKERS:
        raise ValueError(f"workers is {workers}; it must be 1 to {_MAX_WORKERS}")
    if not 0 <= retries <= _MAX_RETRIES:
        raise ValueError(f"retries is {retries}; it must be 0 to {_MAX_RETRIES}")
    if scheduler is not None and not _ADDRESS.fullmatch(scheduler):
        raise ValueError(f"scheduler is {scheduler!r}; it must be an address such as tcp://127.0.0.1:8786")
    given = [inputs] if isinstance(inputs, str | Path) else inputs
    sources = input_files.find([str(each) for each in given])
    store = Store(Path(output).absolute())
    try:
        # Before the folder is touched.
        store.check(options)
        with store.locked():
            store.create(options)
            store.remove_temporary()
            outcomes = _outcomes(
                partial(convert, root=str(store.root), options=options), sources, workers, scheduler, retries
            )
            with closing(outcomes):
                return _collect(store, outcomes, len(sources), progress)
    except OSError as error:
        raise AbathurError(f"cannot write to {store.root}: {error}") from None


def _outcomes(
    call: Callable[[str], Outcome], sources: Sequence[str], workers: int, scheduler: str | None, retries: int
) -> Generator[tuple[str, Outcome]]:
    if scheduler is not None:
        yield from _dask.run(call, sources, _lost, scheduler=scheduler, retries=retries)
    elif workers > 1 and len(sources) > 1:
        yield from _local.run(call, sources, _lost, workers=workers, retries=retries)
    else:
        for source in sources:
            yield source, call(source)


def _lost(error: str) -> Outcome:
    return Outcome(error=error)


def _collect(store: Store, outcomes: Iterator[tuple[str, Outcome]], total: int, progress: Progress | None) -> Built:
    built = Built()
    known: dict[str, set[str]] = {}
    if progress is not None:
        progress(0, total, 0)
    try:
        for done, (source, outcome) in enumerate(outcomes, 1):
            if outcome.entry is None:
                built.failures.append(Failure(source, outcome.error, outcome.is_damaged))
                built.failures.sort(key=lambda failure: failure.source)
                _write_failures(store, built.failures)
            else:
                entry = outcome.entry
                is_new = outcome.is_new and entry.sha256 not in known
                built.converted += is_new
                built.kept += not is_new
                built.frames += entry.frames if is_new else 0
                if is_new:
                    for table in TABLES:
                        built.rows[table] += entry.parts[table].rows
                files = known.setdefault(entry.sha256, set(entry.files))
                files.add(input_files.name(source))
                # Of recordings with the same content, whichever was first: the same entry.
                if outcome.is_new or sorted(files) != entry.files:
                    entry.files = sorted(files)
                    store.add(entry)
            if progress is not None:
                progress(done, total, built.frames)
        _write_failures(store, built.failures)
    finally:
        # Of what is complete: also when it is interrupted.
        built.matches = _matches.write(store)
        store.remove_temporary()
    return built


def _write_failures(store: Store, failures: Sequence[Failure]) -> None:
    store.write_failures([{"source": each.source, "error": each.error} for each in failures])

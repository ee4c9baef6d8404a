"""Replays to recordings, through games that the user has."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from threading import Lock

from abathur._program.daemon import find_daemon
from abathur._recording import input_files
from abathur._recording.opened import open_recording
from abathur.dataset._store import Store, digest
from abathur.errors import AbathurError

REPLAYS = ".sc2replay"
_MAX_JOBS = 64
_MAX_PLAYERS = 16
_MAX_TIMEOUT = 3600
#: Characters of the content hash in a name: replays of the same name are different files.
_HASH_CHARACTERS = 8
_STOP_SECONDS = 30

#: Called after each recording with the number of those that are done, and of all.
Progress = Callable[[int, int], None]


@dataclass(slots=True)
class RecordFailure:
    """A recording that could not be made.

    Attributes:
        replay: Path of the replay.
        player_id: The player whose view was to be recorded.
        error: Why.
    """

    replay: str
    player_id: int
    error: str


@dataclass(slots=True)
class Recorded:
    """What `record` has done.

    Attributes:
        recorded: Recordings that were made.
        kept: Recordings that were there.
        failures: Those that could not be made, by replay and player.
    """

    recorded: list[Path] = field(default_factory=list)
    kept: list[Path] = field(default_factory=list)
    failures: list[RecordFailure] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Task:
    replay: str
    player_id: int
    target: Path


def record(
    replays: str | Path | Iterable[str | Path],
    output: str | Path,
    *,
    jobs: int = 1,
    players: Sequence[int] = (1, 2),
    step: int = 1,
    compact: bool = False,
    games: Sequence[str] = (),
    connect_timeout: float = 120,
    progress: Progress | None = None,
) -> Recorded:
    """Record replays, each as each of its players sees it, with ``abathur-sync live --replay``.

    A recording that is in the output is kept, so a run that was killed continues. One that fails is listed in
    ``failures.jsonl``, and the others go on. Both recordings of a replay have the same match id, the hash of the
    replay, so `build` joins them.

    Args:
        replays: Files, folders and globs of ``.SC2Replay`` files.
        output: Folder of the recordings; made where it is missing.
        jobs: Games at a time.
        players: Ids of the players whose views are recorded.
        step: Game loops from one observation to the next.
        compact: Whether the recordings are compact: less than half as large.
        games: Addresses (``HOST:PORT``) of running games, one for each job. Default: each job starts the installed
            game, and ends it.
        connect_timeout: Seconds to wait for a game to answer.
        progress: Called after each recording.

    Raises:
        ValueError: an option is not valid.
        AbathurError: no replay was found, another run is writing to the output, or it cannot be written.
        DaemonError: the daemon was not found.
    """
    if not 1 <= jobs <= _MAX_JOBS:
        raise ValueError(f"jobs is {jobs}; it must be 1 to {_MAX_JOBS}")
    if not 1 <= step <= 1000:
        raise ValueError(f"step is {step}; it must be 1 to 1000 game loops")
    if not players or not all(1 <= each <= _MAX_PLAYERS for each in players):
        raise ValueError(f"players are {list(players)}; they must be ids of 1 to {_MAX_PLAYERS}")
    if not 0 <= connect_timeout <= _MAX_TIMEOUT:
        raise ValueError(f"connect_timeout is {connect_timeout}; it must be 0 to {_MAX_TIMEOUT} seconds")
    if games and jobs > len(games):
        raise ValueError(f"{jobs} jobs need as many games, but {len(games)} addresses are given")
    given = [replays] if isinstance(replays, str | Path) else replays
    found = input_files.find([str(each) for each in given], REPLAYS)
    command = [*find_daemon(), "live", "--stop-with-parent", "--quiet", "--step", str(step)]
    command += ["--compact"] if compact else []
    command += ["--connect-timeout", f"{connect_timeout:g}", "--history-mb", "0"]
    command += ["--grpc-port", "0", "--socket-port", "0", "--http-port", "0"]
    store = Store(Path(output).absolute())
    try:
        with store.locked():
            store.remove_temporary()
            # Two replays of the same name and content are one.
            tasks = {task.target: task for replay in found for task in _tasks(store.root, replay, players)}
            try:
                with _Recorders(store, command, jobs, games) as recorders:
                    return _collect(store, recorders, list(tasks.values()), progress)
            finally:
                store.remove_temporary()
    except OSError as error:
        raise AbathurError(f"cannot write to {store.root}: {error}") from None


def _tasks(root: Path, replay: str, players: Iterable[int]) -> Iterator[_Task]:
    name = f"{Path(replay).stem}-{digest(Path(replay))[:_HASH_CHARACTERS]}"
    for player in dict.fromkeys(players):
        yield _Task(replay, player, root / f"{name}-player{player}.mcap")


def _collect(store: Store, recorders: _Recorders, tasks: Sequence[_Task], progress: Progress | None) -> Recorded:
    done = Recorded(kept=[task.target for task in tasks if task.target.exists()])
    missing = [task for task in tasks if not task.target.exists()]
    store.write_failures([])
    total = len(done.kept) + len(missing)
    for task, error in recorders.run(missing):
        if error:
            done.failures.append(RecordFailure(task.replay, task.player_id, error))
            done.failures.sort(key=lambda each: (each.replay, each.player_id))
            store.write_failures(
                [{"source": each.replay, "player_id": each.player_id, "error": each.error} for each in done.failures]
            )
        else:
            done.recorded.append(task.target)
        if progress is not None:
            progress(total - len(missing) + len(done.recorded) + len(done.failures), total)
    done.recorded.sort()
    return done


class _Recorders:
    """Runs daemons, each with a game, a number of them at a time."""

    def __init__(self, store: Store, command: list[str], jobs: int, games: Sequence[str]) -> None:
        self._store = store
        self._command = command
        self._pool = ThreadPoolExecutor(jobs)
        self._jobs = jobs
        self._games: SimpleQueue[str] = SimpleQueue()
        for address in games:
            self._games.put(address)
        self._has_games = bool(games)
        self._running: set[subprocess.Popen[str]] = set()
        self._gate = Lock()
        self._is_closed = False

    def __enter__(self) -> _Recorders:
        return self

    def __exit__(self, *_: object) -> None:
        """End the daemons that run, which end their games."""
        with self._gate:
            self._is_closed = True
            running = list(self._running)
        for process in running:
            # As the end of this process would.
            assert process.stdin is not None
            process.stdin.close()
        for process in running:
            try:
                process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
        self._pool.shutdown(cancel_futures=True)

    def run(self, tasks: Sequence[_Task]) -> Iterator[tuple[_Task, str]]:
        """Each task, when it has ended, with the error: empty if the recording is in its place."""
        waiting = iter(tasks)
        running: dict[Future[str], _Task] = {}
        while True:
            while len(running) < self._jobs and (task := next(waiting, None)) is not None:
                running[self._pool.submit(self._record, task)] = task
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()

    def _record(self, task: _Task) -> str:
        with self._game() as game, self._store.temporary(digest(Path(task.replay))) as folder:
            part = folder / task.target.name
            line = [*self._command, "--replay", task.replay, "--as-player", str(task.player_id), "-o", str(part), *game]
            code, said = self._run(line)
            if code != 0:
                return said or f"the daemon ended with exit code {code}"
            # Of a match that did not begin, there is no file; of one that was cut off, the exit code says so.
            if not part.is_file():
                return f"no match was recorded: {said}" if said else "no match was recorded"
            with open_recording(part) as recording:
                if not recording.frame_count:
                    return "the game gave no observation"
            part.replace(task.target)
            return ""

    @contextmanager
    def _game(self) -> Iterator[list[str]]:
        if not self._has_games:
            yield []
            return
        address = self._games.get()
        try:
            yield ["--sc2", address]
        finally:
            self._games.put(address)

    def _run(self, line: Sequence[str]) -> tuple[int, str]:
        """Exit code and last line of standard error."""
        with self._gate:
            if self._is_closed:
                return 1, "interrupted"
            pipe = subprocess.PIPE
            process = subprocess.Popen(
                line, stdin=pipe, stdout=subprocess.DEVNULL, stderr=pipe, encoding="utf-8", errors="replace"
            )
            self._running.add(process)
        with process:
            try:
                assert process.stderr is not None
                said = process.stderr.read().strip()
                code = process.wait()
            finally:
                with self._gate:
                    self._running.discard(process)
        # One that was told to end has exit code 0 as well.
        return (1, "interrupted") if self._is_closed else (code, said.splitlines()[-1] if said else "")

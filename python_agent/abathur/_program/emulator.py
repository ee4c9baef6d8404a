"""The daemon's ``emulate`` as a child process: the game's API from a recording, for tests of bots."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from google.protobuf.message import Message
from s2clientprotocol import debug_pb2, sc2api_pb2

from abathur._program import action_snapshot
from abathur._program.daemon import Command, find_daemon, killed_after, start_daemon, stop_daemon, stream
from abathur._values import proto_json
from abathur._values.printable import printable
from abathur.errors import DaemonError, RecordingError

__all__ = ["EmulatedGame", "emulated_game"]

_BAD_INPUT = 3
_STOP_SECONDS = 10
_WARNING = "abathur-sync: warning: "
_logger = logging.getLogger("abathur")

_M = TypeVar("_M", bound=Message)


def emulated_game(
    recording: str | os.PathLike[str],
    *,
    start: int | None = None,
    stop: int | None = None,
    realtime: bool = False,
    tick_hz: float = 22.4,
    result: Literal["victory", "defeat", "tie", "undecided"] = "undecided",
    game_info: str | os.PathLike[str] | None = None,
    game_data: str | os.PathLike[str] | None = None,
    port: int = 0,
    command: Command | None = None,
    timeout: float = 30.0,
) -> EmulatedGame:
    r"""Play a recording as if it were the game, so that a bot can be tested without the game.

    A context manager, ``with`` or ``async with``. As a fixture of pytest::

        @pytest.fixture
        def game():
            with abathur.emulated_game("recordings/skirmish.mcap") as game:
                yield game

    and in a test, for python-sc2: ``await play_from_websocket(game.url, Bot(Race.Zerg, MyBot()), False, None)``.

    The daemon is the ``command``; else the value of the environment variable ``ABATHUR_SYNC``; else the program that
    came with this package; else, in a clone of the repository, its Release build; else ``abathur-sync`` on the
    ``PATH``. The first two are a path, or a command line such as
    ``dotnet "C:\tools\abathur sync\abathur-sync.dll"``; a path with blanks in a command line needs quotation marks. A
    path that ends in ``.dll`` is run with ``dotnet``.

    Args:
        recording: An MCAP recording, or other input of ``abathur-sync emulate``: serialized observations, or a folder.
        start: Game loop at which each match begins, with the first recorded observation at or after it: all before it
            counts as played. Default: the beginning of the recording.
        stop: Game loop at which each match ends, with the last recorded observation at or before it. Default: the end
            of the recording.
        realtime: Advance by the clock even if the client does not create the game, as on a ladder.
        tick_hz: Game loops per second in real time, 22.4 or 16.
        result: Result of the recorded player if the recording has none, or if `stop` is before its end; its opponents
            get the opposite.
        game_info: File with a serialized ``ResponseGameInfo``. Default: the recording's.
        game_data: File with a serialized ``ResponseData``. Default: the recording's.
        port: TCP port; 0: any free one.
        command: The daemon: a path, a command line, or a command line in parts.
        timeout: Seconds that the daemon may take to start.

    Returns:
        The game. It runs from ``__enter__`` to ``__exit__``.

    Raises:
        ValueError: `start` or `stop` is negative, or `stop` is before `start`.
        DaemonError: On entering: the daemon was not found, or does not start.
        RecordingError: On entering: the recording is missing, damaged, lacks data that clients request, or has no
            observation from `start` to `stop`.
    """
    if stop is not None and stop < (start or 0):
        raise ValueError(f"stop={stop} is before start={start or 0}")
    arguments = ["emulate", os.fspath(recording), "--listen", str(port), "--tick-hz", str(tick_hz), "--result", result]
    if realtime:
        arguments.append("--realtime")
    for name, game_loop in (("start", start), ("stop", stop)):
        if game_loop is not None:
            if game_loop < 0:
                raise ValueError(f"{name}={game_loop} is negative")
            arguments += [f"--{name}", str(int(game_loop))]
    for option, path in (("--game-info", game_info), ("--game-data", game_data)):
        if path is not None:
            arguments += [option, os.fspath(path)]
    return EmulatedGame(arguments, command, timeout)


class EmulatedGame:
    """A game that is played from a recording. Made by ``emulated_game``."""

    def __init__(self, arguments: list[str], command: Command | None, timeout: float) -> None:
        self._arguments = arguments
        self._command = command
        self._timeout = timeout
        self._process: subprocess.Popen[str] | None = None
        self._files: tempfile.TemporaryDirectory[str] | None = None
        self._lines: list[str] = []
        self.host: str = "127.0.0.1"
        self.port: int = 0

    def __repr__(self) -> str:
        """Where clients connect."""
        return f"<EmulatedGame {self.url if self.port else 'not started: use it in a `with` block'}>"

    @property
    def address(self) -> str:
        """``HOST:PORT``."""
        return f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        """Where clients of the game connect: ``ws://HOST:PORT/sc2api``."""
        return f"ws://{self.address}/sc2api"

    @property
    def ladder_arguments(self) -> list[str]:
        """The arguments of a bot on a ladder, for a game against the built-in AI."""
        return ["--GamePort", str(self.port), "--LadderServer", self.host]

    def actions(self) -> list[tuple[int, sc2api_pb2.Action]]:
        """The actions of clients so far, with their game loops. Also available after the game was closed."""
        return self._logged("action", sc2api_pb2.Action)

    def check_actions(self, path: str | os.PathLike[str]) -> None:
        """Compare what the clients have done so far with a snapshot, a file that is committed beside the test.

        With the environment variable ``ABATHUR_UPDATE=1`` the snapshot is written instead. It is JSON with one line
        for each action, which people can review: game loop, names of ability and units, tags, target. Positions are in
        map cells, rounded to 0.001. A recording gives its units the same tags each time. A unit that the observation of
        that loop does not have is ``UNKNOWN`` and its tag.

        The order of the actions of a game loop counts, as the game gets them in this order. How they are divided into
        requests does not, nor does the order of the units of one action. Debug commands are not compared. In real time
        the game loops depend on the clock: use a match in steps.

        Works in the ``with`` block and after it.

        Args:
            path: The snapshot. Its folder is made when it is written.

        Raises:
            AssertionError: There is no snapshot, or the actions differ. The text has the first 20 differences by game
                loop, ``-`` for what the snapshot has and ``+`` for what the clients did, and how to update it.
            ValueError: The file is no snapshot.
            OSError: It cannot be read or written.
        """
        __tracebackhide__ = True
        action_snapshot.check(Path(path), self._snapshot())

    def debug_commands(self) -> list[tuple[int, debug_pb2.DebugCommand]]:
        """The debug commands of clients so far, mostly drawings; as `actions`."""
        return self._logged("debug", debug_pb2.DebugCommand)

    def kill(self) -> None:
        """Kill the game: connections break at any point. For tests of crashes."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Self:
        if self._process is not None:
            raise RuntimeError("this game is already running")
        self._files = tempfile.TemporaryDirectory(prefix="abathur-emulate-")
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stop()

    async def __aenter__(self) -> Self:
        return await asyncio.to_thread(self.__enter__)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self._stop)

    def _start(self) -> None:
        line = [*find_daemon(self._command), *self._arguments, "--actions", str(self._path("actions.ndjson"))]
        with self._path("errors.txt").open("wb") as errors:
            self._process = start_daemon(line, errors)
        with killed_after(self._process, self._timeout):
            ready = stream(self._process.stdout).readline().split()
        if len(ready) != 2 or not ready[1].startswith("sc2api="):
            self._fail()
        host, _, port = ready[1].removeprefix("sc2api=").rpartition(":")
        self.host = host
        self.port = int(port)

    def _fail(self) -> None:
        assert self._process is not None
        stream(self._process.stdin).close()
        try:
            code = self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        said = self._path("errors.txt").read_text(encoding="utf-8", errors="replace").strip()
        if code == _BAD_INPUT:
            raise RecordingError(said.removeprefix("abathur-sync: "))
        raise DaemonError(said or f"it was not ready after {self._timeout:g} s, or is not abathur-sync", code)

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            stop_daemon(process)
        self._read_actions()
        self._pass_warnings_on()
        files, self._files = self._files, None
        if files is not None:
            files.cleanup()

    def _logged(self, kind: str, message: type[_M]) -> list[tuple[int, _M]]:
        lines = self._log()
        return [(each["game_loop"], proto_json.parse(each[kind], message())) for each in lines if kind in each]

    def _snapshot(self) -> list[action_snapshot.Entry]:
        return [
            entry
            for line in self._log()
            if "action" in line
            for entry in action_snapshot.entries(
                line["game_loop"],
                proto_json.parse(line["action"], sc2api_pb2.Action()),
                line.get("unit_types", {}),
            )
        ]

    def _log(self) -> list[dict[str, Any]]:
        self._read_actions()
        return [json.loads(line) for line in self._lines]

    def _read_actions(self) -> None:
        if self._files is None:
            return
        path = self._path("actions.ndjson")
        if path.exists():
            # The last line may still be incomplete.
            whole, _, _ = path.read_text(encoding="utf-8").rpartition("\n")
            self._lines = whole.split("\n") if whole else []

    def _pass_warnings_on(self) -> None:
        if self._files is None or not self._path("errors.txt").exists():
            return
        for line in self._path("errors.txt").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith(_WARNING):
                _logger.warning("emulated game: %s", printable(line.removeprefix(_WARNING)))

    def _path(self, name: str) -> Path:
        assert self._files is not None
        return Path(self._files.name) / name

"""The games of an environment: a daemon that plays them on request, and the emulator in place of the game."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import IO, NamedTuple

from s2clientprotocol import sc2api_pb2

from abathur._client.blocking_game import BlockingGame, connect_blocking
from abathur._client.options import SubscribeOptions
from abathur._frame.frame import Frame
from abathur._program.daemon import find_daemon, killed_after, ready_addresses, start_daemon, stop_daemon
from abathur._program.emulator import emulated_game
from abathur.errors import AbathurError, ConnectError, ConnectionLostError, DaemonError, RequestError
from abathur.sync.v1 import sync_pb2

#: An agent that learns may take that long between two steps: the longest that the daemon allows.
_LOCKSTEP_SECONDS = 3600
#: What the daemon may take beyond the start of the game.
_OWN_SECONDS = 30
#: The end of what a daemon says that cannot start.
_SAID_BYTES = 4096
_SUBSCRIPTION: SubscribeOptions = {
    "policy": "lockstep",
    "encoding": "columns",
    "lockstep_timeout": _LOCKSTEP_SECONDS,
    "follow": True,
}
#: A step has few actions, and the game waits for each.
_ACTS_A_SECOND = 100_000
_ENDED = "the daemon has ended"
#: What the emulator takes as a map: it plays its recording.
_ANY_MAP = ("Any.SC2Map",)
_MAX_TIMEOUT = 3600

Events = Generator[Frame | sync_pb2.MatchEnded, None, None]
#: What went wrong with actions: the index of the action, -1 where the game does not say, and the name of its result.
Errors = tuple[tuple[int, str], ...]


class GameLostError(AbathurError):
    """The game, or the daemon, is not there any more. Used within the package."""


class MatchOverError(AbathurError):
    """A match has ended without a result. Used within the package."""


#: The game, or the daemon, is not there any more.
LOST = (RequestError, ConnectError, ConnectionLostError, GameLostError)


@dataclass(frozen=True, kw_only=True)
class GameOptions:
    """Which games are played: the options of the command `live`."""

    maps: tuple[str, ...]
    race: str
    opponents: tuple[str, ...]
    sc2: str | None
    recording: str | None
    output: str | None
    step: int
    timeout: float

    def __post_init__(self) -> None:
        """Check what the daemon does not.

        Raises:
            ValueError: there is no map, both games are named, or the timeout is out of range.
        """
        if self.sc2 is not None and self.recording is not None:
            raise ValueError(
                "sc2 and recording exclude each other: the emulator plays a recording in place of the game"
            )
        if not self.maps and self.recording is None:
            raise ValueError("map is missing: the name of a map of the game, such as 'AcropolisLE.SC2Map'")
        if not 0 < self.timeout <= _MAX_TIMEOUT:
            raise ValueError(
                f"timeout is {self.timeout}; it must be greater than 0, and at most {_MAX_TIMEOUT} seconds"
            )

    def arguments(self, sc2: str | None) -> list[str]:
        """The command line of the daemon."""
        line = ["live", "--games", "0", "--wait-agents", "1", "--allow-actions", "--quiet", "--history-mb", "0"]
        line += ["--grpc-port", "0", "--socket-port", "0", "--step", str(self.step), "--race", self.race]
        line += ["--connect-timeout", f"{self.timeout:f}", "--act-rate", str(_ACTS_A_SECOND)]
        for each in self.maps or _ANY_MAP:
            line += ["--map", each]
        for each in self.opponents:
            line += ["--opponent", each]
        if sc2 is not None:
            line += ["--sc2", sc2]
        if self.output is not None:
            line += ["-o", self.output]
        return line


class EnvGame:
    """A daemon with a game, and the frames of the match that runs. It ends with this process, however that ends."""

    def __init__(self, options: GameOptions) -> None:
        """Start it.

        Raises:
            DaemonError: the daemon, or the game, cannot be started.
            RecordingError: the recording cannot be played.
        """
        self._process_id = os.getpid()
        self._events: Events | None = None
        self._run_id = ""
        self._timeout = options.timeout
        self._is_overdue = False
        with ExitStack() as stack:
            sc2 = options.sc2
            if options.recording is not None:
                sc2 = stack.enter_context(emulated_game(options.recording, timeout=options.timeout)).address
            self._daemon = stack.enter_context(_daemon(options, sc2))
            # Both are on this machine: a connection that breaks has no daemon any more.
            connection = connect_blocking(self._daemon.address, reconnect_timeout=0)
            self._game: BlockingGame = stack.enter_context(connection)
            self._stack = stack.pop_all()

    @property
    def is_of_this_process(self) -> bool:
        """Whether it was started here, and not in a process of which this one is a fork."""
        return os.getpid() == self._process_id

    def next(self, seed: int) -> Frame:
        """Begin the next match, and return its first frame.

        Raises:
            AbathurError: it does not begin.
        """
        try:
            with self._answering():
                self._game.next_game(seed)
                # The same subscription goes on with each match: it misses no frame, whatever other readers there are.
                if self._events is None:
                    self._events = self._game._read({**_SUBSCRIPTION})
                for event in self._events:
                    if isinstance(event, Frame) and event.run_id != self._run_id:
                        self._run_id = event.run_id
                        return event
                raise GameLostError(_ENDED)
        except LOST as error:
            said = "" if self._is_overdue else self._daemon.last_words()
            raise AbathurError(f"the game does not begin: {said or error}") from error

    def advance(self) -> Frame:
        """Step the game.

        Raises:
            MatchOverError: the match has ended without a result.
            RequestError, ConnectError, ConnectionLostError, GameLostError: the game is lost.
        """
        assert self._events is not None
        with self._answering():
            event = next(self._events, None)
            if isinstance(event, Frame):
                return event
            if event is None or event.lost:
                raise GameLostError(event.reason if event is not None else _ENDED)
        raise MatchOverError(event.reason)

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Ends a daemon whose game does not answer in time: the game may hang, and would be waited for without end."""
        timer = threading.Timer(self._timeout, self._give_up)
        timer.daemon = True
        timer.start()
        try:
            yield
        except LOST as error:
            if self._is_overdue:
                raise GameLostError(f"the game has not answered for {self._timeout:g} s") from error
            raise
        finally:
            timer.cancel()

    def _give_up(self) -> None:
        self._is_overdue = True
        stop_daemon(self._daemon.process)

    def act(self, actions: Iterable[sc2api_pb2.Action]) -> Errors:
        """Send actions, and return what went wrong with them.

        Raises:
            RequestError, ConnectError, ConnectionLostError: the game is lost.
        """
        try:
            with self._answering():
                return tuple(self._game.act(actions).errors.items())
        except RequestError as error:
            # The game has refused the request: the match goes on.
            if error.code not in ("FAILED_PRECONDITION", "RESOURCE_EXHAUSTED", "INVALID_ARGUMENT"):
                raise
            return ((-1, error.message),)

    def close(self) -> None:
        """End the game and the daemon. Nothing where this process is a fork of the one that has started them."""
        if not self.is_of_this_process:
            return
        events, self._events = self._events, None
        try:
            if events is not None:
                events.close()
        finally:
            self._stack.close()


class _Daemon(NamedTuple):
    """A daemon that is ready."""

    address: str
    process: subprocess.Popen[str]
    errors: IO[bytes]

    def last_words(self) -> str:
        """End it, and return what it has said of the reason why it cannot go on."""
        stop_daemon(self.process)
        size = self.errors.seek(0, os.SEEK_END)
        self.errors.seek(max(0, size - _SAID_BYTES))
        return self.errors.read().decode("utf-8", "replace").strip().rpartition("abathur-sync: ")[2]


@contextmanager
def _daemon(options: GameOptions, sc2: str | None) -> Iterator[_Daemon]:
    """A daemon while the context lasts.

    Raises:
        DaemonError: it cannot be started, or has no game.
    """
    with tempfile.TemporaryFile() as errors:
        process = start_daemon([*find_daemon(), *options.arguments(sc2)], errors)
        daemon = _Daemon("", process, errors)
        try:
            # The daemon, which ends its game with it, has time to say that the game does not answer.
            with killed_after(process, options.timeout + _OWN_SECONDS):
                addresses = ready_addresses(process)
            if "socket" not in addresses:
                said = daemon.last_words()
                raise DaemonError(said or f"it was not ready after {options.timeout:g} s", process.returncode)
            yield daemon._replace(address=f"socket://{addresses['socket']}")
        finally:
            stop_daemon(process)

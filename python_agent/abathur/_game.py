"""A connection to a daemon, as agents use it: asynchronous, and its blocking twin."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Awaitable, Iterable, Iterator
from contextlib import aclosing
from types import TracebackType
from typing import TypeVar

from s2clientprotocol import sc2api_pb2

from abathur import _act, _address, _compression, _control, _request, drawing
from abathur._act import ActResult
from abathur._address import Address, Ca
from abathur._frame import Frame
from abathur._grpc import AsyncGrpcConnection, BlockingGrpcConnection
from abathur._reconnect import Backoff, GapCounter
from abathur._socket import AsyncSocketConnection, BlockingSocketConnection
from abathur._timeouts import CONNECT_TIMEOUT, REQUEST_TIMEOUT, Timeouts
from abathur.errors import ConnectError, LostError
from abathur.sync.v1 import sync_pb2

_T = TypeVar("_T")

#: How long `frames` tries to connect (again) before it gives up, in seconds.
RECONNECT_TIMEOUT = 30.0


def connect(
    address: str | None = None,
    *,
    token: str | None = None,
    ca: Ca | None = None,
    reconnect_timeout: float = RECONNECT_TIMEOUT,
    connect_timeout: float = CONNECT_TIMEOUT,
    request_timeout: float = REQUEST_TIMEOUT,
) -> Game:
    """Connect to a daemon: ``async with abathur.connect() as game``.

    Args:
        address: ``HOST:PORT`` or ``grpc://HOST:PORT`` for gRPC, ``socket://HOST:PORT`` for the socket,
            ``grpcs://`` and ``sockets://`` for the same with TLS, ``grpc+unix:PATH`` and ``socket+unix:PATH`` for Unix
            domain sockets. Default: ABATHUR_ADDRESS, else 127.0.0.1:22400.
        token: What a daemon that asks for a token is shown. Default: ABATHUR_TOKEN, else none.
        ca: With TLS: file (PEM) with the certificates that the daemon's must come from. Default: ABATHUR_CA, else those
            that the system trusts.
        reconnect_timeout: Seconds that `Game.frames` tries to connect, and to connect again after a broken
            connection, before it raises. 0: once.
        connect_timeout: Seconds that one connection may take, and again the daemon's first sign on it. Frames may be
            long in coming after that: a playback may be paused, and a match may not have begun.
        request_timeout: Seconds that the answer to a request (`Game.act`, `Game.status`, ...) may take.

    Raises:
        ValueError: `address` is invalid, or a timeout is not greater than 0.
    """
    return Game(_address.parse(address, token, ca), reconnect_timeout, Timeouts(connect_timeout, request_timeout))


def connect_blocking(
    address: str | None = None,
    *,
    token: str | None = None,
    ca: Ca | None = None,
    reconnect_timeout: float = RECONNECT_TIMEOUT,
    connect_timeout: float = CONNECT_TIMEOUT,
    request_timeout: float = REQUEST_TIMEOUT,
) -> BlockingGame:
    """`connect` for threads: ``with abathur.connect_blocking() as game``. The same arguments and errors."""
    timeouts = Timeouts(connect_timeout, request_timeout)
    return BlockingGame(_address.parse(address, token, ca), reconnect_timeout, timeouts)


class Game:
    """A connection to a daemon. Made by `connect`.

    Attributes:
        address: Where the daemon is.
        late_actions: Actions that the game took when the frame they answer was not the newest any more.
    """

    def __init__(self, address: Address, reconnect_timeout: float, timeouts: Timeouts) -> None:
        """Use `connect`."""
        self.address = address
        self._reconnect_timeout = reconnect_timeout
        self._connection: AsyncGrpcConnection | AsyncSocketConnection = (
            AsyncGrpcConnection(address, timeouts)
            if address.transport == "grpc"
            else AsyncSocketConnection(address, timeouts)
        )
        self._game_loop = 0
        self.late_actions = 0

    async def __aenter__(self) -> Game:
        """Nothing is sent yet."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the connection."""
        await self.close()

    async def close(self) -> None:
        """Close the connection; streams end."""
        await self._connection.close()

    async def match(self) -> sync_pb2.Match | None:
        """What is fixed for the match: map, tick rate, game info, game data. Waits until there is a match.

        On the socket it is known once `frames` is being read (None before).

        Raises:
            ConnectError: no daemon answers.
            RequestError: DEADLINE_EXCEEDED: it takes connections, and no longer answers.
        """
        return await self._connected(self._connection.match())

    async def frames(
        self,
        *,
        policy: str = "latest",
        encoding: str = "auto",
        compression: str = "none",
        compression_level: int = 0,
        fields: Iterable[str] = (),
        every: int = 1,
        buffer: int = 0,
        credits: int = 0,
        lockstep_timeout: float | None = None,
        name: str = "",
        max_frame_bytes: int = _compression.DEFAULT_LIMIT,
    ) -> AsyncGenerator[Frame, None]:
        """Frames until the match ends, or the daemon shuts down and says so.

        A connection that breaks without that is made again; the frame after it says what was missed.

        Args:
            policy: ``latest`` (skip to the newest when this agent lags; `Frame.dropped` tells), ``every`` (leave
                nothing out), ``lockstep`` (the game waits until the next frame is asked for).
            encoding: ``auto`` (protobuf on gRPC, JSON on the socket), ``proto``, ``json``.
            compression: ``none``, ``gzip``, ``br`` or ``zstd`` for each frame by itself, or ``zstd-stream`` or
                ``br-stream`` with what came before: a tenth of that and less. On the socket ``auto`` is then protobuf:
                lines of JSON are not compressed.
            compression_level: gzip 1 to 9, br 1 to 11, zstd 1 to 19, zstd-stream 1 to 19, br-stream 2 to 11; 0: the
                daemon's default.
            fields: Field mask on `ResponseObservation`, e.g. ``["observation.raw_data.units"]``. Empty: everything.
            every: Only frames at least this many game loops apart.
            buffer: Frames that may wait in the daemon under ``every``. 0: its default.
            credits: At most this many frames on the way; with 1 the frame is never stale. 0: no limit.
            lockstep_timeout: Seconds that the daemon waits for this agent under ``lockstep``.
            name: Shown in the daemon's status.
            max_frame_bytes: Largest payload that is taken, in bytes after decompression.

        Raises:
            ValueError: unknown policy, encoding or compression.
            AbathurError: the package that reads the compression is not installed.
            ConnectError: no daemon answers within `reconnect_timeout`.
            ConnectionLostError: the connection broke and could not be made again.
            RequestError: the daemon refuses the subscription.
            TooSlowError: this agent did not keep up with ``every``.
            NoAnswerError: it did not answer in time under ``lockstep``.
            DecompressionError: a frame is damaged, or larger than `max_frame_bytes`.
        """
        request = _request.subscribe_request(
            policy=policy,
            encoding=encoding,
            compression=compression,
            compression_level=compression_level,
            fields=fields,
            every=every,
            buffer=buffer,
            credits=credits,
            lockstep_timeout=lockstep_timeout,
            name=name,
        )
        backoff = Backoff(str(self.address), self._reconnect_timeout)
        gaps = GapCounter(every)
        while True:
            try:
                async with aclosing(self._connection.subscribe(request, max_frame_bytes)) as frames:
                    async for frame in frames:
                        gaps.check(frame, backoff.is_retrying)
                        backoff.succeed()
                        self._game_loop = frame.game_loop
                        yield frame
                return
            except LostError as error:
                delay = backoff.fail(str(error))
            await asyncio.sleep(delay)

    async def act(self, actions: Iterable[sc2api_pb2.Action], *, max_late: int = 0) -> ActResult:
        """Give actions to the game, as an answer to the last frame. `abathur.actions` makes the common ones.

        Args:
            actions: At most 1000.
            max_late: Refuse them when the game has gone further than this many game loops since that frame. 0: give
                them to the game however late they are; `ActResult.late_game_loops` and `late_actions` tell.

        Raises:
            RequestError: the source takes no actions (FAILED_PRECONDITION), they are too late (OUT_OF_RANGE), or too
                many wait for the game already (RESOURCE_EXHAUSTED).
        """
        given = list(actions)
        request = sync_pb2.ActRequest(game_loop=self._game_loop, actions=given, max_late_game_loops=max_late)
        with _act.refusals():
            result = _act.from_message(await self._connected(self._connection.act(request)))
        self.late_actions += len(given) if result.late_game_loops else 0
        return result

    async def draw(self, shapes: Iterable[sync_pb2.Shape], *, layer: str = "") -> sync_pb2.DrawResult:
        """Draw over the map: on the dashboard, in a game that takes agents' actions, and into its recording.

        Args:
            shapes: At most 1000; `abathur.drawing` makes them. They take the place of those on the layer that have no
                lifetime, so an agent that draws in each step shows what it thinks now. None: clears the layer.
            layer: Whose drawing it is.

        Raises:
            RequestError: a shape that is none (INVALID_ARGUMENT), or more than 4,000 at once (RESOURCE_EXHAUSTED).
        """
        request = drawing.request(shapes, layer, self._game_loop)
        with _act.refusals():
            return await self._connected(self._connection.draw(request))

    async def pause(self) -> sync_pb2.PlaybackState:
        """Stop the playback's clock. Raises RequestError where the source is no playback."""
        return await self._connected(self._connection.control(_control.pause()))

    async def resume(self) -> sync_pb2.PlaybackState:
        """Start it again."""
        return await self._connected(self._connection.control(_control.resume()))

    async def step(self, frames: int = 1) -> sync_pb2.PlaybackState:
        """Publish that many frames and stay paused."""
        return await self._connected(self._connection.control(_control.step(frames)))

    async def seek(self, game_loop: int) -> sync_pb2.PlaybackState:
        """Go on from the first frame at or after a game loop. Raises RequestError (OUT_OF_RANGE) behind the last."""
        return await self._connected(self._connection.control(_control.seek(game_loop)))

    async def set_rate(self, rate: float) -> sync_pb2.PlaybackState:
        """Multiply the tick rate: 0.1 to 1000; 0: unlimited."""
        return await self._connected(self._connection.control(_control.set_rate(rate)))

    async def set_loop(self, loop: bool) -> sync_pb2.PlaybackState:
        """Start the playback over at its end, or do not."""
        return await self._connected(self._connection.control(_control.set_loop(loop)))

    async def status(self) -> sync_pb2.Status:
        """What the daemon is doing. On the socket while `frames` is being read."""
        return await self._connected(self._connection.status())

    async def _connected(self, call: Awaitable[_T]) -> _T:
        try:
            return await call
        except LostError as error:
            raise ConnectError(str(self.address), str(error)) from None


class BlockingGame:
    """The blocking twin of `Game`. Made by `connect_blocking`."""

    def __init__(self, address: Address, reconnect_timeout: float, timeouts: Timeouts) -> None:
        """Use `connect_blocking`."""
        self.address = address
        self._reconnect_timeout = reconnect_timeout
        self._connection: BlockingGrpcConnection | BlockingSocketConnection = (
            BlockingGrpcConnection(address, timeouts)
            if address.transport == "grpc"
            else BlockingSocketConnection(address, timeouts)
        )
        self._game_loop = 0
        self.late_actions = 0

    def __enter__(self) -> BlockingGame:
        """Nothing is sent yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the connection."""
        self.close()

    def close(self) -> None:
        """Close the connection; streams end."""
        self._connection.close()

    def match(self) -> sync_pb2.Match | None:
        """See `Game.match`."""
        with self._connected():
            return self._connection.match()

    def frames(
        self,
        *,
        policy: str = "latest",
        encoding: str = "auto",
        compression: str = "none",
        compression_level: int = 0,
        fields: Iterable[str] = (),
        every: int = 1,
        buffer: int = 0,
        credits: int = 0,
        lockstep_timeout: float | None = None,
        name: str = "",
        max_frame_bytes: int = _compression.DEFAULT_LIMIT,
    ) -> Iterator[Frame]:
        """See `Game.frames`."""
        request = _request.subscribe_request(
            policy=policy,
            encoding=encoding,
            compression=compression,
            compression_level=compression_level,
            fields=fields,
            every=every,
            buffer=buffer,
            credits=credits,
            lockstep_timeout=lockstep_timeout,
            name=name,
        )
        backoff = Backoff(str(self.address), self._reconnect_timeout)
        gaps = GapCounter(every)
        while True:
            try:
                for frame in self._connection.subscribe(request, max_frame_bytes):
                    gaps.check(frame, backoff.is_retrying)
                    backoff.succeed()
                    self._game_loop = frame.game_loop
                    yield frame
                return
            except LostError as error:
                delay = backoff.fail(str(error))
            time.sleep(delay)

    def act(self, actions: Iterable[sc2api_pb2.Action], *, max_late: int = 0) -> ActResult:
        """See `Game.act`."""
        given = list(actions)
        request = sync_pb2.ActRequest(game_loop=self._game_loop, actions=given, max_late_game_loops=max_late)
        with _act.refusals(), self._connected():
            result = _act.from_message(self._connection.act(request))
        self.late_actions += len(given) if result.late_game_loops else 0
        return result

    def draw(self, shapes: Iterable[sync_pb2.Shape], *, layer: str = "") -> sync_pb2.DrawResult:
        """See `Game.draw`."""
        request = drawing.request(shapes, layer, self._game_loop)
        with _act.refusals(), self._connected():
            return self._connection.draw(request)

    def pause(self) -> sync_pb2.PlaybackState:
        """See `Game.pause`."""
        with self._connected():
            return self._connection.control(_control.pause())

    def resume(self) -> sync_pb2.PlaybackState:
        """See `Game.resume`."""
        with self._connected():
            return self._connection.control(_control.resume())

    def step(self, frames: int = 1) -> sync_pb2.PlaybackState:
        """See `Game.step`."""
        with self._connected():
            return self._connection.control(_control.step(frames))

    def seek(self, game_loop: int) -> sync_pb2.PlaybackState:
        """See `Game.seek`."""
        with self._connected():
            return self._connection.control(_control.seek(game_loop))

    def set_rate(self, rate: float) -> sync_pb2.PlaybackState:
        """See `Game.set_rate`."""
        with self._connected():
            return self._connection.control(_control.set_rate(rate))

    def set_loop(self, loop: bool) -> sync_pb2.PlaybackState:
        """See `Game.set_loop`."""
        with self._connected():
            return self._connection.control(_control.set_loop(loop))

    def status(self) -> sync_pb2.Status:
        """See `Game.status`."""
        with self._connected():
            return self._connection.status()

    @contextlib.contextmanager
    def _connected(self) -> Iterator[None]:
        try:
            yield
        except LostError as error:
            raise ConnectError(str(self.address), str(error)) from None

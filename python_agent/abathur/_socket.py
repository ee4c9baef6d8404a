"""Raw socket connections, TCP and Unix domain: asynchronous and blocking.

A connection of the daemon's socket carries one subscription; requests (act, control) travel on it while it is open.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import itertools
import socket
from collections.abc import AsyncGenerator, Iterator

from abathur import _frame, _latest, _messages
from abathur._address import Address
from abathur._frame import Frame
from abathur._payloads import PayloadReader
from abathur._receive import AsyncReceiver, BlockingReceiver
from abathur._request import needs_acknowledgements
from abathur.errors import AbathurError, LostError, RequestError
from abathur.sync.v1 import sync_pb2

_BUFFER_BYTES = 256 * 1024
_NO_STREAM = ("FAILED_PRECONDITION", "the socket answers requests only while frames() is being read")


class AsyncSocketConnection:
    """A daemon's socket, for asyncio: a connection for each subscription. Requests go by the newest."""

    def __init__(self, address: Address) -> None:
        """Connect with `subscribe`."""
        self._address = address
        self._streams: list[_AsyncStream] = []
        self._match: sync_pb2.Match | None = None

    async def close(self) -> None:
        """Close all connections."""
        for stream in self._streams.copy():
            await stream.close()

    async def match(self) -> sync_pb2.Match | None:
        """What is fixed for the match; known once frames are being read."""
        return self._match

    async def status(self) -> sync_pb2.Status:
        """What the daemon is doing."""
        return (await self._newest().request(sync_pb2.ClientMessage(status=sync_pb2.GetStatusRequest()))).status

    async def act(self, request: sync_pb2.ActRequest) -> sync_pb2.ActResult:
        """Give actions to the game."""
        return (await self._newest().request(sync_pb2.ClientMessage(act=request))).act

    async def draw(self, request: sync_pb2.DrawRequest) -> sync_pb2.DrawResult:
        """Draw over the map."""
        return (await self._newest().request(sync_pb2.ClientMessage(draw=request))).draw

    async def control(self, request: sync_pb2.ControlRequest) -> sync_pb2.PlaybackState:
        """Steer the playback."""
        return (await self._newest().request(sync_pb2.ClientMessage(control=request))).control

    async def subscribe(self, request: sync_pb2.SubscribeRequest, limit: int) -> AsyncGenerator[Frame, None]:
        """Frames until the match ends; payloads of up to `limit` bytes."""
        stream = await _AsyncStream.open(self._address, _chosen(request), limit)
        self._streams.append(stream)
        try:
            self._match = await stream.start()
            while (frame := await stream.next()) is not None:
                yield frame
                stream.acknowledge(frame)
        except ConnectionError as error:
            raise LostError(str(error)) from None
        finally:
            self._streams.remove(stream)
            await stream.close()

    def _newest(self) -> _AsyncStream:
        if not self._streams:
            raise RequestError(*_NO_STREAM)
        return self._streams[-1]


class _AsyncStream:
    """One connection with its subscription."""

    def __init__(
        self,
        request: sync_pb2.SubscribeRequest,
        token: str | None,
        limit: int,
        receiver: AsyncReceiver,
        transport: asyncio.Transport,
    ) -> None:
        self._request = request
        self._token = token
        self._payloads = PayloadReader(limit)
        self._receiver = receiver
        self._transport = transport
        self._ids = itertools.count(1)
        self._reading = asyncio.Lock()
        self._frames: collections.deque[Frame | sync_pb2.End] = collections.deque()
        self._answers: dict[int, sync_pb2.Result | RequestError] = {}
        self._error: AbathurError | None = None
        self._binary = request.encoding not in (sync_pb2.auto, sync_pb2.json)
        self._acknowledges = needs_acknowledgements(request)
        self._lateness = _latest.Lateness() if request.policy == sync_pb2.latest else None

    @classmethod
    async def open(cls, address: Address, request: sync_pb2.SubscribeRequest, limit: int) -> _AsyncStream:
        try:
            loop = asyncio.get_running_loop()
            if address.path is not None:
                transport, receiver = await loop.create_unix_connection(AsyncReceiver, address.path)
            else:
                context = address.ssl_context()
                transport, receiver = await loop.create_connection(
                    AsyncReceiver, address.host, address.port, ssl=context
                )
        except OSError as error:
            raise LostError(str(error)) from None
        _keep_fresh(transport.get_extra_info("socket"))
        return cls(request, address.token, limit, receiver, transport)

    async def start(self) -> sync_pb2.Match:
        first = sync_pb2.ClientMessage(subscribe=self._request, token=self._token or "")
        self._transport.write(_messages.to_line(first))
        async with self._reading:
            match = _messages.match_from_line(await self._receiver.message())
            self._receiver.buffer.binary = self._binary
            return match

    async def next(self) -> Frame | None:
        """The next frame; None at the end of the match."""
        while not self._frames:
            if self._error is not None:
                raise self._error
            async with self._reading:
                if not self._frames:
                    await self._read()
        # Who waits for an answer meanwhile takes what comes.
        if self._lateness is not None and not self._reading.locked():
            async with self._reading:
                await self._catch_up(self._lateness)
        event = self._frames.popleft()
        return None if isinstance(event, sync_pb2.End) else event

    def acknowledge(self, frame: Frame) -> None:
        if self._acknowledges:
            # The daemon may have said goodbye and closed already; whoever reads next is told by what it left.
            with contextlib.suppress(ConnectionError):
                self._send(sync_pb2.ClientMessage(ack=sync_pb2.Ack(sequence=frame.sequence)))

    async def request(self, message: sync_pb2.ClientMessage) -> sync_pb2.Result:
        message.id = next(self._ids)
        self._send(message)
        # Whoever waits reads: the loop over frames may stand still while its body waits for this answer.
        while message.id not in self._answers:
            async with self._reading:
                if message.id not in self._answers:
                    if self._error is not None:
                        raise self._error
                    try:
                        await self._read()
                    except ConnectionError as error:
                        raise LostError(str(error)) from None
        answer = self._answers.pop(message.id)
        if isinstance(answer, RequestError):
            raise answer
        return answer

    async def close(self) -> None:
        self._transport.close()
        await asyncio.shield(self._receiver.closed)

    async def _read(self) -> None:
        """Take one event off the connection."""
        self._handle(await self._receiver.message())

    async def _catch_up(self, lateness: _latest.Lateness) -> None:
        """Skip to the newest frame that is there, or on its way where those that are there are late."""
        self._take_ready()
        first = self._frames[0]
        if len(self._frames) == 1 and not (isinstance(first, Frame) and lateness.is_late(first)):
            return
        for _ in range(_latest.ROUNDS):
            if isinstance(self._frames[-1], sync_pb2.End) or not await self._receiver.more(_latest.PATIENCE):
                break
            self._take_ready()
        _latest.skip_to_newest(self._frames)

    def _take_ready(self) -> None:
        try:
            while self._error is None and self._receiver.buffer.is_ready():
                self._handle(self._receiver.take())
        except AbathurError as error:
            # What came before it is had first.
            self._error = error

    def _handle(self, data: bytes) -> None:
        received = _frame.monotonic_ns()
        if self._binary:
            event = _messages.event_from_bytes(data, received, self._payloads)
        else:
            event = _messages.event_from_line(data, received)
        if isinstance(event, tuple):
            self._answers[event[0]] = event[1]
        else:
            self._frames.append(event)

    def _send(self, message: sync_pb2.ClientMessage) -> None:
        self._transport.write(_encode(message, self._binary))


class BlockingSocketConnection:
    """A daemon's socket, for threads. The same calls as `AsyncSocketConnection`, from one thread."""

    def __init__(self, address: Address) -> None:
        """Connect with `subscribe`."""
        self._address = address
        self._streams: list[_BlockingStream] = []
        self._match: sync_pb2.Match | None = None

    def close(self) -> None:
        """Close all connections."""
        for stream in self._streams.copy():
            stream.close()

    def match(self) -> sync_pb2.Match | None:
        """What is fixed for the match; known once frames are being read."""
        return self._match

    def status(self) -> sync_pb2.Status:
        """What the daemon is doing."""
        return self._newest().request(sync_pb2.ClientMessage(status=sync_pb2.GetStatusRequest())).status

    def act(self, request: sync_pb2.ActRequest) -> sync_pb2.ActResult:
        """Give actions to the game."""
        return self._newest().request(sync_pb2.ClientMessage(act=request)).act

    def draw(self, request: sync_pb2.DrawRequest) -> sync_pb2.DrawResult:
        """Draw over the map."""
        return self._newest().request(sync_pb2.ClientMessage(draw=request)).draw

    def control(self, request: sync_pb2.ControlRequest) -> sync_pb2.PlaybackState:
        """Steer the playback."""
        return self._newest().request(sync_pb2.ClientMessage(control=request)).control

    def subscribe(self, request: sync_pb2.SubscribeRequest, limit: int) -> Iterator[Frame]:
        """Frames until the match ends; payloads of up to `limit` bytes."""
        stream = _BlockingStream(self._address, _chosen(request), limit)
        self._streams.append(stream)
        try:
            self._match = stream.start()
            while (frame := stream.next()) is not None:
                yield frame
                stream.acknowledge(frame)
        except ConnectionError as error:
            raise LostError(str(error)) from None
        finally:
            self._streams.remove(stream)
            stream.close()

    def _newest(self) -> _BlockingStream:
        if not self._streams:
            raise RequestError(*_NO_STREAM)
        return self._streams[-1]


class _BlockingStream:
    """One connection with its subscription. The twin of `_AsyncStream`."""

    def __init__(self, address: Address, request: sync_pb2.SubscribeRequest, limit: int) -> None:
        self._request = request
        self._token = address.token
        self._payloads = PayloadReader(limit)
        self._ids = itertools.count(1)
        self._frames: collections.deque[Frame | sync_pb2.End] = collections.deque()
        self._error: AbathurError | None = None
        self._binary = request.encoding not in (sync_pb2.auto, sync_pb2.json)
        self._acknowledges = needs_acknowledgements(request)
        self._lateness = _latest.Lateness() if request.policy == sync_pb2.latest else None
        try:
            self._socket = open_socket(address)
        except OSError as error:
            raise LostError(str(error)) from None
        _keep_fresh(self._socket)
        self._receiver = BlockingReceiver(self._socket)

    def start(self) -> sync_pb2.Match:
        first = sync_pb2.ClientMessage(subscribe=self._request, token=self._token or "")
        self._socket.sendall(_messages.to_line(first))
        match = _messages.match_from_line(self._receiver.message())
        self._receiver.buffer.binary = self._binary
        return match

    def next(self) -> Frame | None:
        """The next frame; None at the end of the match."""
        while not self._frames:
            self._take(self._event())
        if self._lateness is not None:
            self._catch_up(self._lateness)
        first = self._frames.popleft()
        return None if isinstance(first, sync_pb2.End) else first

    def acknowledge(self, frame: Frame) -> None:
        if self._acknowledges:
            # The daemon may have said goodbye and closed already; whoever reads next is told by what it left.
            with contextlib.suppress(ConnectionError):
                self._send(sync_pb2.ClientMessage(ack=sync_pb2.Ack(sequence=frame.sequence)))

    def request(self, message: sync_pb2.ClientMessage) -> sync_pb2.Result:
        message.id = next(self._ids)
        try:
            self._send(message)
            while True:
                event = self._event()
                if not isinstance(event, tuple):
                    self._frames.append(event)
                elif event[0] == message.id:
                    if isinstance(event[1], RequestError):
                        raise event[1]
                    return event[1]
        except ConnectionError as error:
            raise LostError(str(error)) from None

    def close(self) -> None:
        self._socket.close()

    def _catch_up(self, lateness: _latest.Lateness) -> None:
        """See `_AsyncStream._catch_up`."""
        self._take_ready()
        first = self._frames[0]
        if len(self._frames) == 1 and not (isinstance(first, Frame) and lateness.is_late(first)):
            return
        for _ in range(_latest.ROUNDS):
            if isinstance(self._frames[-1], sync_pb2.End) or not self._receiver.more(_latest.PATIENCE):
                break
            self._take_ready()
        _latest.skip_to_newest(self._frames)

    def _take_ready(self) -> None:
        try:
            while self._error is None and self._receiver.buffer.is_ready():
                self._take(self._event())
        except AbathurError as error:
            # What came before it is had first.
            self._error = error

    def _take(self, event: _messages.Event) -> None:
        if not isinstance(event, tuple):
            self._frames.append(event)
        elif isinstance(event[1], RequestError):
            raise event[1]

    def _event(self) -> _messages.Event:
        if self._error is not None:
            raise self._error
        data = self._receiver.message()
        received = _frame.monotonic_ns()
        if self._binary:
            return _messages.event_from_bytes(data, received, self._payloads)
        return _messages.event_from_line(data, received)

    def _send(self, message: sync_pb2.ClientMessage) -> None:
        self._socket.sendall(_encode(message, self._binary))


def open_socket(address: Address, timeout: float | None = None) -> socket.socket:
    """A connected blocking socket: TCP, with TLS where the address says so, or Unix domain.

    Raises:
        OSError: nothing answers in `timeout` seconds, or what answers shows a certificate that is not trusted.
    """
    if address.path is None:
        connection = socket.create_connection((address.host, address.port), timeout)
        try:
            context = address.ssl_context()
            return connection if context is None else context.wrap_socket(connection, server_hostname=address.host)
        except BaseException:
            connection.close()
            raise
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(timeout)
        connection.connect(address.path)
    except BaseException:
        connection.close()
        raise
    return connection


def _chosen(request: sync_pb2.SubscribeRequest) -> sync_pb2.SubscribeRequest:
    """The request with its encoding named: this transport's own is JSON, and lines of it are not compressed."""
    if request.encoding != sync_pb2.auto or request.compression == sync_pb2.none:
        return request
    chosen = sync_pb2.SubscribeRequest()
    chosen.CopyFrom(request)
    chosen.encoding = sync_pb2.proto
    return chosen


def _keep_fresh(connection: socket.socket) -> None:
    """Bound what the operating system holds for a paused reader: left alone it takes megabytes of stale frames."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)


def _encode(message: sync_pb2.ClientMessage, binary: bool) -> bytes:
    return _messages.to_prefixed(message) if binary else _messages.to_line(message)

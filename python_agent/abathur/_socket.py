"""Raw socket connections, TCP and Unix domain: asynchronous and blocking.

A connection of the daemon's socket carries one subscription; requests (act, control) travel on it while it is open.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import io
import itertools
import socket
from collections.abc import AsyncGenerator, Iterator

from abathur import _frame, _messages
from abathur._address import Address
from abathur._frame import Frame
from abathur._payloads import PayloadReader
from abathur._request import needs_acknowledgements
from abathur.errors import LostError, ProtocolError, RequestError
from abathur.sync.v1 import sync_pb2

_BUFFER_BYTES = 256 * 1024
_NO_STREAM = ("FAILED_PRECONDITION", "the socket answers requests only while frames() is being read")


class _AsyncReader:
    """Lines and counted bytes off a stream.

    Reads ahead no more than a few hundred KB: what waits in this process is what a paused agent finds stale.
    """

    def __init__(self, stream: asyncio.StreamReader) -> None:
        self._stream = stream
        self._buffer = bytearray()

    async def line(self) -> bytes:
        """The next line, with its end."""
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if searched > _messages.MAX_MESSAGE_BYTES:
                raise ProtocolError(f"a line is longer than {_messages.MAX_MESSAGE_BYTES} bytes")
            await self._fill()
        return self._take(end + 1)

    async def message(self) -> bytes:
        """The next message behind its length. Taken whole or not at all, so that a cancelled wait loses nothing."""
        start = _messages.PREFIX.size
        while len(self._buffer) < start:
            await self._fill()
        end = start + _messages.prefixed_length(self._buffer[:start])
        while len(self._buffer) < end:
            await self._fill()
        return self._take(end)[start:]

    async def _fill(self) -> None:
        data = await self._stream.read(_BUFFER_BYTES)
        if not data:
            raise ConnectionResetError("the daemon closed the connection")
        self._buffer += data

    def _take(self, size: int) -> bytes:
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return data


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
        """Not offered by the socket."""
        raise RequestError("UNIMPLEMENTED", "status is offered by gRPC only")

    async def act(self, request: sync_pb2.ActRequest) -> sync_pb2.ActResult:
        """Give actions to the game."""
        return (await self._newest().request(sync_pb2.ClientMessage(act=request))).act

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
        limit: int,
        reader: _AsyncReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._request = request
        self._payloads = PayloadReader(limit)
        self._reader = reader
        self._writer = writer
        self._ids = itertools.count(1)
        self._reading = asyncio.Lock()
        self._frames: collections.deque[Frame | sync_pb2.End] = collections.deque()
        self._answers: dict[int, sync_pb2.Result | RequestError] = {}
        self._binary = request.encoding not in (sync_pb2.auto, sync_pb2.json)
        self._acknowledges = needs_acknowledgements(request)

    @classmethod
    async def open(cls, address: Address, request: sync_pb2.SubscribeRequest, limit: int) -> _AsyncStream:
        try:
            if address.path is not None:
                reader, writer = await asyncio.open_unix_connection(address.path)
            else:
                reader, writer = await asyncio.open_connection(address.host, address.port)
        except OSError as error:
            raise LostError(str(error)) from None
        _keep_fresh(writer.get_extra_info("socket"))
        return cls(request, limit, _AsyncReader(reader), writer)

    async def start(self) -> sync_pb2.Match:
        self._writer.write(_messages.to_line(sync_pb2.ClientMessage(subscribe=self._request)))
        async with self._reading:
            return _messages.match_from_line(await self._reader.line())

    async def next(self) -> Frame | None:
        """The next frame; None at the end of the match."""
        while not self._frames:
            async with self._reading:
                if not self._frames:
                    await self._read()
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
                    try:
                        await self._read()
                    except ConnectionError as error:
                        raise LostError(str(error)) from None
        answer = self._answers.pop(message.id)
        if isinstance(answer, RequestError):
            raise answer
        return answer

    async def close(self) -> None:
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    async def _read(self) -> None:
        """Take one event off the connection."""
        if self._binary:
            data = await self._reader.message()
            event = _messages.event_from_bytes(data, _frame.monotonic_ns(), self._payloads)
        else:
            line = await self._reader.line()
            event = _messages.event_from_line(line, _frame.monotonic_ns())
        if isinstance(event, tuple):
            self._answers[event[0]] = event[1]
        else:
            self._frames.append(event)

    def _send(self, message: sync_pb2.ClientMessage) -> None:
        self._writer.write(_encode(message, self._binary))


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
        """Not offered by the socket."""
        raise RequestError("UNIMPLEMENTED", "status is offered by gRPC only")

    def act(self, request: sync_pb2.ActRequest) -> sync_pb2.ActResult:
        """Give actions to the game."""
        return self._newest().request(sync_pb2.ClientMessage(act=request)).act

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
        self._payloads = PayloadReader(limit)
        self._ids = itertools.count(1)
        self._frames: collections.deque[Frame | sync_pb2.End] = collections.deque()
        self._binary = request.encoding not in (sync_pb2.auto, sync_pb2.json)
        self._acknowledges = needs_acknowledgements(request)
        try:
            self._socket = open_socket(address)
        except OSError as error:
            raise LostError(str(error)) from None
        _keep_fresh(self._socket)
        self._file = io.BufferedReader(self._socket.makefile("rb", 0), _BUFFER_BYTES)

    def start(self) -> sync_pb2.Match:
        self._socket.sendall(_messages.to_line(sync_pb2.ClientMessage(subscribe=self._request)))
        return _messages.match_from_line(self._line())

    def next(self) -> Frame | None:
        """The next frame; None at the end of the match."""
        while not self._frames:
            event = self._event()
            if not isinstance(event, tuple):
                self._frames.append(event)
            elif isinstance(event[1], RequestError):
                raise event[1]
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
        self._file.close()
        self._socket.close()

    def _event(self) -> _messages.Event:
        if not self._binary:
            line = self._line()
            return _messages.event_from_line(line, _frame.monotonic_ns())
        length = _messages.prefixed_length(self._read(_messages.PREFIX.size))
        data = self._read(length)
        return _messages.event_from_bytes(data, _frame.monotonic_ns(), self._payloads)

    def _line(self) -> bytes:
        line = self._file.readline(_messages.MAX_MESSAGE_BYTES)
        if not line.endswith(b"\n"):
            raise ConnectionResetError("the daemon closed the connection")
        return line

    def _read(self, size: int) -> bytes:
        data = self._file.read(size)
        if len(data) < size:
            raise ConnectionResetError("the daemon closed the connection")
        return data

    def _send(self, message: sync_pb2.ClientMessage) -> None:
        self._socket.sendall(_encode(message, self._binary))


def open_socket(address: Address, timeout: float | None = None) -> socket.socket:
    """A connected blocking socket, TCP or Unix domain. Raises OSError where nothing answers in `timeout` seconds."""
    if address.path is None:
        return socket.create_connection((address.host, address.port), timeout)
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

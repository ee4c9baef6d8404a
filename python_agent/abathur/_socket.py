"""Raw socket connections, TCP and Unix domain: asynchronous and blocking.

A connection of the daemon's socket carries one subscription; requests (act, control) travel on it while it is open.
"""

from __future__ import annotations

import asyncio
import collections
import io
import itertools
import socket
from collections.abc import AsyncGenerator, Iterator

from abathur import _frame, _messages
from abathur._address import Address
from abathur._frame import Frame
from abathur._grpc import LostError
from abathur._request import needs_acknowledgements
from abathur.errors import RequestError
from abathur.sync.v1 import sync_pb2

_BUFFER_BYTES = 256 * 1024
_NO_STREAM = RequestError("FAILED_PRECONDITION", "the socket answers requests only while frames() is being read")


class AsyncSocketConnection:
    """A daemon's socket, for asyncio."""

    def __init__(self, address: Address) -> None:
        """Connect with `subscribe`."""
        self._address = address
        self._writer: asyncio.StreamWriter | None = None
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[sync_pb2.Result]] = {}
        self._binary = False
        self._match: sync_pb2.Match | None = None

    async def close(self) -> None:
        """Close the connection."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()

    async def match(self) -> sync_pb2.Match | None:
        """What is fixed for the match; known once frames are being read."""
        return self._match

    async def status(self) -> sync_pb2.Status:
        """Not offered by the socket."""
        raise RequestError("UNIMPLEMENTED", "status is offered by gRPC only")

    async def act(self, request: sync_pb2.ActRequest) -> sync_pb2.ActResult:
        """Give actions to the game."""
        return (await self._request(sync_pb2.ClientMessage(act=request))).act

    async def control(self, request: sync_pb2.ControlRequest) -> sync_pb2.PlaybackState:
        """Steer the playback."""
        return (await self._request(sync_pb2.ClientMessage(control=request))).control

    async def subscribe(self, request: sync_pb2.SubscribeRequest) -> AsyncGenerator[Frame, None]:
        """Frames until the match ends."""
        reader, writer = await self._open()
        self._writer = writer
        self._binary = request.encoding not in (sync_pb2.auto, sync_pb2.json)
        acknowledges = needs_acknowledgements(request)
        try:
            writer.write(_messages.to_line(sync_pb2.ClientMessage(subscribe=request)))
            self._match = _messages.match_from_line(await _line(reader))
            while True:
                event = await self._event(reader)
                if isinstance(event, sync_pb2.End):
                    return
                if isinstance(event, tuple):
                    self._answer(*event)
                    continue
                yield event
                if acknowledges:
                    self._send(sync_pb2.ClientMessage(ack=sync_pb2.Ack(sequence=event.sequence)))
        except (ConnectionError, asyncio.IncompleteReadError) as error:
            raise LostError(str(error)) from None
        finally:
            self._writer = None
            for future in self._waiting.values():
                future.cancel()
            self._waiting.clear()
            writer.close()

    async def _open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        limit = _messages.MAX_MESSAGE_BYTES
        try:
            if self._address.path is not None:
                return await asyncio.open_unix_connection(self._address.path, limit=limit)
            return await asyncio.open_connection(self._address.host, self._address.port, limit=limit)
        except OSError as error:
            raise LostError(str(error)) from None

    async def _event(self, reader: asyncio.StreamReader) -> _messages.Event:
        if not self._binary:
            line = await _line(reader)
            return _messages.event_from_line(line, _frame.monotonic_ns())
        prefix = await reader.readexactly(_messages.PREFIX.size)
        data = await reader.readexactly(_messages.prefixed_length(prefix))
        return _messages.event_from_bytes(data, _frame.monotonic_ns())

    async def _request(self, message: sync_pb2.ClientMessage) -> sync_pb2.Result:
        if self._writer is None:
            raise _NO_STREAM
        message.id = next(self._ids)
        future: asyncio.Future[sync_pb2.Result] = asyncio.get_running_loop().create_future()
        self._waiting[message.id] = future
        self._send(message)
        return await future

    def _send(self, message: sync_pb2.ClientMessage) -> None:
        if self._writer is not None:
            self._writer.write(_encode(message, self._binary))

    def _answer(self, request: int, answer: sync_pb2.Result | RequestError) -> None:
        future = self._waiting.pop(request, None)
        if isinstance(answer, RequestError):
            if future is None:
                raise answer
            future.set_exception(answer)
        elif future is not None and not future.cancelled():
            future.set_result(answer)


class BlockingSocketConnection:
    """A daemon's socket, for threads. The same calls as `AsyncSocketConnection`, from one thread."""

    def __init__(self, address: Address) -> None:
        """Connect with `subscribe`."""
        self._address = address
        self._socket: socket.socket | None = None
        self._file: io.BufferedReader | None = None
        self._ids = itertools.count(1)
        self._frames: collections.deque[Frame | sync_pb2.End] = collections.deque()
        self._binary = False
        self._match: sync_pb2.Match | None = None

    def close(self) -> None:
        """Close the connection."""
        connection, self._socket = self._socket, None
        file, self._file = self._file, None
        if file is not None:
            file.close()
        if connection is not None:
            connection.close()

    def match(self) -> sync_pb2.Match | None:
        """What is fixed for the match; known once frames are being read."""
        return self._match

    def status(self) -> sync_pb2.Status:
        """Not offered by the socket."""
        raise RequestError("UNIMPLEMENTED", "status is offered by gRPC only")

    def act(self, request: sync_pb2.ActRequest) -> sync_pb2.ActResult:
        """Give actions to the game."""
        return self._request(sync_pb2.ClientMessage(act=request)).act

    def control(self, request: sync_pb2.ControlRequest) -> sync_pb2.PlaybackState:
        """Steer the playback."""
        return self._request(sync_pb2.ClientMessage(control=request)).control

    def subscribe(self, request: sync_pb2.SubscribeRequest) -> Iterator[Frame]:
        """Frames until the match ends."""
        self._open()
        self._binary = request.encoding not in (sync_pb2.auto, sync_pb2.json)
        acknowledges = needs_acknowledgements(request)
        try:
            self._write(_messages.to_line(sync_pb2.ClientMessage(subscribe=request)))
            self._match = _messages.match_from_line(self._line())
            while True:
                event = self._frames.popleft() if self._frames else self._event()
                if isinstance(event, sync_pb2.End):
                    return
                if isinstance(event, tuple):
                    if isinstance(event[1], RequestError):
                        raise event[1]
                    continue
                yield event
                if acknowledges:
                    acknowledgement = sync_pb2.Ack(sequence=event.sequence)
                    self._write(_encode(sync_pb2.ClientMessage(ack=acknowledgement), self._binary))
        except ConnectionError as error:
            raise LostError(str(error)) from None
        finally:
            self._frames.clear()
            self.close()

    def _open(self) -> None:
        try:
            if self._address.path is not None:
                self._socket = socket.socket(socket.AF_UNIX)
                self._socket.connect(self._address.path)
            else:
                self._socket = socket.create_connection((self._address.host, self._address.port))
        except OSError as error:
            self.close()
            raise LostError(str(error)) from None
        self._file = io.BufferedReader(self._socket.makefile("rb", 0), _BUFFER_BYTES)

    def _request(self, message: sync_pb2.ClientMessage) -> sync_pb2.Result:
        if self._socket is None:
            raise _NO_STREAM
        message.id = next(self._ids)
        self._write(_encode(message, self._binary))
        while True:
            event = self._event()
            if not isinstance(event, tuple):
                self._frames.append(event)
            elif event[0] == message.id:
                if isinstance(event[1], RequestError):
                    raise event[1]
                return event[1]

    def _event(self) -> _messages.Event:
        if not self._binary:
            line = self._line()
            return _messages.event_from_line(line, _frame.monotonic_ns())
        length = _messages.prefixed_length(self._read(_messages.PREFIX.size))
        data = self._read(length)
        return _messages.event_from_bytes(data, _frame.monotonic_ns())

    def _line(self) -> bytes:
        line = self._open_file().readline(_messages.MAX_MESSAGE_BYTES)
        if not line.endswith(b"\n"):
            raise ConnectionResetError("the daemon closed the connection")
        return line

    def _read(self, size: int) -> bytes:
        data = self._open_file().read(size)
        if len(data) < size:
            raise ConnectionResetError("the daemon closed the connection")
        return data

    def _open_file(self) -> io.BufferedReader:
        if self._file is None:
            raise ConnectionResetError("the connection is closed")
        return self._file

    def _write(self, data: bytes) -> None:
        if self._socket is not None:
            self._socket.sendall(data)


def _encode(message: sync_pb2.ClientMessage, binary: bool) -> bytes:
    return _messages.to_prefixed(message) if binary else _messages.to_line(message)


async def _line(reader: asyncio.StreamReader) -> bytes:
    line = await reader.readline()
    if not line.endswith(b"\n"):
        raise ConnectionResetError("the daemon closed the connection")
    return line

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

    async def exactly(self, size: int) -> bytes:
        """The next bytes."""
        while len(self._buffer) < size:
            await self._fill()
        return self._take(size)

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
    """A daemon's socket, for asyncio."""

    def __init__(self, address: Address) -> None:
        """Connect with `subscribe`."""
        self._address = address
        self._reader: _AsyncReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._ids = itertools.count(1)
        self._reading = asyncio.Lock()
        self._frames: collections.deque[Frame | sync_pb2.End] = collections.deque()
        self._answers: dict[int, sync_pb2.Result | RequestError] = {}
        self._binary = False
        self._match: sync_pb2.Match | None = None

    async def close(self) -> None:
        """Close the connection."""
        writer, self._writer = self._writer, None
        self._reader = None
        if writer is not None:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

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
        await self._open()
        self._binary = request.encoding not in (sync_pb2.auto, sync_pb2.json)
        acknowledges = needs_acknowledgements(request)
        try:
            self._write(_messages.to_line(sync_pb2.ClientMessage(subscribe=request)))
            async with self._reading:
                self._match = _messages.match_from_line(await self._open_reader().line())
            while True:
                while not self._frames:
                    async with self._reading:
                        if not self._frames:
                            await self._read()
                event = self._frames.popleft()
                if isinstance(event, sync_pb2.End):
                    return
                yield event
                if acknowledges:
                    self._send(sync_pb2.ClientMessage(ack=sync_pb2.Ack(sequence=event.sequence)))
        except ConnectionError as error:
            raise LostError(str(error)) from None
        finally:
            self._frames.clear()
            self._answers.clear()
            await self.close()

    async def _open(self) -> None:
        try:
            if self._address.path is not None:
                reader, self._writer = await asyncio.open_unix_connection(self._address.path)
            else:
                reader, self._writer = await asyncio.open_connection(self._address.host, self._address.port)
        except OSError as error:
            raise LostError(str(error)) from None
        _keep_fresh(self._writer.get_extra_info("socket"))
        self._reader = _AsyncReader(reader)

    async def _request(self, message: sync_pb2.ClientMessage) -> sync_pb2.Result:
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

    async def _read(self) -> None:
        """Take one event off the connection."""
        event = await self._event()
        if isinstance(event, tuple):
            self._answers[event[0]] = event[1]
        else:
            self._frames.append(event)

    async def _event(self) -> _messages.Event:
        reader = self._open_reader()
        if not self._binary:
            line = await reader.line()
            return _messages.event_from_line(line, _frame.monotonic_ns())
        prefix = await reader.exactly(_messages.PREFIX.size)
        data = await reader.exactly(_messages.prefixed_length(prefix))
        return _messages.event_from_bytes(data, _frame.monotonic_ns())

    def _open_reader(self) -> _AsyncReader:
        if self._reader is None:
            raise ConnectionResetError("the connection is closed")
        return self._reader

    def _send(self, message: sync_pb2.ClientMessage) -> None:
        if self._writer is None:
            raise RequestError(*_NO_STREAM)
        self._write(_encode(message, self._binary))

    def _write(self, data: bytes) -> None:
        if self._writer is not None:
            self._writer.write(data)


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
        _keep_fresh(self._socket)
        self._file = io.BufferedReader(self._socket.makefile("rb", 0), _BUFFER_BYTES)

    def _request(self, message: sync_pb2.ClientMessage) -> sync_pb2.Result:
        if self._socket is None:
            raise RequestError(*_NO_STREAM)
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


def _keep_fresh(connection: socket.socket) -> None:
    """Bound what the operating system holds for a paused reader: left alone it takes megabytes of stale frames."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)


def _encode(message: sync_pb2.ClientMessage, binary: bool) -> bytes:
    return _messages.to_prefixed(message) if binary else _messages.to_line(message)

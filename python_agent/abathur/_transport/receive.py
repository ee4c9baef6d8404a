"""Splits the input of a socket into lines or length-prefixed messages."""

from __future__ import annotations

import asyncio
import socket
import time

from abathur._transport import messages
from abathur.errors import ProtocolError

#: Large enough for everything that the system buffers, so that one call reads all of it.
_CAPACITY = 1024 * 1024
_MIN_ROOM = 64 * 1024
#: 0 would make the socket non-blocking.
_MIN_TIMEOUT = 0.001
#: More than this stays in the buffers of the system, which are bounded.
_AHEAD_BYTES = 512 * 1024


class ReceiveBuffer:
    """Bytes received and not consumed yet.

    Attributes:
        binary: Whether messages are length-prefixed; else they are lines.
    """

    def __init__(self) -> None:
        """Start empty, with lines."""
        self.binary = False
        self._data = bytearray(_CAPACITY)
        self._start = 0
        self._end = 0
        self._searched = 0

    def __len__(self) -> int:
        """Number of unconsumed bytes."""
        return self._end - self._start

    def room(self) -> memoryview:
        """The memory to receive into. It may move unconsumed bytes, so do not call it during a receive."""
        if self._start == self._end:
            self._start = self._end = self._searched = 0
        if len(self._data) - self._end < self._wanted():
            self._move()
        return memoryview(self._data)[self._end :]

    def received(self, size: int) -> None:
        """Add bytes that were received into `room`."""
        self._end += size

    def is_ready(self) -> bool:
        """Whether a complete message was received. Raises ProtocolError if it is too long."""
        if self.binary:
            return len(self) >= messages.PREFIX.size and self._missing() <= 0
        if self._searched < self._start:
            self._searched = self._start
        found = self._data.find(b"\n", self._searched, self._end)
        self._searched = self._end if found < 0 else found
        if found < 0 and len(self) > messages.MAX_MESSAGE_BYTES:
            raise ProtocolError(f"a line is longer than {messages.MAX_MESSAGE_BYTES} bytes")
        return found >= 0

    def take(self) -> bytes:
        """Consume the next message, which must be ready: a line with its end, or a message without its length."""
        if self.binary:
            start = self._start + messages.PREFIX.size
            end = start + self._length()
        else:
            start, end = self._start, self._searched + 1
        self._start = end
        return bytes(memoryview(self._data)[start:end])

    def _length(self) -> int:
        return messages.prefixed_length(self._data[self._start : self._start + messages.PREFIX.size])

    def _missing(self) -> int:
        """Missing bytes of the next message, if known."""
        if not self.binary or len(self) < messages.PREFIX.size:
            return 0
        return messages.PREFIX.size + self._length() - len(self)

    def _wanted(self) -> int:
        try:
            return max(self._missing(), _MIN_ROOM)
        except ProtocolError:
            # The caller that takes the message gets the error.
            return _MIN_ROOM

    def _move(self) -> None:
        needed = len(self) + self._wanted()
        size = len(self._data)
        while size < needed:
            size *= 2
        data = self._data if size == len(self._data) else bytearray(size)
        waiting = bytes(memoryview(self._data)[self._start : self._end])
        data[: len(waiting)] = waiting
        self._data = data
        self._searched = max(0, self._searched - self._start)
        self._start, self._end = 0, len(waiting)


class AsyncReceiver(asyncio.BufferedProtocol):
    """The receiving side of a connection with asyncio, without a stream reader. One task waits at a time."""

    def __init__(self) -> None:
        """Created by the connection."""
        self.buffer = ReceiveBuffer()
        self.closed = asyncio.get_running_loop().create_future()
        self._transport: asyncio.Transport | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._waits_for_any = False
        self._paused = False
        self._failure: Exception | None = None

    async def message(self) -> bytes:
        """The next message. It is consumed only when it is complete, so a cancelled wait loses nothing.

        Raises:
            ConnectionError: the connection is closed, and there is no further message.
            ProtocolError: it is too long.
        """
        while not self.buffer.is_ready():
            if self._failure is not None:
                raise self._failure
            await self._wait(for_any=False)
        return self.take()

    def take(self) -> bytes:
        """The next message, which must be ready."""
        message = self.buffer.take()
        if self._paused and len(self.buffer) < _AHEAD_BYTES and self._transport is not None:
            self._paused = False
            self._transport.resume_reading()
        return message

    async def more(self, timeout: float) -> bool:
        """Whether anything is received within `timeout` seconds."""
        if self._failure is not None:
            return False
        try:
            async with asyncio.timeout(timeout):
                await self._wait(for_any=True)
        except TimeoutError:
            return False
        return True

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by asyncio."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def get_buffer(self, sizehint: int) -> memoryview:
        """Called by asyncio."""
        return self.buffer.room()

    def buffer_updated(self, nbytes: int) -> None:
        """Called by asyncio."""
        self.buffer.received(nbytes)
        try:
            ready = self.buffer.is_ready()
        except ProtocolError:
            # The waiting caller gets the error.
            ready = True
        if ready and len(self.buffer) >= _AHEAD_BYTES and not self._paused and self._transport is not None:
            self._paused = True
            self._transport.pause_reading()
        if ready or self._waits_for_any:
            self._wake()

    def eof_received(self) -> None:
        """Called by asyncio."""
        self._fail(ConnectionResetError("the daemon closed the connection"))

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by asyncio."""
        self._fail(
            exc if isinstance(exc, ConnectionError) else ConnectionResetError("the daemon closed the connection")
        )
        if not self.closed.done():
            self.closed.set_result(None)

    async def _wait(self, *, for_any: bool) -> None:
        self._waits_for_any = for_any
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _fail(self, error: Exception) -> None:
        self._failure = self._failure or error
        self._wake()


class BlockingReceiver:
    """The receiving side of a blocking socket. The twin of `AsyncReceiver`."""

    def __init__(self, connection: socket.socket) -> None:
        """Receive from a connected socket, which the caller closes."""
        self.buffer = ReceiveBuffer()
        self._socket = connection

    def message(self, until: float | None = None) -> bytes:
        """See `AsyncReceiver.message`.

        Raises:
            TimeoutError: it did not arrive before `time.monotonic` is `until`.
        """
        try:
            while not self.buffer.is_ready():
                if until is not None:
                    self._socket.settimeout(max(until - time.monotonic(), _MIN_TIMEOUT))
                self._receive()
                if until is not None and time.monotonic() > until and not self.buffer.is_ready():
                    raise TimeoutError
        finally:
            if until is not None:
                self._socket.settimeout(None)
        return self.buffer.take()

    def take(self) -> bytes:
        """See `AsyncReceiver.take`."""
        return self.buffer.take()

    def more(self, timeout: float) -> bool:
        """See `AsyncReceiver.more`."""
        self._socket.settimeout(timeout)
        try:
            self._receive()
        except (TimeoutError, ConnectionError):
            # The next read raises the error again.
            return False
        finally:
            self._socket.settimeout(None)
        return True

    def _receive(self) -> None:
        size = self._socket.recv_into(self.buffer.room())
        if size == 0:
            raise ConnectionResetError("the daemon closed the connection")
        self.buffer.received(size)

"""Streams of messages to `Publish`: over gRPC and over the socket, asynchronous and blocking."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import grpc

from abathur._program.address import Address
from abathur._transport import messages
from abathur._transport.grpc_channel import SERVICE, OwnProcess, channel, metadata, tell
from abathur._transport.grpc_errors import translate
from abathur._transport.receive import AsyncReceiver
from abathur._transport.socket_open import open_async, open_socket
from abathur.errors import ConnectError, ConnectionLostError, LostError, ProtocolError
from abathur.sync.v1 import sync_pb2

_METHOD = SERVICE + "Publish"
#: Messages that may wait for grpcio before the publisher waits itself.
_MAX_WAITING = 8
_CONNECT_SECONDS = 10.0
_END = sync_pb2.PublishRequest(end=sync_pb2.End()).SerializeToString()


class _InTurn:
    """Sends messages in order, each completely, even if the caller of one is cancelled."""

    def __init__(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        self._send = send
        self._sending: asyncio.Future[None] | None = None

    async def wait(self) -> None:
        """Wait until nothing is being sent. Errors are raised to the caller that sent the message."""
        while self._sending is not None and not self._sending.done():
            await asyncio.wait([self._sending])

    async def send(self, message: bytes) -> None:
        """Send a message. Cancelled while another one is being sent, this one is not sent; later, it is."""
        await self.wait()
        self._sending = asyncio.ensure_future(self._send(message))
        await asyncio.shield(self._sending)


class _Requests:
    """Messages on their way from an event loop to the thread in which grpcio takes them; a few may wait."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._room = asyncio.Semaphore(_MAX_WAITING)
        self._is_over = False

    async def put(self, message: bytes) -> bool:
        """Wait for room, and give a message. False if no more is taken."""
        await self._room.acquire()
        if self._is_over:
            self._room.release()
        else:
            self._waiting.put(message)
        return not self._is_over

    def end(self) -> None:
        """Nothing follows."""
        self._is_over = True
        self._room.release()
        self._waiting.put(None)

    def __iter__(self) -> Iterator[bytes]:
        """The messages. In another thread."""
        while (message := self._waiting.get()) is not None:
            tell(self._loop, self._room.release)
            yield message


class AsyncGrpcStream:
    """A stream of messages to `Publish`, for asyncio.

    Not by `grpc.aio`: if a write fails there, the status that the daemon has sent is lost.
    """

    def __init__(self, address: Address) -> None:
        self._address = address
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._requests = _Requests()
        self._process = OwnProcess(address)
        self._channel = channel(address)
        call: Any = self._channel.stream_unary(_METHOD, response_deserializer=sync_pb2.PublishResult.FromString)
        self._future: Any = call.future(iter(self._requests), metadata=metadata(address))
        self._future.add_done_callback(lambda _: tell(self._loop, self._end))
        self._turn = _InTurn(self._put)

    @classmethod
    async def open(cls, address: Address, match: sync_pb2.Match) -> AsyncGrpcStream:
        """Connect, and send the match."""
        stream = cls(address)
        try:
            await stream._connect()
            await stream.send(sync_pb2.PublishRequest(match=match).SerializeToString())
        except BaseException:
            await stream.close()
            raise
        return stream

    async def _connect(self) -> None:
        """Wait for the connection: messages sent before would only be queued."""
        answered = asyncio.Event()
        greeting = _greet(self._channel, self._address)
        greeting.add_done_callback(lambda _: tell(self._loop, answered.set))
        await answered.wait()
        _raise_without_connection(greeting, self._address)

    async def send(self, message: bytes) -> None:
        """Send a message; waits if the daemon is slower."""
        await self._turn.send(message)

    async def _put(self, message: bytes) -> None:
        self._process.check()
        if not await self._requests.put(message):
            await self._result()
            raise ConnectionLostError(str(self._address), "the daemon has ended the stream")

    async def finish(self) -> int:
        """End the stream. Returns how many observations the daemon accepted."""
        await self._turn.wait()
        self._requests.end()
        return await self._result()

    async def close(self) -> int:
        """Abort the stream."""
        self._future.cancel()
        self._requests.end()
        self._channel.close()
        return 0

    async def _result(self) -> int:
        await self._ended.wait()
        try:
            return int(self._future.result().frames)
        except grpc.RpcError as error:
            raise _connection_error(translate(error), self._address) from None
        finally:
            self._channel.close()

    def _end(self) -> None:
        self._ended.set()
        self._requests.end()


class AsyncSocketStream:
    """Length-prefixed messages to the daemon's socket, for asyncio."""

    def __init__(self, address: Address, transport: asyncio.Transport, receiver: AsyncReceiver) -> None:
        self._address = address
        self._transport = transport
        self._receiver = receiver
        self._turn = _InTurn(self._write)

    @classmethod
    async def open(cls, address: Address, match: sync_pb2.Match) -> AsyncSocketStream:
        """Connect, and send the match."""
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                transport, receiver = await open_async(address)
        except OSError as error:
            raise ConnectError(str(address), str(error) or "no answer") from None
        stream = cls(address, transport, receiver)
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                await stream._start()
            # Not in the first line, because game data is too long for it.
            await stream.send(sync_pb2.PublishRequest(match=match).SerializeToString())
        except (OSError, LostError) as error:
            await stream.close()
            raise ConnectionLostError(str(address), str(error) or "no answer") from None
        except BaseException:
            await stream.close()
            raise
        return stream

    async def _start(self) -> None:
        self._transport.write(_first_line(self._address))
        messages.match_from_line(await self._receiver.message())

    async def send(self, message: bytes) -> None:
        """Send a message; waits if the daemon is slower."""
        await self._turn.send(message)

    async def _write(self, message: bytes) -> None:
        try:
            self._transport.writelines((messages.PREFIX.pack(len(message)), message))
            await self._receiver.drain()
        except OSError as error:
            await self._raise_last_line()
            raise ConnectionLostError(str(self._address), str(error)) from None

    async def finish(self) -> int:
        """End the stream. Returns how many observations the daemon accepted."""
        try:
            await self._turn.send(_END)
            # An error is a line. A length prefix that begins with "{" would be too large for this answer.
            self._receiver.buffer.binary = await self._receiver.first() != ord("{")
            answer = await self._receiver.message()
            if not self._receiver.buffer.binary:
                messages.match_from_line(answer)
            return _published(answer)
        except OSError as error:
            raise ConnectionLostError(str(self._address), str(error)) from None
        finally:
            await self.close()

    async def close(self) -> int:
        """Close the connection."""
        self._transport.abort()
        return 0

    async def _raise_last_line(self) -> None:
        """Raise the error line that the daemon sent before it closed the connection, if there is one."""
        with contextlib.suppress(OSError):
            messages.match_from_line(await self._receiver.message())


class BlockingGrpcStream:
    """A stream of messages to `Publish`, for threads."""

    @classmethod
    def open(cls, address: Address, match: sync_pb2.Match) -> BlockingGrpcStream:
        """Connect, and send the match."""
        return cls(address, match)

    def __init__(self, address: Address, match: sync_pb2.Match) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._waiting: queue.Queue[bytes | None] = queue.Queue(_MAX_WAITING)
        self._process = OwnProcess(address)
        self._channel = channel(address)
        call: Any = self._channel.stream_unary(_METHOD, response_deserializer=sync_pb2.PublishResult.FromString)
        self._future: Any = call.future(iter(self._waiting.get, None), metadata=metadata(address))
        try:
            _raise_without_connection(_greet(self._channel, address), address)
            self.send(sync_pb2.PublishRequest(match=match).SerializeToString())
        except BaseException:
            self.close()
            raise

    def _release(self) -> None:
        """Close the channel, and end gRPC's thread, which may wait for the next message."""
        with contextlib.suppress(queue.Full):
            self._waiting.put_nowait(None)
        self._channel.close()

    def send(self, message: bytes) -> None:
        if not self._put(message):
            self._result()
            raise ConnectionLostError(str(self._address), "the daemon has ended the stream")

    def _put(self, message: bytes | None) -> bool:
        """Queue a message; False if the stream has ended."""
        self._process.check()
        with self._lock:
            while not self._future.done():
                try:
                    self._waiting.put(message, timeout=0.1)
                    return True
                except queue.Full:
                    continue
        return False

    def finish(self) -> int:
        self._put(None)
        return self._result()

    def close(self) -> int:
        self._future.cancel()
        self._release()
        return 0

    def _result(self) -> int:
        try:
            return int(self._future.result().frames)
        except grpc.RpcError as error:
            raise _connection_error(translate(error), self._address) from None
        finally:
            self._release()


class BlockingSocketStream:
    """Length-prefixed messages to the daemon's socket, for threads."""

    @classmethod
    def open(cls, address: Address, match: sync_pb2.Match) -> BlockingSocketStream:
        """Connect, and send the match."""
        return cls(address, match)

    def __init__(self, address: Address, match: sync_pb2.Match) -> None:
        self._address = address
        try:
            self._socket = open_socket(address, _CONNECT_SECONDS)
        except OSError as error:
            raise ConnectError(str(address), str(error)) from None
        self._file = self._socket.makefile("rb")
        # One thread writes at a time.
        self._lock = threading.Lock()
        try:
            self._socket.sendall(_first_line(address))
            messages.match_from_line(self._file.readline(messages.MAX_MESSAGE_BYTES))
            self._socket.settimeout(None)
            # Not in the first line, because game data is too long for it.
            self.send(sync_pb2.PublishRequest(match=match).SerializeToString())
        except (OSError, LostError) as error:
            self.close()
            raise ConnectionLostError(str(address), str(error)) from None
        except BaseException:
            self.close()
            raise

    def send(self, message: bytes) -> None:
        with self._lock:
            try:
                self._socket.sendall(messages.PREFIX.pack(len(message)))
                self._socket.sendall(message)
            except OSError as error:
                self._raise_last_line()
                raise ConnectionLostError(str(self._address), str(error)) from None

    def finish(self) -> int:
        try:
            self.send(_END)
            head = self._file.read(messages.PREFIX.size)
            if len(head) < messages.PREFIX.size:
                raise ConnectionLostError(str(self._address), "the daemon closed the connection")
            if head[:1] == b"{":
                self._raise_last_line(head)
            return _published(self._file.read(messages.prefixed_length(head)))
        except OSError as error:
            raise ConnectionLostError(str(self._address), str(error)) from None
        finally:
            self.close()

    def close(self) -> int:
        with contextlib.suppress(OSError):
            # Wakes a thread that is still sending.
            self._socket.shutdown(socket.SHUT_RDWR)
        self._file.close()
        self._socket.close()
        return 0

    def _raise_last_line(self, head: bytes = b"") -> None:
        """Raise the error line that the daemon sent before it closed the connection, if there is one."""
        try:
            line = head + self._file.readline(messages.MAX_MESSAGE_BYTES)
        except OSError:
            return
        if line.startswith(b"{"):
            messages.match_from_line(line)


def _first_line(address: Address) -> bytes:
    """What a publisher sends to the socket first."""
    start = sync_pb2.PublishStart(encoding=sync_pb2.proto)
    return messages.to_line(sync_pb2.ClientMessage(publish=start, token=address.token or ""))


def _published(message: bytes) -> int:
    """How many observations the daemon accepted, from its last message."""
    answer = sync_pb2.ServerMessage.FromString(message)
    if answer.WhichOneof("message") != "published":
        raise ProtocolError(f"expected published, got {answer.WhichOneof('message')}")
    return int(answer.published.frames)


def _greet(opened: grpc.Channel, address: Address) -> Any:
    """A small request, whose answer says that there is a connection.

    Not `grpc.Channel.subscribe`: its thread may look at the channel after it was closed, and dies with a traceback.
    """
    status: Any = opened.unary_unary(SERVICE + "GetStatus")
    return status.future(b"", metadata=metadata(address), timeout=_CONNECT_SECONDS)


def _raise_without_connection(greeting: Any, address: Address) -> None:
    """Wait for the greeting. Raises ConnectError if there was no answer; an error of the daemon is one."""
    error = greeting.exception()
    if error is None or error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
        return
    is_late = error.code() == grpc.StatusCode.DEADLINE_EXCEEDED
    raise ConnectError(str(address), "no answer" if is_late else str(translate(error)))


def _connection_error(error: Exception, address: Address) -> Exception:
    return ConnectionLostError(str(address), str(error)) if isinstance(error, LostError) else error

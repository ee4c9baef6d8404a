"""Streams of observations to a daemon: over gRPC and over the socket, for threads."""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
from abc import ABC, abstractmethod
from typing import Any

import grpc

from abathur._program.address import Address
from abathur._transport import messages
from abathur._transport.grpc_channel import SERVICE, OwnProcess, channel, metadata
from abathur._transport.grpc_errors import translate
from abathur._transport.socket_open import open_socket
from abathur.errors import ConnectError, ConnectionLostError, LostError, ProtocolError
from abathur.sync.v1 import sync_pb2

_METHOD = SERVICE + "Publish"
#: Messages that may wait for grpcio before the publisher waits itself.
_MAX_WAITING = 8
_CONNECT_SECONDS = 10.0
_END = sync_pb2.PublishRequest(end=sync_pb2.End()).SerializeToString()


class BlockingPublishStream(ABC):
    """The stream of one publisher. Threads may share it."""

    @staticmethod
    def open(address: Address, match: sync_pb2.Match) -> BlockingPublishStream:
        """Connect, and send the match.

        Raises:
            ConnectError: no daemon answers.
            ConnectionLostError: the connection broke.
            RequestError: the daemon refuses the match.
        """
        return (_SocketStream if address.transport == "socket" else _GrpcStream)(address, match)

    @abstractmethod
    def send(self, message: bytes) -> None:
        """Send a message; waits if the daemon is slower."""

    @abstractmethod
    def finish(self) -> int:
        """End the stream. Returns how many observations the daemon accepted."""

    @abstractmethod
    def close(self) -> int:
        """Abort the stream. What another thread is sending ends with an error."""


class _GrpcStream(BlockingPublishStream):
    """A call of `Publish`."""

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


class _SocketStream(BlockingPublishStream):
    """Length-prefixed messages to the daemon's socket."""

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

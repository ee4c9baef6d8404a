"""Publishing observations of one's own: for bots that run beside ``abathur-sync serve``."""

from __future__ import annotations

import asyncio
import queue
import socket
import threading
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any

import grpc
import grpc.aio
from s2clientprotocol import sc2api_pb2

from abathur import _address, _messages
from abathur._address import Address
from abathur._grpc import OPTIONS, target, translate
from abathur.errors import ConnectError, ConnectionLostError, LostError, ProtocolError
from abathur.sync.v1 import sync_pb2

_METHOD = "/abathur.sync.v1.GameSync/Publish"
_OBSERVATION_TAG = b"\x12"
#: Messages that may wait for the daemon before the blocking publisher waits itself.
_MAX_WAITING = 8
_CONNECT_SECONDS = 10.0

#: An observation, as a message or as its serialized bytes.
Observation = sc2api_pb2.ResponseObservation | bytes


def publisher(address: str | None = None, **match: Any) -> Publisher:
    """Publish observations to a daemon that waits for them: ``async with abathur.publisher() as p``.

    Args:
        address: As for `connect`: gRPC, or the socket. Default: ABATHUR_ADDRESS, else 127.0.0.1:22400.
        **match: What is known of the match, as fields of `Match`: ``map_name``, ``player_id``, ``game_version``,
            ``tick_hz``, ``game_info`` (`ResponseGameInfo`), ``game_data`` (`ResponseData`), ``match_id``.

    Raises:
        ValueError: `address` is none, or `match` has what `Match` has not.
    """
    return Publisher(_address.parse(address), _match(match))


def publisher_blocking(address: str | None = None, **match: Any) -> BlockingPublisher:
    """`publisher` for threads: ``with abathur.publisher_blocking() as p``. The same arguments and errors."""
    return BlockingPublisher(_address.parse(address), _match(match))


class Publisher:
    """Publishes one match. Made by `publisher`.

    Attributes:
        frames: Observations published so far; after the end, those that the daemon took.
    """

    def __init__(self, address: Address, match: sync_pb2.Match) -> None:
        """Use `publisher`."""
        self.address = address
        self.frames = 0
        self._match = match
        self._channel: grpc.aio.Channel | None = None
        self._call: Any = None
        self._socket: _SocketStream | None = None

    async def __aenter__(self) -> Publisher:
        """Connect, and say what is known of the match.

        Raises:
            ConnectError: no daemon answers.
            RequestError: it takes no observations (FAILED_PRECONDITION), or another bot publishes (ALREADY_EXISTS).
        """
        if self.address.transport == "socket":
            self._socket = await _in_thread(lambda: _SocketStream(self.address, self._match))
            return self
        self._channel = grpc.aio.insecure_channel(target(self.address), options=OPTIONS)
        call: Any = self._channel.stream_unary(_METHOD, response_deserializer=sync_pb2.PublishResult.FromString)
        self._call = call()
        await self._write(sync_pb2.PublishRequest(match=self._match).SerializeToString())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Say that nothing follows, and wait until the daemon has taken all; after an error, break off."""
        try:
            if self._socket is not None:
                stream = self._socket
                self.frames = await _in_thread(stream.finish if kind is None else stream.close) or self.frames
            elif kind is None:
                self.frames = await self._finish()
            elif self._call is not None:
                self._call.cancel()
        finally:
            if self._channel is not None:
                await self._channel.close()

    async def publish(self, observation: Observation) -> None:
        """Give the next observation. Waits where the daemon is slower.

        Args:
            observation: As the game answered it: the message, or better its serialized bytes, which nobody parses.

        Raises:
            RequestError: the daemon refuses it.
            ConnectionLostError: the daemon is gone.
        """
        await self._send(_observation(observation))
        self.frames += 1

    async def actions(self, actions: Iterable[sc2api_pb2.Action]) -> None:
        """Say what the bot did upon the newest observation; it goes into the recording. Raises as `publish` does."""
        await self._send(_actions(actions))

    async def _send(self, message: bytes) -> None:
        if self._socket is not None:
            stream = self._socket
            await _in_thread(lambda: stream.send(message))
        else:
            await self._write(message)

    async def _write(self, message: bytes) -> None:
        try:
            await self._call.write(message)
        except Exception as error:
            # Whatever the stream says: why it ended is in the call's status.
            if (
                not isinstance(error, grpc.RpcError | grpc.aio.UsageError)
                and type(error).__module__ != "asyncio.exceptions"
            ):
                raise
            await self._finish()
            raise ConnectionLostError(str(self.address), "the daemon has ended the stream") from None

    async def _finish(self) -> int:
        try:
            if not self._call.done():
                await self._call.done_writing()
            return int((await self._call).frames)
        except grpc.RpcError as error:
            raise _connection_error(translate(error), self.address, self.frames) from None


class BlockingPublisher:
    """The blocking twin of `Publisher`. Made by `publisher_blocking`."""

    def __init__(self, address: Address, match: sync_pb2.Match) -> None:
        """Use `publisher_blocking`."""
        self.address = address
        self.frames = 0
        self._match = match
        self._stream: _SocketStream | _GrpcStream | None = None

    def __enter__(self) -> BlockingPublisher:
        """See `Publisher.__aenter__`."""
        open_stream = _SocketStream if self.address.transport == "socket" else _GrpcStream
        self._stream = open_stream(self.address, self._match)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """See `Publisher.__aexit__`."""
        if self._stream is not None:
            self.frames = (self._stream.finish() if kind is None else self._stream.close()) or self.frames

    def publish(self, observation: Observation) -> None:
        """See `Publisher.publish`."""
        self._open.send(_observation(observation))
        self.frames += 1

    def actions(self, actions: Iterable[sc2api_pb2.Action]) -> None:
        """See `Publisher.actions`."""
        self._open.send(_actions(actions))

    @property
    def _open(self) -> _SocketStream | _GrpcStream:
        if self._stream is None:
            raise ConnectionLostError(str(self.address), "the publisher is not open: use it with `with`")
        return self._stream


class _GrpcStream:
    """A stream of messages to `Publish`, for threads."""

    def __init__(self, address: Address, match: sync_pb2.Match) -> None:
        self._address = address
        self._frames = 0
        self._waiting: queue.Queue[bytes | None] = queue.Queue(_MAX_WAITING)
        self._channel = grpc.insecure_channel(target(address), options=OPTIONS)
        call: Any = self._channel.stream_unary(_METHOD, response_deserializer=sync_pb2.PublishResult.FromString)
        self._future: Any = call.future(iter(self._waiting.get, None))
        self.send(sync_pb2.PublishRequest(match=match).SerializeToString())

    def send(self, message: bytes) -> None:
        while not self._future.done():
            try:
                self._waiting.put(message, timeout=0.1)
                return
            except queue.Full:
                continue
        self._result()
        raise ConnectionLostError(str(self._address), "the daemon has ended the stream")

    def finish(self) -> int:
        while not self._future.done():
            try:
                self._waiting.put(None, timeout=0.1)
                break
            except queue.Full:
                continue
        return self._result()

    def close(self) -> int:
        self._future.cancel()
        self._channel.close()
        return 0

    def _result(self) -> int:
        try:
            return int(self._future.result().frames)
        except grpc.RpcError as error:
            raise _connection_error(translate(error), self._address, self._frames) from None
        finally:
            self._channel.close()


class _SocketStream:
    """Messages to the daemon's socket, each behind its length."""

    def __init__(self, address: Address, match: sync_pb2.Match) -> None:
        self._address = address
        try:
            if address.path is not None:
                self._socket = socket.socket(socket.AF_UNIX)
                self._socket.settimeout(_CONNECT_SECONDS)
                self._socket.connect(address.path)
            else:
                self._socket = socket.create_connection((address.host, address.port), _CONNECT_SECONDS)
        except OSError as error:
            raise ConnectError(str(address), str(error)) from None
        self._file = self._socket.makefile("rb")
        # One flow writes at a time, also when an asynchronous write was cancelled half-way.
        self._lock = threading.Lock()
        try:
            start = sync_pb2.PublishStart(encoding=sync_pb2.proto, match=match)
            self._socket.sendall(_messages.to_line(sync_pb2.ClientMessage(publish=start)))
            _messages.match_from_line(self._file.readline(_messages.MAX_MESSAGE_BYTES))
            self._socket.settimeout(None)
        except OSError as error:
            self.close()
            raise ConnectionLostError(str(address), str(error)) from None
        except BaseException:
            self.close()
            raise

    def send(self, message: bytes) -> None:
        with self._lock:
            try:
                self._socket.sendall(_messages.PREFIX.pack(len(message)))
                self._socket.sendall(message)
            except OSError as error:
                self._raise_what_was_said()
                raise ConnectionLostError(str(self._address), str(error)) from None

    def finish(self) -> int:
        try:
            end = sync_pb2.PublishRequest(end=sync_pb2.End()).SerializeToString()
            self._socket.sendall(_messages.PREFIX.pack(len(end)) + end)
            head = self._file.read(_messages.PREFIX.size)
            if len(head) < _messages.PREFIX.size:
                raise ConnectionLostError(str(self._address), "the daemon closed the connection")
            if head[:1] == b"{":
                self._raise_what_was_said(head)
            answer = sync_pb2.ServerMessage.FromString(self._file.read(_messages.prefixed_length(head)))
            if answer.WhichOneof("message") != "published":
                raise ProtocolError(f"expected published, got {answer.WhichOneof('message')}")
            return int(answer.published.frames)
        except OSError as error:
            raise ConnectionLostError(str(self._address), str(error)) from None
        finally:
            self.close()

    def close(self) -> int:
        self._file.close()
        self._socket.close()
        return 0

    def _raise_what_was_said(self, head: bytes = b"") -> None:
        """Raise the error line that the daemon left, if it did."""
        try:
            line = head + self._file.readline(_messages.MAX_MESSAGE_BYTES)
        except OSError:
            return
        if line.startswith(b"{"):
            _messages.match_from_line(line)


def _observation(observation: Observation) -> bytes:
    data = observation if isinstance(observation, bytes) else observation.SerializeToString()
    return b"".join((_OBSERVATION_TAG, _varint(len(data)), data))


def _actions(actions: Iterable[sc2api_pb2.Action]) -> bytes:
    return sync_pb2.PublishRequest(actions=sc2api_pb2.RequestAction(actions=actions)).SerializeToString()


def _varint(value: int) -> bytes:
    data = bytearray()
    while value > 0x7F:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    data.append(value)
    return bytes(data)


def _match(match: dict[str, Any]) -> sync_pb2.Match:
    try:
        return sync_pb2.Match(**match)
    except (TypeError, ValueError) as error:
        raise ValueError(f"what is known of the match is given as fields of Match: {error}") from None


def _connection_error(error: Exception, address: Address, frames: int) -> Exception:
    if not isinstance(error, LostError):
        return error
    return ConnectionLostError(str(address), str(error)) if frames else ConnectError(str(address), str(error))


async def _in_thread(action: Callable[[], Any]) -> Any:
    return await asyncio.to_thread(action)


__all__ = ["BlockingPublisher", "Publisher", "publisher", "publisher_blocking"]

"""Publishing observations of one's own: for bots that run beside ``abathur-sync serve``."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import socket
import threading
from collections.abc import Iterable
from types import TracebackType
from typing import Any

import grpc
from s2clientprotocol import sc2api_pb2

from abathur import _address, _messages
from abathur._address import Address, Ca
from abathur._grpc import channel, metadata, translate
from abathur._socket import open_socket
from abathur.errors import ConnectError, ConnectionLostError, LostError, ProtocolError
from abathur.sync.v1 import sync_pb2

_METHOD = "/abathur.sync.v1.GameSync/Publish"
_OBSERVATION_TAG = b"\x12"
#: Largest message that the daemon takes.
_MAX_MESSAGE_BYTES = 16 * 1024 * 1024
#: Messages that may wait for the daemon before the blocking publisher waits itself.
_MAX_WAITING = 8
_CONNECT_SECONDS = 10.0

#: An observation, as a message or as its serialized bytes.
Observation = sc2api_pb2.ResponseObservation | bytes


def publisher(address: str | None = None, *, token: str | None = None, ca: Ca | None = None, **match: Any) -> Publisher:
    """Publish observations to a daemon that waits for them: ``async with abathur.publisher() as p``.

    Args:
        address: As for `connect`: gRPC, or the socket. Default: ABATHUR_ADDRESS, else 127.0.0.1:22400.
        token: As for `connect`.
        ca: As for `connect`.
        **match: What is known of the match, as fields of `Match`: ``map_name``, ``player_id``, ``game_version``,
            ``tick_hz``, ``game_info`` (`ResponseGameInfo`), ``game_data`` (`ResponseData`), ``match_id``.

    Raises:
        ValueError: `address` is none, or `match` has what `Match` has not.
    """
    return Publisher(_address.parse(address, token, ca), _match(match))


def publisher_blocking(
    address: str | None = None, *, token: str | None = None, ca: Ca | None = None, **match: Any
) -> BlockingPublisher:
    """`publisher` for threads: ``with abathur.publisher_blocking() as p``. The same arguments and errors."""
    return BlockingPublisher(_address.parse(address, token, ca), _match(match))


class Publisher:
    """Publishes one match. Made by `publisher`.

    It is the blocking publisher on another thread: a call that is cancelled is carried out all the same.
    """

    def __init__(self, address: Address, match: sync_pb2.Match) -> None:
        """Use `publisher`."""
        self._blocking = BlockingPublisher(address, match)

    @property
    def address(self) -> Address:
        """Of the daemon."""
        return self._blocking.address

    @property
    def frames(self) -> int:
        """Observations published so far; after the end, those that the daemon took."""
        return self._blocking.frames

    async def __aenter__(self) -> Publisher:
        """See `BlockingPublisher.__enter__`."""
        connecting = asyncio.create_task(asyncio.to_thread(self._blocking.__enter__))
        try:
            await asyncio.shield(connecting)
        except asyncio.CancelledError:
            connecting.add_done_callback(self._break_off)
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """See `BlockingPublisher.__exit__`."""
        await asyncio.to_thread(self._blocking.__exit__, kind, error, traceback)

    async def publish(self, observation: Observation) -> None:
        """See `BlockingPublisher.publish`."""
        await asyncio.to_thread(self._blocking.publish, observation)

    async def actions(self, actions: Iterable[sc2api_pb2.Action]) -> None:
        """See `BlockingPublisher.actions`."""
        await asyncio.to_thread(self._blocking.actions, actions)

    async def _send(self, message: bytes) -> None:
        await asyncio.to_thread(self._blocking._send, message)

    def _break_off(self, connected: asyncio.Task[BlockingPublisher]) -> None:
        """Nobody waits for it any more, and its place is another bot's."""
        if not connected.cancelled() and connected.exception() is None:
            self._blocking.__exit__(asyncio.CancelledError, None, None)


class BlockingPublisher:
    """Publishes one match, for threads. Made by `publisher_blocking`.

    Attributes:
        frames: Observations published so far; after the end, those that the daemon took.
    """

    def __init__(self, address: Address, match: sync_pb2.Match) -> None:
        """Use `publisher_blocking`."""
        self.address = address
        self.frames = 0
        self._match = match
        self._stream: _SocketStream | _GrpcStream | None = None

    def __enter__(self) -> BlockingPublisher:
        """Connect, and say what is known of the match.

        Raises:
            ConnectError: no daemon answers.
            RequestError: it takes no observations (FAILED_PRECONDITION), or another bot publishes (ALREADY_EXISTS);
                on gRPC it may say so only when it is given something.
        """
        open_stream = _SocketStream if self.address.transport == "socket" else _GrpcStream
        self._stream = open_stream(self.address, self._match)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Say that nothing follows, and wait until the daemon has taken all; after an error, break off."""
        stream, self._stream = self._stream, None
        if stream is not None:
            self.frames = (stream.finish() if kind is None else stream.close()) or self.frames

    def publish(self, observation: Observation) -> None:
        """Give the next observation. Waits where the daemon is slower.

        Args:
            observation: As the game answered it: the message, or better its serialized bytes, which nobody parses.

        Raises:
            ValueError: it is larger than 16 MiB.
            RequestError: the daemon refuses it: it is none, or its game loop is before the last one's. On gRPC one of
                the next calls, or the end, raises that.
            ConnectionLostError: the daemon is gone.
        """
        self._send(_observation(observation))
        self.frames += 1

    def actions(self, actions: Iterable[sc2api_pb2.Action]) -> None:
        """Say what the bot did upon the newest observation; it goes into the recording. Raises as `publish` does."""
        self._send(_actions(actions))

    def _send(self, message: bytes) -> None:
        if self._stream is None:
            message_text = "the publisher is not open: use it inside its `with` block"
            raise ConnectionLostError(str(self.address), message_text)
        self._stream.send(message)


class _GrpcStream:
    """A stream of messages to `Publish`, for threads."""

    def __init__(self, address: Address, match: sync_pb2.Match) -> None:
        self._address = address
        self._was_connected = False
        self._lock = threading.Lock()
        self._waiting: queue.Queue[bytes | None] = queue.Queue(_MAX_WAITING)
        self._channel = channel(address)
        call: Any = self._channel.stream_unary(_METHOD, response_deserializer=sync_pb2.PublishResult.FromString)
        self._future: Any = call.future(iter(self._waiting.get, None), metadata=metadata(address))
        self.send(sync_pb2.PublishRequest(match=match).SerializeToString())
        self._connect()

    def _connect(self) -> None:
        """Wait until there is a connection: what is sent before only waits for one."""
        states: queue.SimpleQueue[grpc.ChannelConnectivity] = queue.SimpleQueue()
        self._channel.subscribe(states.put, try_to_connect=True)
        try:
            while not self._was_connected:
                state = states.get(timeout=_CONNECT_SECONDS)
                if state is grpc.ChannelConnectivity.TRANSIENT_FAILURE:
                    self._result()
                self._was_connected = state is grpc.ChannelConnectivity.READY
        except queue.Empty:
            self.close()
            raise ConnectError(str(self._address), "no answer") from None
        finally:
            self._channel.unsubscribe(states.put)

    def _let_go(self) -> None:
        """Close the channel, and let go of gRPC's thread, which may wait for the next message."""
        with contextlib.suppress(queue.Full):
            self._waiting.put_nowait(None)
        self._channel.close()

    def send(self, message: bytes) -> None:
        if not self._put(message):
            self._result()
            raise ConnectionLostError(str(self._address), "the daemon has ended the stream")

    def _put(self, message: bytes | None) -> bool:
        """Queue a message, behind one whose sender was cancelled and still waits; False where the stream has ended."""
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
        self._let_go()
        return 0

    def _result(self) -> int:
        try:
            return int(self._future.result().frames)
        except grpc.RpcError as error:
            raise _connection_error(translate(error), self._address, self._was_connected) from None
        finally:
            self._let_go()


class _SocketStream:
    """Messages to the daemon's socket, each behind its length."""

    def __init__(self, address: Address, match: sync_pb2.Match) -> None:
        self._address = address
        try:
            self._socket = open_socket(address, _CONNECT_SECONDS)
        except OSError as error:
            raise ConnectError(str(address), str(error)) from None
        self._file = self._socket.makefile("rb")
        # One flow writes at a time, also when an asynchronous write was cancelled half-way.
        self._lock = threading.Lock()
        try:
            start = sync_pb2.PublishStart(encoding=sync_pb2.proto)
            self._socket.sendall(_messages.to_line(sync_pb2.ClientMessage(publish=start, token=address.token or "")))
            _messages.match_from_line(self._file.readline(_messages.MAX_MESSAGE_BYTES))
            self._socket.settimeout(None)
            # Not in the first line, for which game data is too long.
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
                self._socket.sendall(_messages.PREFIX.pack(len(message)))
                self._socket.sendall(message)
            except OSError as error:
                self._raise_what_was_said()
                raise ConnectionLostError(str(self._address), str(error)) from None

    def finish(self) -> int:
        try:
            self.send(sync_pb2.PublishRequest(end=sync_pb2.End()).SerializeToString())
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
        with contextlib.suppress(OSError):
            # Wakes whoever is still sending.
            self._socket.shutdown(socket.SHUT_RDWR)
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
    return _bounded(b"".join((_OBSERVATION_TAG, _varint(len(data)), data)))


def _actions(actions: Iterable[sc2api_pb2.Action]) -> bytes:
    return _bounded(sync_pb2.PublishRequest(actions=sc2api_pb2.RequestAction(actions=actions)).SerializeToString())


def _bounded(message: bytes) -> bytes:
    if len(message) > _MAX_MESSAGE_BYTES:
        raise ValueError(f"a message of {len(message)} bytes is over the limit of {_MAX_MESSAGE_BYTES}")
    return message


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


def _connection_error(error: Exception, address: Address, was_connected: bool) -> Exception:
    if not isinstance(error, LostError):
        return error
    return ConnectionLostError(str(address), str(error)) if was_connected else ConnectError(str(address), str(error))


__all__ = ["BlockingPublisher", "Publisher", "publisher", "publisher_blocking"]

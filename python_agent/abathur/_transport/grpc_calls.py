"""Calls to a daemon with grpcio: for asyncio, and for threads. The connections use one of the two."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import grpc
import grpc.aio
from google.protobuf.message import Message

from abathur._frame.frame import Frame
from abathur._frame.timing import monotonic_ns
from abathur._program.address import Address
from abathur._transport.grpc_channel import (
    SERVICE,
    Metadata,
    OwnProcess,
    async_channel,
    channel,
    credentials,
    metadata,
    tell,
)
from abathur._transport.reading import acknowledgement
from abathur._transport.timeouts import Timeouts
from abathur.errors import LostError
from abathur.sync.v1 import sync_pb2


class AsyncCalls:
    """Calls on one channel, for asyncio. The first call makes the channel."""

    def __init__(self, address: Address, timeouts: Timeouts) -> None:
        """Nothing is sent yet. Raises LostError if the certificates cannot be read."""
        if address.tls:
            credentials(address)
        self._address = address
        self._timeouts = timeouts
        self._opened: tuple[asyncio.AbstractEventLoop, grpc.aio.Channel] | None = None
        self._process: OwnProcess | None = None
        self._metadata = metadata(address)

    @property
    def _channel(self) -> grpc.aio.Channel:
        """The channel. grpcio binds it to the event loop in which it is made, so that each loop has another one."""
        loop = asyncio.get_running_loop()
        self._process = self._process or OwnProcess(self._address)
        self._process.check()
        if self._opened is None or self._opened[0] is not loop:
            self._opened = (loop, async_channel(self._address))
        return self._opened[1]

    async def close(self) -> None:
        """Close the channel and every stream on it."""
        opened, self._opened = self._opened, None
        is_own = self._process is not None and self._process.is_this
        if opened is not None and is_own and opened[0] is asyncio.get_running_loop():
            await opened[1].close()

    async def unary(self, name: str, request: Message) -> bytes:
        """The answer to a request. Raises grpc.RpcError."""
        call: Any = self._channel.unary_unary(SERVICE + name, request_serializer=type(request).SerializeToString)
        return await call(request, timeout=self._timeouts.request, metadata=self._metadata)  # type: ignore[no-any-return]

    def stream(self, request: sync_pb2.SubscribeRequest) -> AsyncStream:
        """A call of `Subscribe`."""
        call: Any = self._channel.unary_stream(
            SERVICE + "Subscribe", request_serializer=type(request).SerializeToString
        )
        return AsyncStream(call(request, metadata=self._metadata), self._timeouts)

    def session(self, request: sync_pb2.SubscribeRequest) -> AsyncSession:
        """A call of `Session` that begins with a subscription."""
        self._channel  # noqa: B018 - checks the process
        return AsyncSession(self._address, request, self._timeouts)


class AsyncStream:
    """A call of `Subscribe`, for asyncio."""

    def __init__(self, call: Any, timeouts: Timeouts) -> None:
        """The call, which has begun."""
        self._call = call
        self._timeouts = timeouts

    async def start(self) -> None:
        """The daemon sends headers at once, even if the first frame is late. Reading reports a failed call."""
        try:
            async with asyncio.timeout(self._timeouts.connect):
                await self._call.initial_metadata()
        except TimeoutError:
            raise _silence(self._timeouts) from None
        except grpc.RpcError:
            return

    async def __aiter__(self) -> AsyncIterator[tuple[int, bytes]]:
        """The daemon's messages, and when each was received (`monotonic_ns`)."""
        async for data in self._call:
            yield monotonic_ns(), data

    def close(self) -> None:
        """End the call."""
        self._call.cancel()


class AsyncSession:
    """A call of `Session` for asyncio: grpcio's threads write, a thread of its own reads.

    Not by `grpc.aio`: if a write fails there, the status that the daemon has sent is lost, and a wrong token becomes
    INTERNAL. Acknowledgements limit the frames that may wait for the event loop.
    """

    def __init__(self, address: Address, request: sync_pb2.SubscribeRequest, timeouts: Timeouts) -> None:
        """Begin the call."""
        self._timeouts = timeouts
        self._loop = asyncio.get_running_loop()
        self._outgoing: queue.SimpleQueue[sync_pb2.ClientMessage | None] = queue.SimpleQueue()
        self._outgoing.put(sync_pb2.ClientMessage(subscribe=request))
        self._headers = asyncio.Event()
        self._incoming: asyncio.Queue[tuple[int, bytes] | Exception | None] = asyncio.Queue()
        self._channel = channel(address)
        self._call = _session_call(self._channel, iter(self._outgoing.get, None), metadata(address))
        threading.Thread(target=self._read, name="abathur-session", daemon=True).start()

    async def start(self) -> None:
        """The daemon sends headers at once, even if the first frame is late. Reading reports a failed call."""
        try:
            async with asyncio.timeout(self._timeouts.connect):
                await self._headers.wait()
        except TimeoutError:
            raise _silence(self._timeouts) from None

    async def __aiter__(self) -> AsyncIterator[tuple[int, bytes]]:
        """The daemon's messages, and when each was received (`monotonic_ns`)."""
        while (item := await self._incoming.get()) is not None:
            if isinstance(item, Exception):
                raise item
            yield item

    def acknowledge(self, frame: Frame) -> None:
        """Tell the daemon that a frame was used."""
        self._outgoing.put(acknowledgement(frame))

    def close(self) -> None:
        """End the call and the threads."""
        self._outgoing.put(None)
        self._call.cancel()
        self._channel.close()

    def _read(self) -> None:
        end = None
        try:
            self._call.initial_metadata()
            tell(self._loop, self._headers.set)
            for data in self._call:
                tell(self._loop, self._incoming.put_nowait, (monotonic_ns(), data))
        except Exception as error:  # a grpc.RpcError; whatever it is, the event loop must not wait for ever
            end = error
        tell(self._loop, self._headers.set)
        tell(self._loop, self._incoming.put_nowait, end)


class BlockingCalls:
    """The same for threads."""

    def __init__(self, address: Address, timeouts: Timeouts) -> None:
        """See `AsyncCalls`."""
        self._timeouts = timeouts
        self._process = OwnProcess(address)
        self._own = channel(address)
        self._metadata = metadata(address)

    @property
    def _channel(self) -> grpc.Channel:
        self._process.check()
        return self._own

    def close(self) -> None:
        """See `AsyncCalls.close`."""
        if self._process.is_this:
            self._own.close()

    def unary(self, name: str, request: Message) -> bytes:
        """See `AsyncCalls.unary`."""
        call: Any = self._channel.unary_unary(SERVICE + name, request_serializer=type(request).SerializeToString)
        return call(request, timeout=self._timeouts.request, metadata=self._metadata)  # type: ignore[no-any-return]

    def stream(self, request: sync_pb2.SubscribeRequest) -> BlockingStream:
        """See `AsyncCalls.stream`."""
        call: Any = self._channel.unary_stream(
            SERVICE + "Subscribe", request_serializer=type(request).SerializeToString
        )
        return BlockingStream(call(request, metadata=self._metadata), self._timeouts)

    def session(self, request: sync_pb2.SubscribeRequest) -> BlockingSession:
        """See `AsyncCalls.session`."""
        return BlockingSession(self._channel, request, self._metadata, self._timeouts)


class BlockingStream:
    """A call of `Subscribe`, for threads."""

    def __init__(self, call: Any, timeouts: Timeouts) -> None:
        """The call, which has begun."""
        self._call = call
        self._timeouts = timeouts

    def start(self) -> None:
        """See `AsyncStream.start`."""
        silent = threading.Event()

        def give_up() -> None:
            silent.set()
            self._call.cancel()

        timer = threading.Timer(self._timeouts.connect, give_up)
        timer.daemon = True
        timer.start()
        try:
            with contextlib.suppress(grpc.RpcError):
                self._call.initial_metadata()
        finally:
            timer.cancel()
        if silent.is_set():
            raise _silence(self._timeouts)

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        """See `AsyncStream.__aiter__`."""
        for data in self._call:
            yield monotonic_ns(), data

    def close(self) -> None:
        """End the call."""
        self._call.cancel()


class BlockingSession(BlockingStream):
    """A call of `Session`, for threads."""

    def __init__(
        self, to: grpc.Channel, request: sync_pb2.SubscribeRequest, metadata: Metadata, timeouts: Timeouts
    ) -> None:
        """Begin the call."""
        self._outgoing: queue.SimpleQueue[sync_pb2.ClientMessage | None] = queue.SimpleQueue()
        self._outgoing.put(sync_pb2.ClientMessage(subscribe=request))
        super().__init__(_session_call(to, iter(self._outgoing.get, None), metadata), timeouts)

    def acknowledge(self, frame: Frame) -> None:
        """Tell the daemon that a frame was used."""
        self._outgoing.put(acknowledgement(frame))

    def close(self) -> None:
        """End the call, and the thread that writes."""
        self._outgoing.put(None)
        super().close()


def _session_call(to: grpc.Channel, requests: Iterator[sync_pb2.ClientMessage], metadata: Metadata) -> Any:
    call: Any = to.stream_stream(SERVICE + "Session", request_serializer=sync_pb2.ClientMessage.SerializeToString)
    return call(requests, metadata=metadata)


def _silence(timeouts: Timeouts) -> LostError:
    return LostError(
        f"the daemon accepted the connection but did not answer within {timeouts.connect:g} s (connect_timeout)"
    )

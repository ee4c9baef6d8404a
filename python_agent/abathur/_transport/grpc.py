"""gRPC connections: asynchronous and blocking."""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from typing import Any, TypeVar

import grpc
import grpc.aio
from google.protobuf.message import DecodeError, Message

from abathur._client.request import acknowledgement, needs_acknowledgements
from abathur._frame import frame as _frame
from abathur._frame.frame import Frame
from abathur._program.address import Address
from abathur._transport import messages
from abathur._transport.payloads import PayloadReader
from abathur._transport.reading import MatchStart, Reading, refused_if_too_old
from abathur._transport.timeouts import Timeouts
from abathur.errors import (
    AbathurError,
    AckTimeoutError,
    LostError,
    ProtocolError,
    RequestError,
    StoppingError,
    request_error,
)
from abathur.sync.v1 import sync_pb2

_M = TypeVar("_M", bound=Message)
_DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED"
#: Trailing metadata of a daemon that shuts down. A broken connection is UNAVAILABLE as well, but without it.
_END = ("abathur-end", "stopping")
#: Path of the service of the daemon.
SERVICE = "/abathur.sync.v1.GameSync/"
#: Frames that a lossless session may have on the way: they wait in memory.
_MAX_AHEAD = 64
OPTIONS: list[tuple[str, Any]] = [
    ("grpc.max_receive_message_length", messages.MAX_MESSAGE_BYTES),
    # Without these two, grpcio reads megabytes of stale frames before a paused reader causes backpressure.
    ("grpc.http2.lookahead_bytes", 192 * 1024),
    ("grpc.http2.bdp_probe", 0),
    ("grpc.enable_http_proxy", 0),
    # `frames` has its own backoff; with grpcio's, an agent that starts before the daemon would wait for a second.
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 1000),
    # HTTP servers refuse the path of a Unix socket as the authority.
    ("grpc.default_authority", "localhost"),
]
# With TLS the authority is the name in the certificate.
_TLS_OPTIONS = [option for option in OPTIONS if option[0] != "grpc.default_authority"]
Metadata = tuple[tuple[str, str], ...]


def channel(address: Address) -> grpc.Channel:
    """A channel to a daemon, for threads. Raises LostError if the certificates cannot be read."""
    if not address.tls:
        return grpc.insecure_channel(target(address), options=OPTIONS)
    return grpc.secure_channel(target(address), _credentials(address), options=_TLS_OPTIONS)


def async_channel(address: Address) -> grpc.aio.Channel:
    """The same for asyncio."""
    if not address.tls:
        return grpc.aio.insecure_channel(target(address), options=OPTIONS)
    return grpc.aio.secure_channel(target(address), _credentials(address), options=_TLS_OPTIONS)


class OwnProcess:
    """The process in which a channel is made. Where it is forked, its copy has no threads, and shares its sockets."""

    def __init__(self, address: Address) -> None:
        """This process."""
        self._address = address
        self._process = os.getpid()

    @property
    def is_this(self) -> bool:
        """Whether it is still the same."""
        return os.getpid() == self._process

    def check(self) -> None:
        """Raise AbathurError if it is another one."""
        if not self.is_this:
            raise AbathurError(
                f"process {os.getpid()} was forked from process {self._process}, which made the connection to "
                f"{self._address}: gRPC does not work there. Connect in each process, or start processes with 'spawn'"
            )


def metadata(address: Address) -> Metadata:
    """The metadata of each call."""
    return () if address.token is None else (("authorization", f"Bearer {address.token}"),)


def _credentials(address: Address) -> grpc.ChannelCredentials:
    try:
        return grpc.ssl_channel_credentials(address.root_certificates())
    except OSError as error:
        raise LostError(str(error)) from None


def target(address: Address) -> str:
    """An address in the form of grpcio."""
    return f"unix:{address.path}" if address.path else address.place


def translate(error: grpc.RpcError) -> Exception:
    """The package's error for an error of grpcio."""
    code, details = error.code(), error.details() or ""
    if code == grpc.StatusCode.UNAVAILABLE:
        trailers: Any = error.trailing_metadata() or ()
        return StoppingError(details) if _END in map(tuple, trailers) else LostError(details)
    return request_error(code.name, details)


def _is_end(error: grpc.RpcError) -> bool:
    return bool(error.code() == grpc.StatusCode.CANCELLED)


def _silence(timeouts: Timeouts) -> LostError:
    return LostError(
        f"the daemon accepted the connection but did not answer within {timeouts.connect:g} s (connect_timeout)"
    )


def _no_answer(error: Exception, timeouts: Timeouts) -> Exception:
    """The error of a request, whose deadline was set by the client."""
    if not isinstance(error, AckTimeoutError):
        return error
    return RequestError(error.code, f"the daemon did not answer within {timeouts.request:g} s (request_timeout)")


def _parsed(message: type[_M], data: bytes) -> _M:
    try:
        return message.FromString(data)
    except DecodeError as error:
        raise ProtocolError(f"not a {message.DESCRIPTOR.name}: {error}") from None


class AsyncGrpcConnection:
    """One channel to a daemon, for asyncio."""

    def __init__(self, address: Address, timeouts: Timeouts) -> None:
        """Connect lazily: the first call does it."""
        if address.tls:
            # A file that cannot be read is an error at once.
            _credentials(address)
        self._address = address
        self._opened: tuple[asyncio.AbstractEventLoop, grpc.aio.Channel] | None = None
        self._process: OwnProcess | None = None
        self._metadata = metadata(address)
        self._timeouts = timeouts

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

    async def match(self, run_id: str) -> sync_pb2.Match:
        """The constant data of a match; waits until there is one."""
        request = sync_pb2.GetMatchRequest(wait=True, run_id=run_id)
        while True:
            try:
                return await self._unary("GetMatch", request, sync_pb2.Match)
            except RequestError as error:
                if error.code != _DEADLINE_EXCEEDED:
                    raise
            # There is no match yet, or the daemon hangs: in that case this request times out as well.
            await self.status(sync_pb2.GetStatusRequest())

    async def matches(self) -> sync_pb2.MatchList:
        """The matches of the daemon."""
        with refused_if_too_old():
            return await self._unary("GetMatches", sync_pb2.GetMatchesRequest(), sync_pb2.MatchList)

    async def status(self, request: sync_pb2.GetStatusRequest) -> sync_pb2.Status:
        """The status of the daemon."""
        return await self._unary("GetStatus", request, sync_pb2.Status)

    async def act(self, request: sync_pb2.ActRequest) -> sync_pb2.ActResult:
        """Send actions to the game."""
        return await self._unary("Act", request, sync_pb2.ActResult)

    async def query(self, request: sync_pb2.QueryRequest) -> sync_pb2.QueryResult:
        """Ask the game."""
        return await self._unary("Query", request, sync_pb2.QueryResult)

    async def timeline(self, request: sync_pb2.GetTimelineRequest) -> sync_pb2.Timeline:
        """Numbers of the match so far."""
        return await self._unary("GetTimeline", request, sync_pb2.Timeline)

    async def draw(self, request: sync_pb2.DrawRequest) -> sync_pb2.DrawResult:
        """Draw over the map."""
        return await self._unary("Draw", request, sync_pb2.DrawResult)

    async def plot(self, request: sync_pb2.PlotRequest) -> sync_pb2.PlotResult:
        """Add values to series."""
        return await self._unary("Plot", request, sync_pb2.PlotResult)

    async def plots(self, request: sync_pb2.GetPlotsRequest) -> sync_pb2.Plots:
        """The series of agents."""
        return await self._unary("GetPlots", request, sync_pb2.Plots)

    async def control(self, request: sync_pb2.ControlRequest) -> sync_pb2.PlaybackState:
        """Control the playback."""
        return await self._unary("Control", request, sync_pb2.PlaybackState)

    async def subscribe(
        self, request: sync_pb2.SubscribeRequest, limit: int
    ) -> AsyncGenerator[Frame | sync_pb2.MatchEnded, None]:
        """Frames until the match ends, or the ends of matches between them; payloads of up to `limit` bytes."""
        request = _with_credits(request)
        source = (self._session if needs_acknowledgements(request) else self._stream)(request, limit)
        try:
            async for event in source:
                yield event
        except grpc.RpcError as error:
            problem = translate(error)
            if not _is_end(error) and not isinstance(problem, StoppingError):
                raise problem from None

    async def _stream(
        self, request: sync_pb2.SubscribeRequest, limit: int
    ) -> AsyncGenerator[Frame | sync_pb2.MatchEnded, None]:
        payloads = PayloadReader(limit)
        run_id = ""
        call: Any = self._channel.unary_stream(
            SERVICE + "Subscribe",
            request_serializer=sync_pb2.SubscribeRequest.SerializeToString,
        )(request, metadata=self._metadata)
        try:
            await self._wait_for_headers(call)
            async for data in call:
                received = _frame.monotonic_ns()
                message = _parsed(sync_pb2.Frame, data)
                frame = _frame.from_message(message, received=received, size=len(data), payloads=payloads)
                # The first frame names it.
                run_id = frame.run_id = message.run_id or run_id
                frame._names_match = run_id != ""
                yield frame
        finally:
            call.cancel()

    async def _session(
        self, request: sync_pb2.SubscribeRequest, limit: int
    ) -> AsyncGenerator[Frame | sync_pb2.MatchEnded, None]:
        reading = Reading(limit, request)
        call = _ThreadedSession(self._address, request)
        try:
            await call.wait_for_headers(self._timeouts)
            async for received, data in call:
                event = _session_event(data, received, reading)
                if isinstance(event, sync_pb2.End):
                    return
                if not isinstance(event, MatchStart):
                    yield event
                if isinstance(event, Frame):
                    call.acknowledge(event)
        finally:
            call.close()

    async def _wait_for_headers(self, call: Any) -> None:
        """The daemon sends headers at once, even if the first frame is late. Reading reports a failed call."""
        try:
            async with asyncio.timeout(self._timeouts.connect):
                await call.initial_metadata()
        except TimeoutError:
            raise _silence(self._timeouts) from None
        except grpc.RpcError:
            return

    async def _unary(self, name: str, request: Message, response: type[_M]) -> _M:
        call: Any = self._channel.unary_unary(SERVICE + name, request_serializer=type(request).SerializeToString)
        try:
            data: bytes = await call(request, timeout=self._timeouts.request, metadata=self._metadata)
        except grpc.RpcError as error:
            raise _no_answer(translate(error), self._timeouts) from None
        return _parsed(response, data)


class _ThreadedSession:
    """A call of `Session` for asyncio: grpcio's threads write, a thread of its own reads.

    Not by `grpc.aio`: if a write fails there, the status that the daemon has sent is lost, and a wrong token becomes
    INTERNAL. Acknowledgements limit the frames that may wait for the event loop.
    """

    def __init__(self, address: Address, request: sync_pb2.SubscribeRequest) -> None:
        self._loop = asyncio.get_running_loop()
        self._outgoing: queue.SimpleQueue[sync_pb2.ClientMessage | None] = queue.SimpleQueue()
        self._outgoing.put(sync_pb2.ClientMessage(subscribe=request))
        self._headers = asyncio.Event()
        self._incoming: asyncio.Queue[tuple[int, bytes] | Exception | None] = asyncio.Queue()
        self._channel = channel(address)
        self._call = _session_call(self._channel, iter(self._outgoing.get, None), metadata(address))
        threading.Thread(target=self._read, name="abathur-session", daemon=True).start()

    async def wait_for_headers(self, timeouts: Timeouts) -> None:
        """The daemon sends headers at once, even if the first frame is late. Reading reports a failed call."""
        try:
            async with asyncio.timeout(timeouts.connect):
                await self._headers.wait()
        except TimeoutError:
            raise _silence(timeouts) from None

    async def __aiter__(self) -> AsyncIterator[tuple[int, bytes]]:
        """The daemon's messages, and when each was received (`time.monotonic_ns`)."""
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
                tell(self._loop, self._incoming.put_nowait, (_frame.monotonic_ns(), data))
        except Exception as error:  # a grpc.RpcError; whatever it is, the event loop must not wait for ever
            end = error
        tell(self._loop, self._headers.set)
        tell(self._loop, self._incoming.put_nowait, end)


class BlockingGrpcConnection:
    """One channel to a daemon, for threads. The same calls as `AsyncGrpcConnection`."""

    def __init__(self, address: Address, timeouts: Timeouts) -> None:
        """Connect lazily: the first call does it."""
        self._process = OwnProcess(address)
        self._opened = channel(address)
        self._metadata = metadata(address)
        self._timeouts = timeouts

    @property
    def _channel(self) -> grpc.Channel:
        self._process.check()
        return self._opened

    def close(self) -> None:
        """Close the channel and every stream on it."""
        if self._process.is_this:
            self._opened.close()

    def match(self, run_id: str) -> sync_pb2.Match:
        """The constant data of a match; waits until there is one."""
        request = sync_pb2.GetMatchRequest(wait=True, run_id=run_id)
        while True:
            try:
                return self._unary("GetMatch", request, sync_pb2.Match)
            except RequestError as error:
                if error.code != _DEADLINE_EXCEEDED:
                    raise
            # There is no match yet, or the daemon hangs: in that case this request times out as well.
            self.status(sync_pb2.GetStatusRequest())

    def matches(self) -> sync_pb2.MatchList:
        """The matches of the daemon."""
        with refused_if_too_old():
            return self._unary("GetMatches", sync_pb2.GetMatchesRequest(), sync_pb2.MatchList)

    def status(self, request: sync_pb2.GetStatusRequest) -> sync_pb2.Status:
        """The status of the daemon."""
        return self._unary("GetStatus", request, sync_pb2.Status)

    def act(self, request: sync_pb2.ActRequest) -> sync_pb2.ActResult:
        """Send actions to the game."""
        return self._unary("Act", request, sync_pb2.ActResult)

    def query(self, request: sync_pb2.QueryRequest) -> sync_pb2.QueryResult:
        """Ask the game."""
        return self._unary("Query", request, sync_pb2.QueryResult)

    def timeline(self, request: sync_pb2.GetTimelineRequest) -> sync_pb2.Timeline:
        """Numbers of the match so far."""
        return self._unary("GetTimeline", request, sync_pb2.Timeline)

    def draw(self, request: sync_pb2.DrawRequest) -> sync_pb2.DrawResult:
        """Draw over the map."""
        return self._unary("Draw", request, sync_pb2.DrawResult)

    def plot(self, request: sync_pb2.PlotRequest) -> sync_pb2.PlotResult:
        """Add values to series."""
        return self._unary("Plot", request, sync_pb2.PlotResult)

    def plots(self, request: sync_pb2.GetPlotsRequest) -> sync_pb2.Plots:
        """The series of agents."""
        return self._unary("GetPlots", request, sync_pb2.Plots)

    def control(self, request: sync_pb2.ControlRequest) -> sync_pb2.PlaybackState:
        """Control the playback."""
        return self._unary("Control", request, sync_pb2.PlaybackState)

    def subscribe(
        self, request: sync_pb2.SubscribeRequest, limit: int
    ) -> Generator[Frame | sync_pb2.MatchEnded, None, None]:
        """Frames until the match ends, or the ends of matches between them; payloads of up to `limit` bytes."""
        request = _with_credits(request)
        source = (self._session if needs_acknowledgements(request) else self._stream)(request, limit)
        try:
            yield from source
        except grpc.RpcError as error:
            problem = translate(error)
            if not _is_end(error) and not isinstance(problem, StoppingError):
                raise problem from None

    def _stream(
        self, request: sync_pb2.SubscribeRequest, limit: int
    ) -> Generator[Frame | sync_pb2.MatchEnded, None, None]:
        payloads = PayloadReader(limit)
        run_id = ""
        call: Any = self._channel.unary_stream(
            SERVICE + "Subscribe",
            request_serializer=sync_pb2.SubscribeRequest.SerializeToString,
        )(request, metadata=self._metadata)
        try:
            self._wait_for_headers(call)
            for data in call:
                received = _frame.monotonic_ns()
                message = _parsed(sync_pb2.Frame, data)
                frame = _frame.from_message(message, received=received, size=len(data), payloads=payloads)
                # The first frame names it.
                run_id = frame.run_id = message.run_id or run_id
                frame._names_match = run_id != ""
                yield frame
        finally:
            call.cancel()

    def _session(
        self, request: sync_pb2.SubscribeRequest, limit: int
    ) -> Generator[Frame | sync_pb2.MatchEnded, None, None]:
        reading = Reading(limit, request)
        outgoing: queue.SimpleQueue[sync_pb2.ClientMessage | None] = queue.SimpleQueue()
        outgoing.put(sync_pb2.ClientMessage(subscribe=request))
        call = _session_call(self._channel, iter(outgoing.get, None), self._metadata)
        try:
            self._wait_for_headers(call)
            for data in call:
                received = _frame.monotonic_ns()
                event = _session_event(data, received, reading)
                if isinstance(event, sync_pb2.End):
                    return
                if not isinstance(event, MatchStart):
                    yield event
                if isinstance(event, Frame):
                    outgoing.put(acknowledgement(event))
        finally:
            outgoing.put(None)
            call.cancel()

    def _wait_for_headers(self, call: Any) -> None:
        """See `AsyncGrpcConnection._wait_for_headers`."""
        silent = threading.Event()

        def give_up() -> None:
            silent.set()
            call.cancel()

        timer = threading.Timer(self._timeouts.connect, give_up)
        timer.daemon = True
        timer.start()
        try:
            with contextlib.suppress(grpc.RpcError):
                call.initial_metadata()
        finally:
            timer.cancel()
        if silent.is_set():
            raise _silence(self._timeouts)

    def _unary(self, name: str, request: Message, response: type[_M]) -> _M:
        call: Any = self._channel.unary_unary(SERVICE + name, request_serializer=type(request).SerializeToString)
        try:
            data: bytes = call(request, timeout=self._timeouts.request, metadata=self._metadata)
        except grpc.RpcError as error:
            raise _no_answer(translate(error), self._timeouts) from None
        return _parsed(response, data)


def tell(loop: asyncio.AbstractEventLoop, do: Callable[..., None], *arguments: Any) -> None:
    """Call a function in an event loop, from one of grpcio's threads."""
    with contextlib.suppress(RuntimeError):  # the loop is closed
        loop.call_soon_threadsafe(do, *arguments)


def _session_call(to: grpc.Channel, requests: Iterator[sync_pb2.ClientMessage], metadata: Metadata) -> Any:
    call: Any = to.stream_stream(SERVICE + "Session", request_serializer=sync_pb2.ClientMessage.SerializeToString)
    return call(requests, metadata=metadata)


def _with_credits(request: sync_pb2.SubscribeRequest) -> sync_pb2.SubscribeRequest:
    """The request, with credits where the call needs them. Only `Session` knows credits, and says which match it is."""
    is_small = request.encoding == sync_pb2.columns or request.compression in (sync_pb2.zstd_stream, sync_pb2.br_stream)
    needs_session = request.follow or request.run_id
    if needs_acknowledgements(request) or not (needs_session or (request.policy == sync_pb2.latest and is_small)):
        return request
    limited = sync_pb2.SubscribeRequest()
    limited.CopyFrom(request)
    # Under `latest` one: gRPC's windows would hold hundreds of small frames.
    limited.credits = 1 if request.policy == sync_pb2.latest else _MAX_AHEAD
    return limited


def _session_event(data: bytes, received: int, reading: Reading) -> messages.Streamed | sync_pb2.End:
    """A frame, the border between two matches, or the end."""
    message = _parsed(sync_pb2.ServerMessage, data)
    event = messages.event_from_message(message, received, len(data), reading)
    if isinstance(event, tuple):
        raise ProtocolError(f"unexpected answer {event!r}")
    return event

"""Raw socket connections, TCP and Unix domain: asynchronous and blocking.

A connection of the daemon's socket has one subscription; requests (act, control) use it while it is open, and have a
connection of their own otherwise.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import itertools
import socket
import time
from collections.abc import AsyncGenerator, Generator

from abathur._client.request import acknowledgement, needs_acknowledgements
from abathur._events.skipped_events import SkippedEvents
from abathur._frame import frame as _frame
from abathur._frame.frame import Frame
from abathur._program.address import Address
from abathur._transport import latest, messages
from abathur._transport.reading import MatchStart, Reading, refused_if_too_old
from abathur._transport.receive import AsyncReceiver, BlockingReceiver
from abathur._transport.timeouts import Timeouts
from abathur.errors import AbathurError, LostError, ProtocolError, RequestError, StoppingError
from abathur.sync.v1 import sync_pb2

_BUFFER_BYTES = 256 * 1024
#: Maximum bytes of frames that are queued before the answer to a request; a lossless reader gets all of them.
_MAX_WAITING_BYTES = 256 * 1024 * 1024
_MAX_WAITING_FRAMES = 16_384
#: A request that a daemon answers at once, even while it waits for a match.
_PROBE = b"{}\n"


class AsyncSocketConnection:
    """A daemon's socket, for asyncio: a connection for each subscription. Requests use the newest, or their own."""

    def __init__(self, address: Address, timeouts: Timeouts) -> None:
        """Connect with `subscribe` or the first request."""
        self._address = address
        self._timeouts = timeouts
        self._streams: list[_AsyncStream] = []
        self._match: MatchStart | None = None

    async def close(self) -> None:
        """Close all connections."""
        for stream in self._streams.copy():
            await stream.close()

    async def match(self, run_id: str) -> sync_pb2.Match | None:
        """The constant data of a match; of any, it is known once frames are being read."""
        # In a thread: other tasks of the event loop have their turn.
        return await asyncio.to_thread(_match_of, self._match, run_id, self._address, self._timeouts)

    async def matches(self) -> sync_pb2.MatchList:
        """The matches of the daemon."""
        with refused_if_too_old():
            return (await self._request(sync_pb2.ClientMessage(matches=sync_pb2.GetMatchesRequest()))).matches

    async def status(self, request: sync_pb2.GetStatusRequest) -> sync_pb2.Status:
        """The status of the daemon."""
        return (await self._request(sync_pb2.ClientMessage(status=request))).status

    async def act(self, request: sync_pb2.ActRequest) -> sync_pb2.ActResult:
        """Send actions to the game."""
        return (await self._request(sync_pb2.ClientMessage(act=request))).act

    async def query(self, request: sync_pb2.QueryRequest) -> sync_pb2.QueryResult:
        """Ask the game."""
        return (await self._request(sync_pb2.ClientMessage(query=request))).query

    async def timeline(self, request: sync_pb2.GetTimelineRequest) -> sync_pb2.Timeline:
        """Numbers of the match so far."""
        return (await self._request(sync_pb2.ClientMessage(timeline=request))).timeline

    async def draw(self, request: sync_pb2.DrawRequest) -> sync_pb2.DrawResult:
        """Draw over the map."""
        return (await self._request(sync_pb2.ClientMessage(draw=request))).draw

    async def plot(self, request: sync_pb2.PlotRequest) -> sync_pb2.PlotResult:
        """Add values to series."""
        return (await self._request(sync_pb2.ClientMessage(plot=request))).plot

    async def plots(self, request: sync_pb2.GetPlotsRequest) -> sync_pb2.Plots:
        """The series of agents."""
        return (await self._request(sync_pb2.ClientMessage(plots=request))).plots

    async def control(self, request: sync_pb2.ControlRequest) -> sync_pb2.PlaybackState:
        """Control the playback."""
        return (await self._request(sync_pb2.ClientMessage(control=request))).control

    async def subscribe(
        self, request: sync_pb2.SubscribeRequest, limit: int
    ) -> AsyncGenerator[Frame | sync_pb2.MatchEnded, None]:
        """Frames until the match ends, or the ends of matches between them; payloads of up to `limit` bytes."""
        stream = await _AsyncStream.open(self._address, self._timeouts, _without_maximum(request), limit)
        self._streams.append(stream)
        given = 0
        try:
            self._match = await stream.start()
            while (event := await stream.next()) is not None:
                if isinstance(event, MatchStart):
                    self._match = event
                    continue
                yield event
                if isinstance(event, Frame):
                    given += 1
                    if given == request.max_frames:
                        return
                    stream.acknowledge(event)
        except StoppingError:
            return
        except OSError as error:
            raise LostError(str(error)) from None
        finally:
            self._streams.remove(stream)
            await stream.close()

    async def _request(self, message: sync_pb2.ClientMessage) -> sync_pb2.Result:
        if self._streams:
            return await self._streams[-1].request(message)
        return await asyncio.to_thread(_ask, self._address, self._timeouts, message)


class _AsyncStream:
    """One connection with its subscription."""

    def __init__(
        self,
        address: Address,
        timeouts: Timeouts,
        request: sync_pb2.SubscribeRequest,
        limit: int,
        receiver: AsyncReceiver,
        transport: asyncio.Transport,
    ) -> None:
        self._address = address
        self._timeouts = timeouts
        self._request = request
        self._place = Reading(limit, request)
        self._receiver = receiver
        self._transport = transport
        self._ids = itertools.count(1)
        self._reading = asyncio.Lock()
        self._frames = _Waiting(request.policy)
        #: Answers by the id of the pending request; None until it is answered.
        self._answers: dict[int, sync_pb2.Result | RequestError | None] = {}
        self._error: AbathurError | None = None
        self._binary = request.encoding != sync_pb2.json
        self._acknowledges = needs_acknowledgements(request)
        self._lateness = latest.Lateness() if request.policy == sync_pb2.latest else None

    @classmethod
    async def open(
        cls, address: Address, timeouts: Timeouts, request: sync_pb2.SubscribeRequest, limit: int
    ) -> _AsyncStream:
        try:
            async with asyncio.timeout(timeouts.connect):
                transport, receiver = await open_async(address)
        except TimeoutError:
            raise LostError(_no_connection(timeouts)) from None
        except OSError as error:
            raise LostError(str(error)) from None
        _keep_fresh(transport.get_extra_info("socket"))
        return cls(address, timeouts, request, limit, receiver, transport)

    async def start(self) -> MatchStart:
        first = sync_pb2.ClientMessage(subscribe=self._request, token=self._address.token or "")
        self._transport.write(messages.to_line(first))
        async with self._reading:
            match = messages.first_match(await self._first_line(), self._place)
            self._receiver.buffer.binary = self._binary
            return match

    async def _first_line(self) -> bytes:
        """The match, which a daemon may send much later. Meanwhile this checks whether the daemon is alive."""
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._timeouts.connect):
                    return await self._receiver.message()
            if len(self._receiver.buffer):
                try:
                    async with asyncio.timeout(self._timeouts.request):
                        return await self._receiver.message()
                except TimeoutError:
                    raise LostError(_no_first_line(self._timeouts)) from None
            await asyncio.to_thread(_probe, self._address, self._timeouts)

    async def next(self) -> messages.Streamed | None:
        """The next frame, or border between matches; None at the end."""
        while not self._frames:
            if self._error is not None:
                raise self._error
            async with self._reading:
                if not self._frames:
                    await self._read()
        # If another task waits for an answer, that task reads all messages.
        if self._lateness is not None and not self._reading.locked():
            async with self._reading:
                await self._catch_up(self._lateness)
        return self._frames.take()

    def acknowledge(self, frame: Frame) -> None:
        if self._acknowledges:
            # The daemon may already have closed the connection; the next read gets its last message.
            with contextlib.suppress(ConnectionError):
                self._send(acknowledgement(frame))

    async def request(self, message: sync_pb2.ClientMessage) -> sync_pb2.Result:
        message.id = next(self._ids)
        self._answers[message.id] = None
        try:
            async with asyncio.timeout(self._timeouts.request):
                self._send(message)
                answer = await self._answer(message.id)
        except TimeoutError:
            raise _no_answer(self._timeouts) from None
        finally:
            del self._answers[message.id]
        if isinstance(answer, RequestError):
            raise answer
        return answer

    async def _answer(self, number: int) -> sync_pb2.Result | RequestError:
        # The waiting task reads, because the loop over frames may be blocked while its body waits for this answer.
        while (answer := self._answers[number]) is None:
            async with self._reading:
                if self._answers[number] is None:
                    if self._error is not None:
                        raise self._error
                    if self._frames.end is not None:
                        raise LostError(_ended(self._frames.end))
                    try:
                        await self._read()
                    except ConnectionError as error:
                        raise LostError(str(error)) from None
        return answer

    async def close(self) -> None:
        self._transport.close()
        await asyncio.shield(self._receiver.closed)

    async def _read(self) -> None:
        """Read one event from the connection."""
        self._handle(await self._receiver.message())

    async def _catch_up(self, lateness: latest.Lateness) -> None:
        """Skip to the newest received frame or, if that is late, to one that follows shortly."""
        oldest = self._frames.newest
        self._take_ready()
        if self._frames.newest is oldest and not (oldest is not None and lateness.is_late(oldest)):
            return
        for _ in range(latest.ROUNDS):
            if self._frames.end is not None or not await self._receiver.more(latest.TIMEOUT):
                break
            self._take_ready()

    def _take_ready(self) -> None:
        try:
            while self._error is None and self._receiver.buffer.is_ready():
                self._handle(self._receiver.take())
        except AbathurError as error:
            # Events before the error are delivered first.
            self._error = error

    def _handle(self, data: bytes) -> None:
        received = _frame.monotonic_ns()
        if self._binary:
            event = messages.event_from_bytes(data, received, self._place)
        else:
            event = messages.event_from_line(data, received, self._place)
        if not isinstance(event, tuple):
            self._frames.append(event)
        elif event[0] in self._answers:
            self._answers[event[0]] = event[1]

    def _send(self, message: sync_pb2.ClientMessage) -> None:
        self._transport.write(_encode(message, self._binary))


class BlockingSocketConnection:
    """A daemon's socket, for threads. The same calls as `AsyncSocketConnection`, from one thread."""

    def __init__(self, address: Address, timeouts: Timeouts) -> None:
        """Connect with `subscribe` or the first request."""
        self._address = address
        self._timeouts = timeouts
        self._streams: list[_BlockingStream] = []
        self._match: MatchStart | None = None

    def close(self) -> None:
        """Close all connections."""
        for stream in self._streams.copy():
            stream.close()

    def match(self, run_id: str) -> sync_pb2.Match | None:
        """The constant data of a match; of any, it is known once frames are being read."""
        return _match_of(self._match, run_id, self._address, self._timeouts)

    def matches(self) -> sync_pb2.MatchList:
        """The matches of the daemon."""
        with refused_if_too_old():
            return self._request(sync_pb2.ClientMessage(matches=sync_pb2.GetMatchesRequest())).matches

    def status(self, request: sync_pb2.GetStatusRequest) -> sync_pb2.Status:
        """The status of the daemon."""
        return self._request(sync_pb2.ClientMessage(status=request)).status

    def act(self, request: sync_pb2.ActRequest) -> sync_pb2.ActResult:
        """Send actions to the game."""
        return self._request(sync_pb2.ClientMessage(act=request)).act

    def query(self, request: sync_pb2.QueryRequest) -> sync_pb2.QueryResult:
        """Ask the game."""
        return self._request(sync_pb2.ClientMessage(query=request)).query

    def timeline(self, request: sync_pb2.GetTimelineRequest) -> sync_pb2.Timeline:
        """Numbers of the match so far."""
        return self._request(sync_pb2.ClientMessage(timeline=request)).timeline

    def draw(self, request: sync_pb2.DrawRequest) -> sync_pb2.DrawResult:
        """Draw over the map."""
        return self._request(sync_pb2.ClientMessage(draw=request)).draw

    def plot(self, request: sync_pb2.PlotRequest) -> sync_pb2.PlotResult:
        """Add values to series."""
        return self._request(sync_pb2.ClientMessage(plot=request)).plot

    def plots(self, request: sync_pb2.GetPlotsRequest) -> sync_pb2.Plots:
        """The series of agents."""
        return self._request(sync_pb2.ClientMessage(plots=request)).plots

    def control(self, request: sync_pb2.ControlRequest) -> sync_pb2.PlaybackState:
        """Control the playback."""
        return self._request(sync_pb2.ClientMessage(control=request)).control

    def subscribe(
        self, request: sync_pb2.SubscribeRequest, limit: int
    ) -> Generator[Frame | sync_pb2.MatchEnded, None, None]:
        """Frames until the match ends, or the ends of matches between them; payloads of up to `limit` bytes."""
        stream = _BlockingStream(self._address, self._timeouts, _without_maximum(request), limit)
        self._streams.append(stream)
        given = 0
        try:
            self._match = stream.start()
            while (event := stream.next()) is not None:
                if isinstance(event, MatchStart):
                    self._match = event
                    continue
                yield event
                if isinstance(event, Frame):
                    given += 1
                    if given == request.max_frames:
                        return
                    stream.acknowledge(event)
        except StoppingError:
            return
        except OSError as error:
            raise LostError(str(error)) from None
        finally:
            self._streams.remove(stream)
            stream.close()

    def _request(self, message: sync_pb2.ClientMessage) -> sync_pb2.Result:
        return self._streams[-1].request(message) if self._streams else _ask(self._address, self._timeouts, message)


class _BlockingStream:
    """One connection with its subscription. The twin of `_AsyncStream`."""

    def __init__(self, address: Address, timeouts: Timeouts, request: sync_pb2.SubscribeRequest, limit: int) -> None:
        self._address = address
        self._timeouts = timeouts
        self._request = request
        self._place = Reading(limit, request)
        self._ids = itertools.count(1)
        self._frames = _Waiting(request.policy)
        self._error: AbathurError | None = None
        self._binary = request.encoding != sync_pb2.json
        self._acknowledges = needs_acknowledgements(request)
        self._lateness = latest.Lateness() if request.policy == sync_pb2.latest else None
        self._socket = _connect(address, timeouts)
        _keep_fresh(self._socket)
        self._receiver = BlockingReceiver(self._socket)

    def start(self) -> MatchStart:
        first = sync_pb2.ClientMessage(subscribe=self._request, token=self._address.token or "")
        self._socket.sendall(messages.to_line(first))
        match = messages.first_match(self._first_line(), self._place)
        self._receiver.buffer.binary = self._binary
        return match

    def _first_line(self) -> bytes:
        """See `_AsyncStream._first_line`."""
        while True:
            with contextlib.suppress(TimeoutError):
                return self._receiver.message(time.monotonic() + self._timeouts.connect)
            if len(self._receiver.buffer):
                try:
                    return self._receiver.message(time.monotonic() + self._timeouts.request)
                except TimeoutError:
                    raise LostError(_no_first_line(self._timeouts)) from None
            _probe(self._address, self._timeouts)

    def next(self) -> messages.Streamed | None:
        """The next frame, or border between matches; None at the end."""
        while not self._frames:
            self._take(self._event())
        if self._lateness is not None:
            self._catch_up(self._lateness)
        return self._frames.take()

    def acknowledge(self, frame: Frame) -> None:
        if self._acknowledges:
            # The daemon may already have closed the connection; the next read gets its last message.
            with contextlib.suppress(ConnectionError):
                self._send(acknowledgement(frame))

    def request(self, message: sync_pb2.ClientMessage) -> sync_pb2.Result:
        message.id = next(self._ids)
        until = time.monotonic() + self._timeouts.request
        try:
            self._send(message)
            while True:
                if self._frames.end is not None:
                    raise LostError(_ended(self._frames.end))
                event = self._event(until)
                if not isinstance(event, tuple):
                    self._frames.append(event)
                elif event[0] == message.id:
                    if isinstance(event[1], RequestError):
                        raise event[1]
                    return event[1]
                if time.monotonic() > until:
                    raise TimeoutError
        except TimeoutError:
            raise _no_answer(self._timeouts) from None
        except ConnectionError as error:
            raise LostError(str(error)) from None

    def close(self) -> None:
        self._socket.close()

    def _catch_up(self, lateness: latest.Lateness) -> None:
        """See `_AsyncStream._catch_up`."""
        oldest = self._frames.newest
        self._take_ready()
        if self._frames.newest is oldest and not (oldest is not None and lateness.is_late(oldest)):
            return
        for _ in range(latest.ROUNDS):
            if self._frames.end is not None or not self._receiver.more(latest.TIMEOUT):
                break
            self._take_ready()

    def _take_ready(self) -> None:
        try:
            while self._error is None and self._receiver.buffer.is_ready():
                self._take(self._event())
        except AbathurError as error:
            # Events before the error are delivered first.
            self._error = error

    def _take(self, event: messages.Event) -> None:
        if not isinstance(event, tuple):
            self._frames.append(event)
        elif isinstance(event[1], RequestError):
            raise event[1]

    def _event(self, until: float | None = None) -> messages.Event:
        if self._error is not None:
            raise self._error
        data = self._receiver.message(until)
        received = _frame.monotonic_ns()
        if self._binary:
            return messages.event_from_bytes(data, received, self._place)
        return messages.event_from_line(data, received, self._place)

    def _send(self, message: sync_pb2.ClientMessage) -> None:
        self._socket.settimeout(self._timeouts.request)
        try:
            self._socket.sendall(_encode(message, self._binary))
        finally:
            self._socket.settimeout(None)


class _Waiting:
    """Frames that were read but not consumed yet, and the end. Under `latest` only the newest of each match."""

    def __init__(self, policy: int) -> None:
        self.end: sync_pb2.End | None = None
        self._skips = policy == sync_pb2.latest
        self._events: collections.deque[messages.Streamed] = collections.deque()
        self._skipped = SkippedEvents()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._events) + (self.end is not None)

    @property
    def newest(self) -> Frame | None:
        """The newest frame, if no border follows it."""
        last = self._events[-1] if self._events else None
        return last if isinstance(last, Frame) else None

    def append(self, event: messages.Streamed | sync_pb2.End) -> None:
        """Add an event. Raises ProtocolError if the daemon sends too many frames before it answers a request."""
        if isinstance(event, sync_pb2.End):
            self.end = event
            return
        newest = self.newest
        if isinstance(event, Frame):
            if self._skips and newest is not None:
                latest.replace(newest, event, self._skipped)
                self._events.pop()
                self._bytes -= newest.size
            self._bytes += event.size
        elif newest is not None:
            # It is the last of its match; what follows is told with frames of the next.
            self._skipped.complete(newest)
        self._events.append(event)
        if self._bytes > _MAX_WAITING_BYTES or len(self._events) > _MAX_WAITING_FRAMES:
            raise ProtocolError(
                f"the daemon sent {len(self._events)} frames of {self._bytes} bytes before the answer to a request"
            )

    def take(self) -> messages.Streamed | None:
        """Consume the oldest; None for the end after them."""
        if not self._events:
            return None
        event = self._events.popleft()
        if isinstance(event, Frame):
            self._bytes -= event.size
            if not self._events:
                self._skipped.complete(event)
        return event


def _without_maximum(request: sync_pb2.SubscribeRequest) -> sync_pb2.SubscribeRequest:
    """What to ask the daemon for: under `latest` it counts frames that this client drops, so the client counts."""
    if request.policy != sync_pb2.latest or not request.max_frames:
        return request
    asked = sync_pb2.SubscribeRequest()
    asked.CopyFrom(request)
    asked.ClearField("max_frames")
    return asked


def _ask(address: Address, timeouts: Timeouts, message: sync_pb2.ClientMessage) -> sync_pb2.Result:
    """The answer to a request, on a connection without a subscription.

    Raises:
        LostError: the daemon does not answer, or shuts down.
        RequestError: it refuses the request; DEADLINE_EXCEEDED: it did not answer in time.
    """
    message.id = 1
    message.token = address.token or ""
    line = _first_answer(address, timeouts, message)
    event = messages.event_from_line(line, _frame.monotonic_ns(), Reading())
    if isinstance(event, sync_pb2.End):
        raise LostError(_ended(event))
    if not isinstance(event, tuple):
        raise ProtocolError(f"expected the answer to a request, got {line[:80]!r}")
    if isinstance(event[1], RequestError):
        raise event[1]
    return event[1]


def _first_answer(address: Address, timeouts: Timeouts, message: sync_pb2.ClientMessage) -> bytes:
    """The line that answers the only message on a connection. Raises as `_ask` does."""
    with _connect(address, timeouts) as connection:
        connection.settimeout(timeouts.request)
        try:
            connection.sendall(messages.to_line(message))
            return BlockingReceiver(connection).message(time.monotonic() + timeouts.request)
        except TimeoutError:
            raise _no_answer(timeouts) from None
        except OSError as error:
            raise LostError(str(error)) from None


def _match_of(current: MatchStart | None, run_id: str, address: Address, timeouts: Timeouts) -> sync_pb2.Match | None:
    """A match: the one that is read, or another, which a connection of its own is told.

    Raises:
        LostError: the daemon does not answer, or shuts down.
        RequestError: NOT_FOUND: it does not know the match; DEADLINE_EXCEEDED: it did not answer in time.
    """
    if not run_id or (current is not None and current.run_id == run_id):
        return None if current is None else current.match
    request = sync_pb2.SubscribeRequest(run_id=run_id)
    message = sync_pb2.ClientMessage(subscribe=request, token=address.token or "")
    return messages.first_match(_first_answer(address, timeouts, message), Reading(request=request)).match


def _connect(address: Address, timeouts: Timeouts) -> socket.socket:
    """A connected blocking socket. Raises LostError if nothing answers in time."""
    try:
        return open_socket(address, timeouts.connect)
    except TimeoutError:
        raise LostError(_no_connection(timeouts)) from None
    except OSError as error:
        raise LostError(str(error)) from None


def _probe(address: Address, timeouts: Timeouts) -> None:
    """Check whether a daemon that has sent nothing yet is alive: it may be waiting for its match.

    Raises:
        LostError: it does not answer on a separate connection, either.
    """
    try:
        with open_socket(address, timeouts.connect) as connection:
            connection.settimeout(timeouts.connect)
            connection.sendall(_PROBE)
            if connection.recv(1):
                return
    except OSError:
        pass
    raise LostError(_no_first_line(timeouts))


def _no_connection(timeouts: Timeouts) -> str:
    return f"no connection within {timeouts.connect:g} s (connect_timeout)"


def _no_first_line(timeouts: Timeouts) -> str:
    return f"the daemon accepted the connection but did not answer within {timeouts.connect:g} s (connect_timeout)"


def _no_answer(timeouts: Timeouts) -> RequestError:
    return RequestError(
        "DEADLINE_EXCEEDED", f"the daemon did not answer within {timeouts.request:g} s (request_timeout)"
    )


def _ended(end: sync_pb2.End) -> str:
    return f"the daemon ended the stream: {end.reason}"


async def open_async(address: Address) -> tuple[asyncio.Transport, AsyncReceiver]:
    """A connection for asyncio: TCP, with TLS if the address has it, or Unix domain. Raises OSError."""
    loop = asyncio.get_running_loop()
    if address.path is not None:
        return await loop.create_unix_connection(AsyncReceiver, address.path)
    return await loop.create_connection(AsyncReceiver, address.host, address.port, ssl=address.ssl_context())


def open_socket(address: Address, timeout: float | None = None) -> socket.socket:
    """A connected blocking socket: TCP, with TLS if the address has it, or Unix domain.

    Raises:
        OSError: nothing answers within `timeout` seconds, or the server's certificate is not trusted.
    """
    if address.path is None:
        connection = socket.create_connection((address.host, address.port), timeout)
        try:
            context = address.ssl_context()
            return connection if context is None else context.wrap_socket(connection, server_hostname=address.host)
        except BaseException:
            connection.close()
            raise
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(timeout)
        connection.connect(address.path)
    except BaseException:
        connection.close()
        raise
    return connection


def _keep_fresh(connection: socket.socket) -> None:
    """Limit the system's receive buffer: by default it holds megabytes of stale frames for a paused reader."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)


def _encode(message: sync_pb2.ClientMessage, binary: bool) -> bytes:
    return messages.to_prefixed(message) if binary else messages.to_line(message)

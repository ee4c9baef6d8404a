"""A connection over gRPC. tools/make_blocking.py generates the blocking twin."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import grpc
from google.protobuf.message import Message

from abathur._frame.frame import Frame
from abathur._program.address import Address
from abathur._transport import frames, messages, wire
from abathur._transport.grpc_calls import AsyncCalls
from abathur._transport.grpc_errors import is_cancelled, translate
from abathur._transport.messages import result_of
from abathur._transport.reading import MatchStart, Reading, needs_acknowledgements
from abathur._transport.timeouts import Timeouts
from abathur.errors import AckTimeoutError, ProtocolError, RequestError, StoppingError
from abathur.sync.v1 import sync_pb2

_DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED"
#: Frames that a lossless session may have on the way: they wait in memory.
_MAX_AHEAD = 64
#: The method for each request, by its name in `ClientMessage`.
_METHODS = {
    "act": "Act",
    "control": "Control",
    "draw": "Draw",
    "matches": "GetMatches",
    "plot": "Plot",
    "plots": "GetPlots",
    "query": "Query",
    "status": "GetStatus",
    "timeline": "GetTimeline",
}


class AsyncGrpcConnection:
    """One channel to a daemon."""

    def __init__(self, address: Address, timeouts: Timeouts) -> None:
        """Connect lazily: the first call does it."""
        self._timeouts = timeouts
        self._calls = AsyncCalls(address, timeouts)

    async def close(self) -> None:
        """Close the channel and every stream on it."""
        await self._calls.close()

    async def match(self, run_id: str) -> sync_pb2.Match:
        """The constant data of a match; waits until there is one."""
        request = sync_pb2.GetMatchRequest(wait=True, run_id=run_id)
        while True:
            try:
                return wire.parsed(sync_pb2.Match, await self._unary("GetMatch", request))
            except RequestError as error:
                if error.code != _DEADLINE_EXCEEDED:
                    raise
            # There is no match yet, or the daemon hangs: in that case this request times out as well.
            await self.request(sync_pb2.ClientMessage(status=sync_pb2.GetStatusRequest()))

    async def request(self, message: sync_pb2.ClientMessage) -> sync_pb2.Result:
        """The answer to a request."""
        name = message.WhichOneof("message") or ""
        return result_of(name, await self._unary(_METHODS[name], getattr(message, name)))

    async def subscribe(
        self, request: sync_pb2.SubscribeRequest, limit: int
    ) -> AsyncGenerator[Frame | sync_pb2.MatchEnded, None]:
        """Frames until the match ends, or the ends of matches between them; payloads of up to `limit` bytes."""
        request = _with_credits(request)
        reading = Reading(limit, request)
        source = self._session(request, reading) if needs_acknowledgements(request) else self._stream(request, reading)
        try:
            async for event in source:
                yield event
        except grpc.RpcError as error:
            problem = translate(error)
            if not is_cancelled(error) and not isinstance(problem, StoppingError):
                raise problem from None

    async def _stream(
        self, request: sync_pb2.SubscribeRequest, reading: Reading
    ) -> AsyncGenerator[Frame | sync_pb2.MatchEnded, None]:
        call = self._calls.stream(request)
        try:
            await call.start()
            async for received, data in call:
                message = wire.frame(data)
                reading.name(message.run_id)
                yield reading.place(
                    frames.from_message(message, received=received, size=len(data), payloads=reading.payloads)
                )
        finally:
            call.close()

    async def _session(
        self, request: sync_pb2.SubscribeRequest, reading: Reading
    ) -> AsyncGenerator[Frame | sync_pb2.MatchEnded, None]:
        call = self._calls.session(request)
        try:
            await call.start()
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

    async def _unary(self, name: str, request: Message) -> bytes:
        try:
            return await self._calls.unary(name, request)
        except grpc.RpcError as error:
            raise _no_answer(translate(error), self._timeouts) from None


def _no_answer(error: Exception, timeouts: Timeouts) -> Exception:
    """The error of a request, whose deadline was set by the client."""
    if not isinstance(error, AckTimeoutError):
        return error
    return RequestError(error.code, f"the daemon did not answer within {timeouts.request:g} s (request_timeout)")


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
    message = wire.server_message(data)
    event = messages.event_from_message(message, received, len(data), reading)
    if isinstance(event, tuple):
        raise ProtocolError(f"unexpected answer {event!r}")
    return event

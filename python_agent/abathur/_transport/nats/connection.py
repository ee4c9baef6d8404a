"""Connections to a match on NATS: asynchronous and blocking. The same calls as those to a daemon."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable, Generator
from contextlib import aclosing
from typing import TypeVar

from google.protobuf.message import Message

from abathur._frame.frame import Frame
from abathur._program.address import Address
from abathur._transport.messages import result_of
from abathur._transport.nats import directory, wire
from abathur._transport.nats.client import Client, NoRelayError
from abathur._transport.nats.stream import MatchStream
from abathur._transport.nats.subscription import Liveness, Place, Reader, place_of
from abathur._transport.timeouts import Timeouts
from abathur.errors import AbsentError, LostError, RequestError
from abathur.sync.v1 import sync_pb2

_T = TypeVar("_T")
#: A relay that is there answers much sooner.
_ASK_SECONDS = 5.0
_WAIT_SECONDS = 0.5


class AsyncNatsConnection:
    """One connection to the servers of NATS, for asyncio."""

    def __init__(self, address: Address, timeouts: Timeouts) -> None:
        """Connect lazily: the first call does it."""
        self._address = address
        self._match = address.match
        self._timeouts = timeouts
        self._client: Client | None = None
        #: The event loop of the client, and what is held while it connects.
        self._loop: asyncio.AbstractEventLoop | None = None
        self._connecting = asyncio.Lock()
        #: A lossless subscription that broke, and where: it continues there.
        self._broken: tuple[sync_pb2.SubscribeRequest, Place] | None = None

    async def close(self) -> None:
        """Close the connection and every stream on it."""
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.close()

    async def match(self, run_id: str) -> sync_pb2.Match:
        """The constant data of the match. If a relay is there, waits for it for as long as for an answer."""
        _check_run(run_id)
        client = await self._connected()
        # Fails at once if the name is wrong or its relay has not begun: there may be no directory, which would be
        # waited for.
        await MatchStream(client, self._match).range()
        for _ in range(max(1, round(self._timeouts.request / _WAIT_SECONDS))):
            found = await directory.match(client, self._match)
            if found is not None:
                return found
            await asyncio.sleep(_WAIT_SECONDS)
        raise AbsentError(f"there is no match {self._match!r}")

    async def request(self, message: sync_pb2.ClientMessage) -> sync_pb2.Result:
        """The answer to a request, which the relay passes on."""
        what = message.WhichOneof("message") or ""
        if what == "matches":
            raise _needs_daemon("matches()")
        request: Message = getattr(message, what)
        _check_run(getattr(request, "run_id", ""))
        client = await self._connected()
        subject = wire.call(self._match, what)
        try:
            answer = await client.request(subject, request.SerializeToString(), wire.REQUEST, self._timeouts.request)
        except NoRelayError:
            raise AbsentError(f"no relay serves the match {self._match!r}") from None
        except LostError:
            seconds = f"{self._timeouts.request:g} s (request_timeout)"
            raise RequestError("DEADLINE_EXCEEDED", f"the relay did not answer within {seconds}") from None
        if answer.headers and wire.ERROR in answer.headers:
            raise RequestError(answer.headers[wire.ERROR], answer.data.decode(errors="replace"))
        return result_of(what, answer.data)

    async def subscribe(
        self, request: sync_pb2.SubscribeRequest, limit: int
    ) -> AsyncGenerator[Frame | sync_pb2.MatchEnded, None]:
        """Frames until the match ends; with `follow` the end of each match, and then the next on the same name.

        Payloads have up to `limit` bytes.
        """
        _check(request)
        client = await self._connected()
        place = await self._place(client, request)
        if place is None:
            return
        left = request.max_frames
        is_next = False
        announcing = asyncio.create_task(self._announce(client))
        try:
            while True:
                liveness = Liveness(self._has_relay, self._match, expected=not is_next)
                reader = Reader(client, self._match, request, limit, liveness)
                if request.policy == sync_pb2.latest:
                    frames = reader.latest(place if is_next or request.WhichOneof("start") else None)
                else:
                    frames = reader.every(place)
                async with aclosing(frames):
                    async for frame in frames:
                        yield frame
                        left -= 1
                        if left == 0:
                            return
                if (ended := reader.ended) is None:
                    return
                yield ended.message
                place, is_next = Place(ended.next, ended.next - 1), True
        except LostError:
            if request.policy == sync_pb2.every:
                self._broken = (request, place)
            raise
        finally:
            announcing.cancel()

    async def _place(self, client: Client, request: sync_pb2.SubscribeRequest) -> Place | None:
        stream = MatchStream(client, self._match)
        broken, self._broken = self._broken, None
        if broken is not None and broken[0] is request:
            last = await stream.last()
            # Who follows reads what is stored of its match, also if another one has begun.
            if last is not None and (last.run == broken[1].run or request.follow) and last.position >= broken[1].after:
                place: Place | None = broken[1]
            else:
                place = await place_of(stream, request, self._run)
        else:
            broken = None
            place = await place_of(stream, request, self._run)
        needs_relay = broken is not None or request.WhichOneof("start") is None
        if place is not None and needs_relay and not await self._has_relay():
            self._broken = broken
            raise AbsentError(f"no relay serves the match {self._match!r}")
        return place

    async def _run(self) -> str:
        entry = await directory.entry(await self._connected(), self._match)
        return "" if entry is None else entry.run_id

    async def _has_relay(self) -> bool:
        client = await self._connected()
        try:
            await client.request(wire.call(self._match, wire.HERE), b"", wire.REQUEST, _ASK_SECONDS)
        except LostError:
            return False
        return True

    async def _announce(self, client: Client) -> None:
        """Tell the relay that there is a reader, which counts them."""
        number = client.nats.new_inbox().rpartition(".")[2].encode()
        while True:
            await client.publish(wire.call(self._match, wire.HERE), number)
            await asyncio.sleep(wire.HERE_SECONDS)

    async def _connected(self) -> Client:
        if self._loop is not (loop := asyncio.get_running_loop()):
            self._loop, self._client, self._connecting = loop, None, asyncio.Lock()
        async with self._connecting:
            if self._client is None:
                inbox = wire.inbox(self._match)
                self._client = await Client.connect(self._address, inbox, self._timeouts.connect, "abathur reader")
            return self._client


class BlockingNatsConnection:
    """The same for threads: the connection is in an event loop of its own."""

    def __init__(self, address: Address, timeouts: Timeouts) -> None:
        """Connect lazily: the first call does it."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="abathur-nats", daemon=True)
        self._thread.start()
        self._connection = self._run(_made(address, timeouts))

    def close(self) -> None:
        """Close the connection and every stream on it."""
        if self._loop.is_closed():
            return
        self._run(self._connection.close())
        self._run(_cancel_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def match(self, run_id: str) -> sync_pb2.Match:
        """The constant data of the match. If a relay is there, waits for it for as long as for an answer."""
        return self._run(self._connection.match(run_id))

    def request(self, message: sync_pb2.ClientMessage) -> sync_pb2.Result:
        """The answer to a request, which the relay passes on."""
        return self._run(self._connection.request(message))

    def subscribe(
        self, request: sync_pb2.SubscribeRequest, limit: int
    ) -> Generator[Frame | sync_pb2.MatchEnded, None, None]:
        """See `AsyncNatsConnection.subscribe`."""
        frames = self._connection.subscribe(request, limit)
        try:
            while (frame := self._run(anext(frames, None))) is not None:
                yield frame
        finally:
            if not self._loop.is_closed():
                self._run(frames.aclose())

    def _run(self, work: Awaitable[_T]) -> _T:
        future = asyncio.run_coroutine_threadsafe(_awaited(work), self._loop)
        try:
            return future.result()
        except BaseException:
            # Ctrl-C ends the wait, and with this the work.
            future.cancel()
            raise


async def _made(address: Address, timeouts: Timeouts) -> AsyncNatsConnection:
    return AsyncNatsConnection(address, timeouts)


async def _awaited(work: Awaitable[_T]) -> _T:
    return await work


async def _cancel_all() -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def _check(request: sync_pb2.SubscribeRequest) -> None:
    """Refuse what a match on NATS cannot do: all its readers get the same bytes."""
    _check_run(request.run_id)
    if request.policy == sync_pb2.lockstep:
        raise _needs_daemon("the policy lockstep")
    if request.field_mask.paths:
        raise RequestError("UNIMPLEMENTED", "a match on NATS has all fields: subscribe without `fields`")


def _check_run(run_id: str) -> None:
    """Refuse another match of the daemon: a name on NATS has one."""
    if run_id:
        raise _needs_daemon("run_id")


def _needs_daemon(what: str) -> RequestError:
    return RequestError("UNIMPLEMENTED", f"{what} needs a connection to the daemon itself, not to NATS")

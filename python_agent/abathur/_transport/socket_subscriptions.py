"""Subscriptions on the daemon's socket: a `SocketSession` with the input and output of asyncio, or of threads."""

from __future__ import annotations

import asyncio
import contextlib
import time

from abathur._frame.frame import Frame
from abathur._program.address import Address
from abathur._transport import latest, messages
from abathur._transport.reading import MatchStart
from abathur._transport.receive import AsyncReceiver, BlockingReceiver
from abathur._transport.socket_open import connected, keep_fresh, no_connection, no_first_line, open_async, probe
from abathur._transport.socket_session import SocketSession
from abathur._transport.timeouts import Timeouts, no_answer
from abathur.errors import LostError
from abathur.sync.v1 import sync_pb2


class AsyncSubscription:
    """One connection with its subscription, for asyncio. While one task waits for a message, others wait for it."""

    def __init__(
        self,
        address: Address,
        timeouts: Timeouts,
        session: SocketSession,
        receiver: AsyncReceiver,
        transport: asyncio.Transport,
    ) -> None:
        """Use `open`."""
        self._address = address
        self._timeouts = timeouts
        self._session = session
        self._receiver = receiver
        self._transport = transport
        self._reading = asyncio.Lock()

    @classmethod
    async def open(
        cls, address: Address, timeouts: Timeouts, request: sync_pb2.SubscribeRequest, limit: int
    ) -> AsyncSubscription:
        """Connect. Raises LostError."""
        try:
            async with asyncio.timeout(timeouts.connect):
                transport, receiver = await open_async(address)
        except TimeoutError:
            raise LostError(no_connection(timeouts)) from None
        except OSError as error:
            raise LostError(str(error)) from None
        keep_fresh(transport.get_extra_info("socket"))
        return cls(address, timeouts, SocketSession(request, limit), receiver, transport)

    async def start(self) -> MatchStart:
        """Subscribe, and wait for the match."""
        self._transport.write(self._session.hello(self._address.token or ""))
        async with self._reading:
            return self._session.begin(await self._first_line(), self._receiver)

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
                    raise LostError(no_first_line(self._timeouts)) from None
            await asyncio.to_thread(probe, self._address, self._timeouts)

    async def next(self) -> messages.Streamed | None:
        """The next frame, or border between matches; None at the end."""
        session = self._session
        while not session.waiting:
            session.check()
            async with self._reading:
                if not session.waiting:
                    session.handle(await self._receiver.message())
        # If another task waits for an answer, that task reads all messages.
        if session.skips and not self._reading.locked():
            async with self._reading:
                await self._catch_up()
        return session.waiting.take()

    async def _catch_up(self) -> None:
        """Skip to the newest received frame or, if that is late, to one that follows shortly."""
        if not self._session.is_behind(self._receiver):
            return
        for _ in range(latest.ROUNDS):
            if self._session.waiting.end is not None or not await self._receiver.more(latest.TIMEOUT):
                break
            self._session.handle_ready(self._receiver)

    def acknowledge(self, frame: Frame) -> None:
        """Tell the daemon that a frame was used."""
        message = self._session.acknowledgement(frame)
        # The daemon may already have closed the connection; the next read gets its last message.
        with contextlib.suppress(ConnectionError):
            if message is not None:
                self._transport.write(message)

    @property
    def takes_requests(self) -> bool:
        """Whether the daemon answers requests on it."""
        return self._session.takes_requests

    async def request(self, message: sync_pb2.ClientMessage) -> sync_pb2.Result:
        """The answer to a request, which comes between the frames."""
        try:
            async with asyncio.timeout(self._timeouts.request):
                self._transport.write(self._session.ask(message))
                # This task reads, because the loop over frames may be blocked while its body waits for the answer.
                while (answer := self._session.answer(message)) is None:
                    async with self._reading:
                        if self._session.answer(message) is None:
                            self._session.handle(await self._receiver.message())
                return answer
        except TimeoutError:
            raise no_answer(self._timeouts) from None
        except ConnectionError as error:
            raise LostError(str(error)) from None
        finally:
            self._session.give_up(message)

    async def close(self) -> None:
        """Close the connection."""
        self._transport.close()
        await asyncio.shield(self._receiver.closed)


class BlockingSubscription:
    """The same for threads."""

    def __init__(self, address: Address, timeouts: Timeouts, request: sync_pb2.SubscribeRequest, limit: int) -> None:
        """Use `open`."""
        self._address = address
        self._timeouts = timeouts
        self._session = SocketSession(request, limit)
        self._socket = connected(address, timeouts)
        keep_fresh(self._socket)
        self._receiver = BlockingReceiver(self._socket)

    @classmethod
    def open(
        cls, address: Address, timeouts: Timeouts, request: sync_pb2.SubscribeRequest, limit: int
    ) -> BlockingSubscription:
        """Connect. Raises LostError."""
        return cls(address, timeouts, request, limit)

    def start(self) -> MatchStart:
        """See `AsyncSubscription.start`."""
        self._socket.sendall(self._session.hello(self._address.token or ""))
        return self._session.begin(self._first_line(), self._receiver)

    def _first_line(self) -> bytes:
        """See `AsyncSubscription._first_line`."""
        while True:
            with contextlib.suppress(TimeoutError):
                return self._receiver.message(time.monotonic() + self._timeouts.connect)
            if len(self._receiver.buffer):
                try:
                    return self._receiver.message(time.monotonic() + self._timeouts.request)
                except TimeoutError:
                    raise LostError(no_first_line(self._timeouts)) from None
            probe(self._address, self._timeouts)

    def next(self) -> messages.Streamed | None:
        """See `AsyncSubscription.next`."""
        while not self._session.waiting:
            self._session.check()
            self._session.handle(self._receiver.message())
        if self._session.skips:
            self._catch_up()
        return self._session.waiting.take()

    def _catch_up(self) -> None:
        """See `AsyncSubscription._catch_up`."""
        if not self._session.is_behind(self._receiver):
            return
        for _ in range(latest.ROUNDS):
            if self._session.waiting.end is not None or not self._receiver.more(latest.TIMEOUT):
                break
            self._session.handle_ready(self._receiver)

    def acknowledge(self, frame: Frame) -> None:
        """See `AsyncSubscription.acknowledge`."""
        message = self._session.acknowledgement(frame)
        with contextlib.suppress(ConnectionError):
            if message is not None:
                self._send(message)

    @property
    def takes_requests(self) -> bool:
        """See `AsyncSubscription.takes_requests`."""
        return self._session.takes_requests

    def request(self, message: sync_pb2.ClientMessage) -> sync_pb2.Result:
        """See `AsyncSubscription.request`."""
        until = time.monotonic() + self._timeouts.request
        try:
            self._send(self._session.ask(message))
            while (answer := self._session.answer(message)) is None:
                if time.monotonic() > until:
                    raise TimeoutError
                self._session.handle(self._receiver.message(until))
            return answer
        except TimeoutError:
            raise no_answer(self._timeouts) from None
        except ConnectionError as error:
            raise LostError(str(error)) from None
        finally:
            self._session.give_up(message)

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def _send(self, message: bytes) -> None:
        self._socket.settimeout(self._timeouts.request)
        try:
            self._socket.sendall(message)
        finally:
            self._socket.settimeout(None)

"""The stream of a match: its messages by position, and the consumer that reads them in order."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from abathur._frame.timing import monotonic_ns
from abathur._transport.nats import wire
from abathur._transport.nats.client import ApiError, Client
from abathur._transport.nats.wire import Stamp
from abathur.errors import AbsentError, LostError, RequestError

if TYPE_CHECKING:
    from nats.aio.msg import Msg

#: The server sends a heartbeat after this many seconds without a message. A consumer that is silent for three times
#: as long has been lost with its server, and is made again.
_HEARTBEAT_SECONDS = 1.0
_SILENCE_SECONDS = 3 * _HEARTBEAT_SECONDS
#: Delay before a consumer that cannot be made is tried again, and for how long.
_RETRY_SECONDS = 0.25
_GIVE_UP_SECONDS = 30.0
_TOKENS = 9


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a stream.

    Attributes:
        position: Its place in the stream.
        stamp: What its headers say; None: no relay published it.
        data: The daemon's message, serialized.
        received: When it was received, by `monotonic_ns`.
    """

    position: int
    stamp: Stamp | None
    data: bytes
    received: int


class MatchStream:
    """Reads the stream of a match."""

    def __init__(self, client: Client, match: str) -> None:
        """Of a match by its name."""
        self._client = client
        self._match = match
        self._stream = wire.stream(match)

    async def range(self) -> tuple[int, int]:
        """Positions of the first message that is kept and of the newest one; the first is larger if it is empty."""
        state = (await self._call("STREAM.INFO"))["state"]
        return max(1, int(state["first_seq"])), int(state["last_seq"])

    async def last(self) -> Stamp | None:
        """The newest message of a relay; None if it does not exist."""
        return (await self.newest())[1]

    async def newest(self) -> tuple[int, Stamp | None]:
        """The position of the newest message, and the newest one of a relay; 0 and None if it is empty.

        Raises:
            LostError: the servers do not answer, or there is no stream.
        """
        first, last = await self.range()
        return last, await self._at_or_before(last, first)

    async def stamp(self, position: int) -> Stamp | None:
        """The headers at a position; None if nothing of a relay is there."""
        try:
            found = await self._client.message(self._stream, position)
        except ApiError as error:
            raise self._refused(error) from None
        return None if found is None else self._stamp_at(found[0], found[1])

    async def message(self, position: int) -> Message | None:
        """The message at a position; None if it does not exist."""
        found = await self._client.message(self._stream, position)
        if found is None:
            return None
        return Message(found[0], self._stamp_at(found[0], found[1]), found[2], monotonic_ns())

    def _stamp_at(self, position: int, headers: Mapping[str, str] | None) -> Stamp | None:
        return _stamp_at(position, headers, self._match)

    async def oldest(self) -> Stamp | None:
        """The oldest frame of the newest run that can be read: with its keyframe. None if it does not exist."""
        first, last = await self.range()
        newest = await self._at_or_before(last, first)
        if newest is None:
            return None
        # Positions of keyframes grow with positions.
        found = await self._first(max(first, newest.first), newest.position, lambda each: each.keyframe >= first)
        return None if found is None or found.end else found

    async def at_loop(self, game_loop: int) -> Stamp:
        """The first frame at or after a game loop.

        Raises:
            RequestError: OUT_OF_RANGE: it is not kept.
        """
        oldest = await self.oldest()
        newest = await self.last()
        if oldest is None or newest is None:
            raise RequestError("OUT_OF_RANGE", f"the match {self._match} has no frames yet")
        if not oldest.game_loop <= game_loop <= newest.game_loop:
            raise RequestError(
                "OUT_OF_RANGE",
                f"game loop {game_loop} is not kept; kept are {oldest.game_loop} to {newest.game_loop}",
            )
        found = await self._first(oldest.position, newest.position, lambda each: each.game_loop >= game_loop)
        assert found is not None
        return found

    async def read(self, position: int) -> AsyncGenerator[Message | None, None]:
        """The messages from a position on, in order and each one once; then new ones as they are stored.

        None for each second without a message.

        Raises:
            LostError: the servers do not answer, or the stream was deleted.
            RequestError: OUT_OF_RANGE: the message is not kept any more; PERMISSION_DENIED.
        """
        consumer = _Consumer(self._client, self._match)
        try:
            await consumer.begin(position)
            while True:
                message = await consumer.next(_HEARTBEAT_SECONDS)
                if message is not None and message.position != position:
                    if message.position < position:
                        continue
                    await self._check_kept(position, message.position)
                    await consumer.begin(position)
                    continue
                if message is None and consumer.is_silent:
                    await consumer.begin(position)
                position += message is not None
                yield message
        finally:
            await consumer.end()

    async def _check_kept(self, position: int, found: int) -> None:
        first, _ = await self.range()
        if first > position:
            raise RequestError(
                "OUT_OF_RANGE",
                f"the messages {position} to {first - 1} of the match {self._match} are not kept any more: "
                "this reader is too slow, or began too early",
            )

    async def _first(self, low: int, high: int, holds) -> Stamp | None:  # type: ignore[no-untyped-def]
        """The first stamp that holds, by binary search; the last of the range must be a stamp."""
        best = None
        while low <= high:
            middle = (low + high) // 2
            found = await self._at_or_before(middle, low)
            if found is None or not holds(found):
                low = middle + 1
            else:
                best, high = found, found.position - 1
        return best

    async def _at_or_before(self, position: int, low: int) -> Stamp | None:
        while position >= low:
            found = await self.stamp(position)
            if found is not None:
                return found
            position -= 1
        return None

    async def _call(self, call: str) -> dict:  # type: ignore[type-arg]
        try:
            return await self._client.api(f"{call}.{self._stream}")
        except ApiError as error:
            raise self._refused(error) from None

    def _refused(self, error: ApiError) -> Exception:
        if error.is_missing:
            return AbsentError(f"there is no match {self._match!r}")
        return LostError(f"JetStream: {error}")


class _Consumer:
    """An ordered consumer: the server sends the messages, and waits where they are not taken."""

    def __init__(self, client: Client, match: str) -> None:
        self._client = client
        self._match = match
        self._waiting: deque[Msg] = deque()
        self._more = asyncio.Event()
        self._heard = time.monotonic()
        self._subscription = None

    @property
    def is_silent(self) -> bool:
        """Whether not even a heartbeat came for some time."""
        return time.monotonic() - self._heard > _SILENCE_SECONDS

    async def begin(self, position: int) -> None:
        """Have the messages sent from a position on."""
        give_up = time.monotonic() + _GIVE_UP_SECONDS
        while True:
            await self.end()
            inbox = self._client.nats.new_inbox()
            self._subscription = await self._client.subscribe(inbox, self._receive)  # type: ignore[assignment]
            settings = {
                "deliver_subject": inbox,
                "deliver_policy": "by_start_sequence",
                "opt_start_seq": max(1, position),
                "ack_policy": "none",
                "max_deliver": 1,
                "replay_policy": "instant",
                "flow_control": True,
                "idle_heartbeat": int(_HEARTBEAT_SECONDS * 1e9),
                "num_replicas": 1,
                "mem_storage": True,
            }
            stream = wire.stream(self._match)
            try:
                await self._client.api(f"CONSUMER.CREATE.{stream}", {"stream_name": stream, "config": settings})
                self._heard = time.monotonic()
                return
            except ApiError as error:
                if error.is_missing:
                    raise AbsentError(f"there is no match {self._match!r}") from None
                problem: Exception = LostError(f"JetStream: {error}")
            except LostError as error:
                problem = error
            if time.monotonic() > give_up:
                raise problem
            # The servers elect a leader, or the connection is made again.
            await asyncio.sleep(_RETRY_SECONDS)

    async def end(self) -> None:
        """The server removes a consumer without a subscription."""
        subscription, self._subscription = self._subscription, None
        self._waiting.clear()
        if subscription is not None:
            with contextlib.suppress(Exception):
                await subscription.unsubscribe()

    async def next(self, seconds: float) -> Message | None:
        """The next message; None if none came within some seconds."""
        while True:
            while not self._waiting:
                self._more.clear()
                try:
                    async with asyncio.timeout(seconds):
                        await self._more.wait()
                except TimeoutError:
                    return None
            message = self._waiting.popleft()
            if message.headers and "Status" in message.headers:
                # Flow control: the server sends more when what came before has been taken.
                if reply := message.reply or message.headers.get("Nats-Consumer-Stalled", ""):
                    await self._client.publish(reply)
                continue
            position = _position(message.reply)
            stamp = _stamp_at(position, message.headers, self._match)
            return Message(position, stamp, message.data, monotonic_ns())

    async def _receive(self, message: Msg) -> None:
        self._heard = time.monotonic()
        self._waiting.append(message)
        self._more.set()


def _stamp_at(position: int, headers: Mapping[str, str] | None, match: str) -> Stamp | None:
    """What the headers of a stored message say; None if it was published for another position."""
    stamp = wire.stamp(headers, match)
    return stamp if stamp is not None and stamp.position == position else None


def _position(reply: str) -> int:
    """The position of a message, from the subject at which it could be acknowledged."""
    tokens = reply.split(".")
    # Newer servers name their domain and the account, too.
    return int(tokens[5] if len(tokens) == _TOKENS else tokens[7])

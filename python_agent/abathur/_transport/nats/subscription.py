"""The frames of a match on NATS, as a policy has them."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from abathur._frame.frame import Frame
from abathur._frame.timing import monotonic_ns
from abathur._transport import latest
from abathur._transport.nats import wire
from abathur._transport.nats.chain import Chain, Selection
from abathur._transport.nats.client import Client
from abathur._transport.nats.stream import MatchStream, Message
from abathur._transport.nats.wire import Stamp
from abathur.errors import LostError, RequestError, request_error
from abathur.sync.v1 import sync_pb2

if TYPE_CHECKING:
    from nats.aio.msg import Msg

#: After this long without a frame, a reader asks whether the relay is there. A relay that is started again is back
#: before the second time.
_SILENCE_SECONDS = 3.0
_RELAY_SECONDS = 10.0
_WAIT_SECONDS = 1.0
#: How often, and after which times in seconds, a message is looked for that may not be stored yet; and how long none
#: is looked for after one that was not there.
_STORED_TRIES = 3
_STORED_SECONDS = 0.05
_ASK_AGAIN_SECONDS = 0.25
#: So many waiting frames are decoded one by one. Of more, those before the newest keyframe are dropped.
_MANY_WAITING = 32
#: Ends that are orderly: the match is over; the daemon is shutting down.
_OVER = "OK"
_ORDERLY = (_OVER, "CANCELLED")
#: The game, or the bot that publishes, has disconnected during the match.
_SOURCE_LOST = "ABORTED"


@dataclass(slots=True)
class Place:
    """Where a lossless subscription is.

    Attributes:
        decode: Position from which frames are decoded: a keyframe.
        after: Frames after this position are given.
        sequence: Sequence of the frame there; None: any may follow.
        run: The run of the daemon's source; empty: any.
    """

    decode: int
    after: int
    sequence: int | None = None
    run: str = ""


async def place_of(
    stream: MatchStream, request: sync_pb2.SubscribeRequest, run: Callable[[], Awaitable[str]]
) -> Place | None:
    """Where a subscription begins; None: the match is over, and it begins after that.

    Args:
        stream: The stream of the match.
        request: The subscription.
        run: Gives the run that the directory names, which may have no frames yet.

    Raises:
        RequestError: OUT_OF_RANGE: that is not kept.
    """
    start = request.WhichOneof("start")
    if start == "start_game_loop":
        found = await stream.at_loop(request.start_game_loop)
        return Place(found.keyframe, found.position - 1)
    looked_to = None
    if start == "start_oldest":
        _, looked_to = await stream.range()
        if (oldest := await stream.oldest()) is not None:
            return Place(oldest.keyframe, oldest.keyframe - 1)
    last = await stream.last()
    if last is None:
        _, position = await stream.range()
        return Place(position + 1, position)
    if last.end:
        is_over = last.end in _ORDERLY and not request.follow and await run() in ("", last.run)
        return None if is_over else Place(last.position + 1, last.position)
    if looked_to is not None and last.keyframe > looked_to:
        # The oldest frame was stored after it was looked for.
        return Place(looked_to + 1, looked_to)
    return Place(last.keyframe, last.position)


class Liveness:
    """Finds out whether a relay serves a match that is silent."""

    def __init__(self, ask: Callable[[], Awaitable[bool]], match: str, *, expected: bool = True) -> None:
        """With a function that asks the relay; `expected`: one is there before the first frame."""
        self._ask = ask
        self._match = match
        self._is_expected = expected
        self._heard = self._asked = time.monotonic()

    def hear(self) -> None:
        """A frame came."""
        self._is_expected = True
        self._heard = time.monotonic()

    async def is_due(self) -> bool:
        """Call this while nothing comes. Whether the relay was asked, and is there or may come back.

        Raises:
            LostError: no relay has answered for some time.
        """
        now = time.monotonic()
        if now - max(self._heard, self._asked) < _SILENCE_SECONDS:
            return False
        if not self._is_expected:
            # Between two matches: what a connection that broke did not bring is looked for.
            self._asked = now
            return True
        if await self._ask():
            self._heard = now
        elif now - self._heard > _RELAY_SECONDS:
            raise LostError(f"no relay serves the match {self._match!r}")
        self._asked = time.monotonic()
        return True


class Provenance:
    """Finds out which messages of a plain subscription are of the match.

    A user who may have messages sent to its subject can send old ones and those of other matches. A message that
    follows the one before it in the same run is taken as it is: only who may publish frames can make one. Of any other,
    the stream must have the same.

    Attributes:
        stored_to: Messages up to this position were stored before the subscription.
    """

    def __init__(self, stream: MatchStream, stored_to: int, run: str) -> None:
        """Of a stream, with the run of its newest message."""
        self._stream = stream
        self._run = run
        self._position = self.stored_to = stored_to
        self._not_before = 0.0

    async def is_stored(self, message: Message) -> bool:
        """Whether a message is of the match. What is not, is read from the stream when it is needed."""
        stamp = message.stamp
        assert stamp is not None
        if stamp.run != self._run or stamp.position != self._position + 1:
            if time.monotonic() < self._not_before:
                return False
            if not await self._is_there(stamp):
                # So that a flood of such messages costs little.
                self._not_before = time.monotonic() + _ASK_AGAIN_SECONDS
                return False
        self._run, self._position = stamp.run, stamp.position
        return True

    async def _is_there(self, stamp: Stamp) -> bool:
        for _ in range(_STORED_TRIES):
            found = await self._stream.stamp(stamp.position)
            if found is not None:
                return found == stamp
            # A message may come before it is stored.
            await asyncio.sleep(_STORED_SECONDS)
        return False


@dataclass(frozen=True, slots=True)
class Ended:
    """A match is over, and the reader follows.

    Attributes:
        message: What the reader is told.
        next: Position from which the next match is read.
    """

    message: sync_pb2.MatchEnded
    next: int


class Reader:
    """One subscription to the frames of a match.

    Attributes:
        ended: Set where a match is over that another one follows.
    """

    def __init__(
        self, client: Client, match: str, request: sync_pb2.SubscribeRequest, limit: int, liveness: Liveness
    ) -> None:
        """Payloads of up to `limit` bytes."""
        self._client = client
        self._match = match
        self._stream = MatchStream(client, match)
        self._chain = Chain(limit)
        self._selection = Selection(request.every_game_loops)
        self._liveness = liveness
        self._follows = request.follow
        self._newest_frame: Frame | None = None
        self.ended: Ended | None = None
        self._lateness = latest.Lateness()
        #: Of the plain subscription.
        self._waiting: deque[Message] = deque()
        self._more = asyncio.Event()
        self._denied: RequestError | None = None
        self._provenance = Provenance(self._stream, 0, "")

    async def every(self, place: Place) -> AsyncGenerator[Frame, None]:
        """Each frame after a place, which is kept up to date.

        Raises:
            RequestError: DATA_LOSS: the relay could not keep up; OUT_OF_RANGE: this reader could not.
        """
        chain, selection = self._chain, self._selection
        async with aclosing(self._stream.read(place.decode)) as messages:
            async for message in messages:
                if message is None:
                    await self._liveness.is_due()
                    continue
                self._liveness.hear()
                stamp = message.stamp
                if stamp is None or (stamp.end and message.position <= place.after):
                    chain.pass_over(message.position)
                    continue
                if place.run not in ("", stamp.run):
                    if await self._goes_on(place.run):
                        # Of another relay, or of a user who may publish: the match has nothing there.
                        chain.pass_over(message.position)
                        continue
                    if self._follows:
                        self._end_lost(place.run, message.position)
                        return
                    raise LostError("the daemon began another match")
                if not stamp.end and chain.needs(message) != message.position:
                    place.decode = stamp.keyframe
                    raise LostError(f"the frame at position {message.position} depends on one that was not read")
                if stamp.end:
                    place.after = message.position
                    if (last := selection.last()) is not None:
                        yield last
                    self._end(stamp, message)
                    return
                frame = self._newest_frame = chain.decode(message)
                if message.position <= place.after:
                    continue
                if place.sequence is not None and frame.sequence != place.sequence + 1:
                    raise RequestError(
                        "DATA_LOSS",
                        f"the frames {place.sequence + 1} to {frame.sequence - 1} are not in the stream: "
                        "the daemon did not keep them until the relay could send them",
                    )
                place.decode, place.after = stamp.keyframe, message.position
                place.sequence, place.run = frame.sequence, stamp.run
                if selection.is_wanted(frame):
                    yield selection.give(frame, None)
                else:
                    selection.exclude(frame)

    async def latest(self, place: Place | None) -> AsyncGenerator[Frame, None]:
        """The newest frame each time; with a place, first each frame that the stream already has behind it.

        Frames come by a plain subscription, which costs the server little. What they depend on is read from the stream.
        """
        # What is stored already comes by the subscription only where a user has it sent again.
        stored, last = await self._stream.newest()
        self._provenance = Provenance(self._stream, stored, "" if last is None else last.run)
        subject = wire.frames(self._match)
        self._client.watch_denial(subject, self._deny)
        subscription = await self._client.subscribe(subject, self._receive)
        try:
            if place is not None:
                async with aclosing(self.every(place)) as frames:
                    async for frame in frames:
                        yield frame
                        if self._waiting and self._waiting[0].position <= place.after + 1:
                            break
                    else:
                        return
            async with aclosing(self._newest()) as frames:
                async for frame in frames:
                    yield frame
        finally:
            if not self._client.nats.is_closed:
                await subscription.unsubscribe()

    async def _newest(self) -> AsyncGenerator[Frame, None]:
        chain, selection = self._chain, self._selection
        newest: Frame | None = None
        first_dropped: int | None = None
        rounds = latest.ROUNDS
        while True:
            for message in await self._take():
                if message.position <= chain.position:
                    continue
                stamp = message.stamp
                assert stamp is not None
                if stamp.end:
                    if newest is not None:
                        yield selection.give(newest, first_dropped)
                    if (last := selection.last()) is not None:
                        yield last
                    self._end(stamp, message)
                    return
                async for frame in self._decoded(message):
                    self._newest_frame = frame
                    if not selection.is_wanted(frame):
                        selection.exclude(frame)
                        continue
                    if newest is not None:
                        selection.skip(newest)
                        first_dropped = newest.game_loop if first_dropped is None else first_dropped
                    newest = frame
            if newest is None:
                continue
            if self._lateness.is_late(newest) and rounds > 0:
                # It waited, so that newer ones may follow at once.
                rounds -= 1
                await asyncio.sleep(latest.TIMEOUT)
                if self._waiting:
                    continue
            yield selection.give(newest, first_dropped)
            newest, first_dropped, rounds = None, None, latest.ROUNDS

    async def _decoded(self, message: Message) -> AsyncGenerator[Frame, None]:
        """The frame of a message, and before it those that it depends on and that did not come."""
        chain, stamp = self._chain, message.stamp
        assert stamp is not None
        # What was not stored at first was published again, with another keyframe: it is decoded, and was given before.
        known = chain.position
        needed = chain.needs(message)
        if 0 < known < needed - 1:
            # A keyframe is behind messages that did not come: few are read, for what they tell.
            if message.position - known <= _MANY_WAITING:
                needed = known + 1
            else:
                self._selection.skip_unread()
        if needed < message.position:
            async with aclosing(self._stream.read(needed)) as missing:
                async for each in missing:
                    if each is None:
                        continue
                    if each.position >= message.position:
                        break
                    if each.stamp is None or each.stamp.end or each.stamp.run != stamp.run:
                        chain.pass_over(each.position)
                    else:
                        frame = chain.decode(each)
                        if each.position > known:
                            yield frame
        yield chain.decode(message)

    async def _take(self) -> list[Message]:
        """What has come for this match, at least one message. Old frames of a long queue are dropped."""
        while not (taken := await self._trusted()):
            if self._denied is not None:
                raise self._denied
            self._more.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_WAIT_SECONDS):
                    await self._more.wait()
            if await self._liveness.is_due():
                await self._look_for_newest()
        self._liveness.hear()
        if len(taken) > _MANY_WAITING:
            keyframes = [index for index, each in enumerate(taken) if each.stamp is not None and each.stamp.is_keyframe]
            if keyframes and keyframes[-1] > 0:
                taken = taken[keyframes[-1] :]
        return taken

    async def _trusted(self) -> list[Message]:
        """What has come for this match."""
        found = list(self._waiting)
        self._waiting.clear()
        return [
            each for each in found if each.position > self._chain.position and await self._provenance.is_stored(each)
        ]

    async def _look_for_newest(self) -> None:
        """A plain subscription gets nothing while the connection is broken, and nothing of it later."""
        last = await self._stream.last()
        if last is None or last.position <= self._chain.position or self._waiting:
            return
        found = await self._stream.message(last.position)
        if found is not None:
            self._waiting.append(found)

    async def _receive(self, message: Msg) -> None:
        stamp = wire.stamp(message.headers, self._match)
        if stamp is not None and stamp.position > self._provenance.stored_to:
            self._waiting.append(Message(stamp.position, stamp, message.data, monotonic_ns()))
            self._more.set()

    async def _goes_on(self, run: str) -> bool:
        """Whether the newest message is of a run."""
        last = await self._stream.last()
        return last is not None and last.run == run

    def _end(self, stamp: Stamp, message: Message) -> None:
        """Note that a match is over, and raise the error where it has not ended orderly."""
        text = message.data.decode(errors="replace")
        if self._follows and stamp.end in (_OVER, _SOURCE_LOST):
            told = sync_pb2.MatchEnded(run_id=stamp.run, reason=text, lost=stamp.end == _SOURCE_LOST)
            if self._newest_frame is not None and self._newest_frame.run_id == stamp.run:
                told.results.extend(self._newest_frame.response.player_result)
            self.ended = Ended(told, message.position + 1)
            return
        _end(stamp, message.data)

    def _end_lost(self, run: str, position: int) -> None:
        """A match that another one follows without an end: its relay was killed."""
        told = sync_pb2.MatchEnded(run_id=run, reason="its end is not known: the relay was killed", lost=True)
        self.ended = Ended(told, position)

    def _deny(self, error: RequestError) -> None:
        self._denied = error
        self._more.set()


def _end(stamp: Stamp, reason: bytes) -> None:
    """Return where a match ends orderly, and raise the error otherwise."""
    text = reason.decode(errors="replace")
    if stamp.end in _ORDERLY:
        return
    if stamp.end == "UNAVAILABLE":
        raise LostError(text)
    raise request_error(stamp.end, text)

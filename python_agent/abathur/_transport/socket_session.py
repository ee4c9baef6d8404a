"""A subscription on a connection of the daemon's socket, without input and output."""

from __future__ import annotations

import itertools
from typing import Protocol

from abathur._frame.frame import Frame
from abathur._frame.timing import monotonic_ns
from abathur._transport import latest, messages
from abathur._transport.reading import MatchStart, Reading, acknowledgement, needs_acknowledgements
from abathur._transport.receive import ReceiveBuffer
from abathur._transport.waiting import Waiting
from abathur.errors import AbathurError, LostError, RequestError
from abathur.sync.v1 import sync_pb2


class Receiver(Protocol):
    """What has received bytes."""

    buffer: ReceiveBuffer

    def take(self) -> bytes:
        """The next message, which must be ready."""


class OverError(LostError):
    """The match was over before the daemon read a request."""


class SocketSession:
    """What was received of a subscription, and what is sent for it.

    Attributes:
        waiting: Frames that were received, and the end.
    """

    def __init__(self, request: sync_pb2.SubscribeRequest, limit: int) -> None:
        """Before the first message; payloads may have up to `limit` bytes."""
        self.waiting = Waiting(request.policy)
        self._request = request
        self._reading = Reading(limit, request)
        self._binary = request.encoding != sync_pb2.json
        self._acknowledges = needs_acknowledgements(request)
        self._lateness = latest.Lateness() if request.policy == sync_pb2.latest else None
        self._ids = itertools.count(1)
        #: Answers by the id of the pending request; None until it is answered.
        self._answers: dict[int, sync_pb2.Result | RequestError | None] = {}
        self._error: AbathurError | None = None
        self._has_begun = False

    def hello(self, token: str) -> bytes:
        """What a client sends first."""
        return messages.to_line(sync_pb2.ClientMessage(subscribe=self._request, token=token))

    def begin(self, line: bytes, receiver: Receiver) -> MatchStart:
        """Take the daemon's first line; what follows is in the encoding of the subscription."""
        start = messages.first_match(line, self._reading)
        receiver.buffer.binary = self._binary
        self._has_begun = True
        return start

    @property
    def takes_requests(self) -> bool:
        """Whether the daemon answers requests on it: the match has begun, and its end has not been received."""
        return self._has_begun and self.waiting.end is None and self._error is None

    def check(self) -> None:
        """Raise the error behind the frames that were received, if there is one."""
        if self._error is not None:
            raise self._error

    def handle(self, data: bytes) -> None:
        """Take a message."""
        received = monotonic_ns()
        if self._binary:
            event = messages.event_from_bytes(data, received, self._reading)
        else:
            event = messages.event_from_line(data, received, self._reading)
        if not isinstance(event, tuple):
            self.waiting.append(event)
        elif event[0] in self._answers:
            self._answers[event[0]] = event[1]

    def handle_ready(self, receiver: Receiver) -> None:
        """Take all messages that have been received. An error among them is raised after those before it."""
        try:
            while self._error is None and receiver.buffer.is_ready():
                self.handle(receiver.take())
        except AbathurError as error:
            self._error = error

    @property
    def skips(self) -> bool:
        """Whether a frame is given up for a newer one."""
        return self._lateness is not None

    def is_behind(self, receiver: Receiver) -> bool:
        """Skip to the newest received frame. Returns whether newer ones may follow shortly."""
        assert self._lateness is not None
        oldest = self.waiting.newest
        self.handle_ready(receiver)
        return self.waiting.newest is not oldest or (oldest is not None and self._lateness.is_late(oldest))

    def acknowledgement(self, frame: Frame) -> bytes | None:
        """What is sent when a frame was used, if anything."""
        return self._encode(acknowledgement(frame)) if self._acknowledges else None

    def ask(self, message: sync_pb2.ClientMessage) -> bytes:
        """What is sent for a request, which gets its id. Its answer must be taken, or given up."""
        message.id = next(self._ids)
        self._answers[message.id] = None
        return self._encode(message)

    def answer(self, message: sync_pb2.ClientMessage) -> sync_pb2.Result | None:
        """The answer to a request; None if it has not come yet.

        Raises:
            RequestError: the daemon refuses it.
            OverError: none will come, because the match was over before.
            LostError: none will come.
        """
        answer = self._answers[message.id]
        if isinstance(answer, RequestError):
            raise answer
        if answer is None:
            self.check()
            if self.waiting.end is not None:
                raise OverError(ended(self.waiting.end))
        return answer

    def give_up(self, message: sync_pb2.ClientMessage) -> None:
        """Forget a request."""
        self._answers.pop(message.id, None)

    def _encode(self, message: sync_pb2.ClientMessage) -> bytes:
        return messages.to_prefixed(message) if self._binary else messages.to_line(message)


def ended(end: sync_pb2.End) -> str:
    """What is wrong where the daemon ends the stream."""
    return f"the daemon ended the stream: {end.reason}"

"""Where a subscription stands that goes on from match to match."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import cached_property

from abathur._frame.frame import Frame
from abathur._transport.compression import DEFAULT_LIMIT
from abathur._transport.payloads import PayloadReader
from abathur.errors import RequestError
from abathur.sync.v1 import sync_pb2


class MatchStart:
    """The message with which a match begins.

    Attributes:
        run_id: Of the match.
        is_dated: Whether it says when the match began; daemons that know only one match do not.
    """

    def __init__(self, run_id: str, is_dated: bool, make: Callable[[], sync_pb2.Match]) -> None:
        """`make` makes the message.

        With game data, making it of JSON takes as long as several frames, which would be dropped meanwhile. So it is
        made when it is asked for.
        """
        self.run_id = run_id
        self.is_dated = is_dated
        self._make = make

    @cached_property
    def match(self) -> sync_pb2.Match:
        """The match. Raises ProtocolError if it cannot be read."""
        return self._make()


class Reading:
    """Where a subscription stands: each match has its own payloads, and its own number.

    Attributes:
        payloads: Reader of the payloads of the match.
        run_id: Of the match; empty before it is known.
        index: Which match of the subscription it is, from 0.
    """

    def __init__(self, limit: int = DEFAULT_LIMIT, request: sync_pb2.SubscribeRequest | None = None) -> None:
        """Before the first match.

        Args:
            limit: Maximum bytes of a payload after decompression.
            request: The subscription, if it may need a daemon that knows several matches.
        """
        self.payloads = PayloadReader(limit)
        self.run_id = ""
        self.index = 0
        self._limit = limit
        self._needs_matches = request is not None and (request.follow or request.run_id != "")
        self._has_begun = False
        self._is_dated = False

    def begin(self, start: MatchStart) -> None:
        """Go on with a match.

        Raises:
            RequestError: UNIMPLEMENTED: the daemon would not do what was asked for.
        """
        if self._needs_matches and not start.is_dated:
            raise too_old()
        if self._has_begun:
            self.index += 1
            self.payloads = PayloadReader(self._limit)
        self._has_begun = True
        self.run_id, self._is_dated = start.run_id, start.is_dated

    def name(self, run_id: str) -> None:
        """The match, where each stream has one, and its first frame names it."""
        self.run_id = run_id or self.run_id
        self._is_dated = self.run_id != ""

    def place(self, frame: Frame) -> Frame:
        """The frame, of this match."""
        frame.run_id = self.run_id
        frame._match_index = self.index
        frame._names_match = self._is_dated
        return frame


def too_old() -> RequestError:
    """The error where a daemon knows only one match."""
    return RequestError("UNIMPLEMENTED", "the daemon is too old: it knows only one match")


@contextlib.contextmanager
def refused_if_too_old() -> Iterator[None]:
    """Of a request for the matches: what an older daemon answers becomes `too_old`."""
    try:
        yield
    except RequestError as error:
        # On gRPC it has no such call; on the socket it does not find a request that it knows in the message.
        if error.code == "UNIMPLEMENTED" or (error.code == "INVALID_ARGUMENT" and "expected one of" in error.message):
            raise too_old() from None
        raise


def needs_acknowledgements(request: sync_pb2.SubscribeRequest) -> bool:
    """Whether the subscriber must acknowledge frames."""
    return request.policy == sync_pb2.lockstep or request.credits > 0


def acknowledgement(frame: Frame) -> sync_pb2.ClientMessage:
    """What tells the daemon that a frame was used."""
    return sync_pb2.ClientMessage(ack=sync_pb2.Ack(sequence=frame.sequence, match_index=frame._match_index))

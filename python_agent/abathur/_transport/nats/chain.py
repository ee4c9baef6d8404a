"""Decodes the frames of a match: each delta frame depends on all since its keyframe."""

from __future__ import annotations

from abathur._events.skipped_events import SkippedEvents
from abathur._frame.frame import Frame
from abathur._transport import frames, wire
from abathur._transport.nats.stream import Message
from abathur._transport.payloads import PayloadReader
from abathur.errors import ProtocolError


class Chain:
    """The newest frame that was decoded, and what the next one needs of it.

    Attributes:
        position: Of the newest frame; 0: none yet.
    """

    def __init__(self, limit: int) -> None:
        """Payloads of up to `limit` bytes."""
        self._limit = limit
        self._payloads = PayloadReader(limit)
        self._keyframe = 0
        self.position = 0

    def needs(self, message: Message) -> int:
        """The position of the first frame that must be decoded before this one; its own: it can be decoded now."""
        stamp = message.stamp
        assert stamp is not None
        if stamp.is_keyframe:
            return message.position
        return self.position + 1 if stamp.keyframe == self._keyframe else stamp.keyframe

    def pass_over(self, position: int) -> None:
        """A message that is no frame is at this position."""
        if position == self.position + 1:
            self.position = position

    def decode(self, message: Message) -> Frame:
        """The frame in the next message.

        Raises:
            DecompressionError, ProtocolError: it is damaged.
        """
        stamp = message.stamp
        assert stamp is not None
        try:
            parsed = wire.frame(message.data)
        except ProtocolError as error:
            raise ProtocolError(f"the message at position {message.position} is {error}") from None
        if parsed.sequence != stamp.sequence:
            raise ProtocolError(
                f"the message at position {message.position} has the frame {parsed.sequence}, not {stamp.sequence}"
            )
        if stamp.is_keyframe:
            # Another relay may have begun it; its payloads depend on nothing before.
            self._payloads = PayloadReader(self._limit)
        frame = frames.from_message(parsed, received=message.received, size=len(message.data), payloads=self._payloads)
        frame.run_id = stamp.run
        self._keyframe, self.position = stamp.keyframe, message.position
        return frame


class Selection:
    """Which of the decoded frames a reader gets, and what the others tell it."""

    def __init__(self, every: int) -> None:
        """Frames that are at least `every` game loops apart."""
        self._every = every
        self._last: tuple[int, int] | None = None
        self._skipped = SkippedEvents()
        self._excluded: Frame | None = None

    def is_wanted(self, frame: Frame) -> bool:
        """Whether a frame is far enough from the last one that was given."""
        return self._every <= 1 or self._last is None or not 0 <= frame.game_loop - self._last[1] < self._every

    def skip(self, frame: Frame) -> None:
        """A frame that the reader does not get."""
        if self._last is not None:
            self._skipped.skip(frame)

    def exclude(self, frame: Frame) -> None:
        """A frame that is not far enough from the last one: the reader gets it only at the end of the match."""
        self._tell_excluded()
        self._excluded = frame

    def last(self) -> Frame | None:
        """At the end of the match: the newest frame, completed, if the reader did not get it."""
        frame, self._excluded = self._excluded, None
        return None if frame is None else self.give(frame, None)

    def skip_unread(self) -> None:
        """Frames that are not even decoded."""
        if self._last is not None:
            self._skipped.lose()

    def give(self, frame: Frame, first_dropped_loop: int | None) -> Frame:
        """Complete a frame for the reader: what was dropped before it."""
        if self._excluded is not None and self._excluded.sequence < frame.sequence:
            self._tell_excluded()
        last = self._last
        if last is not None and self._every <= 1 and frame.sequence > last[0] + 1:
            frame.dropped = frame.sequence - last[0] - 1
            frame.dropped_loops = (first_dropped_loop or last[1] + 1, frame.game_loop - 1)
        self._skipped.complete(frame)
        self._last = (frame.sequence, frame.game_loop)
        return frame

    def _tell_excluded(self) -> None:
        if self._excluded is not None:
            self.skip(self._excluded)
            self._excluded = None

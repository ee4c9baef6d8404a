"""What a socket has sent and the reader has not taken yet."""

from __future__ import annotations

import collections

from abathur._events.skipped_events import SkippedEvents
from abathur._frame.frame import Frame
from abathur._transport import latest, messages
from abathur.errors import ProtocolError
from abathur.sync.v1 import sync_pb2

#: Maximum bytes of frames that are queued before the answer to a request; a lossless reader gets all of them.
_MAX_WAITING_BYTES = 256 * 1024 * 1024
_MAX_WAITING_FRAMES = 16_384


class Waiting:
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

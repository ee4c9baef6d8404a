"""Policy `latest` on this side of the connection: what is old already when the agent asks is skipped."""

from __future__ import annotations

from collections import deque

from abathur._frame import Frame
from abathur.sync.v1 import sync_pb2

#: A frame that took so much longer than the fastest has waited somewhere, and newer ones may be right behind it.
_LATE_NS = 20_000_000
#: So long the next one may take to come, and so many times, in seconds.
PATIENCE = 0.001
ROUNDS = 50


class Lateness:
    """Tells frames that have waited on their way. The clocks of daemon and agent need not agree."""

    def __init__(self) -> None:
        """Start without a frame."""
        self._fastest_ns: int | None = None

    def is_late(self, frame: Frame) -> bool:
        """Whether a frame, just received, took longer than usual."""
        taken = frame.timing.received - frame.timing.published
        if self._fastest_ns is None or taken < self._fastest_ns:
            self._fastest_ns = taken
        return taken - self._fastest_ns > _LATE_NS


def skip_to_newest(events: deque[Frame | sync_pb2.End]) -> None:
    """Leave only the newest frame, which says how many were dropped before it, and the end behind it."""
    while len(events) > 1 and isinstance(old := events[0], Frame) and isinstance(new := events[1], Frame):
        first = old.dropped_loops[0] if old.dropped_loops else old.game_loop
        last = new.dropped_loops[1] if new.dropped_loops else old.game_loop
        new.dropped += old.dropped + 1
        new.dropped_loops = (first, last)
        events.popleft()

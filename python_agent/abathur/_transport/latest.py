"""Policy `latest` in the client: skips frames that are already old when the agent requests one."""

from __future__ import annotations

from abathur._events.skipped_events import SkippedEvents
from abathur._frame.frame import Frame

#: A frame that took this much longer than the fastest one was queued, and newer ones may follow immediately.
_LATE_NS = 20_000_000
#: Seconds to wait for the next frame, and how often.
TIMEOUT = 0.001
ROUNDS = 50


class Lateness:
    """Detects frames that were queued. The clocks of daemon and agent need not be synchronized."""

    def __init__(self) -> None:
        """Start without a frame."""
        self._fastest_ns: int | None = None

    def is_late(self, frame: Frame) -> bool:
        """Whether a frame, just received, took longer than usual."""
        taken = frame.timing.received - frame.timing.published
        if self._fastest_ns is None or taken < self._fastest_ns:
            self._fastest_ns = taken
        return taken - self._fastest_ns > _LATE_NS


def replace(old: Frame, new: Frame, skipped: SkippedEvents) -> None:
    """Drop a frame in favor of the next, which then counts it as dropped. What it tells is in `skipped` afterwards.

    Raises:
        ProtocolError: the dropped frame is damaged.
    """
    skipped.skip(old)
    first = old.dropped_loops[0] if old.dropped_loops else old.game_loop
    last = new.dropped_loops[1] if new.dropped_loops else old.game_loop
    new.dropped += old.dropped + 1
    new.dropped_loops = (first, last)

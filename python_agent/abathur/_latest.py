"""Policy `latest` on this side of the connection: what is old already when the agent asks is skipped."""

from __future__ import annotations

from abathur._frame import Frame

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


def replace(old: Frame, new: Frame) -> None:
    """Drop a frame for the next, which then says how many were dropped before it."""
    first = old.dropped_loops[0] if old.dropped_loops else old.game_loop
    last = new.dropped_loops[1] if new.dropped_loops else old.game_loop
    new.dropped += old.dropped + 1
    new.dropped_loops = (first, last)

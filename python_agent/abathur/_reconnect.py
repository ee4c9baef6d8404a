"""When to reconnect, and how many frames were dropped meanwhile."""

from __future__ import annotations

import random
import time

from abathur._frame import Frame
from abathur.errors import ConnectError, ConnectionLostError

_FIRST_DELAY = 0.05
_LONGEST_DELAY = 2.0


class Backoff:
    """Delays that double, with jitter, until a time limit."""

    def __init__(self, address: str, timeout: float) -> None:
        """Start without a failure."""
        self._address = address
        self._timeout = timeout
        self._attempts = 0
        self._started = 0.0
        self._was_connected = False

    @property
    def is_retrying(self) -> bool:
        """Whether the last attempt failed."""
        return self._attempts > 0

    def succeed(self) -> None:
        """A frame was received: the next failure starts again with the shortest delay."""
        self._attempts = 0
        self._was_connected = True

    def fail(self, reason: str) -> float:
        """Seconds to wait before the next attempt.

        Raises:
            ConnectError: the time is up, and there never was a connection.
            ConnectionLostError: the time is up, and there was a connection before.
        """
        now = time.monotonic()
        if self._attempts == 0:
            self._started = now
        left = self._started + self._timeout - now
        if left <= 0:
            if self._was_connected:
                raise ConnectionLostError(self._address, reason, self._attempts)
            raise ConnectError(self._address, reason)
        delay: float = min(_FIRST_DELAY * 2**self._attempts, _LONGEST_DELAY) * random.uniform(0.5, 1.0)
        self._attempts += 1
        return min(delay, left)


class GapCounter:
    """Adds the frames dropped while the connection was down to the next frame's `dropped`. Their events are lost."""

    def __init__(self, every: int) -> None:
        """Count the frames of a stream; with downsampling the number of frames in a gap is unknown."""
        self._counts = every <= 1
        self._last: Frame | None = None

    def check(self, frame: Frame, reconnected: bool) -> None:
        """Check a frame, and complete it if it is the first after a reconnection."""
        last, self._last = self._last, frame
        if not reconnected or last is None:
            return
        frame.reconnected = True
        gap = frame.sequence - last.sequence - 1
        is_same_match = last.match_id == frame.match_id
        if not is_same_match or gap != 0:
            frame.skipped_events_incomplete = True
        # A restarted daemon counts from 1, so the number of frames in the gap is unknown.
        if self._counts and is_same_match and gap > 0:
            frame.dropped = gap
            frame.dropped_loops = (last.game_loop + 1, frame.game_loop - 1)

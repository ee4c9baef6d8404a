"""When to connect again, and how many frames were dropped meanwhile."""

from __future__ import annotations

import logging
import random
import time

from abathur._frame.frame import Frame
from abathur._program import listener
from abathur._program.address import Address
from abathur._program.listener import Listener
from abathur._transport.timeouts import Timeouts
from abathur.errors import AbsentError, ConnectError, ConnectionLostError, LostError

_logger = logging.getLogger("abathur")
_FIRST_DELAY = 0.05
_LONGEST_DELAY = 2.0
#: An attempt that took longer was not refused.
_REFUSED_WITHIN = 1.0
_HOW_TO_WAIT = "wait=SECONDS (--wait) waits for one that starts later"
_HOW_TO_START = f"`abathur play MATCH.mcap` starts one; {_HOW_TO_WAIT}"
_HOW_TO_LIST = f"`abathur matches nats://HOST` lists the matches; {_HOW_TO_WAIT}"


class Backoff:
    """Delays that double, with jitter, until a time limit."""

    def __init__(self, address: Address, timeout: float, wait: float, timeouts: Timeouts) -> None:
        """Start without a failure.

        Args:
            address: Of the daemon.
            timeout: Seconds to connect again, or to a daemon that is there and does not answer.
            wait: Seconds to wait for a daemon that is not there yet.
            timeouts: Of an attempt.
        """
        self._address = address
        self._timeout = timeout
        self._wait = wait
        #: An attempt that lasted longer had an answer: a daemon that gives none is left before (`_socket._first_line`).
        self._answered_after = 4 * timeouts.connect + timeouts.request
        self._attempts = 0
        self._started = 0.0
        self._attempt_began = time.monotonic()
        self._was_connected = False
        self._waits = False

    @property
    def is_retrying(self) -> bool:
        """Whether the last attempt failed."""
        return self._attempts > 0

    def succeed(self) -> None:
        """A frame was received: the next failure starts again with the shortest delay."""
        self._attempts = 0
        self._was_connected = True

    def look(self) -> Listener:
        """What listens at the address, if no frame has come yet. It may take some seconds."""
        if self._was_connected or time.monotonic() - self._attempt_began > _REFUSED_WITHIN:
            return Listener.SOMETHING
        return listener.at(self._address)

    def check(self, found: Listener) -> None:
        """Raise ConnectError if what `look` has found is another port."""
        if (advice := listener.advice(self._address, found)) is not None:
            raise ConnectError(str(self._address), advice, None)

    def fail(self, error: LostError, found: Listener) -> float:
        """Seconds to wait before the next attempt.

        Args:
            error: The failure.
            found: What `look` has found after it.

        Raises:
            ConnectError: the time is up, and there never was a connection; or another port of a daemon is there.
            ConnectionLostError: the time is up, and there was a connection before.
        """
        self.check(found)
        now = time.monotonic()
        if self._attempts == 0 or now - self._attempt_began > self._answered_after:
            # The first failure, or one after a wait for a match, which may take hours.
            self._attempts = 0
            self._started = now
        reason = "nothing listens there" if found is Listener.NOTHING else str(error)
        if found is Listener.NOTHING or (isinstance(error, AbsentError) and not self._was_connected):
            left = self._started + self._wait - now
            if self._wait > 0 and not self._waits:
                self._waits = True
                _logger.warning("waiting up to %g s for a daemon at %s", self._wait, self._address)
        else:
            left = self._started + self._timeout - now
        if left <= 0:
            if self._was_connected:
                raise ConnectionLostError(str(self._address), reason, self._attempts)
            if self._address.transport != "nats":
                raise ConnectError(str(self._address), reason, hint=_HOW_TO_START)
            if found is Listener.NOTHING:
                raise ConnectError(str(self._address), reason, "NATS server", _HOW_TO_WAIT)
            raise ConnectError(str(self._address), reason, "relay", _HOW_TO_LIST)
        delay: float = min(_FIRST_DELAY * 2**self._attempts, _LONGEST_DELAY) * random.uniform(0.5, 1.0)
        delay = min(delay, left)
        self._attempts += 1
        self._attempt_began = now + delay
        return delay


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
        is_same_match = last._is_of_run(frame)
        if not is_same_match or gap != 0:
            frame.skipped_events_incomplete = True
        # A restarted daemon counts from 1, so the number of frames in the gap is unknown.
        if self._counts and is_same_match and gap > 0:
            frame.dropped = gap
            frame.dropped_loops = (last.game_loop + 1, frame.game_loop - 1)

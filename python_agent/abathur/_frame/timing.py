"""When frames were captured, and when they arrived."""

from __future__ import annotations

import time
from dataclasses import dataclass

#: The clock of the daemon's timestamps (on the same machine), in nanoseconds.
monotonic_ns = time.perf_counter_ns


@dataclass(frozen=True, slots=True)
class Timing:
    """The timestamps of a frame, in nanoseconds of the machine's monotonic clock.

    Comparable only if daemon and agent run on one machine. `encoded` is when the daemon had encoded the frame for
    this stream; plain protobuf needs no encoding, so it equals `published`.
    """

    captured: int
    published: int
    encoded: int
    received: int
    decoded: int


#: Of a frame that was not received.
NO_TIMING = Timing(0, 0, 0, 0, 0)

"""Which codec is fastest on which link: time of a frame = encode + decode and touch + bytes on the link."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

SLOWEST = 100e3
"""Bit/s of the slowest link looked at: 100 kbit/s."""
FASTEST = 100e9
"""Bit/s of the fastest link looked at: 100 Gbit/s."""


@dataclass(frozen=True)
class Cost:
    """What a codec costs a frame: `seconds` of encoding and decoding, `bytes` on the link."""

    name: str
    seconds: float
    bytes: float

    def total(self, bits_per_second: float) -> float:
        """Seconds for a frame over a link of that speed. The latency of the link is the same for all and omitted."""
        return self.seconds + self.bytes * 8 / bits_per_second


def overtaking(small: Cost, fast: Cost) -> float | None:
    """The link speed, in bit/s, above which `fast` takes less time for a frame than `small`.

    Args:
        small: the codec with fewer bytes and more seconds.
        fast: the codec with more bytes and fewer seconds.

    Returns:
        The speed, or None: one of the two is better, or no worse, in both.
    """
    seconds, size = small.seconds - fast.seconds, fast.bytes - small.bytes
    return size * 8 / seconds if seconds > 0 and size > 0 else None


@dataclass(frozen=True)
class Reign:
    """From `start` to `end` bit/s a codec is the fastest."""

    name: str
    start: float
    end: float


def fastest(costs: Sequence[Cost], slowest: float = SLOWEST, fastest_link: float = FASTEST) -> list[Reign]:
    """Who is fastest from the slowest to the fastest link, without gaps, each codec at most once.

    The lines `seconds + bytes * x` (x: seconds per bit) are straight, so this is their lower envelope.
    """
    reigns: list[Reign] = []
    speed = slowest
    if not costs:
        return reigns
    current = min(costs, key=lambda cost: (cost.total(speed), cost.seconds))
    while True:
        next_speed, successor = math.inf, current
        for cost in costs:
            crossing = overtaking(current, cost)
            if (
                crossing is not None
                and speed <= crossing
                and (crossing, cost.seconds) < (next_speed, successor.seconds)
            ):
                next_speed, successor = crossing, cost
        reigns.append(Reign(current.name, speed, min(next_speed, fastest_link)))
        if next_speed >= fastest_link:
            return reigns
        speed, current = next_speed, successor

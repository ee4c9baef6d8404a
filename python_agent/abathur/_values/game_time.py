"""Game loops and the time that the game's clock shows, at its speed "faster"."""

from __future__ import annotations

import math
import re
from datetime import timedelta
from operator import index
from typing import Final, SupportsIndex, TypeAlias

from abathur._values import arguments

LOOPS_PER_SECOND: Final = 22.4
#: A game loop, or a game time such as ``"2:00"``.
GameTime: TypeAlias = SupportsIndex | str | timedelta
_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,4}):([0-5]\d(?:\.\d{1,6})?)", re.ASCII)


def game_loop(time: GameTime, name: str) -> int:
    """The first game loop at a time.

    Args:
        time: A game loop, ``"M:SS"``, ``"H:MM:SS"``, or a `timedelta`.
        name: The name of the argument, for errors.

    Raises:
        TypeError: it is of another type.
        ValueError: a text is not a game time.
    """
    if arguments.is_integer(time):
        return index(time)
    if isinstance(time, timedelta):
        return _first_loop(time.total_seconds())
    accepted = f'{name} is a game loop (2688) or a game time ("2:00"), not {arguments.shown(time)}'
    if not isinstance(time, str):
        raise TypeError(accepted)
    found = _CLOCK.fullmatch(time.strip())
    if found is None:
        raise ValueError(accepted)
    hours, minutes, seconds = found.groups()
    return _first_loop(int(hours or 0) * 3600 + int(minutes) * 60 + float(seconds))


def clock(loop: int) -> str:
    """A game loop as the game's clock shows it: ``"2:00"``."""
    minutes, seconds = divmod(int(loop / LOOPS_PER_SECOND), 60)
    return f"{minutes}:{seconds:02}"


def _first_loop(seconds: float) -> int:
    # 22.4 has no exact float: 2:00 is loop 2688, not the one after it.
    return math.ceil(round(seconds * LOOPS_PER_SECOND, 6))

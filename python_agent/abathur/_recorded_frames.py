"""Frames of recorded messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from abathur import _frame, _without_units
from abathur._event_stream import EventStream
from abathur._frame import Frame
from abathur._skipped_events import SkippedEvents

#: The topic of observations in a recording.
OBSERVATION = "/observation"
#: The topic of requests of actions.
ACTIONS = "/actions"


def select(messages: Iterable[Any], start: int, stop: int | None, every: int, match_id: str) -> Iterator[Frame]:
    """The frames of messages of `OBSERVATION`, in order: from a game loop, before another one, and downsampled."""
    last = None
    excluded = None
    events = EventStream()
    skipped = SkippedEvents()

    def frame_of(message: Any) -> Frame:
        frame = _frame.from_recording(
            message.data,
            sequence=message.sequence + 1,
            game_loop=game_loop_of(message),
            match_id=match_id,
        )
        frame._skipped_events = skipped.take()
        events.follow(frame)
        return frame

    for message in messages:
        game_loop = game_loop_of(message)
        if game_loop < start:
            continue
        if stop is not None and game_loop >= stop:
            return
        if excluded is not None:
            skipped.add(excluded.data)
            excluded = None
        # The rules of the daemon: a game loop that goes back restarts the count,
        if every > 1 and last is not None and 0 <= game_loop - last < every:
            excluded = message
            continue
        last = game_loop
        yield frame_of(message)
    # and the last frame is sent if it has the results of the match.
    if excluded is not None and _without_units.parse(excluded.data).player_result:
        yield frame_of(excluded)


def check_every(every: int) -> None:
    """Raise ValueError if a number of game loops is negative."""
    if every < 0:
        raise ValueError(f"every is {every}; it is a number of game loops, from 0")


def game_loop_of(message: Any) -> int:
    """The publish time is the game loop at 22.4 loops a second."""
    loop: int = round(message.publish_time * 7 / 312_500_000)
    return loop

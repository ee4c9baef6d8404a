"""Frames of recorded observations."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from s2clientprotocol import sc2api_pb2

from abathur._events.event_stream import EventStream
from abathur._events.skipped_events import SkippedEvents
from abathur._frame import without_units
from abathur._frame.columns_source import ColumnsSource
from abathur._frame.frame import Frame
from abathur._frame.source import BytesSource
from abathur._recording.segments import DecodingBudget, parse_segment
from abathur._values import arguments
from abathur.columns import Columns, ColumnsDecoder
from abathur.columns._rebuild import message_bytes

#: The topic of observations in a recording.
OBSERVATION = "/observation"
#: The topic of segments of a stream of columns, in a compact recording.
COLUMNS = "/columns"
#: The topics of both.
OBSERVATIONS = (OBSERVATION, COLUMNS)
#: The topic of requests of actions.
ACTIONS = "/actions"
DRAWINGS = "/drawings"
PLOTS = "/plots"


@dataclass(slots=True)
class Observation:
    """A recorded observation.

    Attributes:
        sequence: Its number in the recording, from 0.
        game_loop: Its game loop.
        log_time: When it was captured, in nanoseconds since 1970.
        size: Bytes of it in the recording, before compression.
        recorded: A serialized `ResponseObservation`, or its columns.
    """

    sequence: int
    game_loop: int
    log_time: int
    size: int
    recorded: bytes | Columns

    @property
    def data(self) -> bytes:
        """A serialized `ResponseObservation`. It is built for each call if columns were recorded, which is slow."""
        return self.recorded if isinstance(self.recorded, bytes) else message_bytes(self.recorded)

    def frame(self, match_id: str) -> Frame:
        """The frame that it is to a reader."""
        frame = Frame(BytesSource(self.recorded) if isinstance(self.recorded, bytes) else ColumnsSource(self.recorded))
        frame.match_id = match_id
        frame.sequence = self.sequence + 1
        frame.game_loop = self.game_loop
        frame.size = self.size
        return frame

    def without_units(self) -> sc2api_pb2.ResponseObservation:
        """The fields that are neither units nor map."""
        if isinstance(self.recorded, bytes):
            return without_units.parse(self.recorded)
        return sc2api_pb2.ResponseObservation.FromString(self.recorded.rest)


def observations(messages: Iterable[tuple[str, Any]], file_bytes: int | None) -> Iterator[Observation]:
    """The observations in messages, each with its topic, in the order of the file. `file_bytes`: see `with_others`."""
    return (each for topic, each in with_others(messages, file_bytes) if topic == OBSERVATION)


def with_others(messages: Iterable[tuple[str, Any]], file_bytes: int | None) -> Iterator[tuple[str, Any]]:
    """Topics and messages in order, of which the observations are `Observation`.

    A segment is behind the messages of other topics that were recorded meanwhile; their times say between which of its
    frames they belong.

    Args:
        messages: Topics and messages, from one place of a file on.
        file_bytes: Its size, which bounds what is decoded; None: it is still being written.
    """
    others: deque[tuple[str, Any]] = deque()
    budget = DecodingBudget(file_bytes)
    for topic, message in messages:
        if topic == COLUMNS:
            found = segment(message, budget)
        elif topic == OBSERVATION:
            found = iter((whole(message),))
        else:
            others.append((topic, message))
            continue
        for each in found:
            while others and others[0][1].log_time <= each.log_time:
                yield others.popleft()
            yield OBSERVATION, each
    yield from others


def whole(message: Any) -> Observation:
    """The observation of a message of `OBSERVATION`."""
    return Observation(message.sequence, game_loop_of(message), message.log_time, len(message.data), message.data)


def segment(message: Any, budget: DecodingBudget) -> Iterator[Observation]:
    """The observations of a message of `COLUMNS`.

    Raises:
        ProtocolError: it is not a segment, an observation in it is damaged, or it takes too much to decode.
    """
    budget.begin_segment()
    frames = parse_segment(message.data)
    game_loop, log_time = game_loop_of(message), message.log_time
    decoder = ColumnsDecoder()
    steps = zip(frames.payloads, frames.game_loop_steps, frames.log_time_steps, strict=True)
    for sequence, (payload, loops, nanoseconds) in enumerate(steps, message.sequence):
        game_loop += loops
        log_time += nanoseconds
        columns = decoder.decode(payload)
        budget.take(columns)
        yield Observation(sequence, game_loop, log_time, len(payload), columns)


def select(recorded: Iterable[Observation], start: int, stop: int | None, every: int, match_id: str) -> Iterator[Frame]:
    """The frames of observations, in order: from a game loop, before another one, and downsampled.

    The last one is always given, unless `stop` comes before it: it tells how the match stood, and what happened after
    the one before it.
    """
    last = None
    excluded = None
    events = EventStream()
    skipped = SkippedEvents()

    def frame_of(observation: Observation) -> Frame:
        frame = observation.frame(match_id)
        frame._skipped_events = skipped.take()
        events.follow(frame)
        return frame

    for observation in recorded:
        game_loop = observation.game_loop
        if game_loop < start:
            continue
        if stop is not None and game_loop >= stop:
            return
        if excluded is not None:
            skipped.add(excluded.without_units())
            excluded = None
        # The rules of the daemon: a game loop that goes back restarts the count,
        if every > 1 and last is not None and 0 <= game_loop - last < every:
            excluded = observation
            continue
        last = game_loop
        yield frame_of(observation)
    # and the last frame is given.
    if excluded is not None:
        yield frame_of(excluded)


def check_every(every: int) -> None:
    """Raise TypeError if it is not a number of game loops, ValueError if it is negative."""
    if not arguments.is_integer(every):
        raise TypeError(f"every is a number of game loops (22 are about a second), not {arguments.shown(every)}")
    if every < 0:
        raise ValueError(f"every is {every}; it is a number of game loops, from 0")


def game_loop_of(message: Any) -> int:
    """The publish time is the game loop at 22.4 loops a second."""
    loop: int = round(message.publish_time * 7 / 312_500_000)
    return loop

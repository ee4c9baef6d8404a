"""What comes off a socket, however it is cut into pieces, and what is skipped of it."""

from __future__ import annotations

from typing import Any

import abathur
import pytest
from abathur._frame.frame import Frame
from abathur._frame.json_source import JsonSource
from abathur._frame.timing import Timing
from abathur._transport.latest import Lateness
from abathur._transport.reading import MatchStart
from abathur._transport.receive import ReceiveBuffer
from abathur._transport.waiting import Waiting
from abathur.errors import ProtocolError
from abathur.sync.v1 import sync_pb2
from hypothesis import given
from hypothesis import strategies as st

sizes = st.integers(0, 40) | st.sampled_from([65_535, 65_536, 300_000, 1 << 20, 3 << 20])
pieces = st.lists(st.integers(1, 50) | st.sampled_from([70_000, 1 << 22]), min_size=1, max_size=20)


def feed(buffer: ReceiveBuffer, data: bytes, cuts: list[int]) -> list[bytes]:
    """Receive data in pieces of these sizes, over and over; the messages that are ready each time."""
    messages = []
    position = turn = 0
    while position < len(data):
        room = buffer.room()
        size = min(cuts[turn % len(cuts)] + 4096 * (turn // 200), len(room), len(data) - position)
        room[:size] = data[position : position + size]
        room.release()
        buffer.received(size)
        position += size
        turn += 1
        while buffer.is_ready():
            messages.append(buffer.take())
    return messages


@given(lengths=st.lists(sizes, max_size=5), cuts=pieces)
def test_messages_behind_their_length_come_whole(lengths: list[int], cuts: list[int]) -> None:
    messages = [bytes([number]) * length for number, length in enumerate(lengths, 1)]
    buffer = ReceiveBuffer()
    buffer.binary = True
    data = b"".join(len(message).to_bytes(4, "little") + message for message in messages)
    assert feed(buffer, data, cuts) == messages
    assert len(buffer) == 0


@given(lengths=st.lists(sizes, max_size=5), cuts=pieces)
def test_lines_come_whole(lengths: list[int], cuts: list[int]) -> None:
    lines = [b"x" * length + b"\n" for length in lengths]
    buffer = ReceiveBuffer()
    assert feed(buffer, b"".join(lines), cuts) == lines
    assert len(buffer) == 0


def test_a_message_over_the_limit_is_refused_before_there_is_room_for_it() -> None:
    buffer = ReceiveBuffer()
    buffer.binary = True
    with pytest.raises(abathur.ProtocolError, match="over the limit"):
        feed(buffer, (1 << 30).to_bytes(4, "little") + b"x", [5])
    assert len(buffer.room()) < 2 << 20


def dying(*tags: int) -> dict[str, Any]:
    return {"observation": {"rawData": {"event": {"deadUnits": [str(tag) for tag in tags]}}}}


def frame(sequence: int, dropped: int = 0, taken_ns: int = 0) -> Frame:
    made = Frame(JsonSource(dying(sequence)))
    made.sequence = made.game_loop = sequence
    made.dropped = dropped
    made.dropped_loops = (sequence - dropped, sequence - 1) if dropped else None
    made._skipped_events = dying(*range(sequence - dropped, sequence))
    made.timing = Timing(0, 1000, 1000, 1000 + taken_ns, 0)
    return made


@given(gaps=st.lists(st.integers(0, 5), min_size=1, max_size=10), ends=st.booleans())
def test_what_is_skipped_is_counted(gaps: list[int], ends: bool) -> None:
    waiting = Waiting(sync_pb2.latest)
    sequence = 0
    for gap in gaps:
        sequence += gap + 1
        waiting.append(frame(sequence, gap))
    if ends:
        waiting.append(sync_pb2.End())
    assert len(waiting) == 1 + ends
    newest = waiting.take()
    assert isinstance(newest, Frame)
    assert (newest.sequence, newest.dropped) == (sequence, sequence - 1)
    assert newest.dropped_loops == ((1, sequence - 1) if sequence > 1 else None)
    assert newest.skipped_events is not None
    assert newest.skipped_events.observation.raw_data.event.dead_units == list(range(1, sequence))
    assert waiting.take() is None and len(waiting) == ends


def test_the_last_frame_of_each_match_stays() -> None:
    waiting = Waiting(sync_pb2.latest)
    for match in range(2):
        waiting.append(MatchStart(f"{match}", True, sync_pb2.Match))
        for sequence in (10 * match + 1, 10 * match + 2, 10 * match + 3):
            waiting.append(frame(sequence))
        waiting.append(sync_pb2.MatchEnded(run_id=f"{match}"))
    for match in range(2):
        start, newest, ended = (waiting.take() for _ in range(3))
        assert isinstance(start, MatchStart) and start.run_id == f"{match}"
        assert isinstance(newest, Frame) and (newest.sequence, newest.dropped) == (10 * match + 3, 2)
        assert newest.skipped_events is not None
        assert newest.skipped_events.observation.raw_data.event.dead_units == [10 * match + 1, 10 * match + 2]
        assert isinstance(ended, sync_pb2.MatchEnded) and ended.run_id == f"{match}"
    assert waiting.take() is None


def test_a_lossless_reader_keeps_every_frame_up_to_a_bound() -> None:
    waiting = Waiting(sync_pb2.every)
    with pytest.raises(ProtocolError, match="before the answer to a request"):
        for sequence in range(1, 100_000):
            waiting.append(frame(sequence))
    assert sequence < 20_000
    assert [getattr(waiting.take(), "sequence", None) for _ in range(3)] == [1, 2, 3]
    large = frame(1)
    large.size = 200 << 20
    waiting = Waiting(sync_pb2.every)
    waiting.append(large)
    with pytest.raises(ProtocolError, match=f"{400 << 20} bytes"):
        waiting.append(large)


def test_a_frame_is_late_when_it_took_longer_than_the_fastest_so_far() -> None:
    lateness = Lateness()
    # Clocks of two machines differ by more than any frame takes.
    offset = -5_000_000_000
    taken = [900_000, 500_000, 15_000_000, 20_400_000, 21_000_000, 600_000]
    assert [lateness.is_late(frame(1, taken_ns=offset + each)) for each in taken] == [
        False,
        False,
        False,
        False,
        True,
        False,
    ]

"""Which message of a recording has which frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from abathur._recording.recorded_frames import OBSERVATION
from abathur._recording.segments import parse_segment


class RecordedIndex:
    """The frames of a recording by their number, from 0."""

    def __init__(self, times: Sequence[int], counts: Sequence[int]) -> None:
        """Log time, and number of frames, of each message with frames, in the order in which they are read."""
        self._times = np.array(times, np.uint64)
        self._counts = np.array(counts, np.int64)
        self._ends = self._counts.cumsum()

    @classmethod
    def of_messages(cls, messages: Iterable[tuple[str, Any]]) -> RecordedIndex:
        """Of the messages and their topics, which are all read."""
        times: list[int] = []
        counts: list[int] = []
        for topic, message in messages:
            times.append(message.log_time)
            counts.append(1 if topic == OBSERVATION else len(parse_segment(message.data).payloads))
        return cls(times, counts)

    def __len__(self) -> int:
        """The number of frames."""
        return int(self._ends[-1]) if len(self._ends) else 0

    def place(self, number: int) -> tuple[int, int]:
        """The log time from which messages are read for a frame, and how many frames in them come before it."""
        at = int(self._ends.searchsorted(number, side="right"))
        time = self._times[at]
        # Messages before this one that are not earlier: of the same time, or in a file that is not in order.
        before = int(self._counts[:at][self._times[:at] >= time].sum())
        return int(time), before + number - int(self._ends[at] - self._counts[at])

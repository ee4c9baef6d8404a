"""Reads selected frames of a recording, repeatedly."""

from __future__ import annotations

import marshal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from s2clientprotocol import sc2api_pb2

from abathur._recording.opened import open_recording
from abathur.bench._codec import Sums
from abathur.bench._plain import to_plain
from abathur.bench.schema import touch
from abathur.errors import RecordingError

MAX_KEPT_BYTES = 256 << 20
"""Maximum bytes of frames that are kept in memory."""


@dataclass(slots=True)
class RecordedFrame:
    """One observation: its number in the recording (from 0), and its bytes."""

    number: int
    observation: bytes
    _plain: bytes | None = None
    _sums: Sums | None = None
    _magnitude: float | None = None

    def message(self) -> sc2api_pb2.ResponseObservation:
        """The observation as a new message."""
        return sc2api_pb2.ResponseObservation.FromString(self.observation)

    def sums(self) -> Sums:
        """The sums of touching every field of the message."""
        if self._sums is None:
            self._sums = touch.reader("message")(self.message())
        return self._sums

    def magnitude(self) -> float:
        """Sum of the absolute values of all floats: the scale of the rounding error of their sum."""
        if self._magnitude is None:
            self._magnitude = _magnitude(self.plain())
        return self._magnitude

    def plain(self) -> dict[str, Any]:
        """The observation as new dicts. They are created from the message once, then from a copy that loads faster."""
        if self._plain is None:
            self._plain = marshal.dumps(to_plain(self.message()))
        plain: dict[str, Any] = marshal.loads(self._plain)
        return plain


class RecordedFrames:
    """Reads a recording; keeps frames in memory if there are few."""

    def __init__(self, path: Path) -> None:
        """Open the file.

        Raises:
            RecordingError: it is missing, truncated, damaged, or has no observations.
        """
        self.path = path
        with open_recording(path) as recording:
            self.count = recording.frame_count
            self.is_simulated = recording.metadata.get("simulated", "").lower() == "true"
        self.bytes = path.stat().st_size
        if self.count == 0:
            raise RecordingError(f"{path} has no observations")
        self._kept: dict[int, RecordedFrame] | None = {}
        self._kept_bytes = 0

    def read(self, numbers: Sequence[int]) -> Iterator[RecordedFrame]:
        """The frames of these ascending numbers, in recorded order.

        Raises:
            RecordingError: the file is damaged there.
        """
        if self._kept is not None and all(number in self._kept for number in numbers):
            yield from (self._kept[number] for number in numbers)
            return
        wanted = iter(numbers)
        following = next(wanted, None)
        with open_recording(self.path) as recording:
            for number, observation in enumerate(recording.payloads()):
                if following is None:
                    return
                if number == following:
                    yield self._keep(number, observation)
                    following = next(wanted, None)

    def _keep(self, number: int, observation: bytes) -> RecordedFrame:
        if self._kept is not None and number in self._kept:
            return self._kept[number]
        frame = RecordedFrame(number, observation)
        # The copy of its dicts needs about as much memory again.
        self._kept_bytes += 3 * len(observation)
        if self._kept_bytes > MAX_KEPT_BYTES:
            self._kept = None
        if self._kept is not None:
            self._kept[number] = frame
        return frame


def _magnitude(value: Any) -> float:
    if isinstance(value, dict):
        return sum(_magnitude(each) for each in value.values())
    if isinstance(value, list):
        return sum(_magnitude(each) for each in value)
    return abs(value) if isinstance(value, float) else 0.0


def evenly_spaced(count: int, wanted: int) -> list[int]:
    """Evenly spaced numbers below `count`, including the first and the last; all if there are fewer than requested."""
    if wanted >= count:
        return list(range(count))
    if wanted == 1:
        return [0]
    return [index * (count - 1) // (wanted - 1) for index in range(wanted)]


def along_keyframes(count: int, wanted: int, keyframes: Sequence[int]) -> list[int]:
    """Frames for a stream: whole intervals from a keyframe to the next, evenly spaced; a single one is in the middle.

    Args:
        count: Frames in the recording.
        wanted: Frames to take, about; at least those of one keyframe.
        keyframes: Ascending, the first is 0.
    """
    if wanted >= count:
        return list(range(count))
    intervals = [range(start, end) for start, end in pairwise([*keyframes, count])]
    taken = max(1, wanted * len(intervals) // count)
    chosen = [(2 * index + 1) * len(intervals) // (2 * taken) for index in range(taken)]
    return [number for index in chosen for number in intervals[index]]

"""The game loops of all frames of a recording, and its segments: known without reading the frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abathur._recording.recorded_frames import OBSERVATION, game_loop_of
from abathur._recording.segments import parse_segment

#: The metadata record that has them.
METADATA = "abathur.segments"
#: More are five days of a match.
_MAX_FRAMES = 10_000_000
_MAX_LOOP = 2**32 - 1
_MAX_TEXT = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class FrameLoops:
    """Game loops as runs, in the order of the file.

    Attributes:
        runs: (R, 3) int64: first game loop, game loops from frame to frame, frames.
        segments: (S, 2) int64: frames of a segment, and how many such segments follow each other; (0, 2) if the
            recording is not compact.
    """

    runs: NDArray[np.int64]
    segments: NDArray[np.int64]

    @classmethod
    def from_metadata(cls, values: Mapping[str, str], frames: int) -> FrameLoops | None:
        """Of the values of the metadata record; None if they are not those of so many frames."""
        try:
            if values.get("frames") != str(frames) or frames > _MAX_FRAMES:
                return None
            return cls.parse(values["loops"], values.get("segments", ""), frames)
        except (KeyError, ValueError, OverflowError):
            return None

    @classmethod
    def parse(cls, loops: str, segments: str, frames: int) -> FrameLoops:
        """Of the texts of the metadata record.

        Raises:
            ValueError: they are not those of so many frames.
            OverflowError: a number in them is too large.
        """
        if len(loops) + len(segments) > _MAX_TEXT:
            raise ValueError("too many runs")
        runs = np.array([_run(each) for each in loops.split()], np.int64).reshape(-1, 3)
        parts = np.array([_pair(each) for each in segments.split()], np.int64).reshape(-1, 2)
        for array in (runs, parts):
            if array.size and not 0 <= array.min() <= array.max() <= _MAX_LOOP:
                raise ValueError("a number is out of range")
        if int(runs[:, 2].sum()) != frames or (len(parts) and int((parts[:, 0] * parts[:, 1]).sum()) > frames):
            raise ValueError("other numbers of frames")
        if len(runs) and int((runs[:, 0] + runs[:, 1] * (runs[:, 2] - 1)).max()) > _MAX_LOOP:
            raise ValueError("a game loop is out of range")
        return cls(runs, parts)

    @classmethod
    def of_messages(cls, messages: Iterable[tuple[str, Any]]) -> FrameLoops:
        """Of the messages with frames, and their topics, which are all read.

        Raises:
            ProtocolError: one is damaged.
        """
        loops: list[NDArray[np.int64]] = []
        counts: list[int] = []
        for topic, message in messages:
            first = game_loop_of(message)
            if topic == OBSERVATION:
                loops.append(np.array([first], np.int64))
                continue
            steps = np.array(parse_segment(message.data).game_loop_steps, np.int64)
            loops.append(first + steps.cumsum())
            counts.append(len(steps))
        return cls(_runs(np.concatenate(loops) if loops else np.empty(0, np.int64)), _repeats(counts))

    def __len__(self) -> int:
        """Number of frames."""
        return int(self.runs[:, 2].sum())

    def loops(self) -> NDArray[np.int64]:
        """The game loop of each frame, (frames,)."""
        first, step, count = self.runs.T
        starts = np.repeat(count.cumsum() - count, count)
        loops: NDArray[np.int64] = np.repeat(first, count) + np.repeat(step, count) * (np.arange(len(starts)) - starts)
        return loops

    def counts(self) -> NDArray[np.int64]:
        """The number of frames of each segment."""
        return np.repeat(self.segments[:, 0], self.segments[:, 1])

    def to_text(self) -> tuple[str, str]:
        """The texts of the metadata record: `loops`, `segments`."""
        loops = " ".join(f"{first}+{step}*{count}" for first, step, count in self.runs.tolist())
        return loops, " ".join(f"{frames}*{times}" for frames, times in self.segments.tolist())


def _run(text: str) -> tuple[int, int, int]:
    first, _, rest = text.partition("+")
    step, _, count = rest.partition("*")
    return _number(first), _number(step), _number(count)


def _pair(text: str) -> tuple[int, int]:
    frames, _, times = text.partition("*")
    return _number(frames), _number(times)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 10):
        raise ValueError(f"{text[:20]!r} is not a number")
    return int(text)


def _runs(loops: NDArray[np.int64]) -> NDArray[np.int64]:
    """Runs as the daemon makes them: each as long as its step stays the same, and never backwards."""
    made: list[tuple[int, int, int]] = []
    steps = np.diff(loops)
    at = 0
    while at < len(loops):
        step, count = 1, 1
        if at < len(steps) and steps[at] >= 0:
            step = int(steps[at])
            others = np.flatnonzero(steps[at:] != step)
            count = (int(others[0]) if len(others) else len(steps) - at) + 1
        made.append((int(loops[at]), step, count))
        at += count
    return np.array(made, np.int64).reshape(-1, 3)


def _repeats(counts: list[int]) -> NDArray[np.int64]:
    made: list[list[int]] = []
    for count in counts:
        if made and made[-1][0] == count:
            made[-1][1] += 1
        else:
            made.append([count, 1])
    return np.array(made, np.int64).reshape(-1, 2)

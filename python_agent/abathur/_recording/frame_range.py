"""The frames of a recording, or of a range of it, while they are read."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

from abathur._frame.frame import Frame


class RecordedFrames(Iterator[Frame]):
    """An iterator over recorded frames, in their order: what `Recording.frames` gives.

    ``len(frames)`` is how many are still to come, for progress bars: ``tqdm(match.frames())``. It is known for all
    frames of a recording; with `start`, `stop` or `every`, if the recording has a frame for each game loop.
    """

    def __init__(self, frames: Generator[Frame, None, None], count: Callable[[], int | None], words: str) -> None:
        """Made by the package.

        Args:
            frames: The frames.
            count: How many they are; None: not known.
            words: What they are, for `repr`.
        """
        self._frames = frames
        self._count = count
        self._words = words
        self._given = 0

    def __next__(self) -> Frame:
        """The next frame. Raises RecordingError if the file is damaged there."""
        frame = next(self._frames)
        self._given += 1
        return frame

    def __len__(self) -> int:
        """How many frames are still to come. Raises TypeError if it is not known before they are read."""
        count = self._count()
        if count is None:
            raise TypeError(
                "the number of these frames is not known before they are read, because the recording does not have a "
                "frame for each game loop"
            )
        return max(0, count - self._given)

    def __bool__(self) -> bool:
        """An iterator is true, also at its end."""
        return True

    def close(self) -> None:
        """Read no more of them."""
        self._frames.close()

    def __repr__(self) -> str:
        """The recording, and how many were read."""
        return f"<RecordedFrames of {self._words}: {self._given} read>"


def number_of_frames(first: int, last: int, start: int, stop: int | None, every: int) -> int:
    """How many frames of a range there are in a recording with one for each game loop.

    Args:
        first: The first game loop.
        last: The last one, which is always given, unless `stop` comes before it.
        start: As of `Recording.frames`.
        stop: As of `Recording.frames`.
        every: As of `Recording.frames`.
    """
    end = last + 1 if stop is None else min(stop, last + 1)
    count = max(0, end - max(start, first))
    step = max(every, 1)
    downsampled = -(-count // step)
    is_last_extra = end == last + 1 and count > 0 and (count - 1) % step
    return downsampled + bool(is_last_extra)

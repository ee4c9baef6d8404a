"""Windows along frames that come one after the other."""

from __future__ import annotations

from collections import deque

from abathur._frame.frame import Frame
from abathur.learn._assembled import KeptSlots, Window, window_of
from abathur.learn._sampled import Sampled, Sampler
from abathur.learn._spec import Spec


class Rolling:
    """Makes a window at each sampled frame, as `live` does: for agents that get their frames elsewhere.

    ::

        rolling = learn.Rolling(spec)
        for frame in frames:
            window = rolling.push(frame)
            if window is not None: ...
    """

    def __init__(self, spec: Spec) -> None:
        """Before the first frame."""
        self.spec = spec
        self._sampler = Sampler(spec)
        self._samples: deque[Sampled] = deque(maxlen=spec.frames)
        self._last: Frame | None = None
        #: Whether the window begins with the first frame of the match.
        self._is_from_beginning = False
        self._kept: KeptSlots | None = None

    def push(self, frame: Frame) -> Window | None:
        """The next frame of a stream.

        Returns:
            A window that ends with it: see `Spec`. None if the frame is not sampled, or if the window is not complete:
            after dropped frames, a broken connection, or a game loop that is not later, it begins again.

        Raises:
            AbathurError: its grids do not fit.
            ProtocolError: it is damaged.
        """
        if not self._is_sampled(frame):
            return None
        sampled = self._sampler.sample(frame)
        if self._samples and sampled.number != self._samples[-1].number + 1:
            self._clear(is_from_beginning=False)
        self._samples.append(sampled)
        if self._kept is not None:
            self._kept.take(sampled)
        if len(self._samples) < self.spec.frames and not (self._is_from_beginning and self.spec.pad):
            return None
        return window_of(self.spec, self._samples, None if self._kept is None else self._kept.slots)

    def _is_sampled(self, frame: Frame) -> bool:
        last, self._last = self._last, frame
        every = self.spec.every
        if last is None or not frame._is_of_run(last):
            self._clear(is_from_beginning=frame.sequence == 1)
            self._kept = KeptSlots(self.spec.number_of_slots) if self.spec.keeps_slots else None
            self._free(frame)
            return self._is_from_beginning or frame.game_loop % every == 0
        self._free(frame)
        if frame.game_loop == last.game_loop:
            return False
        if frame.dropped or frame.reconnected or frame.game_loop < last.game_loop:
            # Whether one of those that are missing was the first after a multiple is not known.
            self._clear(is_from_beginning=False)
            return frame.game_loop % every == 0
        return frame.game_loop // every != last.game_loop // every

    def _clear(self, *, is_from_beginning: bool) -> None:
        self._samples.clear()
        self._is_from_beginning = is_from_beginning

    def _free(self, frame: Frame) -> None:
        if self._kept is None:
            return
        for response in (frame.skipped_events, frame._without_units()):
            if response is not None:
                self._kept.free(response.observation.raw_data.event.dead_units)

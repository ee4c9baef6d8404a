"""Counting what an agent receives."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from abathur._frame.frame import Frame

_WINDOW_SECONDS = 2.0
_MAX_SAMPLES = 200_000


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The figures of one agent. Rates are over the last two seconds, the rest over the whole run."""

    label: str
    tick_hz: float = 0.0
    seconds: float = 0.0
    frames: int = 0
    dropped: int = 0
    game_loop: int = 0
    bytes: int = 0
    frames_per_second: float = 0.0
    megabits_per_second: float = 0.0
    decode_ms: float = 0.0
    latency_p50_ms: float = 0.0
    latency_p99_ms: float = 0.0
    error: str = ""
    is_over: bool = False

    @property
    def mean_frames_per_second(self) -> float:
        """Frames a second over the whole run."""
        return (self.frames - 1) / self.seconds if self.frames > 1 and self.seconds > 0 else 0.0

    @property
    def mean_megabits_per_second(self) -> float:
        """Megabits a second over the whole run."""
        return self.bytes * 8 / 1e6 / self.seconds if self.seconds > 0 else 0.0


@dataclass
class Counter:
    """Counts frames and creates snapshots."""

    label: str
    tick_hz: float = 0.0
    frames: int = 0
    dropped: int = 0
    bytes: int = 0
    game_loop: int = 0
    _first: float = 0.0
    _last: float = 0.0
    _recent: deque[tuple[float, int]] = field(default_factory=deque)
    _latency: deque[float] = field(default_factory=lambda: deque(maxlen=_MAX_SAMPLES))
    _decode: deque[float] = field(default_factory=lambda: deque(maxlen=_MAX_SAMPLES))

    def add(self, frame: Frame) -> None:
        """Count a frame."""
        now = time.monotonic()
        self._first = self._first or now
        self._last = now
        self.frames += 1
        self.dropped += frame.dropped
        self.bytes += frame.size
        self.game_loop = frame.game_loop
        self._recent.append((now, frame.size))
        self._latency.append((frame.timing.received - frame.timing.published) / 1e6)
        self._decode.append((frame.timing.decoded - frame.timing.received) / 1e6)

    def snapshot(self, *, error: str = "", is_over: bool = False) -> Snapshot:
        """The current figures."""
        now = time.monotonic()
        while self._recent and now - self._recent[0][0] > _WINDOW_SECONDS:
            self._recent.popleft()
        span = min(_WINDOW_SECONDS, now - self._first) if self._recent else 0.0
        p50, p99 = np.percentile(self._latency, [50, 99]) if self._latency else (0.0, 0.0)
        return Snapshot(
            label=self.label,
            tick_hz=self.tick_hz,
            seconds=self._last - self._first,
            frames=self.frames,
            dropped=self.dropped,
            game_loop=self.game_loop,
            bytes=self.bytes,
            frames_per_second=len(self._recent) / span if span else 0.0,
            megabits_per_second=sum(size for _, size in self._recent) * 8 / 1e6 / span if span else 0.0,
            decode_ms=float(np.mean(self._decode)) if self._decode else 0.0,
            latency_p50_ms=float(p50),
            latency_p99_ms=float(p99),
            error=error,
            is_over=is_over,
        )

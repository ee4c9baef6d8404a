"""A progress line, drawn between timed sections. Silent if standard error is not a terminal."""

from __future__ import annotations

import sys
import time

_REFRESH_SECONDS = 0.25
_BAR_CELLS = 24
_WIDTH = 79


class ProgressLine:
    """Redraws one line; `clear` removes it."""

    def __init__(self) -> None:
        """Nothing is drawn yet."""
        self._is_terminal = sys.stderr.isatty()
        self._last = 0.0
        self._measured_from: tuple[float, float] | None = None

    def __call__(self, what: str, done: float, total: float) -> None:
        """Show the progress: see `_runner.Progress`."""
        now = time.monotonic()
        if not self._is_terminal or now - self._last < _REFRESH_SECONDS:
            return
        self._last = now
        print(f"\r{line(what, done, total, self._left(now, done, total))}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Remove the line."""
        if self._is_terminal and self._last:
            print(f"\r{' ' * _WIDTH}\r", end="", file=sys.stderr, flush=True)

    def _left(self, now: float, done: float, total: float) -> float | None:
        if total <= 0 or done <= 0:
            return None
        if self._measured_from is None:
            self._measured_from = (now, done)
        start, done_at_start = self._measured_from
        speed = (done - done_at_start) / (now - start) if now > start and done > done_at_start else 1.0
        return (total - done) / speed


def line(what: str, done: float, total: float, left: float | None) -> str:
    """The line: a bar, the current step, and the time left as m:ss."""
    part = min(done / total, 1.0) if total > 0 else 0.0
    bar = "#" * round(part * _BAR_CELLS)
    remaining = "" if left is None else f", {int(left) // 60}:{int(left) % 60:02d} left"
    return f"[{bar:-<{_BAR_CELLS}}] {part:4.0%} {what}{remaining}"[:_WIDTH].ljust(_WIDTH)

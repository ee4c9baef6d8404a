"""The progress of long work on standard error, drawn between timed sections."""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.table import Column
from rich.text import Text

_REFRESH_SECONDS = 0.1
_BAR_CELLS = 20
#: Of narrower terminals, the bar would take the space of the text.
_MIN_WIDTH_OF_BAR = 72
_WINDOW_SECONDS = 30


class ProgressBar:
    """A bar with the frames a second and the time left; `clear` removes it. Silent if there is no terminal.

    It has no thread, which would disturb what is timed: it is drawn when it is called, at most ten times a second.
    """

    def __init__(self, console: Console | None = None) -> None:
        """Nothing is drawn yet.

        Args:
            console: Where to draw. Default: standard error.
        """
        self._console = console or Console(stderr=True)
        is_shown = console is not None or (sys.stderr.isatty() and not self._console.is_dumb_terminal)
        columns: list[ProgressColumn] = [
            TextColumn("{task.description}", table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1)),
            TextColumn("{task.percentage:>3.0f} %", table_column=Column(no_wrap=True)),
            _FramesPerSecond(table_column=Column(no_wrap=True)),
            TimeRemainingColumn(compact=True, table_column=Column(no_wrap=True)),
        ]
        if self._console.width >= _MIN_WIDTH_OF_BAR:
            columns.insert(1, BarColumn(_BAR_CELLS))
        self._progress = Progress(
            *columns,
            console=self._console,
            auto_refresh=False,
            transient=True,
            expand=True,
            disable=not is_shown,
            speed_estimate_period=_WINDOW_SECONDS,
        )
        self._task = self._progress.add_task("", total=None, frames=0)
        self._frames = 0
        self._last = 0.0

    def __call__(self, what: str, done: float, total: float, *, frames: int | None = None) -> None:
        """Show the progress, once for each frame.

        Args:
            what: What is being done.
            done: The part that is done.
            total: All of it; 0: not known.
            frames: The frames that are done, if it is not called for each.
        """
        self._frames = self._frames + (done > 0) if frames is None else frames
        now = time.monotonic()
        if self._progress.disable or now - self._last < _REFRESH_SECONDS:
            return
        self._last = now
        self._progress.start()
        self._progress.update(
            self._task, description=what, completed=done, total=total or None, frames=self._frames, refresh=True
        )

    def clear(self) -> None:
        """Remove the bar."""
        self._progress.stop()


class _FramesPerSecond(ProgressColumn):
    """The mean rate so far."""

    def render(self, task: Task) -> Text:
        """The rate as text; empty before the first frame."""
        frames: int = task.fields["frames"]
        return Text(f"{frames / task.elapsed:,.0f} frames/s" if frames and task.elapsed else "")

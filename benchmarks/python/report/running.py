"""Runs the parts of a plan with the time left. Ctrl-C ends the part that runs, which writes what it has."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

import figures
from processes import ROOT

from report.plan import Part

_GRACE_SECONDS = 30.0
#: A machine with less is quiet.
QUIET_LOAD = 0.3
_QUIET_SECONDS = 1800.0
INTERRUPTED = 130


class Running:
    """A run of parts. A part is skipped if its output exists and its sources have not changed.

    Attributes:
        failed: Why a part gave nothing, a line each.
        interrupted: Whether Ctrl-C ended it.
        seconds: Time that each part took, by its title.
    """

    def __init__(
        self, parts: Sequence[Part], log: Path, *, journal: Journal | None = None, output: TextIO = sys.stdout
    ) -> None:
        self.failed: list[str] = []
        self.interrupted = False
        self.seconds: dict[str, float] = {}
        self._parts = parts
        self._log = log
        self._journal = journal
        self._output = output

    def run(self) -> None:
        """Run every part; a part that fails leaves the others to go on."""
        for index, part in enumerate(self._parts):
            if self._journal and self._journal.has(part):
                self._say(f"[{index + 1}/{len(self._parts)}] {part.title}: done before")
                continue
            if part.quiet:
                self._say(_wait_for_quiet())
            left = sum(each.seconds for each in self._parts[index:])
            self._say(
                f"[{index + 1}/{len(self._parts)}] {part.title}: about {_minutes(part.seconds)}, all in "
                f"{_minutes(left)}"
            )
            started, began = time.monotonic(), Done.begin(part)
            try:
                code = self._run(part)
            except OSError as error:
                self.failed.append(f"{part.title}: {error}")
                continue
            self.seconds[part.title] = time.monotonic() - started
            if code == INTERRUPTED:
                self.interrupted = True
                self.failed.append(f"{part.title}: interrupted")
                for each in self._parts[index + 1 :]:
                    self.failed.append(f"{each.title}: interrupted before it began")
                return
            if code != 0:
                why = "its output is above" if part.shows else self._last_words()
                self.failed.append(f"{part.title}: ended with code {code}: {why}")
                self._say(f"  {self.failed[-1]}")
            elif self._journal:
                self._journal.add(part, began)

    def _run(self, part: Part) -> int:
        """The part's exit code; 130 where Ctrl-C came."""
        with self._log.open("w", encoding="utf-8") as log:
            # In a session of its own Ctrl-C does not reach it twice: from the terminal and from here.
            with _later() as pressed:
                child = subprocess.Popen(
                    [str(each) for each in part.command],
                    cwd=ROOT,
                    env={**os.environ, **part.environment},
                    stdin=subprocess.DEVNULL,
                    stdout=self._output if part.shows else log,
                    stderr=None if sys.stderr.isatty() or part.shows else subprocess.STDOUT,
                    start_new_session=sys.platform != "win32",
                )
            try:
                if pressed:
                    raise KeyboardInterrupt
                return child.wait()
            except KeyboardInterrupt:
                self._say("interrupted: writing what is measured")
                return _interrupt(child)

    def _say(self, text: str) -> None:
        print(text, file=self._output, flush=True)

    def _last_words(self) -> str:
        lines = self._log.read_text(encoding="utf-8", errors="replace").split("\n") if self._log.exists() else []
        return " ".join(line.strip() for line in lines if line.strip()).strip()[-400:] or "it said nothing"


@dataclass(frozen=True)
class Done:
    """What a part was measured of, and when.

    Attributes:
        code: Digest of its sources.
        commit: The commit.
        date: When it began, UTC.
        load: Of the machine then, the mean of a minute; None where it is not known.
    """

    code: str
    commit: str
    date: str
    load: float | None

    @staticmethod
    def begin(part: Part) -> Done:
        """Of a part that begins now."""
        machine = figures.machine()
        load = machine["load"]
        return Done(part.code, machine["commit"], machine["date"], load[0] if load else None)


class Journal:
    """Which parts are done, and of which code, in a file beside the results: an interrupted report continues."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def has(self, part: Part) -> bool:
        """Whether a part is done, of this code, and what it wrote is there."""
        done = self.read().get(part.title)
        return done is not None and done.code == part.code and part.output.exists()

    def add(self, part: Part, done: Done) -> None:
        """A part is done, of what it began with."""
        parts = {title: asdict(each) for title, each in {**self.read(), part.title: done}.items()}
        self._path.write_text(json.dumps(parts, indent=1) + "\n", encoding="utf-8")

    def read(self) -> dict[str, Done]:
        """The parts by title; read whenever it is asked, because another run with ``--only`` may add to it."""
        parts = json.loads(self._path.read_text(encoding="utf-8")) if self._path.exists() else {}
        return {title: Done(**each) for title, each in parts.items()}


def _wait_for_quiet() -> str:
    """Wait until the machine does nothing else, half an hour at most. Returns what was found."""
    if not hasattr(os, "getloadavg"):
        return "the load of this machine is not known"
    deadline = time.monotonic() + _QUIET_SECONDS
    while os.getloadavg()[0] >= QUIET_LOAD and time.monotonic() < deadline:
        time.sleep(5)
    load = os.getloadavg()[0]
    if load < QUIET_LOAD:
        return f"the machine is quiet (load {load:.2f})"
    return f"the machine is not quiet (load {load:.2f} after {_QUIET_SECONDS / 60:.0f} min): measured all the same"


def say(text: str) -> None:
    """A line of progress."""
    print(text, flush=True)


@contextlib.contextmanager
def _later() -> Iterator[list[int]]:
    """Note a Ctrl-C that comes meanwhile: otherwise a program that is being started would go on by itself."""
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


def _interrupt(child: subprocess.Popen[bytes]) -> int:
    if sys.platform != "win32":
        child.send_signal(signal.SIGINT)
    try:
        child.wait(_GRACE_SECONDS)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        child.terminate()
        child.wait()
    return INTERRUPTED


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"

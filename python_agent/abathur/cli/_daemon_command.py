"""Commands that the daemon's program runs."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Sequence

from abathur._program.daemon import NAME_VARIABLE, find_daemon, sample

_SAMPLE_VARIABLE = "ABATHUR_SAMPLE"


def run(arguments: Sequence[str]) -> int:
    """Run a command of the daemon in place of this process, and return its exit code where that is not possible.

    Raises:
        DaemonError: the daemon was not found.
    """
    line = [*find_daemon(), *arguments]
    environment = _environment()
    if os.name != "nt":
        sys.stdout.flush()
        os.execvpe(line[0], line, environment)
    with subprocess.Popen(line, env=environment) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                # The daemon gets the key press, too, and ends by itself.
                continue


def suggest(command_line: str) -> list[str]:
    """What may follow at the end of a command line that begins with one of the daemon's commands."""
    text = f"abathur-sync {command_line}"
    done = subprocess.run(
        [*find_daemon(), f"[suggest:{len(text)}]", text], capture_output=True, encoding="utf-8", check=False
    )
    return done.stdout.split("\n")[:-1]


def _environment() -> dict[str, str]:
    environment = {**os.environ, NAME_VARIABLE: "abathur"}
    with contextlib.suppress(FileNotFoundError):
        environment.setdefault(_SAMPLE_VARIABLE, os.fspath(sample()))
    return environment

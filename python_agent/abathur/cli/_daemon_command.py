"""Commands that the daemon's program runs."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Sequence

from abathur._daemon import find_daemon, sample
from abathur.cli import _relay_option

#: The daemon calls itself by this name in messages and help texts.
_NAME_VARIABLE = "ABATHUR_COMMAND_NAME"
_SAMPLE_VARIABLE = "ABATHUR_SAMPLE"


def run(arguments: Sequence[str]) -> int:
    """Run a command of the daemon in place of this process, and return its exit code where that is not possible.

    Raises:
        DaemonError: the daemon was not found.
        ValueError: the value of `--relay` is invalid.
    """
    line = [*find_daemon(), *_relay_option.replaced(arguments)]
    environment = _environment()
    if _relay_option.is_help(arguments):
        done = subprocess.run(line, env=environment, stdout=subprocess.PIPE, encoding="utf-8", check=False)
        print(done.stdout.rstrip("\n") + "\n" + _relay_option.HELP, end="")
        return done.returncode
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
    found = done.stdout.split("\n")[:-1]
    command, _, rest = command_line.partition(" ")
    current = rest.rpartition(" ")[2]
    if command in _relay_option.COMMANDS and current and _relay_option.NAME.startswith(current):
        found.append(_relay_option.NAME)
    return found


def _environment() -> dict[str, str]:
    environment = {**os.environ, _NAME_VARIABLE: "abathur"}
    with contextlib.suppress(FileNotFoundError):
        environment.setdefault(_SAMPLE_VARIABLE, os.fspath(sample()))
    return environment

"""Programs on a terminal of a given size."""

from __future__ import annotations

import contextlib
import os
import struct
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

needs_terminal = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals of this kind")


@dataclass(frozen=True)
class Ended:
    """What a program left."""

    returncode: int
    output: str


def run_on_terminal(
    command: list[str],
    *,
    columns: int,
    on_output: Callable[[subprocess.Popen[bytes], str], None] = lambda process, output: None,
    **environment: str,
) -> Ended:
    """Run a program to its end.

    Args:
        command: The program and its arguments.
        columns: Width of the terminal, which has 24 rows.
        on_output: Called with the process and its output so far, each time that there is more.
        environment: Variables to set.
    """
    import fcntl
    import pty
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    variables = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES", "FORCE_COLOR")}
    process = subprocess.Popen(
        command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**variables, "TERM": "xterm-256color", **environment},
        start_new_session=True,
    )
    os.close(theirs)
    output = b""
    try:
        # Linux reports the end as an error.
        with contextlib.suppress(OSError):
            while data := os.read(ours, 65536):
                output += data
                on_output(process, output.decode(errors="ignore"))
    finally:
        os.close(ours)
        if process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(30)
            process.kill()
    return Ended(process.wait(), output.decode())

"""A Dask cluster on loopback."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager


@contextmanager
def dask_cluster(workers: int) -> Iterator[tuple[str, list[subprocess.Popen[str]]]]:
    """A scheduler and workers of one thread each, in processes of their own: its address, and the workers."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="dask-"))

        def start(*arguments: str) -> subprocess.Popen[str]:
            line = [sys.executable, "-m", f"distributed.cli.dask_{arguments[0]}", *arguments[1:]]
            options = ["--host", "127.0.0.1", "--no-dashboard"]
            process = subprocess.Popen([*line, *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            stack.callback(process.communicate)
            stack.callback(process.kill)
            return process

        address = _said(start("scheduler", "--port", "0", "--no-jupyter"), r"Scheduler at: +(tcp://127\.0\.0\.1:\d+)")
        options = ("--nthreads", "1", "--no-nanny", "--local-directory", folder)
        started = [start("worker", address, *options) for _ in range(workers)]
        for worker in started:
            _said(worker, r"(Registered to)")
        yield address, started


def _said(process: subprocess.Popen[str], pattern: str) -> str:
    assert process.stderr is not None
    lines = []
    # What it says later fits into the pipe.
    for line in process.stderr:
        lines.append(line)
        if found := re.search(pattern, line):
            return found[1]
    raise RuntimeError("".join(lines))

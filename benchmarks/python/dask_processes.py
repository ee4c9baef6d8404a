"""A Dask cluster on loopback."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from types import TracebackType


class DaskCluster:
    """A scheduler and workers of one thread each, in processes of their own; they end with it."""

    def __init__(self, workers: int) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="dask-")
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-jupyter")
        self.address = self._said(self.scheduler, r"Scheduler at: +(tcp://127\.0\.0\.1:\d+)")
        options = ("--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--local-directory", self._folder.name)
        self.workers = [self._start("worker", self.address, *options) for _ in range(workers)]
        for worker in self.workers:
            self._said(worker, r"(Registered to)")

    def __enter__(self) -> DaskCluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.communicate()
        self._folder.cleanup()

    @staticmethod
    def _start(*arguments: str) -> subprocess.Popen[str]:
        line = [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:], "--no-dashboard"]
        return subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    @staticmethod
    def _said(process: subprocess.Popen[str], pattern: str) -> str:
        assert process.stderr is not None
        lines = []
        # What it says later fits into the pipe.
        for line in process.stderr:
            lines.append(line)
            if found := re.search(pattern, line):
                return found[1]
        raise RuntimeError("".join(lines))

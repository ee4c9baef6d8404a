"""Worker processes on this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

from abathur.errors import AbathurError

_END_SECONDS = 10

#: A call that workers make: it can be pickled, and so can what it returns.
Call = Callable[[str], Any]
#: Makes the result of a source whose workers were killed, from the reason.
Lost = Callable[[str], Any]


def run(call: Call, sources: Sequence[str], lost: Lost, *, workers: int, retries: int) -> Iterator[tuple[str, Any]]:
    """Call for each source in processes of their own, and give source and result as they come.

    A process that is killed is replaced, and its source tried again, `retries` times.

    Raises:
        AbathurError: a call has raised an exception.
    """
    waiting = deque(sources)
    tries = dict.fromkeys(sources, 0)
    pool = [_Worker(call) for _ in range(min(workers, len(sources)))]
    try:
        for worker in pool:
            worker.give(waiting)
        while busy := {worker.connection: worker for worker in pool if worker.source is not None}:
            for ready in wait(list(busy)):
                worker = busy[ready]  # type: ignore[index]
                source = worker.source
                assert source is not None
                try:
                    result, error = worker.take()
                except (EOFError, OSError):
                    tries[source] += 1
                    code = worker.end()
                    pool[pool.index(worker)] = worker = _Worker(call)
                    if tries[source] <= retries:
                        waiting.appendleft(source)
                    else:
                        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
                        yield source, lost(f"the worker process ended ({how}), try {tries[source]} of {retries + 1}")
                else:
                    if error is not None:
                        raise AbathurError(error)
                    yield source, result
                worker.give(waiting)
    finally:
        for worker in pool:
            worker.end()


class _Worker:
    """A process that makes one call after the other."""

    def __init__(self, call: Call) -> None:
        # Threads of this process (of pyarrow, of the caller) must not be forked.
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self._process: SpawnProcess = context.Process(target=_work, args=(other, call), daemon=True)
        self._process.start()
        # At its end, the connection must have no other owner.
        other.close()
        self.source: str | None = None

    def give(self, waiting: deque[str]) -> None:
        """Give it the next source, if there is one."""
        if waiting:
            self.source = waiting.popleft()
            try:
                self.connection.send(self.source)
            except OSError:
                # It has ended: found when the result is read.
                return

    def take(self) -> tuple[Any, str | None]:
        """The result of its source, or the error. Raises EOFError or OSError if the process has ended."""
        received: tuple[Any, str | None] = self.connection.recv()
        self.source = None
        return received

    def end(self) -> int | None:
        """End the process, and return its exit code."""
        self.connection.close()
        if self.source is not None:
            self._process.terminate()
        self._process.join(_END_SECONDS)
        if self._process.exitcode is None:
            self._process.kill()
            self._process.join()
        return self._process.exitcode


def _work(connection: Connection, call: Call) -> None:
    """The main function of a worker."""
    # Ctrl-C is for the parent, which ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            source = connection.recv()
        except (EOFError, OSError):
            return
        answer: tuple[Any, str | None]
        try:
            answer = call(source), None
        except (AbathurError, OSError) as error:
            answer = None, str(error)
        connection.send(answer)


def _end_with_parent() -> None:
    """End at once when the parent is gone, even if it was killed: another build may begin."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)

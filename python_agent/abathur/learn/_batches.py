"""Windows in some order, as batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from queue import Full, Queue
from threading import Event, Thread
from typing import Any, TypedDict

from abathur.learn._assembled import Window


class State(TypedDict):
    """Where an iteration stands: ``data.batches(64, seed=state["seed"], epoch=..., start=state["delivered"])``."""

    epoch: int
    delivered: int
    seed: int


class Skipped:
    """How many windows could not be read. A thread that makes batches ahead has it, and not the `Batches`."""

    def __init__(self) -> None:
        self.count = 0


class Batches(Iterator[Window]):
    """Batches of windows: see `Windows.batches`.

    Attributes:
        state: What was given so far.
    """

    def __init__(self, make: Callable[[Skipped], Iterator[Window]], state: State, prefetch: int) -> None:
        """Made by `Windows.batches`."""
        self.state: State = state
        self._skipped = Skipped()
        made = make(self._skipped)
        self._ahead = _Ahead(made, prefetch) if prefetch else None
        self._made: Iterator[Window] = made if self._ahead is None else iter(self._ahead)

    def __next__(self) -> Window:
        """The next batch."""
        batch = next(self._made)
        self.state["delivered"] += len(batch["overflow"])
        return batch

    @property
    def skipped(self) -> int:
        """Windows that could not be read so far, because their recording is damaged."""
        return self._skipped.count

    def close(self) -> None:
        """End, with the thread that makes batches ahead."""
        if self._ahead is not None:
            self._ahead.close()
        self._made = iter(())

    def __enter__(self) -> Batches:
        """Close it at the end."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close it."""
        self.close()

    def __repr__(self) -> str:
        """What was given so far."""
        return f"<Batches: {self.state['delivered']} windows given, {self.skipped} skipped>"


class _Ahead:
    """Makes some ahead, in a thread that begins with the first one that is asked for."""

    def __init__(self, made: Iterator[Window], number: int) -> None:
        self._made = made
        #: A batch, an error, or None at the end.
        self._ready: Queue[Any] = Queue(number)
        self._is_closed = Event()
        self._thread: Thread | None = None

    def __iter__(self) -> Iterator[Window]:
        self._thread = Thread(target=self._run, name="abathur.learn", daemon=True)
        self._thread.start()
        try:
            while (each := self._ready.get()) is not None:
                if isinstance(each, BaseException):
                    raise each
                yield each
        finally:
            self.close()

    def close(self) -> None:
        self._is_closed.set()

    def _run(self) -> None:
        try:
            for batch in self._made:
                if not self._put(batch):
                    return
            self._put(None)
        except BaseException as error:
            self._put(error)

    def _put(self, each: object) -> bool:
        """Whether it is wanted still."""
        while not self._is_closed.is_set():
            try:
                self._ready.put(each, timeout=0.1)
                return True
            except Full:
                continue
        return False

"""Batches for PyTorch's DataLoader, which is not imported here: a program that uses it has done so."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from abathur.learn._assembled import Window
from abathur.learn._batches import Batches


class Batched(Protocol):
    """What has batches: `Windows`."""

    @property
    def batches(self) -> Callable[..., Batches]:
        """See `Windows.batches`."""


class Stream:
    """Batches of windows, those of one worker in each worker of a loader. Made by `Windows.stream`."""

    def __init__(self, data: Batched, size: int, options: dict[str, Any]) -> None:
        """Of the options of `Windows.batches`."""
        self._data = data
        self._size = size
        self._options = options
        self._was_read = False

    def __iter__(self) -> Iterator[Window]:
        """The batches of this worker; in no worker, all. Raises ValueError if they were read already."""
        # Behind the first `next`: a loader passes on what is raised there.
        if self._was_read:
            raise ValueError("a stream is one epoch: make one for each, data.stream(..., epoch=epoch)")
        self._was_read = True
        number, workers = _worker()
        options = dict(self._options)
        start = options.pop("start", 0)
        # The loader takes one batch of each worker in turn.
        batches = start // self._size
        given = (batches - number + workers - 1) // workers * self._size
        with self._data.batches(self._size, start=given, worker=(number, workers), **options) as made:
            yield from made

    def __reduce__(self) -> tuple[Any, ...]:
        """Made again in a worker that is spawned."""
        return stream, (self._data, self._size, self._options)


def stream(data: Batched, size: int, options: dict[str, Any]) -> Stream:
    """A stream that PyTorch takes for an iterable data set, if it is imported."""
    start = options.get("start", 0)
    if "worker" in options:
        raise TypeError("a stream asks the loader which worker it is in; batches(worker=...) is told")
    # Wrong options are told here, not in a worker.
    data.batches(size, **options).close()
    if start % size:
        raise ValueError(f"start={start} is not a number of whole batches of {size}")
    torch = sys.modules.get("torch")
    if torch is None:
        return Stream(data, size, options)
    kind = type("Stream", (Stream, torch.utils.data.IterableDataset), {"__module__": __name__})
    return kind(data, size, options)  # type: ignore[no-any-return]


def _worker() -> tuple[int, int]:
    """The worker of PyTorch's loader in which this is, and how many there are."""
    torch = sys.modules.get("torch")
    info = None if torch is None else torch.utils.data.get_worker_info()
    return (0, 1) if info is None else (info.id, info.num_workers)

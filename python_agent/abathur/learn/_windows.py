"""Windows of recordings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abathur._recording.recording import Recording
from abathur._values import arguments
from abathur.errors import AbathurError, RecordingError
from abathur.learn._assembled import Window, empty, fill
from abathur.learn._batches import Batches, Skipped, State
from abathur.learn._index import Entry, Failure, Recordings, find
from abathur.learn._order import Order, Share
from abathur.learn._reading import Reader, ReadWindow, fill_target
from abathur.learn._sampling import Sampling
from abathur.learn._spec import Spec, check_number
from abathur.learn._stream import stream
from abathur.learn._targets import MatchTarget, Target, Values, target_of

#: Frames that are read at once, of which those before the first window are read for a second time: few enough that
#: the shuffled windows of several blocks are in memory.
_BLOCK_FRAMES = 2048
_MAX_STEP = 10_000_000
_MAX_BATCH = 1_000_000


class Windows:
    """Windows of recordings: samples of a `Spec` with what they predict.

    ``len(data)`` is the number of windows, ``data[i]`` one of them, iteration gives all in order, `batches` gives them
    shuffled. Threads may read one; in a process that is forked, or spawned with it, files are opened again.

    A sample has, beside what `Spec` says, with a target: ``target`` float32 of the target's shape, and ``valid`` ()
    bool: whether it has one. At the end of a match, behind which the target would look, it has none, and 0 instead.

    Attributes:
        spec: What a sample is.
        step: Game loops from the last frame of a window to that of the next.
        target: What they predict; None: nothing.
        failures: The recordings that are not read, and why.
    """

    def __init__(
        self,
        inputs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        spec: Spec,
        *,
        step: int | None = None,
        target: Target | str | Callable[..., Any] | None = None,
        horizon: int | None = None,
        index: str | os.PathLike[str] | None = None,
    ) -> None:
        """Find recordings, and their windows.

        Args:
            inputs: Files, folders, globs, and URLs of fsspec, which are copied to temporary files.
            spec: What a sample is.
            step: Game loops from the last frame of a window to that of the next: a multiple of `Spec.every`, which is
                the default.
            target: What the windows predict: `losses`, `resources`, `actions`, `result` of this module, or their names;
                or a function of the `Future` of a window and of the horizon, which returns numbers of one shape, for
                the same frames always the same.
            horizon: How many game loops after a window a target that is a function looks at.
            index: File that keeps which frames older recordings have. Without it, each of them is read once for that,
                which takes longer for one that is not compact.

        Raises:
            AbathurError: an input names no file, or none of the recordings has a window; the first reason is told.
            TypeError: something is of another kind.
            ValueError: a number does not fit.
        """
        if not isinstance(spec, Spec):
            raise TypeError(f"spec is a learn.Spec, not {arguments.shown(spec)}")
        self.spec: Spec = spec
        self.step: int = check_number("step", spec.every if step is None else step, _MAX_STEP)
        if self.step % spec.every:
            raise ValueError(f"step={step} is not a multiple of the {spec.every} game loops of the spec's `every`")
        self.target: Target | None = target_of(target, horizon)
        if self.target is not None:
            self.target.check(spec.every)
        of_match: dict[str, Values] = {}
        self.failures: list[Failure]
        entries, self.failures = find(inputs, index, self._keep_values(of_match))
        found = self._with_windows(entries)
        self._values = np.array([of_match[each.source] for each, _ in found], np.float32) if of_match else None
        self._set(Recordings.of([each for each, _ in found]), np.array([count for _, count in found], np.int64))

    def __len__(self) -> int:
        """Number of windows."""
        return int(self._ends[-1]) if len(self._ends) else 0

    def __getitem__(self, number: int) -> Window:
        """A window by its number, from 0.

        Raises:
            IndexError: there is no such window.
            RecordingError: its recording is damaged, or has changed.
            ValueError: units keep their slots, which is possible in order only.
        """
        if not arguments.is_integer(number):
            raise TypeError(f"a window has an integer as its number, not {arguments.shown(number)}")
        self._check_any_order()
        recording, window = self._place(int(number))
        read = next(self._reader.windows(recording, window, window))
        made = self._empty(read)
        self._fill(made, read, recording)
        return made

    def __iter__(self) -> Iterator[Window]:
        """All windows, in the order of recordings and game loops."""
        for batch in self.batches(1, shuffle=False):
            yield {name: np.array(array[0]) for name, array in batch.items()}

    def __repr__(self) -> str:
        """How many there are."""
        failed = f", {len(self.failures)} recordings not read" if self.failures else ""
        return f"<Windows: {len(self)} windows of {len(self._recordings)} recordings{failed}>"

    def __getstate__(self) -> dict[str, Any]:
        """Without what is open."""
        return self.__dict__ | {"_readers": {}}

    @property
    def recordings(self) -> list[str]:
        """Paths and URLs of the recordings."""
        return [self._recordings.source(number) for number in range(len(self._recordings))]

    def where(self, number: int) -> tuple[str, int]:
        """Path or URL of the recording of a window, and the game loop of its last frame."""
        recording, window = self._place(int(number))
        sampling = self._reader.sampling(recording)
        return self._recordings.source(recording), int(sampling.loops[sampling.ends[window]])

    def split(self, fraction: float, *, seed: int = 0) -> tuple[Windows, Windows]:
        """Two parts, by matches: all recordings of a match, such as those of both players, are in one of them.

        Args:
            fraction: Of the matches, in the first part; each part has one at least.
            seed: Another one divides them otherwise.

        Raises:
            ValueError: there is one match only, or `fraction` is not between 0 and 1.
        """
        if not 0 < fraction < 1:
            raise ValueError(f"fraction is {fraction}; it must be between 0 and 1")
        matches = np.unique(self._recordings.matches)
        if len(matches) < 2:
            raise ValueError("one match cannot be split: a model would see the match that it is tested with")
        first = min(max(round(fraction * len(matches)), 1), len(matches) - 1)
        chosen = np.random.default_rng(_seed(seed)).permutation(matches)[:first]
        is_first = np.isin(self._recordings.matches, chosen)
        return self._part(is_first), self._part(~is_first)

    def batches(
        self,
        size: int,
        *,
        seed: int = 0,
        epoch: int = 0,
        start: int = 0,
        rank: tuple[int, int] = (0, 1),
        worker: tuple[int, int] = (0, 1),
        shuffle: bool = True,
        buffer: int = 256,
        prefetch: int = 0,
        drop_last: bool = False,
    ) -> Batches:
        """All windows once, as batches: each array has an axis of `size` in front.

        The order is a function of `seed` and `epoch`: blocks of some 2,000 frames, which are read at once, are
        shuffled, then their windows in a buffer. Where a recording turns out to be damaged, its windows from there on
        are not given, but counted in `Batches.skipped`.

        Args:
            size: Windows of a batch; the last one has what is left.
            seed: Of the order.
            epoch: Of the order too.
            start: Windows that are not given at the beginning: `state["delivered"]` of an earlier iteration.
            rank: Which consumer of how many, from 0: ``(0, 2)``. Each gets as many windows as the others.
            worker: The same within a rank. Nothing is left over.
            shuffle: Whether not in order.
            buffer: Windows that are mixed, which are in memory.
            prefetch: Batches that a thread makes ahead.
            drop_last: Whether a last batch that is not full is not given.

        Raises:
            TypeError: something is not a number.
            ValueError: a number does not fit; or units keep their slots, and an order or shares are asked for.
            RecordingError: while iterating: a recording has changed.
        """
        check_number("size", size, _MAX_BATCH)
        check_number("buffer", buffer, _MAX_BATCH)
        check_number("prefetch", prefetch, 1024, 0)
        check_number("start", start, 2**62, 0)
        share = Share(*_share("rank", rank), *_share("worker", worker))
        if self.spec.keeps_slots:
            if shuffle or share != Share() or start:
                raise ValueError(
                    'slots="match" needs the order of the matches: batches(size, shuffle=False), without rank, worker '
                    "and start"
                )
            return Batches(lambda lost: self._collect(self._in_order(lost), size, drop_last), _state(0, 0), prefetch)
        order = Order(self._block_sizes, _seed(seed), _seed(epoch, "epoch"), share, buffer=buffer, shuffle=shuffle)
        state = _state(epoch, seed, start)
        return Batches(lambda lost: self._collect(self._ordered(order, start, lost), size, drop_last), state, prefetch)

    def stream(self, size: int, **options: Any) -> Any:
        """Batches for PyTorch: ``DataLoader(data.stream(64, seed=1), batch_size=None, num_workers=2)``.

        A stream is one epoch: make one for each, also for a loader with persistent workers. Each worker of the loader
        reads its own blocks, and makes whole batches. With the same number of workers, the same order comes again;
        `start` is the number of windows that were used, of which the caller keeps count.

        Args:
            size: Windows of a batch.
            options: Of `batches`, but for `worker`.

        Raises:
            TypeError: there is no such option.
            ValueError: `start` is not a number of whole batches.
        """
        return stream(self, size, options)

    def close(self) -> None:
        """Close what is open. What is read later is opened again."""
        self._reader.close()

    @property
    def _reader(self) -> Reader:
        # Of this process: in a forked one, files are opened again, and the parent's are left as they are.
        made = self._readers.get(os.getpid())
        if made is None:
            made = self._readers.setdefault(os.getpid(), Reader(self._recordings, self.spec, self.step, self.target))
        return made

    def _keep_values(self, of_match: dict[str, Values]) -> Callable[[str, Recording], None] | None:
        """Takes the value of all windows of a recording; None: the target has no such value."""
        target = self.target
        if not isinstance(target, MatchTarget):
            return None

        def take(source: str, recording: Recording) -> None:
            of_match[source] = target.of_match(recording)

        return take

    def _with_windows(self, entries: list[Entry]) -> list[tuple[Entry, int]]:
        """The recordings that have windows, and how many."""
        found = []
        within = 0 if self.target is None else self.target.within
        for each in entries:
            sampling = Sampling.of(each.loops.loops(), self.spec, self.step, within)
            if len(sampling.ends):
                found.append((each, len(sampling.ends)))
            else:
                self.failures.append(Failure(each.source, _why_none(each.source, sampling, self.spec)))
        if not found and self.failures:
            more = f" ({len(self.failures)} recordings are in `failures`)" if len(self.failures) > 1 else ""
            raise AbathurError(f"no windows: {self.failures[0].error}{more}")
        return found

    def _set(self, recordings: Recordings, counts: NDArray[np.int64]) -> None:
        self._recordings = recordings
        self._ends = counts.cumsum()
        self._readers: dict[int, Reader] = {}
        frames = np.array([len(recordings.loops(number)) for number in range(len(recordings))], np.int64)
        #: Windows of a block, by recording; and the blocks: recording, first window, number of windows.
        sizes = np.maximum(1, _BLOCK_FRAMES * counts // np.maximum(frames, 1))
        blocks = -(-counts // sizes)
        recording = np.repeat(np.arange(len(counts)), blocks)
        first = (np.arange(len(recording)) - np.repeat(blocks.cumsum() - blocks, blocks)) * sizes[recording]
        self._blocks = np.stack([recording, first], axis=1)
        self._block_sizes = np.minimum(sizes[recording], counts[recording] - first)

    def _part(self, chosen: NDArray[np.bool_]) -> Windows:
        """Of some of the recordings."""
        made = Windows.__new__(Windows)
        made.spec, made.step, made.target, made.failures = self.spec, self.step, self.target, list(self.failures)
        made._values = None if self._values is None else self._values[chosen]
        made._set(self._recordings.part(np.flatnonzero(chosen)), np.diff(self._ends, prepend=0)[chosen])
        return made

    def _place(self, number: int) -> tuple[int, int]:
        """Recording, and window in it, of a window."""
        wanted = number + len(self) if number < 0 else number
        if not 0 <= wanted < len(self):
            raise IndexError(f"there is no window {number}; there are {len(self)}")
        recording = int(self._ends.searchsorted(wanted, side="right"))
        return recording, wanted - (int(self._ends[recording - 1]) if recording else 0)

    def _check_any_order(self) -> None:
        if self.spec.keeps_slots:
            raise ValueError('slots="match" needs the order of the matches: iterate, or batches(size, shuffle=False)')

    def _empty(self, read: ReadWindow, *more: int) -> Window:
        made = empty(self.spec, read.samples[-1].grids, *more)
        if self.target is not None:
            made["target"] = np.zeros((*more, *self._target_shape()), np.float32)
            made["valid"] = np.zeros(more, np.bool_)
        return made

    def _target_shape(self) -> tuple[int, ...]:
        assert self.target is not None
        if self.target.shape is None:
            self.target.shape = next(self._shapes(), ())
        return self.target.shape

    def _shapes(self) -> Iterator[tuple[int, ...]]:
        """The shapes of the values of a function: of the first window of each recording that has one."""
        for number in range(len(self._recordings)):
            for window in np.flatnonzero(self._reader.sampling(number).with_target)[:1].tolist():
                yield next(self._reader.windows(number, window, window)).seen.shape

    def _fill(self, window: Window, read: ReadWindow, recording: int) -> None:
        fill(window, self.spec, read.samples, read.kept)
        if self.target is not None:
            of_match = None if self._values is None else self._values[recording]
            fill_target(window, self.target, read.seen, of_match)

    def _collect(self, made: Iterator[tuple[ReadWindow, int]], size: int, drop_last: bool) -> Iterator[Window]:
        """Batches of windows and the numbers of their recordings."""
        batch: Window = {}
        count = 0
        for read, recording in made:
            if not count:
                batch = self._empty(read, size)
            self._fill({name: array[count, ...] for name, array in batch.items()}, read, recording)
            count += 1
            if count == size:
                yield batch
                count = 0
        if count and not drop_last:
            yield {name: array[:count].copy() for name, array in batch.items()}

    def _in_order(self, skipped: Skipped) -> Iterator[tuple[ReadWindow, int]]:
        """All windows of one recording after the other: if units keep their slots."""
        for recording, count in enumerate(np.diff(self._ends, prepend=0).tolist()):
            try:
                for read in self._reader.windows(recording, 0, count - 1):
                    count -= 1
                    yield read, recording
            except RecordingError:
                skipped.count += count

    def _ordered(self, order: Order, start: int, skipped: Skipped) -> Iterator[tuple[ReadWindow, int]]:
        """Windows in an order. A block is read when the first of them is wanted."""
        blocks: dict[int, dict[int, ReadWindow | None]] = {}
        given: dict[int, set[int]] = {}
        damaged: dict[int, int] = {}
        for number, (block, window) in enumerate(order):
            if number < start:
                given.setdefault(block, set()).add(window)
                continue
            if block not in blocks:
                wanted = [each for each in order.of_block(block) if each not in given.get(block, ())]
                blocks[block] = self._read_block(block, wanted, damaged)
            read = blocks[block].pop(window)
            if not blocks[block]:
                del blocks[block]
            if read is None:
                skipped.count += 1
            else:
                yield read, int(self._blocks[block, 0])

    def _read_block(self, block: int, wanted: list[int], damaged: dict[int, int]) -> dict[int, ReadWindow | None]:
        """Windows of a block; None for those that cannot be read.

        Args:
            block: Its number.
            wanted: Their numbers in it, ascending.
            damaged: By recording, the first window that is known to be damaged.
        """
        recording, first = self._blocks[block].tolist()
        found: dict[int, ReadWindow | None] = dict.fromkeys(wanted)
        last = min(first + wanted[-1], damaged.get(recording, self._ends[-1]) - 1)
        if first + wanted[0] > last:
            return found
        at = wanted[0]
        try:
            for read in self._reader.windows(recording, first + at, last):
                if at in found:
                    found[at] = read
                at += 1
        except RecordingError:
            damaged[recording] = first + at
        return found


def _state(epoch: int, seed: int, delivered: int = 0) -> State:
    return {"epoch": int(epoch), "delivered": int(delivered), "seed": int(seed)}


def _seed(value: object, name: str = "seed") -> int:
    return check_number(name, value, 2**63 - 1, 0)


def _share(name: str, given: tuple[int, int]) -> tuple[int, int]:
    """A consumer and the number of consumers. Raises TypeError or ValueError."""
    try:
        number, of = given
    except (TypeError, ValueError):
        raise TypeError(f"{name} is (NUMBER, NUMBER OF CONSUMERS), not {arguments.shown(given)}") from None
    return check_number(f"the number in {name}", number, check_number(name, of, 65_536) - 1, 0), int(of)


def _why_none(source: str, sampling: Sampling, spec: Spec) -> str:
    """Why a recording has no window."""
    frames = len(sampling.positions)
    longest = int((np.arange(frames) - sampling.begins + 1).max())
    if longest < min(spec.frames, frames):
        return (
            f"{source} has no {spec.frames} frames in a row that are {spec.every} game loops apart, only {longest}: "
            "its frames are further apart, or some are missing"
        )
    return f"{source} has {frames} frames that are {spec.every} game loops apart: too few for a window"

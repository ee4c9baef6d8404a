"""Reads the windows of recordings, which are opened in each process when they are needed first."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from s2clientprotocol import sc2api_pb2

from abathur._recording import input_files
from abathur._recording.damage import as_recording_error
from abathur._recording.opened import open_recording
from abathur._recording.recording import Recording
from abathur.errors import RecordingError
from abathur.learn._assembled import KeptSlots, Window
from abathur.learn._index import Recordings
from abathur.learn._sampled import Sampled, Sampler
from abathur.learn._sampling import Sampling
from abathur.learn._spec import Spec
from abathur.learn._targets import Target, Values

#: Recordings that a process has open.
_MAX_OPEN = 16


@dataclass(slots=True)
class ReadWindow:
    """What a window is made of.

    Attributes:
        samples: Its frames.
        seen: What the target made of those behind it; None: the recording does not have them all.
        kept: The slots of units, if they keep them.
    """

    samples: Sequence[Sampled]
    seen: Any
    kept: dict[int, int] | None


class Reader:
    """Reads windows. Threads may use one."""

    def __init__(self, recordings: Recordings, spec: Spec, step: int, target: Target | None) -> None:
        """Nothing is opened yet."""
        self._recordings = recordings
        self._spec = spec
        self._step = step
        self._target = target
        self._sampler = Sampler(spec)
        self._open: OrderedDict[int, _Opened] = OrderedDict()
        self._lock = Lock()

    def close(self) -> None:
        """Close what is open. What is read later is opened again."""
        with self._lock:
            self._close_others(0)

    def sampling(self, number: int) -> Sampling:
        """The sampled frames of a recording."""
        within = 0 if self._target is None else self._target.within
        return Sampling.of(self._recordings.loops(number).loops(), self._spec, self._step, within)

    def windows(self, number: int, first: int, last: int) -> Iterator[ReadWindow]:
        """The windows of a recording from a first to a last one.

        If units keep their slots, all frames before the first one are read too.

        Raises:
            RecordingError: it is damaged, or not what it was.
        """
        spec, target = self._spec, self._target
        horizon = 0 if target is None else target.within // spec.every
        kept = KeptSlots(spec.number_of_slots) if spec.keeps_slots else None
        with self._use(number) as opened:
            sampling = opened.sampling
            ends = sampling.ends[first : last + 1].tolist()
            begin = 0 if kept else max(0, ends[0] - spec.frames + 1)
            final = min(ends[-1] + horizon, len(sampling.positions) - 1)
            recent: deque[Sampled] = deque(maxlen=spec.frames)
            #: Of the frames from that of the oldest window in `pending` on.
            notes: deque[Any] = deque()
            pending: deque[tuple[int, ReadWindow]] = deque()
            coming = iter(ends)
            end = next(coming)
            is_wanted = _in_windows(ends, spec.frames, begin, final) | spec.keeps_slots
            is_noted = np.full(len(is_wanted), target is not None and not target.compares)
            if target is not None and target.compares:
                noted = np.array([*ends, *(end + horizon for end in ends if end + horizon <= final)]) - begin
                is_noted[noted] = True
            for at, (sampled, note, happened) in enumerate(self._samples(opened, begin, is_wanted, is_noted), begin):
                if sampled is not None:
                    if kept is not None:
                        kept.free(tag for each in happened for tag in each.observation.raw_data.event.dead_units)
                        kept.take(sampled)
                    recent.append(sampled)
                if at == end:
                    samples = list(recent)[-(at - int(sampling.begins[at]) + 1) :]
                    pending.append((at, ReadWindow(samples, None, None if kept is None else dict(kept.slots))))
                    end = next(coming, -1)
                if pending:
                    notes.append(note)
                while pending and (pending[0][0] + horizon <= at or at == final):
                    place, window = pending.popleft()
                    if target is not None and place + horizon <= at and sampling.begins[at] <= place:
                        ahead = list(islice(notes, horizon + 1))
                        window.seen = target.look(ahead[0], ahead[1:])
                    yield window
                    for _ in range((pending[0][0] if pending else at + 1) - place):
                        notes.popleft()

    def _samples(
        self, opened: _Opened, first: int, is_wanted: NDArray[np.bool_], is_noted: NDArray[np.bool_]
    ) -> Iterator[tuple[Sampled | None, Any, list[sc2api_pb2.ResponseObservation]]]:
        """Sampled frames from a first one on, with what the target needs of each, and what happened since the last.

        Those that are not wanted are None, and so is what is not noted. What happened is empty where it is not needed.
        """
        recording, positions = opened.recording, opened.sampling.positions
        target = self._target
        reads_all = self._spec.keeps_slots or (target is not None and target.reads_all)
        match_id = recording.metadata.get("match_id", "")
        at = int(positions[first])
        with as_recording_error(recording.path):
            time, before = recording._indexed().place(at)
            observations = islice(recording._observations(time), before, None)
            for number, (takes, notes) in enumerate(zip(is_wanted, is_noted, strict=True), first):
                happened = []
                for each in observations:
                    at += 1
                    if reads_all:
                        happened.append(each.without_units())
                    if at > positions[number]:
                        break
                else:
                    raise RecordingError(f"{recording.path} is damaged: it lacks some of the frames in its index")
                if each.game_loop != opened.sampling.loops[number]:
                    raise RecordingError(f"{recording.path} is damaged: its frames are not those of its index")
                frame = each.frame(match_id)
                note = target.note(frame, happened) if target is not None and notes else None
                yield self._sampler.sample(frame) if takes else None, note, happened

    @contextmanager
    def _use(self, number: int) -> Iterator[_Opened]:
        """A recording, which is open meanwhile."""
        with self._lock:
            opened = self._open.get(number)
            if opened is None:
                opened = self._open[number] = self._new(number)
            self._open.move_to_end(number)
            opened.users += 1
        try:
            yield opened
        finally:
            with self._lock:
                opened.users -= 1
                self._close_others(_MAX_OPEN)

    def _close_others(self, most: int) -> None:
        for number in list(self._open):
            if len(self._open) <= most:
                return
            if not self._open[number].users:
                self._open.pop(number).files.close()

    def _new(self, number: int) -> _Opened:
        source = self._recordings.source(number)
        loops = self._recordings.loops(number)
        with ExitStack() as files:
            path = files.enter_context(input_files.local(source))
            recording = files.enter_context(open_recording(path))
            if len(recording) != len(loops):
                raise RecordingError(f"{source} has changed: it has {len(recording)} frames, and had {len(loops)}")
            recording._loops = loops
            return _Opened(recording, self.sampling(number), files.pop_all())


def _in_windows(ends: list[int], frames: int, first: int, last: int) -> NDArray[np.bool_]:
    """Which of the sampled frames from a first to a last one are in a window that ends at one of `ends`."""
    changes = np.zeros(last - first + 2, np.int64)
    np.add.at(changes, np.maximum(np.array(ends) - frames + 1 - first, 0), 1)
    np.subtract.at(changes, np.array(ends) + 1 - first, 1)
    wanted: NDArray[np.bool_] = changes[:-1].cumsum() > 0
    return wanted


@dataclass(slots=True)
class _Opened:
    recording: Recording
    sampling: Sampling
    files: ExitStack
    users: int = 0


def fill_target(window: Window, target: Target, seen: Any, of_match: Values | None) -> None:
    """Write the target of a window, `target` and `valid`, which are empty.

    Args:
        window: With its tags.
        target: What it is.
        seen: Of `ReadWindow`.
        of_match: The value of all windows of the match, if the target has one.

    Raises:
        ValueError: a function gives arrays of different shapes.
    """
    value = of_match if seen is None else target.value(seen, window["tags"])
    if value is None:
        return
    if value.shape != window["target"].shape:
        raise ValueError(f"target is of shape {value.shape} here, and was {window['target'].shape} before")
    if np.isfinite(value).all():
        window["target"][...] = value
        window["valid"][...] = True

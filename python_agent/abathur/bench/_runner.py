"""Runs codecs over the frames of a recording: estimate, check, warm-up, rounds."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from abathur.bench._check import check
from abathur.bench._codec import Codec
from abathur.bench._frames import MAX_KEPT_BYTES, RecordedFrame, RecordedFrames, along_keyframes, evenly_spaced
from abathur.bench._options import Options

_PILOT_FRAMES = 8
_MIN_FRAMES_OF_BUDGET = 10
_WARM_UP_OPERATIONS = 16
_WARM_UP_SECONDS = 0.2
_MAX_WARM_UP_SECONDS = 2.0
# Shares of a budget: for creating dicts of the frames; the planned part of the rest; and the time of the process that
# measures a codec's peak memory.
_DICTS_PART = 0.15
_PLANNED_PART = 0.85
_PEAK_MEMORY_SECONDS = 0.7

Progress = Callable[[str, float, float], None]
"""Called between timed sections: current step, seconds of work done, seconds in all (0: not known yet)."""


@dataclass
class CodecRun:
    """One codec in a match run, and its measurements.

    Attributes:
        frames: Numbers of its frames.
        failure: Why it is not timed; None if the check passed.
        bytes: Encoded size by number of the frame.
        encode: Samples in ns, a list per round; the same for decode and decode_touch.
    """

    name: str
    codec: Codec
    frames: list[int] = field(default_factory=list)
    failure: str | None = None
    frames_without_unknown_fields: int = 0
    bytes: dict[int, int] = field(default_factory=dict)
    encode: list[list[float]] = field(default_factory=list)
    decode: list[list[float]] = field(default_factory=list)
    decode_touch: list[list[float]] = field(default_factory=list)
    peak_memory_bytes: int | None = None

    @property
    def samples(self) -> int:
        """Frames timed, over all rounds."""
        return sum(len(samples) for samples in self.decode)

    def start_round(self) -> None:
        """Start a new round."""
        for rounds in (self.encode, self.decode, self.decode_touch):
            rounds.append([])

    def add(self, encode: int, decode: int, decode_touch: int) -> None:
        """Add a timed frame to the round."""
        if self.codec.times_encode:
            self.encode[-1].append(encode)
        self.decode[-1].append(decode)
        if self.codec.touches:
            self.decode_touch[-1].append(decode_touch)


class Runner:
    """A match run.

    The garbage of one codec is collected before the next one starts, so that no codec pays for another. Python's cyclic
    garbage collector stays on, as in an agent, and its work in a timed section is part of the figures; objects that
    were imported before are frozen, so that it does not traverse them.

    Attributes:
        interrupted: Whether Ctrl-C ended it: the measurements so far are kept.
        frame_count: Number of frames of a codec without a budget.
    """

    def __init__(self, options: Options, frames: RecordedFrames, runs: list[CodecRun], progress: Progress) -> None:
        """See the class."""
        self._options = options
        self._frames = frames
        self._runs = runs
        self._progress = progress
        self._seconds_per_frame: dict[str, float] = {}
        self._started = time.monotonic()
        self._done = 0.0
        self._total = 0.0
        self._pilot_bytes = 1
        self._seconds_per_dict = 0.0
        self.interrupted = False
        self.frame_count = 0

    def run(self) -> None:
        """Run everything. Ctrl-C ends it and keeps the measurements so far.

        Raises:
            RecordingError: the recording is damaged.
        """
        try:
            chosen = evenly_spaced(self._frames.count, self._options.frames or self._frames.count)
            self.frame_count = len(chosen)
            self._warm_up_and_estimate(chosen)
            self._share_out(chosen if self._options.budget is None else self._keep_in_memory(chosen))
            for run in self._runs:
                self._check(run)
            order = random.Random(self._options.seed)
            for number in range(1, self._options.rounds + 1):
                timed = [run for run in self._runs if run.failure is None]
                order.shuffle(timed)
                for run in timed:
                    self._time(run, number)
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            gc.unfreeze()

    def _warm_up_and_estimate(self, chosen: list[int]) -> None:
        """Run each codec on a few frames (16 and 0.2 s, at most 2 s), and measure the time per frame."""
        numbers = [chosen[index] for index in evenly_spaced(len(chosen), _PILOT_FRAMES)]
        pilot = list(self._frames.read(numbers))
        start = time.monotonic()
        for frame in pilot:
            frame.plain()
        self._seconds_per_dict = (time.monotonic() - start) / len(pilot)
        self._pilot_bytes = max(len(frame.observation) for frame in pilot)
        longest = _MAX_WARM_UP_SECONDS
        if self._options.budget is not None:
            longest = min(longest, self._options.budget / 3 / len(self._runs))
        for run in self._runs:
            self._progress(f"warming up {run.name}", 0, 0)
            trial = self._trial(run.codec) if run.codec.is_stream else pilot
            start = time.monotonic()
            problems = [check(run.codec, frame).problem for frame in trial]
            checking = (time.monotonic() - start) / len(trial)
            run.failure = next((problem for problem in problems if problem is not None), None)
            if run.failure is not None:
                continue
            start = time.monotonic()
            count = 0
            while True:
                if run.codec.is_stream and count % len(trial) == 0:
                    run.codec.restart(0)
                take(run.codec, trial[count % len(trial)])
                count += 1
                elapsed = time.monotonic() - start
                if elapsed > longest or (count >= _WARM_UP_OPERATIONS and elapsed > _WARM_UP_SECONDS):
                    break
            self._seconds_per_frame[run.name] = checking + elapsed / count * self._options.rounds

    def _trial(self, codec: Codec) -> list[RecordedFrame]:
        """The first frames of a stream, which is encoded now."""
        codec.open(self._frames.path, self._frames.count)
        codec.restart(0)
        return list(self._frames.read(range(min(_PILOT_FRAMES, self._frames.count))))

    def _keep_in_memory(self, chosen: list[int]) -> list[int]:
        """Evenly spaced frames that fit into memory, already read: reading does not count for the budget."""
        fitting = MAX_KEPT_BYTES // (3 * self._pilot_bytes)
        if any(run.codec.is_stream for run in self._runs):
            # Streams use other frames.
            fitting //= 2
        if self._options.budget is not None:
            fitting = min(fitting, int(self._options.budget * _DICTS_PART / self._seconds_per_dict))
        fitting = max(fitting, _MIN_FRAMES_OF_BUDGET)
        kept = [chosen[index] for index in evenly_spaced(len(chosen), fitting)]
        for frame in self._frames.read(kept):
            # Dicts are created once for all codecs, before the remaining time is distributed.
            frame.plain()
        return kept

    def _share_out(self, chosen: list[int]) -> None:
        """Assign frames to each codec: all that were selected, or as many as fit into its share of the budget."""
        budget = self._options.budget
        left = float("inf")
        if budget is not None:
            left = (budget - (time.monotonic() - self._started)) * _PLANNED_PART - _PEAK_MEMORY_SECONDS * len(
                self._runs
            )
        waiting = sorted(
            (run for run in self._runs if run.failure is None), key=lambda run: self._seconds_per_frame[run.name]
        )
        for index, run in enumerate(waiting):
            seconds = self._seconds_per_frame[run.name]
            fitting = max(left, 0.0) / (len(waiting) - index) / seconds
            # Streams are read from the file, not from memory.
            most = self.frame_count if run.codec.is_stream else len(chosen)
            count = most if fitting >= most else max(int(fitting), min(_MIN_FRAMES_OF_BUDGET, most))
            run.frames = (
                along_keyframes(self._frames.count, count, run.codec.keyframes)
                if run.codec.is_stream
                else [chosen[each] for each in evenly_spaced(len(chosen), count)]
            )
            left -= count * seconds
            self._total += count * seconds

    def _check(self, run: CodecRun) -> None:
        if run.failure is not None:
            return
        for frame in self._in_order(run):
            result = check(run.codec, frame)
            if result.problem is not None:
                run.failure = f"frame {frame.number}: {result.problem}"
                return
            run.frames_without_unknown_fields += result.lost_unknown_fields
            run.bytes[frame.number] = result.bytes
            self._advance(f"checking {run.name}", run)

    def _time(self, run: CodecRun, number: int) -> None:
        gc.collect()
        gc.freeze()
        run.start_round()
        is_first = True
        rounds = self._options.rounds
        what = f"timing {run.name}" if rounds == 1 else f"round {number} of {rounds}: timing {run.name}"
        for frame in self._in_order(run):
            if is_first:
                # One frame that is not counted fills the caches with this codec's code and tables.
                take(run.codec, frame)
                run.codec.restart(frame.number)
                is_first = False
            run.add(*take(run.codec, frame))
            self._advance(what, run)

    def _in_order(self, run: CodecRun) -> Iterator[RecordedFrame]:
        """The frames of a codec. A stream restarts at each that does not follow the one before."""
        following = -1
        for frame in self._frames.read(run.frames):
            if frame.number != following:
                run.codec.restart(frame.number)
            following = frame.number + 1
            yield frame

    def _advance(self, what: str, run: CodecRun) -> None:
        # The check and each round count the same, which is precise enough for a progress bar.
        self._done += self._seconds_per_frame[run.name] / (1 + self._options.rounds)
        self._progress(what, self._done, self._total)


def take(codec: Codec, frame: RecordedFrame) -> tuple[int, int, int]:
    """Create the source object of a frame (not timed), then time each operation once and separately.

    Objects that were created outside of a timed section are not freed in it.

    Returns:
        Nanoseconds of encoding, of decoding, and of decoding once more and reading every field.
    """
    if codec.is_stream:
        return _take_of_stream(codec)
    clock = time.perf_counter_ns
    source = codec.prepare(frame.message(), frame.plain)
    start = clock()
    encoded = codec.encode(source)
    encode = clock() - start

    start = clock()
    decoded = codec.decode(encoded)
    decode = clock() - start
    del decoded
    if not codec.touches:
        return encode, decode, 0

    start = clock()
    touched = codec.decode(encoded)
    sums = codec.touch(touched)
    decode_touch = clock() - start
    del touched, sums
    return encode, decode, decode_touch


def _take_of_stream(codec: Codec) -> tuple[int, int, int]:
    """Decode the next frame of a stream, and touch the same result."""
    clock = time.perf_counter_ns
    encoded = codec.encode(None)
    start = clock()
    decoded = codec.decode(encoded)
    decode = clock() - start
    sums = codec.touch(decoded)
    decode_touch = clock() - start
    del decoded, sums
    return 0, decode, decode_touch

"""The compiled decoder of the Python package beside NumPy, protobuf and python-sc2: `dotnet make.cs bench columns`.

Single frames; frames of recordings; frames from a daemon; datasets of recordings. Each measurement is a process of its
own, whose decoder the environment variable ABATHUR_DECODER chooses; decoders take turns.
"""

from __future__ import annotations

import os
import pickle
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path

import abathur
from abathur import dataset
from abathur._values import native
from columns_page import APIS, DECODERS, ENCODINGS, EVERY, PACES, READS, SCHEMES, WARM_FRAMES, page
from figures import Figures
from payloads import payloads
from processes import Daemon, MeasureError
from runs import arguments, ask, output_of, rounds, run

from recordings import LOCAL, Frames, import_sequences, make_compact, make_elite, make_part

#: Of ../shared/sequences: a match that was rebuilt from a replay, and its part with frames of about 70 KB.
REAL, REAL_START = "odyssey-zvp-full", 12_000
#: The part of the generated match with frames of about 140 KB.
ELITE_START = 13_800
_READING = Path(__file__).with_name("columns_reading.py")


@dataclass(frozen=True)
class Counts:
    """Frames: of each recording; decoded singly in columns; of messages; from a daemon."""

    recorded: int = 3000
    columns: int = 600
    messages: int = 150
    client: int = 400


QUICK = Counts(recorded=400, columns=60, messages=30, client=60)


@dataclass(frozen=True)
class Match:
    """A part of a match: its recordings in full and compactly, and its first frames as payloads and as messages."""

    name: str
    recordings: dict[str, Path]
    payloads: Path
    messages: Path


def prepare(whole: Path, start: int, folder: Path, counts: Counts, figures: Figures) -> Match:
    """A part of a match, as it is measured."""
    full = make_part(whole, start, start + counts.recorded)
    with abathur.open(full) as match:
        if match.frame_count < counts.recorded:
            raise MeasureError(f"{full} has {match.frame_count} frames, not {counts.recorded}")
        observations = list(islice(match.payloads(), counts.messages))
    figures.add("KB", sum(map(len, observations)) / len(observations) / 1000, whole.stem, "message")
    saved = []
    for kind, data in (("columns", payloads(Frames(whole.stem, full), counts.columns)), ("messages", observations)):
        saved.append(folder / f"{whole.stem}.{kind}")
        saved[-1].write_bytes(pickle.dumps(data))
    return Match(whole.stem, {"compact": make_compact(full), "full": full}, *saved)


def single_frames(match: Match, decoders: Sequence[str], figures: Figures) -> None:
    """Processor time of a frame."""
    for decoder in decoders:
        for read, value in _read(decoder, "decode", match.payloads).items():
            figures.add("µs", value, match.name, "columns", decoder, read)
    for way, value in _read("compiled", "parse", match.messages).items():
        figures.add("µs", value, match.name, "protobuf", way)


def recordings(match: Match, decoders: Sequence[str], count: int, figures: Figures) -> None:
    """Frames of recordings."""
    for (form, path), decoder in product(match.recordings.items(), decoders):
        for name, value in _read(decoder, "recording", path, count).items():
            figures.add("µs" if name == "cpu" else "frames/s", value, match.name, "recording", form, decoder, name)


def clients(match: Match, decoders: Sequence[str], count: int, figures: Figures) -> None:
    """Frames from a daemon."""
    with Daemon(match.recordings["full"], "--loop") as daemon:
        for pace in PACES:
            daemon.set_rate(pace)
            for scheme, *case, decoder, read in product(SCHEMES, APIS, ENCODINGS, decoders, READS):
                if read != "nothing" or decoder == DECODERS[0]:
                    taken = _read(decoder, "client", f"{scheme}://{daemon.address(scheme)}", *case, read, count)
                    figures.add("µs", taken["cpu"], match.name, "client", pace, scheme, *case, decoder, read)


def datasets(match: Match, decoders: Sequence[str], folder: Path, figures: Figures) -> None:
    """Rows of units, with one worker."""
    for (form, path), every, decoder in product(match.recordings.items(), EVERY, decoders):
        with tempfile.TemporaryDirectory(dir=folder) as output:
            line = [sys.executable, "-m", "abathur", "dataset", "build", str(path), "-o", output, "-q"]
            before, start = os.times(), time.perf_counter()
            output_of([*line, "--every", str(every)], **{native.VARIABLE: decoder})
            seconds, after = time.perf_counter() - start, os.times()
            rows = dataset.info(output).tables["units"].rows
        key = (match.name, "dataset", form, every, decoder)
        figures.add("rows/s", rows / seconds, *key, "rate")
        figures.add("µs", (sum(after[2:4]) - sum(before[2:4])) / rows * 1e6, *key, "cpu")


def _read(decoder: str, *question: object) -> dict[str, float]:
    """What `columns_reading.py` answers with a decoder."""
    answer: dict[str, float] = ask(_READING, *question, **{native.VARIABLE: decoder})
    return answer


def main() -> int:
    """Measure, and write the page."""
    options = arguments("columns", __doc__, quick="fewer frames: shows that it works", rounds=(5, "rounds", 1))
    counts = QUICK if options.quick else Counts()
    names: list[str] = []

    def measured(figures: Figures) -> None:
        if native.LIBRARY is None:
            raise MeasureError("there is no compiled library: `dotnet make.cs setup` makes it with a C compiler")
        parts = [*((each, REAL_START) for each in import_sequences(REAL)), (make_elite(), ELITE_START)]
        names.extend(path.stem for path, _ in parts)
        figures.add("bytes", Path(native.LIBRARY._name).stat().st_size, "library")
        with tempfile.TemporaryDirectory(dir=LOCAL) as temporary:
            folder = Path(temporary)
            matches = [prepare(path, start, folder, counts, figures) for path, start in parts]
            for number in rounds(options.rounds):
                decoders = DECODERS if number % 2 else DECODERS[::-1]
                for match in matches:
                    single_frames(match, decoders, figures)
                    recordings(match, decoders, counts.recorded - WARM_FRAMES, figures)
                    clients(match, decoders, counts.client, figures)
                    datasets(match, decoders, folder, figures)
                    print(f"{match.name}: load {os.getloadavg()[0]:.1f}", flush=True)

    return run(options, measured, lambda figures: page(figures, names, counts, options.rounds))


if __name__ == "__main__":
    sys.exit(main())

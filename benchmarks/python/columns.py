"""The compiled decoder of the Python package beside NumPy, protobuf and python-sc2: `dotnet make.cs bench columns`.

Single frames; frames of recordings; frames from a daemon; datasets of recordings. Each measurement is a process of its
own, whose decoder the environment variable ABATHUR_DECODER chooses; decoders take turns.
"""

from __future__ import annotations

import argparse
import datetime
import json
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
from processes import Daemon, MeasureError
from runs import output_of, rounds, run
from units import payloads

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
    """A part of a match: recorded in full and compactly, and its first frames as payloads and as messages."""

    name: str
    full: Path
    compact: Path
    payloads: Path
    messages: Path
    message_bytes: float


def matches(folder: Path, counts: Counts) -> list[Match]:
    """The real match, where it is there, and the generated one."""
    parts = [(each, REAL_START) for each in import_sequences() if each.stem == REAL] + [(make_elite(), ELITE_START)]
    return [_match(path, start, folder, counts) for path, start in parts]


def _match(whole: Path, start: int, folder: Path, counts: Counts) -> Match:
    full = make_part(whole, start, start + counts.recorded)
    with abathur.open(full) as match:
        if match.frame_count < counts.recorded:
            raise MeasureError(f"{full} has {match.frame_count} frames, not {counts.recorded}")
        observations = list(islice(match.payloads(), counts.messages))
    saved = {}
    for name, data in (("columns", payloads(Frames(whole.stem, full), counts.columns)), ("messages", observations)):
        saved[name] = folder / f"{whole.stem}.{name}"
        saved[name].write_bytes(pickle.dumps(data))
    return Match(
        name=whole.stem,
        full=full,
        compact=make_compact(full),
        payloads=saved["columns"],
        messages=saved["messages"],
        message_bytes=sum(map(len, observations)) / len(observations),
    )


class Columns:
    """Measures rounds."""

    def __init__(self, figures: Figures, counts: Counts) -> None:
        """Add to figures."""
        self._figures = figures
        self._counts = counts

    def round(self, match: Match, decoders: Sequence[str], folder: Path) -> None:
        """Everything once, of a match, with each decoder in turn."""
        self.single_frames(match, decoders)
        self.recordings(match, decoders)
        self.clients(match, decoders)
        self.datasets(match, decoders, folder)

    def single_frames(self, match: Match, decoders: Sequence[str]) -> None:
        """Processor time of a frame."""
        for decoder in decoders:
            for read, value in _in_process(decoder, "decode", match.payloads).items():
                self._figures.add("µs", value, match.name, "columns", decoder, read)
        for way, value in _in_process("compiled", "parse", match.messages).items():
            self._figures.add("µs", value, match.name, "protobuf", way)
        self._tell(match, "single frames")

    def recordings(self, match: Match, decoders: Sequence[str]) -> None:
        """Frames of recordings."""
        for form, path in (("compact", match.compact), ("full", match.full)):
            for decoder in decoders:
                count = self._counts.recorded - WARM_FRAMES
                for name, value in _in_process(decoder, "recording", path, count).items():
                    unit = "µs" if name == "cpu" else "frames/s"
                    self._figures.add(unit, value, match.name, "recording", form, decoder, name)
        self._tell(match, "recordings")

    def clients(self, match: Match, decoders: Sequence[str]) -> None:
        """Frames from a daemon."""
        with Daemon(match.full, "--loop") as daemon:
            for pace in PACES:
                daemon.set_rate(pace)
                for scheme, api, encoding, decoder in product(SCHEMES, APIS, ENCODINGS, decoders):
                    key = (match.name, "client", pace, scheme, api, encoding)
                    self._client(key, f"{scheme}://{daemon.address(scheme)}", decoder)
        self._tell(match, "clients")

    def _client(self, key: tuple[str | int, ...], address: str, decoder: str) -> None:
        *_, api, encoding = key
        for read in READS:
            if read != "nothing" or decoder == DECODERS[0]:
                taken = _in_process(decoder, "client", address, api, encoding, read, self._counts.client)
                self._figures.add("µs", taken["cpu"], *key, decoder, read)

    def datasets(self, match: Match, decoders: Sequence[str], folder: Path) -> None:
        """Rows of units, with one worker."""
        paths = {"compact": match.compact, "full": match.full}
        for form, every, decoder in product(paths, EVERY, decoders):
            self._dataset((match.name, "dataset", form, every, decoder), paths[form], folder)
        self._tell(match, "datasets")

    def _dataset(self, key: tuple[str | int, ...], recording: Path, folder: Path) -> None:
        *_, every, decoder = key
        with tempfile.TemporaryDirectory(dir=folder) as output:
            line = [sys.executable, "-m", "abathur", "dataset", "build", str(recording), "-o", output, "-q"]
            before, start = os.times(), time.perf_counter()
            output_of([*line, "--every", str(every)], **{native.VARIABLE: str(decoder)})
            seconds, after = time.perf_counter() - start, os.times()
            rows = dataset.info(output).tables["units"].rows
        processor = sum(after[2:4]) - sum(before[2:4])
        self._figures.add("rows/s", rows / seconds, *key, "rate")
        self._figures.add("µs", processor / rows * 1e6, *key, "cpu")

    def _tell(self, match: Match, what: str) -> None:
        print(f"{match.name}: {what}, load {os.getloadavg()[0]:.1f}", flush=True)


def _in_process(decoder: str, *arguments: object) -> dict[str, float]:
    """What `columns_reading.py` answers with a decoder."""
    line = [sys.executable, str(_READING), *map(str, arguments)]
    answer: dict[str, float] = json.loads(output_of(line, **{native.VARIABLE: decoder}))
    return answer


def main() -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="dotnet make.cs bench columns", description=__doc__)
    parser.add_argument("--rounds", type=int, help="rounds (default: 5; quick: 1)")
    parser.add_argument("--quick", action="store_true", help="fewer frames: shows that it works")
    parser.add_argument(
        "--output", type=Path, default=LOCAL / f"{datetime.date.today()}-columns", help="folder of the results"
    )
    options = parser.parse_args()
    count = options.rounds if options.rounds is not None else 1 if options.quick else 5
    if count < 1:
        parser.error("--rounds is positive")
    counts = QUICK if options.quick else Counts()

    def measured(figures: Figures) -> str:
        if native.LIBRARY is None:
            raise MeasureError("there is no compiled library: `dotnet make.cs setup` makes it with a C compiler")
        figures.add("bytes", Path(native.LIBRARY._name).stat().st_size, "library")
        LOCAL.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=LOCAL) as temporary:
            found = matches(Path(temporary), counts)
            for each in found:
                figures.add("KB", each.message_bytes / 1000, each.name, "message")
            benchmark = Columns(figures, counts)
            for number in rounds(count):
                for each in found:
                    benchmark.round(each, DECODERS if number % 2 else DECODERS[::-1], Path(temporary))
        return page(figures, [each.name for each in found], counts, count)

    return run("columns", options.output, measured)


if __name__ == "__main__":
    sys.exit(main())

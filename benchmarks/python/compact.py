"""Compact recordings beside full ones and `zstd -19`: bytes, writing, reading: `dotnet make.cs bench compact`."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import abathur
import zstandard
from figures import Figures
from mcap.reader import make_reader
from pages import Ratio, figure_table, made, page, section
from processes import DAEMON, MeasureError
from runs import arguments, rounds, run
from s2clientprotocol import sc2api_pb2
from varints import varint

import recordings
from recordings import LOCAL, SEQUENCES, SKIRMISH, import_sequences, make_compact, make_elite, make_noisy

#: Game loop of `elite` from which its largest frames begin.
START = 9000
#: Frames that reading is timed on, and that parsing, which is slow, is timed on.
READ, PARSED = 3000, 300


def sizes(recording: Path, figures: Figures) -> None:
    """Bytes a frame of a recording in both forms, beside the reference, and how fast the compact one is written."""
    name = recording.stem
    with abathur.open(recording) as match:
        frames = match.frame_count
    (LOCAL / f"{name}-compact.mcap").unlink(missing_ok=True)
    begin = time.perf_counter()
    compact = make_compact(recording)
    seconds = time.perf_counter() - begin
    figures.add("frames", frames, name, "frames")
    figures.add("bytes", recording.stat().st_size / frames, name, "full")
    figures.add("bytes", compact.stat().st_size / frames, name, "compact")
    figures.add("bytes", _reference(recording), name, "reference")
    figures.add("frames/s", frames / seconds, name, "export")
    print(f"{name}: {figures.text(name, 'compact')} bytes a frame", flush=True)


def _reference(recording: Path) -> float:
    """Bytes a frame of all observations in one compressed file; computed once a recording, because it takes minutes."""
    kept = LOCAL / "zstd19.json"
    known: dict[str, float] = json.loads(kept.read_text()) if kept.exists() else {}
    key = f"{recording.name} {recording.stat().st_size}"
    if key not in known:
        known[key] = _compressed(recording)
        kept.write_text(json.dumps(known, indent=1) + "\n")
    return known[key]


def _compressed(recording: Path) -> float:
    whole = SEQUENCES / f"{recording.stem}.obs.zst"
    with abathur.open(recording) as match:
        if whole.exists():
            return whole.stat().st_size / match.frame_count
        parameters = zstandard.ZstdCompressionParameters.from_level(19, window_log=27, enable_ldm=True)
        compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
        size = sum(len(compressor.compress(varint(len(each)) + each)) for each in match.payloads())
        return (size + len(compressor.flush())) / match.frame_count


def recorded(figures: Figures) -> None:
    """Frames a second of recording the whole match compactly from the frames alone."""
    source = SEQUENCES / "odyssey-zvp-full.obs.zst"
    if not source.exists():
        return
    out = LOCAL / "recorded-compact.mcap"
    for name, options in (("full", []), ("compact", ["--compact"])):
        out.unlink(missing_ok=True)
        begin = time.perf_counter()
        recordings.made(out, DAEMON, "import", source, *options, "-o")
        seconds = time.perf_counter() - begin
        with abathur.open(out) as match:
            figures.add("frames/s", match.frame_count / seconds, "import", name)
    out.unlink()


def reading(recording: Path, figures: Figures) -> None:
    """Frames a second in one Python process: positions, types, alliances and health of every unit."""
    for name, read in WAYS.items():
        begin = time.perf_counter()
        frames = read(recording)
        figures.add("frames/s", frames / (time.perf_counter() - begin), "reading", name)
        print(f"{name}: {figures.text('reading', name)} frames/s", flush=True)


def _units(recording: Path, frames: int) -> int:
    with abathur.open(recording) as match:
        for number, frame in enumerate(match.frames(start=START)):
            if number == frames:
                return number
            units = frame.units
            _ = units.pos, units.unit_type, units.alliance, units.health
    raise MeasureError(f"{recording} has too few frames")


def _mcap(recording: Path, frames: int) -> int:
    taken = 0
    with recording.open("rb") as file:
        for _, _, message in make_reader(file).iter_messages(topics=["/observation"]):
            if message.publish_time < START / 22.4 * 1e9:
                continue
            observation = sc2api_pb2.ResponseObservation.FromString(message.data)
            for unit in observation.observation.raw_data.units:
                _ = unit.pos.x, unit.pos.y, unit.pos.z, unit.unit_type, unit.alliance, unit.health
            taken += 1
            if taken == frames:
                return taken
    raise MeasureError(f"{recording} has too few frames")


#: What is read, by name.
WAYS: dict[str, Callable[[Path], int]] = {
    "units of the compact recording": lambda recording: _units(make_compact(recording), READ),
    "units of the full recording": lambda recording: _units(recording, PARSED),
    "`mcap` and protobuf": lambda recording: _mcap(recording, PARSED),
}


def main() -> int:
    """Measure, and write the page."""
    options = arguments("compact", __doc__, rounds=(5, "rounds of writing and reading"))
    names: list[str] = []

    def measured(figures: Figures) -> None:
        elite = make_elite()
        make_compact(elite)
        for _ in rounds(options.rounds):
            recorded(figures)
            reading(elite, figures)
        plain = import_sequences()
        for recording in (*plain, SKIRMISH, *make_noisy(plain)):
            names.append(recording.stem)
            sizes(recording, figures)

    return run(options, measured, lambda figures: written(figures, names, options.rounds))


def written(figures: Figures, names: list[str], rounds: int) -> str:
    """The README of the results."""
    columns = {
        **{name: name for name in ("frames", "full", "compact")},
        "zstd -19": "reference",
        "compact / zstd -19": Ratio("compact", "reference"),
        "full / zstd -19": Ratio("full", "reference"),
        "export": "export",
    }
    imported = {name: ("import", name) for name in ("full", "compact")}
    return page(
        "Compact recordings",
        made("compact"),
        section(
            "Size",
            "Bytes a frame of whole files, with game info, game data and index where a recording has them. The "
            "reference is `zstd -19 --long=27` of the same frames in one file. Export: frames a second of `abathur "
            "export --compact`, with its start. *noisy*: the same frames, with the positions of moving units "
            "shifted at random by up to 8/4096 a loop, and facings by up to 16/4096.",
            figure_table(figures, "recording", {name: (name,) for name in names}, columns),
        ),
        section(
            "Writing",
            f"`abathur import` of the whole match `odyssey-zvp-full` from a compressed file of frames, {rounds} "
            "rounds:",
            figure_table(figures, "recording", imported, {"frames/s": ()}, measured=True),
        ),
        section(
            "Reading in Python",
            "`elite`, 148 KB a frame in protobuf, from game loop 9,000 on: positions, types, alliances and health "
            f"of all units of every frame, in one process, with opening and seeking; {READ} frames of the compact "
            f"recording, {PARSED} of the others, {rounds} rounds in turns: the median, and the lowest and highest.",
            figure_table(figures, "", {name: ("reading", name) for name in WAYS}, {"frames/s": ()}),
        ),
    )


if __name__ == "__main__":
    sys.exit(main())

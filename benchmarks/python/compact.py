"""Compact recordings beside full ones and `zstd -19`: bytes, writing, reading: `dotnet make.cs bench compact`."""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import abathur
from figures import Figures, machine, table
from mcap.reader import make_reader
from processes import DAEMON, MeasureError, Process
from runs import rounds, run
from s2clientprotocol import sc2api_pb2
from streams import reference_bytes

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
    begin = time.perf_counter()
    compact = make_compact(recording, again=True)
    seconds = time.perf_counter() - begin
    reference = _reference(recording)
    figures.add("frames", frames, name, "frames")
    figures.add("bytes", recording.stat().st_size / frames, name, "full")
    figures.add("bytes", compact.stat().st_size / frames, name, "compact")
    figures.add("bytes", reference, name, "reference")
    figures.add("frames/s", frames / seconds, name, "export")
    print(
        f"{name}: {compact.stat().st_size / frames:.0f} bytes a frame, zstd -19 {reference:.0f}: "
        f"{compact.stat().st_size / frames / reference:.2f}",
        flush=True,
    )


def _reference(recording: Path) -> float:
    """`reference_bytes`, computed once a recording: it takes minutes."""
    kept = LOCAL / "zstd19.json"
    known: dict[str, float] = json.loads(kept.read_text()) if kept.exists() else {}
    key = f"{recording.name} {recording.stat().st_size}"
    if key not in known:
        known[key] = reference_bytes(recording, None)
        kept.write_text(json.dumps(known, indent=1) + "\n")
    return known[key]


def recorded(figures: Figures) -> None:
    """Frames a second of recording the whole match compactly from the frames alone."""
    source = SEQUENCES / "odyssey-zvp-full.obs.zst"
    if not source.exists():
        return
    out = LOCAL / "recorded-compact.mcap"
    for name, options in (("full", []), ("compact", ["--compact"])):
        out.unlink(missing_ok=True)
        begin = time.perf_counter()
        with Process(["dotnet", DAEMON, "import", source, "-o", out, *options]) as importing:
            importing.wait()
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


def page(figures: Figures, names: list[str], rounds: int) -> str:
    """The README of the results."""
    about = machine()
    return (
        "# Compact recordings\n\n"
        f"Made by `dotnet make.cs bench compact` on {about['date']}: {about['cpu']}, {about['cores']} cores,\n"
        f"{about['os']}, Python {about['python']}, .NET {about['dotnet']}, commit {about['commit']}.\n\n"
        "## Size\n\n"
        "Bytes a frame of whole files, with game info, game data and index where a recording has them. The reference\n"
        "is `zstd -19 --long=27` of the same frames in one file. Export: frames a second of `abathur\n"
        "export --compact`, with its start. *noisy*: the same frames, with the positions of moving units shifted at\n"
        "random by up to 8/4096 a loop, and facings by up to 16/4096.\n\n"
        + table(
            [
                "recording",
                "frames",
                "full",
                "compact",
                "zstd -19",
                "compact / zstd -19",
                "full / zstd -19",
                "export",
            ],
            [_row(figures, name) for name in names],
        )
        + "\n## Writing\n\n"
        f"`abathur import` of the whole match `odyssey-zvp-full` from a compressed file of frames, {rounds} rounds:\n\n"
        + table(
            ["recording", "frames/s"],
            [[name, figures.text("import", name)] for name in ("full", "compact") if figures.find("import", name)],
        )
        + "\n## Reading in Python\n\n"
        "`elite`, 148 KB a frame in protobuf, from game loop 9,000 on: positions, types, alliances and health of all\n"
        f"units of every frame, in one process, with opening and seeking; {READ} frames of the compact recording,\n"
        f"{PARSED} of the others, {rounds} rounds in turns: the median, and the lowest and highest.\n\n"
        + table(["", "frames/s"], [[name, figures.text("reading", name)] for name in WAYS])
    )


def _row(figures: Figures, name: str) -> list[str]:
    reference, compact, full = (figures.find(name, each) for each in ("reference", "compact", "full"))
    assert reference is not None
    assert compact is not None
    assert full is not None
    return [
        name,
        figures.text(name, "frames"),
        *(figures.text(name, each) for each in ("full", "compact", "reference")),
        f"{compact.median / reference.median:.2f}",
        f"{full.median / reference.median:.2f}",
        figures.text(name, "export"),
    ]


def main() -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="dotnet make.cs bench compact", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="rounds of writing and reading (default: 5)")
    parser.add_argument(
        "--output", type=Path, default=LOCAL / f"{datetime.date.today()}-compact", help="folder of the results"
    )
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds is positive")

    def measured(figures: Figures) -> str:
        elite = make_elite()
        make_compact(elite)
        for _ in rounds(options.rounds):
            recorded(figures)
            reading(elite, figures)
        plain = import_sequences()
        recordings = [*plain, SKIRMISH, *make_noisy(plain)]
        for recording in recordings:
            sizes(recording, figures)
        return page(figures, [each.stem for each in recordings], options.rounds)

    return run("compact", options.output, measured)


if __name__ == "__main__":
    sys.exit(main())

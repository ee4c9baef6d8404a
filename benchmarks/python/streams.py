"""The stream encodings and their competitors: bytes, encoding in C#, decoding in Python, on the same frames in one run.

Sizes of consecutive frames with a keyframe every 224: protobuf plain, per frame with gzip and zstd, as JSON, as
zstd-stream and br-stream, as columns, in an MCAP file, and `zstd -19 --long=27` over all of them. Recordings: those
named, or the sequences beside the project, `elite` and `skirmish`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import abathur
import zstandard
from abathur._frame.columns_source import ColumnsUnits
from abathur._frame.unit_columns import COLUMNS
from abathur.columns import Columns, ColumnsDecoder
from figures import Figures, machine, save, table
from processes import BENCHMARKS, DAEMON, ROOT, Process
from s2clientprotocol import sc2api_pb2
from varints import varint

from recordings import LOCAL, SEQUENCES, SKIRMISH, import_sequences, make_elite

WINDOW = 1 << 24
#: Frames that protobuf parsing, which is slow, is timed on.
PARSED = 100
COLUMNS_STREAM = "columns+zstd-stream"
PARSED_ARRAYS = "protobuf, parsed into the same arrays"
STREAMS = ("zstd-stream", "br-stream")
REFERENCE = "zstd -19 --long=27"


@dataclass(frozen=True)
class Dumped:
    """A payload of a stream."""

    keyframe: bool
    payload: bytes


def dumped(path: Path) -> Iterator[Dumped]:
    """What a stream sent."""
    with path.open("rb") as file:
        while head := file.read(5):
            yield Dumped(head[0] == 1, file.read(int.from_bytes(head[1:], "little")))


def encode(recording: Path, folder: Path, *, rounds: int, frames: int | None) -> dict[str, Any]:
    """Sizes and times of encoding, by the C# program, which leaves its streams in the folder."""
    out = folder / "streams.json"
    line = ["dotnet", BENCHMARKS, "streams", recording, "--json", out, "--dump", folder, "--rounds", str(rounds)]
    subprocess.run([*line, *(["--frames", str(frames)] if frames else [])], check=True)
    made: dict[str, Any] = json.loads(out.read_text())
    return made


def reference_bytes(recording: Path, frames: int | None) -> float:
    """Bytes a frame of all observations in one compressed file, each with its length before it."""
    whole = SEQUENCES / f"{recording.stem}.obs.zst"
    with abathur.open(recording) as match:
        count = min(frames or match.frame_count, match.frame_count)
        if whole.exists() and count == match.frame_count:
            return whole.stat().st_size / count
        parameters = zstandard.ZstdCompressionParameters.from_level(19, window_log=27, enable_ldm=True)
        compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
        size = 0
        for number, payload in enumerate(match.payloads()):
            if number == count:
                break
            size += len(compressor.compress(varint(len(payload)) + payload))
        return (size + len(compressor.flush())) / count


def decode_columns(path: Path, rounds: int) -> tuple[list[list[float]], dict[int, Columns]]:
    """Microseconds of each frame, by round: decompressed, decoded, every array made. And some of what came out."""
    times: list[list[float]] = []
    kept: dict[int, Columns] = {}
    for _ in range(rounds):
        taken = []
        decoder = ColumnsDecoder()
        stream: Any = None
        for number, frame in enumerate(dumped(path)):
            start = time.perf_counter_ns()
            if frame.keyframe:
                stream = zstandard.ZstdDecompressor(max_window_size=WINDOW).decompressobj()
            columns = decoder.decode(stream.decompress(frame.payload))
            units = abathur.Units(ColumnsUnits(columns))
            for name in COLUMNS:
                getattr(units, name)
            taken.append((time.perf_counter_ns() - start) / 1000)
            kept[number] = columns
            kept.pop(number - PARSED, None)
        times.append(taken)
    return times, kept


def decode_zstd_stream(path: Path) -> list[float]:
    """Microseconds of each frame, decompressed and no more."""
    taken = []
    stream: Any = None
    for frame in dumped(path):
        start = time.perf_counter_ns()
        if frame.keyframe:
            stream = zstandard.ZstdDecompressor(max_window_size=WINDOW).decompressobj()
        stream.decompress(frame.payload)
        taken.append((time.perf_counter_ns() - start) / 1000)
    return taken


def decode_protobuf(recording: Path, kept: dict[int, Columns]) -> list[float]:
    """Microseconds of frames parsed and every array made of them, which are checked to be the same."""
    taken = []
    with abathur.open(recording) as match:
        for number, payload in enumerate(match.payloads()):
            if number > max(kept):
                break
            if number not in kept:
                continue
            start = time.perf_counter_ns()
            observation = sc2api_pb2.ResponseObservation.FromString(payload)
            units = abathur.Units.from_proto(observation.observation.raw_data.units)
            for name in COLUMNS:
                getattr(units, name)
            taken.append((time.perf_counter_ns() - start) / 1000)
            check_equal(units, abathur.Units(ColumnsUnits(kept[number])))
    return taken


def check_equal(one: abathur.Units, other: abathur.Units) -> None:
    """Raises ValueError where two make different arrays, but for their order."""
    first, second = one.tag.argsort(), other.tag.argsort()
    for name in COLUMNS:
        if getattr(one, name)[first].tobytes() != getattr(other, name)[second].tobytes():
            raise ValueError(f"columns and protobuf differ in {name}")


async def join_and_skip(figures: Figures, times: int) -> None:
    """Milliseconds until a reader that joins, or is back after a pause of 2 s, has the newest frame, at 22.4 Hz."""
    ports = ["--grpc-port", "0", "--socket-port", "0", "--http-port", "0"]
    line = ["dotnet", DAEMON, "play", SKIRMISH, "--loop", "--stop-with-parent", *ports]
    with Process(line) as daemon:
        addresses = dict(each.split("=") for each in daemon.read_line().split()[1:])
        address = f"socket://{addresses['socket']}"
        for compression in STREAMS:
            for encoding in ("proto", "columns"):
                stream = f"{encoding}+{compression}"
                options = {"policy": "latest", "encoding": encoding, "compression": compression, "credits": 1}
                async with abathur.connect(address) as steady:
                    newest = asyncio.create_task(follow(steady.frames(**options)))
                    for _ in range(times):
                        async with abathur.connect(address) as game:
                            start = time.perf_counter()
                            frames = game.frames(**options)
                            await anext(frames)
                            figures.add("ms", (time.perf_counter() - start) * 1000, "joined", stream)
                            await frames.aclose()
                    async with abathur.connect(address) as game:
                        frames = game.frames(**options)
                        for _ in range(max(2, times // 5)):
                            await anext(frames)
                            await asyncio.sleep(2)
                            start = time.perf_counter()
                            wanted = Newest.sequence
                            while (await anext(frames)).sequence <= wanted:
                                pass
                            figures.add("ms", (time.perf_counter() - start) * 1000, "back", stream)
                        await frames.aclose()
                    newest.cancel()
                    await asyncio.gather(newest, return_exceptions=True)


class Newest:
    """What the steady reader has seen."""

    sequence = 0


async def follow(frames: AsyncIterator[abathur.Frame]) -> None:
    """Keeps up with a stream."""
    async for frame in frames:
        Newest.sequence = frame.sequence


def quantile(values: list[float], part: float) -> float:
    """Of sorted values."""
    values = sorted(values)
    return values[min(int(len(values) * part), len(values) - 1)]


def measure(recording: Path, figures: Figures, *, rounds: int, frames: int | None) -> dict[str, Any]:
    """Everything of one recording."""
    name = recording.stem
    print(f"{name}: encoding", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder_name:
        folder = Path(folder_name)
        encoded = encode(recording, folder, rounds=rounds, frames=frames)
        print(f"{name}: decoding in Python", file=sys.stderr, flush=True)
        times, kept = decode_columns(folder / f"{COLUMNS_STREAM}.stream", rounds)
        inflated = decode_zstd_stream(folder / "zstd-stream.stream")
        parsed = decode_protobuf(recording, kept)
    print(f"{name}: {REFERENCE}", file=sys.stderr, flush=True)
    reference = reference_bytes(recording, frames)
    figures.add("B", reference, name, "bytes", REFERENCE)
    figures.add("B", encoded["mcap_bytes_per_frame"], name, "bytes", "MCAP file")
    figures.add("frames/s", encoded["mcap_frames_per_second"], name, "recorded")
    figures.add("B", encoded["keyframe_zstd19_bytes"], name, "bytes", "zstd -19 of a keyframe's observation")
    for stream, values in encoded["streams"].items():
        figures.add("B", values["bytes_per_frame"], name, "bytes", stream)
        if values["keyframes"]:
            figures.add("B", values["keyframe_bytes"], name, "keyframe bytes", stream)
            figures.add("B", values["allocated_bytes_per_frame"], name, "allocated", stream)
        for each in values["encode_ns_rounds"]:
            figures.add("µs", each / 1000, name, "encode", stream)
    # The first round warms up.
    for taken in times[1:] or times:
        figures.add("µs", sum(taken) / len(taken), name, "decode mean", COLUMNS_STREAM)
        figures.add("µs", quantile(taken, 0.5), name, "decode p50", COLUMNS_STREAM)
        figures.add("µs", quantile(taken, 0.99), name, "decode p99", COLUMNS_STREAM)
    figures.add("µs", sum(inflated) / len(inflated), name, "decode mean", "zstd-stream (decompressed)")
    figures.add("µs", sum(parsed) / len(parsed), name, "decode mean", PARSED_ARRAYS)
    return encoded


def report(names: list[str], encoded: dict[str, dict[str, Any]], figures: Figures) -> str:
    """The tables, in Markdown."""

    def value(*key: str) -> float:
        found = figures.find(*key)
        return found.median if found else float("nan")

    streams = ["protobuf", "json", "protobuf+gzip", "protobuf+zstd", "br-stream", "zstd-stream", "columns"]
    streams += [COLUMNS_STREAM, "MCAP file", REFERENCE]
    sizes = [[name, *(f"{value(name, 'bytes', stream):,.0f}" for stream in streams)] for name in names]
    goals = []
    for name in names:
        columns, plain = value(name, "bytes", COLUMNS_STREAM), value(name, "bytes", "zstd-stream")
        reference = value(name, "bytes", REFERENCE)
        alone = value(name, "bytes", "zstd -19 of a keyframe's observation")
        goals.append(
            [
                name,
                f"{columns / reference:.2f}",
                f"{plain / reference:.2f}",
                f"{value(name, 'bytes', 'MCAP file') / reference:.2f}",
                f"{value(name, 'bytes', 'protobuf') / columns:,.0f}",
                f"{value(name, 'keyframe bytes', COLUMNS_STREAM) / alone:.2f}",
                f"{value(name, 'keyframe bytes', 'zstd-stream') / alone:.2f}",
            ]
        )
    speed = [
        [
            name,
            f"{encoded[name]['observation_bytes'] / 1000:,.0f}",
            figures.text(name, "encode", COLUMNS_STREAM),
            figures.text(name, "encode", "zstd-stream"),
            figures.text(name, "decode mean", COLUMNS_STREAM),
            figures.text(name, "decode p99", COLUMNS_STREAM),
            figures.text(name, "decode mean", "zstd-stream (decompressed)"),
            figures.text(name, "decode mean", PARSED_ARRAYS),
            f"{value(name, 'decode mean', PARSED_ARRAYS) / value(name, 'decode mean', COLUMNS_STREAM):.0f}",
            f"{value(name, 'allocated', COLUMNS_STREAM):.1f} / {value(name, 'allocated', 'zstd-stream'):.1f}",
            f"{value(name, 'recorded'):,.0f}",
        ]
        for name in names
    ]
    return "\n".join(
        [
            "Bytes a frame:\n",
            table(["recording", *streams], sizes),
            f"Ratios; the first three to `{REFERENCE}`, the last two to `zstd -19` of the same frame alone:\n",
            table(
                [
                    "recording",
                    "columns",
                    "zstd-stream",
                    "MCAP file",
                    "protobuf / columns",
                    "keyframe, columns",
                    "keyframe, zstd-stream",
                ],
                goals,
            ),
            "Milliseconds until a reader that joins, or comes back after 2 s, has a frame newer than all before (at "
            "22.4 Hz, where a tick is 44.6 ms; joining takes a connection as well):\n",
            table(
                ["stream", "joined: median (spread)", "back"],
                [
                    [stream, figures.text("joined", stream), figures.text("back", stream)]
                    for stream in (f"{encoding}+{each}" for encoding in ("proto", "columns") for each in STREAMS)
                ],
            ),
            "Microseconds a frame, and the spread of the rounds:\n",
            table(
                [
                    "recording",
                    "KB a frame",
                    "encode columns",
                    "encode zstd-stream",
                    "Python: columns to arrays",
                    "p99",
                    "Python: zstd-stream to protobuf bytes",
                    "Python: protobuf to the same arrays",
                    "times slower",
                    "allocated B, columns / zstd-stream",
                    "recorded frames/s",
                ],
                speed,
            ),
        ]
    )


def main() -> None:
    """Measure, print the tables, write the results."""
    parser = argparse.ArgumentParser(prog="bench streams", description=__doc__)
    parser.add_argument("recordings", nargs="*", type=Path, metavar="FILE", help="recordings (MCAP)")
    parser.add_argument("--rounds", type=int, default=3, help="times over the frames (default: 3; the first warms up)")
    parser.add_argument("--frames", type=int, metavar="N", help="the first N frames of each (default: all)")
    parser.add_argument("--quick", action="store_true", help="300 frames, two rounds")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "local" / "streams")
    options = parser.parse_args()
    if missing := [str(path) for path in options.recordings if not path.is_file()]:
        parser.error(f"no such recording: {', '.join(missing)}")
    if options.rounds < 1 or (options.frames is not None and options.frames < 1):
        parser.error("--rounds and --frames must be at least 1")
    frames = 300 if options.quick else options.frames
    rounds = 2 if options.quick else options.rounds
    LOCAL.mkdir(parents=True, exist_ok=True)
    recordings = options.recordings or [*import_sequences(), make_elite(), SKIRMISH]
    figures = Figures()
    encoded = {}
    for recording in recordings:
        try:
            encoded[recording.stem] = measure(recording, figures, rounds=rounds, frames=frames)
        except subprocess.CalledProcessError as error:
            # The program has said what is wrong.
            sys.exit(error.returncode)
    asyncio.run(join_and_skip(figures, 5 if options.quick else 20))
    text = report([recording.stem for recording in recordings], encoded, figures)
    print(text)
    results = {
        "machine": machine(),
        "rounds": rounds,
        "frames": frames,
        "figures": figures.to_json(),
        "encoded": encoded,
    }
    save(options.output, results, f"# Streams\n\nBy `dotnet make.cs bench streams`.\n\n{text}")


if __name__ == "__main__":
    main()

"""The stream encodings and their competitors: bytes, encoding in C#, decoding in Python, on the same frames in one run.

Sizes of consecutive frames with a keyframe every 224: protobuf plain, per frame with gzip and zstd, as JSON, as
zstd-stream and br-stream, as columns, in an MCAP file, and `zstd -19 --long=27` over all of them. Recordings: those
named, or the sequences beside the project, `elite` and `skirmish`.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path
from statistics import fmean
from typing import Any

import abathur
import zstandard
from abathur._frame.columns_source import ColumnsUnits
from abathur._frame.unit_columns import COLUMNS
from abathur.columns import ColumnsDecoder
from figures import Figures
from load import percentile
from pages import figure_table, made, page
from processes import BENCHMARKS, Daemon
from runs import arguments, run, times
from s2clientprotocol import sc2api_pb2
from varints import varint

from recordings import SEQUENCES, SKIRMISH, import_sequences, make_elite

WINDOW = 1 << 24
#: Frames that protobuf parsing, which is slow, is timed on.
PARSED = 100
COLUMNS_STREAM = "columns+zstd-stream"
PARSED_ARRAYS = "protobuf, parsed into the same arrays"
STREAMS = ("zstd-stream", "br-stream")
INFLATED = "zstd-stream (decompressed)"
REFERENCE = "zstd -19 --long=27"
ALONE = "zstd -19 of a keyframe's observation"


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
    line: list[str | Path] = [
        "dotnet",
        BENCHMARKS,
        "streams",
        recording,
        "--json",
        out,
        "--dump",
        folder,
        "--rounds",
        str(rounds),
    ]
    done = subprocess.run([*line, *(["--frames", str(frames)] if frames else [])], check=False)
    if done.returncode != 0:
        # The program has said what is wrong.
        sys.exit(done.returncode)
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
        observations = islice(match.payloads(), count)
        size = sum(len(compressor.compress(varint(len(payload)) + payload)) for payload in observations)
        return (size + len(compressor.flush())) / count


def decompressor() -> Callable[[Dumped], bytes]:
    """A function that decompresses the payloads of a zstd-stream in order."""
    stream: Any = None

    def decompress(frame: Dumped) -> bytes:
        nonlocal stream
        if frame.keyframe:
            stream = zstandard.ZstdDecompressor(max_window_size=WINDOW).decompressobj()
        payload: bytes = stream.decompress(frame.payload)
        return payload

    return decompress


def decode_columns(path: Path, kept: deque[abathur.Units]) -> list[float]:
    """Microseconds of each frame: decompressed, decoded, every array made. The last units are kept."""
    decoder, decompress = ColumnsDecoder(), decompressor()

    def decode(frame: Dumped) -> None:
        units = abathur.Units(ColumnsUnits(decoder.decode(decompress(frame))))
        for name in COLUMNS:
            getattr(units, name)
        kept.append(units)

    return times(decode, dumped(path))


def decode_protobuf(recording: Path, first: int, kept: Sequence[abathur.Units]) -> list[float]:
    """Microseconds of the last frames parsed and every array made of them, which are checked to be the same."""
    made: list[abathur.Units] = []

    def parse(payload: bytes) -> None:
        observation = sc2api_pb2.ResponseObservation.FromString(payload)
        units = abathur.Units.from_proto(observation.observation.raw_data.units)
        for name in COLUMNS:
            getattr(units, name)
        made.append(units)

    with abathur.open(recording) as match:
        taken = times(parse, islice(match.payloads(), first, first + len(kept)))
    for one, other in zip(made, kept, strict=True):
        check_equal(one, other)
    return taken


def check_equal(one: abathur.Units, other: abathur.Units) -> None:
    """Raises ValueError where two make different arrays, but for their order."""
    first, second = one.tag.argsort(), other.tag.argsort()
    for name in COLUMNS:
        if getattr(one, name)[first].tobytes() != getattr(other, name)[second].tobytes():
            raise ValueError(f"columns and protobuf differ in {name}")


async def join_and_skip(figures: Figures, times: int) -> None:
    """Milliseconds until a reader that joins, or is back after a pause of 2 s, has the newest frame, at 22.4 Hz."""
    with Daemon(SKIRMISH, "--loop") as daemon:
        address = f"socket://{daemon.address('socket')}"
        for compression, encoding in product(STREAMS, ("proto", "columns")):
            options: Any = {"policy": "latest", "encoding": encoding, "compression": compression, "credits": 1}
            await _join_and_skip(address, options, figures, f"{encoding}+{compression}", times)


async def _join_and_skip(address: str, options: Any, figures: Figures, stream: str, times: int) -> None:
    newest = 0

    async def follow() -> None:
        nonlocal newest
        async for frame in steady.frames(**options):
            newest = frame.sequence

    async with abathur.connect(address) as steady:
        following = asyncio.create_task(follow())
        for _ in range(times):
            async with abathur.connect(address) as game, aclosing(game.frames(**options)) as frames:
                start = time.perf_counter()
                await anext(frames)
                figures.add("ms", (time.perf_counter() - start) * 1000, "joined", stream)
        async with abathur.connect(address) as game, aclosing(game.frames(**options)) as frames:
            for _ in range(max(2, times // 5)):
                await anext(frames)
                await asyncio.sleep(2)
                start, wanted = time.perf_counter(), newest
                while (await anext(frames)).sequence <= wanted:
                    pass
                figures.add("ms", (time.perf_counter() - start) * 1000, "back", stream)
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


def measure(recording: Path, figures: Figures, *, rounds: int, frames: int | None) -> dict[str, Any]:
    """Everything of one recording; returns what the C# program has measured."""
    name = recording.stem
    print(f"{name}: encoding, and decoding in Python", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder_name:
        folder = Path(folder_name)
        encoded = encode(recording, folder, rounds=rounds, frames=frames)
        kept: deque[abathur.Units] = deque(maxlen=PARSED)
        decoded = [decode_columns(folder / f"{COLUMNS_STREAM}.stream", kept) for _ in range(rounds)]
        inflated = times(decompressor(), dumped(folder / "zstd-stream.stream"))
        parsed = decode_protobuf(recording, len(decoded[0]) - len(kept), kept)
    print(f"{name}: {REFERENCE}", file=sys.stderr, flush=True)
    figures.add("B", reference_bytes(recording, frames), name, "bytes", REFERENCE)
    figures.add("B", encoded["mcap_bytes_per_frame"], name, "bytes", "MCAP file")
    figures.add("frames/s", encoded["mcap_frames_per_second"], name, "recorded")
    figures.add("B", encoded["keyframe_zstd19_bytes"], name, "bytes", ALONE)
    for stream, values in encoded["streams"].items():
        figures.add("B", values["bytes_per_frame"], name, "bytes", stream)
        if values["keyframes"]:
            figures.add("B", values["keyframe_bytes"], name, "keyframe bytes", stream)
            figures.add("B", values["allocated_bytes_per_frame"], name, "allocated", stream)
        for each in values["encode_ns_rounds"]:
            figures.add("µs", each / 1000, name, "encode", stream)
    # The first round warms up.
    for taken in decoded[1:] or decoded:
        figures.add("µs", fmean(taken), name, "decode mean", COLUMNS_STREAM)
        for percent in (50, 99):
            figures.add("µs", percentile(taken, percent), name, f"decode p{percent}", COLUMNS_STREAM)
    figures.add("µs", fmean(inflated), name, "decode mean", INFLATED)
    figures.add("µs", fmean(parsed), name, "decode mean", PARSED_ARRAYS)
    return encoded


def written(names: list[str], figures: Figures) -> str:
    """The tables, in Markdown."""
    rows = {name: (name,) for name in names}

    def times_of(above: tuple[str, ...], below: tuple[str, ...]) -> Callable[[tuple[str, ...]], str]:
        """A cell with how many times as much a median is as another."""

        def cell(row: tuple[str, ...]) -> str:
            one, other = figures.find(*row, *above), figures.find(*row, *below)
            return f"{one.median / other.median:.2f}" if one and other else "-"

        return cell

    streams = ["protobuf", "json", "protobuf+gzip", "protobuf+zstd", "br-stream", "zstd-stream", "columns"]
    sizes = {stream: ("bytes", stream) for stream in (*streams, COLUMNS_STREAM, "MCAP file", REFERENCE)}
    ratios = {
        "columns": times_of(("bytes", COLUMNS_STREAM), ("bytes", REFERENCE)),
        "zstd-stream": times_of(("bytes", "zstd-stream"), ("bytes", REFERENCE)),
        "MCAP file": times_of(("bytes", "MCAP file"), ("bytes", REFERENCE)),
        "protobuf / columns": times_of(("bytes", "protobuf"), ("bytes", COLUMNS_STREAM)),
        "keyframe, columns": times_of(("keyframe bytes", COLUMNS_STREAM), ("bytes", ALONE)),
        "keyframe, zstd-stream": times_of(("keyframe bytes", "zstd-stream"), ("bytes", ALONE)),
    }
    speed = {
        "encode columns": ("encode", COLUMNS_STREAM),
        "encode zstd-stream": ("encode", "zstd-stream"),
        "Python: columns to arrays": ("decode mean", COLUMNS_STREAM),
        "p99": ("decode p99", COLUMNS_STREAM),
        "Python: zstd-stream to protobuf bytes": ("decode mean", INFLATED),
        "Python: protobuf to the same arrays": ("decode mean", PARSED_ARRAYS),
        "times slower": times_of(("decode mean", PARSED_ARRAYS), ("decode mean", COLUMNS_STREAM)),
        "allocated B, columns": ("allocated", COLUMNS_STREAM),
        "allocated B, zstd-stream": ("allocated", "zstd-stream"),
        "recorded frames/s": "recorded",
    }
    joined = {
        f"{encoding}+{each}": (..., f"{encoding}+{each}") for encoding, each in product(("proto", "columns"), STREAMS)
    }
    return page(
        "Streams",
        made("streams"),
        "Bytes a frame:",
        figure_table(figures, "recording", rows, sizes),
        f"Ratios; the first three to `{REFERENCE}`, the last two to `zstd -19` of the same frame alone:",
        figure_table(figures, "recording", rows, ratios),
        "Milliseconds until a reader that joins, or comes back after 2 s, has a frame newer than all before (at 22.4 "
        "Hz, where a tick is 44.6 ms; joining takes a connection as well):",
        figure_table(figures, "stream", joined, {"joined: median (spread)": "joined", "back": "back"}),
        "Microseconds a frame, and the spread of the rounds:",
        figure_table(figures, "recording", rows, speed),
    )


def main() -> int:
    """Measure, print the tables, write the results."""
    more = {
        "recordings": {"nargs": "*", "type": Path, "metavar": "FILE", "help": "recordings (MCAP)"},
        "--frames": {"type": int, "metavar": "N", "help": "the first N frames of each (default: all; quick: 300)"},
    }
    rounds = (3, "times over the frames; the first warms up", 2)
    options = arguments("streams", __doc__, more, quick="300 frames, two rounds", rounds=rounds)
    if missing := [str(path) for path in options.recordings if not path.is_file()]:
        print(f"streams: no such recording: {', '.join(missing)}", file=sys.stderr)
        return 2
    frames = 300 if options.quick else options.frames
    encoded: dict[str, Any] = {}

    def measured(figures: Figures) -> None:
        for recording in options.recordings or [*import_sequences(), make_elite(), SKIRMISH]:
            encoded[recording.stem] = measure(recording, figures, rounds=options.rounds, frames=frames)
        asyncio.run(join_and_skip(figures, 5 if options.quick else 20))

    return run(options, measured, lambda figures: written(list(encoded), figures), {"encoded": encoded})


if __name__ == "__main__":
    sys.exit(main())

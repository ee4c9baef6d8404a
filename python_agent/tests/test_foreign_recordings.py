"""Recordings of other programs: valid ones, hostile ones, and those among many others."""

from __future__ import annotations

import asyncio
import io
import struct
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import abathur
import lz4.frame
import pytest
import zstandard
from abathur import RecordingError, dataset
from abathur.sync.v1 import sync_pb2
from datasets import synthesize, write_recording
from mcap.data_stream import RecordBuilder
from mcap.reader import make_reader
from mcap.records import Channel, Chunk, ChunkIndex, DataEnd, Footer, Header, Message, Schema, Statistics
from mcap.writer import Writer
from programs import SKIRMISH, Launch, run_daemon
from s2clientprotocol import sc2api_pb2

MAGIC = b"\x89MCAP0\r\n"
MIB = 1 << 20
SCHEMA = Schema(1, b"", "protobuf", "SC2APIProtocol.ResponseObservation")
CHANNEL = Channel(1, "/observation", "protobuf", {}, 1)


def written(*records: Any) -> bytes:
    builder = RecordBuilder()
    for each in records:
        each.write(builder)
    return builder.end()


def recording(path: Path, chunk: Chunk, *, indexed: bool) -> Path:
    """A file of one chunk, with or without a summary."""
    begin = MAGIC + written(Header("", ""))
    data = begin + written(chunk) + written(DataEnd(0))
    summary = b""
    if indexed:
        index = ChunkIndex(len(written(chunk)), len(begin), chunk.compression, len(chunk.data), 10**18, 0, {}, 0, 0)
        summary = written(SCHEMA, CHANNEL, Statistics(0, 1, {1: 1}, 1, 1, 0, 0, 0, 1), index)
    path.write_bytes(data + summary + written(Footer(len(data) if indexed else 0, 0, 0)) + MAGIC)
    return path


def zeros(count: int, *, declared: bool = True) -> bytes:
    """Compressed zeros, without ever having them."""
    output = io.BytesIO()
    size = count if declared else -1
    with zstandard.ZstdCompressor(write_content_size=declared).stream_writer(
        output, size=size, closefd=False
    ) as writer:
        for _ in range(count // MIB):
            writer.write(bytes(MIB))
    return output.getvalue()


def honest(data: bytes) -> tuple[str, bytes, int]:
    return "zstd", zstandard.compress(data), len(data)


MESSAGES = written(SCHEMA, CHANNEL) + written(Message(1, 1, b"", 1, 1)) * 3
#: Compression, stored bytes and declared size of a chunk, and what is said of it.
BOMBS: dict[str, tuple[Callable[[], tuple[str, bytes, int]], str]] = {
    "larger than allowed": (lambda: ("zstd", zeros(300 * MIB), 300 * MIB), "more than the limit of 268435456"),
    "larger than declared": (lambda: ("zstd", zeros(1024 * MIB, declared=False), 1000), "says it has 1000 bytes"),
    "two sizes": (lambda: ("zstd", zeros(1024 * MIB), 1000), "its zstd frame 1073741824"),
    "smaller than declared": (lambda: ("zstd", zstandard.compress(MESSAGES), 100 * MIB), "says it has 104857600 bytes"),
    "2**40 bytes": (lambda: ("zstd", zstandard.compress(MESSAGES), 1 << 40), "says it has 1099511627776 bytes"),
    "2**40 bytes, plain": (lambda: ("", MESSAGES, 1 << 40), "says it has 1099511627776 bytes"),
    "a record of 2**40 bytes": (
        lambda: honest(MESSAGES + struct.pack("<BQ", 5, 1 << 40)),
        "ends inside a record",
    ),
    "only zeros": (lambda: ("zstd", zeros(256 * MIB), 256 * MIB), "opcode 0"),
    "lz4": (lambda: ("lz4", lz4.frame.compress(MESSAGES), len(MESSAGES)), "compressed with 'lz4', which is not supp"),
    "unknown": (lambda: ("x\x1b[2J", MESSAGES, len(MESSAGES)), r"compressed with 'x\x1b[2J', which is not supported"),
}


@contextmanager
def at_most(mib: int) -> Iterator[None]:
    """Python's own memory."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < mib * MIB
    finally:
        tracemalloc.stop()


def read(path: Path, how: str) -> None:
    with abathur.open(path, follow=True) if how == "followed" else abathur.open(path) as match:
        list(match.frames())


@pytest.mark.parametrize("how", ["indexed", "not indexed", "followed"])
@pytest.mark.parametrize("name", BOMBS)
def test_chunks_are_read_within_the_limits_of_the_daemon(name: str, how: str, tmp_path: Path) -> None:
    make, said = BOMBS[name]
    compression, data, size = make()
    chunk = Chunk(compression, data, 10**18, 0, 0, size)
    path = recording(tmp_path / "bomb.mcap", chunk, indexed=how == "indexed")
    assert path.stat().st_size < 70_000
    with at_most(300 if name == "only zeros" else 16), pytest.raises(RecordingError) as error:
        read(path, how)
    assert said in str(error.value) and str(path) in str(error.value)


@pytest.mark.parametrize("how", ["complete", "followed"])
def test_lengths_of_records_are_not_trusted(how: str, tmp_path: Path) -> None:
    path = tmp_path / "length.mcap"
    whole = recording(path, Chunk("", MESSAGES, 10**18, 0, 0, len(MESSAGES)), indexed=False).read_bytes()
    at = whole.index(MESSAGES)
    # Of the chunk's record, and of its data.
    for place, length in ((8 + len(written(Header("", ""))) + 1, 1 << 40), (at - 8, 1 << 40), (at - 12, 0xFFFFFFFF)):
        damaged = bytearray(whole)
        struct.pack_into("<Q" if length > 0xFFFFFFFF else "<I", damaged, place, length)
        path.write_bytes(damaged)
        with at_most(16), pytest.raises(RecordingError, match=r"length\.mcap"):
            read(path, how)


def test_a_chunk_of_many_messages_is_not_held_as_messages(tmp_path: Path) -> None:
    """A small file: 40 MB of messages without data."""
    count = 1_300_000
    plain = written(SCHEMA, CHANNEL) + written(Message(1, 1, b"", 1, 1)) * count
    compression, data, size = honest(plain)
    path = recording(tmp_path / "many.mcap", Chunk(compression, data, 10**18, 0, 0, size), indexed=True)
    assert path.stat().st_size < 10_000
    with at_most(100), abathur.open(path) as match:
        next(match.frames())


def without_repeated_channels(path: Path) -> Path:
    with SKIRMISH.open("rb") as file, path.open("wb") as output:
        writer = Writer(output, chunk_size=200_000, repeat_channels=False, repeat_schemas=False)
        writer.start()
        writer.add_metadata("abathur.match", {"match_id": "foreign", "map_name": "Testmap LE"})
        channel = None
        for number, (schema, _, message) in enumerate(make_reader(file).iter_messages(topics=["/observation"])):
            assert schema is not None
            if channel is None:
                known = writer.register_schema(schema.name, schema.encoding, schema.data)
                channel = writer.register_channel("/observation", "protobuf", known)
            if number == 30:
                break
            writer.add_message(channel, message.log_time, message.data, message.publish_time, message.sequence)
        writer.finish()
    return path


def test_a_summary_need_not_repeat_channels(tmp_path: Path, launch: Launch) -> None:
    """The daemon plays the same frames."""
    path = without_repeated_channels(tmp_path / "foreign.mcap")
    with abathur.open(path) as match:
        assert match.metadata["map_name"] == "Testmap LE"
        loops = [frame.game_loop for frame in match.frames()]
        assert [match[number].game_loop for number in range(len(match))] == loops
    assert loops == list(range(8960, 8990))
    daemon = launch("play", str(path), "--wait-agents", "1", "--grpc-port", "0")

    async def played() -> list[int]:
        async with abathur.connect(daemon.grpc) as game:
            return [frame.game_loop async for frame in game.frames(policy="every")]

    assert asyncio.run(played()) == loops


def observation(loop: int, player: int = 1) -> tuple[int, bytes]:
    message = sc2api_pb2.ResponseObservation()
    message.observation.game_loop = loop % 2**32
    message.observation.player_common.player_id = player
    return loop, message.SerializeToString()


def test_a_value_that_no_game_writes_fails_its_recording_only(tmp_path: Path) -> None:
    inputs = tmp_path / "inputs"
    inputs.mkdir()
    synthesize(inputs, seeds=[1], steps=20)
    frames = [observation(loop) for loop in range(3)]
    foreign = sc2api_pb2.ResponseGameInfo()
    foreign.player_info.add(player_id=2**31, player_name="x")
    write_recording(inputs / "player.mcap", [observation(0, 2**31)])
    write_recording(inputs / "players.mcap", frames, game_info=foreign)
    write_recording(inputs / "rate.mcap", frames, tick_hz="0")
    write_recording(inputs / "text.mcap", frames, tick_hz="fast")
    write_recording(inputs / "loops.mcap", [*frames, observation(2**32 + 7)])
    recording(inputs / "bomb.mcap", Chunk("zstd", b"", 1, 1, 0, 1 << 40), indexed=False)
    for every in (1, 8):
        built = dataset.build(inputs, tmp_path / f"data-{every}", every=every)
        assert built.converted == built.matches == 3
        failed = {Path(each.source).stem: each for each in built.failures}
        assert set(failed) == {"player", "players", "loops", "bomb"}
        assert all(each.source in each.error and each.is_damaged for each in built.failures)
        assert "2147483648" in failed["player"].error
        assert dataset.build(inputs, tmp_path / f"data-{every}", every=every).kept == 3
    problems = dataset.check(tmp_path / "data-1", [inputs])
    assert len(problems) == 4 and all(str(inputs) in each for each in problems)


#: A delta frame of columns in which nothing happens: version, flags, sections.
NOTHING = bytes([1, 0, 0, 0])


@pytest.fixture(scope="module")
def first_segment(tmp_path_factory: pytest.TempPathFactory) -> sync_pb2.ColumnsSegment:
    path = tmp_path_factory.mktemp("compact") / "compact.mcap"
    assert run_daemon("export", str(SKIRMISH), "-o", str(path), "--compact", "--stop", "8970").returncode == 0
    with path.open("rb") as file:
        _, _, message = next(make_reader(file).iter_messages(topics="/columns"))
    return sync_pb2.ColumnsSegment.FromString(message.data)


def compact(path: Path, segment: bytes) -> Path:
    with path.open("wb") as file:
        writer = Writer(file, chunk_size=64 * MIB)
        writer.start()
        writer.add_metadata("abathur.match", {"match_id": "compact"})
        schema = writer.register_schema("abathur.sync.v1.ColumnsSegment", "protobuf", b"")
        writer.add_message(writer.register_channel("/columns", "protobuf", schema), 1, segment, 1)
        writer.finish()
    return path


@pytest.mark.parametrize("follow", [False, True])
def test_frames_of_megabytes_in_a_few_bytes_end(
    follow: bool, tmp_path: Path, first_segment: sync_pb2.ColumnsSegment
) -> None:
    count = 200_000
    segment = sync_pb2.ColumnsSegment(payloads=[first_segment.payloads[0], *[NOTHING] * (count - 1)])
    segment.game_loop_steps.extend([0, *[1] * (count - 1)])
    segment.log_time_steps.extend([0, *[1] * (count - 1)])
    path = compact(tmp_path / "bomb.mcap", segment.SerializeToString())
    assert path.stat().st_size < 100_000
    with abathur.open(path, follow=True) if follow else abathur.open(path) as match:
        said = r"bomb\.mcap is damaged: the frames of a segment take more than 1073741824 bytes after decoding"
        with pytest.raises(RecordingError, match=said):
            for _ in match.frames(every=10**6):
                pass


@pytest.mark.parametrize(
    ("segment", "said"),
    [
        (b"\x0a\x00" * 2_000_000, "has more than 1048576 frames"),
        (b"\x12\x80\x80\x80\x08" + bytes(16 * MIB), "its lists are longer than its frames"),
        (b"\x0a\xff", "cannot be read"),
        (b"\x0b", "cannot be read"),
        (b"\x08" + b"\xff" * 11, "more than ten bytes"),
    ],
    ids=["frames", "lists", "cut", "group", "varint"],
)
def test_segments_are_checked_before_they_are_parsed(tmp_path: Path, segment: bytes, said: str) -> None:
    with at_most(60), pytest.raises(RecordingError, match=said):
        abathur.open(compact(tmp_path / "odd.mcap", segment))

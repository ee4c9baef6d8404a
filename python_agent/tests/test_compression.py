"""Compressed frames: the same observations as without, and nothing that a peer sends costs more than the limit."""

from __future__ import annotations

import asyncio
import builtins
import contextlib
import gzip
import re
import tracemalloc

import abathur
import brotli
import pytest
import zstandard
from abathur._client.request import subscribe_request
from abathur._transport import compression
from abathur.sync.v1 import sync_pb2
from hypothesis import given
from hypothesis import strategies as st
from programs import SKIRMISH, Play, crossed
from programs import abathur as run_abathur
from s2clientprotocol import sc2api_pb2

FIRST_LOOP = 8960
COMPRESSIONS = ["gzip", "br", "zstd"]
VALUES = {"gzip": sync_pb2.gzip, "br": sync_pb2.br, "zstd": sync_pb2.zstd}
COMPRESS = {
    # Without the time of day: the same example gives the same bytes again.
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "br": lambda data: brotli.compress(data, quality=1),
    "zstd": zstandard.ZstdCompressor().compress,
}
UNDECLARED = zstandard.ZstdCompressor(write_content_size=False).compress
each_compression = pytest.mark.parametrize("name", COMPRESSIONS)
any_bytes = st.binary(max_size=2000) | st.binary(max_size=20).map(lambda part: part * 500)


def decompress(name: str, data: bytes, limit: int = 1_000_000) -> bytes:
    return compression.decompress(VALUES[name], data, limit)


@each_compression
@given(data=any_bytes)
def test_what_was_compressed_comes_back(name: str, data: bytes) -> None:
    assert decompress(name, COMPRESS[name](data)) == data
    assert decompress(name, COMPRESS[name](data), limit=len(data)) == data
    assert decompress("zstd", UNDECLARED(data)) == data


@each_compression
@given(data=any_bytes.filter(len), share=st.floats(0, 1, exclude_max=True))
def test_more_than_the_limit_is_refused_with_the_numbers(name: str, data: bytes, share: float) -> None:
    limit = int(len(data) * share)
    compressed = COMPRESS[name](data)
    with pytest.raises(abathur.DecompressionError) as raised:
        decompress(name, compressed, limit)
    assert (raised.value.compression, raised.value.limit) == (name, limit)
    assert raised.value.compressed_bytes == len(compressed)
    assert str(limit) in str(raised.value)


@each_compression
@given(data=any_bytes, share=st.floats(0, 1, exclude_max=True))
def test_cut_off_data_is_refused(name: str, data: bytes, share: float) -> None:
    compressed = COMPRESS[name](data)
    with pytest.raises(abathur.DecompressionError):
        decompress(name, compressed[: int(len(compressed) * share)])


@each_compression
@given(data=any_bytes, garbage=st.binary(min_size=1, max_size=200))
def test_what_follows_the_end_is_refused(name: str, data: bytes, garbage: bytes) -> None:
    with pytest.raises(abathur.DecompressionError):
        decompress(name, COMPRESS[name](data) + garbage)


@each_compression
@given(data=any_bytes, at=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255))
def test_changed_data_gives_bytes_within_the_limit_or_the_error(name: str, data: bytes, at: float, flip: int) -> None:
    compressed = bytearray(COMPRESS[name](data))
    compressed[int(len(compressed) * at)] ^= flip
    try:
        assert len(decompress(name, bytes(compressed), 12_000)) <= 12_000
    except abathur.DecompressionError as error:
        assert error.compression == name


@each_compression
@given(data=st.binary(max_size=500))
def test_any_bytes_give_bytes_or_the_error(name: str, data: bytes) -> None:
    with contextlib.suppress(abathur.DecompressionError):
        assert len(decompress(name, data, 10_000)) <= 10_000


def bombs() -> dict[str, tuple[str, bytes]]:
    size = 300 << 20
    zeros = bytes(1 << 20)
    deep = zstandard.ZstdCompressor(level=1).compressobj()
    undeclared = b"".join([*(deep.compress(zeros) for _ in range(size >> 20)), deep.flush()])
    declared = zstandard.ZstdCompressor(level=1).compressobj(size=size)
    honest = b"".join([*(declared.compress(zeros) for _ in range(size >> 20)), declared.flush()])
    packed = gzip.compress(bytes(size), 1)
    brotli_stream = brotli.Compressor(quality=1)
    parts = [brotli_stream.process(zeros) for _ in range(size >> 20)]
    return {
        "gzip that declares it": ("gzip", packed),
        "gzip that declares less": ("gzip", packed[:-4] + (1000).to_bytes(4, "little")),
        "br": ("br", b"".join([*parts, brotli_stream.finish()])),
        "zstd that declares it": ("zstd", honest),
        "zstd that declares nothing": ("zstd", undeclared),
        "zstd that declares less": ("zstd", lie(honest, size, 1000)),
    }


def lie(frame: bytes, size: int, claimed: int) -> bytes:
    """The same zstd frame with another content size in its header."""
    for width in (4, 8):
        field = size.to_bytes(width, "little")
        if field in frame[:18]:
            changed = frame[:18].replace(field, claimed.to_bytes(width, "little"), 1) + frame[18:]
            assert zstandard.frame_content_size(changed) == claimed
            return changed
    raise AssertionError("the header has no content size")


@pytest.mark.measured
def test_bombs_are_refused_and_little_memory_is_taken() -> None:
    limit = 4 << 20
    for what, (name, bomb) in bombs().items():
        tracemalloc.start()
        with pytest.raises(abathur.DecompressionError) as raised:
            decompress(name, bomb, limit)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 4 * limit, what
        if what.endswith("declares it"):
            assert f"declares {300 << 20} bytes" in raised.value.reason
            assert peak < limit, what


@crossed(transport=["grpc", "socket"], encoding=["auto", "proto", "json"], name=COMPRESSIONS)
async def test_compressed_frames_are_the_recorded_ones(play: Play, transport: str, encoding: str, name: str) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1", "--rate", "unlimited", "--playback-duration", "1")
    with abathur.open(SKIRMISH) as match:
        expected = {frame.game_loop: frame.response for frame in match.frames(stop=FIRST_LOOP + 23)}
    if transport == "socket" and encoding == "json":
        async with abathur.connect(daemon.socket) as game:
            with pytest.raises(abathur.RequestError, match=r"INVALID_ARGUMENT: .* JSON text: use encoding proto"):
                await anext(game.frames(encoding=encoding, compression=name))
        return
    count = 0
    async with abathur.connect(daemon.addresses[transport]) as game:
        async for frame in game.frames(policy="every", encoding=encoding, compression=name):
            plain = expected[frame.game_loop]
            assert frame.response == plain
            assert frame.size < plain.ByteSize() / 3
            count += 1
    assert count == 23


@crossed(transport=["grpc", "socket"], credits=[0, 4], name=COMPRESSIONS)
def test_blocking_twin_reads_compressed_frames(play: Play, transport: str, credits: int, name: str) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1", "--rate", "unlimited", "--playback-duration", "0.5")
    with abathur.open(SKIRMISH) as match:
        expected = {frame.game_loop: frame.response for frame in match.frames(stop=FIRST_LOOP + 12)}
    count = 0
    with abathur.connect_blocking(daemon.addresses[transport]) as game:
        for frame in game.frames(policy="every", compression=name, compression_level=2, credits=credits):
            assert frame.response == expected[frame.game_loop]
            count += 1
    assert count == 12


def test_higher_level_gives_smaller_frames_and_the_status_tells_the_compression(play: Play) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    sizes = {}

    async def first(level: int) -> None:
        async with abathur.connect(daemon.grpc) as game:
            async for frame in game.frames(policy="every", compression="zstd", compression_level=level):
                sizes[level] = frame.size
                return

    async def both() -> None:
        tasks = [asyncio.create_task(first(level)) for level in (1, 19)]
        async with abathur.connect(daemon.grpc) as game:
            while len(subscribers := (await game.status()).subscribers) < 2:
                await asyncio.sleep(0.02)
            assert {each.compression for each in subscribers} == {sync_pb2.zstd}
            await game.playback.step()
        await asyncio.gather(*tasks)

    asyncio.run(both())
    assert sizes[19] < sizes[1]


@pytest.mark.parametrize(
    ("name", "level", "expected"),
    [
        ("gzip", 10, "INVALID_ARGUMENT: compression_level is 10; gzip takes 1 to 9, and 0 for the default (4)"),
        ("gzip", -1, "compression_level is -1; gzip takes 1 to 9"),
        ("br", 12, "compression_level is 12; br takes 0 to 11"),
        ("zstd", 20, "compression_level is 20; zstd takes 1 to 19"),
        ("none", 3, "compression_level is 3 without a compression"),
        ("zstd-stream", 20, "compression_level is 20; zstd-stream takes 1 to 19, and 0 for the default (7)"),
        ("br-stream", 1, "compression_level is 1; br-stream takes 2 to 11, and 0 for the default (5)"),
    ],
)
def test_refused_compression_says_what_there_is(play: Play, name: str, level: int, expected: str) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    for address in (daemon.grpc, daemon.socket):
        with (
            abathur.connect_blocking(address, reconnect_timeout=0) as game,
            pytest.raises(abathur.RequestError, match=re.escape(expected)),
        ):
            next(game.frames(encoding="proto", compression=name, compression_level=level))


def test_frame_over_the_limit_is_an_error_of_the_loop(play: Play) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1")
    for address in (daemon.grpc, daemon.socket):
        with (
            abathur.connect_blocking(address) as game,
            pytest.raises(abathur.DecompressionError, match=r"declares \d+ bytes \(at most 1000 bytes are accepted\)"),
        ):
            next(game.frames(compression="zstd", max_frame_bytes=1000))


def test_missing_package_is_told_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    really_import = builtins.__import__

    def without(name: str, *rest: object, **more: object) -> object:
        if name == "brotli":
            raise ImportError(f"No module named {name!r}", name=name)
        return really_import(name, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with abathur.connect_blocking("127.0.0.1:1") as game:
        for name in ("br", "br-stream"):
            expected = rf"compression {name} needs brotli 1\.2 or newer: pip install \"brotli>=1\.2\""
            with pytest.raises(abathur.AbathurError, match=expected):
                next(game.frames(compression=name))
    assert subscribe_request({"compression": "gzip"}).compression == sync_pb2.gzip


def test_payload_that_is_not_what_the_frame_says_is_a_protocol_error() -> None:
    from abathur._transport import frames

    observation = sc2api_pb2.ResponseObservation().SerializeToString()
    for encoding, data in ((sync_pb2.json, b"{"), (sync_pb2.proto, b"\xff"), (sync_pb2.columns, observation)):
        message = sync_pb2.Frame(encoding=encoding, compression=sync_pb2.gzip, data=gzip.compress(data))
        with pytest.raises(abathur.ProtocolError):
            # Protobuf is parsed when it is read.
            frames.from_message(message, received=0, size=0).observation  # noqa: B018
    unknown = sync_pb2.Frame(encoding=sync_pb2.proto, compression=77, data=b"x")  # type: ignore[arg-type]
    with pytest.raises(abathur.DecompressionError, match="unknown compression"):
        frames.from_message(unknown, received=0, size=0)


def test_watch_takes_a_compression(play: Play) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "2", "--playback-duration", "1", "--rate", "4")
    done = run_abathur("watch", daemon.grpc, daemon.socket, "--compression", "zstd")
    assert done.returncode == 0, done.stderr
    rows = [line.split()[:2] for line in done.stdout.splitlines() if line.split()[:1] in (["grpc"], ["socket"])]
    assert rows == [["grpc", "proto+zstd"], ["socket", "proto+zstd"]]
    done = run_abathur("watch", daemon.grpc, "--compression", "rar")
    assert done.returncode == 2, done.stderr
    assert "'rar' is not one of none, gzip, br, zstd" in done.stderr

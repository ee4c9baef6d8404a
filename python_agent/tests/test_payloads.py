"""Stream compressions read frame by frame: what was sent, or the error, and never more than the limit."""

from __future__ import annotations

import contextlib
import tracemalloc
from collections.abc import Iterable, Iterator

import abathur
import brotli
import pytest
import zstandard
from abathur._transport import zstd_stream
from abathur._transport.payloads import PayloadReader
from abathur._transport.reading import MatchStart, Reading
from abathur._transport.zstd_stream import MAX_WINDOW_BYTES
from abathur.sync.v1 import sync_pb2
from hypothesis import given
from hypothesis import strategies as st

NAMES = {"zstd-stream": sync_pb2.zstd_stream, "br-stream": sync_pb2.br_stream}
each_stream = pytest.mark.parametrize("name", NAMES)
any_bytes = st.binary(max_size=500) | st.binary(min_size=1, max_size=20).map(lambda part: part * 10_000)


@pytest.fixture(scope="module", params=["in one call", "in slices"], autouse=True)
def how_zstd_is_read(request: pytest.FixtureRequest) -> Iterator[None]:
    """With the daemon's libzstd, where it is, and without it."""
    if request.param == "in one call" and zstd_stream.library() is None:
        pytest.skip("the daemon's libzstd is not here")
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "in slices":
            patch.setattr(zstd_stream, "library", lambda: None)
        yield


class Sender:
    """Compresses as the daemon does."""

    def __init__(self, name: str, window_bits: int = 20) -> None:
        self.name = name
        self._window_bits = window_bits
        self._started = False

    def message(self, plain: bytes, *, keyframe: bool = False, earlier: Iterable[bytes] = ()) -> sync_pb2.Frame:
        """The message of a frame; `earlier` ones go along with it."""
        keyframe = keyframe or not self._started
        if keyframe:
            self._start()
        return sync_pb2.Frame(
            encoding=sync_pb2.proto,
            compression=NAMES[self.name],
            keyframe=keyframe,
            earlier=[self._compress(each) for each in earlier],
            data=self._compress(plain),
            plain_bytes=len(plain),
        )

    def _start(self) -> None:
        self._started = True
        if self.name == "br-stream":
            brotli_stream = brotli.Compressor(quality=4, lgwin=self._window_bits)
            self._compress = lambda plain: brotli_stream.process(plain) + brotli_stream.flush()
            return
        parameters = zstandard.ZstdCompressionParameters.from_level(
            3, window_log=self._window_bits, write_content_size=False
        )
        stream = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
        self._compress = lambda plain: stream.compress(plain) + stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)


@each_stream
@given(frames=st.lists(st.tuples(any_bytes, st.booleans(), st.lists(any_bytes, max_size=3)), max_size=12))
def test_what_was_compressed_comes_back(name: str, frames: list[tuple[bytes, bool, list[bytes]]]) -> None:
    sender, reader = Sender(name), PayloadReader(300_000)
    for plain, keyframe, earlier in frames:
        payloads = reader.read_all(sender.message(plain, keyframe=keyframe, earlier=earlier))
        assert list(payloads) == [*earlier, plain]


@each_stream
def test_a_joiner_starts_at_any_keyframe_and_nowhere_else(name: str) -> None:
    sender = Sender(name)
    messages = [sender.message(bytes([number]) * 1000, keyframe=number % 4 == 0) for number in range(12)]
    for start, message in enumerate(messages):
        reader = PayloadReader()
        if message.keyframe:
            assert [reader.read(each)[0] for each in messages[start:]] == list(range(start, 12))
        else:
            with pytest.raises(abathur.DecompressionError, match="depends on previous frames, but no keyframe"):
                reader.read(message)


@each_stream
def test_nothing_of_a_match_is_read_with_the_history_of_another(name: str) -> None:
    sender, reading = Sender(name), Reading()
    reading.begin(MatchStart("1", True, sync_pb2.Match))
    assert reading.payloads.read(sender.message(b"first")) == b"first"
    reading.begin(MatchStart("2", True, sync_pb2.Match))
    with pytest.raises(abathur.DecompressionError, match="depends on previous frames, but no keyframe"):
        reading.payloads.read(sender.message(b"second"))


@each_stream
@given(share=st.floats(0, 1, exclude_max=True), size=st.integers(1, 200_000))
def test_a_payload_that_is_not_whole_is_refused_and_so_is_what_follows(name: str, share: float, size: int) -> None:
    sender, reader = Sender(name), PayloadReader()
    reader.read(sender.message(b"first"))
    message = sender.message(bytes(range(256)) * (size // 256 + 1))
    whole = message.data
    message.data = whole[: int((len(whole) - 1) * share)]
    with pytest.raises(abathur.DecompressionError) as raised:
        reader.read(message)
    assert (raised.value.compression, raised.value.compressed_bytes) == (name, len(message.data))
    with pytest.raises(abathur.DecompressionError, match="no keyframe"):
        reader.read(sender.message(b"next"))
    assert reader.read(sender.message(b"again", keyframe=True)) == b"again"


@each_stream
@given(data=st.binary(max_size=300), declared=st.integers(0, 1000))
def test_any_bytes_give_what_they_declare_or_the_error(name: str, data: bytes, declared: int) -> None:
    sender, reader = Sender(name), PayloadReader(10_000)
    reader.read(sender.message(b"first"))
    with contextlib.suppress(abathur.DecompressionError):
        message = sync_pb2.Frame(compression=NAMES[name], data=data, plain_bytes=declared)
        assert len(reader.read(message)) == declared
    message.keyframe = True
    with contextlib.suppress(abathur.DecompressionError):
        assert len(reader.read(message)) == declared


@each_stream
@given(at=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255))
def test_changed_data_gives_bytes_within_the_limit_or_the_error(name: str, at: float, flip: int) -> None:
    sender, reader = Sender(name), PayloadReader(3000)
    reader.read(sender.message(bytes(range(200)) * 10))
    message = sender.message(bytes(range(100)) * 20)
    changed = bytearray(message.data)
    changed[int(len(changed) * at)] ^= flip
    message.data = bytes(changed)
    with contextlib.suppress(abathur.DecompressionError):
        assert len(reader.read(message)) == 2000


@each_stream
def test_more_or_less_than_declared_is_refused(name: str) -> None:
    for declared, expected in ((999, "more than 999 bytes"), (1001, "1000 of 1001 declared bytes")):
        message = Sender(name).message(bytes(1000))
        message.plain_bytes = declared
        with pytest.raises(abathur.DecompressionError, match=expected):
            PayloadReader().read(message)


@each_stream
def test_ended_streams_are_refused(name: str) -> None:
    whole = brotli.compress(b"abc") if name == "br-stream" else zstandard.ZstdCompressor().compress(b"abc")
    for data, keyframe in ((whole, True), (whole + b"more", True)):
        message = sync_pb2.Frame(compression=NAMES[name], data=data, plain_bytes=3, keyframe=keyframe)
        with pytest.raises(abathur.DecompressionError):
            PayloadReader().read(message)


def test_a_window_over_the_bound_is_refused() -> None:
    assert PayloadReader().read(Sender("zstd-stream", 23).message(b"abc")) == b"abc"
    assert MAX_WINDOW_BYTES == 1 << 23
    with pytest.raises(abathur.DecompressionError, match="too much memory"):
        PayloadReader().read(Sender("zstd-stream", 24).message(b"abc"))


@pytest.mark.measured
@each_stream
@pytest.mark.parametrize("place", ["declared", "undeclared", "earlier"])
def test_bombs_are_refused_and_little_memory_is_taken(name: str, place: str) -> None:
    limit = 4 << 20
    bomb = bytes(300 << 20)
    message = Sender(name).message(b"", earlier=[bomb]) if place == "earlier" else Sender(name).message(bomb)
    del bomb
    assert message.ByteSize() < 100_000
    if place == "undeclared":
        message.plain_bytes = 1000
    reader = PayloadReader(limit)
    tracemalloc.start()
    with pytest.raises(abathur.DecompressionError, match="declares" if place == "declared" else "has more than"):
        reader.read(message)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * limit


def test_frames_that_lean_on_others_without_compression_come_in_order() -> None:
    message = sync_pb2.Frame(encoding=sync_pb2.columns, earlier=[b"a", b"b"], data=b"c")
    assert list(PayloadReader().read_all(message)) == [b"a", b"b", b"c"]

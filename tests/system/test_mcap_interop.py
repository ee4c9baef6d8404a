"""Recordings go both ways between the daemon and the Python ``mcap`` package."""

import hashlib
import json
import os
import subprocess
from pathlib import Path

import pytest
from google.protobuf.internal.encoder import _VarintBytes  # type: ignore[attr-defined]
from mcap.reader import make_reader
from mcap.writer import CompressionType, IndexType
from mcap.writer import Writer as McapWriter
from mcap_protobuf.decoder import DecoderFactory
from mcap_protobuf.schema import register_schema
from mcap_protobuf.writer import Writer
from programs import SHARED, daemon_command
from s2clientprotocol import sc2api_pb2

LOOP_NS = 312_500_000 / 7


def run(*arguments: str | os.PathLike[str], stdin: bytes = b"") -> bytes:
    """Runs the daemon's program and gives what it wrote."""
    done = subprocess.run(
        daemon_command(*map(str, arguments)), input=stdin, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def observation(game_loop: int) -> sc2api_pb2.ResponseObservation:
    message = sc2api_pb2.ResponseObservation()
    message.observation.game_loop = game_loop
    message.observation.player_common.minerals = 50 + game_loop
    for tag in range(20):
        unit = message.observation.raw_data.units.add(tag=tag + (1 << 32), unit_type=84)
        unit.pos.x = game_loop / 4096 + tag
    return message


def delimited(messages: list[bytes]) -> bytes:
    return b"".join(_VarintBytes(len(message)) + message for message in messages)


@pytest.mark.parametrize("compression", ["zstd", "none"])
def test_our_recording_is_read_by_the_mcap_package(tmp_path: Path, compression: str) -> None:
    sent = [observation(loop).SerializeToString() for loop in range(0, 400, 2)]
    game_info = sc2api_pb2.ResponseGameInfo(map_name="Testmap LE").SerializeToString()
    (tmp_path / "game_info.binpb").write_bytes(game_info)
    path = tmp_path / "match.mcap"
    run(
        *("import", "-", "-o", path, "--compression", compression, "--chunk-size", "20000", "--match-id", "m"),
        *("--start-time", "2026-01-31T20:00:00Z", "--game-info", tmp_path / "game_info.binpb"),
        stdin=delimited(sent),
    )
    start_ns = 1_769_889_600_000_000_000
    with path.open("rb") as file:
        reader = make_reader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
        summary = reader.get_summary()
        assert summary is not None
        assert summary.statistics is not None
        assert summary.statistics.message_count == len(sent) + 1
        assert len(summary.chunk_indexes) > 5
        assert {chunk.compression for chunk in summary.chunk_indexes} == {"" if compression == "none" else "zstd"}
        metadata, runs = reader.iter_metadata()
        assert (metadata.name, runs.name) == ("abathur.match", "abathur.segments")
        assert runs.metadata == {"frames": str(len(sent)), "loops": f"0+2*{len(sent)}"}
        assert metadata.metadata["match_id"] == "m"
        assert metadata.metadata["map_name"] == "Testmap LE"
        read = list(reader.iter_decoded_messages(topics=["/observation"]))
        assert [bytes(message.data) for _, _, message, _ in read] == sent
        for index, (schema, channel, message, decoded) in enumerate(read):
            assert schema is not None
            assert (schema.name, schema.encoding) == ("SC2APIProtocol.ResponseObservation", "protobuf")
            assert channel.message_encoding == "protobuf"
            assert message.sequence == index
            assert message.publish_time == round(2 * index * LOOP_NS)
            assert message.log_time == start_ns + round(2 * index * 1e9 / 22.4)
            assert decoded.observation.game_loop == 2 * index
            assert decoded.observation.player_common.minerals == 50 + 2 * index
        ((_, _, message, info),) = reader.iter_decoded_messages(topics=["/game_info"])
        assert bytes(message.data) == game_info
        assert info.map_name == "Testmap LE"


@pytest.mark.parametrize("compression", [CompressionType.ZSTD, CompressionType.NONE])
@pytest.mark.parametrize("index_types", [IndexType.ALL, IndexType.NONE])
@pytest.mark.parametrize("use_chunking", [True, False])
def test_recording_of_the_mcap_package_is_read_by_us(
    tmp_path: Path, compression: CompressionType, index_types: IndexType, use_chunking: bool
) -> None:
    sent = [observation(loop) for loop in range(100, 300)]
    path = tmp_path / "python.mcap"
    with path.open("wb") as file:
        writer = McapWriter(
            file, compression=compression, chunk_size=20_000, index_types=index_types, use_chunking=use_chunking
        )
        writer.start()
        schema = register_schema(writer, sc2api_pb2.ResponseObservation)
        channel = writer.register_channel("/observation", "protobuf", schema)
        for index, message in enumerate(sent):
            writer.add_message(channel, index * 1000, message.SerializeToString(), index * 1000, index)
        writer.finish()  # type: ignore[no-untyped-call]
    summary = json.loads(run("info", path, "--json"))
    assert summary["complete"]
    assert (summary["frames"], summary["first_game_loop"], summary["last_game_loop"]) == (200, 100, 299)
    assert summary["channels"][0]["topic"] == "/observation"
    serialized = [message.SerializeToString() for message in sent]
    assert run("export", path, "-o", "-") == delimited(serialized)
    assert run("export", path, "-o", "-", "--start", "150", "--stop", "160") == delimited(serialized[50:60])


def test_lz4_recording_is_refused_by_name(tmp_path: Path) -> None:
    pytest.importorskip("lz4")
    path = tmp_path / "lz4.mcap"
    with path.open("wb") as file, Writer(file, compression=CompressionType.LZ4) as writer:
        writer.write_message("/observation", observation(1), log_time=0, publish_time=0, sequence=0)
    done = subprocess.run(daemon_command("info", str(path)), capture_output=True, timeout=60, check=False)
    assert done.returncode == 3
    assert b"lz4" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_sequence_is_the_same_for_both(tmp_path: Path) -> None:
    sequence = SHARED / "sequences/hardwire-tvt-mid.obs.zst"
    if not sequence.exists():
        pytest.skip(f"{sequence} is not beside this checkout")
    path = tmp_path / "match.mcap"
    run("import", sequence, "-o", path)
    ours = hashlib.sha256(run("export", path, "-o", "-"))
    theirs = hashlib.sha256()
    with path.open("rb") as file:
        for _, _, message in make_reader(file).iter_messages(topics=["/observation"]):
            theirs.update(_VarintBytes(len(message.data)))
            theirs.update(message.data)
    assert ours.hexdigest() == theirs.hexdigest()

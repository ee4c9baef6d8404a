"""Small compact recordings with endless frames: every command ends with an error, and the dashboard takes none."""

from __future__ import annotations

import http.client
import json
from pathlib import Path

import pytest
from abathur.sync.v1 import sync_pb2
from mcap.reader import make_reader
from mcap.writer import CompressionType, Writer
from programs import SKIRMISH, Play, run_daemon

FRAMES = 200_000
#: A delta frame in which nothing happens: version, flags, sections.
NOTHING = bytes([1, 0, 0, 0])
TOO_MUCH = "the frames of a segment take more than 1073741824 bytes after decoding, which no recording of a match does"


@pytest.fixture(scope="module")
def bomb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bomb")
    compact = folder / "compact.mcap"
    done = run_daemon("export", str(SKIRMISH), "-o", str(compact), "--compact", "--stop", "8970")
    assert done.returncode == 0, done.stderr
    bomb = folder / "bomb.mcap"
    with compact.open("rb") as source, bomb.open("wb") as target:
        reader = make_reader(source)
        writer = Writer(target, compression=CompressionType.ZSTD, chunk_size=64 << 20)
        writer.start(profile="", library="test")
        for metadata in reader.iter_metadata():
            if metadata.name == "abathur.match":
                writer.add_metadata(metadata.name, metadata.metadata)
        schema, channel, message = next(reader.iter_messages(topics="/columns"))
        segment = sync_pb2.ColumnsSegment.FromString(message.data)
        segment.payloads[:] = [segment.payloads[0]] + [NOTHING] * (FRAMES - 1)
        segment.game_loop_steps[:] = segment.log_time_steps[:] = [0] + [1] * (FRAMES - 1)
        assert schema is not None
        schema_id = writer.register_schema(schema.name, schema.encoding, schema.data)
        channel_id = writer.register_channel(channel.topic, channel.message_encoding, schema_id)
        writer.add_message(channel_id, message.log_time, segment.SerializeToString(), message.publish_time)
        writer.finish()
    assert bomb.stat().st_size < 100_000
    return bomb


@pytest.mark.parametrize(
    "arguments",
    [
        ("info", "BOMB"),
        ("cat", "BOMB"),
        ("export", "BOMB", "-o", "OUT.obs"),
        ("export", "BOMB", "-o", "OUT.mcap"),
        ("export", "BOMB", "-o", "OUT.arrow", "--units"),
        ("play", "BOMB", "--ports", "auto", "--rate", "unlimited"),
        ("emulate", "BOMB", "--listen", "0"),
        ("recover", "BOMB", "-o", "OUT.mcap"),
    ],
)
def test_commands_end(bomb: Path, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = run_daemon(
        *(
            str(bomb) if each == "BOMB" else str(tmp_path / each) if each.startswith("OUT") else each
            for each in arguments
        )
    )
    assert done.returncode == 3, done.stderr
    assert TOO_MUCH in done.stderr
    # What was recovered stays, though it cannot be played.
    assert [each.name for each in tmp_path.iterdir()] == (["OUT.mcap"] if arguments[0] == "recover" else [])


def test_the_dashboard_takes_none(bomb: Path, tmp_path: Path, play: Play) -> None:
    folder = tmp_path / "recordings"
    folder.mkdir()
    daemon = play(SKIRMISH, "--loop", "--recordings", str(folder))
    port = daemon.port("http")

    def ask(method: str, path: str, body: bytes | None = None) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            connection.request(method, path, body)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    for _ in range(2):
        status, text = ask("PUT", "/v1/recordings/bomb.mcap", bomb.read_bytes())
        assert (status, TOO_MUCH in text) == (422, True), text
    assert list(folder.iterdir()) == []
    assert ask("PUT", "/v1/recordings/good.mcap", SKIRMISH.read_bytes())[0] == 201
    assert [each["name"] for each in json.loads(ask("GET", "/v1/recordings")[1])["recordings"]] == ["good.mcap"]

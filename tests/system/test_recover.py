"""`recover` says what is in the new file and what is not."""

from __future__ import annotations

from pathlib import Path

from mcap.reader import make_reader
from mcap.writer import Writer
from programs import SKIRMISH, run_daemon


def without(path: Path, *topics: str) -> Path:
    """The committed recording without some topics."""
    with SKIRMISH.open("rb") as source, path.open("wb") as target:
        writer = Writer(target)
        writer.start()
        channels: dict[int, int] = {}
        for schema, channel, message in make_reader(source).iter_messages():
            if channel.topic in topics:
                continue
            if channel.id not in channels:
                assert schema is not None
                kept = writer.register_schema(schema.name, schema.encoding, schema.data)
                channels[channel.id] = writer.register_channel(channel.topic, channel.message_encoding, kept)
            writer.add_message(channels[channel.id], message.log_time, message.data, message.publish_time)
        writer.finish()
    return path


def test_what_is_in_the_result_is_counted_by_topic(tmp_path: Path) -> None:
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(SKIRMISH.read_bytes()[:-200])
    done = run_daemon("recover", str(cut))
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    with (tmp_path / "cut.recovered.mcap").open("rb") as file:
        summary = make_reader(file).get_summary()
    assert summary is not None and summary.statistics is not None
    counts = summary.statistics.channel_message_counts
    expected = sorted((channel.topic, counts[channel.id]) for channel in summary.channels.values())
    assert [tuple(line.split()) for line in lines[1 : 1 + len(expected)]] == [(t, str(n)) for t, n in expected]
    assert "missing" not in done.stderr


def test_a_file_without_observations_is_no_success(tmp_path: Path) -> None:
    file, out = without(tmp_path / "none.mcap", "/observation"), tmp_path / "out.mcap"
    done = run_daemon("recover", str(file), "-o", str(out))
    assert done.returncode == 3
    assert "  /observation   missing: there is nothing to play\n" in done.stderr
    assert f"abathur-sync: no observation was recovered from {file}: {out} has only the other messages" in done.stderr
    with out.open("rb") as source:
        assert next(make_reader(source).iter_messages("/game_data"), None) is not None


def test_game_info_and_game_data_that_are_missing_are_named(tmp_path: Path) -> None:
    file = without(tmp_path / "some.mcap", "/game_info", "/game_data")
    done = run_daemon("recover", str(file), "-o", str(tmp_path / "out.mcap"))
    assert done.returncode == 0, done.stderr
    for topic in ("/game_info", "/game_data"):
        assert f"  {topic:<14} missing: agents get no " in done.stderr

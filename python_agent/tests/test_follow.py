"""Recordings that are read while a daemon writes them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import abathur
import pytest
from abathur import BlockingPublisher, Frame, RecordingError
from programs import SKIRMISH, TIMEOUT, Daemon, Launch

FRAMES = 600


def observations() -> list[bytes]:
    with abathur.open(SKIRMISH) as match:
        return [frame.response.SerializeToString() for frame in match.frames(stop=8960 + FRAMES)]


def serve(launch: Launch, path: Path) -> tuple[Daemon, BlockingPublisher]:
    """A daemon that records what is published."""
    ports = ("--grpc-port", "0", "--socket-port", "0", "--http-port", "0")
    daemon = launch("serve", "--once", *ports, "-o", str(path))
    with abathur.open(SKIRMISH) as match:
        info, data = match.game_info(), match.game_data()
    return daemon, abathur.publisher_blocking(daemon.grpc, map_name="Testmap LE", game_info=info, game_data=data)


class Reader(threading.Thread):
    """Reads frames in another thread."""

    def __init__(self, frames: Iterator[Frame]) -> None:
        super().__init__(daemon=True)
        self.frames = frames
        self.seen: list[bytes] = []
        self.has_some = threading.Event()
        self.error: Exception | None = None
        self.start()

    def run(self) -> None:
        try:
            for frame in self.frames:
                self.seen.append(frame.response.SerializeToString())
                self.has_some.set()
        except RecordingError as error:
            self.error = error


def test_a_recording_is_read_while_it_is_written_until_its_end(launch: Launch, tmp_path: Path) -> None:
    path = tmp_path / "match.mcap"
    sent = observations()
    daemon, publisher = serve(launch, path)
    with publisher as bot:
        bot.publish(sent[0])
        match = abathur.open(path, follow=True)
        assert match.metadata["map_name"] == "Testmap LE"
        reader = Reader(match.frames())
        for each in sent[1:-50]:
            bot.publish(each)
        # A chunk is complete, and the match is not.
        assert reader.has_some.wait(TIMEOUT)
        assert not path.exists()
        for each in sent[-50:]:
            bot.publish(each)
    assert daemon.wait() == 0
    reader.join(TIMEOUT)
    assert path.exists()
    assert reader.seen == sent
    with match, abathur.open(path) as complete:
        info = match.game_info()
        assert info is not None and info.map_name
        few = match.frames(start=9000, stop=9040, every=10)
        assert [frame.game_loop for frame in few] == [9000, 9010, 9020, 9030]
        assert complete.frame_count == FRAMES


def test_a_killed_writer_is_told(launch: Launch, tmp_path: Path) -> None:
    path = tmp_path / "match.mcap"
    sent = observations()
    daemon, publisher = serve(launch, path)
    with pytest.raises((abathur.ConnectError, abathur.ConnectionLostError)), publisher as bot:
        for each in sent:
            bot.publish(each)
        with abathur.open(path, follow=True) as match:
            reader = Reader(match.frames())
            assert reader.has_some.wait(TIMEOUT)
            daemon.process.kill()
            daemon.process.wait()
            reader.join(TIMEOUT)
    assert reader.error is not None
    assert "match.mcap.part: its writer ended without finishing it; `abathur recover`" in str(reader.error)
    assert reader.seen == sent[: len(reader.seen)]


def test_what_is_missing_or_no_recording_is_told(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"cannot open .*nothing\.mcap: No such file"):
        abathur.open(tmp_path / "nothing.mcap", follow=True)
    other = tmp_path / "other.mcap"
    other.write_bytes(b"not a recording, but long enough")
    with pytest.raises(RecordingError, match="is damaged"):
        abathur.open(other, follow=True)
    with abathur.open(SKIRMISH, follow=True) as match, pytest.raises(ValueError, match="every is -1"):
        match.frames(every=-1)


async def test_a_complete_recording_is_read_as_well() -> None:
    with abathur.open(SKIRMISH, follow=True) as match, abathur.open(SKIRMISH) as same:
        assert match.metadata == same.metadata
        loops = await asyncio.to_thread(lambda: [frame.game_loop for frame in match.frames(every=100)])
        assert loops == [frame.game_loop for frame in same.frames(every=100)]

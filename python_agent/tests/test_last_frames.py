"""Downsampled readers get the last frame, with what happened after the one before it."""

from __future__ import annotations

from pathlib import Path

import abathur
import pyarrow.parquet as pq
import pytest
from abathur import dataset
from abathur.events import Alert
from datasets import write_recording
from s2clientprotocol import sc2api_pb2


def observations(count: int) -> list[tuple[int, bytes]]:
    """Without results; each frame has an alert and a chat message."""
    made = []
    for loop in range(count):
        message = sc2api_pb2.ResponseObservation()
        message.observation.game_loop = loop
        message.observation.alerts.append(loop % 20 + 1)
        message.chat.add(player_id=1, message=f"at {loop}")
        made.append((loop, message.SerializeToString()))
    return made


@pytest.mark.parametrize("follow", [False, True])
def test_the_last_frame_of_a_recording_without_results_is_given(follow: bool, tmp_path: Path) -> None:
    path = write_recording(tmp_path / "some.mcap", observations(20))
    with abathur.open(path, follow=True) if follow else abathur.open(path) as match:
        frames = list(match.frames(every=8))
    assert [frame.game_loop for frame in frames] == [0, 8, 16, 19]
    skipped = frames[-1].skipped_events
    assert skipped is not None
    assert [each.message for each in skipped.chat] == ["at 17", "at 18"]
    # Also those of the first frame.
    alerts = [event.alert for frame in frames for event in frame.events if isinstance(event, Alert)]
    assert alerts == list(range(1, 21))


def test_it_is_given_once_and_not_beyond_the_range(tmp_path: Path) -> None:
    path = write_recording(tmp_path / "some.mcap", observations(17))
    with abathur.open(path) as match:
        assert [frame.game_loop for frame in match.frames(every=8)] == [0, 8, 16]
        assert [frame.game_loop for frame in match.frames(every=8, stop=14)] == [0, 8]
        assert [frame.game_loop for frame in match.frames(every=100)] == [0, 16]


def test_a_dataset_has_it(tmp_path: Path) -> None:
    path = write_recording(tmp_path / "some.mcap", observations(20))
    built = dataset.build(path, tmp_path / "data", every=8)
    assert built.rows["players"] == 4 and built.rows["events"] == 20
    (file,) = (tmp_path / "data" / "players").rglob("*.parquet")
    assert pq.read_table(file)["game_loop"].to_pylist() == [0, 8, 16, 19]
    assert dataset.check(tmp_path / "data", [path]) == []

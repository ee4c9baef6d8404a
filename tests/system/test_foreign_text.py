"""Text of players and maps that is not UTF-8: the game passes it on byte for byte, and no frame is lost for it."""

from __future__ import annotations

import json
from pathlib import Path

import abathur
import pytest
from programs import FREE_PORTS, SKIRMISH, TIMEOUT, Launch, Play, run_daemon
from s2clientprotocol import sc2api_pb2

PLACEHOLDER, LATIN_1, SHOWN = b"Jxger", "Jäger".encode("latin-1"), "J\ufffdger"
FRAMES = 60


@pytest.fixture(scope="module")
def observations() -> list[bytes]:
    """Each with a line of chat; the last one has the results."""
    with abathur.open(SKIRMISH) as match:
        taken = [frame.response for frame, _ in zip(match.frames(), range(FRAMES), strict=False)]
    for response in taken:
        response.chat.add(player_id=2, message=PLACEHOLDER.decode())
    taken[-1].player_result.add(player_id=1, result=1)
    return [response.SerializeToString().replace(PLACEHOLDER, LATIN_1) for response in taken]


@pytest.fixture(scope="module")
def game_info() -> sc2api_pb2.ResponseGameInfo:
    """With a player of that name."""
    with abathur.open(SKIRMISH) as match:
        info = match.game_info()
    assert info is not None
    info.player_info[0].player_name = PLACEHOLDER.decode()
    return sc2api_pb2.ResponseGameInfo.FromString(info.SerializeToString().replace(PLACEHOLDER, LATIN_1))


async def test_a_match_with_such_text_is_whole_everywhere(
    launch: Launch, play: Play, tmp_path: Path, observations: list[bytes], game_info: sc2api_pb2.ResponseGameInfo
) -> None:
    path = tmp_path / "match.mcap"
    daemon = launch("serve", "--once", *FREE_PORTS, "-o", str(path))
    async with abathur.publisher(daemon.grpc, game_info=game_info) as publisher:
        for observation in observations:
            await publisher.publish(observation)
    assert publisher.frames == FRAMES
    assert daemon.process.wait(TIMEOUT) == 0
    with abathur.open(path) as match:
        assert match.frame_count == FRAMES
        last = match[-1]
    assert last.response.player_result[0].result == 1

    shown = run_daemon("info", "--json", str(path))
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout)["frames"] == FRAMES
    printed = run_daemon("cat", str(path), "--fields", "chat.message", "--limit", "1")
    assert SHOWN in printed.stdout, printed.stderr

    again = play(path, "--loop")
    async with abathur.connect(again.grpc) as game:
        described = await game.match()
        assert described is not None
        assert described.game_info.player_info[0].player_name == SHOWN
        async for frame in game.frames(encoding="json", max_frames=1):
            assert frame.response.chat[0].message == SHOWN

"""Clients that send requests in WebSocket text frames, as pysc2 does: at the emulator, and through the proxy."""

from __future__ import annotations

from pathlib import Path

import pytest
from abathur.sync.v1 import sync_pb2
from emulators import COMPUTER, ENDED, FIRST_LOOP, IN_GAME, LAST_LOOP, OPTIONS, PLAYER, emulated
from proxies import HandMadeGame, proxied, recorded
from s2clientprotocol import common_pb2, raw_pb2, sc2api_pb2
from text_clients import TextClient

STEP = 8
MAP = sc2api_pb2.LocalMap(map_path="Any.SC2Map", map_data=bytes(range(256)) * 100)
CREATE = sc2api_pb2.RequestCreateGame(local_map=MAP, player_setup=[PLAYER, COMPUTER])
JOIN = sc2api_pb2.RequestJoinGame(race=common_pb2.Zerg, options=OPTIONS, player_name="text")
ALL_DATA = sc2api_pb2.RequestData(ability_id=True, unit_type_id=True, upgrade_id=True, buff_id=True, effect_id=True)


def action(tag: int) -> sc2api_pb2.RequestAction:
    command = raw_pb2.ActionRawUnitCommand(ability_id=3674, unit_tags=[tag])
    return sc2api_pb2.RequestAction(actions=[sc2api_pb2.Action(action_raw=raw_pb2.ActionRaw(unit_command=command))])


def play_episode(client: TextClient) -> list[int]:
    """One match in the order of pysc2's environment: observe, act, step. The game loops in which it acted."""
    loops = []
    assert client.ask(game_info=sc2api_pb2.RequestGameInfo()).game_info.map_name
    assert client.ask(data=ALL_DATA).data.abilities
    while True:
        response = client.ask(observation=sc2api_pb2.RequestObservation())
        if response.observation.player_result:
            assert response.status == ENDED
            return loops
        loops.append(response.observation.observation.game_loop)
        assert client.ask(action=action(2**32 + len(loops))).action.result == [1]
        client.ask(step=sc2api_pb2.RequestStep(count=STEP))


def test_an_episode_in_text_frames_is_played_and_restarted() -> None:
    with emulated() as game, TextClient(game.port) as client:
        assert client.ask(ping=sc2api_pb2.RequestPing()).HasField("ping")
        assert not client.ask(create_game=CREATE).create_game.HasField("error")
        assert client.ask(join_game=JOIN).status == IN_GAME
        loops = play_episode(client)
        assert loops == list(range(FIRST_LOOP, LAST_LOOP + 1, STEP))
        assert [loop for loop, _ in game.actions()] == loops
        assert client.ask(restart_game=sc2api_pb2.RequestRestartGame()).status == IN_GAME
        first = client.ask(observation=sc2api_pb2.RequestObservation())
        assert first.observation.observation.game_loop == FIRST_LOOP


def test_text_frames_through_the_proxy_are_recorded(tmp_path: Path) -> None:
    file = tmp_path / "match.mcap"
    with emulated() as game, proxied(game.address, "-o", str(file)) as proxy:
        with TextClient(proxy.port) as client:
            client.ask(create_game=CREATE)
            client.ask(join_game=JOIN)
            loops = play_episode(client)
            client.ask(quit=sc2api_pb2.RequestQuit())
        code, said = proxy.end()
        sent = [action.SerializeToString() for _, action in game.actions()]
    assert code == 0, said
    assert "0 game loops skipped" in said
    topics = recorded(file)
    actions = [each for bytes_ in topics["/actions"] for each in sc2api_pb2.RequestAction.FromString(bytes_).actions]
    assert len(actions) == len(loops)
    assert [each.SerializeToString() for each in actions] == sent
    events = [sync_pb2.Event.FromString(each) for each in topics["/events"]]
    assert [each.stepped.count for each in events if each.HasField("stepped")] == [STEP] * len(loops)


@pytest.mark.parametrize("origin", ["http://127.0.0.1:1", "http://localhost", "https://[::1]:5000"])
def test_an_origin_of_this_machine_does_not_reach_the_game(origin: str) -> None:
    with HandMadeGame() as game, proxied(game.address) as proxy:
        bot, peer = game.meet(proxy, Origin=origin)
        with bot:
            assert "Origin" not in peer.head and f"Host: {game.address}\r\n" in peer.head

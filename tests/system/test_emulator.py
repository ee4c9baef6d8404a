"""`abathur-sync emulate` by requests and frames by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import abathur
import mcap.reader
import pytest
from emulators import (
    COMPUTER,
    ENDED,
    FIRST_LOOP,
    IN_GAME,
    IN_REPLAY,
    INIT_GAME,
    LAST_LOOP,
    LAUNCHED,
    OPTIONS,
    PLAYER,
    delimited,
    emulated,
    raw_client,
    short_match,
)
from programs import SHARED, SKIRMISH, needs_observations, needs_sequences
from s2clientprotocol import common_pb2, debug_pb2, query_pb2, raw_pb2, sc2api_pb2
from s2clientprotocol.sc2api_pb2 import Request, Response

HATCHERY_LAIR_HIVE, TRAIN_QUEEN = (86, 100, 101), 1632
NOT_STARTED = "A game has not been started yet"
NOT_IN_GAME = "Not in a game"
ENDED_ALREADY = "Game has already ended"
NOT_WHEN_ENDED = "Not supported if game has already ended"


@pytest.fixture(scope="module")
def game() -> Iterator[abathur.EmulatedGame]:
    with emulated() as game:
        yield game


def recorded_payloads() -> dict[int, bytes]:
    with SKIRMISH.open("rb") as file:
        return {
            FIRST_LOOP + index: message.data
            for index, (_, _, message) in enumerate(mcap.reader.make_reader(file).iter_messages(["/observation"]))
        }


# --- the match


async def test_the_match_in_steps_is_the_recording_byte_for_byte(game: abathur.EmulatedGame) -> None:
    expected = recorded_payloads()
    async with raw_client(game) as client:
        assert (await client.create()).status == INIT_GAME
        joined = await client.join()
        assert (joined.status, joined.join_game.player_id) == (IN_GAME, 1)
        for loop in range(FIRST_LOOP, LAST_LOOP, 97):
            await client.socket.send_bytes(
                Request(observation=sc2api_pb2.RequestObservation(), id=5).SerializeToString()
            )
            answer = await client.socket.receive_bytes()
            if loop == FIRST_LOOP:
                # Nothing was stepped over: the bytes are those of the recording, and the envelope is around them.
                assert expected[loop] in answer
                assert len(answer) < len(expected[loop]) + 20
            response = Response.FromString(answer)
            assert (response.id, response.status) == (5, IN_GAME)
            assert response.observation.observation.game_loop == loop
            wanted = sc2api_pb2.ResponseObservation.FromString(expected[loop])
            assert response.observation.observation.raw_data.units == wanted.observation.raw_data.units
            assert response.observation.observation.player_common == wanted.observation.player_common
            assert not response.observation.player_result
            assert (await client.step(97)).step.simulation_loop == min(loop + 97, LAST_LOOP)


async def test_what_is_stepped_over_is_told_in_the_next_observation(game: abathur.EmulatedGame) -> None:
    expected = recorded_payloads()
    async with raw_client(game) as client:
        await client.join()
        seen: list[int] = []
        actions = 0
        response = await client.observe()
        while response.status == IN_GAME:
            seen += response.observation.observation.raw_data.event.dead_units
            actions += len(response.observation.actions)
            await client.step(22)
            response = await client.observe()
        seen += response.observation.observation.raw_data.event.dead_units
        actions += len(response.observation.actions)
    every = [sc2api_pb2.ResponseObservation.FromString(data) for data in expected.values()]
    assert len(seen) > 50
    assert seen == [tag for each in every for tag in each.observation.raw_data.event.dead_units]
    assert actions == sum(len(each.actions) for each in every)


async def test_the_end_has_results_and_takes_no_more_steps(game: abathur.EmulatedGame) -> None:
    async with raw_client(game) as client:
        await client.join()
        stepped = await client.step(2**32 - 1)
        assert (stepped.status, stepped.step.simulation_loop) == (ENDED, LAST_LOOP)
        for _ in range(2):
            last = await client.observe()
            assert last.status == ENDED
            assert last.observation.observation.game_loop == LAST_LOOP
            results = [(each.player_id, each.result) for each in last.observation.player_result]
            assert results == [(1, sc2api_pb2.Victory), (2, sc2api_pb2.Defeat)]
        refused = await client.step(1)
        assert (list(refused.error), refused.status) == ([ENDED_ALREADY], ENDED)
        assert (await client.ask(restart_game=sc2api_pb2.RequestRestartGame())).status == IN_GAME
        assert (await client.observe()).observation.observation.game_loop == FIRST_LOOP


async def test_a_recording_without_results_has_those_that_are_asked_for(tmp_path: Path) -> None:
    path = short_match(tmp_path, 3)
    for option, mine, theirs in (("defeat", 2, 1), ("tie", 3, 3), ("undecided", 4, 4)):
        with emulated(path, result=option) as game:
            async with raw_client(game) as client:
                await client.join()
                assert [(await client.step(1)).status for _ in range(3)] == [IN_GAME, IN_GAME, ENDED]
                results = (await client.observe()).observation.player_result
                assert [(each.player_id, each.result) for each in results] == [(1, mine), (2, theirs)]


async def test_every_eighth_loop_is_answered_for_those_between(tmp_path: Path) -> None:
    path = short_match(tmp_path, 33)
    eighth = tmp_path / "eighth.obs"
    with abathur.open(SKIRMISH) as match:
        frames = [each.response.SerializeToString() for each in match.frames(stop=FIRST_LOOP + 33)][::8]
    eighth.write_bytes(delimited(frames))
    path.unlink()
    with emulated(eighth) as game:
        async with raw_client(game) as client:
            await client.join()
            loops = []
            for _ in range(17):
                loops.append((await client.observe()).observation.observation.game_loop - FIRST_LOOP)
                await client.step(2)
    assert loops == [0, 0, 0, 0, 8, 8, 8, 8, 16, 16, 16, 16, 24, 24, 24, 24, 32]


async def test_in_real_time_an_observation_waits_for_its_game_loop(tmp_path: Path) -> None:
    with emulated(short_match(tmp_path, 20)) as game:
        async with raw_client(game) as client:
            await client.create(realtime=True)
            await client.join()
            refused = await client.step(1)
            assert refused.error and refused.status == IN_GAME
            loops = []
            wanted = FIRST_LOOP
            while (response := await client.observe(game_loop=wanted)).status == IN_GAME:
                loops.append(response.observation.observation.game_loop)
                assert loops[-1] >= wanted
                wanted = loops[-1] + 3
            assert response.status == ENDED and response.observation.player_result
            assert loops == sorted(set(loops)) and len(loops) > 1


async def test_a_replay_is_watched_and_takes_no_actions(game: abathur.EmulatedGame) -> None:
    async with raw_client(game) as client:
        assert (await client.replay()).status == IN_REPLAY
        assert (await client.observe()).observation.observation.game_loop == FIRST_LOOP
        refused = await client.ask(action=sc2api_pb2.RequestAction())
        assert (list(refused.error), refused.status) == ([NOT_IN_GAME], IN_REPLAY)
        moved = sc2api_pb2.ObserverAction(camera_move=sc2api_pb2.ActionObserverCameraMove())
        watched = await client.ask(obs_action=sc2api_pb2.RequestObserverAction(actions=[moved]))
        assert watched.HasField("obs_action") and not watched.error
        assert (await client.step(10_000)).status == ENDED
        assert (await client.observe()).observation.player_result


@pytest.mark.parametrize("setup", ["join_game", "start_replay"])
async def test_feature_layers_that_are_not_recorded_are_warned_of_once(
    setup: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    layers = sc2api_pb2.InterfaceOptions(raw=True, feature_layer=sc2api_pb2.SpatialCameraSetup(width=24))
    requests = {
        "join_game": sc2api_pb2.RequestJoinGame(race=2, options=layers),
        "start_replay": sc2api_pb2.RequestStartReplay(replay_path="any", options=layers),
    }
    with emulated(short_match(tmp_path, 3)) as game:
        async with raw_client(game) as client:
            for _ in range(2):
                assert not (await client.ask(**{setup: requests[setup]})).error
                await client.ask(leave_game=sc2api_pb2.RequestLeaveGame())
    warned = [record.getMessage() for record in caplog.records]
    assert len(warned) == 1
    assert "asked for feature layers" in warned[0] and "the recording has none" in warned[0]


@needs_sequences
@needs_observations
async def test_game_info_of_another_race_than_the_recorded_players_is_warned_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    zerg = SHARED / "sequences" / "berlingrad-zvz-mid.obs.zst"
    terran = SHARED / "observations" / "BerlingradAIE" / "game_info.binpb"
    data = SHARED / "observations" / "game_data.binpb"
    with emulated(zerg, game_info=terran, game_data=data, timeout=60) as game:
        async with raw_client(game) as client:
            await client.join()
            # The spawning pool is under construction at first.
            await client.step(900)
            units = (await client.observe()).observation.observation.raw_data.units
            complete = [unit for unit in units if unit.alliance == 1 and unit.build_progress == 1]
            halls = [unit for unit in complete if unit.unit_type in HATCHERY_LAIR_HIVE]
            asked = [query_pb2.RequestQueryAvailableAbilities(unit_tag=hall.tag) for hall in halls]
            query = query_pb2.RequestQuery(abilities=asked, ignore_resource_requirements=True)
            abilities = (await client.ask(query=query)).query.abilities
    assert halls and all(TRAIN_QUEEN in {each.ability_id for each in hall.abilities} for hall in abilities)
    warned = [record.getMessage() for record in caplog.records]
    assert len(warned) == 1
    assert "player 1 is Terran" in warned[0] and "units are Zerg" in warned[0] and "--game-info" in warned[0]


# --- requests


async def test_ids_come_back_and_requests_are_answered_in_order(game: abathur.EmulatedGame) -> None:
    async with raw_client(game) as client:
        for number in (1, 2**32 - 1, 0):
            await client.socket.send_bytes(Request(ping=sc2api_pb2.RequestPing(), id=number).SerializeToString())
        await client.socket.send_bytes(Request(available_maps=sc2api_pb2.RequestAvailableMaps()).SerializeToString())
        assert [(await client.answer()).id for _ in range(3)] == [1, 2**32 - 1, 0]
        last = await client.answer()
        assert not last.HasField("id") and last.HasField("status")
        assert list(last.available_maps.local_map_paths) == ["SyntheticLE.SC2Map"]
        assert list(last.available_maps.battlenet_map_names) == ["Synthetic LE"]


async def test_ping_says_what_clients_read(game: abathur.EmulatedGame) -> None:
    async with raw_client(game) as client:
        ping = (await client.ask(ping=sc2api_pb2.RequestPing())).ping
    assert ping.game_version.count(".") >= 2
    assert ping.base_build > 90_000 and ping.data_build > 90_000 and len(ping.data_version) == 32


async def test_data_has_the_kinds_that_are_asked_for(game: abathur.EmulatedGame) -> None:
    async with raw_client(game) as client:
        await client.join()
        units = (await client.ask(data=sc2api_pb2.RequestData(unit_type_id=True, buff_id=True))).data
        everything = (
            await client.ask(
                data=sc2api_pb2.RequestData(
                    ability_id=True, unit_type_id=True, upgrade_id=True, buff_id=True, effect_id=True
                )
            )
        ).data
        nothing = await client.ask(data=sc2api_pb2.RequestData())
    assert units.units and units.buffs and not (units.abilities or units.upgrades or units.effects)
    assert everything.units == units.units and everything.effects
    # Attack, which clients order by, and which the simulated match has not.
    assert 3674 in [each.ability_id for each in everything.abilities]
    assert nothing.HasField("data") and nothing.data.ByteSize() == 0


async def test_game_info_is_the_recorded_one(game: abathur.EmulatedGame) -> None:
    with abathur.open(SKIRMISH) as match:
        expected = match.game_info()
    async with raw_client(game) as client:
        await client.join()
        assert (await client.ask(game_info=sc2api_pb2.RequestGameInfo())).game_info == expected


async def test_actions_are_accepted_and_logged_with_their_loop() -> None:
    command = raw_pb2.ActionRawUnitCommand(ability_id=23, unit_tags=[2**63 + 1, 2])
    order = sc2api_pb2.Action(action_raw=raw_pb2.ActionRaw(unit_command=command))
    chat = sc2api_pb2.Action(action_chat=sc2api_pb2.ActionChat(channel=1, message="gl hf\u2028\n日本"))
    spawn = debug_pb2.DebugCommand(create_unit=debug_pb2.DebugCreateUnit(unit_type=48))
    with emulated() as game:
        async with raw_client(game) as client:
            await client.join()
            first = await client.ask(action=sc2api_pb2.RequestAction(actions=[order, chat]))
            await client.ask(debug=sc2api_pb2.RequestDebug(debug=[spawn]))
            await client.step(10)
            await client.ask(action=sc2api_pb2.RequestAction(actions=[chat]))
            empty = await client.ask(action=sc2api_pb2.RequestAction())
            expected = [(FIRST_LOOP, order), (FIRST_LOOP, chat), (FIRST_LOOP + 10, chat)]
            assert game.actions() == expected
    assert game.actions() == expected, "also after the end"
    assert list(first.action.result) == [1, 1]
    assert empty.HasField("action") and not empty.action.result


async def test_queries_are_answered_in_number_and_order(game: abathur.EmulatedGame) -> None:
    async with raw_client(game) as client:
        await client.join()
        observed = (await client.observe()).observation.observation
        mine = [unit for unit in observed.raw_data.units if unit.alliance == 1]
        walker = next(unit for unit in mine if unit.unit_type == 105)
        flier = next(unit for unit in mine if unit.is_flying)
        hatchery = next(unit for unit in mine if unit.unit_type == 86)
        drone = next(unit for unit in mine if unit.unit_type == 104)
        here = common_pb2.Point2D(x=walker.pos.x, y=walker.pos.y)
        outside = common_pb2.Point2D(x=-5, y=1e30)
        nowhere = common_pb2.Point2D(x=float("nan"), y=float("inf"))
        at = common_pb2.Point2D(x=hatchery.pos.x, y=hatchery.pos.y)
        pathing = [
            query_pb2.RequestQueryPathing(unit_tag=walker.tag, end_pos=common_pb2.Point2D(x=126.5, y=40.5)),
            query_pb2.RequestQueryPathing(start_pos=here, end_pos=outside),
            query_pb2.RequestQueryPathing(start_pos=nowhere, end_pos=here),
            query_pb2.RequestQueryPathing(unit_tag=1, end_pos=here),
            query_pb2.RequestQueryPathing(unit_tag=flier.tag, end_pos=here),
            query_pb2.RequestQueryPathing(),
        ]
        placements = [
            query_pb2.RequestQueryBuildingPlacement(ability_id=1155, target_pos=at),
            query_pb2.RequestQueryBuildingPlacement(ability_id=1155, target_pos=common_pb2.Point2D(x=93.5, y=79.5)),
            query_pb2.RequestQueryBuildingPlacement(ability_id=99999, target_pos=at),
            query_pb2.RequestQueryBuildingPlacement(ability_id=1155, target_pos=nowhere),
            query_pb2.RequestQueryBuildingPlacement(ability_id=1155),
        ]
        abilities = [query_pb2.RequestQueryAvailableAbilities(unit_tag=tag) for tag in (drone.tag, 12345, walker.tag)]
        asked = query_pb2.RequestQuery(
            pathing=pathing, placements=placements, abilities=abilities, ignore_resource_requirements=True
        )
        answer = (await client.ask(query=asked)).query
        many = query_pb2.RequestQuery(pathing=[pathing[0]] * 10_001)
        refused = await client.ask(query=many)
    distances = [each.distance for each in answer.pathing]
    straight = ((126.5 - walker.pos.x) ** 2 + (40.5 - walker.pos.y) ** 2) ** 0.5
    assert straight <= distances[0] < 3 * straight
    assert distances[1:4] == [0, 0, 0] and distances[4] > 0 and distances[5] == 0
    results = [each.result for each in answer.placements]
    assert results[0] == 44
    assert results[2] == 2
    assert results[3:] == [44, 41]
    assert [each.unit_tag for each in answer.abilities] == [drone.tag, 12345, walker.tag]
    assert answer.abilities[0].unit_type_id == 104
    assert not answer.abilities[1].abilities
    assert {23, 16} <= {each.ability_id for each in answer.abilities[2].abilities}
    assert refused.error and refused.status == IN_GAME


async def test_the_rest_of_the_requests_is_answered_by_its_kind(game: abathur.EmulatedGame) -> None:
    async with raw_client(game) as client:
        await client.join()
        requests = {
            "save_replay": sc2api_pb2.RequestSaveReplay(),
            "quick_save": sc2api_pb2.RequestQuickSave(),
            "quick_load": sc2api_pb2.RequestQuickLoad(),
            "map_command": sc2api_pb2.RequestMapCommand(trigger_cmd="x"),
            "save_map": sc2api_pb2.RequestSaveMap(map_path="x"),
            "debug": sc2api_pb2.RequestDebug(),
            "obs_action": sc2api_pb2.RequestObserverAction(),
            "replay_info": sc2api_pb2.RequestReplayInfo(replay_path="x"),
        }
        answers = {}
        for kind, message in requests.items():
            response = await client.ask(**{kind: message})
            assert response.WhichOneof("response") == kind and not response.error and response.status == IN_GAME
            answers[kind] = getattr(response, kind)
        missing = (await client.ask(replay_info=sc2api_pb2.RequestReplayInfo())).replay_info
        fogless = await client.observe(disable_fog=True)
    assert answers["save_replay"].data
    info = answers["replay_info"]
    assert (info.map_name, info.game_duration_loops) == ("Synthetic LE", LAST_LOOP)
    assert [each.player_result.result for each in info.player_info] == [sc2api_pb2.Victory, sc2api_pb2.Defeat]
    assert missing.error == sc2api_pb2.ResponseReplayInfo.MissingReplay
    assert fogless.HasField("observation")


@pytest.mark.parametrize(
    ("status", "kind", "error"),
    [
        *[(status, kind, NOT_STARTED) for status in (LAUNCHED, INIT_GAME)
          for kind in ("observation", "game_info", "data", "step", "query", "leave_game")],
        *[(status, kind, NOT_IN_GAME) for status in (LAUNCHED, INIT_GAME)
          for kind in ("action", "debug", "save_replay")],
        *[(IN_REPLAY, kind, NOT_IN_GAME) for kind in ("action", "debug", "save_replay", "quick_save", "map_command")],
        (ENDED, "step", ENDED_ALREADY),
        *[(ENDED, kind, NOT_WHEN_ENDED) for kind in ("action", "query", "debug", "obs_action", "quick_load")],
        (IN_GAME, "join_game", "JoinGame is not valid in status in_game"),
        (INIT_GAME, "create_game", "CreateGame is not valid in status init_game"),
        (ENDED, "join_game", "JoinGame is not valid in status ended"),
        (LAUNCHED, "restart_game", "RestartGame is not valid in status launched"),
    ],
)  # fmt: skip
async def test_a_request_at_the_wrong_time_is_refused_and_changes_nothing(
    game: abathur.EmulatedGame, status: int, kind: str, error: str
) -> None:
    async with raw_client(game) as client:
        await client.reach(status)
        empty = Request()
        getattr(empty, kind).SetInParent()
        empty.id = 3
        await client.socket.send_bytes(empty.SerializeToString())
        response = await client.answer()
        assert list(response.error) == [error]
        assert (response.id, response.status, response.WhichOneof("response")) == (3, status, None)
        assert (await client.ask(ping=sc2api_pb2.RequestPing())).status == status


@pytest.mark.parametrize("status", [LAUNCHED, INIT_GAME, IN_GAME, IN_REPLAY, ENDED])
async def test_some_requests_are_valid_at_any_time(game: abathur.EmulatedGame, status: int) -> None:
    async with raw_client(game) as client:
        await client.reach(status)
        for kind in ("ping", "available_maps", "replay_info", "save_map"):
            message = Request()
            getattr(message, kind).SetInParent()
            await client.socket.send_bytes(message.SerializeToString())
            response = await client.answer()
            assert (response.WhichOneof("response"), response.status, list(response.error)) == (kind, status, [])


async def test_what_a_setup_lacks_is_said_by_its_own_error(game: abathur.EmulatedGame) -> None:
    create, join, replay = sc2api_pb2.RequestCreateGame, sc2api_pb2.RequestJoinGame, sc2api_pb2.RequestStartReplay
    some_map = sc2api_pb2.LocalMap(map_path="x")
    async with raw_client(game) as client:
        await client.reach(LAUNCHED)
        creating = sc2api_pb2.ResponseCreateGame
        for create_request, create_error in (
            (create(player_setup=[PLAYER]), creating.MissingMap),
            (create(local_map=some_map), creating.MissingPlayerSetup),
            (create(local_map=some_map, player_setup=[COMPUTER, COMPUTER]), creating.InvalidPlayerSetup),
        ):
            response = await client.ask(create_game=create_request)
            assert (response.create_game.error, response.status) == (create_error, LAUNCHED)
        joining = sc2api_pb2.ResponseJoinGame
        for join_request, join_error in (
            (join(options=OPTIONS), joining.MissingParticipation),
            (join(race=1), joining.MissingOptions),
            (join(observed_player_id=9, options=OPTIONS), joining.InvalidObservedPlayerId),
        ):
            response = await client.ask(join_game=join_request)
            assert (response.join_game.error, response.status) == (join_error, LAUNCHED)
            assert not response.join_game.HasField("player_id")
        starting = sc2api_pb2.ResponseStartReplay
        for replay_request, replay_error in (
            (replay(options=OPTIONS), starting.MissingReplay),
            (replay(replay_data=b"x"), starting.MissingOptions),
            (replay(replay_path="x", options=OPTIONS, observed_player_id=9), starting.InvalidObservedPlayerId),
        ):
            response = await client.ask(start_replay=replay_request)
            assert (response.start_replay.error, response.status) == (replay_error, LAUNCHED)

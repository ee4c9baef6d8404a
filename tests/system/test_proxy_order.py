"""What `abathur-sync proxy` records, and in which order: one match, and a request after the answer before it."""

from __future__ import annotations

from pathlib import Path

import pytest
from abathur.sync.v1 import sync_pb2
from emulators import ENDED, FIRST_LOOP, LAST_LOOP, OPTIONS, emulated
from mcap.reader import make_reader
from proxies import proxied, recorded
from s2clientprotocol import raw_pb2, sc2api_pb2
from s2clientprotocol.sc2api_pb2 import Request, Response
from websockets_by_hand import BINARY, Connection

OBSERVE = Request(observation=sc2api_pb2.RequestObservation())
JOIN = sc2api_pb2.RequestJoinGame(race=2, options=OPTIONS)
LOOPS_PER_SECOND = 22.4


def sent(request: Request) -> bytes:
    """A request in one frame. A mask of zeros costs the client no time."""
    payload = request.SerializeToString()
    assert len(payload) < 126
    return bytes([0x80 | BINARY, 0x80 | len(payload)]) + bytes(4) + payload


def asked(bot: Connection, **request: object) -> Response:
    """The game's answer to a request."""
    bot.send(sent(Request(**request)))
    answer = bot.read()
    assert answer is not None
    return Response.FromString(answer.payload)


def act(game_loop: int) -> Request:
    """An action that names the game loop in which it is made."""
    command = raw_pb2.ActionRawUnitCommand(ability_id=16, unit_tags=[game_loop])
    action = sc2api_pb2.Action(action_raw=raw_pb2.ActionRaw(unit_command=command))
    return Request(action=sc2api_pb2.RequestAction(actions=[action]))


def play(bot: Connection, step: int) -> list[int]:
    """Observe, act and step to the end of the match, as fast as the answers come. The game loops seen."""
    asked(bot, join_game=JOIN)
    observing, stepping = sent(OBSERVE), sent(Request(step=sc2api_pb2.RequestStep(count=step)))
    loops: list[int] = []
    while True:
        bot.send(observing)
        answer = bot.read()
        assert answer is not None
        response = Response.FromString(answer.payload)
        if response.status == ENDED:
            return loops
        loops.append(response.observation.observation.game_loop)
        for request in (sent(act(loops[-1])), stepping):
            bot.send(request)
            assert bot.read() is not None


@pytest.mark.parametrize("step", [2, 4, 8, 16])
def test_a_bot_that_observes_each_step_skips_no_loops_and_acts_in_the_loop_it_saw(tmp_path: Path, step: int) -> None:
    file = tmp_path / "match.mcap"
    with emulated() as game, proxied(game.address, "-o", str(file)) as proxy:
        with Connection(proxy.port, "/sc2api") as bot:
            loops = play(bot, step)
            asked(bot, quit=sc2api_pb2.RequestQuit())
        code, said = proxy.end()
    assert code == 0, said
    assert loops == list(range(FIRST_LOOP, LAST_LOOP + 1, step))
    assert " 0 game loops skipped" in said, said
    actions, steps = [], []
    with file.open("rb") as recording:
        for _, channel, message in make_reader(recording).iter_messages():
            if channel.topic == "/actions":
                recorded_loop = round(message.publish_time * LOOPS_PER_SECOND / 1e9)
                request = sc2api_pb2.RequestAction.FromString(message.data)
                actions.append((recorded_loop, request.actions[0].action_raw.unit_command.unit_tags[0]))
            elif channel.topic == "/events":
                event = sync_pb2.Event.FromString(message.data)
                if event.HasField("stepped"):
                    steps.append((event.game_loop, event.stepped.count))
    assert actions == [(loop, loop) for loop in loops]
    assert steps == [(loop, step) for loop in loops]


def observe_and_act(bot: Connection) -> tuple[int, int]:
    """The loop of an observation, in which an action is made; and the game's status."""
    response = asked(bot, observation=sc2api_pb2.RequestObservation())
    loop = response.observation.observation.game_loop
    bot.send(sent(act(loop)))
    assert bot.read() is not None
    return loop, response.status


def kept(file: Path) -> tuple[list[int], list[int], int]:
    """Of a recording: loops of the observations, loops named by the actions, and the number of steps."""
    topics = recorded(file)
    observations = [sc2api_pb2.ResponseObservation.FromString(each) for each in topics["/observation"]]
    actions = [sc2api_pb2.RequestAction.FromString(each) for each in topics["/actions"]]
    return (
        [each.observation.game_loop for each in observations],
        [each.actions[0].action_raw.unit_command.unit_tags[0] for each in actions],
        sum(sync_pb2.Event.FromString(each).HasField("stepped") for each in topics["/events"]),
    )


@pytest.mark.parametrize("how", ["restart_game", "quick_load", "create_game"])
def test_a_match_that_starts_over_ends_and_the_next_is_not_recorded(tmp_path: Path, how: str) -> None:
    file = tmp_path / "match.mcap"
    with emulated() as game, proxied(game.address, "-o", str(file)) as proxy:
        with Connection(proxy.port, "/sc2api") as bot:
            asked(bot, join_game=JOIN)
            asked(bot, quick_save=sc2api_pb2.RequestQuickSave())
            for _ in range(3):
                observe_and_act(bot)
                asked(bot, step=sc2api_pb2.RequestStep(count=100))
            if how == "restart_game":
                asked(bot, restart_game=sc2api_pb2.RequestRestartGame())
            elif how == "quick_load":
                asked(bot, quick_load=sc2api_pb2.RequestQuickLoad())
            else:
                players = [sc2api_pb2.PlayerSetup(type=1), sc2api_pb2.PlayerSetup(type=2)]
                asked(bot, create_game=sc2api_pb2.RequestCreateGame(battlenet_map_name="x", player_setup=players))
                asked(bot, join_game=JOIN)
            # The next match passes, but is not of this recording.
            for number in range(4):
                assert observe_and_act(bot)[0] == FIRST_LOOP + 10 * number
                asked(bot, step=sc2api_pb2.RequestStep(count=10))
            asked(bot, quit=sc2api_pb2.RequestQuit())
        code, said = proxy.end()
    assert code == 0, said
    loops = [FIRST_LOOP, FIRST_LOOP + 100, FIRST_LOOP + 200]
    assert kept(file) == (loops, loops, 3)


def test_actions_and_steps_after_the_results_are_not_recorded(tmp_path: Path) -> None:
    file = tmp_path / "match.mcap"
    with emulated() as game, proxied(game.address, "-o", str(file)) as proxy:
        with Connection(proxy.port, "/sc2api") as bot:
            asked(bot, join_game=JOIN)
            observe_and_act(bot)
            asked(bot, step=sc2api_pb2.RequestStep(count=5000))
            assert observe_and_act(bot) == (LAST_LOOP, ENDED)
            asked(bot, restart_game=sc2api_pb2.RequestRestartGame())
            for _ in range(4):
                observe_and_act(bot)
                asked(bot, step=sc2api_pb2.RequestStep(count=8))
            asked(bot, quit=sc2api_pb2.RequestQuit())
        code, said = proxy.end()
    assert code == 0, said
    assert kept(file) == ([FIRST_LOOP, LAST_LOOP], [FIRST_LOOP], 1)

"""Unchanged bots of python-sc2 on `abathur-sync emulate`: no line of theirs knows that this is not the game."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import abathur
import aiohttp
import emulator_bot
import pytest
from emulator_bot import Watcher
from emulators import FIRST_LOOP, LAST_LOOP, emulated, short_match
from programs import ROOT, SHARED, SKIRMISH, daemon_command, matrix, needs_observations, start
from s2clientprotocol import sc2api_pb2
from sc2.bot_ai import BotAI
from sc2.client import Client
from sc2.controller import Controller
from sc2.data import Alliance, Race, Result, Status
from sc2.game_state import GameState
from sc2.main import GameMatch, _play_game, _play_replay, play_from_websocket, run_match
from sc2.maps import Map
from sc2.player import Bot, Computer
from sc2.protocol import ProtocolError
from sc2.sc2process import SC2Process

# python-sc2 passes aiohttp a timeout in the old way.
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning:sc2", "ignore:parameter 'timeout':DeprecationWarning"
)

BOT = Path(emulator_bot.__file__)
MAPS = sorted(path.name for path in (SHARED / "observations").glob("*/") if (path / "observation.binpb").exists())


def expected(loops: list[int]) -> dict[int, sc2api_pb2.ResponseObservation]:
    wanted = set(loops)
    with abathur.open(SKIRMISH) as match:
        return {frame.game_loop: frame.response for frame in match.frames() if frame.game_loop in wanted}


def deaths(until: int) -> list[int]:
    with abathur.open(SKIRMISH) as match:
        return [tag for frame in match.frames(stop=until + 1) for tag in frame.observation.raw_data.event.dead_units]


async def test_a_bot_plays_the_whole_recording_in_steps() -> None:
    bot = Watcher()
    with emulated() as game:
        result = await play_from_websocket(game.url, Bot(Race.Zerg, bot), False, None)
    assert result == bot.result == Result.Victory
    assert bot.started
    assert bot.loops == list(range(FIRST_LOOP, LAST_LOOP + 1, bot.client.game_step))
    recorded = expected(bot.loops)
    for loop, minerals, tags in zip(bot.loops, bot.minerals_seen, bot.tags_seen, strict=True):
        observation = recorded[loop].observation
        assert minerals == observation.player_common.minerals
        assert tags == {unit.tag for unit in observation.raw_data.units if not unit.is_blip}
    # Those that died in the loops between two steps are among them.
    assert bot.destroyed == deaths(bot.loops[-1])
    first = bot.first
    assert first["townhalls"] == 3 and first["expansions"] > 8
    assert first["races"] == (Race.Zerg, Race.Protoss)
    assert first["walk"] > 0 and len(first["walks"]) == first["walkers"] and max(first["walks"]) > 50
    assert len(first["abilities"]) == first["units"]
    assert sum(1 for each in first["abilities"] if each) >= first["walkers"]
    assert first["on hall"] == [False] and first["spot"] is not None
    assert [each.name for each in first["results"]] == ["Success", "Success"]
    ordered = game.actions()
    assert ordered[0][0] == FIRST_LOOP and ordered[0][1].action_chat.message == "gl hf"
    assert ordered[-1][1].action_raw.unit_command.target_world_space_pos.x > 0
    assert len(ordered) > 6


async def test_a_bot_plays_in_real_time(tmp_path: Path) -> None:
    bot = Watcher()
    with emulated(short_match(tmp_path, 134), realtime=True, result="tie") as game:
        result = await play_from_websocket(game.url, Bot(Race.Zerg, bot), True, None)
    assert result == bot.result == Result.Tie
    assert bot.loops == sorted(set(bot.loops)) and bot.loops[-1] < FIRST_LOOP + 134
    assert len(bot.loops) > 1


async def test_a_bot_plays_the_whole_recording_through_the_proxy(tmp_path: Path) -> None:
    bot, recording = Watcher(), tmp_path / "played.mcap"
    with emulated() as game:
        ports = ["--grpc-port", "0", "--socket-port", "0"]
        daemon = start("proxy", "--once", "--listen", "0", "--sc2", game.address, *ports, "-o", str(recording))
        url = daemon.addresses["sc2api"].replace("sc2api://", "ws://") + "/sc2api"
        result = await play_from_websocket(url, Bot(Race.Zerg, bot), False, None)
        assert await asyncio.to_thread(daemon.wait if daemon.process.poll() is not None else daemon.stop) == 0
    for stream in (daemon.process.stdout, daemon.process.stderr):
        assert stream is not None
        stream.close()
    assert result == bot.result == Result.Victory
    assert bot.loops == list(range(FIRST_LOOP, LAST_LOOP + 1, 4))
    assert bot.destroyed == deaths(bot.loops[-1])
    assert len(game.actions()) > 6
    # What the bot saw is recorded on the way, and can be played again.
    with abathur.open(recording) as match:
        assert sorted({frame.game_loop for frame in match.frames()})[: len(bot.loops)] == bot.loops
    again = Watcher()
    with emulated(recording, result="victory") as game:
        assert await play_from_websocket(game.url, Bot(Race.Zerg, again), False, None) == Result.Victory
    assert (again.loops, again.tags_seen, again.destroyed) == (bot.loops, bot.tags_seen, bot.destroyed)


@pytest.mark.parametrize("start_port", [(), ("--StartPort", "5690")])
def test_a_bot_plays_by_ladder_arguments(start_port: tuple[str, ...]) -> None:
    with emulated() as game:
        done = subprocess.run(
            [sys.executable, str(BOT), *game.ladder_arguments, *start_port, "--OpponentId", "x"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["result"] == "Victory"
    assert told["loops"] == list(range(FIRST_LOOP, LAST_LOOP + 1, 4))


async def test_a_host_creates_joins_saves_leaves_and_quits() -> None:
    """What python-sc2 does around a match, by its own functions."""
    bot = Watcher()
    with emulated() as game:
        async with aiohttp.ClientSession() as session, session.ws_connect(game.url, max_msg_size=0) as ws:
            controller = Controller(ws, SC2Process())
            await controller.ping()
            assert controller._status == Status.launched
            maps = (await controller.request_available_maps()).available_maps
            players = [Bot(Race.Zerg, bot), Computer(Race.Protoss)]
            created = await controller.create_game(Map(Path(maps.local_map_paths[0])), players, realtime=False)
            assert not created.create_game.HasField("error")
            client = Client(ws)
            assert await _play_game(players[0], client, False, None) == Result.Victory
            with pytest.raises(ProtocolError) as over:
                await client.step()
            assert over.value.is_game_over_error
            with pytest.raises(ProtocolError) as over:
                await client.query_pathing(bot.start_location, bot.game_info.map_center)
            assert over.value.is_game_over_error
            replay = Path(controller._process._tmp_dir) / "match.SC2Replay"
            await client.save_replay(str(replay))
            assert replay.read_bytes()
            await client.leave()
            assert client._status == Status.launched
            await client.quit()
            assert client._status == Status.quit
            controller._process._clean(verbose=False)


async def test_a_match_of_python_sc2_against_a_computer() -> None:
    bot, computer = Bot(Race.Zerg, Watcher()), Computer(Race.Protoss)
    with emulated() as game:
        async with aiohttp.ClientSession() as session, session.ws_connect(game.url, max_msg_size=0) as ws:
            process = SC2Process(port=game.port)
            match = GameMatch(Map(Path("Any.SC2Map")), [bot, computer], realtime=False)
            results = await run_match([Controller(ws, process)], match, close_ws=False)
            process._clean(verbose=False)
    assert results == {bot: Result.Victory, computer: Result.Defeat}


async def test_a_bot_that_resigns_leaves_the_game_for_the_next() -> None:
    class Resigns(Watcher):
        async def on_step(self, iteration: int) -> None:
            await super().on_step(iteration)
            if iteration == 3:
                await self.client.leave()

    with emulated() as game:
        resigning = Resigns()
        assert await play_from_websocket(game.url, Bot(Race.Zerg, resigning), False, None) == Result.Defeat
        assert len(resigning.loops) == 4
        for _ in range(2):
            bot = Watcher()
            bot_player = Bot(Race.Zerg, bot)
            assert await play_from_websocket(game.url, bot_player, False, None, game_time_limit=405) == Result.Tie
            assert bot.loops[0] == FIRST_LOOP


async def test_an_observer_watches_it_as_a_replay(tmp_path: Path) -> None:
    # python-sc2's own ObserverAI lacks methods that its own main calls.
    class Observer(BotAI):
        loops: list[int] = []  # noqa: RUF012
        result = None

        async def on_start(self) -> None:
            assert self.all_units

        async def on_step(self, iteration: int) -> None:
            self.loops.append(self.state.game_loop)

        async def on_end(self, game_result: Result) -> None:
            self.result = game_result

    observer = Observer()
    with emulated(short_match(tmp_path, 20)) as game:
        async with aiohttp.ClientSession() as session, session.ws_connect(game.url, max_msg_size=0) as ws:
            client = Client(ws)
            options = sc2api_pb2.InterfaceOptions(raw=True, score=True)
            await client._execute(
                start_replay=sc2api_pb2.RequestStartReplay(
                    replay_path="any.SC2Replay", observed_player_id=1, options=options
                )
            )
            assert client._status == Status.in_replay
            await _play_replay(client, observer, False, 1)
    assert observer.loops == list(range(FIRST_LOOP, FIRST_LOOP + 20))
    assert observer.result == Result.Undecided


@pytest.mark.skipif(sys.platform != "linux", reason="a program in place of the game, as Linux starts it")
def test_run_game_starts_the_emulator_in_place_of_the_game(tmp_path: Path) -> None:
    """`sc2.main.run_game` finds, starts, plays and ends it as the game: a folder with the game's layout is enough."""
    install = tmp_path / "StarCraftII"
    binary = install / "Versions" / "Base93333" / "SC2_x64"
    binary.parent.mkdir(parents=True)
    (install / "Maps").mkdir()
    (install / "Maps" / "Simulated.SC2Map").touch()
    binary.write_text(
        textwrap.dedent(f"""\
            #!{sys.executable}
            import os, sys
            port = sys.argv[sys.argv.index("-port") + 1]
            command = {daemon_command("emulate", str(SKIRMISH), "--listen")!r}
            os.execvp(command[0], [*command, port])
            """),
        encoding="utf-8",
    )
    binary.chmod(0o755)
    script = textwrap.dedent(f"""\
        import sys
        sys.path.insert(0, {str(BOT.parent)!r})
        from emulator_bot import Watcher
        from sc2 import maps
        from sc2.data import Difficulty, Race
        from sc2.main import run_game
        from sc2.player import Bot, Computer
        bot = Watcher()
        players = [Bot(Race.Zerg, bot), Computer(Race.Protoss, Difficulty.Hard)]
        result = run_game(maps.get("Simulated"), players, realtime=False, save_replay_as={str(tmp_path / "r")!r})
        print("result", result.name, len(bot.loops))
        """)
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "SC2PATH": str(install)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "result Victory 336" in done.stdout
    assert (tmp_path / "r").stat().st_size > 0


def test_the_fixture_in_the_documentation_works(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "emulator.md").read_text(encoding="utf-8")
    code = page.partition("```py\n")[2].partition("```")[0]
    (tmp_path / "test_bot.py").write_text(code, encoding="utf-8")
    settings = page.partition("```toml\n")[2].partition("```")[0]
    assert "asyncio_mode" in settings
    (tmp_path / "pyproject.toml").write_text(settings, encoding="utf-8")
    options = ["-q", "-c", str(tmp_path / "pyproject.toml"), "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(tmp_path / "test_bot.py")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


@needs_observations
@pytest.mark.parametrize("name", matrix(*MAPS) if MAPS else [pytest.param("none", marks=needs_observations)])
async def test_a_real_frame_is_a_match_of_one_frame(name: str) -> None:
    """python-sc2's own parsing of game info, game data, state and units, and its first step, on real data."""
    folder = SHARED / "observations" / name
    recorded = sc2api_pb2.ResponseObservation.FromString((folder / "observation.binpb").read_bytes())
    info = sc2api_pb2.ResponseGameInfo.FromString((folder / "game_info.binpb").read_bytes())
    bot = Watcher()
    race = next(each.race_actual for each in info.player_info if each.HasField("race_actual"))
    with emulated(folder, result="victory") as game:
        result = await play_from_websocket(game.url, Bot(Race(race), bot), False, None)
        async with aiohttp.ClientSession() as session, session.ws_connect(game.url, max_msg_size=0) as ws:
            client = Client(ws)
            await client.join_game("again", Race(race))
            assert (await client.get_game_info())._proto == info
            response = await client.observation()
    assert result == bot.result == Result.Victory
    assert bot.started and bot.loops == [recorded.observation.game_loop]
    assert response.observation == recorded
    state = GameState(response.observation)
    assert state.common.minerals == bot.minerals_seen[0] == recorded.observation.player_common.minerals
    units = [unit for unit in recorded.observation.raw_data.units if not unit.is_blip]
    assert bot.all_own_units.amount == sum(unit.alliance == Alliance.Self.value for unit in units)
    assert bot.first["townhalls"] >= 1 and bot.first["expansions"] >= 4
    assert bot.first["on hall"] == [False]
    assert bot.first["spot"] is not None
    assert len(bot.first["walks"]) == bot.first["walkers"]
    # Start locations are the centers of town halls, and closed cells on most maps.
    assert min(bot.first["walks"]) > 0
    assert bot.first["next expansion"] in bot.expansion_locations_list
    assert bot.first["halls walk"] > 0 and bot.first["between starts"] > 0
    workers = bot.first["abilities"][: bot.first["units"]]
    assert len(workers) == bot.first["units"] and any(workers)

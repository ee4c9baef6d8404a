"""A moment of a recording as a test: `emulated_game(start=, stop=)` and `check_actions`."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import abathur
import pytest
from emulators import ENDED, FIRST_LOOP, IN_GAME, LAST_LOOP, RawClient, emulated, raw_client, short_match
from programs import ROOT, SKIRMISH, daemon_command
from s2clientprotocol import common_pb2, raw_pb2, sc2api_pb2, ui_pb2
from s2clientprotocol.sc2api_pb2 import Action
from sc2.bot_ai import BotAI
from sc2.data import Race, Result
from sc2.ids.unit_typeid import UnitTypeId
from sc2.main import play_from_websocket
from sc2.player import Bot

# python-sc2 passes aiohttp a timeout in the old way.
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning:sc2", "ignore:parameter 'timeout':DeprecationWarning"
)

START, STOP = 9480, 9560
MOVE, ATTACK, DRONE, HATCHERY = 16, 23, 104, 86


@pytest.fixture(autouse=True)
def no_update(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ABATHUR_UPDATE", raising=False)


def recorded(loop: int) -> sc2api_pb2.ResponseObservation:
    with abathur.open(SKIRMISH) as match:
        return match.frame_at(loop).response


def order(
    ability: int, tags: list[int], target: int | tuple[float, float] | None = None, queue: bool = False
) -> Action:
    command = raw_pb2.ActionRawUnitCommand(ability_id=ability, unit_tags=tags, queue_command=queue)
    if isinstance(target, int):
        command.target_unit_tag = target
    elif target is not None:
        command.target_world_space_pos.CopyFrom(common_pb2.Point2D(x=target[0], y=target[1]))
    return Action(action_raw=raw_pb2.ActionRaw(unit_command=command))


def own_drones() -> list[int]:
    """Tags of two drones at the start, the smaller one first."""
    units = recorded(START).observation.raw_data.units
    return sorted(unit.tag for unit in units if unit.unit_type == DRONE and unit.alliance == 1)[:2]


async def act(client: RawClient, *actions: Action) -> None:
    await client.ask(action=sc2api_pb2.RequestAction(actions=actions))


class Defends(BotAI):  # type: ignore[misc]
    """Zerglings attack the nearest enemy, or, by chance, go home."""

    def __init__(self, retreats: float = 0.0) -> None:
        super().__init__()
        self.retreats = retreats
        self.loops: list[int] = []

    async def on_step(self, iteration: int) -> None:
        self.loops.append(self.state.game_loop)
        for unit in self.units(UnitTypeId.ZERGLING):
            enemy = self.enemy_units.closest_to(unit)
            if enemy.distance_to(unit) < 30:
                if random.random() < self.retreats:
                    unit.move(self.start_location)
                else:
                    unit.attack(enemy)


async def defend(bot: Defends, **options: Any) -> tuple[abathur.EmulatedGame, Result]:
    async with emulated(start=START, stop=STOP, **options) as game:
        return game, await play_from_websocket(game.url, Bot(Race.Zerg, bot), False, None)


# --- start and stop


async def test_each_match_begins_at_the_start_and_ends_at_the_stop() -> None:
    with emulated(start=9400, stop=9800, result="defeat") as game:
        for _ in range(2):
            async with raw_client(game) as client:
                await client.create()
                await client.join()
                # Nothing of what was before: its deaths and errors are not told.
                assert (await client.observe()).observation == recorded(9400)
                assert (await client.step(400)).status == IN_GAME
                assert (await client.observe()).observation.observation.game_loop == 9800
                assert (await client.step(1)).status == ENDED
                last = (await client.observe()).observation
                assert last.observation.game_loop == 9800
                assert [(each.player_id, each.result) for each in last.player_result] == [(1, 2), (2, 1)]
                assert (await client.ask(restart_game=sc2api_pb2.RequestRestartGame())).status == IN_GAME
                assert (await client.observe()).observation.observation.game_loop == 9400


async def test_without_a_stop_the_match_ends_as_recorded() -> None:
    with emulated(start=LAST_LOOP, result="defeat") as game:
        async with raw_client(game) as client:
            await client.join()
            assert (await client.observe()).observation.observation.game_loop == LAST_LOOP
            assert (await client.step(1)).status == ENDED
            results = (await client.observe()).observation.player_result
    assert [(each.player_id, each.result) for each in results] == [(1, sc2api_pb2.Victory), (2, sc2api_pb2.Defeat)]


async def test_serialized_observations_and_real_time_have_a_start_too(tmp_path: Path) -> None:
    path = short_match(tmp_path, 40)
    with emulated(path, start=FIRST_LOOP + 20, stop=FIRST_LOOP + 25, realtime=True) as game:
        async with raw_client(game) as client:
            await client.join()
            first = (await client.observe()).observation.observation.game_loop
            assert FIRST_LOOP + 20 <= first <= FIRST_LOOP + 25
            ended = await client.observe(game_loop=LAST_LOOP)
    assert (ended.status, ended.observation.observation.game_loop) == (ENDED, FIRST_LOOP + 25)


@pytest.mark.parametrize(
    ("start", "stop", "error", "text"),
    [
        (9800, 9400, ValueError, "stop=9400 is before start=9800"),
        (-1, None, ValueError, "start=-1 is negative"),
        (None, -1, ValueError, "stop=-1 is before start=0"),
        (LAST_LOOP + 1, None, abathur.RecordingError, "ends at game loop 10303, before the start at 10304"),
        (None, FIRST_LOOP - 1, abathur.RecordingError, "begins at game loop 8960, after the stop at 8959"),
    ],
)
def test_a_part_without_observations_is_refused(
    start: int | None, stop: int | None, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text), emulated(start=start, stop=stop):
        pass


# --- snapshots


async def test_a_snapshot_names_units_abilities_and_targets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    units = recorded(START).observation.raw_data.units
    drones = own_drones()
    hatchery = next(unit.tag for unit in units if unit.unit_type == HATCHERY)
    toggle = raw_pb2.ActionRawToggleAutocast(ability_id=ATTACK, unit_tags=drones[:1])
    camera = raw_pb2.ActionRawCameraMove(center_world_space=common_pb2.Point(x=60.1, y=-0.0))
    path = tmp_path / "tests" / "seen.json"
    with emulated(start=START, stop=STOP) as game:
        async with raw_client(game) as client:
            await client.join()
            # Their order is that of a set of the bot.
            await act(client, order(MOVE, drones[::-1], (60.1, 1 / 3)), order(ATTACK, [drones[0], 5], hatchery, True))
            await act(client, order(MOVE, drones[:1], 7))
            await client.step(3)
            chat = sc2api_pb2.ActionChat(channel=sc2api_pb2.ActionChat.Team, message="gl \u201chf\u201d \u65e5")
            await act(
                client,
                Action(action_chat=chat),
                Action(action_raw=raw_pb2.ActionRaw(camera_move=camera)),
                Action(action_raw=raw_pb2.ActionRaw(toggle_autocast=toggle)),
                Action(action_ui=ui_pb2.ActionUI(select_larva=ui_pb2.ActionSelectLarva())),
                Action(),
            )
        with pytest.raises(AssertionError, match=r"there is no snapshot .*seen\.json; to write it: .*ABATHUR_UPDATE=1"):
            game.check_actions(path)
        assert not path.exists()
        monkeypatch.setenv("ABATHUR_UPDATE", "1")
        game.check_actions(path)
        monkeypatch.setenv("ABATHUR_UPDATE", "0")
        game.check_actions(path)
    one, two = (f"DRONE {tag}" for tag in drones)
    assert path.read_text(encoding="utf-8") == (
        '{\n  "actions": [\n'
        f'    {{"ability": "MOVE_MOVE", "loop": 9480, "target": [60.1, 0.333], "units": ["{one}", "{two}"]}},\n'
        f'    {{"ability": "ATTACK_ATTACK", "loop": 9480, "queue": true, "target": "HATCHERY {hatchery}", '
        f'"units": ["{one}", "UNKNOWN 5"]}},\n'
        f'    {{"ability": "MOVE_MOVE", "loop": 9480, "target": "UNKNOWN 7", "units": ["{one}"]}},\n'
        '    {"chat": "gl \u201chf\u201d \u65e5", "loop": 9483, "team": true},\n'
        '    {"camera": [60.1, 0.0], "loop": 9483},\n'
        f'    {{"autocast": "ATTACK_ATTACK", "loop": 9483, "units": ["{one}"]}},\n'
        '    {"action": {"action_ui": {"select_larva": {}}}, "loop": 9483}\n'
        "  ]\n}\n"
    )
    assert [each.name for each in path.parent.iterdir()] == ["seen.json"], "no half file is left"
    # Also after the end, and in another layout of the same values.
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8"))), encoding="utf-8")
    game.check_actions(path)


async def test_a_difference_names_loops_and_says_how_to_accept_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "drones.json"
    one, two = own_drones()

    async def play(*loops: list[Action]) -> abathur.EmulatedGame:
        with emulated(start=START, stop=STOP) as game:
            async with raw_client(game) as client:
                await client.join()
                for actions in loops:
                    await act(client, *actions)
                    await client.step(1)
        return game

    stays, attacks, moves = order(MOVE, [two], (1, 2)), order(ATTACK, [one], (1, 2)), order(MOVE, [one], two, True)
    monkeypatch.setenv("ABATHUR_UPDATE", "1")
    (await play([stays, attacks], [stays, attacks], [], [stays])).check_actions(path)
    before = path.read_bytes()
    monkeypatch.delenv("ABATHUR_UPDATE")
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "tests/test_it.py::test_drones (call)")
    changed = await play([stays, moves], [attacks, stays], [stays], [])
    with pytest.raises(AssertionError) as difference:
        changed.check_actions(path)
    shown = str(difference.value).splitlines()
    assert shown == [
        f"{path}: the actions differ at 4 of 4 game loops with actions, first at 9480",
        "loop 9480",
        f"- DRONE {one}: ATTACK_ATTACK -> (1.0, 2.0)",
        f"+ DRONE {one}: MOVE_MOVE -> DRONE {two}, queued",
        "loop 9481, in another order",
        *shown[5:7],
        "loop 9482",
        f"+ DRONE {two}: MOVE_MOVE -> (1.0, 2.0)",
        "loop 9483",
        f"- DRONE {two}: MOVE_MOVE -> (1.0, 2.0)",
        shown[-1],
    ]
    assert sorted(line[0] for line in shown[5:7]) == ["+", "-"]
    command = "$env:ABATHUR_UPDATE=1; " if os.name == "nt" else "ABATHUR_UPDATE=1 "
    assert shown[-1] == f"to accept the new actions: {command}pytest tests/test_it.py::test_drones"
    assert path.read_bytes() == before


async def test_a_long_difference_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.write_text('{"actions": []}', encoding="utf-8")
    with emulated(start=START, stop=STOP) as game:
        async with raw_client(game) as client:
            for _ in range(2):
                await client.join()
                await act(client, *(order(MOVE, [number]) for number in range(1, 13)))
                await client.step(10)
                await act(client, order(MOVE, [99]))
                await client.ask(leave_game=sc2api_pb2.RequestLeaveGame())
        with pytest.raises(AssertionError) as difference:
            game.check_actions(path)
    shown = str(difference.value).splitlines()
    assert shown[0].endswith("at 4 of 4 game loops with actions, first at 9480")
    assert [line for line in shown if line.startswith("loop")] == ["loop 9480", "loop 9490", "loop 9480 of match 2"]
    assert len([line for line in shown if line.startswith("+ ")]) == 20
    assert shown[-2] == "... and 6 more"


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"actions": [{}]}', '{"actions": [{"loop": "9480"}]}', '{"actions": 1}']
)
def test_a_file_that_is_no_snapshot_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(text, encoding="utf-8")
    with emulated(start=START, stop=STOP) as game, pytest.raises(ValueError, match=r"other\.json is no snapshot"):
        game.check_actions(path)
    assert path.read_text(encoding="utf-8") == text


# --- bots of python-sc2


async def test_the_same_bot_does_the_same_again_and_chance_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "defence.json"
    bot = Defends()
    game, result = await defend(bot, result="tie")
    assert result == Result.Tie
    assert bot.loops == list(range(START, STOP + 1, 4))
    assert len(game.actions()) > 10
    monkeypatch.setenv("ABATHUR_UPDATE", "1")
    game.check_actions(path)
    monkeypatch.delenv("ABATHUR_UPDATE")
    for _ in range(2):
        (await defend(Defends()))[0].check_actions(path)
    random.seed(5)
    game, _ = await defend(Defends(retreats=0.1))
    retreats = [loop for loop, action in game.actions() if action.action_raw.unit_command.ability_id == MOVE]
    with pytest.raises(AssertionError, match=rf"first at {retreats[0]}\n") as difference:
        game.check_actions(path)
    assert "MOVE_MOVE -> (" in str(difference.value)


def run_pytest(folder: Path, test: str, **environment: str) -> subprocess.CompletedProcess[str]:
    daemon = " ".join(f'"{word}"' for word in daemon_command())
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test],
        cwd=folder,
        env={**os.environ, "ABATHUR_SYNC": daemon, **environment},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_the_page_about_moments_shows_what_happens(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "moments.md").read_text(encoding="utf-8")
    bot, test, fixed, _ = re.findall(r"^```py\n(.*?)^```", page, re.M | re.S)
    missing, lines, difference = re.findall(r"^```text\n(.*?)^```", page, re.M | re.S)
    (pyproject,) = re.findall(r"^```toml\n(.*?)^```", page, re.M | re.S)
    (tmp_path / "tests").mkdir()
    for name, text in {"my_bot.py": bot, "tests/test_moments.py": test, "pyproject.toml": pyproject}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    name = "tests/test_moments.py::test_ravagers"
    if os.name != "nt":
        assert missing in run_pytest(tmp_path, name).stdout
    assert run_pytest(tmp_path, name, ABATHUR_UPDATE="1").returncode == 0
    assert lines.splitlines() == [
        line
        for line in (tmp_path / "tests" / "ravagers.json").read_text(encoding="utf-8").splitlines()
        if line in lines.splitlines()
    ]
    assert run_pytest(tmp_path, name).returncode == 0
    (tmp_path / "my_bot.py").write_text(fixed, encoding="utf-8")
    changed = run_pytest(tmp_path, name)
    assert changed.returncode == 1
    assert difference in changed.stdout
    assert "`... and 15 more`" in page and "\nE       ... and 15 more\n" in changed.stdout


def test_a_test_of_a_moment_is_written_and_passes_in_other_processes(tmp_path: Path) -> None:
    """Sets of texts are in another order in each process of Python."""
    test = tmp_path / "test_moment.py"
    test.write_text(
        textwrap.dedent(f"""\
            import asyncio, sys
            sys.path[:0] = {[str(ROOT / "tests/system"), str(ROOT / "tests/system/support")]!r}
            import abathur
            from sc2.data import Race
            from sc2.main import play_from_websocket
            from sc2.player import Bot
            from test_moments import Defends

            def test_moment():
                with abathur.emulated_game({str(SKIRMISH)!r}, start={START}, stop={STOP}) as game:
                    asyncio.run(play_from_websocket(game.url, Bot(Race.Zerg, Defends()), False, None))
                game.check_actions("snapshots/moment.json")
            """),
        encoding="utf-8",
    )

    missing = run_pytest(tmp_path, test.name, PYTHONHASHSEED="1")
    assert missing.returncode == 1
    assert "ABATHUR_UPDATE=1" in missing.stdout and "pytest test_moment.py::test_moment" in missing.stdout
    for environment in ({"ABATHUR_UPDATE": "1", "PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "2"}):
        done = run_pytest(tmp_path, test.name, **environment)
        assert done.returncode == 0, done.stdout + done.stderr
    assert len(json.loads((tmp_path / "snapshots" / "moment.json").read_text(encoding="utf-8"))["actions"]) > 10

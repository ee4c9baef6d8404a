"""The examples run as they are, with real daemons around them and the emulator in place of the game."""

from __future__ import annotations

import asyncio
import filecmp
import os
import re
import shlex
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import abathur
import pytest
from abathur.ids import UnitTypeId
from bot_events import recorded
from emulators import FIRST_LOOP, LAST_LOOP, emulated
from mcap.reader import make_reader
from programs import (
    FREE_PORTS,
    ROOT,
    SKIRMISH,
    TIMEOUT,
    Launch,
    Play,
    daemon_command,
    needs_sequences,
    pause,
    run_daemon,
)
from s2clientprotocol import common_pb2, sc2api_pb2
from test_draw import watching
from test_events import observation, record, unit

EXAMPLES = ROOT / "examples"
BUILT = ROOT / "artifacts" / "bin"
CSHARP_BOT = BUILT / "csharp_bot" / "release" / "CSharpBot.dll"
CSHARP_AGENT = BUILT / "csharp_agent" / "release" / "CSharpAgent.dll"


def agent(name: str) -> str:
    """The option's value that runs an example as a supervised agent."""
    return f'"{sys.executable}" "{EXAMPLES / name}"'


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=2 * TIMEOUT, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_numpy_agent_on_a_playback(launch: Launch) -> None:
    daemon = launch(
        "play", str(SKIRMISH), *FREE_PORTS, "--rate", "64", "--wait-agents", "1", "--agent", agent("numpy_agent.py")
    )
    assert daemon.wait() == 0
    assert daemon.process.stderr is not None
    lines = daemon.process.stderr.read().splitlines()
    seen = [line for line in lines if "enemies around" in line]
    assert len(seen) > 5 and all(line.startswith("[agent] ") for line in seen)
    # Positions are within the map, and there are units to count.
    first = seen[0].split()
    assert int(first[first.index("enemies") - 1]) > 0


def test_proxy_bot_with_an_agent_that_watches(launch: Launch, tmp_path: Path) -> None:
    path = tmp_path / "match.mcap"
    with emulated() as game:
        proxy = launch(
            "proxy",
            "--once",
            "--listen",
            "0",
            "--sc2",
            f"{game.host}:{game.port}",
            *FREE_PORTS,
            "-o",
            str(path),
            "--agent",
            agent("numpy_agent.py"),
        )
        port = proxy.addresses["sc2api"].rpartition(":")[2]
        told = run(sys.executable, str(EXAMPLES / "proxy_bot.py"), "--LadderServer", "127.0.0.1", "--GamePort", port)
        assert f"the bot saw {LAST_LOOP - 3} game loops: Victory" in told
        assert proxy.wait() == 0
    assert proxy.process.stderr is not None
    said = proxy.process.stderr.read()
    assert "enemies around" in said
    assert "over 40 ms (ladder)" in said
    with abathur.open(path) as match:
        loops = [frame.game_loop for frame in match.frames()]
    # python-sc2 looks at its first loop twice, and at the last one for the result.
    assert loops == [FIRST_LOOP, *range(FIRST_LOOP, LAST_LOOP + 1, 4), LAST_LOOP]
    assert "/actions" in run_daemon("info", str(path)).stdout


def test_a_game_is_created_for_a_bot_that_only_joins() -> None:
    with emulated() as game:
        done = run(sys.executable, str(EXAMPLES / "create_game.py"), game.address, "AcropolisLE.SC2Map")
        assert done == "created a game on AcropolisLE.SC2Map; a bot may join\n"
        port = str(game.port)
        told = run(sys.executable, str(EXAMPLES / "proxy_bot.py"), "--LadderServer", "127.0.0.1", "--GamePort", port)
        assert "game loops: Victory" in told


def test_a_ladder_starts_a_bot_behind_the_proxy(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "ABATHUR_SYNC": " ".join(f'"{word}"' for word in daemon_command()),
        "ABATHUR_BOT": agent("proxy_bot.py"),
        "ABATHUR_AGENT": agent("numpy_agent.py"),
    }
    with emulated() as game:
        done = subprocess.run(
            [sys.executable, str(EXAMPLES / "ladder_run.py"), *game.ladder_arguments, "--OpponentId", "x"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=2 * TIMEOUT,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert "game loops: Victory" in done.stdout
    assert "enemies around" in done.stderr
    with abathur.open(tmp_path / f"match-{game.port}.mcap") as match:
        assert [frame.game_loop for frame in match.frames()][-1] == LAST_LOOP


def test_worker_rush_plays_through_the_daemon(launch: Launch) -> None:
    with emulated() as game:
        live = launch(
            "live", "--sc2", f"{game.host}:{game.port}", "--map", "Any.SC2Map", "--opponent", "ai:terran:easy",
            "--allow-actions", "--wait-agents", "1", *FREE_PORTS, "--agent", agent("worker_rush_agent.py"),
        )  # fmt: skip
        assert live.wait() == 0
        assert live.process.stderr is not None
        said = live.process.stderr.read()
        ordered = game.actions()
    assert "0 too late. player 1: Victory, player 2: Defeat" in said
    assert ordered[0][1].action_chat.message == "(glhf)"
    attacks = [action.action_raw.unit_command for _, action in ordered[1:]]
    assert len(attacks) > 10 and all(attack.unit_tags for attack in attacks)


def test_csharp_bot_publishes(launch: Launch, tmp_path: Path) -> None:
    observations, recording = tmp_path / "match.obs", tmp_path / "pushed.mcap"
    assert run_daemon("export", str(SKIRMISH), "-o", str(observations)).returncode == 0
    daemon = launch("serve", "--once", *FREE_PORTS, "-o", str(recording))
    assert "1344 observations published" in run("dotnet", str(CSHARP_BOT), str(observations), daemon.socket)
    assert daemon.wait() == 0
    assert daemon.process.stderr is not None
    assert "1344 frames, 0 dropped" in daemon.process.stderr.read()
    again = tmp_path / "again.obs"
    assert run_daemon("export", str(recording), "-o", str(again)).returncode == 0
    assert filecmp.cmp(again, observations, shallow=False)


def drop_alarm(launch: Launch, recording: Path, rate: str) -> list[str]:
    """What the alarm says about a recording."""
    options = ["--rate", rate, "--wait-agents", "1", "--agent", agent("drop_alarm.py")]
    daemon = launch("play", str(recording), *FREE_PORTS, *options)
    assert daemon.wait() == 0
    assert daemon.process.stderr is not None
    lines = daemon.process.stderr.read().splitlines()
    return [line.removeprefix("[agent] ") for line in lines if " left their base" in line or " shot down" in line]


def drops() -> tuple[list[sc2api_pb2.ResponseObservation], sc2api_pb2.ResponseGameInfo]:
    """Two medivacs that leave a base at (100, 100), of which one dies."""

    def medivac(tag: int, x: float) -> dict[str, Any]:
        place = common_pb2.Point(x=x, y=100)
        return unit(tag, alliance=4, owner=2, unit_type=UnitTypeId.MEDIVAC, pos=place)

    info = sc2api_pb2.ResponseGameInfo()
    info.start_raw.start_locations.add(x=100, y=100)
    frames = [
        observation(224, [medivac(1, 95), medivac(2, 70)]),
        observation(448, [medivac(1, 59), medivac(2, 61)]),
        observation(672, [medivac(1, 50), medivac(2, 58)]),
        observation(896, [medivac(2, 57)], dead=[1]),
    ]
    return frames, info


def test_drop_alarm_tells_of_each_drop_once(launch: Launch, tmp_path: Path) -> None:
    frames, info = drops()
    assert drop_alarm(launch, record(tmp_path, frames, info=info), "20") == [
        "20 s: MEDIVAC left their base, at 59, 100",
        "30 s: MEDIVAC left their base, at 58, 100",
        "MEDIVAC was shot down",
    ]


async def test_drop_alarm_shows_drops_on_the_map(play: Play, tmp_path: Path) -> None:
    frames, info = drops()
    daemon = play(record(tmp_path, frames, info=info), "--wait-agents", "2", "--rate", "20")
    spec = spec_from_file_location("drop_alarm", EXAMPLES / "drop_alarm.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    async with watching(daemon) as watcher:
        alarm = asyncio.create_task(module.DropAlarm().run_async(daemon.grpc))
        shown = [await watcher.next()]
        while shown[-1].get("DropAlarm") != ["circle", "circle"]:
            shown.append(await watcher.next())
        await alarm
    assert {"DropAlarm": ["circle"]} in shown


@needs_sequences
def test_drop_alarm_on_a_real_match(launch: Launch, tmp_path: Path) -> None:
    said = drop_alarm(launch, recorded("proxima-pvt-late-creep8", tmp_path), "8")
    left = [line for line in said if "MEDIVAC left their base, at" in line]
    assert 3 <= len(left) <= 12
    assert len(said) - len(left) <= len(left)


def seen(game_loop: int, *medivac: tuple[float, float]) -> bytes:
    """Of an enemy's medivac, or of its end."""
    message = sc2api_pb2.ResponseObservation()
    message.observation.game_loop = game_loop
    raw = message.observation.raw_data
    for x, y in medivac:
        raw.units.add(tag=7, unit_type=54, alliance=4, is_flying=True).pos.CopyFrom(common_pb2.Point(x=x, y=y))
    if not medivac:
        raw.event.dead_units.append(7)
    return message.SerializeToString()


def test_csharp_agent_tells_of_a_drop_and_draws_it(launch: Launch, tmp_path: Path) -> None:
    recording = tmp_path / "match.mcap"
    daemon = launch("serve", "--once", *FREE_PORTS, "-o", str(recording))
    info = sc2api_pb2.ResponseGameInfo()
    info.start_raw.start_locations.add(x=150, y=150)
    line = ["dotnet", str(CSHARP_AGENT), daemon.socket]
    with (
        subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as agent,
        abathur.connect_blocking(daemon.grpc) as game,
        abathur.publisher_blocking(daemon.grpc, map_name="Testmap LE", game_info=info) as bot,
    ):
        assert agent.stdout is not None
        bot.publish(seen(0, (150, 140)))
        while not any(each.name == "DropWatch" for each in game.status().subscribers):
            pause()
        # In its base, outside, and dead.
        bot.publish(seen(224, (150, 140)))
        bot.publish(seen(672, (110, 100)))
        assert agent.stdout.readline() == "30 s: an enemy drop at (110, 100)\n"
        bot.publish(seen(1120))
        assert agent.stdout.readline() == "50 s: the drop is down\n"
    assert agent.returncode == 0
    assert daemon.wait() == 0
    with recording.open("rb") as file:
        drawn = [message.data for _, _, message in make_reader(file).iter_messages(topics=["/drawings"])]
    assert any(b"drop" in each for each in drawn)


@pytest.mark.matrix
@pytest.mark.timeout(280)
async def test_what_was_learned_is_shown_beside_a_match(launch: Launch, tmp_path: Path) -> None:
    daemon = launch("play", str(SKIRMISH), *FREE_PORTS, "--rate", "8", "--wait-agents", "2")
    environment = {**os.environ, "ABATHUR_ADDRESS": daemon.grpc, "ABATHUR_SYNC": shlex.join(daemon_command())}
    process = await asyncio.create_subprocess_exec(
        sys.executable, EXAMPLES / "learn.py", cwd=tmp_path, env=environment, stdout=asyncio.subprocess.PIPE
    )
    async with abathur.connect(daemon.grpc) as game:
        async for frame in game.frames(every=224):
            if frame.game_loop < LAST_LOOP:
                plots = await game.plots()
    told = (await process.communicate())[0].decode()
    assert process.returncode == 0
    (line,) = told.splitlines()
    of_model, of_base_rate = re.findall(r"0\.\d{3}", line)
    assert float(of_model) < float(of_base_rate)
    assert f"log loss is {of_model}, where the base rate has {of_base_rate}" in learning()
    (series,) = plots
    assert series.name == "chance to win the next fight" and len(series.values) > 60
    assert all(0 < value < 1 for value in series.values) and max(series.values) - min(series.values) > 0.2


def learning() -> str:
    """The guide that says what the example does."""
    return " ".join((ROOT / "docs" / "learning.md").read_text(encoding="utf-8").split())

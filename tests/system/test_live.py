"""`live`: the daemon as the game's client, against the emulator; agents act, are waited for, and are supervised."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import abathur
import pytest
from abathur import actions
from abathur.sync.v1 import sync_pb2
from emulators import FIRST_LOOP, LAST_LOOP, emulated, short_match
from programs import FREE_PORTS, SKIRMISH, Daemon, Launch, Play, run_daemon

Live = Callable[..., Daemon]
CREATE = ("--map", "Any.SC2Map", "--opponent", "ai:zerg:elite")


@pytest.fixture
def live(launch: Launch) -> Live:
    return lambda game, *arguments: launch("live", "--sc2", game.address, *FREE_PORTS, *arguments)


def said(daemon: Daemon) -> str:
    assert daemon.process.stderr is not None
    return daemon.process.stderr.read()


@pytest.mark.parametrize("transport", ["grpc", "socket"])
async def test_lockstep_agent_plays_a_stepped_game(live: Live, tmp_path: Path, transport: str) -> None:
    path = tmp_path / "live.mcap"
    frames: list[bytes] = []
    loops: list[int] = []
    with emulated() as game:
        daemon = live(game, *CREATE, "--allow-actions", "--wait-agents", "1", "--step", "4", "-o", str(path))
        async with abathur.connect(daemon.addresses[transport]) as agent:
            async for frame in agent.frames(policy="lockstep", encoding="proto"):
                loops.append(frame.game_loop)
                frames.append(frame.response.SerializeToString())
                if len(loops) == 1:
                    match = await agent.match()
                    assert match is not None
                    assert match.source == sync_pb2.live and match.actions_allowed
                    assert match.map_name == "Synthetic LE" and match.game_data.units
                unit = frame.observation.raw_data.units[0].tag
                if len(loops) % 50 == 1:
                    result = await agent.act([actions.move(unit, (10, 20)), actions.chat("hi")])
                    assert result.results == ("Success", "Success") and result.ok and not result.errors
                    assert (result.game_loop, result.late_game_loops) == (frame.game_loop, 0)
            assert agent.late_actions == 0
        ordered = [(loop, action) for loop, action in game.actions() if not action.HasField("action_chat")]
        assert await asyncio.to_thread(daemon.wait) == 0
    # The game ends before a step is complete.
    assert loops == [*range(FIRST_LOOP, LAST_LOOP + 1, 4), LAST_LOOP]
    assert [loop for loop, _ in ordered] == loops[::50]
    assert all(action.action_raw.unit_command.target_world_space_pos.y == 20 for _, action in ordered)
    output = said(daemon)
    assert "match over: player 1 Victory, player 2 Defeat" in output
    assert "0 game loops skipped" in output
    with abathur.open(path) as recording:
        assert [frame.response.SerializeToString() for frame in recording.frames()] == frames


async def test_real_time_game_waits_for_nobody(live: Live, tmp_path: Path) -> None:
    with emulated(short_match(tmp_path, 60)) as game:
        daemon = live(game, *CREATE, "--realtime", "--allow-actions", "--wait-agents", "1")
        loops, late = [], []
        async with abathur.connect(daemon.grpc) as agent:
            async for frame in agent.frames():
                loops.append(frame.game_loop)
                if len(loops) == 5:
                    # An answer to a frame that is long gone: taken, and counted.
                    await asyncio.sleep(0.3)
                    result = await agent.act([actions.chat("late")])
                    late.append(result.late_game_loops)
                    with pytest.raises(abathur.RequestError) as refused:
                        await agent.act([actions.chat("too late")], max_late=1)
                    assert refused.value.code == "OUT_OF_RANGE"
        assert late and late[0] >= 4 and agent.late_actions == 1
        assert [action.action_chat.message for _, action in game.actions()] == ["late"]
        assert await asyncio.to_thread(daemon.wait) == 0
    # The last loop comes again when the result is there.
    assert list(dict.fromkeys(loops)) == sorted(set(loops)) and loops[-1] == FIRST_LOOP + 59


async def test_without_leave_nobody_acts(live: Live) -> None:
    with emulated() as game:
        daemon = live(game, *CREATE, "--wait-agents", "1")
        async with abathur.connect(daemon.grpc) as agent:
            async for _ in agent.frames(policy="lockstep"):
                with pytest.raises(abathur.RequestError, match="--allow-actions") as refused:
                    await agent.act([actions.chat("hi")])
                assert refused.value.code == "FAILED_PRECONDITION"
                break
        assert game.actions() == []


async def test_a_replay_is_watched(live: Live) -> None:
    with emulated() as game:
        daemon = live(
            game,
            "--replay",
            "Any.SC2Replay",
            "--as-player",
            "2",
            "--step",
            "22",
            "--wait-agents",
            "1",
            "--allow-actions",
        )
        loops = []
        async with abathur.connect(daemon.grpc) as agent:
            async for frame in agent.frames(policy="lockstep"):
                if not loops:
                    match = await agent.match()
                    assert match is not None and not match.actions_allowed
                loops.append(frame.game_loop)
        assert await asyncio.to_thread(daemon.wait) == 0
    assert loops[:3] == [FIRST_LOOP, FIRST_LOOP + 22, FIRST_LOOP + 44] and len(loops) > 60


async def test_a_game_that_dies_is_told(live: Live, tmp_path: Path) -> None:
    path = tmp_path / "cut.mcap"
    game = emulated()
    with game:
        daemon = live(game, *CREATE, "--wait-agents", "1", "-o", str(path))
        count = 0
        async with abathur.connect(daemon.grpc) as agent:
            with pytest.raises(abathur.SourceLostError, match="closed the connection"):
                async for _ in agent.frames(policy="lockstep"):
                    count += 1
                    if count == 20:
                        game.kill()
        assert await asyncio.to_thread(daemon.wait) == 1
    assert "closed the connection" in said(daemon)
    with abathur.open(path) as recording:
        assert sum(1 for _ in recording.frames()) >= 20


def test_games_that_are_not_there_are_told() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        done = run_daemon("live", "--sc2", f"127.0.0.1:{unused.getsockname()[1]}", "--connect-timeout", "0")
    assert done.returncode == 1
    assert "no game answers at 127.0.0.1" in done.stderr


def test_an_http_server_is_no_game(play: Play) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    address = daemon.addresses["http"].removeprefix("http://")
    done = run_daemon("live", "--sc2", address, "--connect-timeout", "0")
    assert done.returncode == 1
    assert "is not a StarCraft II game" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--map", "x", "--opponent", "ai:zorg"), "expected ai:RACE"),
        (("--map", "x", "--opponent", "ai:zerg:godlike"), "expected ai:RACE"),
        (("--race", "7"), "--race must be"),
        (("--step", "0"), "--step must be 1 to 1000"),
        (("--realtime", "--step", "2"), "--step cannot be combined with --realtime"),
        (("--replay", "x", "--map", "y"), "--replay cannot be combined with --map"),
        (("--sc2", "nowhere"), "--sc2 must be HOST:PORT"),
        (("--sc2", "127.0.0.1:70000"), "--sc2 must be HOST:PORT"),
        (("--agent", "'"), "a quotation mark is not closed"),
        (("--agent", " "), "the command of an agent is empty"),
        (("--observe", "--as-player", "17"), "--as-player must be"),
        (("--map", "x", "--as-player", "2"), "--as-player needs --replay or --observe"),
        (("--opponent", "ai:zerg"), "--opponent needs --map"),
    ],
)
def test_wrong_command_lines(arguments: tuple[str, ...], message: str) -> None:
    done = run_daemon("live", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_the_game_is_looked_for_where_it_could_be(tmp_path: Path) -> None:
    done = run_daemon("live", env={**os.environ, "SC2PATH": str(tmp_path)})
    assert done.returncode == 1
    assert f"SC2PATH is {tmp_path}" in done.stderr


def test_an_agent_that_fails_is_started_again(play: Play, tmp_path: Path) -> None:
    program = tmp_path / "agent.py"
    program.write_text(
        "import os, sys, abathur\n"
        f"flag = {str(tmp_path / 'seen')!r}\n"
        "if not os.path.exists(flag):\n"
        "    open(flag, 'w').close()\n"
        "    sys.exit(3)\n"
        "with abathur.connect_blocking() as game:\n"
        "    print('frames', sum(1 for _ in game.frames(policy='every')))\n"
    )
    daemon = play(
        SKIRMISH, "--rate", "unlimited", "--wait-agents", "1",
        "--agent", f'"{sys.executable}" "{program}"',
    )  # fmt: skip
    assert daemon.wait() == 0
    output = said(daemon)
    assert "[agent] ended with exit code 3; restarting it in 0.5 s" in output
    assert "[agent] frames 1344" in output


def test_an_agent_that_does_not_end_is_ended(play: Play, tmp_path: Path) -> None:
    program = tmp_path / "stuck.py"
    program.write_text("import os, time\nprint('pid', os.getpid())\ntime.sleep(600)\n")
    daemon = play(
        SKIRMISH, "--rate", "unlimited",
        "--agent", f'"{sys.executable}" "{program}"', "--agent", f'"{sys.executable}" -c "print(1)"',
    )  # fmt: skip
    assert daemon.wait() == 0
    output = said(daemon)
    assert "[agent 2] 1" in output
    assert "[agent 1] still running 5 s after the match: killing it" in output
    pid = int(next(line.split()[-1] for line in output.splitlines() if "pid" in line))
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_an_agent_that_cannot_be_started_is_told() -> None:
    done = run_daemon(
        "play", str(SKIRMISH), "--grpc-port", "0", "--socket-port", "0", "--agent", "no-such-program-anywhere"
    )
    assert done.returncode == 1
    assert 'the agent "no-such-program-anywhere" cannot be started' in done.stderr


def test_an_agent_that_cannot_be_started_ends_the_others_too(tmp_path: Path) -> None:
    program, noted = tmp_path / "agent.py", tmp_path / "pid"
    program.write_text(f"import os, time\nopen({str(noted)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)\n")
    done = run_daemon("serve", *FREE_PORTS, "--agent", f'"{sys.executable}" "{program}"', "--agent", "no-such-program")
    assert done.returncode == 1
    assert 'the agent "no-such-program" cannot be started' in done.stderr
    if noted.exists():
        with pytest.raises(ProcessLookupError):
            os.kill(int(noted.read_text()), 0)

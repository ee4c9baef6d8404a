"""`abathur.learn.Env`: the game as a Gymnasium environment, against the emulator and real daemons."""

from __future__ import annotations

import contextlib
import copy
import functools
import multiprocessing
import os
import pickle
import shlex
import signal
import subprocess
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import abathur
import gymnasium
import numpy as np
import psutil
import pytest
from abathur import actions, learn
from abathur.errors import AbathurError, DaemonError
from emulators import FIRST_LOOP, LAST_LOOP, emulated, short_match
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv
from installed_game import InstalledGame
from noted_game import noted
from programs import SKIRMISH, TIMEOUT, daemon_command, in_thread, pause
from s2clientprotocol import error_pb2

#: Of a short match: observations at game loops 0, 8, 16 and 19 behind the first.
LOOPS = 20
SPEC = learn.Spec(units=["x", "y", "health"], players=["minerals"], slots=64)
SPACE = spaces.Box(-1, 1, (2,), np.float32)
MODES = list(AutoresetMode)
VECTORS: list[type[VectorEnv[Any, Any, Any]]] = [SyncVectorEnv, AsyncVectorEnv]


def move(action: Any, frame: abathur.Frame) -> Any:
    own = frame.units.tag[frame.units.alliance == 1]
    return actions.move(own[:1], (100 + 10 * float(action[0]), 20))


def nothing(action: Any, frame: abathur.Frame) -> None:
    return None


def env_of(recording: Path | str | None = SKIRMISH, **options: Any) -> learn.Env:
    given: dict[str, Any] = {"action_space": SPACE, "act": move, "recording": recording, **options}
    return learn.Env(given.pop("spec", SPEC), **given)


@pytest.fixture(autouse=True)
def program(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tested daemon."""
    monkeypatch.setenv("ABATHUR_SYNC", shlex.join(daemon_command()))


@pytest.fixture
def short(tmp_path: Path) -> Path:
    return short_match(tmp_path, LOOPS)


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    """After each test, none of the processes that it has started runs."""
    before = set(psutil.Process().children(recursive=True))
    yield
    left = [each for each in psutil.Process().children(recursive=True) if each not in before and not is_helper(each)]
    _, alive = psutil.wait_procs(left, TIMEOUT)
    assert not alive


def is_helper(process: psutil.Process) -> bool:
    """Whether it belongs to `multiprocessing`."""
    try:
        return any("resource_tracker" in each or "forkserver" in each for each in process.cmdline())
    except psutil.ZombieProcess:
        return False


def daemons(process: psutil.Process | None = None) -> dict[str, psutil.Process]:
    """The running daemons of a process by their command, `live` and `emulate`."""
    found = {}
    for each in (process or psutil.Process()).children(recursive=True):
        for command in ("live", "emulate"):
            if command in each.cmdline():
                found[command] = each
    return found


def play(env: gymnasium.Env[Any, Any]) -> list[tuple[Any, float, bool, bool, dict[str, Any]]]:
    """Steps until the episode is over."""
    steps = [env.step(env.action_space.sample())]
    while not (steps[-1][2] or steps[-1][3]):
        steps.append(env.step(env.action_space.sample()))
    return steps


def equal(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


# Gymnasium's checks


@pytest.mark.parametrize(
    "spec",
    [
        SPEC,
        learn.Spec(frames=3, every=4, units=["x"], slots=8, grids=["visibility", "creep"], grid_size=(160, 160)),
        learn.Spec(units=["x", "shield"], slots="match", match_slots=400),
    ],
    ids=["one frame", "frames and grids", "slots of the match"],
)
def test_gymnasium_finds_nothing(spec: learn.Spec) -> None:
    env = env_of(spec=spec)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env)
    assert env.render_mode is None and env.render() is None
    assert env.spec is not None and env.spec.nondeterministic
    env.close()


def test_gymnasium_makes_it() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(
            "abathur/StarCraftII-v0", spec=SPEC, action_space=SPACE, act=move, recording=SKIRMISH, max_loops=16
        )
        env.reset(seed=1)
        assert [step[3] for step in play(env)] == [False, True]
        env.close()
    assert gymnasium.spec("abathur/StarCraftII-v0").nondeterministic


# Episodes


def test_an_episode_ends_with_its_match() -> None:
    env = env_of()
    with pytest.raises(AbathurError, match="no episode runs: call reset"):
        env.step(SPACE.sample())
    observation, info = env.reset(seed=4)
    assert (info["game_loop"], info["seed"], info["emulated"], info["result"]) == (FIRST_LOOP, 4, True, "")
    seen = [(observation, info), *((step[0], step[4]) for step in play(env)[:-1])]
    assert all(each in env.observation_space for each, _ in seen)
    assert [each["game_loop"] for _, each in seen] == list(range(FIRST_LOOP, LAST_LOOP + 1, 8))[: len(seen)]
    env.reset()
    steps = play(env)
    assert [step[1] for step in steps] == [0.0] * (len(steps) - 1) + [1.0]
    assert [step[2] for step in steps] == [False] * (len(steps) - 1) + [True]
    assert not any(step[3] for step in steps)
    assert (steps[-1][4]["result"], steps[-1][4]["game_loop"], steps[-1][4]["lost"]) == ("Victory", LAST_LOOP, "")
    with pytest.raises(AbathurError, match="the episode is over: call reset"):
        env.step(SPACE.sample())
    env.close()
    env.close()
    # It begins again after it was closed.
    assert env.reset()[1]["game_loop"] == FIRST_LOOP
    env.close()


@pytest.mark.parametrize("frames", [1, 3])
def test_observations_are_those_of_windows(frames: int, short: Path, tmp_path: Path) -> None:
    """Of the recording of the same match, made by the same spec."""
    spec = learn.Spec(frames=frames, every=4, units=["x", "health"], players=["minerals"], slots=32)
    env = env_of(short, spec=spec, step=8, output=f"{tmp_path / 'out'}/")
    observation, info = env.reset()
    seen = {info["game_loop"]: (observation, info)}
    for step in play(env):
        seen[step[4]["game_loop"]] = (step[0], step[4])
    env.close()
    (file,) = (tmp_path / "out").iterdir()
    rolling = learn.Rolling(spec)
    compared = []
    with abathur.open(file) as match:
        for frame in match:
            window = rolling.push(frame)
            if window is None or frame.game_loop not in seen:
                continue
            observation, info = seen[frame.game_loop]
            compared.append(frame.game_loop - FIRST_LOOP)
            expected = {name: window[name] if frames > 1 else window[name][0] for name in observation}
            assert equal(observation, expected)
            assert np.array_equal(info["tags"], window["tags"]) and info["overflow"] == int(window["overflow"])
            assert frames == 1 or np.array_equal(info["loops"], window["loops"])
    assert compared[:3] == [0, 8, 16]


def test_arrays_are_new_in_each_step(short: Path) -> None:
    env = env_of(short)
    observation, info = env.reset()
    kept = [(observation, copy.deepcopy(observation), info["tags"], info["tags"].copy())]
    for step in play(env):
        kept.append((step[0], copy.deepcopy(step[0]), step[4]["tags"], step[4]["tags"].copy()))
    env.reset()
    for shown, copied, tags, copied_tags in kept:
        assert equal(shown, copied) and np.array_equal(tags, copied_tags)
    arrays = [array for shown, _, tags, _ in kept for array in (*shown.values(), tags)]
    assert not any(np.shares_memory(a, b) for i, a in enumerate(arrays) for b in arrays[:i])
    env.close()


def test_long_episodes_are_truncated_and_recorded(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    env = env_of(max_loops=24, output=f"{folder}/", reward=lambda frame, before: frame.game_loop - before.game_loop)
    for _ in range(2):
        env.reset()
        steps = play(env)
        assert [step[1:4] for step in steps] == [(8.0, False, False), (8.0, False, False), (8.0, False, True)]
        assert steps[-1][4]["lost"] == ""
    # One that is left in its middle.
    env.reset()
    env.step(SPACE.sample())
    env.close()
    loops = []
    for path in sorted(folder.glob("*.mcap"), key=lambda each: each.stat().st_mtime_ns):
        with abathur.open(path) as match:
            loops.append([frame.game_loop - FIRST_LOOP for frame in match])
    # Without its reader, the game goes on until the daemon has ended.
    assert loops[:2] == [[0, 8, 16, 24]] * 2 and loops[2][:2] == [0, 8] and len(loops) == 3
    assert not list(folder.glob("*.part"))


def test_seeds_reach_the_game(short: Path) -> None:
    with emulated(short) as emulator, noted(emulator) as game:
        told = []
        for _ in range(2):
            env = env_of(None, sc2=game.address, map=("One.SC2Map", "Two.SC2Map"), race="zerg", opponent="ai:zerg:hard")
            told.append([env.reset(seed=7)[1]["seed"], env.reset()[1]["seed"], env.reset(seed=2**32 + 9)[1]["seed"]])
            assert env.reset()[1]["emulated"] is False
            env.close()
        first, second, third = told[0]
        assert told[0] == told[1] and (first, third) == (7, 9) and second not in (7, 9)
        assert game.seeds[:3] == game.seeds[4:7] == told[0]
        assert game.seeds[3] == game.seeds[7] not in told[0]
        maps = [each.local_map.map_path for each in game.created[:4]]
        assert maps == ["One.SC2Map", "Two.SC2Map"] * 2
        assert [each.race for each in game.created[0].player_setup] == [2, 2]


def test_actions_reach_the_game_and_their_errors_come_back(short: Path) -> None:
    def act(action: int, frame: abathur.Frame) -> Any:
        one = actions.move(frame.units.tag[:1], (10, 20))
        return {0: None, 1: one, 2: [one, one], 3: [one] * 1001}[action]

    with emulated(short) as emulator, noted(emulator) as game:
        env = env_of(None, sc2=game.address, map="One.SC2Map", act=act, action_space=spaces.Discrete(4), step=1)
        env.reset()
        assert [env.step(action)[4]["errors"] for action in (0, 1, 2)] == [()] * 3
        assert [loop - FIRST_LOOP for loop, _ in emulator.actions()] == [1, 2, 2]
        game.action_result = error_pb2.NotEnoughMinerals
        assert env.step(2)[4]["errors"] == ((0, "NotEnoughMinerals"), (1, "NotEnoughMinerals"))
        ((index, message),) = env.step(3)[4]["errors"]
        assert index == -1 and "1001" in message
        # The match goes on.
        assert env.step(0)[4]["lost"] == ""
        env.close()


@pytest.mark.parametrize("killed", ["emulate", "live"])
def test_a_crash_truncates_the_episode_and_reset_begins_anew(killed: str) -> None:
    env = env_of()
    env.reset()
    last = env.step(SPACE.sample())
    daemons()[killed].kill()
    observation, reward, terminated, truncated, info = play(env)[-1]
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["lost"] and equal(observation, last[0]) and info["game_loop"] == last[4]["game_loop"]
    with pytest.raises(AbathurError, match="the episode is over"):
        env.step(SPACE.sample())
    assert env.reset()[1]["lost"] == "" and len(daemons()) == 2
    env.close()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGSTOP")
def test_a_game_that_hangs_is_lost(short: Path) -> None:
    env = env_of(short, timeout=5)
    env.reset()
    os.kill(daemons()["emulate"].pid, signal.SIGSTOP)
    _, reward, terminated, truncated, info = play(env)[-1]
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["lost"] == "the game has not answered for 5 s"
    assert env.reset()[1]["lost"] == ""
    env.close()
    assert not daemons()


def test_a_game_that_is_gone_is_told(short: Path) -> None:
    with emulated(short) as game:
        env = env_of(None, sc2=game.address, map="One.SC2Map", timeout=1)
        env.reset()
        game.kill()
        assert play(env)[-1][4]["lost"]
        with pytest.raises(DaemonError, match="no game answers"):
            env.reset()
        assert not daemons()
        with pytest.raises(AbathurError, match="no episode runs"):
            env.step(SPACE.sample())


@pytest.mark.parametrize("killed", ["emulate", "live"])
def test_a_crash_between_episodes_is_not_noticed(killed: str, short: Path) -> None:
    env = env_of(short)
    env.reset()
    play(env)
    daemons()[killed].kill()
    assert env.reset(seed=8)[1]["seed"] == 8
    assert play(env)[-1][4]["result"] == "Undecided"
    env.close()


def test_a_game_that_does_not_begin_is_told() -> None:
    with emulated() as emulator, noted(emulator) as game:
        game.hold("join_game")
        env = env_of(None, sc2=game.address, map="One.SC2Map")
        killing = in_thread(lambda: (game.held.wait(TIMEOUT), emulator.kill()))  # type: ignore[func-returns-value]
        with pytest.raises(AbathurError, match=r"the game does not begin: the game at .* closed the connection"):
            env.reset()
        killing.join(TIMEOUT)
        assert not daemons()


@pytest.mark.parametrize("frames", [1, 3])
def test_other_readers_cost_no_frame(frames: int, short: Path) -> None:
    """The dashboard follows the matches as well, and is one of the agents for which a game waits."""
    env = env_of(short, spec=learn.Spec(frames=frames, every=8, slots=8))
    env.reset()
    assert env._game is not None
    address = env._game._daemon.address
    seen: set[str] = set()

    def watch() -> None:
        # The daemon ends with the Env.
        with abathur.connect_blocking(address) as watcher, contextlib.suppress(AbathurError):
            for frame in watcher.frames(follow=True):
                seen.add(frame.run_id)

    watching = in_thread(watch)
    with abathur.connect_blocking(address) as other:
        while len(other.status().subscribers) < 2:
            pause()
    for _ in range(3):
        assert env.reset()[1]["game_loop"] == FIRST_LOOP
        assert [step[4]["game_loop"] - FIRST_LOOP for step in play(env)] == [8, 16, 19]
    env.close()
    watching.join(TIMEOUT)
    assert len(seen) > 1


def test_the_installed_game_is_started_and_ends(short: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = InstalledGame(tmp_path / "game", short)
    monkeypatch.setenv("SC2PATH", installed.environment["SC2PATH"])
    env = env_of(None, map="AcropolisLE.SC2Map")
    for number in (1, 2):
        assert env.reset()[1]["emulated"] is False
        ((pid, _),) = installed.started()[number - 1 :]
        # Two games in one process.
        assert env.reset()[1]["game_loop"] == FIRST_LOOP and len(installed.started()) == number
        if number == 1:
            psutil.Process(pid).kill()
            assert play(env)[-1][4]["lost"]
    assert installed.running() == [pid]
    env.close()
    assert installed.running() == []


# What users get wrong


@pytest.mark.parametrize("made", [1, "attack", [actions.chat("hi"), 1], b"", object()])
def test_acts_that_are_none_are_told(short: Path, made: Any) -> None:
    env = env_of(short, act=lambda action, frame: made)
    env.reset()
    with pytest.raises(AbathurError, match=r"act must return actions of abathur\.actions, or None"):
        env.step(SPACE.sample())
    env.close()


def test_rewards_that_are_none_are_told(short: Path) -> None:
    env = env_of(short, reward=lambda frame, before: None)
    env.reset()
    with pytest.raises(AbathurError, match="reward must return a number, not None"):
        env.step(SPACE.sample())
    env.close()


def test_an_act_that_fails_keeps_its_error(short: Path) -> None:
    def act(action: Any, frame: abathur.Frame) -> Any:
        raise KeyError("of the user")

    env = env_of(short, act=act)
    env.reset()
    with pytest.raises(KeyError, match="of the user"):
        env.step(SPACE.sample())
    env.close()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"recording": "no-such-file.mcap"}, abathur.RecordingError, "no-such-file"),
        ({"race": "zorg"}, DaemonError, "--race must be"),
        ({"opponent": "ai:zorg"}, DaemonError, "expected ai:RACE"),
        ({"spec": learn.Spec(grids=["creep"], grid_size=(8, 8))}, AbathurError, "do not fit into"),
    ],
)
def test_what_cannot_be_played_is_told(options: dict[str, Any], error: type[Exception], message: str) -> None:
    env = env_of(**options)
    with pytest.raises(error, match=message):
        env.reset()
    env.close()


# Processes


def test_an_unused_env_is_pickled_and_copied(short: Path) -> None:
    env = env_of(short)
    for other in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env)):
        assert other.reset(seed=1)[1]["seed"] == 1
        with pytest.raises(AbathurError, match="cannot be pickled or copied"):
            pickle.dumps(other)
        other.close()
        assert pickle.dumps(other)
    assert not daemons()


def test_a_fork_does_not_use_the_game_of_its_parent(short: Path) -> None:
    unused, used = env_of(short), env_of(short)
    used.reset()
    ours, theirs = multiprocessing.get_context("fork").Pipe()
    fork = multiprocessing.get_context("fork").Process(target=in_fork, args=(theirs, unused, used))
    fork.start()
    assert ours.poll(TIMEOUT)
    assert ours.recv() == [
        FIRST_LOOP,
        "the game of this Env was started by another process: make an Env where it is used",
    ]
    fork.join(TIMEOUT)
    assert fork.exitcode == 0
    assert used.step(SPACE.sample())[4]["lost"] == ""
    used.close()


def in_fork(pipe: Connection, unused: learn.Env, used: learn.Env) -> None:
    told: list[Any] = [unused.reset()[1]["game_loop"]]
    unused.close()
    try:
        used.step(SPACE.sample())
    except AbathurError as error:
        told.append(str(error))
    used.close()
    pipe.send(told)


@pytest.mark.parametrize("how", ["raise KeyError", "os.kill(os.getpid(), 9)", "os._exit(3)", "del env; input()"])
def test_no_process_outlives_its_program(short: Path, how: str) -> None:
    code = """
        import os, sys
        import abathur, gymnasium, psutil
        from abathur import learn
        space = gymnasium.spaces.Discrete(2)
        env = learn.Env(learn.Spec(), action_space=space, act=lambda *_: None, recording=sys.argv[1])
        env.reset()
        print(*(each.pid for each in psutil.Process().children(recursive=True)), flush=True)
        exec(sys.argv[2])
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), str(short), how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as program:
        assert program.stdout is not None
        started = [psutil.Process(int(each)) for each in program.stdout.readline().split()]
        assert len(started) == 2
        _, alive = psutil.wait_procs(started, TIMEOUT)
        assert not alive
        program.kill()


# Vectors


def vector_of(kind: Any, mode: AutoresetMode, recording: Path, count: int = 2, **options: Any) -> Any:
    functions: list[Callable[[], learn.Env]] = [lambda: env_of(recording, **options)] * count
    return kind(functions, autoreset_mode=mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", VECTORS)
def test_vectors_reset_in_every_mode(kind: Any, mode: AutoresetMode, short: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        envs = vector_of(kind, mode, short)
        observations, infos = envs.reset(seed=3)
        assert infos["seed"].tolist() == [3, 4] and infos["emulated"].all()
        first = copy.deepcopy(observations)
        assert first["units"].shape == (2, 64, 3) and first["mask"].dtype == np.bool_
        action = np.zeros((2, 2), np.float32)
        steps = 1
        observations, rewards, terminated, truncated, infos = envs.step(action)
        while not terminated.any():
            last = copy.deepcopy(observations)
            observations, rewards, terminated, truncated, infos = envs.step(action)
            steps += 1
        assert terminated.all() and not truncated.any() and steps == 3
        if mode is AutoresetMode.SAME_STEP:
            assert infos["final_info"]["result"].tolist() == ["Undecided"] * 2
            for each in infos["final_obs"]:
                assert not np.array_equal(each["units"], observations["units"][0])
            begun = observations
        elif mode is AutoresetMode.NEXT_STEP:
            assert infos["result"].tolist() == ["Undecided"] * 2
            over = copy.deepcopy(observations)
            begun, rewards, terminated, truncated, infos = envs.step(action)
            assert not rewards.any() and not terminated.any()
            assert not equal(over, begun)
        else:
            over = copy.deepcopy(observations)
            begun, infos = envs.reset(options={"reset_mask": np.array([True, True])})
            assert not equal(over, begun)
        assert infos["game_loop"].tolist() == [FIRST_LOOP] * 2
        assert equal(begun, first) and not equal(begun, last)
        envs.close()
    assert not daemons()


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_gymnasium_makes_vectors(kind: str, short: Path) -> None:
    options: dict[str, Any] = {"spec": SPEC, "action_space": SPACE, "act": move, "recording": short}
    envs = gymnasium.make_vec("abathur/StarCraftII-v0", num_envs=2, vectorization_mode=kind, **options)
    assert envs.reset(seed=1)[1]["seed"].tolist() == [1, 2]
    assert envs.step(envs.action_space.sample())[4]["game_loop"].tolist() == [FIRST_LOOP + 8] * 2
    envs.close()
    assert not daemons()


def test_workers_may_be_spawned(short: Path) -> None:
    function = functools.partial(env_of, short)
    envs = AsyncVectorEnv([function] * 2, context="spawn")
    assert envs.reset(seed=1)[1]["game_loop"].tolist() == [FIRST_LOOP] * 2
    envs.close()
    assert not daemons()


@pytest.mark.filterwarnings("ignore:.*ERROR")
@pytest.mark.parametrize("kind", VECTORS)
def test_vectors_leave_no_process_after_an_error(kind: Any, short: Path) -> None:
    def act(action: Any, frame: abathur.Frame) -> Any:
        raise KeyError("of the user")

    envs = vector_of(kind, AutoresetMode.NEXT_STEP, short, act=act)
    envs.reset()
    assert len(psutil.Process().children(recursive=True)) >= 4
    with pytest.raises(KeyError):
        envs.step(np.zeros((2, 2), np.float32))
    envs.close()
    assert not daemons()


def test_the_worker_of_a_vector_is_killed(short: Path) -> None:
    envs = vector_of(AsyncVectorEnv, AutoresetMode.NEXT_STEP, short)
    envs.reset()
    started = [list(daemons(psutil.Process(each.pid)).values()) for each in envs.processes]
    assert [len(each) for each in started] == [2, 2]
    os.kill(envs.processes[0].pid, signal.SIGKILL)
    _, alive = psutil.wait_procs(started[0], TIMEOUT)
    assert not alive and all(each.is_running() for each in started[1])
    envs.close(terminate=True)
    _, alive = psutil.wait_procs(started[1], TIMEOUT)
    assert not alive

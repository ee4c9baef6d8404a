"""python-sc2's own way to start a game, with one changed import, on a program that stands in for StarCraft II."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import abathur
import psutil
import pytest
import sc2.main
import sc2.paths
from abathur.sc2 import observed
from abathur.sync.v1 import sync_pb2
from emulators import FIRST_LOOP, emulated, short_match
from installed_game import InstalledGame
from programs import ROOT, daemon_command, pause
from sc2.data import Race, Result
from sc2.main import play_from_websocket
from sc2.player import Bot
from sc2_bots import Noting

# python-sc2 passes aiohttp a timeout in the old way.
pytestmark = pytest.mark.filterwarnings("ignore:parameter 'timeout':DeprecationWarning")

LOOPS = 60
#: What a user writes, but for the last argument of the import.
BOT = """\
import sys
from sc2 import maps
from sc2.bot_ai import BotAI
from sc2.data import Difficulty, Race
from sc2.main import GameMatch
from sc2.player import Bot, Computer, Human
from abathur.sc2 import observed, run_game, run_multiple_games

class MyBot(BotAI):
    async def on_step(self, iteration):
        if iteration == 0:
            print("first", self.state.game_loop, flush=True)
        await at_step(self, iteration)

async def at_step(bot, iteration):
    pass

board = maps.get("Acropolis")
def players():
    return [Bot(Race.Zerg, MyBot()), Computer(Race.Protoss, Difficulty.Medium)]
"""


class Program:
    """A bot's program in a folder of its own."""

    def __init__(self, folder: Path, text: str, game: InstalledGame, whole: str = "", **environment: str) -> None:
        (folder / "bot.py").write_text(whole or BOT + textwrap.dedent(text))
        self.folder = folder
        # Names of matches are those of this program alone: other tests run at the same time.
        names = folder / "names"
        names.mkdir(mode=0o700)
        self.process = subprocess.Popen(
            [sys.executable, "bot.py"],
            cwd=folder,
            env={**game.environment, "XDG_RUNTIME_DIR": str(names), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def end(self) -> tuple[list[str], str]:
        """Its printed lines, without those of python-sc2's log, and what it said on standard error."""
        output, errors = self.process.communicate(timeout=120)
        return [line for line in output.splitlines() if " | " not in line], errors

    @property
    def recordings(self) -> list[Path]:
        return sorted((self.folder / "recordings").glob("*"))

    def daemons(self) -> list[psutil.Process]:
        return [each for each in psutil.Process(self.process.pid).children() if "proxy" in each.cmdline()]


@pytest.fixture
def game(tmp_path: Path) -> InstalledGame:
    match = tmp_path / "match"
    match.mkdir()
    return InstalledGame(tmp_path / "StarCraftII", short_match(match, LOOPS), "--result", "victory")


def loops_of(recording: Path) -> list[int]:
    with abathur.open(recording) as match:
        return [frame.game_loop for frame in match.frames()]


STEPPED = list(range(FIRST_LOOP, FIRST_LOOP + LOOPS, 4))


def nothing_is_left(game: InstalledGame, *daemons: psutil.Process) -> None:
    while game.running() or any(each.is_running() for each in daemons):
        pause()


def test_one_changed_import(tmp_path: Path, game: InstalledGame) -> None:
    bot = Program(tmp_path, "print(run_game(board, players(), realtime=False))", game)
    lines, errors = bot.end()
    assert bot.process.returncode == 0, errors
    assert lines == [f"first {FIRST_LOOP}", "Result.Victory"]
    (recording,) = bot.recordings
    assert set(STEPPED) <= set(loops_of(recording))
    told = [line for line in errors.splitlines() if line.startswith("abathur: dashboard")]
    assert len(told) == 1
    assert told[0].startswith("abathur: dashboard http://127.0.0.1:")
    assert told[0].endswith("/, agents join at match:proxy")
    assert "abathur: recordings in recordings/\n" in errors
    assert str(recording.name) in errors
    ((_, arguments),) = game.started()
    assert {"-listen", "-port", "-dataDir", "-tempDir", "-displayMode"} <= set(arguments)
    nothing_is_left(game)


def test_the_first_example_of_the_readme(tmp_path: Path, game: InstalledGame) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    example = re.search(r"^```python\n(from abathur.sc2 import run_game .*?)^```", text, re.M | re.S)
    assert example is not None
    bot = Program(tmp_path, "", game, example[1])
    _, errors = bot.end()
    assert bot.process.returncode == 0, errors
    assert len(bot.recordings) == 1
    shown = re.search(r"^```\n(abathur: dashboard .*?)^```", text, re.M | re.S)
    assert shown is not None
    # But for what differs from game to game.
    lines = [_constant(line) for line in shown[1].splitlines()]
    assert [line for line in map(_constant, errors.splitlines()) if line in lines] == lines


def _constant(line: str) -> str:
    return re.sub(r"127.0.0.1:[0-9]+|recordings/[^,]*mcap|[0-9]+ frames|(?<=over: ).*", "...", line)


def test_agents_join_by_the_name(tmp_path: Path, game: InstalledGame) -> None:
    bot = Program(
        tmp_path,
        """\
        import abathur

        async def at_step(bot, iteration):
            if iteration == 3:
                async with abathur.connect("match:mine") as joined:
                    print("joined", (await joined.frame_at(bot.state.game_loop)).game_loop - bot.state.game_loop)

        print(run_game(board, players(), realtime=False, recordings=None, name="mine"))
        """,
        game,
    )
    lines, errors = bot.end()
    assert lines == [f"first {FIRST_LOOP}", "joined 0", "Result.Victory"], errors
    assert "agents join at match:mine\n" in errors
    assert not bot.recordings


def test_real_time(tmp_path: Path, game: InstalledGame) -> None:
    bot = Program(tmp_path, "print(run_game(board, players(), realtime=True))", game)
    lines, errors = bot.end()
    assert lines[1:] == ["Result.Victory"], errors
    (recording,) = bot.recordings
    loops = loops_of(recording)
    # The game shows its last loop again, with the result.
    assert loops == sorted(loops) and len(set(loops)) > 1 and loops[-1] == FIRST_LOOP + LOOPS - 1


def test_two_bots(tmp_path: Path, game: InstalledGame) -> None:
    bot = Program(
        tmp_path,
        """\
        import asyncio
        ended = []

        class Player(MyBot):
            # The first one that ends its game ends both, and here they are not one game.
            async def on_end(self, result):
                ended.append(self)
                while len(ended) < 2:
                    await asyncio.sleep(0.01)

        two = [Bot(Race.Zerg, Player(), name="One"), Bot(Race.Protoss, Player(), name="Two")]
        print(run_game(board, two, realtime=False, name="duel"))
        """,
        game,
    )
    lines, errors = bot.end()
    assert lines == [f"first {FIRST_LOOP}"] * 2 + ["[<Result.Victory: 1>, <Result.Victory: 1>]"], errors
    assert len(bot.recordings) == 2
    assert all(set(STEPPED) <= set(loops_of(each)) for each in bot.recordings)
    assert errors.count("abathur: dashboard") == 1 and "match:duel\n" in errors
    nothing_is_left(game)


def test_many_games_on_one_daemon(tmp_path: Path, game: InstalledGame) -> None:
    bot = Program(
        tmp_path,
        """\
        matches = [GameMatch(board, players()) for _ in range(3)]
        for result in run_multiple_games(matches):
            print(sorted(each.name for each in result.values()))
        """,
        game,
    )
    lines, errors = bot.end()
    assert lines == [f"first {FIRST_LOOP}"] * 3 + ["['Defeat', 'Victory']"] * 3, errors
    assert len(bot.recordings) == 3
    assert all(set(STEPPED) <= set(loops_of(each)) for each in bot.recordings)
    assert errors.count("abathur: dashboard") == 1
    nothing_is_left(game)


def test_games_whose_processes_follow_each_other(tmp_path: Path, game: InstalledGame) -> None:
    bot = Program(
        tmp_path,
        """\
        import sc2.main

        with observed(name="evening"):
            for _ in range(2):
                print(sc2.main.run_game(board, players(), realtime=False))
        """,
        game,
    )
    lines, errors = bot.end()
    assert lines == [f"first {FIRST_LOOP}", "Result.Victory"] * 2, errors
    assert len(bot.recordings) == 2 and errors.count("abathur: dashboard") == 1
    assert len(game.started()) == 2
    nothing_is_left(game)


def test_a_copy_of_python_sc2(tmp_path: Path, game: InstalledGame) -> None:
    shutil.copytree(Path(sc2.__file__).parent, tmp_path / "sc2", ignore=shutil.ignore_patterns("__pycache__"))
    bot = Program(tmp_path, "import sc2\nprint(sc2.__file__)\nprint(run_game(board, players(), realtime=False))", game)
    lines, errors = bot.end()
    assert lines == [str(tmp_path / "sc2" / "__init__.py"), f"first {FIRST_LOOP}", "Result.Victory"], errors
    assert len(bot.recordings) == 1


@pytest.mark.parametrize("daemon", ["nothing-there", "false"])
def test_without_a_daemon_the_game_is_played(tmp_path: Path, game: InstalledGame, daemon: str) -> None:
    bot = Program(tmp_path, "print(run_game(board, players(), realtime=False))", game, ABATHUR_SYNC=daemon)
    lines, errors = bot.end()
    assert lines == [f"first {FIRST_LOOP}", "Result.Victory"], errors
    assert errors.count("the game is played without abathur: ") == 1
    assert not bot.recordings


def test_a_name_that_is_taken(tmp_path: Path, game: InstalledGame) -> None:
    bot = Program(
        tmp_path,
        """\
        from abathur.sc2 import observed
        with observed("127.0.0.1:9", name="mine", recordings=None):
            print(run_game(board, players(), realtime=False, name="mine"))
        """,
        game,
    )
    lines, errors = bot.end()
    assert lines == [f"first {FIRST_LOOP}", "Result.Victory"], errors
    assert "--name: a daemon on this machine publishes a match with the name mine already" in errors


def test_a_bot_that_raises(tmp_path: Path, game: InstalledGame) -> None:
    bot = Program(
        tmp_path,
        """\
        async def at_step(bot, iteration):
            if iteration == 5:
                raise KeyError("mine")

        run_game(board, players(), realtime=False)
        """,
        game,
    )
    _, errors = bot.end()
    assert bot.process.returncode == 1 and "KeyError: 'mine'" in errors
    (recording,) = bot.recordings
    assert loops_of(recording)[:6] == [FIRST_LOOP] * 1 + loops_of(recording)[1:6]
    assert loops_of(recording)[-1] >= FIRST_LOOP + 20
    nothing_is_left(game)


@pytest.mark.parametrize("whom", ["the bot", "both"])
def test_ctrl_c(tmp_path: Path, game: InstalledGame, whom: str) -> None:
    bot = Program(
        tmp_path,
        """\
        async def at_step(bot, iteration):
            if iteration == 5:
                print("now", flush=True)
                import asyncio, os
                while not os.path.exists("go on"):
                    await asyncio.sleep(0.01)

        print(run_game(board, players(), realtime=False))
        """,
        game,
    )
    assert bot.process.stdout is not None
    while bot.process.stdout.readline() != "now\n":
        pass
    daemons = bot.daemons()
    assert len(daemons) == 1
    if whom == "both":
        os.killpg(bot.process.pid, signal.SIGINT)
    else:
        bot.process.send_signal(signal.SIGINT)
    nothing_is_left(game)
    # python-sc2 ends the game at once, and its program when the bot asks the game again.
    (tmp_path / "go on").touch()
    bot.end()
    nothing_is_left(game, *daemons)
    (recording,) = bot.recordings
    assert loops_of(recording)[-1] >= FIRST_LOOP + 20


def test_a_game_that_crashes(tmp_path: Path, game: InstalledGame) -> None:
    bot = Program(
        tmp_path,
        """\
        async def at_step(bot, iteration):
            if iteration == 5:
                import json, os, signal
                os.kill(json.loads(open("StarCraftII/started.ndjson").readline())[0], signal.SIGKILL)

        run_game(board, players(), realtime=False)
        """,
        game,
    )
    bot.end()
    assert bot.process.returncode == 1
    (recording,) = bot.recordings
    assert loops_of(recording)[-1] >= FIRST_LOOP + 20
    nothing_is_left(game)


async def test_observed_is_before_a_game_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Idle(Noting):
        async def on_step(self, iteration: int) -> None:
            self.notes.append(self.state.game_loop)

    monkeypatch.setenv("ABATHUR_SYNC", shlex.join(daemon_command()))
    bot = Idle()
    with (
        emulated(short_match(tmp_path, LOOPS), result="tie") as emulator,
        observed(emulator.address, recordings=tmp_path / "kept") as seen,
    ):
        assert seen.port != emulator.port
        async with abathur.connect(seen.address) as joined:
            result = await play_from_websocket(seen.url, Bot(Race.Zerg, bot), False, None)
            while not (matches := await joined.matches()) or matches[0].state != sync_pb2.match_over:
                pause()
            assert [each.last_game_loop for each in matches] == [FIRST_LOOP + LOOPS - 1]
    assert result == Result.Tie
    (recording,) = (tmp_path / "kept").iterdir()
    assert set(bot.notes) <= set(loops_of(recording))


@pytest.mark.parametrize("game", ["", "5000", "127.0.0.1:", "127.0.0.1:x"])
def test_observed_refuses_what_is_no_address(game: str) -> None:
    with pytest.raises(ValueError, match="is not HOST:PORT of a game"), observed(game):
        pass


def test_a_human_plays_without_a_daemon(tmp_path: Path, game: InstalledGame) -> None:
    bot = Program(
        tmp_path,
        """\
        import asyncio
        import sc2.main

        # The first one that ends its game ends both, and here they are not one game.
        ended = []
        play = sc2.main._play_game_human

        async def both_ended(one):
            ended.append(one)
            while len(ended) < 2:
                await asyncio.sleep(0.01)

        async def play_human(*arguments):
            result = await play(*arguments)
            await both_ended("human")
            return result

        class Player(MyBot):
            async def on_end(self, result):
                await both_ended("bot")

        sc2.main._play_game_human = play_human
        print(run_game(board, [Bot(Race.Zerg, Player()), Human(Race.Protoss)], realtime=False))
        """,
        game,
    )
    lines, errors = bot.end()
    assert lines == [f"first {FIRST_LOOP}", "[<Result.Victory: 1>, <Result.Victory: 1>]"], errors
    assert len(game.started()) == 2 and len(bot.recordings) == 1
    assert errors.count("abathur: dashboard") == 1


@pytest.mark.parametrize(
    ("host", "platform", "is_observed"),
    [
        ("127.0.0.1", "Linux", True),
        ("localhost", "WineLinux", True),
        ("127.0.0.1", "WSL2", False),
        ("127.0.0.1", "WSL1", False),
        ("192.0.2.1", "Linux", False),
        ("game.example", "Windows", False),
    ],
)
def test_games_elsewhere_are_played_without_a_daemon(
    monkeypatch: pytest.MonkeyPatch, host: str, platform: str, is_observed: bool
) -> None:
    monkeypatch.setenv("ABATHUR_SYNC", shlex.join(daemon_command()))
    monkeypatch.setattr(sc2.paths, "PF", platform)
    monkeypatch.setattr(sc2.main.SC2Process, "_launch", lambda _: None)
    with observed(recordings=None):
        process = sc2.main.SC2Process(host=host, port=5000)
        process._launch()
        own = f"ws://{host}:5000/sc2api"
        assert (process.ws_url != own, process.ws_url.endswith("/sc2api?game=5000")) == (is_observed, is_observed)
    assert sc2.main.SC2Process(host=host, port=5000).ws_url == own


def test_recordings_that_cannot_be_written(tmp_path: Path, game: InstalledGame) -> None:
    (tmp_path / "recordings").write_text("no folder")
    bot = Program(tmp_path, "print(run_game(board, players(), realtime=False))", game)
    lines, errors = bot.end()
    assert lines == [f"first {FIRST_LOOP}", "Result.Victory"], errors
    assert errors.count("the game is played without abathur: ") == 1


@pytest.fixture
def deaf_game(tmp_path: Path) -> InstalledGame:
    """One that never takes a connection."""
    installed = InstalledGame(tmp_path / "StarCraftII", tmp_path / "none")
    installed.replace_by([sys.executable, "-c", "import signal; signal.pause()"])
    return installed


def test_a_game_that_does_not_start(tmp_path: Path, deaf_game: InstalledGame) -> None:
    bot = Program(
        tmp_path,
        """\
        import abathur.sc2._proxies
        abathur.sc2._proxies._GAME_SECONDS = 1
        run_game(board, players(), realtime=False)
        """,
        deaf_game,
    )
    _, errors = bot.end()
    # As without a daemon.
    assert bot.process.returncode == 1 and errors.rstrip().endswith("TimeoutError: Websocket")
    nothing_is_left(deaf_game)


def test_ctrl_c_while_the_game_starts(tmp_path: Path, deaf_game: InstalledGame) -> None:
    bot = Program(tmp_path, "run_game(board, players(), realtime=False)", deaf_game)
    while not deaf_game.started():
        pause()
    daemons = bot.daemons()
    bot.process.send_signal(signal.SIGINT)
    _, errors = bot.end()
    assert bot.process.returncode == 0, errors
    nothing_is_left(deaf_game, *daemons)
    assert not bot.recordings


#: Starts a program whose files have at most 10,000 bytes: what it writes beyond that fails, as on a full disk. .NET would
#: keep compiled code in a file.
SMALL_FILES = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
os.environ["DOTNET_EnableWriteXorExecute"] = "0"
os.execvp(sys.argv[1], sys.argv[1:])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files by a system call that Windows lacks")
def test_a_full_disk_costs_the_recording_only(tmp_path: Path, game: InstalledGame) -> None:
    command = [sys.executable, "-c", SMALL_FILES, *daemon_command()]
    bot = Program(tmp_path, f"print(run_game(board, players(), realtime=False, command={command!r}))", game)
    lines, errors = bot.end()
    assert lines == [f"first {FIRST_LOOP}", "Result.Victory"], errors
    assert bot.process.returncode == 0 and "failed: cannot write the recording" in errors, errors
    nothing_is_left(game)

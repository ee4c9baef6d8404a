"""Many matches on one machine: their names, how agents find them, and what remains of daemons that ended."""

from __future__ import annotations

import fcntl
import json
import os
import re
import stat
from pathlib import Path

import abathur
import pytest
from abathur._program import directory
from abathur.errors import AbathurError
from nats_servers import Server, needs_nats
from programs import SKIRMISH, WATCH, Launch, run_daemon, token_options
from programs import abathur as run_abathur

PLAY = ("play", str(SKIRMISH), "--ports", "auto", "--start-paused")


@pytest.fixture(autouse=True)
def runtime(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A runtime folder without the daemons of other tests."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path / "abathur" / "matches"


def names() -> list[str]:
    return [each.name for each in directory.matches()]


async def test_agents_find_each_match_by_its_name(launch: Launch) -> None:
    first, second = launch(*PLAY), launch(*PLAY, "--start-offset", "30")
    named = launch(*PLAY, "--name", "final_1", "--start-offset", "45")
    assert names() == ["final_1", "skirmish", "skirmish-2"]
    loops = {}
    for name, daemon in (("skirmish", first), ("skirmish-2", second), ("final_1", named)):
        async with abathur.connect(f"match:{name}") as game:
            assert str(game.address) == daemon.grpc
            await game.playback.resume()
            async for frame in game.frames():
                loops[name] = frame.game_loop
                break
    assert loops["skirmish"] < loops["skirmish-2"] < loops["final_1"]


def test_the_blocking_client_and_the_environment_take_names(launch: Launch, monkeypatch: pytest.MonkeyPatch) -> None:
    daemon = launch(*PLAY, "--name", "practice")
    monkeypatch.setenv("ABATHUR_ADDRESS", "match:practice")
    with abathur.connect_blocking() as game:
        assert str(game.address) == daemon.grpc
        assert game.status().match.frame_count == 1344


def test_the_list_shows_what_runs(launch: Launch) -> None:
    daemon = launch(*PLAY, "--name", "practice")
    with abathur.connect_blocking(daemon.grpc) as game:
        loop = game.status().playback.game_loop
    shown = run_abathur("matches", COLUMNS="80")
    assert shown.returncode == 0
    line = next(line for line in shown.stdout.splitlines() if "practice" in line)
    assert {"practice", "play", f"{loop}", "0"} <= set(line.replace("│", " ").split())
    assert max(len(line) for line in shown.stdout.splitlines()) <= 80
    (entry,) = json.loads(run_abathur("matches", "--json").stdout)
    assert {key: entry[key] for key in ("name", "command", "pid", "readers")} == {
        "name": "practice",
        "command": "play",
        "pid": daemon.process.pid,
        "readers": 0,
    }
    assert entry["addresses"] == daemon.addresses


def test_the_list_has_what_a_token_protects_only_for_those_who_have_it(launch: Launch, tmp_path: Path) -> None:
    launch(*PLAY, "--name", "secret", *token_options(tmp_path))
    (entry,) = json.loads(run_abathur("matches", "--json").stdout)
    assert (entry["name"], entry["map"], entry["readers"]) == ("secret", None, None)
    (entry,) = json.loads(run_abathur("matches", "--json", ABATHUR_TOKEN=WATCH).stdout)
    assert (entry["map"], entry["readers"]) == ("Synthetic LE", 0)


def test_nothing_remains_of_daemons_that_end_or_are_killed(launch: Launch, runtime: Path) -> None:
    ending, killed = launch(*PLAY, "--name", "ending"), launch(*PLAY, "--name", "killed")
    assert names() == ["ending", "killed"]
    ending.stop()
    assert sorted(each.name for each in runtime.iterdir()) == ["killed.json", "killed.lock"]
    killed.process.kill()
    killed.wait()
    assert names() == []
    assert list(runtime.iterdir()) == []
    shown = run_abathur("matches")
    assert shown.stdout.startswith("no matches on this machine")
    again = launch(*PLAY, "--name", "killed")
    assert directory.find("killed").pid == again.process.pid


def test_the_entry_of_a_daemon_that_starts_meanwhile_stays(launch: Launch, runtime: Path) -> None:
    killed = launch(*PLAY, "--name", "match")
    killed.process.kill()
    killed.wait()
    # What a program sees that opens the lock just before the entry is removed and made again.
    with (runtime / "match.lock").open("rb+") as lock:
        assert names() == []
        launch(*PLAY, "--name", "match")
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert names() == ["match"]


def test_only_this_user_reads_the_directory(launch: Launch, runtime: Path) -> None:
    launch(*PLAY)
    assert stat.S_IMODE(runtime.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("part", "mode", "owner", "message"),
    [
        ("abathur/matches", 0o777, None, "other users may use the folder"),
        ("abathur/matches", 0o750, None, "other users may use the folder"),
        ("abathur", 0o777, None, "other users may write to the folder"),
        ("", 0o777, None, "other users may write to the folder"),
        ("abathur/matches", 0o700, 12345, r"belongs to another user \(number 12345\)"),
        ("abathur", 0o755, 12345, r"belongs to another user \(number 12345\)"),
    ],
)
def test_a_folder_of_others_is_not_trusted(
    launch: Launch, tmp_path: Path, runtime: Path, part: str, mode: int, owner: int | None, message: str
) -> None:
    if owner is not None and os.geteuid() != 0:
        pytest.skip("only root can give a folder to another user")
    runtime.mkdir(parents=True, mode=0o700)
    (runtime / "evil.json").write_text(
        '{"name": "evil", "command": "play", "pid": 1, "started": "", "grpc": "10.0.0.1:1", "socket": "10.0.0.1:2"}'
    )
    folder = tmp_path / part
    folder.chmod(mode)
    with (runtime / "evil.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if owner is not None:
            os.chown(folder, owner, -1)
        with pytest.raises(AbathurError, match=message):
            abathur.connect("match:evil")
        with pytest.raises(AbathurError, match=message):
            directory.matches()
    # The daemon plays, and says why it is not listed.
    daemon = launch(*PLAY, "--name", "mine")
    daemon.stop()
    assert daemon.process.stderr is not None
    assert re.search(f"agents cannot find this match by its name: .*{message}", daemon.process.stderr.read())
    assert not (runtime / "mine.json").exists()


@pytest.mark.parametrize("home", ["nowhere", "relative"])
def test_without_a_home_folder_nothing_is_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, home: str) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setenv("HOME", str(tmp_path / "nowhere") if home == "nowhere" else "relative")
    monkeypatch.chdir(tmp_path)
    done = run_daemon("play", str(SKIRMISH), "--ports", "auto", "--playback-duration", "0.1", "--name", "mine")
    assert done.returncode == 0, done.stderr
    assert "agents cannot find this match by its name: " in done.stderr and "HOME" in done.stderr
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(AbathurError, match="set HOME, or XDG_RUNTIME_DIR"):
        directory.matches()


def test_a_daemon_runs_where_it_cannot_be_listed(launch: Launch, tmp_path: Path) -> None:
    (tmp_path / "abathur").write_text("a file in place of the folder")
    daemon = launch(*PLAY)
    with abathur.connect_blocking(daemon.grpc) as game:
        assert game.status().match.frame_count == 1344
    assert names() == []
    daemon.stop()
    assert daemon.process.stderr is not None
    assert "agents cannot find this match by its name" in daemon.process.stderr.read()


def test_entries_that_are_damaged_are_not_listed(launch: Launch, runtime: Path) -> None:
    launch(*PLAY, "--name", "whole")
    for number, content in enumerate((b"", b"[]", b"{}", b'{"name": 1}', b"\xff", b'{"name": "x", "command": "play"}')):
        damaged = runtime / f"damaged{number}.json"
        damaged.write_bytes(content)
        lock = damaged.with_suffix(".lock").open("wb")
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.set_inheritable(lock.fileno(), False)
        assert names() == ["whole"]
        lock.close()
    assert names() == ["whole"]
    assert sorted(each.name for each in runtime.iterdir()) == ["whole.json", "whole.lock"]


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        (
            "nowhere",
            AbathurError,
            "no daemon on this machine publishes a match with the name nowhere: there are practice",
        ),
        ("../practice", ValueError, "'../practice' is not the name of a match: expected letters, digits, _ and -"),
        ("", ValueError, "'' is not the name of a match"),
    ],
)
def test_a_name_that_no_match_has(launch: Launch, name: str, error: type[Exception], message: str) -> None:
    launch(*PLAY, "--name", "practice")
    with pytest.raises(error, match=message):
        abathur.connect(f"match:{name}")
    shown = run_abathur("watch", f"match:{name}")
    assert (shown.returncode, message in shown.stderr) == (1 if error is AbathurError else 2, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--name", "a b"), "--name must be 1 to 64 letters, digits, '_' and '-'."),
        (("--name", ""), "--name must not be empty."),
        (("--name", "x" * 65), "--name must be 1 to 64 letters, digits, '_' and '-'."),
        (("--ports", "22400"), "--ports must be auto; for a port of your choice, use --grpc-port, --socket-port and"),
        (("--ports", "auto", "--grpc-port", "0"), "--ports and --grpc-port exclude each other."),
        (("--ports", "auto", "--http-port", "0"), "--ports and --http-port exclude each other."),
    ],
)
def test_options_that_are_wrong(options: tuple[str, ...], message: str) -> None:
    done = run_daemon("play", str(SKIRMISH), *options)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_name_is_taken_once(launch: Launch) -> None:
    launch(*PLAY, "--name", "practice")
    done = run_daemon(*PLAY, "--name", "practice")
    assert done.returncode == 2
    assert "--name: a daemon on this machine publishes a match with the name practice already" in done.stderr


@needs_nats
@pytest.mark.parametrize(
    ("name", "place", "expected"), [("practice", "", "practice"), ("practice", "/y", "y"), ("", "", "skirmish-7")]
)
def test_a_relay_publishes_by_the_name_of_the_match(
    launch: Launch, server: Server, name: str, place: str, expected: str
) -> None:
    launch(*PLAY, "--relay", f"{server.url}{place}", *(("--name", name) if name else ()))
    listed: list[str] = []
    while listed != [expected]:
        listed = [each["match"] for each in json.loads(run_abathur("matches", server.url, "--json").stdout)]

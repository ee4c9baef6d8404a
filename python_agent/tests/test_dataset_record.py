"""`abathur dataset record`: replays in batches, with the emulator in place of the game."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import abathur
import pytest
from abathur import dataset
from datasets import contents, rows, shown_command
from emulators import emulated, short_match
from mcap.reader import make_reader
from programs import TIMEOUT, pause
from programs import abathur as run_abathur

LOOPS = 40


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """Two games that play a match of 40 loops, whatever replay they are given."""
    match = short_match(tmp_path_factory.mktemp("match"), LOOPS)
    with ExitStack() as stack:
        yield [stack.enter_context(emulated(match)).address for _ in range(2)]


@pytest.fixture
def replays(tmp_path: Path) -> Path:
    folder = tmp_path / "replays"
    folder.mkdir()
    for name in ("first", "second"):
        (folder / f"{name}.SC2Replay").write_text(name)
    # The same content by another name is the same replay, and another content by the same name is not.
    (folder / "copy").mkdir()
    (folder / "copy" / "first.SC2Replay").write_text("first")
    return folder


def record(replays: Path, output: Path, games: list[str], *options: str) -> subprocess.CompletedProcess[str]:
    addresses = [word for address in games for word in ("--sc2", address)]
    return run_abathur("dataset", "record", str(replays), "-o", str(output), *addresses, *options)


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.glob("*.mcap"))


def test_replays_become_recordings_of_both_players(games: list[str], replays: Path, tmp_path: Path) -> None:
    output = tmp_path / "recordings"
    done = record(replays, output, games, "--jobs", "2", "--json")
    assert done.returncode == 0, done.stderr
    made = names(output)
    assert [each.rpartition("-")[2] for each in made] == ["player1.mcap", "player2.mcap"] * 2
    assert [Path(each).name for each in json.loads(done.stdout)["recorded"]] == made
    ids = []
    for name in made:
        with abathur.open(output / name) as match:
            # The last game loop comes again when the result is there.
            loops = dict.fromkeys(frame.game_loop for frame in match.frames())
            assert list(loops) == list(range(8960, 8960 + LOOPS))
            assert match.metadata["player_id"] == name[-6]
            ids.append(match.metadata["match_id"])
    # Both players' recordings of a replay are known to be of one match.
    assert ids[0] == ids[1] != ids[2] == ids[3]
    built = dataset.build(output, tmp_path / "data")
    assert (built.converted, built.matches) == (4, 2)
    before = contents(output)
    again = record(replays, output, games)
    assert again.returncode == 0 and "0 recorded, 4 kept" in again.stdout
    assert contents(output) == before


def test_the_command_of_the_page_runs(games: list[str], replays: Path, tmp_path: Path) -> None:
    words = {"replays": str(replays), "recordings": str(tmp_path / "recordings")}
    addresses = [word for address in games for word in ("--sc2", address)]
    done = run_abathur(*(words.get(each, each) for each in shown_command("dataset record")), *addresses)
    assert done.returncode == 0 and "4 recorded, 0 kept" in done.stdout, done.stderr


def test_compact_recordings_have_the_same_rows(games: list[str], replays: Path, tmp_path: Path) -> None:
    for name, options in (("full", []), ("small", ["--compact"])):
        assert record(replays, tmp_path / name, games, "--player", "1", *options).returncode == 0
        dataset.build(tmp_path / name, tmp_path / f"{name}-data")
    with next((tmp_path / "small").glob("*.mcap")).open("rb") as file:
        topics = {channel.topic for _, channel, _ in make_reader(file).iter_messages()}
    assert "/columns" in topics and "/observation" not in topics
    full, small = (rows(tmp_path / f"{name}-data", "units") for name in ("full", "small"))
    assert full == small != []


def test_a_run_that_is_killed_continues(games: list[str], replays: Path, tmp_path: Path) -> None:
    output = tmp_path / "recordings"
    line = [sys.executable, "-m", "abathur", "dataset", "record", str(replays), "-o", str(output), "--sc2", games[0]]
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while not names(output):
        pause()
        assert process.poll() is None
    process.kill()
    process.communicate(timeout=TIMEOUT)
    kept = names(output)
    # The other game: the daemon of the killed run may still be at the first one.
    done = record(replays, output, games[1:], "--step", "1")
    assert done.returncode == 0, done.stderr
    assert f"{4 - len(kept)} recorded, {len(kept)} kept" in done.stdout
    for name in names(output):
        with abathur.open(output / name) as match:
            assert match.frame_count >= LOOPS
    assert not (output / "_parts").exists()


def test_a_replay_that_fails_is_listed_and_the_others_go_on(games: list[str], replays: Path, tmp_path: Path) -> None:
    output = tmp_path / "recordings"
    with emulated(short_match(tmp_path, LOOPS)) as game:
        address = game.address
    # A game that has ended, beside one that runs.
    done = run_abathur(
        "dataset", "record", str(replays / "first.SC2Replay"), str(replays / "second.SC2Replay"), "-o", str(output),
        "--sc2", games[0], "--player", "1", "--step", "4",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(names(output)) == 2
    failed = run_abathur(
        "dataset",
        "record",
        str(replays),
        "-o",
        str(output),
        "--sc2",
        address,
        "--player",
        "2",
        "--connect-timeout",
        "0",
    )
    assert failed.returncode == 1
    assert "0 recorded, 0 kept" in failed.stdout and failed.stderr.count("player 2: ") == 2
    listed = [json.loads(line) for line in (output / "failures.jsonl").read_text().splitlines()]
    assert [each["player_id"] for each in listed] == [2, 2]
    assert all("no game answers at" in each["error"] for each in listed)
    again = record(replays, output, games[:1], "--player", "1", "--player", "2", "--step", "4")
    assert again.returncode == 0 and "2 recorded, 2 kept" in again.stdout
    assert not (output / "failures.jsonl").exists()

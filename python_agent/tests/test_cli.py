"""Every command, as a user runs it."""

from __future__ import annotations

import filecmp
import json
import subprocess
import sys
from pathlib import Path

import abathur as package
import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from programs import ROOT, SKIRMISH, Play, abathur, run_daemon

FIRST_LOOP = 8960
DAEMON_COMMANDS = ["play", "synth", "info", "cat", "recover", "import", "export"]


@pytest.mark.parametrize("command", DAEMON_COMMANDS)
def test_daemon_command_has_help(command: str) -> None:
    done = run_daemon(command, "--help")
    assert done.returncode == 0
    assert command in done.stdout
    assert done.stderr == ""


def test_daemon_help_lists_every_command() -> None:
    done = run_daemon("--help")
    assert done.returncode == 0
    for command in DAEMON_COMMANDS:
        assert f"  {command}" in done.stdout


def test_synth_info_cat_export_import_go_together(tmp_path: Path) -> None:
    match, copy, stream = tmp_path / "m.mcap", tmp_path / "c.mcap", tmp_path / "m.obs"
    assert run_daemon("synth", "--steps", "30", "-o", str(match)).returncode == 0
    info = json.loads(run_daemon("info", str(match), "--json").stdout)
    assert info["frames"] == 30
    lines = run_daemon("cat", str(match), "--fields", "observation.game_loop", "--limit", "3").stdout.splitlines()
    loops = [json.loads(line)["message"]["observation"]["gameLoop"] for line in lines]
    assert loops == [FIRST_LOOP, FIRST_LOOP + 1, FIRST_LOOP + 2]
    assert run_daemon("export", str(match), "-o", str(stream)).returncode == 0
    assert run_daemon("import", str(stream), "-o", str(copy)).returncode == 0
    with package.open(match) as one, package.open(copy) as two:
        assert [frame.response for frame in one.frames()] == [frame.response for frame in two.frames()]
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(copy.read_bytes()[:-100])
    done = run_daemon("recover", str(cut), "-o", str(tmp_path / "whole.mcap"))
    assert done.returncode == 0, done.stderr
    with package.open(tmp_path / "whole.mcap") as whole:
        assert whole.frame_count == 30


def test_committed_recording_is_what_the_generator_makes(tmp_path: Path) -> None:
    anew = tmp_path / "skirmish.mcap"
    assert run_daemon("synth", "--preset", "skirmish", "-o", str(anew)).returncode == 0
    with package.open(anew) as one, package.open(SKIRMISH) as two:
        assert one.metadata == two.metadata
        assert one.frame_count == two.frame_count == 1344
        for ours, theirs in zip(one.frames(), two.frames(), strict=True):
            assert ours.response == theirs.response
    assert SKIRMISH.stat().st_size < 8_000_000
    if anew.stat().st_size == SKIRMISH.stat().st_size:
        # Another version of libzstd makes chunks of another size; the same one, the same bytes.
        assert filecmp.cmp(anew, SKIRMISH, shallow=False)


def test_watch_shows_each_agent_and_a_summary(play: Play) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "2", "--playback-duration", "3")
    done = abathur("watch", daemon.grpc, daemon.socket)
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines() if line.split()[:1] in (["grpc"], ["socket"])]
    assert [row[1] for row in rows] == ["proto", "json"]
    for row in rows:
        frames, drops = int(row[3]), int(row[-1])
        assert frames + drops == 68
        assert float(row[4]) == pytest.approx(22.4, rel=0.1)


def test_watch_without_a_daemon_says_so() -> None:
    done = abathur("watch", "127.0.0.1:1")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("abathur: ")
    assert "Is the daemon running?" in done.stderr
    assert "Traceback" not in done.stderr


def test_watch_stops_after_the_seconds(play: Play) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1", "--loop")
    done = abathur("watch", daemon.grpc, "--seconds", "2", "--fields", "observation.game_loop", "--policy", "every")
    assert done.returncode == 0, done.stderr
    assert "Summary" in done.stdout


def test_info_shows_what_a_recording_has() -> None:
    done = abathur("info", str(SKIRMISH))
    assert done.returncode == 0, done.stderr
    assert "Synthetic LE" in done.stdout
    assert "/observation" in done.stdout


def test_export_writes_the_same_table_in_each_format(tmp_path: Path) -> None:
    limits = ["--start", str(FIRST_LOOP + 5), "--stop", str(FIRST_LOOP + 15)]
    for suffix in ("parquet", "npz", "arrow"):
        done = abathur("export", str(SKIRMISH), "-o", str(tmp_path / f"units.{suffix}"), *limits)
        assert done.returncode == 0, done.stderr
    parquet = pyarrow.parquet.read_table(tmp_path / "units.parquet")
    with pyarrow.OSFile(str(tmp_path / "units.arrow")) as file:
        arrow = pyarrow.ipc.open_file(file).read_all()
    arrays = np.load(tmp_path / "units.npz")
    assert parquet.equals(arrow)
    assert parquet.column_names == arrow.column_names == list(arrays)
    with package.open(SKIRMISH) as match:
        frames = list(match.frames(start=FIRST_LOOP + 5, stop=FIRST_LOOP + 15))
    assert [frame.game_loop for frame in frames] == list(range(FIRST_LOOP + 5, FIRST_LOOP + 15))
    tags = [unit.tag for frame in frames for unit in frame.observation.raw_data.units]
    assert parquet["tag"].to_pylist() == tags == arrays["tag"].tolist()
    loops = [frame.game_loop for frame in frames for _ in frame.observation.raw_data.units]
    assert parquet["game_loop"].to_pylist() == loops


def test_export_of_a_long_part_comes_from_columns_and_is_the_same(tmp_path: Path) -> None:
    first = FIRST_LOOP + 1100
    done = abathur("export", str(SKIRMISH), "-o", str(tmp_path / "units.npz"), "--start", str(first))
    assert done.returncode == 0, done.stderr
    arrays = np.load(tmp_path / "units.npz")
    with package.open(SKIRMISH) as match:
        wanted = match.units_arrays(start=first)
    ours, theirs = (np.lexsort((each["tag"], each["game_loop"])) for each in (arrays, wanted))
    for name in wanted:
        np.testing.assert_array_equal(arrays[name][ours], wanted[name][theirs], name)
    alone = abathur("export", str(SKIRMISH), "-o", str(tmp_path / "x.npz"), ABATHUR_SYNC=str(tmp_path / "missing"))
    assert alone.returncode != 0 and "missing" in alone.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (["export", "missing.mcap", "-o", "x.npz"], 3, "cannot open missing.mcap"),
        (["export", "SKIRMISH", "-o", "x.csv"], 2, "must end in .parquet, .npz, .arrow"),
        (["info", "missing.mcap"], 3, "there is no file missing.mcap"),
        (["info", "README"], 3, "not an MCAP file"),
        (["watch", "http://x"], 2, "is not an address"),
        (["watch", "--policy", "newest"], 2, "'newest' is not one of latest, every, lockstep"),
        (["watch", "--seconds", "-1"], 2, "is not between 0 and 86400"),
        (["dance"], 2, "unknown command 'dance'"),
        ([], 2, "no command"),
    ],
)
def test_python_command_lines_that_cannot_work_say_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, expected: str
) -> None:
    monkeypatch.chdir(tmp_path)
    places = {"SKIRMISH": str(SKIRMISH), "README": str(ROOT / "README.md")}
    done = abathur(*(places.get(each, each) for each in arguments))
    assert done.returncode == code, done.stderr
    assert expected in done.stderr
    assert "Traceback" not in done.stderr


def test_python_export_to_a_closed_pipe_is_quiet() -> None:
    command = f"{sys.executable} -m abathur bench --list"
    done = subprocess.run(
        [*command.split()], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")

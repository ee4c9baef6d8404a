"""Every command, as a user runs it."""

from __future__ import annotations

import argparse
import filecmp
import json
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import abathur as package
import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from abathur._recording import tables
from abathur._recording.recorded_frames import Observation
from abathur.cli import _commands, main
from abathur.cli._parser import parser_of
from abathur.ids import UnitTypeId, name_of
from programs import ROOT, SKIRMISH, Play, abathur, run_daemon
from s2clientprotocol import raw_pb2, sc2api_pb2

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
    assert [row[1] for row in rows] == ["proto", "proto"]
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
    assert parquet.column_names == arrow.column_names == [*arrays, "name"]
    with package.open(SKIRMISH) as match:
        frames = list(match.frames(start=FIRST_LOOP + 5, stop=FIRST_LOOP + 15))
    assert [frame.game_loop for frame in frames] == list(range(FIRST_LOOP + 5, FIRST_LOOP + 15))
    tags = [unit.tag for frame in frames for unit in frame.observation.raw_data.units]
    assert parquet["tag"].to_pylist() == tags == arrays["tag"].tolist()
    loops = [frame.game_loop for frame in frames for _ in frame.observation.raw_data.units]
    assert parquet["game_loop"].to_pylist() == loops


def test_export_of_a_part_has_its_units(tmp_path: Path) -> None:
    first = FIRST_LOOP + 1000
    for limits in (["--start", str(first)], ["--start", str(first), "--stop", str(first + 250)]):
        done = abathur("export", str(SKIRMISH), "-f", "-o", str(tmp_path / "units.npz"), *limits)
        assert done.returncode == 0, done.stderr
        arrays = np.load(tmp_path / "units.npz")
        with package.open(SKIRMISH) as match:
            wanted = match.units_arrays(start=first, stop=first + 250 if len(limits) > 2 else None)
        assert list(arrays) == list(wanted)
        for name in wanted:
            assert arrays[name].dtype == wanted[name].dtype
            np.testing.assert_array_equal(arrays[name], wanted[name], name)
    for suffix in ("parquet", "arrow"):
        output = tmp_path / f"units.{suffix}"
        done = abathur("export", str(SKIRMISH), "-o", str(output), *limits)
        assert done.returncode == 0, done.stderr
        table = pyarrow.parquet.read_table(output) if suffix == "parquet" else pyarrow.ipc.open_file(output).read_all()
        for name in wanted:
            np.testing.assert_array_equal(table[name].to_numpy(), arrays[name], name)
        names = [name_of(UnitTypeId, number) for number in arrays["unit_type"].tolist()]
        assert pyarrow.types.is_dictionary(table["name"].type) and table["name"].to_pylist() == names
    alone = abathur("export", str(SKIRMISH), "-o", str(tmp_path / "x.npz"), ABATHUR_SYNC=str(tmp_path / "missing"))
    assert alone.returncode == 0, alone.stderr


def test_the_daemon_exports_units_as_a_stream_of_arrow(tmp_path: Path) -> None:
    done = run_daemon("export", str(SKIRMISH), "--units", "-o", str(tmp_path / "units.arrows"), "--stop", "8970")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    table = pyarrow.ipc.open_stream(tmp_path / "units.arrows").read_all()
    with package.open(SKIRMISH) as match:
        wanted = match.units_table(stop=8970)
    assert table.equals(wanted.drop_columns(["name"]))
    nothing = run_daemon("export", str(SKIRMISH), "--units", "-f", "-o", str(tmp_path / "units.arrows"), "--stop", "1")
    assert nothing.returncode == 0
    assert pyarrow.ipc.open_stream(tmp_path / "units.arrows").read_all().equals(table[:0])


def test_export_of_a_damaged_recording_says_where_and_leaves_no_file(tmp_path: Path) -> None:
    data = bytearray(SKIRMISH.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 64] = bytes(64)
    damaged = tmp_path / "damaged.mcap"
    damaged.write_bytes(data)
    done = abathur("export", str(damaged), "-o", str(tmp_path / "units.parquet"))
    assert done.returncode == 3 and "Traceback" not in done.stderr
    assert done.stderr.startswith(f"abathur: {damaged} is damaged"), done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["damaged.mcap"]


def test_export_writes_row_groups_as_it_goes(tmp_path: Path) -> None:
    output = tmp_path / "units.parquet"
    done = abathur("export", str(SKIRMISH), "-o", str(output))
    assert done.returncode == 0, done.stderr
    file = pyarrow.parquet.ParquetFile(output)
    groups = [file.metadata.row_group(at).num_rows for at in range(file.num_row_groups)]
    with package.open(SKIRMISH) as match:
        counts = [len(frame.observation.raw_data.units) for frame in match.frames()]
    assert len(groups) > 1 and max(groups) <= 8 * (tables.BLOCK_ROWS + max(counts))
    assert sum(groups) == sum(counts)


def test_blocks_have_the_units_of_their_frames_and_names_of_any_type() -> None:
    def frame(loop: int, count: int) -> package.Frame:
        response = sc2api_pb2.ResponseObservation()
        response.observation.game_loop = loop
        response.observation.raw_data.units.extend(
            raw_pb2.Unit(tag=each, unit_type=4_000_000_000 if loop == 3 else 126) for each in range(count)
        )
        return Observation(loop, loop, 0, 0, response.SerializeToString()).frame("")

    frames = [frame(1, 0), frame(2, 5), frame(3, 7), frame(4, tables.BLOCK_ROWS), frame(5, 2), frame(6, 0)]
    blocks = [sorted(set(each["game_loop"].tolist())) for each in tables.blocks(frames)]
    assert blocks == [[2, 3, 4], [5]]
    table = tables.table(frames)
    assert table["game_loop"].to_pylist()[:12] == [2] * 5 + [3] * 7
    assert table["name"].to_pylist()[:13] == ["QUEEN"] * 5 + ["4000000000"] * 7 + ["QUEEN"]
    assert tables.table([]).schema == table.schema


def test_export_refuses_an_output_before_it_starts(tmp_path: Path) -> None:
    output = tmp_path / "units.npz"
    output.write_bytes(b"mine")
    limits = ["--start", str(FIRST_LOOP), "--stop", str(FIRST_LOOP + 2)]
    done = abathur("export", str(SKIRMISH), "-o", str(output), *limits)
    assert (done.returncode, output.read_bytes()) == (1, b"mine")
    assert done.stderr == f"abathur: {output} already exists; use --force to overwrite it\n"
    done = abathur("export", str(SKIRMISH), "-o", str(output), "-f", *limits)
    assert done.returncode == 0 and len(np.load(output)["tag"]) > 0
    missing = tmp_path / "missing" / "units.npz"
    done = abathur("export", str(SKIRMISH), "-o", str(missing), *limits)
    assert done.returncode == 1
    assert done.stderr == f"abathur: cannot write {missing}: the folder {missing.parent} does not exist\n"
    assert [each.name for each in tmp_path.iterdir()] == ["units.npz"]


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "npz"])
def test_interrupted_export_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], suffix: str
) -> None:
    output = tmp_path / f"units.{suffix}"
    blocks = tables.blocks
    seen: list[str] = []

    def interrupted(frames: Iterable[package.Frame]) -> Iterator[tables.Block]:
        for block in blocks(frames):
            yield block
            seen.extend(each.name for each in tmp_path.iterdir())
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(tables, "blocks", interrupted)
    assert main(["export", str(SKIRMISH), "-o", str(output)]) == 130
    assert seen == ([] if suffix == "npz" else [f"units.{suffix}.part"])
    assert list(tmp_path.iterdir()) == []
    assert capsys.readouterr().err == f"abathur: interrupted; {output} was not written\n"


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


def all_options() -> Iterator[tuple[argparse.ArgumentParser, argparse.Action]]:
    """The options of the commands in this package that take a value."""
    parsers = [parser_of(command) for command in (*_commands.PYTHON, "export")]
    for parser in parsers:
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                parsers += action.choices.values()
            elif action.option_strings and action.nargs != 0:
                yield parser, action


@pytest.mark.parametrize("text", ["0,5", "1,000", "1_000", " 1", "1 ", "nan", "inf", "1e999", "\u0661", "one", ""])
def test_numbers_that_are_written_in_another_way_are_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    numbers = 0
    for parser, action in all_options():
        try:
            is_number = action.type in (int, float) or (callable(action.type) and action.type("5") == 5)
        except (ValueError, argparse.ArgumentTypeError):
            is_number = action.dest in ("keep", "gone")
        if is_number or text == "":
            numbers += 1
            with pytest.raises(SystemExit) as ended:
                parser.parse([action.option_strings[-1], text])  # type: ignore[attr-defined]
            assert ended.value.code == 2
            assert action.option_strings[-1] in capsys.readouterr().err
    assert numbers > 10


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("watch", ""), "an argument"),
        (("export", "", "-o", "x.npz"), "an argument"),
        (("export", "x.mcap", "-o", "x.npz", "--start", ""), "--start"),
        (("dataset", "build", "", "-o", "x"), "an argument"),
        (("dataset", "build", "x.mcap", "--output="), "--output"),
        (("bench", ""), "an argument"),
    ],
)
def test_empty_values_are_refused(arguments: tuple[str, ...], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert f"{named} must not be empty" in capsys.readouterr().err

"""The one command `abathur`: it runs its own commands, and passes those of the daemon on."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import abathur as package
import pytest
from abathur._program.daemon import find_daemon
from abathur.cli import _commands, _suggest
from programs import ROOT, SKIRMISH, TIMEOUT, Daemon, abathur, run_daemon

Play = Callable[..., Daemon]


def test_the_help_lists_every_command_of_both_programs() -> None:
    listed = re.findall(r"^  ([a-z]+) ", abathur("--help").stdout, re.M)
    assert sorted(listed) == sorted(_commands.ALL)
    commands = run_daemon("--help").stdout.partition("Commands:")[2].partition("Options:")[0]
    assert sorted(re.findall(r"^  ([a-z]+) ", commands, re.M)) == sorted(_commands.DAEMON)


@pytest.mark.parametrize("command", _commands.ALL)
def test_every_command_has_a_help_that_fits_into_80_columns(command: str) -> None:
    done = abathur(command, "--help", COLUMNS="80")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"sage: abathur {command}" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert not re.search(r"System\.|\d{10}|Zstd\b", done.stdout)


def test_the_options_of_play_are_in_groups() -> None:
    text = abathur("play", "--help").stdout
    headings = re.findall(r"^(\w+):$", text, re.M)
    assert headings[:5] == ["Arguments", "Playback", "Agents", "Addresses", "Access"]
    playback = text.partition("Playback:")[2].partition("\n\n")[0]
    assert "-r, --rate RATE" in playback and "-l, --loop" in playback and "--token-file" not in playback


def test_without_a_command_it_shows_them() -> None:
    done, help_text = abathur(), abathur("--help")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == help_text.stdout
    assert "  play " in done.stderr


def test_a_relay_whose_login_cannot_be_read_is_not_started() -> None:
    done = abathur("play", "--relay", "nats://127.0.0.1:1/m", ABATHUR_NATS_CREDS="missing.creds")
    assert done.returncode == 1, done.stderr
    assert "--relay: cannot read the credentials in 'missing.creds': " in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["plya"], 2, "abathur: unknown command 'plya' (did you mean play?). See `abathur --help`."),
        (["xyzzy"], 2, "abathur: unknown command 'xyzzy'. See `abathur --help`."),
        (
            ["watch", "--fieds", "a"],
            2,
            "abathur watch: unknown option --fieds (did you mean --fields?). See `abathur watch --help`.",
        ),
        (["watch", "--policy", "evry"], 2, "(did you mean every?). See `abathur watch --help`."),
        (["play", "--rat=3"], 2, "abathur: Unknown option --rat (did you mean --rate?). See `abathur play --help`."),
        (["play", "--reply", "x"], 2, "Unknown option --reply (did you mean --relay?). See `abathur play --help`."),
        (["proxy", "--rely=x"], 2, "Unknown option --rely (did you mean --relay?). See `abathur proxy --help`."),
        (["live", "--reply", "x"], 2, "Unknown option --reply (did you mean --replay?). See `abathur live --help`."),
        (["live", "--race", "zreg"], 2, "not 'zreg' (did you mean zerg?). See `abathur live --help`."),
        (["play", "--grpc-port", "x"], 2, "--grpc-port must be a whole number, not 'x'. See `abathur play --help`."),
        (["cat"], 2, "abathur: FILE is missing. See `abathur cat --help`."),
        (["completion", "pash"], 2, "not 'pash' (did you mean bash?). See `abathur completion --help`."),
        (["cat", "/nothing.mcap"], 3, "abathur: there is no file /nothing.mcap"),
        (["info", "/nothing.mcap"], 3, "abathur: there is no file /nothing.mcap"),
        (["info", str(ROOT / "README.md")], 3, "abathur: "),
        (["demo", "/nothing.mcap"], 3, "there is no file /nothing.mcap"),
        (["demo", str(ROOT / "README.md")], 3, "abathur: "),
        (["demo", "--seconds", "0"], 2, "See `abathur demo --help`."),
    ],
)
def test_a_wrong_command_line_says_what_is_wrong_and_where_help_is(arguments: list[str], code: int, said: str) -> None:
    done = abathur(*arguments)
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_play_without_a_file_plays_the_sample(play: Play) -> None:
    assert package.sample() == SKIRMISH
    with subprocess.Popen(
        [sys.executable, "-m", "abathur", "play", "--grpc-port", "0", "--socket-port", "0", "--stop-with-parent"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        addresses = dict(each.split("=", 1) for each in process.stdout.readline().split()[1:])
        with package.connect_blocking(addresses["grpc"]) as game:
            assert game.status().match.map_name == "Synthetic LE"
        process.stdin.close()
        assert process.wait(TIMEOUT) == 0


def test_demo_shows_both_agents_and_ends() -> None:
    done = abathur("demo", "--seconds", "2")
    assert done.returncode == 0, done.stderr
    assert "Summary of" in done.stdout and "Dashboard: http://127.0.0.1:" in done.stdout
    rows = [line.split() for line in done.stdout.splitlines() if re.match(r"(grpc|socket)", line)]
    assert [row[0].split(":")[0] for row in rows][-2:] == ["grpc", "socket"]
    # Frames, frames/s, KB, Mbit/s, decode, p50, p99, drops.
    assert all(int(row[-8]) > 0 for row in rows[-2:])


def test_a_picture_is_not_overwritten_without_force(tmp_path: Path) -> None:
    picture = tmp_path / "view.svg"
    picture.write_text("mine")
    done = abathur("demo", "--seconds", "1", "--svg", str(picture))
    assert (done.returncode, picture.read_text()) == (1, "mine")
    assert done.stderr == f"abathur: {picture} already exists; use --force to overwrite it\n"
    assert abathur("demo", "--seconds", "1", "--svg", str(picture), "-f").returncode == 0
    assert picture.read_text(encoding="utf-8").startswith("<svg")


def test_a_table_is_told_as_json(tmp_path: Path) -> None:
    table = tmp_path / "units.npz"
    done = abathur("export", str(SKIRMISH), "-o", str(table), "--stop", "8962", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    with package.open(SKIRMISH) as match:
        rows = sum(len(frame.units) for frame in match.frames(stop=8962))
    assert told == {"file": str(table), "file_bytes": table.stat().st_size, "rows": rows, "columns": 43}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("abathur reco", ["recover"]),
        ("abathur d", ["demo", "dataset"]),
        ("abathur dataset ", ["build", "info", "check", "record", "--help"]),
        ("abathur dataset build --sch", ["--scheduler"]),
        ("abathur dataset record replays --j", ["--jobs", "--json"]),
        ("abathur watch --pol", ["--policy"]),
        ("abathur watch --policy ", ["latest", "every", "lockstep"]),
        ("abathur watch --encoding co", ["columns"]),
        ("abathur live --race z", ["zerg"]),
        ("abathur play --start-o", ["--start-offset"]),
        ("abathur nothing --", []),
    ],
)
def test_completion_offers_commands_options_and_values(line: str, expected: list[str]) -> None:
    assert _suggest.words([f"[suggest:{len(line)}]", line]) == expected


def test_a_clone_has_the_command(tmp_path: Path) -> None:
    name = "abathur.cmd" if os.name == "nt" else "abathur"
    if not (ROOT / ".venv").is_dir():
        pytest.skip("needs the virtual environment of `dotnet make.cs setup`")
    done = subprocess.run(
        [ROOT / name, "--version"], cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT, check=True
    )
    first, *parts = done.stdout.splitlines()
    assert first == f"abathur {package.__version__}"
    told = {line.split()[0]: " ".join(line.split()[1:]) for line in parts}
    assert told.keys() == {"commit", "daemon", "decoder", "libraries", "python"}
    assert re.fullmatch("[0-9a-f]{7,}(-dirty)?" if (ROOT / ".git").exists() else "unknown: .*", told["commit"])
    assert re.match(rf"{re.escape(package.__version__)}([+][0-9a-f]+)?, .*abathur-sync", told["daemon"])
    assert told["decoder"] in ("compiled", "numpy")


def test_the_daemon_is_taken_from_the_variable_the_package_the_build_and_the_path_in_this_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ABATHUR_SYNC", raising=False)
    name = "abathur-sync.exe" if os.name == "nt" else "abathur-sync"
    wheel, on_path = tmp_path / "wheel" / name, tmp_path / "path" / name
    build = tmp_path / "build" / "abathur-sync.dll"
    for program in (wheel, build, on_path):
        program.parent.mkdir()
        program.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(on_path.parent))
    monkeypatch.setattr("abathur._program.daemon._PROGRAMS", (wheel, build))
    assert find_daemon() == [str(wheel)]
    wheel.unlink()
    assert find_daemon() == ["dotnet", str(build)]
    monkeypatch.setattr("abathur._program.daemon._PROGRAMS", (wheel,))
    assert find_daemon() == [str(on_path)]
    monkeypatch.setenv("ABATHUR_SYNC", "other-daemon --flag")
    assert find_daemon() == ["other-daemon", "--flag"]


def test_a_package_without_the_daemon_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ABATHUR_SYNC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("abathur._program.daemon._PROGRAMS", ())
    with pytest.raises(package.DaemonError, match="Install the package from a clone"):
        find_daemon()


def test_importing_the_package_imports_no_large_module() -> None:
    large = {"grpc", "numpy", "google", "rich", "asyncio"}
    code = f"import abathur, abathur.cli, sys; print(*({large} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=TIMEOUT, check=True)
    assert done.stdout.strip() == ""


def test_every_public_name_can_be_used() -> None:
    for name in package.__all__:
        assert getattr(package, name) is not None
    assert set(package.__all__) <= set(dir(package))
    with pytest.raises(AttributeError, match="nothing"):
        _ = package.nothing

"""A short run of the fuzzer, and that it finds what there is to be found."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from programs import ROOT

PROGRAM = ROOT / "artifacts" / "bin" / "Abathur.Fuzz" / "release" / "Abathur.Fuzz.dll"


def fuzz(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["dotnet", str(PROGRAM), *arguments], capture_output=True, text=True, timeout=100, check=False, cwd=ROOT
    )


@pytest.mark.fuzzing
def test_a_short_run_of_all_targets_finds_nothing(tmp_path: Path) -> None:
    done = fuzz("--seconds", "12", "--seed", "1", "--save", str(tmp_path), "--python", sys.executable)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not list(tmp_path.iterdir())
    names = fuzz("--list").stdout.split()
    told = {line.split()[0]: int(line.split()[1].replace(",", "")) for line in done.stdout.splitlines()[1:-1]}
    assert set(names) == set(told) and len(names) == 12
    # Each has taken its seeds at least.
    assert all(count > 4 for count in told.values()), told


def test_a_defect_is_found_saved_and_shown_again(tmp_path: Path) -> None:
    done = fuzz("planted", "--seconds", "5", "--seed", "7", "--save", str(tmp_path))
    assert done.returncode == 1, done.stdout
    (saved,) = tmp_path.iterdir()
    assert saved.read_bytes() == b"zer4", "it is made as small as it can be"
    assert f"dotnet make.cs fuzz --replay {saved} planted" in done.stdout
    again = fuzz("--replay", str(saved), "planted")
    assert again.returncode == 1 and "it starts with zer4" in again.stdout
    saved.write_bytes(b"zerg")
    assert fuzz("--replay", str(saved), "planted").returncode == 0


def test_wrong_usage_is_told() -> None:
    for arguments, expected in (
        (["hydralisk"], "there is no target hydralisk; there are wire"),
        (["--seconds", "many"], "--seconds takes a number"),
        (["--replay", "nothing.bin", "wire"], "there is no file nothing.bin"),
        (["--replay", __file__], "needs the name of one target"),
        (["--jump"], "there is no option --jump"),
    ):
        done = fuzz(*arguments)
        assert done.returncode == 2 and expected in done.stderr, done.stderr

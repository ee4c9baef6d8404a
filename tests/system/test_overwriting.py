"""No command replaces a file that it was not asked to replace, or starts its work for a folder that does not exist."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import SKIRMISH, run_daemon

#: Commands without their output, which comes last.
WRITERS = {
    "synth": ["synth", "--steps", "2", "-o"],
    "import": ["import", "OBSERVATIONS", "-o"],
    "export": ["export", str(SKIRMISH), "--stop", "8970", "-o"],
    "recover": ["recover", str(SKIRMISH), "-o"],
    "serve": ["serve", "--grpc-port", "0", "--socket-port", "0", "-o"],
    "proxy": ["proxy", "--listen", "0", "--sc2", "127.0.0.1:1", "-o"],
    "live": ["live", "--sc2", "127.0.0.1:1", "--connect-timeout", "0", "-o"],
    "emulate": ["emulate", str(SKIRMISH), "--listen", "0", "--actions"],
}


@pytest.fixture(scope="module")
def observations(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Something to import."""
    path = tmp_path_factory.mktemp("observations") / "match.obs"
    assert run_daemon("synth", "--steps", "2", "-o", str(path)).returncode == 0
    return path


def command(name: str, observations: Path) -> list[str]:
    """The command line without its output."""
    return [str(observations) if each == "OBSERVATIONS" else each for each in WRITERS[name]]


@pytest.mark.parametrize("name", WRITERS)
def test_an_existing_file_is_kept(tmp_path: Path, observations: Path, name: str) -> None:
    output = tmp_path / "out"
    output.write_text("kept")
    done = run_daemon(*command(name, observations), str(output))
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == f"abathur-sync: {output} exists: use --force to replace it\n"
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out", "kept")]


@pytest.mark.parametrize("option", ["-f", "--force"])
@pytest.mark.parametrize("name", ["synth", "import", "export", "recover"])
def test_an_existing_file_is_replaced_on_request(tmp_path: Path, observations: Path, name: str, option: str) -> None:
    output = tmp_path / "out"
    output.write_text("replaced")
    done = run_daemon(*command(name, observations), str(output), option)
    assert done.returncode == 0, done.stderr
    assert output.stat().st_size > 1000 and list(tmp_path.iterdir()) == [output]


@pytest.mark.parametrize("name", WRITERS)
def test_a_missing_folder_is_named_before_the_work(tmp_path: Path, observations: Path, name: str) -> None:
    folder = tmp_path / "missing"
    done = run_daemon(*command(name, observations), str(folder / "out"))
    assert (done.returncode, done.stdout, done.stderr) == (3, "", f"abathur-sync: there is no folder {folder}\n")
    assert list(tmp_path.iterdir()) == []

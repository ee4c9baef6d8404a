"""What README and docs show, run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import abathur
import pytest
from programs import DAEMON, ROOT, SKIRMISH, Play, daemon_command

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
RUN = "dotnet run -c Release --no-build --project Abathur.Sync -- "


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


PYTHON = [
    pytest.param(page, code, id=f"{page.name}-{number}")
    for page in PAGES
    for number, code in enumerate(blocks(page, "python"))
]
COMMANDS = sorted(
    {line.removeprefix(RUN) for page in PAGES for block in blocks(page, "console") for line in block.splitlines()
     if line.startswith(RUN)}
)  # fmt: skip


@pytest.mark.parametrize(("page", "code"), PYTHON)
def test_python_example_runs(play: Play, page: Path, code: str) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1", "--playback-duration", "2")
    ports = {"22400": daemon.grpc.rpartition(":")[2], "22401": str(daemon.socket_port)}
    for default, port in ports.items():
        code = code.replace(f", {default})", f", {port})")
    done = subprocess.run(
        # python-sc2 passes aiohttp a timeout in the old way.
        [sys.executable, "-W", "error", "-W", "ignore::DeprecationWarning:sc2.main", "-c", code],
        cwd=ROOT,
        env={**os.environ, "ABATHUR_ADDRESS": daemon.grpc},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines(), "an example shows something"


@pytest.mark.parametrize("command", [each for each in COMMANDS if not each.startswith("live ")])
def test_daemon_command_runs(tmp_path: Path, command: str) -> None:
    """On copies of the files that it names; ports replaced by free ones, at the highest rate."""
    arguments = shlex.split(command)
    if arguments[0] == "play":
        arguments[1] = str(ROOT / arguments[1])
        arguments[arguments.index("--wait-agents") + 1] = "0"
        arguments += ["--grpc-port", "0", "--socket-port", "0", "--rate", "unlimited"]
    if arguments[0] == "import":
        export = [*daemon_command("export"), str(SKIRMISH), "-o", str(tmp_path / "observations.obs"), "--stop", "8970"]
        subprocess.run(export, check=True, timeout=60, capture_output=True)
        (tmp_path / "game_info.binpb").write_bytes(b"")
    if arguments[0] in ("proxy", "serve"):
        # Standard input is at its end, so that they stop when they are ready.
        arguments += ["--grpc-port", "0", "--socket-port", "0", "--stop-with-parent"]
        if "--listen" in arguments:
            arguments[arguments.index("--listen") + 1] = "0"
        if "--agent" in arguments:
            arguments[arguments.index("--agent") + 1] = f'"{sys.executable}" -c "input()"'
    if arguments[0] == "emulate":
        arguments[1] = str(ROOT / arguments[1])
        arguments[arguments.index("--listen") + 1] = "0"
        # Its standard input is at its end, so that it stops when it is ready.
        arguments.append("--stop-with-parent")
    done = subprocess.run(
        daemon_command(*arguments),
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (arguments[0] in ("play", "emulate", "proxy", "serve")) == done.stdout.startswith("ready ")


@pytest.mark.parametrize("command", [each for each in COMMANDS if each.startswith("live ")])
def test_live_command_plays(command: str) -> None:
    """With the emulator in place of the game."""
    arguments = shlex.split(command)
    if "--agent" in arguments:
        program = str(ROOT / arguments[arguments.index("--agent") + 1].removeprefix("python "))
        arguments[arguments.index("--agent") + 1] = f'"{sys.executable}" "{program}"'
    with abathur.emulated_game(SKIRMISH, command=daemon_command()) as game:
        done = subprocess.run(
            daemon_command(*arguments, "--sc2", game.address, "--grpc-port", "0", "--socket-port", "0"),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert "match over: player 1 Victory" in done.stderr


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_verb_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    done = subprocess.run(["dotnet", str(DAEMON), "--help"], capture_output=True, text=True, timeout=60, check=True)
    verbs = re.findall(r"^  ([a-z]+) ", done.stdout.partition("Commands:")[2], re.M)
    assert len(verbs) >= 7
    for verb in verbs:
        assert f"| `{verb} " in readme, verb

"""What README and docs show, run."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import abathur
import pytest
from programs import FREE_PORTS, ROOT, SKIRMISH, Launch, Play, daemon_command, run_daemon
from programs import abathur as run_abathur

PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
RUN = "abathur "
#: What `dotnet make.cs test` is itself, or has done before this runs; the others have tests of their own.
MADE = {"test", "setup", "demo", "pack", "protos"}
#: `nc` shows what test_bad_input sends.
ELSEWHERE = ("$ nc ", "{", "pip install ")
OPENSSL = "openssl req -x509 "
#: Pages of which only the links are followed.
BESIDE = [*(ROOT / "benchmarks").glob("*.md"), *(ROOT / "libraries").glob("*/README.md")]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


PYTHON = [
    pytest.param(page, code, id=f"{page.name}-{number}")
    for page in PAGES
    if page.name != "nats.md"  # test_nats_docs has a server
    for number, code in enumerate(blocks(page, "python"))
    if "small.mcap" not in code  # test_compact makes it
    and "run_game(" not in code  # test_run_game has a game
]
#: Runs a program in which `await` stands outside of functions, as notebooks do.
NOTEBOOK = """
import ast, asyncio, sys
cell = compile(sys.argv[1], "cell", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
async def main():
    await eval(cell, {"__name__": "__main__"})
asyncio.run(main())
"""
CONSOLE = sorted({line for page in PAGES for block in blocks(page, "console") for line in block.splitlines()})
#: Of docs/datasets.md: test_dataset_dask and test_dataset_record run them.
ON_CLUSTERS_AND_GAMES = r"dataset build .* --scheduler |dataset record "
COMMANDS = sorted({line.removeprefix(RUN) for line in CONSOLE if line.startswith(RUN)})


@pytest.mark.parametrize(("page", "code"), PYTHON)
def test_python_example_runs(play: Play, page: Path, code: str) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1", "--playback-duration", "2")
    ports = {"22400": daemon.grpc.rpartition(":")[2], "22401": str(daemon.socket_port)}
    for default, port in ports.items():
        code = code.replace(f", {default})", f", {port})")
    program = [NOTEBOOK, code] if re.search("^(await|async with) ", code, re.M) else [code]
    done = subprocess.run(
        # python-sc2 passes aiohttp a timeout in the old way.
        [sys.executable, "-W", "error", "-W", "ignore::DeprecationWarning:sc2.main", "-c", *program],
        cwd=ROOT,
        env={**os.environ, "ABATHUR_ADDRESS": daemon.grpc},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines(), "an example shows something"


def test_the_readme_shows_frames_of_a_match_that_runs_for_long(play: Play) -> None:
    """Step 3 of getting started: the program is started by hand, some time after the daemon."""
    daemon = play(SKIRMISH, "--loop", "--start-offset", "30")
    code = next(code for code in blocks(ROOT / "README.md", "python") if "abathur.connect" in code)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "ABATHUR_ADDRESS": daemon.grpc},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert len(done.stdout.splitlines()) == 50


def test_pages_name_no_file_that_only_a_clone_has() -> None:
    """Users of the package have `abathur.sample()`, and commands without a file play it."""
    for page in PAGES:
        for language in ("console", "sh", "python", "py"):
            for block in blocks(page, language):
                assert "recordings/skirmish" not in block, page.name


def test_programs_in_csharp_name_what_they_use() -> None:
    for page in (ROOT / "README.md", ROOT / "libraries" / "Abathur.Client" / "README.md"):
        for block in blocks(page, "csharp"):
            assert block.startswith("using Abathur.Client;\n"), block


def test_one_folder_has_the_packages() -> None:
    page = (ROOT / "docs" / "getting-started.md").read_text(encoding="utf-8")
    assert "dist/" not in page and page.count("artifacts/packages") >= 3


def test_extras_are_named_where_they_are_needed() -> None:
    """Each page that shows what needs an extra says how to install it."""
    needs = {"from sc2.": "sc2", "abathur dataset ": "datasets", "nats://": "nats"}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        shown = "".join(block for language in ("console", "sh", "python", "py") for block in blocks(page, language))
        for use, extra in needs.items():
            assert use not in shown or re.search(rf"pip install .*[\[,]{extra}[\],]", text), f"{page.name}: {extra}"


def test_every_command_is_run_by_a_test() -> None:
    for line in CONSOLE:
        known = line.startswith((RUN, *ELSEWHERE, OPENSSL))
        assert known or line.removeprefix("dotnet make.cs ").split()[0] in MADE, line


@pytest.mark.parametrize("command", [each for each in CONSOLE if each.startswith("abathur watch ")])
def test_watching_shows_frames(play: Play, command: str) -> None:
    daemon = play(SKIRMISH, "--loop")
    done = run_abathur(*shlex.split(command)[1:], ABATHUR_ADDRESS=daemon.grpc)
    assert done.returncode == 0, done.stderr
    assert "grpc proto" in done.stdout


@pytest.mark.parametrize("command", [each for each in COMMANDS if each.startswith("status")])
def test_status_command_runs(play: Play, command: str) -> None:
    daemon = play(SKIRMISH, "--loop")
    done = run_daemon(*shlex.split(command), daemon.addresses["http"])
    assert done.returncode == 0, done.stderr
    assert "Synthetic LE" in done.stdout


@pytest.mark.parametrize(
    "command",
    [each for each in COMMANDS if not re.match(rf"live |status|watch |{ON_CLUSTERS_AND_GAMES}", each)],
)
def test_daemon_command_runs(tmp_path: Path, command: str) -> None:
    """On copies of the files that it names; ports replaced by free ones, at the highest rate."""
    arguments = shlex.split(command)
    if "--token-file" in arguments:
        make_tokens(tmp_path)
    if arguments[0] == "play":
        if len(arguments) > 1 and arguments[1].endswith(".mcap"):
            arguments[1] = str(ROOT / arguments[1] if "/" in arguments[1] else SKIRMISH)
        if "--wait-agents" in arguments:
            arguments[arguments.index("--wait-agents") + 1] = "0"
        if "--tls-cert" in arguments:
            make_certificate(tmp_path)
        arguments += ["--grpc-port", "0", "--socket-port", "0", "--rate", "unlimited"]
    if arguments[0] == "import":
        export = [*daemon_command("export"), str(SKIRMISH), "-o", str(tmp_path / "observations.obs"), "--stop", "8970"]
        subprocess.run(export, check=True, timeout=60, capture_output=True)
        (tmp_path / "game_info.binpb").write_bytes(b"")
    if arguments[0] in ("proxy", "serve"):
        # Standard input is at its end, so that they stop when they are ready.
        arguments.append("--stop-with-parent")
        if "--ports" not in arguments:
            arguments += ["--grpc-port", "0", "--socket-port", "0"]
        if "--listen" in arguments:
            arguments[arguments.index("--listen") + 1] = "0"
        if "--agent" in arguments:
            arguments[arguments.index("--agent") + 1] = f'"{sys.executable}" -c "input()"'
    if arguments[0] == "emulate":
        arguments[arguments.index("--listen") + 1] = "0"
        # Its standard input is at its end, so that it stops when it is ready.
        arguments.append("--stop-with-parent")
    if arguments[0] == "demo":
        arguments += ["--seconds", "5"]
    if arguments[0] == "dataset":
        (tmp_path / "recordings").mkdir()
        shutil.copy(SKIRMISH, tmp_path / "recordings")
    done = subprocess.run(
        [sys.executable, "-m", "abathur", *arguments],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (arguments[0] in ("play", "emulate", "proxy", "serve")) == done.stdout.startswith("ready ")


def make_certificate(folder: Path) -> None:
    """As the page on security shows it."""
    (shown,) = [line for line in CONSOLE if line.startswith(OPENSSL)]
    subprocess.run(shlex.split(shown), cwd=folder, check=True, capture_output=True, timeout=60)


def make_tokens(folder: Path) -> None:
    """In the files that the page on security names."""
    for name in ("token", "watch-token"):
        (folder / name).write_text(f"a-token-for-the-test-of-{name}")
        (folder / name).chmod(0o600)


@pytest.mark.parametrize("command", [each for each in COMMANDS if re.match("live (?!.*--games 0)", each)])
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


def test_games_are_played_on_request(launch: Launch) -> None:
    """The command and the program of the page on running games, with the emulator in place of the game."""
    (command,) = [each for each in COMMANDS if "--games 0" in each]
    code = next(each for each in blocks(ROOT / "docs" / "live.md", "python") if "next_game" in each)
    with abathur.emulated_game(SKIRMISH, command=daemon_command()) as game:
        daemon = launch(*shlex.split(command), "--sc2", game.address, *FREE_PORTS)
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            env={**os.environ, "ABATHUR_ADDRESS": daemon.grpc},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert daemon.stop() == 0
    assert done.stdout.splitlines() == [f"seed {seed} left at 9001" for seed in (1, 2, 3)], done.stderr


def test_links_lead_somewhere() -> None:
    for page in [*PAGES, *BESIDE]:
        for target in re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
            if target.startswith("http"):
                continue
            path, _, heading = target.partition("#")
            file = page.parent / path if path else page
            assert file.exists(), f"{page.name}: {target}"
            assert not heading or heading in headings(file), f"{page.name}: {target}"


def headings(page: Path) -> set[str]:
    """As they stand behind # in links."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_page_is_linked_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert f"(docs/{page.name})" in readme, page.name


def test_texts_stay_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 700
    # The other two are specifications, which keep every rule.
    guides = [each for each in (ROOT / "docs").glob("*.md") if each.stem not in ("protocol", "columns")]
    assert sum(len(each.read_text(encoding="utf-8").split()) for each in guides) <= 18_000


def test_every_command_is_in_the_page_of_commands() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    done = subprocess.run(daemon_command("--help"), capture_output=True, text=True, timeout=60, check=True)
    names = re.findall(r"^  ([a-z]+) ", done.stdout.partition("Commands:")[2], re.M)
    assert len(names) >= 7
    for name in names:
        assert f"| `{name} " in page, name

"""*Copy as test*: what the dashboard copies is the test of docs/moments.md, for the moment that is shown."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import abathur
import pytest
from browsers import AT, LOOP, OpenPage, Page, needs_browser, response_at, shows
from programs import FREE_PORTS, ROOT, SKIRMISH, Daemon, Launch, Play, daemon_command

pytestmark = [*needs_browser, pytest.mark.timeout(300)]


def copied(page: Page) -> str:
    """What the button for a test copies."""
    page.run("await context.grantPermissions(['clipboard-read', 'clipboard-write'])")
    page.evaluate("navigator.clipboard.writeText('')")
    page.press("t")
    page.wait("document.getElementById('message').innerText === 'The test of this moment is copied.'")
    return str(page.evaluate("navigator.clipboard.readText()"))


def run_pytest(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    daemon = " ".join(f'"{word}"' for word in daemon_command())
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_moments.py"],
        cwd=folder,
        env={**os.environ, "ABATHUR_SYNC": daemon, **environment},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def runs(folder: Path, text: str) -> None:
    """It writes its snapshot, and passes then, with the bot and the settings of docs/moments.md."""
    described = (ROOT / "docs" / "moments.md").read_text(encoding="utf-8")
    (folder / "tests").mkdir()
    bot = re.findall(r"^```py\n(.*?)^```", described, re.M | re.S)[0]
    settings = re.findall(r"^```toml\n(.*?)^```", described, re.M | re.S)[0]
    for name, content in {"my_bot.py": bot, "pyproject.toml": settings, "tests/test_moments.py": text}.items():
        (folder / name).write_text(content, encoding="utf-8")
    missing = run_pytest(folder)
    assert missing.returncode == 1 and "there is no snapshot tests/" in missing.stdout, missing.stdout
    written = run_pytest(folder, ABATHUR_UPDATE="1")
    assert written.returncode == 0, written.stdout + written.stderr
    (snapshot,) = (folder / "tests").glob("*.json")
    assert json.loads(snapshot.read_text(encoding="utf-8"))["actions"]
    assert run_pytest(folder).returncode == 0


def test_a_recording_that_the_page_plays(play: Play, open_page: OpenPage, tmp_path: Path) -> None:
    shutil.copy(SKIRMISH, tmp_path / "King's game 1.mcap")
    page = open_page(play(SKIRMISH, "--start-paused", "--recordings", str(tmp_path)), "/?recording=King's game 1.mcap")
    page.wait("dashboard.playback.state !== undefined && dashboard.world.gameLoop !== undefined")
    if not page.evaluate("dashboard.playback.isPaused"):
        page.press("Space")
        page.wait("dashboard.playback.state.paused")
    page.evaluate("(dashboard.playback.seek(args), 0)", AT)
    shows(page, AT)
    assert page.run("return page.isVisible('#copy-test')")
    text = copied(page)
    assert f'abathur.emulated_game("King\'s game 1.mcap", start={AT}, stop={AT + 400})' in text
    assert f'game.check_actions("tests/king_s_game_1_{AT}.json")' in text
    assert "Bot(Race.Zerg, MyBot())" in text
    runs(tmp_path, text)


def test_the_sample_that_the_daemon_plays(paused: Daemon, open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(paused)
    shows(page, AT)
    text = copied(page)
    assert f"abathur.emulated_game(abathur.sample(), start={AT}, stop={AT + 400})" in text
    lines = [line for line in text.splitlines() if line]
    assert len(lines) == 10
    # But for the names, it is what the page about moments shows.
    described = re.findall(
        r"^```py\n(.*?)^```", (ROOT / "docs" / "moments.md").read_text(encoding="utf-8"), re.M | re.S
    )
    named = re.sub(r"sample_\d+", "ravagers", text).replace(f"start={AT}, stop={AT + 400}", "start=9540, stop=9600")
    assert named == described[1]
    runs(tmp_path, text)


def test_a_match_that_is_recorded_and_one_that_is_not(launch: Launch, open_page: OpenPage, tmp_path: Path) -> None:
    path = tmp_path / 'an "odd" \\ näme.mcap' if os.name != "nt" else tmp_path / "name.mcap"
    for options, is_recorded in ((("-o", str(path)), True), ((), False)):
        daemon = launch("serve", *options, *FREE_PORTS)
        with abathur.publisher_blocking(daemon.grpc) as publisher:
            publisher.publish(response_at(AT))
            page = open_page(daemon)
            page.wait(f"{LOOP} === args", AT)
            page.wait("!document.getElementById('playback').hidden")
            assert page.run("return page.isVisible('#copy-test')") is is_recorded
            if is_recorded:
                source = re.search(r"emulated_game\((.*), start=", copied(page))
                assert source is not None and eval(source[1]) == str(path)
            else:
                page.press("t")
                page.wait("document.getElementById('message').innerText.startsWith('This match is not recorded')")

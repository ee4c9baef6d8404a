"""A real Chromium, driven by playwright-core in Node."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import abathur
import pytest
from programs import ROOT, SKIRMISH
from s2clientprotocol import sc2api_pb2

HARNESS = ROOT / "benchmarks" / "browser"
DRIVER = ROOT / "tests" / "system" / "dashboard" / "browser" / "driver.mjs"
NODE = shutil.which("node")
NPM = shutil.which("npm")
#: Without a window's machinery first: the same engine opens a page in a third of the time.
CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = os.environ.get("CHROME") or next((found for name in CHROMIUMS if (found := shutil.which(name))), None)
FIREFOX = os.environ.get("FIREFOX") or next(
    (found for name in ("firefox-esr", "firefox") if (found := shutil.which(name))), None
)


def node_version() -> int:
    """Its major version, or 0."""
    if NODE is None:
        return 0
    return int(subprocess.check_output([NODE, "--version"], text=True).lstrip("v").split(".")[0])


needs_node = [
    pytest.mark.skipif(NODE is None or NPM is None, reason="node and npm are not installed"),
    pytest.mark.skipif(node_version() < 20, reason="node is older than 20"),
]
needs_browser = [
    *needs_node,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (or name it in the environment's CHROME)"),
]


def install() -> None:
    """`npm ci`, unless what is installed is what the lock file says."""
    assert NPM is not None
    lock = HARNESS / "package-lock.json"
    stamp = HARNESS / "node_modules" / ".package-lock.json"
    if not stamp.exists() or stamp.stat().st_mtime < lock.stat().st_mtime:
        subprocess.run([NPM, "ci"], cwd=HARNESS, check=True, timeout=240, stdin=subprocess.DEVNULL)


#: A game loop of the committed recording that is in a fight, and where the page says at which it is.
AT = 9420
LOOP = "dashboard.world.gameLoop"
#: Screens on which new parts of the page are looked at.
SCREENS = ({"width": 1280, "height": 720}, {"width": 1920, "height": 1080})
#: Of the whole match, or of what is kept of it.
TIMELINE = "dashboard.numbers.timeline"


class Browser:
    """One Chromium; pages are opened in it, each with storage of its own."""

    def __init__(self) -> None:
        assert NODE is not None and CHROMIUM is not None
        self._driver = subprocess.Popen(
            [NODE, str(DRIVER), str(HARNESS / "package.json"), CHROMIUM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self._numbers = itertools.count()
        assert self._driver.stdout is not None
        assert self._driver.stdout.readline() == "ready\n"

    def page(self, **options: Any) -> Page:
        """A new page; `options` are those of a browser context (viewport, colorScheme, ...)."""
        return Page(self, f"page {next(self._numbers)}", options)

    def ask(self, request: dict[str, Any]) -> Any:
        """Let the driver do something; returns what its script returns."""
        assert self._driver.stdin is not None and self._driver.stdout is not None
        self._driver.stdin.write(json.dumps(request) + "\n")
        self._driver.stdin.flush()
        answer = json.loads(self._driver.stdout.readline())
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer["value"]

    def close(self) -> None:
        """End the browser."""
        assert self._driver.stdin is not None and self._driver.stdout is not None
        self._driver.stdin.close()
        try:
            self._driver.wait(20)
        finally:
            self._driver.kill()
            self._driver.stdout.close()


class Page:
    """A page of it."""

    def __init__(self, browser: Browser, name: str, options: dict[str, Any]) -> None:
        self._browser = browser
        self._request = {"page": name, "options": options}

    def run(self, script: str, args: Any = None) -> Any:
        """Run JavaScript in Node, the body of an asynchronous function of `page` (Playwright's), `context`, `args`."""
        return self._browser.ask({**self._request, "script": script, "args": args})

    def evaluate(self, expression: str, args: Any = None) -> Any:
        """Evaluate an expression of `args` in the page."""
        return self.run(f"return page.evaluate((args) => ({expression}), args)", args)

    def wait(self, expression: str, args: Any = None) -> None:
        """Wait until an expression of `args` is true in the page, looked at with every frame of the screen.

        The page's own object is there when its modules have loaded.
        """
        is_ready = 'typeof dashboard !== "undefined" && ' if re.search(r"\bdashboard\b", expression) else ""
        try:
            self.run(f"await page.waitForFunction((args) => {is_ready}({expression}), args)", args)
        except AssertionError as error:
            complaints = self.run("return page.complaints")
            raise AssertionError(f"never true: {expression} ({args}); the page says {complaints}") from error

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        self.run("for (const key of args) await page.keyboard.press(key)", keys)

    def click(self, selector: str) -> None:
        """Click what a selector finds."""
        self.run("await page.click(args)", selector)

    def text(self, selector: str) -> str:
        """The text of an element as it is seen."""
        return str(self.run("return page.innerText(args)", selector))

    @property
    def complaints(self) -> list[str]:
        """Errors and warnings of the console, exceptions, and what the content security policy has blocked."""
        return list(self.run("return page.complaints"))

    def close(self) -> None:
        """Close it."""
        self.run("await context.close()")


#: Opens the dashboard of a daemon: `(daemon, path="/", **options)`.
OpenPage = Callable[..., Page]


def shows(page: Page, game_loop: int) -> None:
    """Wait until the page has drawn this frame."""
    page.wait(f"{LOOP} === args && dashboard.map.times.count > 0", game_loop)


def keep_picture(page: Page, name: str) -> None:
    """Keep a picture of the page in the folder that ABATHUR_SEEN names, to be looked at; without it, nothing."""
    if folder := os.environ.get("ABATHUR_SEEN"):
        width = page.evaluate("innerWidth")
        page.run("await page.screenshot({path: args})", f"{folder}/{name}-{width}.png")


def enter_token(page: Page, token: str) -> None:
    """Enter the token that a page asks for, and wait until it shows the match."""
    page.run("await page.fill('#token', args); await page.keyboard.press('Enter')", token)
    # The page is reloaded.
    page.wait("globalThis.dashboard?.world.gameLoop !== undefined")
    # The match was asked for before there was a token.
    assert all("status of 401" in each for each in page.complaints)
    page.run("page.complaints.length = 0")


def responses(first: int, end: int) -> list[sc2api_pb2.ResponseObservation]:
    """The observations of the committed recording from a game loop on, before another one."""
    with abathur.open(SKIRMISH) as match:
        return [frame.response for frame in match.frames(start=first, stop=end)]


def response_at(game_loop: int) -> sc2api_pb2.ResponseObservation:
    """The observation of the committed recording."""
    return responses(game_loop, game_loop + 1)[0]


def has_whole_timeline(page: Page) -> None:
    """All of it is there, and the graphs show it."""
    page.wait(f"{TIMELINE}.gameLoops.length > 50")
    captions = "[...document.querySelectorAll('#graphs figcaption')]"
    page.wait(f"{captions}.every((each) => each.innerText !== '' && !each.innerText.includes('\u2013'))")

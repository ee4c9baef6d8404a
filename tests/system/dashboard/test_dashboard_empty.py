"""The dashboard before the first match: what is missing, and what to do about it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import abathur
import pytest
from browsers import LOOP, SCREENS, OpenPage, Page, keep_picture, needs_browser, response_at
from programs import ACT, FREE_PORTS, WATCH, Launch, token_options

pytestmark = [*needs_browser, pytest.mark.timeout(300)]
EMPTY = "document.getElementById('empty').innerText"
#: Why there is no match, without the recordings that can be watched meanwhile.
REASON = "document.querySelector('#empty p').innerText"


def waits(page: Page, waiting: dict[str, Any] | None) -> None:
    """Let the page read that the daemon waits for this."""
    body = json.dumps({} if waiting is None else {"waiting": waiting})
    script = "await page.unroute('**/v1/status'); await page.route('**/v1/status', (route) => route.fulfill(args))"
    page.run(script, {"contentType": "application/json", "body": body})


def steps(page: Page) -> list[list[str]]:
    """State and text of what a match needs."""
    return list(
        page.evaluate("[...document.querySelectorAll('#empty li')].map((each) => [each.dataset.state, each.innerText])")
    )


@pytest.mark.parametrize("screen", SCREENS, ids=lambda each: f"{each['width']}")
def test_what_is_missing_is_said(launch: Launch, open_page: OpenPage, screen: dict[str, int]) -> None:
    daemon = launch("serve", *FREE_PORTS)
    page = open_page(daemon, viewport=screen)
    page.wait(f"{EMPTY}.startsWith('No match yet.')")
    # What this daemon waits for: a bot that publishes.
    page.wait("document.querySelector('#empty pre')?.innerText.includes('publisher.publish(observation)')")
    waits(page, {"missing": "missing_bot", "botAddress": "127.0.0.1:5000"})
    page.wait(f"{EMPTY}.includes('none has connected to 127.0.0.1:5000')")
    assert steps(page) == [
        ["missing", "Bot: none has connected to 127.0.0.1:5000"],
        ["later", "Game"],
        ["later", "Frames"],
    ]
    keep_picture(page, "empty")
    shown = "[...document.querySelectorAll('#empty pre')].map((each) => each.innerText)"
    assert page.evaluate(shown) == ["ws://127.0.0.1:5000/sc2api", "--LadderServer 127.0.0.1 --GamePort 5000"]
    page.run("await context.grantPermissions(['clipboard-read', 'clipboard-write'])")
    page.run("await page.locator('#empty button').first().click()")
    page.wait("document.getElementById('message').innerText === 'It is copied.'")
    assert page.evaluate("navigator.clipboard.readText()") == "ws://127.0.0.1:5000/sc2api"
    # What is chosen and has the focus stays, while nothing changes.
    assert page.evaluate("document.activeElement.innerText") == "Copy"

    waits(page, {"missing": "missing_game", "botAddress": "127.0.0.1:5000", "gameAddress": "127.0.0.1:5001"})
    page.wait(f"{EMPTY}.includes('the game at 127.0.0.1:5001 does not answer')")
    assert [state for state, _ in steps(page)] == ["done", "missing", "later"]
    assert page.evaluate(shown) == []
    waits(page, {"missing": "missing_frames", "botAddress": "127.0.0.1:5000"})
    page.wait(f"{EMPTY}.includes('no observation has come')")
    assert [state for state, _ in steps(page)] == ["done", "done", "missing"]
    # Texts of others are texts.
    waits(page, {"missing": "missing_game", "gameAddress": "<b>x</b>:1"})
    page.wait(f"{EMPTY}.includes('<b>x</b>:1')")

    # A bot that publishes.
    waits(page, {"missing": "missing_bot"})
    page.wait("document.querySelector('#empty pre')?.innerText.includes('publisher.publish(observation)')")
    assert steps(page) == [["missing", "Bot: none has connected"], ["later", "Frames"]]
    keep_picture(page, "empty-serve")
    box = page.evaluate("document.querySelector('#empty .commands').getBoundingClientRect().toJSON()")
    stage = page.evaluate("document.getElementById('map').getBoundingClientRect().toJSON()")
    assert stage["left"] <= box["left"] and box["right"] <= stage["right"] and box["bottom"] <= stage["bottom"]

    # A daemon that is older, or that may not say.
    waits(page, None)
    page.wait(f"{REASON} === 'No match yet. It appears here as soon as it begins.'")
    waits(page, {"missing": "missing_unknown"})
    with abathur.publisher_blocking(daemon.grpc) as publisher:
        publisher.publish(response_at(8960))
        page.wait(f"{LOOP} === 8960")
        assert not page.run("return page.isVisible('#empty')")


def test_a_delayed_view_says_nothing_early(launch: Launch, open_page: OpenPage, tmp_path: Path) -> None:
    daemon = launch("serve", "--delay", "60", *token_options(tmp_path), *FREE_PORTS)
    page = open_page(daemon)
    page.run("await page.fill('#token', args); await page.keyboard.press('Enter')", WATCH)
    page.run("await page.waitForResponse((answer) => answer.url().endsWith('/v1/status') && answer.ok())")
    page.run("page.complaints.length = 0")
    page.wait(f"{EMPTY}.startsWith('No match yet.')")
    with abathur.publisher_blocking(daemon.grpc, token=ACT) as publisher:
        publisher.publish(response_at(8960))
        for _ in range(2):
            page.run("await page.waitForResponse('**/v1/status')")
        assert page.evaluate(REASON) == "No match yet. It appears here as soon as it begins."

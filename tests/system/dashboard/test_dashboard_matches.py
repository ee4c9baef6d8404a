"""The dashboard at the border between two matches: the one that is over stays until the next begins."""

from __future__ import annotations

import abathur
import pytest
from browsers import LOOP, OpenPage, Page, needs_browser, response_at, responses
from programs import FREE_PORTS, Daemon, Launch
from s2clientprotocol import sc2api_pb2

pytestmark = [*needs_browser, pytest.mark.timeout(300)]
FIRST = 8960
LAST = FIRST + 59
NOTICE = "!document.getElementById('next-match').hidden"


def publish_to_the_end(daemon: Daemon, page: Page) -> None:
    """A short match that player 1 wins; the page has shown its last frame."""
    sent = responses(FIRST, LAST + 1)
    sent[-1].player_result.add(player_id=1, result=sc2api_pb2.Victory)
    with abathur.publisher_blocking(daemon.grpc, map_name="First LE") as publisher:
        for each in sent:
            publisher.publish(each)
        page.wait(f"{LOOP} === args", LAST)
        page.wait("!document.getElementById('playback').hidden")


def test_a_match_that_is_over_stays_and_is_rewound_until_the_next(launch: Launch, open_page: OpenPage) -> None:
    daemon = launch("serve", *FREE_PORTS)
    page = open_page(daemon)
    publish_to_the_end(daemon, page)
    page.wait("document.getElementById('state').innerText === 'the match is over: player 1 won'")
    assert page.evaluate(LOOP) == LAST
    assert not page.run("return page.isVisible('#empty')")
    page.wait("dashboard.playback.state?.isOver")
    assert page.text("#where").endswith("the end")
    page.press("Space")
    page.evaluate("dashboard.playback.seek(args)", FIRST + 20)
    page.wait(f"{LOOP} === args", FIRST + 20)
    assert page.text("#title") == "First LE"
    # Read to its end, it still stays.
    page.press("Space")
    page.wait(f"{LOOP} === args", LAST)
    assert page.text("#state") == "the match is over: player 1 won"
    with abathur.publisher_blocking(daemon.grpc, map_name="Second LE") as publisher:
        publisher.publish(response_at(FIRST + 100))
        page.wait(f"{LOOP} === args", FIRST + 100)
        assert page.text("#title") == "Second LE"
        assert page.text("#state") == "live"


def test_a_match_that_begins_is_announced_to_those_who_are_in_the_past(launch: Launch, open_page: OpenPage) -> None:
    daemon = launch("serve", *FREE_PORTS)
    page = open_page(daemon)
    publish_to_the_end(daemon, page)
    page.wait("dashboard.playback.state?.isOver")
    page.press("Space")
    page.evaluate("dashboard.playback.seek(args)", FIRST + 20)
    page.wait(f"{LOOP} === args", FIRST + 20)
    with abathur.publisher_blocking(daemon.grpc, map_name="Second <b>LE</b>") as publisher:
        publisher.publish(response_at(FIRST + 100))
        page.wait(NOTICE)
        assert page.text("#next-map") == "Second <b>LE</b>"
        assert (page.evaluate(LOOP), page.text("#title")) == (FIRST + 20, "First LE")
        page.click("#watch-next")
        page.wait(f"{LOOP} === args", FIRST + 100)
        page.wait(f"!({NOTICE})")
        assert page.text("#title") == "Second <b>LE</b>"

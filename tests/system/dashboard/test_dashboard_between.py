"""The dashboard between two matches: what it shows first, and what it goes on with by itself."""

from __future__ import annotations

import abathur
import pytest
from browsers import LOOP, SCREENS, OpenPage, Page, keep_picture, needs_browser, response_at, responses
from programs import FREE_PORTS, Daemon, Launch
from s2clientprotocol import sc2api_pb2

pytestmark = [*needs_browser, pytest.mark.timeout(300)]
FIRST = 8960
LAST = FIRST + 59
OVER = "the match is over: player 1 won"
STATE = "document.getElementById('state').innerText"
NOTICE = "!document.getElementById('next-match').hidden"


def publish(daemon: Daemon, map_name: str = "First LE") -> None:
    """A short match that player 1 wins."""
    sent = responses(FIRST, LAST + 1)
    sent[-1].player_result.add(player_id=1, result=sc2api_pb2.Victory)
    with abathur.publisher_blocking(daemon.grpc, map_name=map_name) as publisher:
        for each in sent:
            publisher.publish(each)


def run_ids(daemon: Daemon) -> list[str]:
    with abathur.connect_blocking(daemon.grpc) as game:
        return [each.match.run_id for each in game.matches()]


def is_at_its_end(page: Page, map_name: str = "First LE") -> None:
    """It shows the last frame, with the result and the scrubber."""
    page.wait(f"{LOOP} === args", LAST)
    page.wait(f"{STATE} === args", OVER)
    page.wait("dashboard.playback.state?.isOver")
    assert page.text("#title") == map_name


@pytest.mark.parametrize("screen", SCREENS, ids=lambda each: f"{each['width']}")
def test_a_page_that_is_opened_between_matches_shows_the_last_one(
    launch: Launch, open_page: OpenPage, screen: dict[str, int]
) -> None:
    daemon = launch("serve", *FREE_PORTS)
    publish(daemon)
    page = open_page(daemon, viewport=screen)
    is_at_its_end(page)
    page.wait("dashboard.numbers.timeline.gameLoops.length > 1")
    page.wait("document.querySelector('#bar [data-name=army]').innerText !== '\u2013'")
    keep_picture(page, "between")
    # Who won is told at the end, and before it only with the whole match.
    assert page.text("#state") == OVER
    page.press("Space", "Home")
    page.wait(f"{LOOP} === args && {STATE} === 'the match is over'", FIRST)
    page.press("h")
    page.wait(f"{STATE} === args", OVER)
    page.press("h", "Space")
    assert not page.run("return page.isVisible('#empty')")
    page.evaluate("dashboard.playback.seek(args)", FIRST + 20)
    page.wait(f"{LOOP} < args", LAST)
    page.wait(f"{LOOP} === args", LAST)
    # It is live as far as anything is: the next match follows.
    with abathur.publisher_blocking(daemon.grpc, map_name="Second LE") as publisher:
        publisher.publish(response_at(FIRST + 100))
        page.wait(f"{LOOP} === args", FIRST + 100)
        publisher.publish(response_at(FIRST + 101))
        page.wait(f"{LOOP} === args", FIRST + 101)
        assert (page.text("#title"), page.text("#state")) == ("Second LE", "live")
        assert page.evaluate(NOTICE) is False


def test_frames_of_the_next_match_go_on(launch: Launch, open_page: OpenPage) -> None:
    """Acknowledgements name the match: without, the page shows the first frame only."""
    daemon = launch("serve", *FREE_PORTS)
    page = open_page(daemon)
    for name in ("First LE", "Second LE", "Third LE"):
        with abathur.publisher_blocking(daemon.grpc, map_name=name) as publisher:
            for loop in range(FIRST, FIRST + 4):
                publisher.publish(response_at(loop))
                page.wait(f"{LOOP} === args", loop)
            assert page.text("#title") == name
        page.wait(f"{STATE} === 'the match is over'")


def test_an_old_match_that_is_read_to_its_end_stays(launch: Launch, open_page: OpenPage) -> None:
    daemon = launch("serve", *FREE_PORTS)
    publish(daemon)
    with abathur.publisher_blocking(daemon.grpc, map_name="Second LE") as publisher:
        publisher.publish(response_at(FIRST + 100))
        page = open_page(daemon, f"/?run={run_ids(daemon)[0]}")
        is_at_its_end(page)
        page.wait(NOTICE)
        page.evaluate("dashboard.playback.seek(args)", LAST - 10)
        page.wait(f"{LOOP} < args", LAST)
        page.wait(f"{LOOP} === args", LAST)
        publisher.publish(response_at(FIRST + 101))
        # It answers, and shows nothing of the match that runs.
        page.wait("dashboard.connection.isOver")
        page.wait("dashboard.playback.state?.isOver")
        assert (page.evaluate(LOOP), page.text("#title"), page.text("#state")) == (LAST, "First LE", OVER)
        assert page.text("#next-map") == "Second LE"
        page.click("#watch-next")
        page.wait(f"{LOOP} === args", FIRST + 101)
        assert page.text("#title") == "Second LE"
        assert page.evaluate("location.search") == ""
    # Nothing has run meanwhile, but the match was chosen.
    page.run("await page.goto(args)", f"{daemon.addresses['http']}/?run={run_ids(daemon)[0]}")
    is_at_its_end(page)
    page.wait("dashboard.playback.state?.isOver")
    with abathur.publisher_blocking(daemon.grpc, map_name="Third LE") as publisher:
        publisher.publish(response_at(FIRST + 100))
        page.wait(NOTICE)
        assert (page.evaluate(LOOP), page.text("#next-map")) == (LAST, "Third LE")


def test_a_paused_viewer_learns_how_the_match_ended(launch: Launch, open_page: OpenPage) -> None:
    daemon = launch("serve", *FREE_PORTS)
    page = open_page(daemon)
    sent = responses(FIRST, LAST + 1)
    sent[-1].player_result.add(player_id=1, result=sc2api_pb2.Victory)
    with abathur.publisher_blocking(daemon.grpc, map_name="First LE") as publisher:
        for each in sent[:30]:
            publisher.publish(each)
        page.wait(f"{LOOP} === args", FIRST + 29)
        page.wait("!document.getElementById('playback').hidden")
        page.press("Space")
        page.wait("dashboard.playback.isPaused")
        # One frame was requested before.
        publisher.publish(sent[30])
        page.wait(f"{LOOP} === args", FIRST + 30)
        for each in sent[31:]:
            publisher.publish(each)
    page.wait(f"{STATE} === args", OVER)
    assert page.evaluate(LOOP) == FIRST + 30
    with abathur.publisher_blocking(daemon.grpc, map_name="Second LE") as publisher:
        publisher.publish(response_at(FIRST + 100))
        page.wait(NOTICE)
        # The notice may be shown before the page has the state of the match that is over.
        page.wait("dashboard.playback.isPaused")
        page.press("Space")
        page.wait(f"{LOOP} === args", LAST)
        page.wait("!dashboard.playback.isPaused")
        page.wait("dashboard.playback.state?.isOver")
        assert (page.text("#title"), page.text("#state")) == ("First LE", OVER)
        page.click("#watch-next")
        page.wait(f"{LOOP} === args", FIRST + 100)


def test_one_who_is_paused_at_the_last_frame_is_not_taken_to_the_next_match(
    launch: Launch, open_page: OpenPage
) -> None:
    daemon = launch("serve", *FREE_PORTS)
    page = open_page(daemon)
    with abathur.publisher_blocking(daemon.grpc, map_name="First LE") as publisher:
        publisher.publish(response_at(FIRST))
        publisher.publish(response_at(FIRST + 1))
        page.wait(f"{LOOP} === args", FIRST + 1)
        page.wait("!document.getElementById('playback').hidden")
        page.press("Space")
        page.wait("dashboard.playback.isPaused")
    page.wait(f"{STATE} === 'the match is over'")
    with abathur.publisher_blocking(daemon.grpc, map_name="Second LE") as publisher:
        publisher.publish(response_at(FIRST + 100))
        page.wait(NOTICE)
        assert (page.evaluate(LOOP), page.text("#title")) == (FIRST + 1, "First LE")


def test_a_lost_connection_is_told_beside_the_end(launch: Launch, open_page: OpenPage) -> None:
    daemon = launch("serve", *FREE_PORTS)
    publish(daemon)
    page = open_page(daemon)
    is_at_its_end(page)
    daemon.stop()
    page.wait(f"{STATE}.startsWith(args)", f"{OVER} · reconnecting")
    assert page.evaluate("document.getElementById('state').dataset.state") == "reconnecting"
    assert page.evaluate(LOOP) == LAST
    # The browser itself reports each attempt.
    assert all("ERR_CONNECTION_REFUSED" in each for each in page.complaints)
    page.run("page.close(); page.complaints.length = 0")


def test_a_match_that_is_unknown_or_not_kept_says_so(launch: Launch, open_page: OpenPage) -> None:
    daemon = launch("serve", "--history-mb", "0", *FREE_PORTS)
    publish(daemon, "A <b>map</b>")
    (run,) = run_ids(daemon)
    page = open_page(daemon, f"/?run={run}")
    page.wait("document.getElementById('empty').innerText.includes('Nothing of it is kept any more')")
    assert page.text("#empty").startswith(f"On A <b>map</b>, {OVER}.")
    page = open_page(daemon, "/?run=unknown")
    page.wait("document.getElementById('empty').innerText.includes('does not know this match')")
    page = open_page(daemon)
    page.wait("document.getElementById('empty').innerText.includes('player 1 won')")
    assert "No match yet" in page.text("#empty")
    with abathur.publisher_blocking(daemon.grpc) as publisher:
        publisher.publish(response_at(FIRST + 100))
        page.wait(f"{LOOP} === args", FIRST + 100)


def test_an_old_match_that_is_not_kept_any_more_stays_on_the_page(launch: Launch, open_page: OpenPage) -> None:
    daemon = launch("serve", "--history-mb", "1", *FREE_PORTS)
    publish(daemon)
    run = run_ids(daemon)[0]
    page = open_page(daemon, f"/?run={run}")
    is_at_its_end(page)
    with abathur.connect_blocking(daemon.grpc) as game:
        while game.matches()[0].HasField("history"):
            publish(daemon, "Later LE")
    with abathur.publisher_blocking(daemon.grpc, map_name="Last LE") as publisher:
        publisher.publish(response_at(FIRST + 100))
        page.wait(f"{NOTICE} && document.getElementById('next-map').innerText === 'Last LE'")
        page.wait("document.getElementById('playback').hidden")
        assert (page.evaluate(LOOP), page.text("#title"), page.text("#state")) == (LAST, "First LE", OVER)
        page.click("#watch-next")
        page.wait(f"{LOOP} === args", FIRST + 100)

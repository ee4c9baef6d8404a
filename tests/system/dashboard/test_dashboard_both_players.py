"""Both players of a game side by side on the dashboard, and what it says before they have begun."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import abathur
import pytest
from browsers import LOOP, SCREENS, OpenPage, keep_picture, needs_browser, response_at
from programs import SKIRMISH
from proxies import HandMadeGame, Peer, Proxy, answer, masked, proxied, unmasked
from s2clientprotocol import sc2api_pb2
from websockets_by_hand import Connection

pytestmark = [*needs_browser, pytest.mark.timeout(300)]
FIRST = 8960
OTHER = "dashboard.both.other?.world.gameLoop"
#: Of the enemy, as it sees itself.
SWAPPED = {1: 4, 4: 1}


class Player:
    """A bot and its game, by hand, with the observations of the committed recording."""

    def __init__(self, proxy: Proxy, game: HandMadeGame, player_id: int) -> None:
        """Begin a match at `FIRST`."""
        self.bot: Connection
        self.peer: Peer
        self.bot, self.peer = game.meet(proxy)
        self.player_id = player_id
        with abathur.open(SKIRMISH) as match:
            info = match.game_info()
        assert info is not None
        self._request(FIRST)
        self.peer.introduce_itself("Synthetic LE", start_raw=info.start_raw, player_info=info.player_info)
        self._answered()

    def observe(self, loop: int, *results: sc2api_pb2.PlayerResult) -> None:
        """The observation of a game loop."""
        self._request(loop, *results)
        self._answered()

    def leave(self) -> None:
        """Close the bot's connection."""
        self.bot.__exit__()

    def _request(self, loop: int, *results: sc2api_pb2.PlayerResult) -> None:
        self.bot.send(masked(sc2api_pb2.Request(observation=sc2api_pb2.RequestObservation()).SerializeToString()))
        asked = self.peer.request()
        made = response_at(loop)
        made.observation.player_common.player_id = self.player_id
        if self.player_id == 2:
            for unit in made.observation.raw_data.units:
                unit.alliance = SWAPPED.get(unit.alliance, unit.alliance)  # type: ignore[assignment]
        made.player_result.extend(results)
        self.peer.send(unmasked(answer(asked, observation=made)))

    def _answered(self) -> None:
        assert self.bot.read() is not None


@contextmanager
def two_games(*options: str) -> Iterator[tuple[Proxy, HandMadeGame, HandMadeGame]]:
    with (
        HandMadeGame() as first,
        HandMadeGame() as second,
        proxied([first.address, second.address], *options, once=False) as proxy,
    ):
        yield proxy, first, second


@pytest.mark.parametrize("screen", SCREENS, ids=lambda each: f"{each['width']}")
def test_both_players_are_shown_by_one_click(open_page: OpenPage, screen: dict[str, int]) -> None:
    with two_games() as (proxy, *games):
        page = open_page(proxy.daemon, viewport=screen)
        page.wait("document.getElementById('empty').innerText.includes(args)", f"127.0.0.1:{proxy.port}")
        keep_picture(page, "empty-proxy")
        first = Player(proxy, games[0], 1)
        page.wait(f"{LOOP} === args", FIRST)
        assert not page.run("return page.isVisible('#both-players')")
        second = Player(proxy, games[1], 2)
        page.run("await page.waitForSelector('#both-players')")
        # The other player's match is no next one.
        assert not page.run("return page.isVisible('#next-match')")
        page.click("#both-players")
        page.wait(f"{OTHER} === args", FIRST)
        for loop in range(FIRST + 1, FIRST + 40):
            for player in (first, second):
                player.observe(loop)
        # Each is live.
        page.wait(f"{LOOP} === args && {OTHER} === args", FIRST + 39)
        assert page.text("#first-title") == "A: Synthetic Zerg (Zerg)"
        assert page.text("#second-title") == "B: Synthetic Protoss (Protoss)"
        page.wait("dashboard.both.other.map.times.count > 0")
        keep_picture(page, "both")
        # The numbers of both are exact.
        bar = "[...document.querySelectorAll('#bar tbody tr')].map((row) => row.innerText)"
        page.wait(f"{bar}.every((each) => !each.includes('\u2013') && !each.includes('seen'))")
        # What the other side makes is not only what is seen.
        assert page.text("#enemy-army-title") == "Enemy army: units \u00b7 cost"
        boxes = page.evaluate(
            "['map', 'second-map'].map((id) => document.getElementById(id).getBoundingClientRect().toJSON())"
        )
        for box in boxes:
            assert box["left"] >= 0 and box["right"] <= screen["width"] and box["bottom"] <= screen["height"]
            assert box["width"] > screen["width"] / 4 and box["height"] > screen["height"] / 3
        assert boxes[0]["right"] <= boxes[1]["left"]
        controls = page.evaluate("document.getElementById('pause').getBoundingClientRect().toJSON()")
        assert controls["bottom"] <= screen["height"]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        # One pause and one scrubber for both. Space on a button presses it.
        page.evaluate("document.activeElement.blur()")
        page.press("Space")
        page.wait("dashboard.playback.isPaused")
        page.evaluate("(dashboard.playback.seek(args), 0)", FIRST + 20)
        page.wait(f"{LOOP} === args && {OTHER} === args", FIRST + 20)
        page.press("ArrowRight")
        page.wait(f"{LOOP} === args && {OTHER} === args", FIRST + 21)
        page.press("l")
        page.wait(f"{LOOP} === args && {OTHER} === args", FIRST + 39)
        for player in (first, second):
            player.observe(FIRST + 40)
        page.wait(f"{LOOP} === args && {OTHER} === args", FIRST + 40)
        # Left by one click, and by a key. The numbers of the other player stay exact.
        page.click("#leave-second")
        assert not page.run("return page.isVisible('#second-map')")
        page.wait("document.getElementById('enemy-army-title').innerText.startsWith('Enemy army in sight')")
        page.wait(f"{bar}.every((each) => !each.includes('\u2013') && !each.includes('seen'))")
        assert page.evaluate("document.getElementById('both-players').getAttribute('aria-pressed')") == "false"
        page.press("b")
        page.wait(f"{OTHER} === args", FIRST + 40)
        page.press("b")
        page.wait(f"{OTHER} === undefined")
        page.press("b")
        # When both are over, both stay.
        for player, result in ((first, sc2api_pb2.Victory), (second, sc2api_pb2.Defeat)):
            player.observe(FIRST + 41, sc2api_pb2.PlayerResult(player_id=player.player_id, result=result))
            player.leave()
        page.wait("document.getElementById('state').innerText === 'the match is over: Synthetic Zerg won'")
        page.wait(f"{LOOP} === args && {OTHER} === args", FIRST + 41)
        page.wait("dashboard.playback.state?.isOver")
        page.press("Space")
        page.evaluate("(dashboard.playback.seek(args), 0)", FIRST + 10)
        page.wait(f"{LOOP} === args && {OTHER} === args", FIRST + 10)
        # A page that is opened now can show both as well.
        late = open_page(proxy.daemon, viewport=screen)
        late.wait(f"{LOOP} === args", FIRST + 41)
        late.run("await page.waitForSelector('#both-players:not([hidden])')")
        late.press("b")
        late.wait(f"{OTHER} === args", FIRST + 41)
        for each in (page, late):
            each.run("await page.close()")


def test_a_match_that_is_paused_is_not_over_because_another_begins(open_page: OpenPage) -> None:
    """Several matches run: what began last is announced, and the one that is shown goes on."""
    with two_games() as (proxy, *games):
        first = Player(proxy, games[0], 1)
        page = open_page(proxy.daemon)
        page.wait(f"{LOOP} === args", FIRST)
        page.wait("!document.getElementById('playback').hidden")
        # The same player of another game.
        second = Player(proxy, games[1], 1)
        page.wait("!document.getElementById('next-match').hidden")
        first.observe(FIRST + 1)
        page.wait(f"{LOOP} === args", FIRST + 1)
        assert page.text("#state") == "live"
        page.press("Space")
        page.wait("dashboard.playback.isPaused")
        for loop in (FIRST + 2, FIRST + 3):
            first.observe(loop)
        page.wait(f"dashboard.playback.state.lastGameLoop >= {FIRST + 3}")
        page.evaluate("(dashboard.playback.seek(args), 0)", FIRST)
        page.wait(f"{LOOP} === args", FIRST)
        assert "over" not in page.text("#state") and not page.evaluate("dashboard.playback.state.isOver")
        page.press("l")
        page.wait(f"{LOOP} === args", FIRST + 3)
        first.observe(FIRST + 4)
        page.wait(f"{LOOP} === args", FIRST + 4)
        # Live or not, it is in the list with the other.
        page.click("#show-matches")
        page.wait("[...document.querySelectorAll('#match-rows .result')].every((each) => each.innerText === 'running')")
        page.press("Escape")
        page.click("#watch-next")
        second.observe(FIRST + 30)
        page.wait(f"{LOOP} === args", FIRST + 30)
        page.run("await page.close()")
        for player in (first, second):
            player.leave()

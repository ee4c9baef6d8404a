"""The list of matches on the dashboard."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import abathur
import pytest
from browsers import LOOP, SCREENS, OpenPage, Page, keep_picture, needs_browser, response_at, responses
from programs import FREE_PORTS, Launch
from s2clientprotocol import sc2api_pb2

pytestmark = [*needs_browser, pytest.mark.timeout(300)]
FIRST = 8960
ROWS = "[...document.querySelectorAll('#match-rows tr')]"


def rows(page: Page) -> list[list[str]]:
    """Texts of all rows that are shown."""
    cells = "[...row.cells].map((cell) => cell.innerText)"
    return list(page.evaluate(f"{ROWS}.filter((row) => !row.hidden).map((row) => {cells})"))


def summary(number: int, **more: Any) -> dict[str, Any]:
    """One of a MatchList in ProtoJSON."""
    match = {"matchId": f"m{number}", "runId": f"run{number}", "playerId": 1, "mapName": f"Map {number} LE"}
    match["beganUnixNs"] = str(1_795_865_138_000_000_000 + number * 60_000_000_000)
    return {"match": match, "state": "match_over", "lastGameLoop": 22 * number, "frames": "5", **more}


def answers(page: Page, matches: list[dict[str, Any]]) -> None:
    """Let the page read this list of matches."""
    body = json.dumps({"matches": matches})
    script = "await page.unroute('**/v1/matches'); await page.route('**/v1/matches', (route) => route.fulfill(args))"
    page.run(script, {"contentType": "application/json", "body": body})


def test_matches_are_listed_and_opened(launch: Launch, open_page: OpenPage, tmp_path: Path) -> None:
    folder = tmp_path / "recordings"
    folder.mkdir()
    options = ("--recordings", str(folder), "-o", f"{folder}/", "--output-name", "{n}-game")
    daemon = launch("serve", *options, *FREE_PORTS)
    for name, result in (("First LE", sc2api_pb2.Victory), ("<i>Second</i> LE", sc2api_pb2.Defeat)):
        sent = responses(FIRST, FIRST + 30)
        sent[-1].player_result.add(player_id=1, result=result)
        with abathur.publisher_blocking(daemon.grpc, map_name=name, player_id=1) as publisher:
            for each in sent:
                publisher.publish(each)
    with abathur.publisher_blocking(daemon.grpc, map_name="Third LE", player_id=1) as publisher:
        publisher.publish(response_at(FIRST + 100))
        page = open_page(daemon)
        page.wait(f"{LOOP} === args", FIRST + 100)
        page.press("m")
        page.wait(f"{ROWS}.length === 3")
        keep_picture(page, "list-three")
        shown = rows(page)
        assert [row[0] for row in shown] == ["Third LE", "<i>Second</i> LE", "First LE"]
        assert [row[1] for row in shown] == ["player 1"] * 3
        assert [row[2] for row in shown] == ["6:44", "6:41", "6:41"]
        assert [row[3].removeprefix("● ") for row in shown] == ["running", "defeat", "victory"]
        assert [row[5] for row in shown] == ["3-game.mcap", "Play 2-game.mcap", "Play 1-game.mcap"]
        assert page.text("#matches-note") == "3 matches, 1 running, the newest first."
        assert page.evaluate(f"{ROWS}[0].querySelector('[aria-current]') !== null")
        # The dialog has the keys, not the map.
        page.press("m")
        page.run("await page.fill('#find-match', 'second')")
        assert [row[0] for row in rows(page)] == ["<i>Second</i> LE"]
        page.click("#match-rows tr:not([hidden]) th a")
        page.wait(f"globalThis.dashboard && {LOOP} === args", FIRST + 29)
        assert page.text("#title") == "<i>Second</i> LE"
        page.wait("document.getElementById('state').innerText === 'the match is over'")
        page.click("#show-matches")
        page.wait(f"{ROWS}.length === 3")
        # The one that runs is shown live.
        page.run("await page.locator('#match-rows th a').first().click()")
        page.wait(f"globalThis.dashboard?.world.match?.mapName === args && {LOOP} > 0", "Third LE")
        publisher.publish(response_at(FIRST + 101))
        page.wait(f"{LOOP} === args", FIRST + 101)
        page.click("#show-matches")
        page.wait(f"{ROWS}.length === 3")
        page.run("await page.getByText('Play 1-game.mcap').click()")
        page.wait("globalThis.dashboard?.world.gameLoop !== undefined && location.search === '?recording=1-game.mcap'")


def test_names_of_players_are_shown_where_they_are_known(paused: Any, open_page: OpenPage) -> None:
    page = open_page(paused)
    page.wait(f"{LOOP} !== undefined")
    players = [
        {
            "playerId": 1,
            "type": "Participant",
            "raceRequested": "Random",
            "raceActual": "Zerg",
            "playerName": "<b>A</b>",
        },
        {"playerId": 2, "type": "Computer", "raceRequested": "Terran"},
    ]
    one = summary(1, history={"firstGameLoop": 3, "lastGameLoop": 22})
    one["match"]["gameInfo"] = {"playerInfo": players}
    two = summary(2, state="match_lost", recording={"path": "C:\\matches\\two.mcap"})
    shown = page.evaluate("dashboard.world.match.runId")
    three = summary(3, state="match_running")
    three["match"]["runId"] = shown
    answers(page, [one, two, three])
    page.press("m")
    page.wait(f"{ROWS}.length === 3")
    assert [row[1] for row in rows(page)] == [
        "Synthetic Zerg (Zerg) vs Synthetic Protoss (Protoss)",
        "player 1",
        "<b>A</b> (Zerg) vs computer (Terran)",
    ]
    assert rows(page)[1][0] == "Map 2 LE · not kept"
    assert rows(page)[1][3:6:2] == ["connection lost", "two.mcap"]
    # What changes is updated in place, with the focus.
    page.run("await page.locator('#match-rows th a').last().focus()")
    answers(page, [one, two, {**three, "lastGameLoop": 22 * 100}, summary(4)])
    page.wait(f"{ROWS}.length === 4 && {ROWS}[1].cells[2].innerText === '1:38'")
    assert page.evaluate(f"document.activeElement === {ROWS}[3].querySelector('th a')")


@pytest.mark.parametrize("screen", SCREENS, ids=lambda each: f"{each['width']}")
def test_a_thousand_matches_stay_usable(paused: Any, open_page: OpenPage, screen: dict[str, int]) -> None:
    page = open_page(paused, viewport=screen)
    page.wait(f"{LOOP} !== undefined")
    results = [{"playerId": 1, "result": "Victory"}], [{"playerId": 1, "result": "Defeat"}], []
    listed = [
        summary(
            number,
            results=results[number % 3],
            recording={"path": f"/home/bot/matches/2026-11-28T11-{number:04}_Map_LE_Anna-vs-Bert.mcap"},
            **({"history": {"firstGameLoop": 1, "lastGameLoop": 22}} if number > 950 else {}),
        )
        for number in range(1000)
    ]
    del listed[-1]["state"]
    answers(page, listed)
    page.press("m")
    page.wait(f"{ROWS}.length === 1000")
    keep_picture(page, "list")
    took = page.evaluate("""(async () => {
      const began = performance.now();
      document.getElementById("find-match").value = "map 77";
      document.getElementById("find-match").dispatchEvent(new Event("input"));
      document.body.getBoundingClientRect();
      return performance.now() - began;
    })()""")
    assert took < 1000
    assert len(rows(page)) == 11
    # The dialog is inside of the screen, and nothing of the table is cut off.
    box = page.evaluate("document.getElementById('matches').getBoundingClientRect().toJSON()")
    assert box["left"] >= 0 and box["top"] >= 0
    assert box["right"] <= screen["width"] and box["bottom"] <= screen["height"]
    assert page.evaluate(
        "(({scrollWidth, clientWidth}) => scrollWidth <= clientWidth)(document.querySelector('#matches .scroll'))"
    )
    page.press("Escape")
    assert not page.run("return page.isVisible('#matches')")


def test_a_list_that_cannot_be_read_says_why(paused: Any, open_page: OpenPage) -> None:
    page = open_page(paused)
    page.wait(f"{LOOP} !== undefined")
    page.run("await page.route('**/v1/matches', (route) => route.fulfill({status: 403, body: 'not for you'}))")
    page.press("m")
    page.wait("document.getElementById('matches-note').innerText === 'The list cannot be read: not for you'")
    page.run("page.complaints.length = 0; await page.close()")

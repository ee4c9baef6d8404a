"""The dashboard as a screen that is watched: what is on it at each size, what it does not tell yet, and fights."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import abathur
import pytest
from browsers import (
    AT,
    LOOP,
    TIMELINE,
    OpenPage,
    Page,
    has_whole_timeline,
    keep_picture,
    needs_browser,
    response_at,
    responses,
    shows,
)
from programs import FREE_PORTS, SKIRMISH, Daemon, Launch, Play
from s2clientprotocol import raw_pb2, sc2api_pb2

pytestmark = [*needs_browser, pytest.mark.timeout(300)]
FIRST, LAST = 8960, 10303
SIZES = ((1280, 720), (1366, 768), (1440, 900), (1600, 900), (1920, 1080), (2560, 1440), (3200, 1800), (3840, 2160))
EVENTS = "[...document.querySelectorAll('#events button')].map((each) => Number(each.dataset.gameLoop))"
BAR = "[...document.querySelectorAll('#bar tbody tr')].map((row) => [...row.cells].map((each) => each.innerText))"
ZERGLING = 105
CROWD = 40


def of(size: tuple[int, int]) -> dict[str, int]:
    return {"width": size[0], "height": size[1]}


def is_within(page: Page, *selectors: str) -> bool:
    """Whether all these are on the screen, with a size."""
    script = """args.every((each) => {
      const { left, right, top, bottom } = document.querySelector(each).getBoundingClientRect();
      const isIn = left >= 0 && top >= 0 && right <= innerWidth + 0.5 && bottom <= innerHeight + 0.5;
      return isIn && right > left && bottom > top;
    })"""
    return bool(page.evaluate(script, selectors))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two recordings."""
    for name in ("before.mcap", "after.mcap"):
        shutil.copyfile(SKIRMISH, tmp_path / name)
    return tmp_path


# Sizes.


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}")
def test_the_stream_view_fits(paused: Daemon, open_page: OpenPage, size: tuple[int, int]) -> None:
    page = open_page(paused, "/?view=stream", viewport=of(size))
    shows(page, AT)
    has_whole_timeline(page)
    page.wait("document.querySelector('#lead').innerText !== ''")
    assert page.evaluate("[document.documentElement.scrollHeight, document.documentElement.scrollWidth]") == [
        size[1],
        size[0],
    ]
    assert is_within(page, "#map", "#bar", ".over-time", "#lead", ".graph:nth-child(5) canvas", "#clock", "#state")
    # Texts are as large for the screen on each: of 3840 pixels no smaller than of 1280.
    font = page.evaluate("parseFloat(getComputedStyle(document.getElementById('lead')).fontSize)")
    assert 1.0 < 100 * font / size[0] < 1.3
    # No part covers another.
    overlap = """(() => {
      const boxes = [...document.querySelectorAll("header, #bar, #map, #lead, .graph")]
        .filter((each) => each.checkVisibility()).map((each) => each.getBoundingClientRect());
      return boxes.some((a, i) => boxes.some((b, j) => i < j && a.left < b.right - 1 && b.left < a.right - 1
        && a.top < b.bottom - 1 && b.top < a.bottom - 1));
    })()"""
    assert page.evaluate(overlap) is False
    keep_picture(page, "stream")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}")
def test_what_is_needed_to_watch_is_on_one_screen(paused: Daemon, open_page: OpenPage, size: tuple[int, int]) -> None:
    page = open_page(paused, viewport=of(size))
    shows(page, AT)
    page.wait("dashboard.playback.state !== undefined")
    assert is_within(
        page,
        "#map",
        "#bar",
        "#pause",
        "#scrubber",
        "#marks",
        "#where",
        "#zoom-fit",
        "#title",
        "#clock",
        "#theme",
        ".units-panel",
    )
    # The header is one line.
    assert page.evaluate("document.querySelector('header').getBoundingClientRect().height") < 50
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    keep_picture(page, "watch")


def test_a_long_name_does_not_push_the_buttons_away(launch: Launch, open_page: OpenPage) -> None:
    daemon = launch("serve", "--once", *FREE_PORTS)
    page = open_page(daemon, viewport=of(SIZES[0]))
    with abathur.publisher_blocking(daemon.grpc, map_name="A map with a very long name " * 4) as publisher:
        publisher.publish(response_at(AT))
        page.wait(f"{LOOP} === args", AT)
        page.wait("dashboard.playback.state !== undefined")
        assert is_within(page, "#show-matches", "#theme", "#clock", "#state", "#pause")


def test_a_recording_that_is_not_there_says_so(play: Play, open_page: OpenPage, folder: Path) -> None:
    daemon = play(SKIRMISH, "--start-paused", "--recordings", str(folder))
    page = open_page(daemon, "/?recording=nofile.mcap")
    page.wait("document.getElementById('empty').innerText.startsWith('nofile.mcap cannot be opened: there is no such')")
    # What can be watched instead.
    page.wait("document.querySelectorAll('#empty a').length === 2")
    page.run("page.complaints.length = 0")
    page.run("await page.locator('#empty a', {hasText: 'before.mcap'}).click()")
    page.wait("globalThis.dashboard?.world.gameLoop >= args", FIRST)
    page.run("page.complaints.length = 0")


def test_the_age_of_a_pause_is_no_delay(play: Play, open_page: OpenPage) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    with abathur.connect_blocking(daemon.grpc) as game:
        game.playback.seek(AT)
        game.playback.step()
    page = open_page(daemon)
    shows(page, AT)
    # Two seconds are over by now, or not: no delay of the first frame is told.
    encode = "document.querySelectorAll('.chart strong')[1].innerText"
    page.wait(f"{encode} === '\u2013'")
    page.wait("dashboard.playback.state !== undefined")
    page.press("ArrowRight")
    page.wait(f"{encode} !== '\u2013'")
    assert float(page.evaluate(encode).split()[0]) < 1000


def test_space_after_a_click_pauses(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    page.wait("document.querySelectorAll('#units button').length > 3 && dashboard.playback.state !== undefined")
    page.run("await page.locator('#units button').nth(2).click()")
    tag = page.evaluate("String(dashboard.unitPanel.tag)")
    page.press("Space")
    page.wait("!dashboard.playback.isPaused")
    page.press("Space")
    page.wait("dashboard.playback.isPaused")
    assert page.evaluate("String(dashboard.unitPanel.tag)") == tag
    # Where the keyboard came to a button, Space presses it.
    page.run("await page.focus('#map-ranges')")
    page.press("Tab", "Space")
    assert page.evaluate("document.getElementById('map-areas').getAttribute('aria-pressed')") == "true"
    assert page.evaluate("dashboard.playback.isPaused")


def test_a_button_leads_back_to_live(launch: Launch, open_page: OpenPage) -> None:
    daemon = launch("serve", "--once", *FREE_PORTS)
    page = open_page(daemon)
    with abathur.publisher_blocking(daemon.grpc, map_name="Test LE") as publisher:
        for each in responses(FIRST, FIRST + 200):
            publisher.publish(each)
        page.wait(f"{LOOP} === args && dashboard.playback.state?.lastGameLoop === args", FIRST + 199)
        assert not page.run("return page.isVisible('#to-live')")
        page.press("Space", "Home")
        page.wait(f"{LOOP} === args", FIRST)
        page.wait("document.getElementById('to-live').checkVisibility()")
        page.click("#to-live")
        page.wait(f"{LOOP} === args && !dashboard.playback.isPaused", FIRST + 199)
        page.wait("!document.getElementById('to-live').checkVisibility()")
        # Of a running match all that has been is known.
        assert not page.run("return page.isVisible('#whole-match')")


# What is not told yet.


def test_a_recording_ends_at_the_moment(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    has_whole_timeline(page)
    marks = page.evaluate(f"{TIMELINE}.marks.map((mark) => mark.gameLoop ?? 0)")
    assert any(each <= AT for each in marks) and any(each > AT for each in marks)
    # Events, the marks over the scrubber, and graphs: nothing after the moment.
    known = sorted(each for each in marks if each <= AT)
    page.wait(f"{EVENTS}.length === args", len(known))
    assert sorted(page.evaluate(EVENTS)) == known
    assert rightmost(page, "#marks") <= page.evaluate(x_of("marks", 8), AT) + 6
    line = rightmost(page, ".graph:nth-child(2) canvas", top=24, bottom=90, color="--own")
    assert line <= page.evaluate(x_of("graph", 0), AT) + 2
    # All of it, where that is chosen; and that is kept.
    page.click("#whole-match")
    page.wait(f"{EVENTS}.length === args", len(marks))
    page.wait("dashboard.numbers.timeline.last > 0")
    assert rightmost(page, ".graph:nth-child(2) canvas", top=24, bottom=90, color="--own") > line + 20
    page.run("await page.reload()")
    shows(page, AT)
    assert page.evaluate("document.getElementById('whole-match').checked")
    page.press("h")
    has_whole_timeline(page)
    page.wait(f"{EVENTS}.length === args", len(known))
    # A link says which it is, whatever is kept here.
    page.run("await page.goto(args)", f"{paused.addresses['http']}/#loop={AT}&whole=1")
    page.run("await page.reload()")
    shows(page, AT)
    page.wait(f"{EVENTS}.length === args", len(marks))


def test_a_fight_that_goes_on_has_no_figures_yet(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    has_whole_timeline(page)
    fights = page.evaluate(f"{TIMELINE}.marks.filter(({{kind}}) => kind === 'fight')")
    fight = max(fights, key=lambda each: each["lastGameLoop"] - each["gameLoop"])
    during = (fight["gameLoop"] + fight["lastGameLoop"]) // 2
    assert fight["gameLoop"] < during < fight["lastGameLoop"]
    text = f"document.querySelector('#events [data-game-loop=\"{fight['gameLoop']}\"]')"
    page.evaluate("(dashboard.playback.seek(args), 0)", during)
    page.wait(f"{LOOP} === args && {text}?.innerText.endsWith('it goes on')", during)
    assert "own losses" not in page.text("#lead") or f"{fight['ownLost']:.0f}" not in page.text("#lead")
    page.evaluate("(dashboard.playback.seek(args), 0)", fight["lastGameLoop"] + 1)
    page.wait(f"{text}?.innerText.includes('own losses')")


def test_event_keys_lead_to_what_is_not_shown_yet(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    has_whole_timeline(page)
    following = min(each for each in page.evaluate(f"{TIMELINE}.marks.map((mark) => mark.gameLoop ?? 0)") if each > AT)
    page.press(".")
    page.wait(f"{LOOP} === args", following)


def x_of(canvas: str, inset: int) -> str:
    """Pixels from the left of a canvas to a game loop, `args`."""
    width = {"marks": "#marks", "graph": ".graph:nth-child(2) canvas"}[canvas]
    wide = f"(document.querySelector('{width}').clientWidth - {2 * inset})"
    return f"{inset} + {wide} * (args - {FIRST}) / ({LAST} - {FIRST})"


def rightmost(page: Page, selector: str, top: int = 0, bottom: int = 24, color: str = "") -> float:
    """The last column of a canvas that is painted, in CSS pixels; with a colour of the style sheet, in that."""
    script = """(() => {
      const [selector, top, bottom, color] = args;
      const canvas = document.querySelector(selector);
      const ratio = canvas.width / canvas.clientWidth;
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", {willReadFrequently: true});
      copy.drawImage(canvas, 0, 0);
      const data = copy.getImageData(0, top * ratio, canvas.width, (bottom - top) * ratio);
      const style = getComputedStyle(document.documentElement);
      const wanted = color === "" ? undefined
        : style.getPropertyValue(color).trim().match(/[0-9a-f]{2}/g).map((each) => parseInt(each, 16));
      for (let x = canvas.width - 1; x >= 0; x--) {
        for (let y = 0; y < data.height; y++) {
          const at = 4 * (y * canvas.width + x);
          const isPainted = data.data[at + 3] > 128;
          if (isPainted && (!wanted || wanted.every((c, i) => Math.abs(data.data[at + i] - c) < 40))) return x / ratio;
        }
      }
      return -1;
    })()"""
    return float(page.evaluate(script, [selector, top, bottom, color]))


# The bar.


def test_both_players_are_in_the_bar(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    has_whole_timeline(page)
    observation = response_at(AT).observation
    player = observation.player_common
    page.wait(f"{BAR}[0][3] !== '\u2013'")
    own, enemy = page.evaluate(BAR)
    assert own[0].startswith("Synthetic") and "Zerg" in own[0] and "Protoss" in enemy[0]
    assert own[1] == f"{player.food_used} / {player.food_cap}" and own[2] == str(player.food_workers)
    assert own[6].split()[0] == grouped(player.minerals) and own[7].split()[0] == grouped(player.vespene)
    assert own[6].split()[1].startswith("+")
    # Of the enemy: what was seen says so; what it has lost the game counts.
    assert [enemy[at].endswith(" seen") for at in (1, 2, 3, 5)] == [True] * 4
    assert "seen" not in enemy[4] and enemy[6:] == ["\u2013", "\u2013"]
    score = observation.score.score_details
    row = page.evaluate(f"{TIMELINE}.rowAt({AT})")
    lost = page.evaluate(f"{TIMELINE}.sum('lost_minerals', 'lost_vespene')[{row}]")
    assert own[4] == grouped(lost) and lost <= score.lost_minerals.army + score.lost_vespene.army + 10_000
    killed = page.evaluate(f"{TIMELINE}.sum('killed_value_units', 'killed_value_structures')[{row}]")
    assert enemy[4] == grouped(killed)


def grouped(value: float) -> str:
    return f"{round(value):,}".replace(",", "\u202f")


def test_two_recordings_have_both_names_and_numbers(play: Play, open_page: OpenPage, folder: Path) -> None:
    daemon = play(SKIRMISH, "--start-paused", "--recordings", str(folder))
    page = open_page(daemon, f"/?recording=before.mcap&with=after.mcap#loop={AT}")
    page.wait(f"{LOOP} === args && dashboard.second.world.gameLoop === args", AT)
    page.wait("dashboard.second.numbers.timeline.gameLoops.length > 50")
    assert page.text("#first-title") == "A: before.mcap" and page.text("#second-title") == "B: after.mcap"
    has_whole_timeline(page)
    # They are the same match.
    page.wait(f"(([[, ...one], [, ...other]]) => other[2] !== '\u2013' && String(one) === String(other))({BAR})")
    assert [row[0] for row in page.evaluate(BAR)] == ["before.mcap", "after.mcap"]
    # What B makes and has is shown as what A does.
    assert page.text("#enemy-army-title") == "B army: units \u00b7 cost"
    rows = "[...document.querySelectorAll(args + ' li[data-key]')].map((each) => each.title)"
    for own, others in (("#making", "#enemy-making"), ("#own-army", "#enemy-army")):
        page.wait(f"{rows}.length > 0", own)
        assert page.evaluate(rows, own) == page.evaluate(rows, others)
    # The area between the lines of both has no height: they are the same.
    captions = page.evaluate("document.querySelector('.graph:nth-child(2) figcaption').innerText")
    assert "own" in captions and "B: own" in captions
    keep_picture(page, "compare")


# Fights.


@contextmanager
def crowd(launch: Launch, apart: float) -> Iterator[Daemon]:
    """A daemon with a fight of 40 zerglings, so many cells apart, on which enemies fire."""
    daemon = launch("serve", "--once", *FREE_PORTS)
    with abathur.publisher_blocking(daemon.grpc, map_name="Test LE") as publisher:
        for step in range(6):
            publisher.publish(crowded(step, apart))
        yield daemon


def crowded(step: int, apart: float) -> sc2api_pb2.ResponseObservation:
    """Zerglings in seven columns, which lose health in each step."""
    response = response_at(AT)
    response.observation.game_loop = AT + step
    raw = response.observation.raw_data
    del raw.units[:]
    for number in range(CROWD):
        unit = raw.units.add(tag=2**32 + number, unit_type=ZERGLING, alliance=raw_pb2.Self, owner=1)
        unit.display_type = raw_pb2.Visible
        unit.pos.x, unit.pos.y = 60 + apart * (number % 7), 60 + apart * (number // 7)
        unit.radius, unit.health_max, unit.build_progress = 0.375, 35, 1
        unit.health = 35 - 3 * step
    return response


#: Boxes of what is drawn of each unit: mark with bar, in CSS pixels.
MARKS = """(() => {
  const { map, world } = dashboard;
  const boxes = [];
  for (let row = 0; row < world.units.rows; row++) {
    if (!world.units.used[row] || world.units.unit_type[row] !== args) continue;
    const [x, y] = map.placeOf(row);
    boxes.push([x, y, world.units.radius[row] * map.view.scale, map.groupOf(row).length]);
  }
  return boxes;
})()"""


def test_forty_units_are_apart_in_a_fight(launch: Launch, open_page: OpenPage) -> None:
    with crowd(launch, 0.75) as daemon:
        page = open_page(daemon)
        page.wait(f"{LOOP} === args && dashboard.playback.state?.lastGameLoop === args", AT + 5)
        # The fight is of frames that come while the page looks.
        page.press("Space", "Home")
        page.wait(f"{LOOP} === args", AT)
        page.press("Space")
        page.wait(f"{LOOP} === args && dashboard.map.fights.list.length === 1", AT + 5)
        (fight,) = page.evaluate("dashboard.map.fights.list")
        assert fight["value"] == CROWD * 25
        before = page.evaluate("[dashboard.map.view.x, dashboard.map.view.y, dashboard.map.view.scale]")
        page.press("j")
        page.wait("dashboard.map.view.scale >= 18 && dashboard.map.namesDrawn > 0")
        boxes = page.evaluate(MARKS, ZERGLING)
        assert len(boxes) == CROWD and all(group == 0 for *_, group in boxes)
        nearest = min(
            max(abs(a[0] - b[0]), abs(a[1] - b[1])) - 2 * a[2] for i, a in enumerate(boxes) for b in boxes[:i]
        )
        # Neither marks nor bars, which are 8 pixels high with their gap, cover each other.
        apart = min(
            ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5 - a[2] - b[2]
            for i, a in enumerate(boxes)
            for b in boxes[:i]
        )
        assert apart >= 8.5, (apart, nearest)
        # Each is close to where it is: three cells at most.
        for number, (x, y, *_) in enumerate(boxes):
            cell = page.evaluate("[dashboard.map.view.mapX(args[0]), dashboard.map.view.mapY(args[1])]", [x, y])
            assert abs(cell[0] - 60 - 0.75 * (number % 7)) < 3 and abs(cell[1] - 60 - 0.75 * (number // 7)) < 3
        keep_picture(page, "fight")
        page.press("j")
        assert page.evaluate("[dashboard.map.view.x, dashboard.map.view.y, dashboard.map.view.scale]") == before


def test_too_many_for_their_place_are_one_mark(launch: Launch, open_page: OpenPage) -> None:
    with crowd(launch, 0.1) as daemon:
        page = open_page(daemon)
        page.wait(f"{LOOP} === args", AT + 5)
        page.evaluate("(dashboard.map.view.fit(), dashboard.map.invalidate(), 0)")
        page.wait("dashboard.map.view.isWhole")
        page.run(
            "await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))"
        )
        boxes = page.evaluate(MARKS, ZERGLING)
        assert {group for *_, group in boxes} == {CROWD}
        # A click chooses all of them, with Shift adds them; an area has them, too.
        click = "await page.locator('#map').click({position: {x: args[0], y: args[1]}})"
        page.run(click, boxes[0][:2])
        assert page.evaluate("dashboard.map.selection.tags.size") == CROWD


def test_the_minimap_leads_elsewhere(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    page.wait("dashboard.playback.state !== undefined")
    assert page.evaluate("dashboard.map.minimap.isShown") is False
    page.evaluate("(dashboard.map.view.zoom(6), dashboard.map.invalidate(), 0)")
    page.wait("dashboard.map.minimap.isShown")
    box = page.run("return page.locator('#map').boundingBox()")
    # A place in its upper right quarter; found as the page finds it.
    side = 0.26 * min(box["width"], box["height"])
    x, y = 10 + 0.6 * side, box["height"] - 10 - 0.6 * side
    assert page.evaluate("dashboard.map.minimap.contains(args[0], args[1])", [x, y])
    goal = page.evaluate("dashboard.map.minimap.placeOf(args[0], args[1])", [x, y])
    page.run("await page.locator('#map').click({position: {x: args[0], y: args[1]}})", [x, y])
    seen = page.evaluate("[dashboard.map.view.x, dashboard.map.view.y]")
    assert seen == pytest.approx(goal, abs=0.6)
    # Nothing is chosen by it, and dragging goes on.
    assert page.evaluate("dashboard.map.selection.tags.size") == 0
    page.run(
        """const box = await page.locator("#map").boundingBox();
        await page.mouse.move(box.x + args[0], box.y + args[1]);
        await page.mouse.down();
        await page.mouse.move(box.x + args[0] - 12, box.y + args[1] + 9);
        await page.mouse.up();""",
        [x, y],
    )
    moved = page.evaluate("[dashboard.map.view.x, dashboard.map.view.y]")
    assert moved[0] < seen[0] and moved[1] < seen[1]
    page.click("#zoom-fit")
    page.wait("!dashboard.map.minimap.isShown")

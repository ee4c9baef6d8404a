"""The dashboard's match over time: graphs, marks, plots, states, links, the stream view, two matches."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import abathur
import pytest
from abathur import drawing
from browsers import (
    AT,
    FIREFOX,
    HARNESS,
    LOOP,
    NODE,
    TIMELINE,
    OpenPage,
    Page,
    has_whole_timeline,
    install,
    needs_browser,
    response_at,
    responses,
    shows,
)
from programs import FREE_PORTS, ROOT, SKIRMISH, Daemon, Launch, Play, pause

pytestmark = [*needs_browser, pytest.mark.timeout(300)]
FIRST, LAST = 8960, 10303
STATE = "document.getElementById('state').innerText"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two recordings in a folder."""
    path = tmp_path_factory.mktemp("recordings")
    for name in ("before.mcap", "after.mcap"):
        shutil.copyfile(SKIRMISH, path / name)
    return path


def graph(page: Page, title: str) -> str:
    """Puts the graph with a title at `globalThis.graph`; returns that expression."""
    page.evaluate(
        "((globalThis.graph = [...document.querySelectorAll('.graph')]"
        ".find((each) => each.querySelector('h3').innerText === args)), graph.scrollIntoView({block: 'center'}), 0)",
        title,
    )
    return "globalThis.graph"


def values(page: Page, title: str) -> list[str]:
    return list(
        page.evaluate(f"[...{graph(page, title)}.querySelector('figcaption').children].map((e) => e.innerText)")
    )


def test_a_whole_recording_is_there_at_once(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    has_whole_timeline(page)
    with abathur.open(SKIRMISH) as match:
        timeline = match.timeline()
    assert page.evaluate(f"{TIMELINE}.gameLoops") == timeline.game_loops.tolist()
    row = int((timeline.game_loops <= AT).sum()) - 1
    army = timeline["army_minerals"][row] + timeline["army_vespene"][row]
    place, own, enemy = values(page, "Army value")
    assert place == "7:00"
    assert own == f"own {int(army):,}".replace(",", "\u202f") and enemy.startswith("enemy, seen ")
    said = page.text("#lead")
    lost = timeline["lost_minerals"] + timeline["lost_vespene"]
    killed = timeline["killed_value_units"] + timeline["killed_value_structures"]
    by = int(abs(killed[row] - lost[row]))
    assert said.startswith("Fights: ") and " ahead since " in said and f"{by:,}".replace(",", "\u202f") in said, (
        said,
        by,
    )
    assert said.startswith(f"Fights: {'own side' if killed[row] > lost[row] else 'enemy'} ahead")


def test_a_click_on_a_graph_seeks_and_the_pointer_shows_values(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    has_whole_timeline(page)
    canvas = f"{graph(page, 'Supply')}.querySelector('canvas')"
    x, y, width = page.evaluate(f"(({{x, y, width}}) => [x, y, width])({canvas}.getBoundingClientRect())")
    page.run("await page.mouse.move(args[0], args[1])", [x + width / 2, y + 40])
    middle = (FIRST + LAST) // 2
    place = page.evaluate(f"Number({canvas}.getAttribute('aria-valuenow'))")
    assert abs(place - middle) <= 3
    assert page.evaluate(f"{canvas}.getAttribute('aria-valuetext')").startswith("7:09: own ")
    page.run("await page.mouse.click(args[0], args[1])", [x + width / 2, y + 40])
    page.wait(f"Math.abs({LOOP} - args) <= 3", middle)
    # With the keyboard: the arrows look, Enter goes there.
    page.evaluate(f"{canvas}.focus()")
    page.press("ArrowRight", "ArrowRight", "Enter")
    page.wait(f"Math.abs({LOOP} - args) <= 3", place + 448)


def test_marks_of_fights_are_gone_to(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    has_whole_timeline(page)
    page.press("h")
    fights = page.evaluate(f"{TIMELINE}.marks.filter(({{kind}}) => kind === 'fight').map((mark) => mark.gameLoop)")
    assert fights
    said = "[...document.querySelectorAll('#events button')].map((each) => each.innerText)"
    page.wait(f"{said}.filter((each) => each.includes('fight: own losses')).length === args", len(fights))
    page.press("Home")
    page.wait(f"{LOOP} === args", FIRST)
    page.press(".")
    page.wait(f"{LOOP} === args", min(page.evaluate(f"{TIMELINE}.marks.map((mark) => mark.gameLoop)")))
    page.run("await page.locator('#events button', {hasText: 'fight'}).first().click()")
    page.wait(f"{LOOP} === args", max(fights))
    page.press("Home")
    page.wait(f"{LOOP} === args", FIRST)
    # A click on its shape above the scrubber is the same.
    at = f"(args - {FIRST}) / ({LAST} - {FIRST})"
    width = page.evaluate("document.getElementById('marks').clientWidth")
    x = 8 + (width - 16) * page.evaluate(at, fights[0])
    page.run("await page.locator('#marks').click({position: {x: args, y: 7}})", x)
    page.wait(f"{LOOP} === args", fights[0])


def test_plots_of_agents_are_graphs(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    assert page.run("return page.isVisible('#plots-none')")
    with abathur.connect_blocking(paused.grpc) as game:
        for loop in range(AT + 1, AT + 11):
            game.playback.step(1)
            while game.status().playback.game_loop != loop:
                pause()
            game.plot_all({"threat": loop / 2, "army": -1.0}, agent="Bot")
        page.wait("dashboard.numbers.plots.series.length === 2 && dashboard.numbers.plots.last === args", AT + 10)
    page.wait("document.querySelector('#plots figcaption')?.children.length === 3")
    page.wait("!document.querySelector('#plots figcaption').innerText.includes('\u2013')")
    assert values(page, "Bot")[1:] == ["army -1", f"threat {(AT + 10) // 2:,}".replace(",", "\u202f")]
    assert not page.run("return page.isVisible('#plots-none')")
    page.click("#plots input")
    assert not page.run("return page.isVisible('#plots .graph')")


def test_layers_of_drawings_are_switched(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    with abathur.connect_blocking(paused.grpc) as game:
        for layer in ("army", "scouting"):
            game.draw([drawing.point((100, 100))], layer=layer)
        page.wait("document.querySelectorAll('#layers li').length === 2")
        page.run("await page.locator('#layers li', {hasText: 'army'}).locator('input').click()")
        page.wait("dashboard.world.drawings.length === 1 && dashboard.world.drawings[0].name === 'scouting'")
        # It stays off when the layer is drawn again.
        game.draw([drawing.point((90, 100))], layer="army")
        game.draw([drawing.point((80, 100))], layer="scouting")
        page.wait("dashboard.world.drawings[0].shapes[0].shape.point.at.x === 80")
        assert page.evaluate("dashboard.world.drawings.length") == 1


def test_what_agents_draw_and_say_is_switched_with_its_events(launch: Launch, open_page: OpenPage) -> None:
    daemon = launch("serve", "--once", *FREE_PORTS)
    page = open_page(daemon)
    events = "[...document.querySelectorAll('#events button')].map((each) => each.innerText.replace(/^\\S+ /, ''))"
    with (
        abathur.publisher_blocking(daemon.grpc, map_name="Test LE") as publisher,
        abathur.connect_blocking(daemon.grpc) as game,
    ):
        for response in responses(FIRST, FIRST + 30):
            del response.chat[:]
            if response.observation.game_loop == FIRST + 25:
                response.chat.add(player_id=1, message="Tag:rush")
                game.draw([drawing.point((60, 40))], layer="army")
                game.draw([drawing.point((90, 40))], layer="scouting")
            publisher.publish(response)
        page.wait(f"{events}.length === 3")
        assert sorted(page.evaluate(events)) == ["drawing: army", "drawing: scouting", "player 1: Tag:rush"]
        # A layer that is cleared can still be switched, and its events with it.
        game.draw([], layer="army")
        page.wait("dashboard.world.drawings.map(({name}) => name).join() === 'scouting'")
        page.run("await page.locator('#layers li', {hasText: 'army'}).locator('input').click()")
        page.wait(f"!{events}.includes('drawing: army')")
        switch = """
            await page.evaluate(() => (document.querySelector(".controls details").open = true));
            await page.locator("#marks-legend button", {hasText: args}).click();"""
        page.run(switch, "chat")
        page.wait(f"{events}.join() === 'drawing: scouting'")
        assert page.evaluate("document.querySelectorAll('#marks-legend [aria-pressed=false]').length") == 1
        page.run(switch, "chat")
        page.run(switch, "drawing")
        page.wait(f"{events}.join() === 'player 1: Tag:rush'")
        page.run(switch, "drawing")
        page.run("await page.locator('#layers li', {hasText: 'army'}).locator('input').click()")
        page.wait(f"{events}.length === 3")
        # What is switched off is not jumped to.
        page.run(switch, "drawing")
        page.press("Escape")
        page.press("Home")
        # A running match plays on from there: its first frame is shown for 45 ms only.
        page.wait(f"{LOOP} < args", FIRST + 25)
        page.press(".")
        page.wait(f"{LOOP} === args", FIRST + 25)


def test_states_are_told_truly(launch: Launch, open_page: OpenPage) -> None:
    first = launch("play", str(SKIRMISH), *FREE_PORTS, "--start-paused")
    port = first.addresses["http"].rpartition(":")[2]
    page = open_page(first)
    with abathur.connect_blocking(first.grpc) as game:
        game.playback.step()
        shows(page, FIRST)
        page.wait(f"{STATE} === 'paused'")
        assert "6:40 of 6:40 to 7:39" in page.text("#where")
        game.playback.resume()
        page.wait(f"{STATE} === 'playback'")
    has_whole_timeline(page)
    page.evaluate("void dashboard.choose(dashboard.world.units.tag[dashboard.world.units.used.indexOf(1)])")
    first.process.kill()
    first.wait()
    page.wait(f"{STATE}.startsWith('reconnecting')")
    # Another source at the same address: nothing of the first is left.
    second = launch("serve", "--once", *FREE_PORTS, "--http-port", port)
    with abathur.publisher_blocking(second.grpc, map_name="Other LE") as publisher:
        publisher.publish(response_at(AT))
        shows(page, AT)
        page.wait(f"{STATE} === 'live'")
        page.wait(f"{TIMELINE}.gameLoops.length === 1 && {TIMELINE}.gameLoops[0] === args", AT)
        assert page.text("#title") == "Other LE"
        assert page.evaluate("dashboard.unitPanel.tag === undefined")
    page.run("page.complaints.length = 0")


def test_a_running_match_is_behind_live(launch: Launch, open_page: OpenPage) -> None:
    daemon = launch("serve", "--once", *FREE_PORTS)
    page = open_page(daemon)
    newest = FIRST + 399
    with abathur.publisher_blocking(daemon.grpc, map_name="Test LE") as publisher:
        for each in responses(FIRST, newest + 1):
            publisher.publish(each)
        page.wait(f"{LOOP} === args && {STATE} === 'live'", newest)
        page.wait(f"{TIMELINE}.gameLoops.length === 19")
        page.press("Space")
        canvas = f"{graph(page, 'Supply')}.querySelector('canvas')"
        x, y = page.evaluate(f"(({{x, y}}) => [x, y])({canvas}.getBoundingClientRect())")
        page.run("await page.mouse.click(args[0] + 1, args[1] + 40)", [x, y])
        page.wait(f"{LOOP} < args", FIRST + 10)
        page.wait(f"{STATE} === 'paused, behind live by 0:17'")
        page.press("Space", "l")
        page.wait(f"{LOOP} === args && {STATE} === 'live'", newest)


def test_an_address_opens_the_moment(play: Play, open_page: OpenPage) -> None:
    daemon = play(SKIRMISH, "--loop")
    tag = next(unit.tag for unit in response_at(AT).observation.raw_data.units if unit.alliance == 1)
    page = open_page(daemon, f"/#loop={AT}&unit={tag}&x=60.5&y=62&zoom=20")
    page.wait(f"{LOOP} === args && dashboard.playback.isPaused", AT)
    page.wait("dashboard.unitPanel.tag === BigInt(args)", str(tag))
    assert page.evaluate("[dashboard.map.view.x, dashboard.map.view.y, dashboard.map.view.scale]") == [60.5, 62, 20]
    # And the page gives the address of its moment.
    page.run("await context.grantPermissions(['clipboard-read', 'clipboard-write'])")
    page.press("c")
    page.wait("!document.getElementById('message').hidden")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{daemon.addresses['http']}/#loop={AT}&unit={tag}&x=60.5&y=62&zoom=20&whole=0"
    other = open_page(daemon, link.removeprefix(daemon.addresses["http"]))
    other.wait(f"{LOOP} === args && dashboard.unitPanel.tag !== undefined", AT)


def test_a_picture_of_the_map_is_saved(paused: Daemon, open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(paused)
    shows(page, AT)
    path = tmp_path / "picture.png"
    script = """
        const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("p")]);
        await download.saveAs(args);
        return download.suggestedFilename();"""
    assert page.run(script, str(path)) == f"abathur-{AT}.png"
    assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 10_000


def test_the_stream_view_has_the_map_players_and_graphs_only(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused, "/?view=stream", viewport={"width": 1280, "height": 720})
    shows(page, AT)
    has_whole_timeline(page)
    page.wait("document.querySelector('#lead').innerText !== ''")
    seen = page.evaluate("""[...document.querySelectorAll("button, input, select, summary, h2")]
        .filter((each) => each.checkVisibility() && !each.classList.contains("unseen"))
        .map((each) => each.outerHTML)""")
    assert seen == []
    assert (
        page.evaluate("[...document.querySelectorAll('.graph')].filter((each) => each.checkVisibility()).length") == 5
    )
    assert page.run("return page.isVisible('#bar')")


def test_two_recordings_side_by_side(play: Play, open_page: OpenPage, folder: Path) -> None:
    daemon = play(SKIRMISH, "--start-paused", "--recordings", str(folder))
    page = open_page(daemon, "/?recording=before.mcap&with=after.mcap")
    other = "dashboard.second.world.gameLoop"
    page.wait(f"{LOOP} > args && {other} > args", FIRST)
    page.wait(f"Math.abs({LOOP} - {other}) <= 8 && dashboard.second.state?.rate === dashboard.playback.rate")
    page.press("Space")
    page.evaluate("dashboard.playback.seek(args)", 9900)
    page.wait(f"{LOOP} === 9900 && {other} === 9900")
    page.press("ArrowRight")
    page.wait(f"{LOOP} === 9901 && {other} === 9901")
    page.wait("dashboard.second.numbers.timeline.gameLoops.length > 50")
    page.wait("document.querySelectorAll('.graph figcaption span').length > 25")
    has_whole_timeline(page)
    # The same match twice: the same values, over each other.
    _, own, enemy, own_b, enemy_b = values(page, "Army value")
    assert (own_b, enemy_b) == (f"B: {own}", f"B: {enemy}")
    boxes = page.evaluate("""[...document.querySelectorAll(".stage canvas")].map((each) => {
        const {left, width, height} = each.getBoundingClientRect(); return [left, width, height]; })""")
    assert len(boxes) == 2 and boxes[0][1:] == boxes[1][1:] and boxes[1][0] >= boxes[0][0] + boxes[0][1]


def test_a_layer_is_switched_in_both_matches(
    launch: Launch, play: Play, open_page: OpenPage, folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "drawn.mcap"
    recorder = launch("serve", "--once", *FREE_PORTS, "-o", str(path))
    with (
        abathur.publisher_blocking(recorder.grpc, map_name="Test LE") as publisher,
        abathur.connect_blocking(recorder.grpc) as game,
    ):
        frames = game.frames(policy="every", start="oldest")
        for response in responses(FIRST, FIRST + 20):
            publisher.publish(response)
            next(frames)
            game.draw([drawing.point((60, 40))], layer="army")
    recorder.wait()
    recordings = shutil.copytree(folder, tmp_path / "recordings")
    shutil.copyfile(path, recordings / "drawn.mcap")
    daemon = play(SKIRMISH, "--start-paused", "--recordings", str(recordings))
    page = open_page(daemon, "/?recording=drawn.mcap&with=drawn.mcap")
    page.wait("globalThis.dashboard !== undefined")
    drawn = "[dashboard.world, dashboard.second.world].map(({drawings}) => drawings.length).join()"
    page.wait(f"{drawn} === '1,1'")
    switch = "await page.locator('#layers li', {hasText: 'army (recorded)'}).locator('input').click()"
    page.run(switch)
    page.wait(f"{drawn} === '0,0'")
    page.run(switch)
    page.wait(f"{drawn} === '1,1'")


def test_a_recording_beside_a_running_match(launch: Launch, open_page: OpenPage, folder: Path) -> None:
    daemon = launch("serve", "--once", *FREE_PORTS, "--recordings", str(folder))
    page = open_page(daemon, "/?with=before.mcap")
    with abathur.publisher_blocking(daemon.grpc, map_name="Test LE") as publisher:
        for each in responses(9400, 9500):
            publisher.publish(each)
        page.wait(f"{LOOP} === args", 9499)
        # The recording follows: it is where the match is, and waits for it there.
        page.wait("Math.abs(dashboard.second.world.gameLoop - args) <= 45", 9499)
        assert page.evaluate("dashboard.playback.state.isRewind")
        page.press("Space")
        page.evaluate("dashboard.playback.seek(args)", 9420)
        page.wait(f"{LOOP} === 9420 && dashboard.second.world.gameLoop === 9420")


@pytest.mark.skipif(FIREFOX is None, reason="Firefox is not installed (or name it in the environment's FIREFOX)")
def test_firefox_shows_the_same(paused: Daemon) -> None:
    install()
    assert NODE is not None and FIREFOX is not None
    script = ROOT / "tests" / "system" / "dashboard" / "browser" / "firefox_page.mjs"
    done = subprocess.run(
        [NODE, str(script), str(HARNESS / "package.json"), FIREFOX, paused.addresses["http"]],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["gameLoop"] == AT and found["errors"] == []
    assert found["state"] == "paused" and found["rows"] > 50
    assert " ahead since " in found["lead"]
    assert found["painted"] > 0.5

"""The dashboard in a real Chromium, on a real daemon."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import socket
from pathlib import Path
from typing import Any

import abathur
import pytest
from abathur import drawing
from abathur.sync.v1 import sync_pb2
from browsers import AT, LOOP, OpenPage, Page, enter_token, needs_browser, response_at, responses, shows
from programs import ACT, FREE_PORTS, SKIRMISH, WATCH, Daemon, Launch, Play, pause, token_options
from s2clientprotocol import raw_pb2, sc2api_pb2

pytestmark = [*needs_browser, pytest.mark.timeout(300)]
FIRST, LAST = 8960, 10303
OWN = {"dark": (0x56, 0xB4, 0xE9), "light": (0x00, 0x72, 0xB2)}
ENEMY = {"dark": (0xE8, 0x70, 0x1A), "light": (0xC1, 0x4F, 0x00)}
#: Where the mark of a unit is, in cells, in the next picture.
MARK = """new Promise((resolve) => {
  const { map, world } = dashboard;
  map.invalidate();
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const [x, y] = map.placeOf(world.rowOf(BigInt(args)));
    resolve([map.view.mapX(x), map.view.mapY(y)]);
  }));
})"""
SCRUBBER = "Number(document.getElementById('scrubber').value)"


def observation_at(game_loop: int) -> sc2api_pb2.Observation:
    return response_at(game_loop).observation


def pixel(page: Page, x: float, y: float) -> tuple[int, ...]:
    """The colour on the map's canvas at a place of the map, once a new picture has been drawn."""
    script = """new Promise((resolve) => {
        dashboard.map.invalidate();
        requestAnimationFrame(() => requestAnimationFrame(() => {
          const canvas = document.getElementById("map");
          const ratio = canvas.width / canvas.clientWidth;
          const [x, y] = [dashboard.map.view.screenX(args[0]) * ratio, dashboard.map.view.screenY(args[1]) * ratio];
          const context = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
          context.drawImage(canvas, Math.round(x), Math.round(y), 1, 1, 0, 0, 1, 1);
          resolve([...context.getImageData(0, 0, 1, 1).data].slice(0, 3));
        }));
      })"""
    return tuple(page.evaluate(script, [x, y]))


def alone(observation: sc2api_pb2.Observation, alliance: int) -> raw_pb2.Unit:
    """A large unit that nothing covers: neither another nor a line to whom it fights."""
    units = observation.raw_data.units
    targets = {unit.engaged_target_tag for unit in units}

    def is_free(unit: raw_pb2.Unit) -> bool:
        return all(
            math.dist((unit.pos.x, unit.pos.y), (other.pos.x, other.pos.y)) > other.radius * 1.2 + unit.radius * 0.5
            for other in units
            if other.tag != unit.tag
        )

    seen = [unit for unit in units if unit.alliance == alliance and unit.display_type == raw_pb2.Visible]
    calm = [unit for unit in seen if unit.tag not in targets and not unit.engaged_target_tag]
    return max((unit for unit in calm if is_free(unit)), key=lambda unit: unit.radius)


def is_close(found: tuple[int, ...], wanted: tuple[int, int, int]) -> bool:
    return all(abs(a - b) <= 8 for a, b in zip(found, wanted, strict=True))


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("ratio", [1, 2])
def test_units_are_drawn_where_they_are(paused: Daemon, open_page: OpenPage, theme: str, ratio: int) -> None:
    page = open_page(paused, colorScheme=theme, deviceScaleFactor=ratio)
    shows(page, AT)
    # Names need room round units.
    page.evaluate("dashboard.map.options.set('labels', false)")
    observation = observation_at(AT)
    for alliance, color in ((raw_pb2.Self, OWN[theme]), (raw_pb2.Enemy, ENEMY[theme])):
        unit = alone(observation, alliance)
        page.evaluate("(dashboard.map.view.zoom(1e-9), dashboard.map.view.zoom(5))")
        page.evaluate("dashboard.map.view.center(args[0], args[1])", [unit.pos.x, unit.pos.y])
        # Its mark may be moved aside a little, for one beside it.
        x, y = page.evaluate(MARK, str(unit.tag))
        assert math.dist((x, y), (unit.pos.x, unit.pos.y)) < unit.radius
        # Away from the line to where it faces.
        behind = [x - 0.4 * unit.radius * math.cos(unit.facing), y - 0.4 * unit.radius * math.sin(unit.facing)]
        assert is_close(pixel(page, *behind), color), (unit, color)
        # y grows upwards: mirrored, there is something else.
        assert page.evaluate("dashboard.map.view.screenY(args + 1) < dashboard.map.view.screenY(args)", unit.pos.y)


def test_a_frame_that_comes_is_drawn(play: Play, open_page: OpenPage) -> None:
    """Also of what an animation is drawn: more pictures than frames."""
    page = open_page(play(SKIRMISH, "--loop"))
    page.wait("dashboard.world.gameLoop > args", FIRST)
    before = page.evaluate("[dashboard.world.gameLoop, dashboard.map.times.count]")
    page.wait("dashboard.world.gameLoop > args + 20", before[0])
    # However busy the machine is.
    page.wait("dashboard.map.times.count >= args + 15", before[1])
    page.wait("document.getElementById('state').innerText === 'playback'")
    assert page.text("#title") == "Synthetic LE"
    assert "Zerg" in page.text("#players") and "Protoss" in page.text("#players")


def test_resources_and_place(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    player = observation_at(AT).player_common
    page.wait("document.getElementById('resources').innerText.includes('Minerals')")
    shown = pairs(page, "#resources")
    assert number(shown["Minerals"]) == player.minerals and number(shown["Vespene"]) == player.vespene
    assert shown["Supply"] == f"{player.food_used} / {player.food_cap}"
    assert number(shown["Idle workers"]) == player.idle_worker_count
    assert (page.text("#clock"), page.text("#loop")) == ("7:00", f"loop {AT}")


def test_drawings_of_agents(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    with abathur.connect_blocking(paused.grpc) as game:
        shapes = [
            drawing.point((100, 100), color=0x12FE34),
            drawing.line((90, 90), (90, 110), color=0xFE1234),
            drawing.circle((110, 100), 5, color=0x1234FE),
            drawing.text((120, 120), "here", color=0xFFFF00),
        ]
        game.draw(shapes, layer="test")
        page.wait("dashboard.world.drawings.length === 1")
        assert is_close(pixel(page, 100, 100), (0x12, 0xFE, 0x34))
        # Two pixels wide, between pixels of the screen or not.
        beside = (pixel(page, 90 + part, 100) for part in (-0.15, 0, 0.15))
        assert any(is_close(each, (0xFE, 0x12, 0x34)) for each in beside)
        assert is_close(pixel(page, 115, 100), (0x12, 0x34, 0xFE))
        before = pixel(page, 100, 100)
        game.draw([], layer="test")
        page.wait("dashboard.world.drawings.length === 0")
        assert pixel(page, 100, 100) != before


def comes_to(game: abathur.BlockingGame, game_loop: int) -> None:
    """Wait until the status names the frame that the page has: readers get it before the status does."""
    while game.status().playback.game_loop != game_loop:
        pause()


def test_scrubbing(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    page.wait("dashboard.playback.state !== undefined")
    with abathur.connect_blocking(paused.grpc) as game:
        box = page.run("return page.locator('#scrubber').boundingBox()")
        script = """await page.mouse.move(args.x + 5, args.y + args.height / 2); await page.mouse.down();
          await page.mouse.move(args.x + args.width * 0.25, args.y + 12, {steps: 7});
          await page.mouse.move(args.x + args.width / 2, args.y + 12, {steps: 7}); await page.mouse.up()"""
        page.run(script, box)
        middle = (FIRST + LAST) // 2
        page.wait(f"Math.abs({LOOP} - args) < 40 && {SCRUBBER} === {LOOP}", middle)
        landed = page.evaluate(LOOP)
        comes_to(game, landed)
        seconds = int(landed / 22.4)
        wanted = f"{seconds // 60}:{seconds % 60:02}, game loop {landed}"
        assert page.run("return page.getAttribute('#scrubber', 'aria-valuetext')") == wanted
        assert game.status().playback.paused
        places = {
            "Home": FIRST,
            "ArrowRight": FIRST + 1,
            "Shift+ArrowRight": FIRST + 225,
            "ArrowLeft": FIRST + 224,
            "End": LAST,
        }
        for key, goal in places.items():
            page.press(key)
            page.wait(f"{LOOP} === args", goal)
            comes_to(game, goal)


def test_control_by_keys_and_buttons(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    page.wait("dashboard.playback.state !== undefined")
    with abathur.connect_blocking(paused.grpc) as game:

        def told(**wanted: object) -> None:
            same = "Object.entries(args).every(([key, value]) => (dashboard.playback.state[key] ?? 0) == value)"
            page.wait(same, wanted)
            # The page shows at once what it has asked for.
            while any(getattr(game.status().playback, name) != value for name, value in wanted.items()):
                pause()

        told(paused=True, rate=1, loop=True)
        page.press("l")
        told(paused=True, rate=1, loop=False)
        page.press("]")
        told(paused=True, rate=2, loop=False)
        page.press("[", "[")
        told(paused=True, rate=0.5, loop=False)
        page.run("await page.selectOption('#playback-rate', '0')")
        told(paused=True, rate=0, loop=False)
        page.run("await page.selectOption('#playback-rate', '4')")
        page.run("await page.check('#playback-loop')")
        told(paused=True, rate=4, loop=True)
        page.run("await page.evaluate(() => document.activeElement.blur())")
        page.press("Space")
        told(paused=False, rate=4, loop=True)
        page.wait("document.getElementById('pause').getAttribute('aria-label') === 'Pause'")
        page.click("#pause")
        told(paused=True, rate=4, loop=True)
        here = game.status().playback.game_loop
        shows(page, here)
        page.click("#forward")
        page.wait(f"{LOOP} === args", here + 1)
        page.click("#back")
        page.wait(f"{LOOP} === args", here)


def test_source_without_control_has_no_scrubber(launch: Launch, open_page: OpenPage) -> None:
    daemon = launch("serve", "--once", *FREE_PORTS, "--history-mb", "0")
    page = open_page(daemon)
    page.wait("document.getElementById('state').innerText === 'no match yet'")
    assert "No match yet" in page.text("#empty")
    with abathur.publisher_blocking(daemon.grpc, map_name="Test LE") as publisher:
        publisher.publish(response_at(AT))
        shows(page, AT)
        assert page.text("#title") == "Test LE"
        assert not page.run("return page.isVisible('#playback')")
        assert not page.run("return page.isVisible('#empty')")


def test_a_running_match_is_rewound(launch: Launch, open_page: OpenPage) -> None:
    daemon = launch("serve", "--once", *FREE_PORTS)
    page = open_page(daemon)
    newest = FIRST + 399
    sent = responses(FIRST, newest + 1)
    with abathur.publisher_blocking(daemon.grpc, map_name="Test LE") as publisher:
        for each in sent:
            publisher.publish(each)
        page.wait("!document.getElementById('playback').hidden")
        page.wait(f"{LOOP} === args", newest)
        # The page asks for the status now and then.
        page.wait("Number(document.getElementById('scrubber').max) === args", newest)
        page.wait("document.getElementById('where').innerText.endsWith('live')")
        assert page.text("#playback-title") == "Rewind"
        assert not page.run("return page.isVisible('#playback-rate')")
        # Paused there: the page stays at the frame.
        page.press("Space")
        page.evaluate("dashboard.playback.seek(args)", FIRST + 100)
        page.wait(f"{LOOP} === args", FIRST + 100)
        minerals = sent[100].observation.player_common.minerals
        page.wait("(dashboard.world.rest.observation.player.minerals ?? 0) === args", minerals)
        assert "in the past" in page.text("#where")
        page.press("ArrowRight")
        page.wait(f"{LOOP} === args", FIRST + 101)
        page.press("ArrowLeft")
        page.wait(f"{LOOP} === args", FIRST + 100)
        # It plays from there, and End is live again.
        page.press("Space")
        page.wait(f"{LOOP} > args", FIRST + 110)
        assert page.run("return page.evaluate(() => dashboard.world.gameLoop)") < newest
        page.press("End")
        page.wait(f"{LOOP} === args", newest)
        publisher.publish(response_at(newest + 1))
        page.wait(f"{LOOP} === args", newest + 1)


def test_the_page_comes_back_with_the_daemon(launch: Launch, open_page: OpenPage) -> None:
    first = launch("play", str(SKIRMISH), *FREE_PORTS, "--loop")
    port = first.addresses["http"].rpartition(":")[2]
    page = open_page(first)
    page.wait("dashboard.world.gameLoop !== undefined")
    first.process.kill()
    first.wait()
    page.wait("document.getElementById('state').innerText.startsWith('reconnecting')")
    second = launch("play", str(SKIRMISH), *FREE_PORTS, "--http-port", port, "--start-paused")
    with abathur.connect_blocking(second.grpc) as game:
        page.wait("document.getElementById('state').innerText === 'paused'")
        game.playback.seek(10_000)
        game.playback.step()
        shows(page, 10_000)
    assert page.text("#clock") == "7:26"
    # What a browser says of a connection that is refused, or whose daemon is gone, is no fault of the page.
    gone = ("ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE", "WebSocket")
    assert all(any(each in told for each in gone) for told in page.complaints), page.complaints
    page.run("page.complaints.length = 0")


def test_a_subscriber_that_stalls_is_seen_to_drop(play: Play, open_page: OpenPage) -> None:
    daemon = play(SKIRMISH, "--loop", "--rate", "unlimited")
    request = {"subscribe": {"policy": "latest", "name": "stalled one"}}
    with socket.create_connection(("127.0.0.1", daemon.socket_port)) as stalled:
        stalled.sendall(json.dumps(request).encode() + b"\n")
        page = open_page(daemon)
        row = "[...document.querySelectorAll('#subscribers tr')].find((row) => row.innerText.includes('stalled one'))"
        page.wait(f"({row})?.cells[7].innerText.match(/[1-9]/)")
        cells = page.evaluate(f"[...({row}).cells].map((cell) => cell.innerText)")
        assert cells[1:5] == ["socket", "json", "none", "latest"]
        # Skipping is what `latest` is for: it looks as the other cells.
        assert page.evaluate(f"new Set([...({row}).cells].map((cell) => getComputedStyle(cell).color)).size") == 1
        with abathur.connect_blocking(daemon.grpc) as game:
            status = {each.name: each for each in game.status().subscribers}
        dropped = int("".join(each for each in cells[7] if each.isdigit()))
        assert 0 < dropped <= status["stalled one"].frames_dropped
        assert page.evaluate("document.querySelector('#subscribers tr.own').cells[0].innerText") == "this page"


async def test_a_page_that_hangs_costs_others_nothing(play: Play, open_page: OpenPage) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1", "--rate", "8", "--start-paused")
    page = open_page(daemon)
    page.wait("dashboard.playback.state !== undefined")
    page.evaluate("setTimeout(() => { for (const end = performance.now() + 4000; performance.now() < end; ); })")
    loops = []
    async with abathur.connect(daemon.grpc) as game:
        frames = game.frames(policy="every", fields=["observation.game_loop"])
        await asyncio.gather(first_then_resume(game), collect(frames, loops, 400))
        assert loops == list(range(FIRST, FIRST + 400))
        page.wait("dashboard.world.gameLoop >= args", loops[-1])
        own = next(each for each in (await game.status()).subscribers if each.name.startswith("dashboard"))
        assert own.frames_dropped > 0 and own.frames_waiting <= 32


async def first_then_resume(game: abathur.Game) -> None:
    while not any(each.policy == sync_pb2.every for each in (await game.status()).subscribers):
        await asyncio.sleep(0)
    await game.playback.resume()


async def collect(frames: Any, loops: list[int], count: int) -> None:
    async with contextlib.aclosing(frames):
        async for frame in frames:
            loops.append(frame.game_loop)
            if len(loops) == count:
                return


def test_a_unit_that_is_clicked_tells_all_its_fields(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    observation = observation_at(AT)
    unit = alone(observation, raw_pb2.Self)
    where = page.evaluate("dashboard.map.placeOf(dashboard.world.rowOf(BigInt(args)))", str(unit.tag))
    page.run("await page.locator('#map').click({position: {x: args[0], y: args[1]}})", where)
    page.wait("dashboard.unitPanel.tag === BigInt(args)", str(unit.tag))
    check_fields(page, unit)
    # One with orders, from the list.
    page.run("await page.getByRole('button', {name: /^own Drone,/}).click()")
    page.wait("document.querySelector('#unit strong').innerText === 'Drone'")
    tag = int(pairs(page, "#unit .fields")["tag"])
    drone = next(each for each in observation.raw_data.units if each.tag == tag)
    check_fields(page, drone)
    assert drone.orders and f"Orders ({len(drone.orders)})" in page.text("#unit")
    page.click("#unit .unit-tools button:first-child")
    page.wait("dashboard.map.follows")
    with abathur.connect_blocking(paused.grpc) as game:
        for later in (AT + 100, AT + 200, AT + 300):
            game.playback.seek(later)
            game.playback.step()
            shows(page, later)
            place = next(each.pos for each in observation_at(later).raw_data.units if each.tag == tag)
            page.wait(
                """((view) => {
                  const here = [view.x, view.y];
                  view.center(args[0], args[1]);
                  return Math.hypot(view.x - here[0], view.y - here[1]) < 0.01;
                })(dashboard.map.view)""",
                [place.x, place.y],
            )
    page.press("Escape")
    assert "Click a unit" in page.text("#unit")


def test_a_unit_that_dies_is_said_to_be_gone(paused: Daemon, open_page: OpenPage) -> None:
    with abathur.open(SKIRMISH) as match:
        frames = match.frames(start=AT, stop=AT + 400)
        living = {unit.tag for unit in next(frames).observation.raw_data.units if unit.alliance == raw_pb2.Self}
        gone, frame = next((tag, frame) for frame in frames for tag in living if tag not in frame.units.tag)
    page = open_page(paused)
    shows(page, AT)
    page.evaluate("dashboard.choose(BigInt(args))", str(gone))
    with abathur.connect_blocking(paused.grpc) as game:
        game.playback.seek(frame.game_loop)
        game.playback.step()
    shows(page, frame.game_loop)
    since = f"Gone since game loop {frame.game_loop}"
    page.wait("document.querySelector('#unit .gone').innerText === args", since)
    with abathur.connect_blocking(paused.grpc) as game:
        game.playback.step()
        shows(page, frame.game_loop + 1)
        assert page.text("#unit .gone") == since
        game.playback.seek(AT)
        game.playback.step()
    shows(page, AT)
    page.wait("document.querySelector('#unit .gone').hidden")


def check_fields(page: Page, unit: raw_pb2.Unit) -> None:
    shown = pairs(page, "#unit .fields")
    for field, value in unit.ListFields():
        name = field.name
        if name == "pos":
            assert [float(shown[each]) for each in "xyz"] == pytest.approx([value.x, value.y, value.z], abs=5e-4)
        elif name == "unit_type":
            assert shown[name].endswith(f"({value})")
        elif field.enum_type is not None or isinstance(value, bool):
            assert shown[name] not in ("", "undefined"), name
        elif isinstance(value, int | float):
            assert float(shown[name]) == pytest.approx(value, abs=5e-4), name
            assert field.cpp_type == field.CPPTYPE_FLOAT or int(shown[name]) == value
    apart = {"pos", "orders", "passengers", "buff_ids", "rally_targets"}
    scalars = {field.name for field, _ in unit.ListFields()} - apart
    assert set(shown) == scalars | {"x", "y", "z"}


def test_a_narrow_screen_does_not_scroll_sideways(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused, viewport={"width": 400, "height": 800}, hasTouch=True)
    shows(page, AT)
    page.click("#compare-toggle")
    page.wait("document.querySelectorAll('#compare tbody tr').length > 0")
    page.run("await page.locator('#units button').first().click()")
    page.wait("document.querySelectorAll('#subscribers tr.own').length === 1")
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    wide = """[...document.querySelectorAll('body *')].filter((each) => each.getBoundingClientRect().right > 400.5
        && !each.closest('.unseen, thead')).map((each) => each.outerHTML.slice(0, 80))"""
    assert page.evaluate(wide) == []


def test_everything_can_be_reached_by_keyboard_and_has_a_name(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    page.wait("dashboard.playback.state !== undefined && document.querySelectorAll('#units button').length > 3")
    reached = set()
    for _ in range(90):
        page.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.tagName"))
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none" or page.evaluate("document.activeElement === document.body")
    wanted = "show-help theme map zoom-in zoom-out zoom-fit scrubber back pause forward playback-rate playback-loop"
    assert {*wanted.split(), "compare-toggle"} <= reached
    page.run("await page.locator('#units button').first().focus()")
    page.press("ArrowDown", "ArrowDown", "ArrowUp", "Enter")
    page.wait("dashboard.unitPanel.tag !== undefined")
    second = page.evaluate("document.querySelectorAll('#units button')[1].children[0].innerText")
    assert page.text("#unit strong") == second
    page.press("?")
    assert page.run("return page.isVisible('#help')")
    page.press("Escape")
    assert not page.run("return page.isVisible('#help')")
    nameless = page.run("""
        const session = await context.newCDPSession(page);
        const {nodes} = await session.send("Accessibility.getFullAXTree");
        const roles = "button link checkbox combobox slider image img region dialog progressbar".split(" ");
        const seen = nodes.filter(({ignored, role}) => !ignored && roles.includes(role?.value));
        const nameless = seen.filter(({name}) => !name?.value);
        return nameless.map(({role}) => role.value);
    """)
    assert nameless == []


def test_a_token_is_asked_for_and_kept_for_the_tab(play: Play, open_page: OpenPage, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("a-token-of-this-test")
    (tmp_path / "token").chmod(0o600)
    daemon = play(SKIRMISH, "--loop", "--token-file", str(tmp_path / "token"), "--recordings", str(tmp_path))
    page = open_page(daemon)
    enter_token(page, "a-token-of-this-test")
    page.wait("document.getElementById('recordings').innerText.includes('None yet')")
    page.wait("dashboard.playback.state !== undefined")
    page.press("Space")
    page.wait("dashboard.playback.state.paused")
    assert page.evaluate("location.href + JSON.stringify(localStorage)").find("a-token") < 0


def test_a_delayed_match_says_by_how_much(launch: Launch, open_page: OpenPage, tmp_path: Path) -> None:
    daemon = launch("serve", "--once", *FREE_PORTS, *token_options(tmp_path), "--delay", "0.5s")
    page = open_page(daemon)
    with abathur.publisher_blocking(daemon.grpc, token=ACT, map_name="Test LE") as bot:
        for each in responses(FIRST, FIRST + 20):
            bot.publish(each)
        enter_token(page, WATCH)
        shows(page, FIRST + 19)
        page.wait("document.getElementById('state').textContent === args", "live, delayed by 0.5 s")


def test_a_frame_that_is_newer_than_the_status_is_not_behind_the_end(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    page.wait("dashboard.playback.state !== undefined")
    # At once: the next status would say it again.
    stale = "dashboard.playback.state.lastGameLoop = 0, dashboard.playback.show()"
    text = page.evaluate(f"{stale}, document.getElementById('where').title")
    assert text == f"game loop {AT} of {AT}"


def test_theme_is_kept(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    background = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(background)
    page.click("#theme")
    assert page.text("#theme") == "Theme: light"
    light = page.evaluate(background)
    assert light != dark
    page.run("await page.reload()")
    assert (page.text("#theme"), page.evaluate(background)) == ("Theme: light", light)
    page.click("#theme")
    assert (page.text("#theme"), page.evaluate(background)) == ("Theme: dark", dark)


def pairs(page: Page, selector: str) -> dict[str, str]:
    script = "[...row.children].map((each) => each.innerText)"
    rows = f"[...document.querySelectorAll(args + ' > div')].map((row) => {script})"
    return dict(page.evaluate(rows, selector))


def number(text: str) -> int:
    return int("".join(each for each in text if each.isdigit()))

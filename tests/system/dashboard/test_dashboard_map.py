"""The map of the dashboard in a real Chromium: what is chosen and drawn; production and armies."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import abathur
import make_names
import pytest
from browsers import AT, LOOP, OpenPage, Page, has_whole_timeline, needs_browser, response_at, shows
from programs import FREE_PORTS, SKIRMISH, Daemon, Launch
from s2clientprotocol import data_pb2, raw_pb2, sc2api_pb2

pytestmark = [*needs_browser, pytest.mark.timeout(300)]
LOOPS_PER_SECOND = 22.4
WORKERS = (45, 84, 104, 116)

#: The colours at places of the map's canvas (CSS pixels), once a new picture has been drawn.
COLORS = """new Promise((resolve) => {
  dashboard.map.invalidate();
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const canvas = document.getElementById("map");
    const ratio = canvas.width / canvas.clientWidth;
    const scratch = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", {willReadFrequently: true});
    scratch.drawImage(canvas, 0, 0);
    const at = (x, y) => [...scratch.getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data];
    resolve(args.map(([x, y]) => at(x, y).slice(0, 3)));
  }));
})"""


def colors(page: Page, *points: list[float]) -> list[tuple[int, ...]]:
    return [tuple(each) for each in page.evaluate(COLORS, points)]


def screen(page: Page, x: float, y: float) -> list[float]:
    """Where a place of the map is on the canvas."""
    return list(page.evaluate("[dashboard.map.view.screenX(args[0]), dashboard.map.view.screenY(args[1])]", [x, y]))


def drawn(page: Page) -> None:
    """Wait for another picture."""
    count = page.evaluate("(dashboard.map.invalidate(), dashboard.map.times.count)")
    page.wait("dashboard.map.times.count > args", count)


def luminance(color: tuple[int, ...]) -> float:
    """By WCAG."""
    linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in color]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def units_at(game_loop: int) -> list[raw_pb2.Unit]:
    return list(response_at(game_loop).observation.raw_data.units)


def game_data() -> sc2api_pb2.ResponseData:
    with abathur.open(SKIRMISH) as match:
        data = match.game_data()
    assert data is not None
    return data


def shown_units() -> dict[int, str]:
    """The names that the page shows of unit types."""
    exceptions = make_names.shown_names()
    return {each.unit_id: make_names.shown_name(each.name, exceptions, "units") for each in game_data().units}


def freest(units: list[raw_pb2.Unit]) -> raw_pb2.Unit:
    """The own unit that is farthest from every other one."""
    own = [unit for unit in units if unit.alliance == raw_pb2.Self]
    return max(
        own,
        key=lambda unit: min(
            math.dist((unit.pos.x, unit.pos.y), (each.pos.x, each.pos.y)) for each in units if each.tag != unit.tag
        ),
    )


def look_at(page: Page, unit: raw_pb2.Unit, scale: float) -> list[float]:
    """Magnify the map there; returns where the unit is on the canvas."""
    script = """((map) => {
      map.view.zoom(args[2] / map.view.scale);
      map.view.center(args[0], args[1]);
    })(dashboard.map)"""
    page.evaluate(script, [unit.pos.x, unit.pos.y, scale])
    drawn(page)
    return screen(page, unit.pos.x, unit.pos.y)


def test_the_unit_under_the_pointer_is_named(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    unit = freest(units_at(AT))
    x, y = look_at(page, unit, 20)
    script = f"{ORIGIN} await page.mouse.move(left + args[0], top + args[1])"
    beside = [x + unit.radius * 20 + 14, y - 20]
    (before,) = colors(page, beside)
    page.run(script, [x + 1, y + 1])
    page.wait("dashboard.map.hover?.tag === BigInt(args)", str(unit.tag))
    hover = page.evaluate("[dashboard.map.hover.name, dashboard.map.hover.lines]")
    names = shown_units()
    health = f"health {math.ceil(unit.health)} / {math.ceil(unit.health_max)}"
    assert hover[0] == names[unit.unit_type] and hover[1][0] == health
    assert colors(page, beside)[0] != before
    # Away from the map there is no label.
    page.run("await page.mouse.move(5, 5)")
    page.wait("dashboard.map.hover === undefined")
    assert colors(page, beside)[0] == before


def tags(page: Page) -> set[int]:
    return {int(each) for each in page.evaluate("[...dashboard.map.selection.tags].map(String)")}


#: Where the canvas begins, inside of its border.
ORIGIN = """const [left, top] = await page.locator("#map").evaluate((map) => {
    const {x, y} = map.getBoundingClientRect();
    return [x + map.clientLeft, y + map.clientTop];
  });"""
DRAG = f"""{ORIGIN}
  await page.mouse.move(left + args[0], top + args[1]);
  await page.mouse.down();
  await page.mouse.move(left + args[2], top + args[3], {{steps: 5}});
  await page.mouse.up();"""


def test_an_area_is_chosen_by_dragging(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    units = units_at(AT)
    page.click("#show-neutral")
    box = page.run("return page.locator('#map').boundingBox()")
    area = [box["width"] * 0.1, box["height"] * 0.15, box["width"] * 0.5, box["height"] * 0.6]
    x0, y1, x1, y0 = page.evaluate(
        "[0, 2].flatMap((i) => [dashboard.map.view.mapX(args[i]), dashboard.map.view.mapY(args[i + 1])])", area
    )
    inside = {
        unit.tag
        for unit in units
        if x0 <= unit.pos.x <= x1 and y0 <= unit.pos.y <= y1 and unit.alliance != raw_pb2.Neutral
    }
    assert 5 < len(inside) < len(units)
    view = page.evaluate("[dashboard.map.view.x, dashboard.map.view.y]")
    page.run(f"await page.keyboard.down('Shift'); {DRAG} await page.keyboard.up('Shift')", area)
    assert tags(page) == inside
    assert page.evaluate("[dashboard.map.view.x, dashboard.map.view.y]") == view
    # The panel has the sums, by type.
    assert page.text("#unit strong") == f"{len(inside)} units"
    chosen = [unit for unit in units if unit.tag in inside]
    health = f"{round(sum(each.health for each in chosen))} / {round(sum(each.health_max for each in chosen))}"
    assert health in page.text("#unit")
    names = shown_units()
    counts = Counter(names[each.unit_type] for each in chosen)
    rows = (
        "[...document.querySelector('#unit dl').children].map((row) => [...row.children].map((each) => each.innerText))"
    )
    assert {name: int(count) for name, count in page.evaluate(rows)} == counts
    # The panel shows no single unit; Escape clears the selection.
    assert page.evaluate("dashboard.unitPanel.tag") is None
    page.press("Escape")
    assert tags(page) == set()


def test_forced_colors_are_those_of_the_map_too(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused, colorScheme="dark")
    shows(page, AT)
    page.click("#theme")
    page.click("#theme")
    page.wait("document.documentElement.dataset.theme === 'dark'")
    page.run("await page.emulateMedia({forcedColors: 'active', colorScheme: 'light'})")
    # What was chosen need not fit the system's colours, and cannot be chosen now.
    page.wait("document.documentElement.dataset.theme === undefined")
    assert not page.run("return page.isVisible('#theme')")
    unit = freest(units_at(AT))
    page.evaluate("dashboard.choose(BigInt(args))", str(unit.tag))
    x, y = look_at(page, unit, 20)
    forced = page.evaluate("getComputedStyle(document.body).color.match(/\\d+/g).slice(0, 3).map(Number)")
    radius = unit.radius * 20 * 1.2 + 4
    assert tuple(forced) in colors(page, *([x + radius * math.cos(at), y + radius * math.sin(at)] for at in range(6)))
    page.run("await page.emulateMedia({forcedColors: 'none'})")
    page.wait("document.documentElement.dataset.theme === 'dark'")


def test_one_more_or_fewer_with_shift(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    unit = freest(units_at(AT))
    other = next(each for each in units_at(AT) if each.alliance == raw_pb2.Self and each.tag != unit.tag)
    page.evaluate("dashboard.choose(BigInt(args))", str(other.tag))
    x, y = look_at(page, unit, 20)
    click = "await page.locator('#map').click({position: {x: args[0], y: args[1]}, modifiers: ['Shift']})"
    page.run(click, [x, y])
    assert tags(page) == {unit.tag, other.tag}
    page.run(click, [x, y])
    assert tags(page) == {other.tag}
    page.wait("dashboard.unitPanel.tag === BigInt(args)", str(other.tag))


def test_dragging_chooses_an_area_where_that_is_on(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    box = page.run("return page.locator('#map').boundingBox()")
    whole = [2, 2, box["width"] - 2, box["height"] - 2]
    page.run(DRAG, whole)
    assert tags(page) == set()
    page.click("#map-areas")
    page.run(DRAG, whole)
    assert tags(page) == {unit.tag for unit in units_at(AT)}


def test_all_of_a_type_and_all_in_view_by_keyboard(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    units = units_at(AT)
    page.wait("document.querySelectorAll('#units button').length > 3")
    for key, name, unit_type in (("a", "Drone", 104), ("Shift+Enter", "Queen", 126)):
        page.run("await page.getByRole('button', {name: new RegExp(args)}).focus()", f"^own {name},")
        page.press(key)
        wanted = {unit.tag for unit in units if unit.unit_type == unit_type and unit.alliance == raw_pb2.Self}
        assert len(wanted) > 1 and tags(page) == wanted
        pressed = (
            "[...document.querySelectorAll('#units [aria-pressed=true]')].map((each) => each.children[0].innerText)"
        )
        assert page.evaluate(pressed) == [name]
    page.run("await page.focus('#map')")
    page.press("v")
    # Minerals and plates are chosen by a click only.
    assert tags(page) == {unit.tag for unit in units if unit.alliance != raw_pb2.Neutral}
    # Own units alone, by the filters.
    for alliance in ("enemy", "neutral", "ally"):
        page.run("await page.focus(args)", f"#show-{alliance}")
        page.press("Space")
    page.press("v")
    assert tags(page) == {unit.tag for unit in units if unit.alliance == raw_pb2.Self}


def test_the_list_stays_under_the_pointer(paused: Daemon, open_page: OpenPage) -> None:
    for width in (1280, 700):
        page = open_page(paused, viewport={"width": width, "height": 800})
        shows(page, AT)
        page.wait("document.querySelectorAll('#units button').length > 3")
        # The graphs above the list have their height when they have values.
        has_whole_timeline(page)
        place = "document.querySelector('#units button').getBoundingClientRect().top + scrollY"
        before = page.evaluate(place)
        page.evaluate("(document.querySelector('#units button').click(), 0)")
        page.wait("dashboard.unitPanel.tag !== undefined")
        assert page.evaluate(place) == before
        page.evaluate("(dashboard.map.selection.set(dashboard.world.units.tag), 0)")
        page.wait("document.querySelector('#unit strong').innerText.endsWith('units')")
        assert page.evaluate(place) == before


@pytest.mark.parametrize("alliance", ["own", "enemy", "neutral"])
def test_filters_hide_units(paused: Daemon, open_page: OpenPage, alliance: str) -> None:
    page = open_page(paused)
    shows(page, AT)
    # Marks are moved aside when it is known which units move.
    page.wait("document.querySelector('#units button')?.title.startsWith('unit type') === false")
    number = {"own": raw_pb2.Self, "enemy": raw_pb2.Enemy, "neutral": raw_pb2.Neutral}[alliance]
    units = [unit for unit in units_at(AT) if unit.alliance == number]
    unit = max(units, key=lambda each: each.radius)
    x, y = look_at(page, unit, 12)
    button = f"#show-{alliance}"
    at = f"dashboard.world.units.alliance[dashboard.map.unitAt({x}, {y})]"
    (seen,) = colors(page, [x, y])
    assert page.evaluate(at) == number
    page.click(button)
    assert page.run("return page.getAttribute(args, 'aria-pressed')", button) == "false"
    (hidden,) = colors(page, [x, y])
    assert hidden != seen and page.evaluate(at) != number
    # For this visit.
    page.run("await page.reload()")
    shows(page, AT)
    assert page.run("return page.getAttribute(args, 'aria-pressed')", button) == "false"
    page.click(button)
    page.wait("document.querySelector('#units button')?.title.startsWith('unit type') === false")
    look_at(page, unit, 12)
    assert colors(page, [x, y])[0] == seen


def test_orders_of_chosen_units_are_lines(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    units = units_at(AT)
    places = {unit.tag: unit.pos for unit in units}
    wanted: dict[int, list[list[float]]] = {}
    for unit in units:
        goals = [
            places[order.target_unit_tag] if order.target_unit_tag else order.target_world_space_pos
            for order in unit.orders
            if order.target_unit_tag in places or order.HasField("target_world_space_pos")
        ]
        if goals:
            wanted[unit.tag] = [[goal.x, goal.y] for goal in goals]
    assert len(wanted) > 10
    page.evaluate("(dashboard.map.selection.set(args.map(BigInt)), 0)", [str(tag) for tag in wanted])
    drawn(page)
    lines = page.evaluate("dashboard.map.orderLines")
    ends = sorted((round(line["x1"], 2), round(line["y1"], 2)) for line in lines)
    assert ends == sorted((round(x, 2), round(y, 2)) for goals in wanted.values() for x, y in goals)
    # One that goes far: half way to there, its line is drawn.
    tag, (goal, *_) = max(
        ((tag, goals) for tag, goals in wanted.items()),
        key=lambda each: math.dist((places[each[0]].x, places[each[0]].y), each[1][0]),
    )
    page.evaluate("dashboard.choose(undefined)")
    drawn(page)
    start = places[tag]
    middle = screen(page, (start.x + goal[0]) / 2, (start.y + goal[1]) / 2)
    around = [[middle[0] + dx, middle[1] + dy] for dx in range(-2, 3) for dy in range(-2, 3)]
    before = colors(page, *around)
    page.evaluate("dashboard.choose(BigInt(args))", str(tag))
    drawn(page)
    assert colors(page, *around) != before


def test_ranges_are_those_of_the_game_data(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    types = {each.unit_id: each for each in game_data().units}
    armed = [
        unit
        for unit in units_at(AT)
        if unit.alliance == raw_pb2.Self and types[unit.unit_type].weapons and unit.unit_type not in WORKERS
    ]
    unit = max(armed, key=lambda each: max(weapon.range for weapon in types[each.unit_type].weapons))
    page.evaluate("dashboard.choose(BigInt(args))", str(unit.tag))
    look_at(page, unit, 14)
    assert page.evaluate("dashboard.map.ranges") == []
    known = types[unit.unit_type]
    reach = known.weapons[0].range + unit.radius
    right = screen(page, unit.pos.x + reach, unit.pos.y)
    before = colors(page, right)
    page.press("r")
    drawn(page)
    assert page.run("return page.getAttribute('#map-ranges', 'aria-pressed')") == "true"
    (ranges,) = page.evaluate("dashboard.map.ranges")
    assert ranges["weapons"] == pytest.approx([weapon.range + unit.radius for weapon in known.weapons], abs=1e-4)
    assert ranges["sight"] == known.sight_range
    assert colors(page, right) != before
    page.click("#map-ranges")
    drawn(page)
    assert page.evaluate("dashboard.map.ranges") == [] and colors(page, right) == before


def test_layers_of_the_map(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    box = page.run("return page.locator('#map').boundingBox()")
    grid = [[box["width"] * i / 24, box["height"] * j / 24] for i in range(1, 24) for j in range(1, 24)]
    # And whole lines from side to side, for layers of lines.
    grid += [[i, box["height"] * 0.37] for i in range(1, int(box["width"]) - 2)]
    # By keyboard: the menu, and each of its boxes.
    page.run("await page.focus('#map-layers summary')")
    page.press("Enter")
    page.wait("document.getElementById('map-layers').open")
    shown = colors(page, *grid)
    for layer in ("heights", "pathing", "placement", "creep", "fog", "grid"):
        page.run("await page.focus(args)", f"#layer-{layer}")
        page.press("Space")
        assert colors(page, *grid) != shown, layer
        page.press("Space")
        assert colors(page, *grid) == shown, layer
    page.press("Escape")
    assert not page.evaluate("document.getElementById('map-layers').open")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"


def test_names_and_health_where_the_map_is_magnified(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    drawn(page)
    assert page.evaluate("dashboard.map.namesDrawn") == 0
    unit = freest(units_at(AT))
    x, y = look_at(page, unit, 20)
    bar = [x, y - unit.radius * 20 - 6]
    assert page.evaluate("dashboard.map.namesDrawn") > 0
    named = colors(page, bar)
    page.evaluate("(document.getElementById('layer-labels').click(), 0)")
    drawn(page)
    assert page.evaluate("dashboard.map.namesDrawn") == 0
    assert colors(page, bar) != named


def step_to(page: Page, daemon: Daemon, last: int) -> None:
    """Show each frame up to this one."""
    with abathur.connect_blocking(daemon.grpc) as game:
        for game_loop in range(page.evaluate(LOOP) + 1, last + 1):
            game.playback.step()
            page.wait(f"{LOOP} === args", game_loop)


def test_trails_and_fights_of_the_last_seconds(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    assert page.evaluate("[dashboard.map.fights.list.length, document.getElementById('map-fight').disabled]") == [
        0,
        True,
    ]
    last = AT + 40
    step_to(page, paused, last)
    drawn(page)
    # Who has moved has left a trail: through the places where it was.
    before, after = ({unit.tag: unit for unit in units_at(loop)} for loop in (AT, last))
    soldiers = [
        tag
        for tag, unit in after.items()
        if tag in before and unit.alliance == raw_pb2.Self and unit.unit_type not in WORKERS
    ]

    def way(tag: int) -> float:
        return math.dist((before[tag].pos.x, before[tag].pos.y), (after[tag].pos.x, after[tag].pos.y))

    tag = max(soldiers, key=way)
    assert way(tag) > 1
    trail = page.evaluate("dashboard.map.trails.of(BigInt(args))", str(tag))
    for x, y, game_loop in trail:
        place = next(unit.pos for unit in units_at(int(game_loop)) if unit.tag == tag)
        assert [x, y] == pytest.approx([place.x, place.y], abs=0.01)
    assert len(trail) > 3
    worker = next(tag for tag, unit in after.items() if unit.unit_type in WORKERS)
    assert page.evaluate("dashboard.map.trails.of(BigInt(args))", str(worker)) == []
    # The fight is where units were hit; its ring is drawn, and can be hidden.
    fights = page.evaluate("dashboard.map.fights.list")
    hurt = places_of_hits(AT, last)
    assert fights and hurt
    for fight in fights:
        assert min(math.dist((fight["x"], fight["y"]), place) for place in hurt) < 10
    page.press("j")
    drawn(page)
    view = page.evaluate("[dashboard.map.view.x, dashboard.map.view.y, dashboard.map.view.scale]")
    newest = fights[0]
    assert view[:2] == pytest.approx([newest["x"], newest["y"]], abs=0.1) and view[2] >= 14
    x, y = screen(page, newest["x"], newest["y"])
    size = (newest["radius"] + 1) * view[2]
    ring = [[x + size * math.cos(angle / 20), y + size * math.sin(angle / 20)] for angle in range(0, 126)]
    width, height = page.evaluate("[dashboard.map.view.width, dashboard.map.view.height]")
    ring = [[x, y] for x, y in ring if 1 < x < width - 1 and 1 < y < height - 1]
    assert len(ring) > 20
    shown = colors(page, *ring)
    page.evaluate("(document.getElementById('layer-fights').click(), 0)")
    assert colors(page, *ring) != shown
    page.evaluate("(document.getElementById('layer-fights').click(), 0)")
    # From elsewhere it is pointed at, from the edge.
    page.evaluate("(dashboard.map.view.center(0, 0), 0)")
    edge = [[width * i / 60, height * j / 60] for i in range(61) for j in range(61) if i > 50 or j < 10]
    marked = colors(page, *edge)
    page.evaluate("(document.getElementById('layer-fights').click(), 0)")
    assert colors(page, *edge) != marked
    page.evaluate("(document.getElementById('layer-fights').click(), 0)")
    # A seek clears both.
    with abathur.connect_blocking(paused.grpc) as game:
        game.playback.seek(AT + 300)
        game.playback.step()
    shows(page, AT + 300)
    assert page.evaluate("dashboard.map.fights.list") == []
    assert page.evaluate("dashboard.map.trails.of(BigInt(args))", str(tag)) in ([], trail_of_one(tag, AT + 300))


def places_of_hits(first: int, last: int) -> list[tuple[float, float]]:
    """Where units of players lost health or shields, or died, after the first of these frames."""
    places = []
    before: dict[int, raw_pb2.Unit] = {}
    with abathur.open(SKIRMISH) as match:
        for frame in match.frames(start=first, stop=last + 1):
            raw = frame.response.observation.raw_data
            for unit in raw.units:
                old = before.get(unit.tag, unit)
                if unit.alliance != raw_pb2.Neutral and unit.health + unit.shield < old.health + old.shield:
                    places.append((unit.pos.x, unit.pos.y))
            places += [(before[tag].pos.x, before[tag].pos.y) for tag in raw.event.dead_units if tag in before]
            before = {unit.tag: unit for unit in raw.units}
    return places


def trail_of_one(tag: int, game_loop: int) -> list[list[float]]:
    place = next((unit.pos for unit in units_at(game_loop) if unit.tag == tag), None)
    return [] if place is None else [[place.x, place.y, game_loop]]


def lines(page: Page, selector: str) -> dict[str, dict[str, Any]]:
    """Lines of bars by their keys: what they say in words, and how wide they are."""
    script = """Object.fromEntries([...document.querySelectorAll(args + " li[data-key]")].map((line) =>
        [line.dataset.key, {told: line.title, part: parseFloat(line.querySelector(".track span").style.width)}]))"""
    return dict(page.evaluate(script, selector))


@pytest.mark.parametrize("game_loop", [AT, 9000, 10_200])
def test_production_is_that_of_the_observation(play_at: Any, open_page: OpenPage, game_loop: int) -> None:
    page = open_page(play_at(game_loop))
    shows(page, game_loop)
    page.wait("document.querySelectorAll('.made li[data-key]').length > 0")
    data = game_data()
    types = {each.unit_id: each for each in data.units}
    titles = shown_units()
    made: dict[int, tuple[str, int, float]] = {}
    for each in data.units:
        if each.ability_id:
            structure = data_pb2.Structure in each.attributes
            made[each.ability_id] = ("structure" if structure else "unit", each.unit_id, each.build_time)
    for upgrade in data.upgrades:
        if upgrade.ability_id:
            made[upgrade.ability_id] = ("upgrade", upgrade.upgrade_id, upgrade.research_time)
    wanted: dict[str, tuple[int, float, float]] = {}

    def add(kind: str, number: int, build_time: float, progress: float) -> None:
        key = f"{kind} {number}"
        count, most, _ = wanted.get(key, (0, 0.0, 0.0))
        wanted[key] = (count + 1, max(most, progress), build_time)

    units = units_at(game_loop)
    for unit in units:
        if unit.alliance != raw_pb2.Self:
            continue
        if unit.build_progress < 1:
            structure = data_pb2.Structure in types[unit.unit_type].attributes
            add(
                "structure" if structure else "unit",
                unit.unit_type,
                types[unit.unit_type].build_time,
                unit.build_progress,
            )
        for order in unit.orders if unit.build_progress == 1 else []:
            if order.ability_id in made and (not types[unit.unit_type].movement_speed or order.progress):
                assert order is unit.orders[0], "what waits is not in this recording"
                add(*made[order.ability_id], order.progress)
    shown = lines(page, "#making")
    assert set(shown) == set(wanted)
    for key, (count, progress, build_time) in wanted.items():
        seconds = (1 - progress) * build_time / LOOPS_PER_SECOND
        told = shown[key]["told"].partition(": ")[2]
        assert told == f"{count} under way, 0 queued, {int(progress * 100)} %, {math.ceil(seconds)} s left", key
        assert shown[key]["part"] == pytest.approx(100 * progress, abs=0.01)
    assert len(wanted) > 1
    for selector, alliance in (("#own-army", raw_pb2.Self), ("#enemy-army", raw_pb2.Enemy)):
        counts: dict[str, int] = {}
        for unit in units:
            known = types[unit.unit_type]
            cost = known.mineral_cost + known.vespene_cost
            is_army = known.food_required > 0 and cost > 0 and data_pb2.Structure not in known.attributes
            if unit.alliance == alliance and is_army and unit.unit_type not in WORKERS and unit.build_progress == 1:
                counts[str(unit.unit_type)] = counts.get(str(unit.unit_type), 0) + 1
        armies = lines(page, selector)
        assert set(armies) == set(counts), selector
        for key, count in counts.items():
            known = types[int(key)]
            value = count * (known.mineral_cost + known.vespene_cost)
            assert armies[key]["told"] == f"{count} {titles[int(key)]}, worth {value} minerals and vespene"


def test_rows_choose_their_units(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    page.wait("document.querySelectorAll('#own-army li[data-key]').length > 0")
    units = units_at(AT)
    for unit_type in (105, 110):
        page.click(f"#own-army [data-key='{unit_type}'] button")
        assert tags(page) == {
            unit.tag for unit in units if unit.alliance == raw_pb2.Self and unit.unit_type == unit_type
        }
    # Of what is being made: what makes it, or is built. By the keyboard, too.
    wanted = {unit.tag for unit in units if unit.alliance == raw_pb2.Self and unit.build_progress < 1}
    assert wanted
    chosen: set[int] = set()
    for row in range(page.evaluate("document.querySelectorAll('#making li[data-key]').length")):
        page.run("await page.locator('#making li[data-key] button').nth(args).focus()", row)
        page.press("Enter")
        assert tags(page)
        chosen |= tags(page)
    assert wanted <= chosen


def test_the_army_comes_before_buildings(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    page.wait("document.querySelector('#units button')?.title.startsWith('unit type') === false")
    page.wait("document.querySelectorAll('#units button').length > 10")
    types = {each.unit_id: each for each in game_data().units}
    keys = page.evaluate("[...document.querySelectorAll('#units button')].map((each) => Number(each.dataset.key))")
    own = [types[key % 1_000_000] for key in keys if key // 1_000_000 == raw_pb2.Self]
    kinds = [
        "structure" if data_pb2.Structure in each.attributes else "worker" if each.unit_id in WORKERS else "unit"
        for each in own
    ]
    first = {kind: kinds.index(kind) for kind in ("unit", "worker", "structure")}
    assert first["unit"] == 0 < first["worker"] < first["structure"]
    assert set(kinds[first["structure"] :]) <= {"structure", "unit"} and "worker" not in kinds[first["structure"] :]
    # The most expensive soldier first; and own units before those of the enemy.
    army = list(own[: first["worker"]])
    costs = [each.mineral_cost + each.vespene_cost for each in army]
    assert costs == sorted(costs, reverse=True) and len(costs) > 3
    sides = [key // 1_000_000 for key in keys]
    assert sides == sorted(sides, key=[raw_pb2.Self, raw_pb2.Enemy, raw_pb2.Ally, raw_pb2.Neutral].index)


@pytest.fixture
def play_at(launch: Launch) -> Any:
    """A playback of the committed recording that stands at a game loop."""

    def starter(game_loop: int) -> Daemon:
        daemon = launch("play", str(SKIRMISH), *FREE_PORTS, "--start-paused", "--loop")
        with abathur.connect_blocking(daemon.grpc) as game:
            game.playback.seek(game_loop)
            game.playback.step()
        return daemon

    return starter


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_a_map_without_game_info_can_be_read(launch: Launch, open_page: OpenPage, theme: str) -> None:
    daemon = launch("serve", "--once", *FREE_PORTS)
    page = open_page(daemon, colorScheme=theme)
    response = response_at(AT)
    with abathur.publisher_blocking(daemon.grpc, map_name="Test LE") as publisher:
        publisher.publish(response)
        shows(page, AT)
        drawn(page)
        # There are lines of a grid; without terrain there would be nothing else to see where units are.
        assert page.evaluate("dashboard.map.options.isOn('grid')")
        raw = response.observation.raw_data
        grid = raw.map_state.visibility
        width, height = grid.size.x, grid.size.y
        seen = [(i % width, i // width) for i in range(width * height) if grid.data[i] in (1, 2)]
        # What has been explored is all shown, and little else.
        corners = "[view.mapX(0), view.mapY(view.height), view.mapX(view.width), view.mapY(0)]"
        x0, y0, x1, y1 = page.evaluate(f"((view) => {corners})(dashboard.map.view)")
        low, high = (min(y for _, y in seen), max(y for _, y in seen))
        left, right = (min(x for x, _ in seen), max(x for x, _ in seen))
        assert x0 <= left and x1 > right and y0 <= low and y1 > high
        assert min((x1 - x0) - (right - left), (y1 - y0) - (high - low)) < 3 * 8
        # The ground can be told from what is no map and from what is hidden, and units from the ground.
        units = [unit for unit in raw.units if unit.alliance in (raw_pb2.Self, raw_pb2.Enemy)]
        page.evaluate("(['grid', 'trails', 'fights'].forEach((name) => dashboard.map.options.set(name, false)), 0)")

        def free(level: int) -> tuple[int, ...]:
            cells = [
                (x, y)
                for x, y in ((i % width, i // width) for i in range(0, width * height, 7) if grid.data[i] == level)
                if left < x < right
                and low < y < high
                and all(math.dist((x, y), (unit.pos.x, unit.pos.y)) > unit.radius + 3 for unit in raw.units)
            ]
            found = colors(page, *[screen(page, x + 0.5, y + 0.5) for x, y in cells[:60]])
            return sorted(found, key=luminance)[len(found) // 2]

        visible, hidden = free(2), free(0)
        assert contrast(visible, hidden) > 1.3
        unit = freest([unit for unit in units if unit.display_type == raw_pb2.Visible])
        # Away from the line to where it faces.
        x, y = (
            0.4 * unit.radius * math.cos(unit.facing) - unit.pos.x,
            0.4 * unit.radius * math.sin(unit.facing) - unit.pos.y,
        )
        (mark,) = colors(page, screen(page, -x, -y))
        assert contrast(mark, visible) > 2
        assert luminance(visible) > 0.07
        # Names are those of the daemon's tables.
        page.wait("[...document.querySelectorAll('#units button')].some((each) => each.innerText.startsWith('Drone'))")
        page.wait("document.querySelectorAll('#own-army li[data-key]').length > 0")


def test_controls_of_the_map_have_names(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    page.click("#map-layers summary")
    for role, names in (
        ("button", ["own", "enemy", "ally", "neutral", "Ranges", "Choose area"]),
        (
            "checkbox",
            ["Heights", "No walking", "Building ground", "Creep", "Fog", "Trails", "Fights", "Names and health"],
        ),
        ("list", ["Being made: done · left", "Own army: units · cost"]),
    ):
        for name in names:
            count = "return page.getByRole(args[0], {name: args[1], exact: true}).count()"
            assert page.run(count, [role, name]) == 1, (role, name)
    page.press("Escape")
    page.press("?")
    help_text = page.text("#keys")
    assert "ranges of the chosen units" in help_text and "choose all units of players in view" in help_text

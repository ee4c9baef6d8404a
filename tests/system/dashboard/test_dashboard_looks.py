"""The dashboard for fingers, and for who wants no movement, more contrast or colours of their own."""

from __future__ import annotations

from typing import Any

import pytest
from browsers import AT, OpenPage, Page, needs_browser, shows
from programs import SKIRMISH, Daemon, Play

pytestmark = [*needs_browser, pytest.mark.timeout(120)]

#: Where fingers lie, one list of points for each moment.
TOUCH = """
    const session = await context.newCDPSession(page);
    const box = await page.locator("#map").boundingBox();
    const send = (type, points) => session.send("Input.dispatchTouchEvent",
      {type, touchPoints: points.map(([x, y], id) => ({x: box.x + x, y: box.y + y, id}))});
    await send("touchStart", args[0]);
    for (const points of args.slice(1)) await send("touchMove", points);
    await send("touchEnd", []);
    await session.detach();
"""
UNDER = "args.flatMap(([x, y]) => [dashboard.map.view.mapX(x), dashboard.map.view.mapY(y)])"
#: Contrast of colours by WCAG, of texts to what lies behind them, of borders to what they are drawn on.
CONTRAST = """(() => {
  const scratch = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const rgba = (color) => {
    scratch.clearRect(0, 0, 1, 1);
    scratch.fillStyle = color;
    scratch.fillRect(0, 0, 1, 1);
    return [...scratch.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (color) => {
    const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = color.slice(0, 3).map((c) => linear(c / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = (node) => {
    for (let each = node; each; each = each.parentElement) {
      const color = rgba(getComputedStyle(each).backgroundColor);
      if (color[3] > 250) return color;
    }
    return rgba("white");
  };
  const how = {opacityProperty: true, visibilityProperty: true};
  const seen = (node) => node.checkVisibility(how) && !node.closest(".unseen, :disabled");
  const texts = [...document.querySelectorAll("body *")].filter((node) => seen(node)
    && [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim() !== ""));
  // Rows of lists have edges where they are wanted.
  const edgy = matchMedia("(prefers-contrast: more), (forced-colors: active)").matches;
  const rows = edgy ? ".units *" : ".units *, .events *, .made *";
  const edged = [...document.querySelectorAll(`.panel, .playback, #map, button:not(${rows}), select`)].filter(seen);
  const bars = [...document.querySelectorAll(".bars .bar div, .key, .health span")].filter(seen);
  const chart = document.querySelector(".chart canvas");
  scratch.clearRect(0, 0, 1, 1);
  scratch.drawImage(chart, chart.width / 2, 0, 1, 1, 0, 0, 1, 1);
  const line = [...scratch.getImageData(0, 0, 1, 1).data];
  const told = (node, value) => [node.outerHTML.slice(0, 60), Math.round(value * 100) / 100];
  const least = (list) => list.sort((a, b) => a[1] - b[1])[0];
  return {
    count: [texts.length, edged.length, bars.length],
    text: least(texts.map((node) => told(node, ratio(rgba(getComputedStyle(node).color), behind(node))))),
    edge: least(edged.map((node) => told(node, parseFloat(getComputedStyle(node).borderTopWidth) >= 1
      ? ratio(rgba(getComputedStyle(node).borderTopColor), behind(node.parentElement)) : 0))),
    bar: least(bars.map((node) => told(node,
      ratio(rgba(getComputedStyle(node).backgroundColor), behind(node.parentElement))))),
    chart: line[3] > 250 ? ratio(line, behind(chart)) : 0,
  };
})()"""


def under(page: Page, *points: tuple[float, float]) -> list[float]:
    """Places of the map at these points of the canvas: x, y, x, y."""
    return list(page.evaluate(UNDER, points))


def test_fingers_magnify_and_move_the_map(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused, viewport={"width": 400, "height": 800}, hasTouch=True)
    shows(page, AT)
    page.evaluate("(dashboard.map.view.zoom(4, 120, 120), 0)")
    scale = page.evaluate("dashboard.map.view.scale")
    fingers = under(page, (140, 150), (240, 170))
    # Apart, and on the way to elsewhere: what lies under each finger stays under it.
    page.run(
        TOUCH, [[(140, 150), (240, 170)], [(120, 146), (260, 174)], [(90, 140), (290, 180)], [(110, 160), (310, 200)]]
    )
    assert page.evaluate("dashboard.map.view.scale") == pytest.approx(2 * scale, rel=0.03)
    assert under(page, (110, 160), (310, 200)) == pytest.approx(fingers, abs=0.1)
    page.run(TOUCH, [[(110, 160), (310, 200)], [(160, 170), (260, 190)]])
    assert page.evaluate("dashboard.map.view.scale") == pytest.approx(scale, rel=0.03)
    assert page.evaluate("scrollY + (visualViewport.scale - 1)") == 0
    # One finger moves it; what it lies on goes with it.
    place = under(page, (200, 200))
    page.run(TOUCH, [[(200, 200)], [(190, 190)], [(170, 150)]])
    assert under(page, (170, 150)) == pytest.approx(place, abs=0.01)
    assert page.evaluate("dashboard.unitPanel.tag") is None
    # A tap chooses the unit there, also beside it by as much as a finger is wide.
    page.evaluate("(dashboard.map.view.fit(), dashboard.map.invalidate(), 0)")
    row = "dashboard.world.units.unit_type.findIndex((type, row) => type === 86 && dashboard.world.units.used[row])"
    x, y = page.evaluate(f"dashboard.map.placeOf({row})")
    page.run(TOUCH, [[(x + 1, y + 1)]])
    page.wait(f"dashboard.unitPanel.tag === dashboard.world.units.tag[{row}]")


def test_who_wants_no_movement_sees_none(play: Play, open_page: OpenPage) -> None:
    page = open_page(play(SKIRMISH, "--loop", "--rate", "0.5"), reducedMotion="reduce")
    page.wait("dashboard.world.interval > 0")
    # How many pictures of the next eight frames show a unit between two places.
    between = """new Promise((resolve) => {
      const { map, world } = dashboard;
      const loops = new Set();
      let pictures = 0;
      map.times.add = () => {
        if (map.walks) pictures++;
        loops.add(world.gameLoop);
        if (loops.size < 8) return;
        delete map.times.add;
        resolve(pictures);
      };
    })"""
    fades = """[...document.querySelectorAll("body *")].filter(
      (each) => parseFloat(getComputedStyle(each).transitionDuration) > 0).length"""
    assert page.evaluate(between) == page.evaluate(fades) == page.evaluate("document.getAnimations().length") == 0
    page.run("await page.emulateMedia({reducedMotion: 'no-preference'})")
    assert page.evaluate(fades) > 5
    assert page.evaluate(between) > 8


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_texts_borders_and_bars_can_be_seen(paused: Daemon, open_page: OpenPage, theme: str) -> None:
    """By the contrast that WCAG asks for: 4.5 for texts, 7 where more is wanted; 3 for what is no text."""
    page = open_page(paused, colorScheme=theme)
    shows(page, AT)
    page.click("#compare-toggle")
    page.run("await page.locator('#units button').first().click()")
    page.wait(
        "document.querySelectorAll('#compare tbody tr').length > 0 && document.querySelector('#subscribers tr.own')"
    )
    # They come with the timeline of the whole recording.
    page.wait("document.querySelectorAll('#events button').length > 0")
    for media, text, edge in (
        ({}, 4.5, 1),
        ({"contrast": "more"}, 7, 3),
        ({"contrast": "no-preference", "forcedColors": "active"}, 7, 3),
    ):
        page.run("await page.emulateMedia(args)", media)
        if edge > 1:
            page.wait(f"{CONTRAST}.chart >= {edge}")
        seen: dict[str, Any] = page.evaluate(CONTRAST)
        texts, edges, bars = seen["count"]
        assert texts > 100 and edges > 15 and bars > 20, seen
        assert seen["text"][1] >= text and seen["edge"][1] >= edge and seen["bar"][1] >= 3, (media, seen)
    # Without backgrounds and shadows: which unit is chosen is told by a border, and to a screen reader.
    chosen, other = page.evaluate("""[true, false].map((pressed) =>
      getComputedStyle(document.querySelector(`#units [aria-pressed="${pressed}"]`)).borderLeftWidth)""")
    assert (chosen, other) == ("3px", "0px")

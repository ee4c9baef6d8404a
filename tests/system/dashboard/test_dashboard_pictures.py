"""The dashboard against committed pictures of it.

The pictures are small: half a pixel of the screen a CSS pixel. A picture is another one where more than 2 % of its
pixels differ by more than 64 of 255 in a channel, which other versions of the browser and of the font stay below. They
are made with the font that `.ci/run` installs; `ABATHUR_NEW_PICTURES=1` makes them again.
"""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import abathur
import pytest
from browsers import AT, OpenPage, Page, needs_browser, responses, shows
from programs import FREE_PORTS, Daemon, Launch

PICTURES = Path(__file__).parent / "pictures"
FONT = "DejaVu Sans"
TOLERANCE = 0.02


def default_font() -> str:
    """The font that browsers take for `system-ui`."""
    if shutil.which("fc-match") is None:
        return ""
    return subprocess.check_output(["fc-match", "--format=%{family}", "system-ui"], text=True)


pytestmark = [
    *needs_browser,
    pytest.mark.timeout(120),
    pytest.mark.skipif(default_font() != FONT, reason=f"the pictures are made with {FONT}, not with {default_font()}"),
]

#: What differs from run to run is not compared.
CALM = """
    for (const each of document.querySelectorAll("#footer, #rate, #charts, #drawing, #subscribers, #recordings time"))
      each.style.visibility = "hidden";
    document.activeElement?.blur();
"""
DIFFERENCE = """(async ([one, other]) => {
  const pixels = async (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes], {type: "image/png"}));
    const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
    context.drawImage(picture, 0, 0);
    return context.getImageData(0, 0, picture.width, picture.height);
  };
  const [a, b] = [await pixels(one), await pixels(other)];
  if (a.width !== b.width || a.height !== b.height) return 1;
  let differing = 0;
  for (let at = 0; at < a.data.length; at += 4)
    if ([0, 1, 2].some((c) => Math.abs(a.data[at + c] - b.data[at + c]) > 64)) differing++;
  return differing / (a.width * a.height);
})(args)"""

#: Magnifies the map where enemies are seen, as J does at a fight.
AT_FIGHT = """(({ map, world: { units } }) => {
  const rows = [...units.used.keys()].filter(
    (row) => units.used[row] && units.alliance[row] === 4 && units.display_type[row] === 1);
  const mean = (values) => rows.reduce((sum, row) => sum + values[row], 0) / rows.length;
  map.view.zoomTo(mean(units.x), mean(units.y), 12, 18, 40);
  map.invalidate();
})(dashboard)"""

VIEWS: dict[str, tuple[str, dict[str, Any], str]] = {
    "dark": ("/", {}, ""),
    "light": ("/", {"colorScheme": "light"}, ""),
    "phone": ("/", {"viewport": {"width": 400, "height": 800}}, ""),
    "fight": ("/", {}, AT_FIGHT),
    "stream": ("/?view=stream", {"viewport": {"width": 1280, "height": 720}}, ""),
    "stream-large": ("/?view=stream", {"viewport": {"width": 2560, "height": 1440}}, ""),
}


@pytest.mark.parametrize("view", VIEWS)
def test_it_looks_as_it_did(paused: Daemon, open_page: OpenPage, view: str) -> None:
    path, options, prepare = VIEWS[view]
    page = open_page(paused, path, deviceScaleFactor=0.5, reducedMotion="reduce", **options)
    shows(page, AT)
    has_names(page)
    page.wait("dashboard.numbers.timeline.gameLoops.length > 50 && document.getElementById('lead').innerText !== ''")
    if prepare:
        page.evaluate(f"({prepare}, 0)")
    compare(page, view)


def test_between_matches_it_looks_as_it_did(launch: Launch, open_page: OpenPage) -> None:
    daemon = launch("serve", *FREE_PORTS)
    with abathur.publisher_blocking(daemon.grpc, map_name="Test LE") as publisher:
        for each in responses(AT - 60, AT + 1):
            publisher.publish(each)
    page = open_page(daemon, deviceScaleFactor=0.5, reducedMotion="reduce")
    shows(page, AT)
    has_names(page)
    page.wait("document.querySelector('#bar [data-name=army]').innerText !== '\u2013'")
    page.wait("document.getElementById('state').innerText.startsWith('the match is over')")
    compare(page, "between")


def has_names(page: Page) -> None:
    """Wait until the names of units are known, by which marks are moved, too."""
    page.wait("document.querySelector('#units button')?.title.startsWith('unit type') === false")


def compare(page: Page, view: str) -> None:
    """Compare what is seen of a page with the picture of a view."""
    page.wait(
        "[...document.querySelectorAll('.graph canvas')].every((each) => each.width !== 300 || !each.checkVisibility())"
    )
    page.evaluate(f"(() => {{ {CALM} }})()")
    taken = page.run(
        """
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        return (await page.screenshot()).toString("base64");"""
    )
    picture = PICTURES / f"{view}.png"
    if os.environ.get("ABATHUR_NEW_PICTURES"):
        picture.write_bytes(base64.b64decode(taken))
    wanted = base64.b64encode(picture.read_bytes()).decode()
    differing = page.evaluate(DIFFERENCE, [taken, wanted])
    if differing > TOLERANCE:
        picture.with_name(f"{view}.received.png").write_bytes(base64.b64decode(taken))
    assert differing <= TOLERANCE, f"{100 * differing:.1f} % of the pixels differ from {picture}"

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

import pytest
from browsers import AT, OpenPage, needs_browser, shows
from programs import Daemon

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

VIEWS: dict[str, tuple[str, dict[str, Any]]] = {
    "dark": ("/", {}),
    "light": ("/", {"colorScheme": "light"}),
    "phone": ("/", {"viewport": {"width": 400, "height": 800}}),
    "stream": ("/?view=stream", {"viewport": {"width": 1280, "height": 720}}),
}


@pytest.mark.parametrize("view", VIEWS)
def test_it_looks_as_it_did(paused: Daemon, open_page: OpenPage, view: str) -> None:
    path, options = VIEWS[view]
    page = open_page(paused, path, deviceScaleFactor=0.5, reducedMotion="reduce", **options)
    shows(page, AT)
    page.wait("dashboard.numbers.timeline.gameLoops.length > 50 && document.getElementById('lead').innerText !== ''")
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

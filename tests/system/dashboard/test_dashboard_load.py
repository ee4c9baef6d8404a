"""How much the dashboard loads, and how soon it shows something."""

from __future__ import annotations

from pathlib import Path

import abathur
import pytest
from browsers import AT, OpenPage, needs_browser, shows
from programs import Daemon, Play, run_daemon

pytestmark = [*needs_browser, pytest.mark.timeout(300)]
MOST_BYTES = 130_000
MOST_MS = 1000
FILES = """[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .filter(({ name }) => !name.includes("/v1/"))"""
#: Notes when the first frame has been drawn, in ms from the navigation.
NOTE_PICTURE = """await page.addInitScript(() => {
  const look = () => {
    const { world, map } = globalThis.dashboard ?? {};
    if (world?.gameLoop !== undefined && map.times.count > 0) globalThis.firstPicture = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
});"""


def test_the_page_is_small_over_the_wire(paused: Daemon, open_page: OpenPage) -> None:
    page = open_page(paused)
    shows(page, AT)
    sizes = page.evaluate(f"{FILES}.map((each) => [each.name, each.encodedBodySize, each.decodedBodySize])")
    sent, whole = (sum(each[at] for each in sizes) for at in (1, 2))
    print(f"{len(sizes)} files, {whole:,} bytes, {sent:,} over the wire")
    assert len(sizes) > 80 and all(size > 0 for _, size, _ in sizes)
    assert sent <= MOST_BYTES < whole


@pytest.mark.measured
def test_the_first_picture_comes_within_a_second(play: Play, open_page: OpenPage, tmp_path: Path) -> None:
    match = tmp_path / "elite.mcap"
    assert run_daemon("synth", "--preset", "elite", "--steps", "300", "-o", str(match)).returncode == 0
    daemon = play(match, "--start-paused")
    with abathur.connect_blocking(daemon.grpc) as game:
        game.playback.step()
    took = []
    for _ in range(3):
        page = open_page(daemon, "/not-a-page")
        page.run(f"page.complaints.length = 0; {NOTE_PICTURE} await page.goto(args)", daemon.addresses["http"])
        page.wait("globalThis.firstPicture !== undefined")
        took.append(page.evaluate("firstPicture"))
    print(f"first picture after {', '.join(f'{each:.0f}' for each in took)} ms")
    # The first has the first requests of the daemon in it.
    assert sorted(took)[1] < MOST_MS

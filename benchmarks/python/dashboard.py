"""What the dashboard costs: how often and how fast it draws, and what it takes of the daemon.

The simulated `elite` match from where it has more than 500 units, at the game's rate, in a headless Chromium that is
not throttled: first without a page, then with one. Needs Node, npm's packages of benchmarks/browser, and Chromium.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from figures import Figures, table
from pages import made, page
from processes import ROOT, Daemon, MeasureError, Process, Server
from runs import arguments, run

from recordings import make_elite

DRIVER = ROOT / "tests" / "system" / "dashboard" / "browser" / "driver.mjs"
MODULES = ROOT / "benchmarks" / "browser" / "package.json"
#: Game time of the match at which it has more than 500 units, in seconds.
START = 420
SCREEN, PHONE = {"width": 1280, "height": 800}, {"width": 400, "height": 800}
#: Magnifies the map where units fire, as the page does at a fight: marks are kept apart, and have bars and names.
AT_FIGHT = """page.evaluate(() => {
  const { map, world: { units } } = dashboard;
  const isIn = (row) => units.used[row] && units.alliance[row] !== 3;
  const rows = [...units.used.keys()].filter(isIn);
  const firing = rows.filter((row) => units.engaged_target_tag[row] !== 0n);
  const chosen = firing.length > 0 ? firing : rows;
  const mean = (values) => chosen.reduce((sum, row) => sum + values[row], 0) / chosen.length;
  map.view.zoomTo(mean(units.x), mean(units.y), 12, 18, 40);
})"""
#: Name, size of the screen, and what is done before.
CASES = (("1280 x 800", SCREEN, ""), ("1280 x 800, at a fight", SCREEN, AT_FIGHT), ("400 x 800", PHONE, ""))
DRAWN = """page.evaluate(async (seconds) => {
  const { map, world } = dashboard;
  const before = map.times.count;
  const start = performance.now();
  let [frames, last, units, ticks] = [0, world.gameLoop, 0, 0];
  const costs = [];
  const add = map.times.add.bind(map.times);
  map.times.add = (now, ms) => {
    costs.push(ms);
    add(now, ms);
  };
  await new Promise((resolve) => {
    const look = () => {
      ticks++;
      if (world.gameLoop !== last) [frames, last] = [frames + 1, world.gameLoop];
      units = Math.max(units, world.units.rowOf.size);
      if (performance.now() - start < seconds * 1000) requestAnimationFrame(look);
      else resolve();
    };
    requestAnimationFrame(look);
  });
  delete map.times.add;
  costs.sort((a, b) => a - b);
  const part = (share) => costs[Math.min(Math.floor(share * costs.length), costs.length - 1)];
  const passed = (performance.now() - start) / 1000;
  return {
    drawn_per_second: (map.times.count - before) / passed,
    screen_per_second: ticks / passed,
    frames_per_second: frames / passed,
    draw_ms: { p50: part(0.5), p99: part(0.99), max: costs.at(-1) }, units,
  };
}, args)"""


class Browser(Process):
    """The driver of the tests: a line of JSON for each script."""

    def __init__(self, chromium: str) -> None:
        super().__init__([shutil.which("node") or "node", DRIVER, MODULES, chromium])
        self.read_line()

    def run(self, page: str, script: str, args: object = None, **options: object) -> Any:
        """Run JavaScript; returns what it returns."""
        self.write_line(json.dumps({"page": page, "options": options, "script": script, "args": args}))
        answer = json.loads(self.read_line())
        if "error" in answer:
            raise MeasureError(str(answer["error"]))
        return answer["value"]


@contextmanager
def cpu_percent(server: Server, row: dict[str, Any]) -> Iterator[None]:
    """Adds the processor time of the daemon, of one core, to a row."""
    start, before = time.perf_counter(), server.cpu_seconds()
    yield
    row["daemon_cpu_percent"] = 100 * (server.cpu_seconds() - before) / (time.perf_counter() - start)


def measure(chromium: str, recording: Path, seconds: float, rows: dict[str, dict[str, Any]]) -> None:
    """Measure without a page, then with one of each size."""
    with Daemon(recording, "--loop", "--start-offset", str(START)) as server, Browser(chromium) as browser:
        time.sleep(min(seconds, 3))
        with cpu_percent(server, rows.setdefault("without a page", {})):
            time.sleep(seconds)
        for name, viewport, prepare in CASES:
            browser.run(name, "await page.goto(args)", f"http://{server.address('http')}/", viewport=viewport)
            browser.run(name, "await page.waitForFunction(() => dashboard.world.gameLoop !== undefined)")
            time.sleep(min(seconds, 3))
            if prepare:
                browser.run(name, f"await {prepare}")
            row = rows.setdefault(f"one page, {name}", {})
            with cpu_percent(server, row):
                row |= browser.run(name, f"return {DRAWN}", seconds)
            browser.run(name, "await context.close()")


def cells(row: dict[str, Any]) -> list[str]:
    """Of a row of the table."""
    made = [f"{row['daemon_cpu_percent']:.1f}"]
    if "draw_ms" not in row:
        return made + [""] * 5
    made += [f"{row[key]:.1f}" for key in ("drawn_per_second", "screen_per_second", "frames_per_second")]
    return [*made, "{p50:.2f} / {p99:.2f} / {max:.2f}".format(**row["draw_ms"]), str(row["units"])]


def main() -> int:
    """Measure, and write the results."""
    quick = "see that it works: figures of no worth"
    options = arguments("dashboard", __doc__, quick=quick, seconds=(20.0, "seconds of each row", 1.0))
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    chromium = os.environ.get("CHROME") or next((found for name in names if (found := shutil.which(name))), None)
    if chromium is None:
        sys.exit("Chromium is missing (Debian: apt-get install chromium; or name it in the environment's CHROME)")
    if not (MODULES.parent / "node_modules" / "playwright-core").is_dir():
        sys.exit("playwright-core is missing: run `npm ci` in benchmarks/browser")
    rows: dict[str, dict[str, Any]] = {}

    def written(_: Figures) -> str:
        head = ["", "daemon, % of a core", "drawn a second", "the screen", "frames taken"]
        head += ["a draw, ms: p50 / p99 / max", "units"]
        lines = [[name, *cells(row)] for name, row in rows.items() if "daemon_cpu_percent" in row]
        return page("The dashboard", made("dashboard"), table(head, lines))

    return run(options, lambda _: measure(chromium, make_elite(), options.seconds, rows), written, {"results": rows})


if __name__ == "__main__":
    sys.exit(main())

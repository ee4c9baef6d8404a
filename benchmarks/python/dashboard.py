"""What the dashboard costs: how often and how fast it draws, and what it takes of the daemon.

The simulated `elite` match from where it has more than 500 units, at the game's rate, in a headless Chromium that is
not throttled: first without a page, then with one. Needs Node, npm's packages of benchmarks/browser, and Chromium.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from figures import machine, save
from processes import DAEMON, ROOT, MeasureError, Process, Server

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


def cpu_percent(server: Server, seconds: float) -> float:
    """Of one core, over some seconds."""
    start, before = time.perf_counter(), server.cpu_seconds()
    time.sleep(seconds)
    return 100 * (server.cpu_seconds() - before) / (time.perf_counter() - start)


def measure(chromium: str, recording: Path, seconds: float) -> dict[str, Any]:
    """Measure without a page, then with one of each size."""
    arguments: list[str | Path] = [DAEMON, "play", recording, "--loop", "--start-offset", str(START)]
    free = ["--grpc-port", "0", "--socket-port", "0", "--stop-with-parent"]
    results: dict[str, Any] = {}
    with Server([*arguments, *free]) as server, Browser(chromium) as browser:
        time.sleep(min(seconds, 3))
        results["without a page"] = {"daemon_cpu_percent": cpu_percent(server, seconds)}
        for name, viewport, prepare in CASES:
            browser.run(name, "await page.goto(args)", f"http://{server.address('http')}/", viewport=viewport)
            browser.run(name, "await page.waitForFunction(() => dashboard.world.gameLoop !== undefined)")
            time.sleep(min(seconds, 3))
            if prepare:
                browser.run(name, f"await {prepare}")
            before, start = server.cpu_seconds(), time.perf_counter()
            drawn = browser.run(name, f"return {DRAWN}", seconds)
            share = 100 * (server.cpu_seconds() - before) / (time.perf_counter() - start)
            results[f"one page, {name}"] = {"daemon_cpu_percent": share, **drawn}
            browser.run(name, "await context.close()")
    return results


def table(results: dict[str, Any]) -> str:
    """As Markdown."""
    head = [
        "",
        "daemon, % of a core",
        "drawn a second",
        "the screen",
        "frames taken",
        "a draw, ms: p50 / p99 / max",
        "units",
    ]
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    for name, row in results.items():
        cells = [name, f"{row['daemon_cpu_percent']:.1f}"]
        if "draw_ms" in row:
            cells += [f"{row[key]:.1f}" for key in ("drawn_per_second", "screen_per_second", "frames_per_second")]
            cells += [" / ".join(f"{row['draw_ms'][key]:.2f}" for key in ("p50", "p99", "max")), str(row["units"])]
        else:
            cells += [""] * 5
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20, help="for each row")
    parser.add_argument("--quick", action="store_true", help="see that it works: figures of no worth")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "local" / "dashboard")
    arguments = parser.parse_args()
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    chromium = os.environ.get("CHROME") or next((found for name in names if (found := shutil.which(name))), None)
    if chromium is None:
        sys.exit("Chromium is missing (Debian: apt-get install chromium; or name it in the environment's CHROME)")
    if not (MODULES.parent / "node_modules" / "playwright-core").is_dir():
        sys.exit("playwright-core is missing: run `npm ci` in benchmarks/browser")
    recording = ROOT / "benchmarks" / "local" / "elite.mcap"
    recording.parent.mkdir(parents=True, exist_ok=True)
    if not recording.exists():
        with Process(["dotnet", DAEMON, "synth", "--preset", "elite", "-o", recording]) as synth:
            synth.wait()
    try:
        results = measure(chromium, recording, 1 if arguments.quick else arguments.seconds)
    except MeasureError as error:
        sys.exit(str(error))
    save(arguments.output, {"machine": machine(), "results": results}, table(results))
    print(table(results))


if __name__ == "__main__":
    main()

"""Measures codecs and transports, and writes the page: `dotnet make.cs report`."""

from __future__ import annotations

import argparse
import datetime
import shutil
import subprocess
import sys
import time
from pathlib import Path

from processes import MeasureError
from report import page, plan, results, results_csv, single_operations
from report.running import INTERRUPTED, Running, say

from recordings import LOCAL, import_sequences, make_elite

_OPERATIONS = "benchmarkdotnet"


def main() -> int:
    """Measure what is asked, and write the page of whatever there is then."""
    parser = argparse.ArgumentParser(prog="report", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few frames, no single operations: under five minutes")
    parser.add_argument(
        "--output", type=Path, help="folder for the page and the raw results (default: in benchmarks/local)"
    )
    parser.add_argument(
        "--page-only", action="store_true", help="measure nothing: write the page of what is in --output"
    )
    parser.add_argument(
        "--scale", type=float, default=1, help="share of a full run's time to take, 0.1 to 1 (default: 1, about 45 min)"
    )
    options = parser.parse_args()
    if not 0.1 <= options.scale <= 1:
        parser.error("--scale: from 0.1 to 1")
    kind = "quick" if options.quick else "full"
    folder = (options.output or LOCAL / f"{datetime.date.today()}-report-{kind}").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    command = f"dotnet make.cs report{' --quick' if options.quick else ''}"
    command += f" --scale {options.scale}" if options.scale != 1 else ""
    if options.page_only:
        write_page(folder, command, [], interrupted=False)
        return 0
    for old in [*folder.glob("match-*.json"), folder / "end-to-end.json"]:
        old.unlink(missing_ok=True)
    started = time.monotonic()
    missing: list[str] = []
    interrupted = False
    running: Running | None = None
    try:
        chosen = _plan(folder, quick=options.quick, scale=options.scale)
        missing += chosen.missing
        running = Running(chosen.parts, LOCAL / "report.log")
        say(f"measuring for about {chosen.seconds / 60:.0f} min; Ctrl-C ends it and writes the page of what there is")
        running.run()
        interrupted = running.interrupted
    except KeyboardInterrupt:
        interrupted = True
    if running is not None:
        missing += running.failed
        say("took: " + ", ".join(f"{title} {seconds:.0f} s" for title, seconds in running.seconds.items()))
    _take_operations(folder)
    path = write_page(folder, command, missing, interrupted=interrupted)
    say(f"{path} after {time.monotonic() - started:.0f} s")
    if interrupted:
        return INTERRUPTED
    # The page has them as well; a program that runs this reads the exit code.
    return 1 if running is not None and running.failed else 0


def write_page(folder: Path, command: str, missing: list[str], *, interrupted: bool) -> Path:
    """Write index.html and results.csv of the results in a folder. Returns the page's path."""
    runs = results.read_runs(folder)
    results_csv.write(runs, folder / "results.csv")
    raw = [
        path.relative_to(folder).as_posix()
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".json", ".csv", ".md")
    ]
    content = page.Content(
        title="Codecs and transports for StarCraft II observations, measured",
        command=command,
        runs=runs,
        end_to_end=results.read_end_to_end(folder),
        operations=single_operations.read(folder / _OPERATIONS),
        missing=missing,
        interrupted=interrupted or any(run.interrupted for run in runs),
        raw_files=raw,
    )
    path = folder / "index.html"
    page.write(content, path)
    return path


def _plan(folder: Path, *, quick: bool, scale: float) -> plan.Plan:
    try:
        elite = make_elite()
        _fetch_browser_codecs()
        if quick:
            return plan.quick(folder, elite)
        return plan.full(folder, elite, import_sequences(), _artifacts(), scale=scale)
    except MeasureError as error:
        raise SystemExit(f"report: {error}") from None


def _artifacts() -> Path:
    path = LOCAL / _OPERATIONS
    shutil.rmtree(path, ignore_errors=True)
    return path


def _fetch_browser_codecs() -> None:
    """`npm ci` where it was not done yet; where it fails, the run in the browser says so."""
    npm = shutil.which("npm")
    if plan.browser_missing() is None and npm is not None and not (plan.BROWSER / "node_modules").is_dir():
        say("fetching the browser's codecs (npm ci)")
        subprocess.run([npm, "ci", "--no-audit", "--no-fund"], cwd=plan.BROWSER, check=False, stdout=subprocess.DEVNULL)


def _take_operations(folder: Path) -> None:
    """BenchmarkDotNet's own reports, beside the page."""
    target = folder / _OPERATIONS
    for source in sorted((LOCAL / _OPERATIONS / "results").glob("*-report*")):
        if source.name.endswith(("-report.csv", "-report-github.md")):
            target.mkdir(exist_ok=True)
            shutil.copyfile(source, target / source.name)


if __name__ == "__main__":
    sys.exit(main())

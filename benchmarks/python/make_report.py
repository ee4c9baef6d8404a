"""Measures codecs and transports, and writes the page: `dotnet make.cs report`."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from fnmatch import fnmatchcase
from pathlib import Path

from processes import MeasureError
from report import figures_json, others, page, plan, results, results_csv, single_operations
from report.running import INTERRUPTED, Journal, Running, say

from recordings import LOCAL, Sequences, import_sequences, make_elite, make_levels, make_noisy

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
        "--scale",
        type=float,
        default=1,
        help="share of a full run's time to take, 0.05 to 1 (default: 1, about 100 minutes)",
    )
    parser.add_argument(
        "--only", metavar="GLOB", action="append", help="only the parts whose title matches; repeatable"
    )
    options = parser.parse_args()
    if not 0.05 <= options.scale <= 1:
        parser.error("--scale: from 0.05 to 1")
    kind = "quick" if options.quick else "full"
    folder = (options.output or LOCAL / f"report-{kind}").resolve()
    if options.page_only and not list(folder.glob("*-*.json")):
        parser.error(f"--page-only: {folder} has no results")
    folder.mkdir(parents=True, exist_ok=True)
    command = f"dotnet make.cs report{' --quick' if options.quick else ''}"
    command += f" --scale {options.scale}" if options.scale != 1 else ""
    if options.page_only:
        write_page(folder, command, [], interrupted=False)
        return 0
    started = time.monotonic()
    missing: list[str] = []
    interrupted = False
    running: Running | None = None
    _take_operations(folder)
    try:
        chosen = _plan(folder, quick=options.quick, scale=options.scale)
        missing += chosen.missing
        globs = [each.lower() for each in options.only or ("*",)]
        parts = [part for part in chosen.parts if any(fnmatchcase(part.title.lower(), each) for each in globs)]
        if not parts:
            parser.error(f"--only: no part matches; there are {', '.join(part.title for part in chosen.parts)}")
        journal = None if options.quick else Journal(folder / "done.json")
        running = Running(parts, LOCAL / "report.log", journal=journal)
        say(
            f"measuring for about {sum(part.seconds for part in parts) / 60:.0f} min; Ctrl-C ends it and writes the "
            f"page of what there is{'' if options.quick else '; the same command continues'}"
        )
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
    exact_sizes = results.read_exact_sizes(folder)
    runs = results.read_matches(folder, exact_sizes)
    posts = results.read_runs(folder, "post-*.json")
    results_csv.write([*runs, *posts], folder / "results.csv")
    end_to_end = results.read_end_to_end(folder)
    figures_json.write(runs, end_to_end, folder / "figures.json", others.figures(folder))
    raw = [
        path.relative_to(folder).as_posix()
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".json", ".csv", ".md")
    ]
    content = page.Content(
        title="How should I move my game state?",
        command=command,
        runs=runs,
        posts=posts,
        exact_sizes=exact_sizes,
        end_to_end=end_to_end,
        operations=single_operations.read(folder / _OPERATIONS),
        missing=missing,
        interrupted=interrupted or any(run.interrupted for run in runs),
        raw_files=raw,
        folder=folder,
        parts=Journal(folder / "done.json").read(),
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
        plain = import_sequences()
        sequences = Sequences(plain, make_noisy(plain))
        return plan.full(folder, elite, sequences, LOCAL / _OPERATIONS, make_levels(), scale=scale)
    except MeasureError as error:
        raise SystemExit(f"report: {error}") from None


def _fetch_browser_codecs() -> None:
    """`npm ci` where it was not done yet; where it fails, the run in the browser says so."""
    npm = shutil.which("npm")
    if plan.browser_missing() is None and npm is not None and not (plan.BROWSER / "node_modules").is_dir():
        say("fetching the browser's codecs (npm ci)")
        subprocess.run([npm, "ci", "--no-audit", "--no-fund"], cwd=plan.BROWSER, check=False, stdout=subprocess.DEVNULL)


def _take_operations(folder: Path) -> None:
    """BenchmarkDotNet's own reports, beside the page: a folder for each part."""
    for source in sorted((LOCAL / _OPERATIONS).glob("*/results/*-report*")):
        if source.name.endswith(("-report.csv", "-report-github.md", "-report.html")):
            target = folder / _OPERATIONS / source.parents[1].name
            target.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target / source.name)


if __name__ == "__main__":
    sys.exit(main())

"""Measures only the codecs and benchmarks whose name matches: `dotnet make.cs bench --filter 'protojson*'`."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from report import plan, results, single_operations
from report.running import INTERRUPTED, Running
from report.text import kilobytes, milliseconds, spread

from recordings import LOCAL, SKIRMISH

_LANGUAGES = {"csharp": 20.0, "python": 30.0}


def parts(pattern: str, recording: Path, folder: Path, *, frames: int) -> list[plan.Part]:
    """Match runs in C#, Python and the browser, and single operations, of what matches."""
    found = []
    for language, budget in _LANGUAGES.items():
        names = plan.matching(language, pattern)
        if names:
            found.append(plan.match_run(language, recording, folder, names, budget=budget, frames=frames))
    names = plan.matching_in_browser(pattern)
    if names:
        found.append(plan.browser_run(recording, folder, frames=min(frames, 100), rounds=2, seconds=40, names=names))
    bare = pattern.strip("*")
    if "+" not in pattern:
        found.append(plan.short_operations(folder / "operations", f"*{bare}*", 60))
    return found


def main() -> int:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument(
        "--filter", required=True, metavar="GLOB", help="names of codecs (protojson*, *+zstd) or benchmarks"
    )
    parser.add_argument("--recording", type=Path, default=SKIRMISH, help="a recording (default: the small one)")
    parser.add_argument("--frames", type=int, default=200, help="evenly spaced frames to take (default: 200)")
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="JSON to FILE, or to standard output")
    options = parser.parse_args()
    LOCAL.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        chosen = parts(options.filter, options.recording.resolve(), folder, frames=options.frames)
        running = Running(chosen, LOCAL / "bench.log", output=sys.stderr)
        running.run()
        value = _collect(folder, running)
    if options.json is None:
        _print(value["matches"], value["operations"])
    elif options.json == "-":
        print(json.dumps(value))
    else:
        Path(options.json).write_text(json.dumps(value) + "\n", encoding="utf-8")
    if not value["matches"] and not value["operations"]:
        print(f"bench: nothing matches {options.filter}", file=sys.stderr)
        return 2
    if running.interrupted:
        return INTERRUPTED
    return 1 if running.failed else 0


def _collect(folder: Path, running: Running) -> dict[str, Any]:
    operations = single_operations.read(folder / "operations" / "results")
    return {
        "interrupted": running.interrupted,
        "failed": running.failed,
        "matches": [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("match-*.json"))],
        "operations": operations.tables if operations else {},
    }


def _print(matches: list[dict[str, Any]], operations: dict[str, list[dict[str, str]]]) -> None:
    for value in matches:
        print(
            f"\n{value['recording']['file']}, {value['language']}, {value['rounds']} rounds; ms, spread of the rounds"
        )
        for name, codec in value["codecs"].items():
            times = {each: results.Timing.read(codec.get(f"{each}_ns")) for each in results.OPERATIONS}
            cells = [
                f"{each} {milliseconds(timing.trimmed_mean)} ({spread(timing.rounds, 1e-6)})"
                for each, timing in times.items()
                if timing is not None
            ]
            size = codec.get("bytes") or {}
            print(
                f"{name:<26} {kilobytes(size.get('mean'))} KB  {'  '.join(cells)}  {codec.get('error') or ''}".rstrip()
            )
    for name, rows in operations.items():
        print(f"\n{name}")
        for row in rows:
            known = (row.get(each, "") for each in ("Method", "Observation", "Codec", "Mean", "Error", "Allocated"))
            print("  ".join(each for each in known if each))


if __name__ == "__main__":
    sys.exit(main())

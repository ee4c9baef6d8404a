"""What the tests cost: seconds by file and by .NET project, as a table in Markdown.

python tests/system/support/costs.py FOLDER [ROWS], after `dotnet make.cs test` with ABATHUR_TEST_COSTS=FOLDER: the
folder gets a line for each Python test, and artifacts/test-results has the results of .NET.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[3]
TRX = "{http://microsoft.com/schemas/VisualStudio/TeamTest/2010}"


def spent() -> tuple[float, float]:
    """Seconds of the clock, and of processors: of this process, and of those that it started and that have ended."""
    return time.perf_counter(), sum(os.times()[:4])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Write down what a test has cost, with its fixtures."""
    before = spent()
    try:
        return (yield)
    finally:
        if folder := os.environ.get("ABATHUR_TEST_COSTS"):
            wall, processor = (after - start for start, after in zip(before, spent(), strict=True))
            Path(folder).mkdir(parents=True, exist_ok=True)
            with (Path(folder) / f"{os.getpid()}.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps([item.nodeid, wall, processor]) + "\n")


def of_python(folder: Path) -> Iterator[tuple[str, float, float]]:
    for file in folder.glob("*.jsonl"):
        for line in file.read_text(encoding="utf-8").splitlines():
            name, wall, processor = json.loads(line)
            yield name.partition("::")[0], wall, processor


def of_dotnet() -> Iterator[tuple[str, float, float]]:
    """By class. What a test takes of a processor is not known."""
    for file in (ROOT / "artifacts" / "test-results").glob("**/*.trx"):
        results = ElementTree.parse(file).getroot()
        classes = {
            test.get("id"): method.get("className", "")
            for test in results.iter(f"{TRX}UnitTest")
            if (method := test.find(f"{TRX}TestMethod")) is not None
        }
        for result in results.iter(f"{TRX}UnitTestResult"):
            hours, minutes, seconds = result.get("duration", "0:0:0").split(":")
            yield classes[result.get("testId")], 3600 * int(hours) + 60 * int(minutes) + float(seconds), 0


def table(costs: Iterator[tuple[str, float, float]], rows: int) -> str:
    """The costliest first."""
    wall, processor, tests = Counter[str](), Counter[str](), Counter[str]()
    for name, seconds, cpu in costs:
        wall[name] += seconds
        processor[name] += cpu
        tests[name] += 1
    lines = ["| | tests | s | CPU s |", "|---|---:|---:|---:|"]
    lines += [
        f"| {name} | {tests[name]} | {wall[name]:.1f} | {processor[name]:.1f} |" for name, _ in wall.most_common(rows)
    ]
    lines.append(f"| all {len(wall)} | {tests.total()} | {wall.total():.0f} | {processor.total():.0f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    print(table(of_python(Path(sys.argv[1])), rows), table(of_dotnet(), rows), sep="\n\n")

"""What the command lines of benchmarks have in common: rounds, results, exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from figures import Figures, machine, save
from processes import ROOT, MeasureError

#: Seconds that a process may take.
_TIMEOUT = 300


def output_of(line: list[str], **environment: str) -> str:
    """What a program prints that measures in a process of its own.

    Raises:
        MeasureError: it fails, or takes too long.
    """
    try:
        done = subprocess.run(
            line, capture_output=True, text=True, env=os.environ | environment, timeout=_TIMEOUT, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MeasureError(str(error)) from None
    if done.returncode != 0:
        changed = "".join(f"{name}={value} " for name, value in environment.items())
        raise MeasureError(f"{changed}{' '.join(line)} failed: {done.stderr}")
    return done.stdout


def rounds(count: int) -> Iterator[int]:
    """Their numbers, each told."""
    for number in range(1, count + 1):
        print(f"round {number} of {count}", flush=True)
        yield number


def run(name: str, output: Path, measure: Callable[[Figures], str]) -> int:
    """Measure; save and print the page.

    Args:
        name: The benchmark, for errors.
        output: Folder of the results.
        measure: Adds the figures, and returns the page.

    Returns:
        The exit code: 1 if something could not be measured, 130 after Ctrl-C.
    """
    figures = Figures()
    try:
        text = measure(figures)
    except MeasureError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    save(output, {"machine": machine(), "figures": figures.to_json()}, text)
    (output / "figures.json").write_text(json.dumps(figures.by_name(), indent=1) + "\n")
    print(text)
    print(f"results in {output.relative_to(ROOT) if output.is_relative_to(ROOT) else output}")
    return 0

"""What the command lines of benchmarks have in common: rounds, results, exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from figures import Figures, machine, save
from processes import ROOT, MeasureError


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
    print(text)
    print(f"results in {output.relative_to(ROOT) if output.is_relative_to(ROOT) else output}")
    return 0

"""How costs grow with readers, sizes, rates and lengths: `dotnet make.cs bench growth`."""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import abathur
import growth_page
from figures import Figures
from growth_questions import FULL, QUESTIONS, QUICK, Question, Scale
from processes import MeasureError
from runs import arguments, rounds, run

from recordings import LOCAL

_FILES = 4096


def _allow_files() -> None:
    """Let daemon and readers open as many connections as the daemon takes, where the system allows it."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


@dataclass
class Growth:
    """A run: the figures so far, and where they were measured."""

    scale: Scale
    figures: Figures = field(default_factory=Figures)
    points: dict[str, list[float]] = field(default_factory=dict)
    errors: dict[str, list[str]] = field(default_factory=dict)

    def measure(self, question: Question) -> None:
        """One round of a question. What cannot be measured is noted; the points before it stay."""
        started = time.monotonic()
        points = self.points.setdefault(question.name, [])
        LOCAL.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="growth-", dir=LOCAL) as folder:
            try:
                for x, values in question.measure(self.scale, Path(folder)):
                    if x not in points:
                        points.append(x)
                    for metric in [each for each in growth_page.METRICS if each in values]:
                        unit = growth_page.METRICS[metric][1]
                        self.figures.add(unit, values[metric], question.name, f"{x:g}", metric)
                    shown = ", ".join(f"{name} {value:,.4g}" for name, value in values.items())
                    print(f"{question.name} {x:g}: {shown}", flush=True)
            except (MeasureError, abathur.AbathurError) as error:
                self.errors.setdefault(question.name, []).append(str(error))
                print(f"{question.name}: {error}", file=sys.stderr, flush=True)
        print(f"{question.name}: {time.monotonic() - started:.1f} s", flush=True)


def main() -> int:
    """Measure, and write the page and the charts."""
    names = "; ".join(question.name for question in QUESTIONS)
    more = {"--only": {"metavar": "TEXT", "default": "", "help": f"questions with TEXT in: {names}"}}
    options = arguments("growth", __doc__, more, quick="few points; for what is counted", rounds=(3, "rounds", 1))
    questions = [each for each in QUESTIONS if options.only in each.name]
    if not questions:
        print(f"growth: no question has {options.only!r} in its name", file=sys.stderr)
        return 2
    _allow_files()
    growth = Growth(QUICK if options.quick else FULL)
    found: dict[str, Any] = {"errors": growth.errors, "exponents": {}}

    def measured(figures: Figures) -> None:
        growth.figures = figures
        for _ in rounds(options.rounds):
            for question in questions:
                growth.measure(question)

    def written(figures: Figures) -> str:
        made = [(each, growth.points[each.name]) for each in questions if each.name in growth.points]
        for question, xs in made:
            points = growth_page.series(figures, question, xs)
            fits = growth_page.exponents(points)
            found["exponents"][question.name] = {
                metric: {"exponent": each.exponent, "verdict": each.verdict, "points": each.points}
                for metric, each in fits.items()
            }
            print("\n".join([question.name, *growth_page.lines(fits)]))
            if fits:
                options.output.mkdir(parents=True, exist_ok=True)
                (options.output / question.file).write_text(growth_page.chart(question, points))
        return growth_page.page(figures, made, growth.errors, options)

    return run(options, measured, written, found)


if __name__ == "__main__":
    sys.exit(main())

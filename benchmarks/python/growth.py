"""How costs grow with readers, sizes, rates and lengths: `dotnet make.cs bench growth`."""

from __future__ import annotations

import argparse
import datetime
import sys
import tempfile
import time
from pathlib import Path

import abathur
import growth_page
from figures import Figures, machine, save
from growth_questions import FULL, QUESTIONS, QUICK, Question, Scale, chosen
from processes import ROOT, MeasureError

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


class Growth:
    """A run: the figures so far, and where they were measured."""

    def __init__(self, scale: Scale) -> None:
        self.figures = Figures()
        self.points: dict[str, list[float]] = {}
        self.errors: dict[str, list[str]] = {}
        self._scale = scale

    def measure(self, question: Question) -> None:
        """One round of a question. What cannot be measured is noted; the points before it stay."""
        started = time.monotonic()
        points = self.points.setdefault(question.name, [])
        LOCAL.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="growth-", dir=LOCAL) as folder:
            try:
                for x, values in question.measure(self._scale, Path(folder)):
                    if x not in points:
                        points.append(x)
                    for metric, value in values.items():
                        self.figures.add(growth_page.METRICS[metric][1], value, question.name, f"{x:g}", metric)
                    shown = ", ".join(f"{name} {value:,.4g}" for name, value in values.items())
                    print(f"{question.name} {x:g}: {shown}", flush=True)
            except (MeasureError, abathur.AbathurError) as error:
                self.errors.setdefault(question.name, []).append(str(error))
                print(f"{question.name}: {error}", file=sys.stderr, flush=True)
        print(f"{question.name}: {time.monotonic() - started:.1f} s", flush=True)

    def save(self, questions: list[Question], folder: Path, rounds: int) -> None:
        """Write the page, the charts and results.json; print the exponents."""
        quick = self._scale is QUICK
        about = machine()
        measured = [(each, self.points[each.name], self.errors.get(each.name, [])) for each in questions]
        text = growth_page.page(self.figures, measured, about, rounds, quick)
        found = {}
        for question, xs, _ in measured:
            points = growth_page.series(self.figures, question, xs)
            fits = growth_page.exponents(points)
            found[question.name] = {
                metric: {"exponent": each.exponent, "verdict": each.verdict, "points": each.points}
                for metric, each in fits.items()
            }
            print("\n".join([question.name, *growth_page.lines(fits)]))
            if fits:
                folder.mkdir(parents=True, exist_ok=True)
                (folder / question.file).write_text(growth_page.chart(question, points))
        results = {"machine": about, "quick": quick, "rounds": rounds, "exponents": found, "errors": self.errors}
        save(folder, {**results, "figures": self.figures.to_json()}, text)


def main() -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="dotnet make.cs bench growth", description=__doc__)
    parser.add_argument(
        "--only", metavar="TEXT", help=f"questions with TEXT in: {'; '.join(q.name for q in QUESTIONS)}"
    )
    parser.add_argument("--quick", action="store_true", help="few points, half a minute; for what is counted")
    parser.add_argument("--rounds", type=int, help="rounds (default: 3; quick: 1)")
    parser.add_argument(
        "--output", type=Path, default=LOCAL / f"{datetime.date.today()}-growth", help="folder of the results"
    )
    options = parser.parse_args()
    rounds = options.rounds if options.rounds is not None else 1 if options.quick else 3
    questions = chosen(options.only)
    if rounds < 1:
        parser.error("--rounds must be at least 1")
    if not questions:
        parser.error(f"no question has {options.only!r} in its name")
    _allow_files()
    growth = Growth(QUICK if options.quick else FULL)
    interrupted = False
    try:
        for number in range(rounds):
            print(f"round {number + 1} of {rounds}", flush=True)
            for question in questions:
                growth.measure(question)
    except KeyboardInterrupt:
        interrupted = True
        print("interrupted: writing what is measured", flush=True)
    growth.save([each for each in questions if each.name in growth.points], options.output, rounds)
    shown = options.output.relative_to(ROOT) if options.output.is_relative_to(ROOT) else options.output
    print(f"results in {shown}")
    return 130 if interrupted else 1 if growth.errors else 0


if __name__ == "__main__":
    sys.exit(main())

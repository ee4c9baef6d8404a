"""Compares the figures of README and docs with committed results.

``benchmarks/claims.json`` names them: the document, the sentence or row of a table with its figures in braces, and for
each what it is, the folder in benchmarks/results and a name in its figures.json, or the quotient of two::

    {
      "document": "docs/agents.md",
      "sentence": "decoded in {0.29 ms}, which is {12 times} faster",
      "figures": [
        "2026-11-29-report odyssey-zvp-full/python/columns+zstd-stream/ready_ms",
        "2026-11-29-report odyssey-zvp-full/python/protobuf/ready_ms / odyssey-zvp-full/python/columns/ready_ms"
      ]
    }

The document must have the sentence, once, and each number must be between the least and the most of the rounds, as it
is rounded.

A result that is a page and has no figures.json is quoted: ``2026-11-22-churn "there within 10 ms"``. Its README must
have these words, and they the number.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_NUMBER = r"\d[\d,]*\.?\d*"
_FIGURE = re.compile(rf"{{({_NUMBER})( ?)([^}}]*)}}")
_ONE = {"value": 1.0, "low": 1.0, "high": 1.0}
#: By how much a text's unit is larger than that of the figure.
_UNITS = {"KB": 1e3, "MB": 1e6, "µs": 1e-3, "%": 1e-2}


@dataclass(frozen=True)
class Claim:
    """A sentence or row of a document, and what its figures are."""

    document: str
    sentence: str
    figures: tuple[str, ...]

    def problems(self) -> Iterator[str]:
        """What is wrong with it."""
        where = f"{self.document}: {self.sentence}"
        found = len(self._pattern().findall(_read(self.document)))
        if found != 1:
            yield f"{where}: the document has this sentence {found} times"
        numbers = _FIGURE.findall(self.sentence)
        if len(numbers) != len(self.figures):
            yield f"{where}: {len(numbers)} numbers in braces, and {len(self.figures)} figures"
        for (number, _, unit), figure in zip(numbers, self.figures, strict=False):
            if problem := _problem(number, unit, figure):
                yield f"{where}: {number} {unit}".rstrip() + f": {problem}"

    def refreshed(self, report: str) -> Claim:
        """The sentence with the numbers of its results, with as many decimals, and of the newest report."""
        names = tuple(re.sub(r"^\S+-report ", f"{report} ", each) for each in self.figures)
        numbers = iter(names)
        return replace(
            self, sentence=_FIGURE.sub(lambda match: _refreshed(match, next(numbers)), self.sentence), figures=names
        )

    def write(self, new: Claim) -> None:
        """Put another sentence in its place."""
        path = _ROOT / self.document
        given = (figure[0][1:-1] for figure in _FIGURE.finditer(new.sentence))
        text = self._pattern().sub(lambda match: _filled(match, list(given)), path.read_text(encoding="utf-8"), count=1)
        path.write_text(text, encoding="utf-8", newline="\n")

    def _pattern(self) -> re.Pattern[str]:
        """Finds the sentence, wherever its lines break. What is between figures are groups."""
        parts = re.split(r"\{([^}]*)\}", self.sentence)
        return re.compile(
            "".join(rf"({_words(part)})" if at % 2 == 0 else _words(part) for at, part in enumerate(parts))
        )


def _words(text: str) -> str:
    return re.sub(r"(?:\\ )+", r"\\s+", re.escape(text))


def _filled(match: re.Match[str], numbers: list[str]) -> str:
    between = match.groups()
    return between[0] + "".join(number + text for number, text in zip(numbers, between[1:], strict=True))


def _refreshed(match: re.Match[str], figure: str) -> str:
    number, space, unit = match.groups()
    folder, name = figure.split(" ", 1)
    if name.startswith('"'):
        return match[0]
    over, under = _quotient(folder, name)
    value = over["value"] / under["value"] / _UNITS.get(unit, 1)
    return f"{{{value:,.{len(number.partition('.')[2])}f}{space}{unit}}}"


def _problem(number: str, unit: str, figure: str) -> str | None:
    """What is wrong with a figure; None: it is within the spread of its result."""
    folder, name = figure.split(" ", 1)
    if name.startswith('"'):
        return _problem_of_quote(number, folder, name)
    try:
        over, under = _quotient(folder, name)
    except KeyError as error:
        return f"{folder} has no figure {error}"
    low, high = over["low"] / under["high"], over["high"] / under["low"]
    scale = _UNITS.get(unit, 1)
    half = 0.5 * 10.0 ** -len(number.partition(".")[2]) * scale
    if low - half <= float(number.replace(",", "")) * scale <= high + half:
        return None
    return f"{name} is {low:.4g} to {high:.4g}"


def _problem_of_quote(number: str, folder: str, name: str) -> str | None:
    quote = name.strip('"')
    page = _ROOT / "benchmarks" / "results" / folder / "README.md"
    if not page.exists() or quote not in " ".join(page.read_text(encoding="utf-8").split()):
        return f"{folder} does not say {name}"
    if number not in re.findall(rf"{_NUMBER}(?<![.,])", quote):
        return f"the number is not in {name}"
    return None


def _quotient(folder: str, name: str) -> tuple[dict[str, float], dict[str, float]]:
    """What a name divides; a name alone is divided by 1."""
    known = figures(folder)
    above, _, below = name.partition(" / ")
    return known[above], known[below] if below else _ONE


@cache
def figures(folder: str) -> dict[str, dict[str, float]]:
    """The figures of a committed result."""
    path = _ROOT / "benchmarks" / "results" / folder / "figures.json"
    if not path.exists():
        raise KeyError(path.relative_to(_ROOT).as_posix())
    value: dict[str, dict[str, float]] = json.loads(path.read_text(encoding="utf-8"))
    return value


def claims() -> list[Claim]:
    """All of them."""
    entries = json.loads((_ROOT / "benchmarks" / "claims.json").read_text(encoding="utf-8"))
    return [Claim(each["document"], each["sentence"], tuple(each["figures"])) for each in entries]


def newest_report() -> str:
    """The newest committed report."""
    return sorted(path.name for path in (_ROOT / "benchmarks" / "results").glob("*-report"))[-1]


def write() -> None:
    """Set the figures of documents, and their links to a report, to those of the newest report."""
    report = newest_report()
    new = []
    for claim in claims():
        new.append(claim.refreshed(report))
        claim.write(new[-1])
    entries = [{"document": each.document, "sentence": each.sentence, "figures": list(each.figures)} for each in new]
    text = json.dumps(entries, indent=2, ensure_ascii=False) + "\n"
    (_ROOT / "benchmarks" / "claims.json").write_text(text, encoding="utf-8", newline="\n")
    for document in {each.document for each in new}:
        path = _ROOT / document
        text = re.sub(r"results/[\d-]+-report/", f"results/{report}/", path.read_text(encoding="utf-8"))
        path.write_text(text, encoding="utf-8", newline="\n")


def _read(document: str) -> str:
    path = _ROOT / document
    return path.read_text(encoding="utf-8") if path.exists() else ""


def main() -> int:
    """Check every claim, or write those of reports."""
    parser = argparse.ArgumentParser(prog="claims", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", action="store_true", help="set the figures to those of the newest report")
    if parser.parse_args().write:
        write()
    problems = [problem for claim in claims() for problem in claim.problems()]
    print("\n".join(problems) or "every figure is within the spread of its result")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

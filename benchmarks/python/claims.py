"""Compares the figures of README and docs with committed results, and writes README's section of them.

A figure is followed by a comment that names its source, which Markdown does not show::

    in 0.29 ms<!-- 2026-11-24-report odyssey-zvp-full/python/columns+zstd-stream/ready_ms -->

The first word is a folder of benchmarks/results, the rest a name in its figures.json, or the quotient of two
(``A / B``). The number before the comment must be between the least and the most of the rounds, as it is rounded.

A result that is a page and no figures.json is quoted: ``within 10 ms<!-- 2026-11-22-churn "there within 10 ms" -->``.
Its README must have these words, and they the number.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_RESULTS = _ROOT / "benchmarks" / "results"
_NUMBER = r"\d[\d,]*\.?\d*"
_CLAIM = re.compile(
    rf"(?P<number>{_NUMBER}) ?(?P<unit>[A-Za-zµ/%]+)?[^<\d]*<!-- (?P<folder>\d{{4}}-\d\d-\d\d-\S+) (?P<name>.+?) -->"
)
_ONE = {"value": 1.0, "low": 1.0, "high": 1.0}
_MARKER = re.compile(r"<!-- \d{4}-\d\d-\d\d-\S+ .+? -->")
#: By how much a text's unit is larger than that of the figure.
_UNITS = {"KB": 1e3, "MB": 1e6, "µs": 1e-3, "%": 1e-2}
_BEGIN, _END = "<!-- measured: python benchmarks/python/claims.py --write -->", "<!-- end of measured -->"


@dataclass(frozen=True)
class Claim:
    """A figure in a text."""

    file: str
    line: int
    text: str
    folder: str
    name: str

    def problem(self) -> str | None:
        """What is wrong with it; None: it is within the spread of its result."""
        where = f"{self.file}:{self.line}: {self.text}"
        if self.name.startswith('"'):
            return self._problem_of_quote(where)
        try:
            low, high = self._range()
        except KeyError as error:
            return f"{where}: {self.folder} has no figure {error}"
        number, unit = self._parts()
        value = float(number.replace(",", "")) * unit
        half = 0.5 * 10.0 ** -len(number.partition(".")[2]) * unit
        if low - half <= value <= high + half:
            return None
        return f"{where}: {self.name} is {low:.4g} to {high:.4g}"

    def refreshed(self) -> str:
        """The number as its result has it, with as many decimals."""
        number, unit = self._parts()
        if self.name.startswith('"'):
            return number
        over, under = self._quotient()
        value = over["value"] / under["value"]
        return f"{value / unit:,.{len(number.partition('.')[2])}f}"

    def _range(self) -> tuple[float, float]:
        over, under = self._quotient()
        return over["low"] / under["high"], over["high"] / under["low"]

    def _quotient(self) -> tuple[dict[str, float], dict[str, float]]:
        """What the name divides; a name alone is divided by 1."""
        known = figures(self.folder)
        above, _, below = self.name.partition(" / ")
        return known[above], known[below] if below else _ONE

    def _parts(self) -> tuple[str, float]:
        match = re.match(rf"({_NUMBER}) ?(\S*)", self.text)
        assert match is not None
        return match[1], _UNITS.get(match[2], 1)

    def _problem_of_quote(self, where: str) -> str | None:
        quote = self.name.strip('"')
        page = _RESULTS / self.folder / "README.md"
        if not page.exists() or quote not in " ".join(page.read_text(encoding="utf-8").split()):
            return f"{where}: {self.folder} does not say {self.name}"
        if self._parts()[0] not in re.findall(rf"{_NUMBER}(?<![.,])", quote):
            return f"{where}: the number is not in {self.name}"
        return None


@cache
def figures(folder: str) -> dict[str, dict[str, float]]:
    """The figures of a committed result."""
    path = _RESULTS / folder / "figures.json"
    if not path.exists():
        raise KeyError(str(path.relative_to(_ROOT)))
    value: dict[str, dict[str, float]] = json.loads(path.read_text(encoding="utf-8"))
    return value


def texts() -> list[Path]:
    """README and docs."""
    return [_ROOT / "README.md", *sorted((_ROOT / "docs").glob("*.md"))]


def claims(path: Path) -> Iterator[Claim]:
    """The figures of a text that name their source.

    Raises:
        ValueError: a comment names a source, but no number stands before it.
    """
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        found = list(_CLAIM.finditer(line))
        if len(found) != len(_MARKER.findall(line)):
            raise ValueError(f"{path.name}:{number}: a source without a number before it")
        yield from (_claim(match, path, number) for match in found)


def refresh(path: Path) -> None:
    """Set the figures of a text that come from a figures.json to their values."""
    text = path.read_text(encoding="utf-8")
    new = _CLAIM.sub(lambda match: _claim(match, path, 0).refreshed() + match[0][len(match["number"]) :], text)
    path.write_text(new, encoding="utf-8", newline="\n")


def _claim(match: re.Match[str], path: Path, line: int) -> Claim:
    text = f"{match['number']} {match['unit'] or ''}".strip()
    return Claim(path.relative_to(_ROOT).as_posix(), line, text, match["folder"], match["name"])


def measured(text: str) -> str:
    """README's section of figures, made of the newest report.

    Args:
        text: The README.
    """
    folder = newest()
    known = figures(folder)
    recording = next(name.partition("/")[0] for name in known if name.partition("/")[0].endswith("-full"))
    rows = []
    for what, encoding in _ROWS:
        cells = [_cell(known, folder, f"{recording}/{each}") for each in _cells(encoding)]
        rows.append(f"| {what} | {' | '.join(cells)} |")
    head = "| encoding | bytes a frame | encode, C# | decode, C# | decode, Python |\n|---|---:|---:|---:|---:|"
    note = (
        f"One frame of a match that is rebuilt from a replay ({recording}), until every field is read or all columns "
        f"are arrays. What is\nmodelled in it, and other encodings, languages and transports: "
        f"[report](benchmarks/results/{folder}/index.html)."
    )
    block = "\n".join([_BEGIN, "", note, "", head, *rows, "", _END])
    start, end = text.index(_BEGIN), text.index(_END) + len(_END)
    return text[:start] + block + text[end:]


_ROWS = (
    ("protobuf", "protobuf"),
    ("JSON", "protojson"),
    ("`zstd-stream`", "zstd-stream"),
    ("`columns`", "columns"),
    ("`columns` with `zstd-stream`", "columns+zstd-stream"),
)


def newest() -> str:
    """The newest committed report."""
    return sorted(path.name for path in _RESULTS.glob("*-report"))[-1]


def _cells(encoding: str) -> tuple[str, str, str, str]:
    python = "orjson" if encoding == "protojson" else encoding
    csharp = f"csharp/{encoding}"
    return f"{csharp}/bytes", f"{csharp}/encode_ms", f"{csharp}/ready_ms", f"python/{python}/ready_ms"


def _cell(known: dict[str, dict[str, float]], folder: str, name: str) -> str:
    if name not in known:
        return ""
    value = known[name]["value"]
    text = f"{value:,.0f}" if name.endswith("bytes") else f"{value:.3g} ms"
    return f"{text}<!-- {folder} {name} -->"


def main() -> int:
    """Check every claim, or write those of reports, and README's section."""
    parser = argparse.ArgumentParser(prog="claims", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write README's section, and figures of reports")
    if parser.parse_args().write:
        readme = _ROOT / "README.md"
        readme.write_text(measured(readme.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
        for path in texts():
            refresh(path)
    problems = [problem for path in texts() for claim in claims(path) if (problem := claim.problem())]
    print("\n".join(problems) or "every figure is within the spread of its result")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

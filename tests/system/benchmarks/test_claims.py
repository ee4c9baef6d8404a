"""Figures in README and docs are those of committed results."""

from __future__ import annotations

import json
from pathlib import Path

import claims
import pytest


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A committed report, and a README beside it."""
    folder = tmp_path / "benchmarks" / "results" / "2026-01-02-report"
    folder.mkdir(parents=True)
    figures = {
        "m-full/csharp/protobuf/bytes": {"value": 60_550.4, "low": 60_550.4, "high": 60_550.4},
        "m-full/csharp/protobuf/encode_ms": {"value": 0.2, "low": 0.19, "high": 0.23},
        "m-full/python/protobuf/ready_ms": {"value": 12.0, "low": 11.0, "high": 13.0},
        "m-full/python/columns/ready_ms": {"value": 1.0, "low": 0.9, "high": 1.1},
    }
    (folder / "figures.json").write_text(json.dumps(figures))
    page = tmp_path / "benchmarks" / "results" / "2026-01-03-page" / "README.md"
    page.parent.mkdir()
    page.write_text("The most was 1,317 MB, and\n99.5 % came in time.\n")
    monkeypatch.setattr(claims, "_ROOT", tmp_path)
    monkeypatch.setattr(claims, "_RESULTS", folder.parent)
    claims.figures.cache_clear()
    return tmp_path


def problems(root: Path, text: str) -> list[str]:
    path = root / "README.md"
    path.write_text(text)
    return [problem for claim in claims.claims(path) if (problem := claim.problem())]


SOURCE = "2026-01-02-report m-full"


@pytest.mark.parametrize(
    "text",
    [
        f"takes 60,550<!-- {SOURCE}/csharp/protobuf/bytes --> bytes",
        f"takes 60.6 KB<!-- {SOURCE}/csharp/protobuf/bytes -->",
        f"in 0.19 ms<!-- {SOURCE}/csharp/protobuf/encode_ms -->",
        f"in 230 µs<!-- {SOURCE}/csharp/protobuf/encode_ms -->",
        'at most 1,317 MB<!-- 2026-01-03-page "most was 1,317 MB" -->',
        'for 99.5 % of them<!-- 2026-01-03-page "and 99.5 % came in time." -->',
        f"| 12 times<!-- {SOURCE}/python/protobuf/ready_ms / m-full/python/columns/ready_ms --> | 1.1 ms"
        f"<!-- {SOURCE}/python/columns/ready_ms --> |",
    ],
)
def test_a_figure_within_the_spread_is_right(known: Path, text: str) -> None:
    assert problems(known, text) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            f"60,552<!-- {SOURCE}/csharp/protobuf/bytes -->",
            "README.md:1: 60,552: m-full/csharp/protobuf/bytes is 6.055e+04",
        ),
        (
            f"0.17 ms<!-- {SOURCE}/csharp/protobuf/encode_ms -->",
            "README.md:1: 0.17 ms: m-full/csharp/protobuf/encode_ms is",
        ),
        (f"9 times<!-- {SOURCE}/python/protobuf/ready_ms / m-full/python/columns/ready_ms -->", "is 10 to 14.44"),
        (
            f"1 ms<!-- {SOURCE}/python/json/ready_ms -->",
            "2026-01-02-report has no figure 'm-full/python/json/ready_ms'",
        ),
        ('1,318 MB<!-- 2026-01-03-page "most was 1,317 MB" -->', 'the number is not in "most was 1,317 MB"'),
        ('317 MB<!-- 2026-01-03-page "most was 1,317 MB" -->', 'the number is not in "most was 1,317 MB"'),
        ('1,317 MB<!-- 2026-01-03-page "least was 1,317 MB" -->', '2026-01-03-page does not say "least was'),
        ('1,317 MB<!-- 2026-01-04-page "most was 1,317 MB" -->', '2026-01-04-page does not say "most was'),
        ("1 ms<!-- 2026-01-03-report x -->", "has no figure 'benchmarks/results/2026-01-03-report/figures.json'"),
    ],
)
def test_a_figure_that_differs_is_found(known: Path, text: str, problem: str) -> None:
    (found,) = problems(known, text)
    assert problem in found


def test_a_source_without_a_number_is_an_error(known: Path) -> None:
    with pytest.raises(ValueError, match=r"README\.md:1: a source without a number"):
        problems(known, f"some<!-- {SOURCE}/csharp/protobuf/bytes -->")


def test_the_section_of_the_readme_is_written_from_the_report(known: Path) -> None:
    before = f"# A\n{claims._BEGIN}\nold\n{claims._END}\nafter\n"
    text = claims.measured(before)
    assert text.startswith("# A\n") and text.endswith("\nafter\n") and "old" not in text
    assert f"| protobuf | 60,550<!-- {SOURCE}/csharp/protobuf/bytes --> | 0.2 ms<!-- " in text
    assert claims.measured(text) == text
    assert problems(known, text) == []


def test_every_figure_of_readme_and_docs_is_that_of_its_result() -> None:
    found = [claim for path in claims.texts() for claim in claims.claims(path)]
    assert [problem for claim in found if (problem := claim.problem())] == []


def test_figures_of_reports_are_refreshed(known: Path) -> None:
    path = known / "README.md"
    path.write_text(
        f"9.0 KB<!-- {SOURCE}/csharp/protobuf/bytes --> or 1<!-- {SOURCE}/csharp/protobuf/bytes --> in 1.11 ms"
        f"<!-- {SOURCE}/csharp/protobuf/encode_ms -->\n2.0 times<!-- {SOURCE}/python/protobuf/ready_ms / "
        'm-full/python/columns/ready_ms --> and 1,317 MB<!-- 2026-01-03-page "most was 1,317 MB" -->\n'
    )
    claims.refresh(path)
    numbers = ["60.6 KB", "60,550", "0.20 ms", "12.0 times", "1,317 MB"]
    text = path.read_text()
    assert [each for each in numbers if f"{each}<!--" in text] == numbers
    assert [problem for claim in claims.claims(path) if (problem := claim.problem())] == []

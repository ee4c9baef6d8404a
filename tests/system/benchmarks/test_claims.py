"""Figures in README and docs are those of committed results."""

from __future__ import annotations

import json
from pathlib import Path

import claims
import pytest
from programs import ROOT


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A committed report, and a page beside it."""
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
    claims.figures.cache_clear()
    return tmp_path


REPORT = "2026-01-02-report m-full"


def claim(root: Path, sentence: str, *figures: str, text: str | None = None) -> None:
    """A README with this sentence, and what its figures are."""
    (root / "README.md").write_text(text or f"# A\n\n{sentence.replace('{', '').replace('}', '')}\n", encoding="utf-8")
    entry = {"document": "README.md", "sentence": sentence, "figures": figures}
    (root / "benchmarks" / "claims.json").write_text(json.dumps([entry]), encoding="utf-8")


def problems() -> list[str]:
    return [problem for each in claims.claims() for problem in each.problems()]


@pytest.mark.parametrize(
    ("sentence", "figures"),
    [
        ("takes {60,550} bytes", [f"{REPORT}/csharp/protobuf/bytes"]),
        ("takes {60.6 KB} of memory", [f"{REPORT}/csharp/protobuf/bytes"]),
        ("in {0.19 ms}", [f"{REPORT}/csharp/protobuf/encode_ms"]),
        ("in {230 µs}.", [f"{REPORT}/csharp/protobuf/encode_ms"]),
        ("at most {1,317 MB}", ['2026-01-03-page "most was 1,317 MB"']),
        ("for {99.5 %} of them", ['2026-01-03-page "and 99.5 % came in time."']),
        (
            "| {12 times} | {1.1 ms} |",
            [
                f"{REPORT}/python/protobuf/ready_ms / m-full/python/columns/ready_ms",
                f"{REPORT}/python/columns/ready_ms",
            ],
        ),
    ],
)
def test_a_figure_within_the_spread_is_right(known: Path, sentence: str, figures: list[str]) -> None:
    claim(known, sentence, *figures)
    assert problems() == []


@pytest.mark.parametrize(
    ("sentence", "figure", "problem"),
    [
        ("{60,552}", f"{REPORT}/csharp/protobuf/bytes", "60,552: m-full/csharp/protobuf/bytes is 6.055e+04"),
        ("{0.17 ms}", f"{REPORT}/csharp/protobuf/encode_ms", "0.17 ms: m-full/csharp/protobuf/encode_ms is"),
        ("{9 times}", f"{REPORT}/python/protobuf/ready_ms / m-full/python/columns/ready_ms", "is 10 to 14.44"),
        ("{1 ms}", f"{REPORT}/python/json/ready_ms", "2026-01-02-report has no figure 'm-full/python/json/ready_ms'"),
        ("{1,318 MB}", '2026-01-03-page "most was 1,317 MB"', 'the number is not in "most was 1,317 MB"'),
        ("{317 MB}", '2026-01-03-page "most was 1,317 MB"', 'the number is not in "most was 1,317 MB"'),
        ("{1,317 MB}", '2026-01-03-page "least was 1,317 MB"', '2026-01-03-page does not say "least was'),
        ("{1,317 MB}", '2026-01-04-page "most was 1,317 MB"', '2026-01-04-page does not say "most was'),
        ("{1 ms}", "2026-01-03-report x", "has no figure 'benchmarks/results/2026-01-03-report/figures.json'"),
    ],
)
def test_a_figure_that_differs_is_found(known: Path, sentence: str, figure: str, problem: str) -> None:
    claim(known, sentence, figure)
    (found,) = problems()
    assert found.startswith(f"README.md: {sentence}: ") and problem in found


@pytest.mark.parametrize(
    ("sentence", "text", "problem"),
    [
        ("takes {60,550} bytes", "It takes 60,551 bytes.", "the document has this sentence 0 times"),
        ("takes {60,550} bytes", "takes 60,550 bytes, takes 60,550 bytes", "the document has this sentence 2 times"),
        ("takes 60,550 bytes", "takes 60,550 bytes", "0 numbers in braces, and 1 figures"),
    ],
)
def test_the_sentence_is_in_the_document_once(known: Path, sentence: str, text: str, problem: str) -> None:
    claim(known, sentence, f"{REPORT}/csharp/protobuf/bytes", text=text)
    assert [each.partition(sentence)[2] for each in problems()] == [f": {problem}"]


def test_a_document_that_is_not_there_is_found(known: Path) -> None:
    claim(known, "takes {60,550} bytes", f"{REPORT}/csharp/protobuf/bytes")
    (known / "README.md").unlink()
    assert len(problems()) == 1


def test_every_figure_of_readme_and_docs_is_that_of_its_result() -> None:
    assert {"README.md", "docs/protocol.md"} <= {each.document for each in claims.claims()}
    assert problems() == []
    # An editor shows tables as they are.
    for text in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        assert "<!--" not in text.read_text(encoding="utf-8"), text.name


def test_figures_are_set_to_those_of_the_newest_report(known: Path) -> None:
    text = (
        "See [it](benchmarks/results/2026-01-01-report/index.html).\n\nIt needs 9.0 KB or 1 in\n1.11 ms,\n"
        "2.0 times and 1,317 MB.\n"
    )
    claim(
        known,
        "needs {9.0 KB} or {1} in {1.11 ms}, {2.0 times} and {1,317 MB}.",
        "2026-01-01-report m-full/csharp/protobuf/bytes",
        "2026-01-01-report m-full/csharp/protobuf/bytes",
        "2026-01-01-report m-full/csharp/protobuf/encode_ms",
        "2026-01-01-report m-full/python/protobuf/ready_ms / m-full/python/columns/ready_ms",
        '2026-01-03-page "most was 1,317 MB"',
        text=text,
    )
    claims.write()
    assert (known / "README.md").read_text(encoding="utf-8") == (
        "See [it](benchmarks/results/2026-01-02-report/index.html).\n\nIt needs 60.6 KB or 60,550 in\n0.20 ms,\n"
        "12.0 times and 1,317 MB.\n"
    )
    assert problems() == []

"""``bench growth``: the fit, the verdicts, and how what is counted grows. Times and CPU are printed, not asserted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import growth
import growth_page
import pytest
from growth_page import Fit, fit, upper_half, verdict
from growth_questions import QUESTIONS, QUICK
from programs import ROOT

SCRIPT = ROOT / "benchmarks" / "python" / "growth.py"
#: Bytes that a reader more may allocate in the daemon for each frame.
_ALLOCATED_A_READER = 1000
#: The runtime counts allocations in steps of about as many bytes.
_STEP_OF_THE_COUNT = 2_000_000
#: System calls of the daemon for each frame and reader, beside those of the frame.
_CALLS_A_READER, _CALLS_A_FRAME = 20, 200

# Asserts on memory, and its daemons would slow other tests down.
pytestmark = [pytest.mark.benchmarks, pytest.mark.measured]

Points = list[tuple[float, float]]


@pytest.mark.parametrize(
    ("exponent", "name"),
    [
        (0, "flat"), (0.14, "flat"), (-0.14, "flat"), (-0.2, "falls"), (0.15, "between"), (0.79, "between"),
        (0.8, "linear"), (1, "linear"), (1.2, "linear"), (1.21, "more than linear"), (2, "more than linear"),
    ],
)  # fmt: skip
def test_exact_powers_have_their_exponent(exponent: float, name: str) -> None:
    found = fit([(x, 7 * x**exponent) for x in (1, 10, 100, 1000)])
    assert found is not None
    assert (found.exponent, found.factor) == (pytest.approx(exponent, abs=1e-9), pytest.approx(7))
    assert verdict(exponent) == name


def test_a_constant_cost_below_does_not_hide_what_grows() -> None:
    points: Points = [(x, 1000 + x) for x in (1, 10, 1000, 100_000, 1_000_000)]
    # The geometric middle of 1 and 1,000,000 is 1,000, which counts.
    assert upper_half(points) == points[2:]
    found = fit(points)
    assert found is not None and found.points == 3 and found.verdict == "linear"


def test_what_has_no_logarithm_is_left_out() -> None:
    assert fit([]) is None
    assert fit([(1, 5)]) is None
    assert fit([(1, 0), (10, 0), (100, 3)]) is None
    found = fit([(0, 4), (1, 0), (10, 3), (100, 30)])
    assert found is not None and found.exponent == pytest.approx(1)
    # At least the upper two, where the last is far away.
    assert upper_half([(1, 1), (2, 2), (1000, 3)]) == [(2, 2), (1000, 3)]


def test_a_chart_has_a_line_for_each_figure() -> None:
    xs = [1.0, 10.0, 100.0]
    text = growth_page.chart(QUESTIONS[0], {"sent": [(x, 5 * x) for x in xs], "rss": [(x, 80.0) for x in xs]})
    ElementTree.fromstring(text)
    assert text.count("<path ") == 2 and text.count("<circle ") == 6
    assert "sent, b = 1.00" in text and "RSS, b = 0.00" in text


@pytest.fixture(scope="module")
def counted() -> growth.Growth:
    """The short form, but for the questions about actions, which count nothing."""
    run = growth.Growth(QUICK)
    for question in QUESTIONS:
        if question.name not in ("actions", "requests to act", "tick rate", "readers, latest"):
            run.measure(question)
    assert run.errors == {}
    return run


def points_of(run: growth.Growth, name: str) -> dict[str, Points]:
    question = next(each for each in QUESTIONS if each.name == name)
    return growth_page.series(run.figures, question, run.points[name])


def fit_of(run: growth.Growth, name: str, metric: str) -> Fit:
    found = fit(points_of(run, name)[metric])
    assert found is not None
    return found


@pytest.mark.parametrize("policy", ["every", "lockstep"])
def test_counts_grow_linearly_with_readers_or_not_at_all(counted: growth.Growth, policy: str) -> None:
    name = f"readers, {policy}"
    points = points_of(counted, name)
    (one, sent_to_one), *_, (most, sent_to_most) = points["sent"]
    assert (one, most) == (1, 64)
    assert fit_of(counted, name, "sent").verdict == "linear"
    # Each reader gets the same bytes; looping sends the match again.
    assert sent_to_most / sent_to_one == pytest.approx(most, rel=0.05)
    allocated = dict(points["allocated"])
    assert allocated[most] - allocated[one] < _ALLOCATED_A_READER * (most - one), allocated
    for readers, calls in points.get("system_calls", []):
        assert 0 < calls < _CALLS_A_FRAME + _CALLS_A_READER * readers


def test_bytes_grow_linearly_with_the_frame(counted: growth.Growth) -> None:
    assert fit_of(counted, "frame size", "sent").exponent == pytest.approx(1, abs=0.02)
    for size, sent in points_of(counted, "frame size")["sent"]:
        assert sent / 1000 == pytest.approx(size, rel=0.02)


def test_a_long_match_allocates_no_more_for_a_frame(counted: growth.Growth) -> None:
    # The first minute has the start of the program in it.
    _, second, third = points_of(counted, "length of the match")["allocated"]
    assert third[1] < 2 * second[1] + _STEP_OF_THE_COUNT / 1000


def test_a_large_recording_has_more_chunks_and_opens_with_the_same_reads(counted: growth.Growth) -> None:
    name = "size of the recording"
    assert fit_of(counted, name, "chunks").verdict == "linear"
    points = points_of(counted, name)
    if "read_calls" in points:
        assert fit_of(counted, name, "read_calls").verdict == "flat"
        # A recording nine times as large, and not a tenth of what is more is read.
        (small, least), *_, (large, most) = points["read_bytes"]
        assert most - least < 0.1 * (large - small)


def test_drawing_allocates_no_more_than_linearly(counted: growth.Growth) -> None:
    assert fit_of(counted, "drawings", "allocated_request").exponent < 1.2
    *_, (shapes, allocated) = points_of(counted, "drawings")["allocated_request"]
    assert allocated < 2000 * shapes


def test_the_others_are_printed(counted: growth.Growth) -> None:
    for name in counted.points:
        fits = growth_page.exponents(points_of(counted, name))
        print("\n".join([name, *growth_page.lines(fits)]))
        assert set(fits) - set(growth_page.COUNTED)


def test_the_program_writes_page_and_chart(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), "--quick", "--only", "drawings", "--output", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "CPU, µs a request: exponent" in done.stdout
    results = json.loads((tmp_path / "results.json").read_text())
    assert set(results["exponents"]) == {"drawings"} and results["quick"]
    page = (tmp_path / "README.md").read_text()
    assert "| figure | exponent | verdict |" in page and "(drawings.svg)" in page
    ElementTree.parse(tmp_path / "drawings.svg")
    wrong = subprocess.run([*command[:3], "--only", "nothing"], capture_output=True, text=True, timeout=60)
    assert wrong.returncode == 2 and "no question has 'nothing' in its name" in wrong.stderr

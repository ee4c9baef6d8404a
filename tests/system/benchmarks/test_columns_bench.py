"""``bench columns``: its command line, its sums and its page; and a short run of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import columns_page
import columns_reading
import numpy as np
import pytest
from abathur import Units
from columns import Counts
from columns_page import APIS, DECODERS, ENCODINGS, EVERY, PACES, READS, SCHEMES
from figures import Figures, ratio
from programs import ROOT, SKIRMISH
from s2clientprotocol import sc2api_pb2

SCRIPT = ROOT / "benchmarks" / "python" / "columns.py"
FORMS = ("compact", "full")


def bench(*arguments: str, decoder: str = "auto") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "ABATHUR_DECODER": decoder}
    line = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.run(line, capture_output=True, text=True, timeout=600, env=environment, check=False)


def keys() -> list[tuple[str | int, ...]]:
    """What is measured of a match, in each round."""
    single = [*product(["columns"], DECODERS, columns_reading.READS)]
    messages = [*product(["protobuf"], columns_page.WAYS)]
    recordings = [*product(["recording"], FORMS, DECODERS, ["per_core", "clock", "cpu"])]
    asked = [(decoder, read) for decoder in DECODERS for read in READS if (decoder, read) != ("numpy", "nothing")]
    clients = [("client", *where, *each) for where in product(PACES, SCHEMES, APIS, ENCODINGS) for each in asked]
    datasets = [*product(["dataset"], FORMS, EVERY, DECODERS, ["rate", "cpu"])]
    return [*single, *messages, *recordings, *clients, *datasets]


@pytest.fixture
def figures() -> Figures:
    """Three rounds of a match: NumPy takes eight, nine and ten times as long as the library."""
    made = Figures()
    made.add("bytes", 34_567, "library")
    made.add("KB", 71.0, "small", "message")
    for number, key in product(range(3), keys()):
        value = 10.0 + number
        if "numpy" in key:
            value *= 8 + number
        made.add("µs", value, "small", *key)
    return made


def test_a_ratio_is_one_of_each_round(figures: Figures) -> None:
    above, below = (figures.find("small", "columns", decoder, "all") for decoder in ("numpy", "compiled"))
    assert above is not None and below is not None
    assert ratio(above, below).rounds == [8, 9, 10]
    assert ratio(above, below).text() == "9.00 (8.00 to 10.0)"


def test_goals_say_whether_the_median_reaches_them(figures: Figures) -> None:
    goals = {goal.name: goal for goal in columns_page.goals(figures, "small")}
    faster = goals["`columns`, units' section: NumPy / compiled"]
    assert (faster.limit, faster.is_reached) == ("at least 8 times", True)
    assert goals["protobuf, all columns"].limit == "at most 50 µs" and goals["protobuf, all columns"].is_reached
    # As long as the parser: just good enough.
    assert goals["protobuf, all columns / protobuf's parser"].is_reached
    compact = goals["frames of a compact recording, of one core"]
    assert (compact.limit, compact.is_reached) == ("at least 12,000 frames/s", False)
    assert compact.text == "11.0 (10.0 to 12.0) frames/s"
    assert len([name for name in goals if name.startswith("socket, ")]) == 8


def test_the_goal_for_small_frames_is_not_that_of_large_ones() -> None:
    large = Figures()
    large.add("KB", 148.0, "large", "message")
    for key in keys():
        large.add("µs", 100.0, "large", *key)
    assert "protobuf, all columns" not in [goal.name for goal in columns_page.goals(large, "large")]


def test_the_page_has_every_figure(figures: Figures) -> None:
    page = columns_page.page(figures, ["small"], Counts(), 3)
    assert "`small` (71.0 KB a frame in protobuf)" in page
    assert "has 34,567 bytes" in page and "Rounds: 3;" in page
    rows = [line for line in page.splitlines() if line.startswith("| small")]
    tables = (len(columns_reading.READS), len(columns_page.WAYS), len(FORMS) * 2, 16, len(FORMS) * len(EVERY))
    assert len(rows) == len(columns_page.goals(figures, "small")) + sum(tables)
    assert all(len(line) <= 139 for line in page.splitlines() if not line.startswith("|"))
    assert not [row for row in rows if "| - |" in row]
    assert "| small, all 42 | 11.0 (10.0 to 12.0) | 99.0 (80.0 to 120) | 9.00 (8.00 to 10.0) |" in page


def test_what_was_not_measured_is_a_dash() -> None:
    partly = Figures()
    partly.add("KB", 71.0, "small", "message")
    for key in keys():
        if "python-sc2" not in str(key):
            partly.add("µs", 10.0, "small", *key)
    page = columns_page.page(partly, ["small"], Counts(), 1)
    assert page.count("| - | - |") == 2


def test_all_ways_read_the_same_units() -> None:
    observation = sc2api_pb2.ResponseObservation()
    for tag in (1, 2):
        unit = observation.observation.raw_data.units.add(tag=tag, health=10.0 * tag, unit_type=104, alliance=1)
        unit.pos.x, unit.pos.y = tag, 2.5
    data = observation.SerializeToString()
    found: list[Units] = [columns_reading._of_messages(data)]
    if columns_reading.units_of(data) is not None:
        found.append(columns_reading._found(data))
    for units in found:
        columns_reading.read_units(units, columns_reading.READS["all"])
        assert np.array_equal(units.health, [10, 20]) and np.array_equal(units.tag, [1, 2])
    assert set(columns_reading.READS["four"]) < set(columns_reading.READS["six"]) < set(columns_reading.READS["all"])


def test_a_process_answers_with_times_of_a_recording() -> None:
    answer = columns_reading.recording(str(SKIRMISH), "50")
    assert set(answer) == {"cpu", "per_core", "clock"}
    assert answer["per_core"] == pytest.approx(1e6 / answer["cpu"])
    with pytest.raises(AssertionError, match="too few frames"):
        columns_reading.recording(str(SKIRMISH), "1000000")


def test_wrong_usage_is_told(tmp_path: Path) -> None:
    done = bench("--rounds", "0", "--output", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "") and "--rounds is positive" in done.stderr
    done = bench("--quick", "--output", str(tmp_path), decoder="numpy")
    assert (done.returncode, done.stdout) == (1, "") and "there is no compiled library" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.benchmarks
@pytest.mark.skipif(columns_reading.units_of(b"") is None, reason="there is no compiled library")
@pytest.mark.timeout(600)
def test_a_quick_run_measures_all_of_it(tmp_path: Path) -> None:
    done = bench("--quick", "--output", str(tmp_path))
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "results.json").read_text())
    measured = {each["figure"]: each["median"] for each in results["figures"]}
    wanted = {"/".join(map(str, ("elite", *key))) for key in keys()}
    if not columns_reading.GAME_DATA.exists():
        wanted = {each for each in wanted if "python-sc2" not in each}
    assert wanted <= set(measured)
    assert all(value > 0 for value in measured.values())
    assert 130 < measured["elite/message"] < 160
    assert "## Goals" in (tmp_path / "README.md").read_text()

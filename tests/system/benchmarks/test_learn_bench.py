"""``bench learn``: its page, what it compares, and a short run of it."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from itertools import product
from pathlib import Path

import learn_page
import learn_reading
import numpy as np
import pytest
from abathur._values import native
from figures import Figures
from learn_page import FORMS, INDEX, KINDS, LOADERS, ORDERS, PROCESSES, STEPS, STYLES
from programs import ROOT, SKIRMISH

HAS_TORCH = importlib.util.find_spec("torch") is not None


def keys() -> list[tuple[str | int, ...]]:
    """What is measured of a recording in each round."""
    orders = product(KINDS, ORDERS, STEPS, ["ms", "frames", "memory"])
    more = [*product(["processes"], PROCESSES, ["windows"]), *product(["first"], INDEX, ["seconds"])]
    return [("baseline", "frames"), *orders, *product(KINDS, ["random"], ["ms", "p95"]), *more]


def test_the_page_has_every_figure() -> None:
    figures = Figures()
    loaders = [(f"{style}-{workers}", "windows") for style, workers in product(STYLES, LOADERS)]
    for number, form, key in product(range(3), FORMS, [*keys(), *loaders]):
        value = 10.0 + number if key[0] in ("baseline", "plain") else 20.0 * key[1] if key[0] == "processes" else 30.0
        figures.add("ms", value, "match", form, *key)
    page = learn_page.page(figures, ["match"], 3, {"torch": "9.8"})
    cells = [cell.strip() for line in page.splitlines() if line.startswith("| match") for cell in line.split("|")]
    assert cells.count("-") == 2 * 2 * len(KINDS)
    assert (
        "| match, full, shuffled, `step=8` | 11.0 (10.0 to 12.0) | 11.0 (10.0 to 12.0) | 1.00 (1.00 to 1.00) |" in page
    )
    assert "| match, full | 20.0 (20.0 to 20.0) | 40.0 (40.0 to 40.0) | 2.00 (2.00 to 2.00) |" in page
    assert page.count("torch 9.8. 4 copies") == len(STYLES)
    assert all(len(line) <= 139 for line in page.splitlines() if not line.startswith("|"))
    assert "Not measured: `--torch PYTHON`" in learn_page.page(figures, ["match"], 3, {})


def test_windows_that_are_not_equal_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = learn_reading.windows(str(SKIRMISH), "target", "64")
    (first, *_) = data.batches(4)
    assert len(learn_reading.digests([first])) == 4
    (other,) = learn_reading.digests([{name: array[1:2] for name, array in first.items()}])
    assert other == learn_reading.digests([first])[1]
    first["units"][1, -1, 0, 0] = np.nextafter(first["units"][1, -1, 0, 0], np.float32(1000))
    assert other != learn_reading.digests([first])[1]
    monkeypatch.setattr(learn_reading, "batches", lambda data, how: data.batches(4, drop_last=how != "order"))
    with pytest.raises(AssertionError, match="shuffled"):
        learn_reading.check(str(SKIRMISH), "plain", "64", str(tmp_path / "index"), "shuffled")


@pytest.mark.benchmarks
@pytest.mark.skipif(native.LIBRARY is None, reason="there is no compiled library")
def test_a_quick_run_measures_all_of_it(tmp_path: Path) -> None:
    line = [sys.executable, str(ROOT / "benchmarks" / "python" / "learn.py"), "--output", str(tmp_path)]
    done = subprocess.run([*line, "--rounds", "0"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "") and "--rounds is positive" in done.stderr
    options = ["--quick", *(["--torch", sys.executable] if HAS_TORCH else [])]
    done = subprocess.run([*line, *options], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    measured = {name: each["value"] for name, each in json.loads((tmp_path / "figures.json").read_text()).items()}
    assert {"/".join(map(str, ("skirmish", form, *key))) for form in FORMS for key in keys()} <= set(measured)
    assert all(value > 0 for value in measured.values())
    for form in FORMS:
        at = f"skirmish/{form}"
        # A window at random reads more frames than one in order, which has most of them from the one before.
        assert measured[f"{at}/plain/random/ms"] > measured[f"{at}/plain/order/8/ms"]
        windows = measured[f"{at}/plain/order/8/frames"] * measured[f"{at}/plain/order/8/ms"] / 1000
        assert windows == pytest.approx(8, rel=0.02)
    assert ("PyTorch\n\nNot measured" in (tmp_path / "README.md").read_text()) != HAS_TORCH

"""The examples of docs/datasets.md, where the packages that they show are installed."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from abathur import dataset
from datasets import synthesize
from programs import ROOT

EXAMPLES = re.findall(r"^```py\n(.*?)^```", (ROOT / "docs" / "datasets.md").read_text(encoding="utf-8"), re.M | re.S)


def package(code: str) -> str:
    """What the example is about: the last package that it imports, by name of the distribution."""
    return next(each for each in ("torch", "pyspark", "duckdb", "pandas", "pyarrow") if f"{each}" in code)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("readers")
    dataset.build(synthesize(folder, seeds=(1, 2), steps=1000), folder / "data", every=8)
    return folder


def test_every_reader_is_shown() -> None:
    assert [package(code) for code in EXAMPLES] == ["pyarrow", "pandas", "duckdb", "pyspark", "torch"]


@pytest.mark.parametrize("code", [pytest.param(code, id=package(code)) for code in EXAMPLES])
def test_example_reads_the_dataset(folder: Path, code: str) -> None:
    if find_spec(package(code)) is None:
        pytest.skip(f"{package(code)} is not installed")
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() not in ("", "0"), "an example shows something"

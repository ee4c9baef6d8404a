"""Which decoder runs: the environment variable ABATHUR_DECODER, and what is said where the library cannot be used."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import abathur
import pytest
from abathur._values import native
from decoders import needs_library
from programs import ROOT, run_with_children

PACKAGE = Path(abathur.__file__).parent
#: Says which decoders run.
PROGRAM = """
import abathur.columns
from abathur._frame.bytes_units import units_of
print(abathur.__file__, abathur.columns.implementation, units_of(b"") is not None)
"""
#: Of the tests of columns and units: those that take little time, of each part something.
REPRESENTATIVE = (
    "test_the_example_of_the_documentation",
    "test_payloads_made_by_hand",
    "test_a_frame_is_the_same",
    "test_the_rest_is_the_same",
    "test_damage_beside_the_units",
    "test_damaged_payloads",
    "test_fields_that_were_not_asked_for",
    "test_units_beyond_the_table",
)


def run(choice: str | None, path: Path = PACKAGE.parent) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != native.VARIABLE}
    if choice is not None:
        environment[native.VARIABLE] = choice
    environment["PYTHONPATH"] = str(path)
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=environment,
        cwd=path,
    )


@pytest.fixture(scope="module")
def without_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the package, beside which there is no library."""
    folder = tmp_path_factory.mktemp("clone") / "python_agent"
    shutil.copytree(PACKAGE, folder / "abathur", ignore=shutil.ignore_patterns("__pycache__", "_lib", "_daemon"))
    return folder


@needs_library
@pytest.mark.parametrize(
    ("choice", "decoder"),
    [(None, "compiled"), ("", "compiled"), ("auto", "compiled"), ("compiled", "compiled"), ("numpy", "numpy")],
)
def test_the_variable_chooses(choice: str | None, decoder: str) -> None:
    done = run(choice)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(PACKAGE / "__init__.py"), decoder, str(decoder == "compiled")]


@pytest.mark.parametrize("choice", [None, "auto", "numpy"])
def test_without_a_library_numpy_and_protobuf_decode(without_library: Path, choice: str | None) -> None:
    done = run(choice, without_library)
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert done.stdout.split() == [str(without_library / "abathur" / "__init__.py"), "numpy", "False"]


def test_a_library_that_is_required_and_missing_is_an_error(without_library: Path) -> None:
    done = run("compiled", without_library)
    assert done.returncode == 1 and not done.stdout
    wanted = "ImportError: ABATHUR_DECODER is 'compiled', and the compiled library cannot be used: it is not at "
    assert wanted in done.stderr
    places = done.stderr.rpartition("it is not at ")[2].strip().split(" or ")
    assert [Path(place).name for place in places] == [native._NAME] * 2
    assert str(without_library / "abathur" / "_lib") in places[0]


@pytest.mark.parametrize("choice", ["Compiled", "c", "numpy "])
def test_a_value_that_is_not_known_is_an_error(choice: str) -> None:
    done = run(choice)
    assert done.returncode == 1 and not done.stdout
    assert f"ImportError: ABATHUR_DECODER is {choice!r}; it must be one of auto, compiled, numpy" in done.stderr


def test_a_file_that_is_no_library(tmp_path: Path) -> None:
    file = tmp_path / native._NAME
    file.write_text("text")
    with pytest.raises(ImportError, match=f"the compiled library cannot be used: .*{re.escape(str(file))}"):
        native._loaded([tmp_path / "missing", file], "compiled")
    assert native._loaded([file], "auto") is None


@needs_library
@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_a_library_of_another_version_is_not_used(tmp_path: Path) -> None:
    source, file = tmp_path / "other.c", tmp_path / native._NAME
    source.write_text("int abathur_version(void) { return 7; }\n")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(file), str(source)], check=True, timeout=60)
    text = f"{file} has version 7, not 1: install the package again"
    with pytest.raises(ImportError, match=re.escape(text)):
        native._loaded([file], "compiled")
    assert native._loaded([file], "auto") is None
    # The next place has one that fits.
    (place,) = [place for place in native._PLACES if place.exists()][:1]
    found = native._loaded([file, place], "compiled")
    assert found is not None and found.abathur_version() == 1


def test_columns_pass_their_tests_with_numpy() -> None:
    done = run_with_children(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", "-m", "not matrix"),
            *("-k", " or ".join(REPRESENTATIVE), "python_agent/tests/test_columns.py"),
        ],
        timeout=200,
        env={**os.environ, native.VARIABLE: "numpy"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    # Each name has at least one test.
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None and int(passed[1]) >= len(REPRESENTATIVE), done.stdout


def test_another_interface_has_another_version() -> None:
    """A clone that was updated may have an older library, which would be called with other arguments."""
    header = (ROOT / "python_agent" / "native" / "abathur.h").read_text(encoding="utf-8")
    # If this fails: ABATHUR_VERSION and `native._VERSION` count on, then the digest is the one of the new header.
    found = hashlib.sha256("".join(re.sub(r"/\*.*?\*/", "", header, flags=re.S).split()).encode()).hexdigest()[:16]
    assert (native._VERSION, found) == (1, "697567c8d8e7b2f2")
    assert f"#define ABATHUR_VERSION {native._VERSION}\n" in header

"""Columns that a program reads of each frame are made together, and hold no memory of others."""

from __future__ import annotations

from pathlib import Path

import abathur
import numpy as np
import pytest
from abathur._frame.unit_columns import COLUMNS
from abathur._values.usual import ALONE, Usual
from programs import SKIRMISH, run_daemon

PATHS = ("pos.x", "pos.y", "health", "energy", "tag", "owner", "shield", "facing", "radius")


@pytest.fixture(scope="module", params=["full", "compact"])
def recording(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if request.param == "full":
        return SKIRMISH
    path = tmp_path_factory.mktemp("usual") / "compact.mcap"
    done = run_daemon("export", str(SKIRMISH), "--compact", "-o", str(path))
    assert done.returncode == 0, done.stderr
    return path


def test_what_is_read_of_a_table_is_usual_in_the_next() -> None:
    usual = Usual(PATHS)
    assert usual.with_column("health", 1) == {"health"}
    assert usual.with_column("pos.x", 2) == {"pos.x", "pos.y"}
    assert usual.with_column("pos.y", 1) == {"health", "pos.x", "pos.y"}
    # Another column comes alone, and then with them.
    assert usual.with_column("tag", 2) == {"tag"}
    assert usual.with_column("tag", 1) == {"health", "pos.x", "pos.y", "tag"}
    assert usual.with_column("owner", 1) == {"owner"}
    assert usual.with_column("energy", ALONE) == {"energy"}
    assert usual.with_column("shield", ALONE + 1) == set(PATHS)


def test_what_is_not_read_any_more_is_forgotten() -> None:
    usual = Usual(PATHS)
    for path in PATHS:
        usual.with_column(path, 2)
    assert usual.with_column("tag", 1) == set(PATHS)
    sizes = {len(usual.with_column("tag", 1)) for _ in range(200)}
    assert sizes == {1, len(PATHS)}
    assert usual.with_column("tag", 1) == {"tag"}


def test_arrays_of_a_few_columns_hold_no_memory_of_others(recording: Path) -> None:
    kept = []
    with abathur.open(recording) as match:
        for frame in match.frames():
            assert frame.units.x.size
            kept.append(frame.units.health)
    for health in kept[-100:]:
        base = health
        while isinstance(base.base, np.ndarray):
            base = base.base
        # Those of x, y and z, and with NumPy of the columns between; all 42 would be 37 times its own.
        assert base.nbytes <= 7 * health.nbytes


def test_a_reader_of_all_gets_what_a_reader_of_one_gets(recording: Path) -> None:
    with abathur.open(recording) as match:
        alone = [[getattr(frame.units, name) for name in COLUMNS] for frame in match.frames(stop=9000)]
    for at, name in enumerate(COLUMNS):
        with abathur.open(recording) as match:
            for frame, columns in zip(match.frames(stop=9000), alone, strict=True):
                assert getattr(frame.units, name).tobytes() == columns[at].tobytes()

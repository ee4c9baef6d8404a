"""`abathur dataset build --scheduler`: a Dask cluster on loopback makes the same dataset."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from datasets import contents, shown_command, synthesize
from programs import abathur as run_abathur
from programs import pause

pytest.importorskip("distributed", reason="dask.distributed is not installed")
from dask_processes import DaskCluster

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recordings")
    first, *_ = synthesize(folder, seeds=range(1, 5), steps=200)
    (folder / "damaged.mcap").write_bytes(first.read_bytes()[:-1000])
    return folder


@pytest.fixture(scope="module")
def local(recordings: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("local") / "data"
    done = run_abathur("dataset", "build", str(recordings), "-o", str(folder), "--every", "4")
    assert done.returncode == 3, done.stderr
    return contents(folder)


def build_line(recordings: Path, folder: Path) -> list[str]:
    return [sys.executable, "-m", "abathur", "dataset", "build", str(recordings), "-o", str(folder), "--every", "4"]


def begun(line: list[str], folder: Path, cluster: DaskCluster) -> subprocess.Popen[str]:
    """A build on a cluster that has converted its first recording."""
    build = subprocess.Popen(
        [*line, "--scheduler", cluster.address], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not any(Path(folder, "_manifest").glob("*.json")):
        pause()
        assert build.poll() is None
    return build


def test_a_cluster_makes_the_same_dataset_also_when_a_worker_is_killed(
    recordings: Path, local: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    line = build_line(recordings, folder)
    with DaskCluster(workers=2) as cluster:
        build = begun(line, folder, cluster)
        cluster.workers[0].kill()
        said, complaint = build.communicate(timeout=240)
        assert build.returncode == 3, complaint
        assert "4 recordings converted" in said and complaint.count("\n") == 1 and "damaged.mcap" in complaint
        assert contents(folder) == local
        again = run_abathur(*line[3:], "--scheduler", cluster.address)
        words = {"/shared/recordings/*.mcap": f"{recordings}/match*.mcap", "/shared/data": str(tmp_path / "shown")}
        words["tcp://HOST:8786"] = cluster.address
        shown = run_abathur(*(words.get(each, each) for each in shown_command("--scheduler")))
    assert shown.returncode == 0 and "4 recordings converted" in shown.stdout
    assert again.returncode == 3 and "0 recordings converted (0 frames), 4 kept" in again.stdout
    assert contents(folder) == local


def test_a_scheduler_that_is_lost_is_told_and_another_one_continues(
    recordings: Path, local: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    line = build_line(recordings, folder)
    with DaskCluster(workers=1) as cluster:
        build = begun(line, folder, cluster)
        cluster.scheduler.kill()
        _, complaint = build.communicate(timeout=240)
        assert (build.returncode, complaint) == (
            1, f"abathur: lost the connection to the Dask scheduler at {cluster.address}\n",
        )  # fmt: skip
    with DaskCluster(workers=1) as cluster:
        assert run_abathur(*line[3:], "--scheduler", cluster.address).returncode == 3
    assert contents(folder) == local


def test_a_cluster_that_does_not_see_the_folder_says_so(recordings: Path, tmp_path: Path) -> None:
    """The workers of another machine: here, of another folder for temporary files."""
    from abathur.dataset._convert import convert
    from abathur.dataset._options import Options
    from abathur.errors import AbathurError

    with pytest.raises(AbathurError, match="all workers must see the folder of the dataset"):
        convert(str(next(recordings.glob("*.mcap"))), str(tmp_path / "elsewhere"), Options())


def test_without_a_scheduler_the_build_says_so(recordings: Path, tmp_path: Path) -> None:
    done = run_abathur(
        "dataset", "build", str(recordings), "-o", str(tmp_path / "data"), "--scheduler", "tcp://127.0.0.1:1"
    )
    assert done.returncode == 1
    assert done.stderr.startswith("abathur: no Dask scheduler answers at tcp://127.0.0.1:1: ")
    assert len(done.stderr.splitlines()) == 1

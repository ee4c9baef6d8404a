"""Datasets of recordings: `dotnet make.cs bench dataset`.

Three questions: how fast and in how much memory two workers convert; what a table takes beside pyarrow's defaults, on
disk and to read; whether local workers and a Dask cluster, of which a worker is killed, make the same of many matches.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from typing import Any

import abathur
import psutil
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from abathur import dataset
from dask_processes import DaskCluster
from dataset_page import EVERY, RANGE_LOOPS, page
from figures import Figures
from processes import DAEMON, MeasureError
from runs import arguments, rounds, run, times

from recordings import LOCAL, import_sequences, made, make_elite, make_part

#: Frames of each file whose table is compared: the largest part of the generated match.
COMPARED = (9200, 11200)
#: Of ../shared/sequences: a match that was rebuilt from a replay.
WHOLE_MATCH = "odyssey-zvp-full"
_SAMPLE_SECONDS = 0.05


class Build:
    """`abathur dataset build` in a process of its own, with the most memory of its workers."""

    def __init__(self, *arguments: str | Path) -> None:
        self._begin = time.perf_counter()
        line = [sys.executable, "-m", "abathur", "dataset", "build", *map(str, arguments), "-q"]
        self.process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.worker_bytes = 0
        self.seconds = 0.0

    def wait(self) -> Build:
        """Wait for its end, and watch its memory."""
        with ThreadPoolExecutor(1) as pool:
            ended = pool.submit(self.process.communicate)
            while not wait([ended], _SAMPLE_SECONDS).done:
                with suppress(psutil.NoSuchProcess):
                    for worker in psutil.Process(self.process.pid).children():
                        if any("spawn_main" in word for word in worker.cmdline()):
                            self.worker_bytes = max(self.worker_bytes, worker.memory_info().rss)
        self.seconds = time.perf_counter() - self._begin
        if self.process.returncode:
            raise MeasureError(f"dataset build ended with {self.process.returncode}: {ended.result()[1]}")
        return self


def speed(figures: Figures, folder: Path, recordings: list[Path]) -> None:
    """Two whole matches in large frames, each loop of them, with two workers."""
    output = folder / "speed"
    build = Build(*recordings, "-o", output, "--workers", "2").wait()
    info = dataset.info(output)
    rows = info.tables["units"].rows
    figures.add("rows/s", rows / build.seconds, "speed", "rate")
    figures.add("s", build.seconds, "speed", "seconds")
    figures.add("rows", rows, "speed", "rows")
    figures.add("MB", build.worker_bytes / 1e6, "speed", "worker")
    for name, size in info.tables.items():
        figures.add("bytes a frame", size.bytes / info.sampled, "speed", name)
    shutil.rmtree(output)


def sizes(figures: Figures, folder: Path, recording: Path, limits: tuple[int, int] | None) -> None:
    """The units of a recording by `dataset build`, and the same rows, in the order of frames, by pyarrow's defaults."""
    name = recording.stem
    source = make_part(recording, *limits) if limits else recording
    dataset.build(source, folder / "sizes")
    (ours,) = (folder / "sizes" / "units").rglob("*.parquet")
    frames = dataset.info(folder / "sizes").sampled
    with abathur.open(source) as match:
        rows = match.units_table()
    theirs = folder / "defaults.parquet"
    seconds, _ = timed(lambda: pq.write_table(rows, theirs))
    figures.add("rows/s", len(rows) / seconds, name, "defaults", "write")
    order = [("tag", "ascending"), ("game_loop", "ascending")]
    expected = rows.sort_by(order)
    loops = pc.min_max(rows["game_loop"]).as_py()
    start = (loops["min"] + loops["max"]) // 2
    wanted = (ds.field("game_loop") >= start) & (ds.field("game_loop") < start + RANGE_LOOPS)
    expected_part = expected.filter(wanted)
    for kind, path in (("dataset", ours), ("defaults", theirs)):
        figures.add("bytes a frame", path.stat().st_size / frames, name, kind, "bytes")
        seconds, read = timed(lambda path=path: pq.ParquetFile(path).read(use_threads=False))
        figures.add("rows/s", len(read) / seconds, name, kind, "read")
        seconds, part = timed(lambda path=path: ds.dataset(path).to_table(filter=wanted, use_threads=False))
        figures.add("ms", seconds * 1e3, name, kind, "range")
        share = bytes_of_range(path, start, start + RANGE_LOOPS) / path.stat().st_size
        figures.add("%", 100 * share, name, kind, "range bytes")
        for found, whole in ((read, expected), (part, expected_part)):
            if not plain(found.sort_by(order)).equals(plain(whole)):
                raise MeasureError(f"{path} does not have the rows that were written")
    shutil.rmtree(folder / "sizes")
    theirs.unlink()


def plain(rows: pa.Table) -> pa.Table:
    """With names as strings, whose dictionaries may differ; whether a column may have nulls does not count."""
    columns = {name: column.combine_chunks() for name, column in zip(rows.column_names, rows.columns, strict=True)}
    return pa.table({**columns, "name": columns["name"].cast(pa.string())})


def bytes_of_range(path: Path, start: int, stop: int) -> int:
    """Bytes of the row groups that have a game loop of a range: what a reader of it needs."""
    metadata = pq.read_metadata(path)
    total = 0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        loops = group.column(0).statistics
        if loops.min < stop and loops.max >= start:
            total += sum(group.column(index).total_compressed_size for index in range(group.num_columns))
    return total


def many(figures: Figures, folder: Path, matches: int, frames: int) -> None:
    """Generated matches: on local workers, and on a cluster of which a worker is killed in the middle."""
    recordings = [make_match(seed, frames) for seed in range(1, matches + 1)]
    figures.add("MB", sum(each.stat().st_size for each in recordings) / 1e6, "many", "recordings")
    options = ("--every", str(EVERY))
    build = Build(*recordings, "-o", folder / "local", *options, "--workers", "2").wait()
    figures.add("matches/h", matches / build.seconds * 3600, "many", "local")
    figures.add("MB", build.worker_bytes / 1e6, "many", "worker")
    with DaskCluster(workers=2) as cluster:
        build = Build(*recordings, "-o", folder / "dask", *options, "--scheduler", cluster.address)
        while len(list((folder / "dask" / "_manifest").glob("*.json"))) < matches // 2:
            if build.process.poll() is not None:
                raise MeasureError("the build ended before a worker was killed")
            time.sleep(_SAMPLE_SECONDS)
        cluster.workers[0].kill()
        build.wait()
    figures.add("matches/h", matches / build.seconds * 3600, "many", "dask")
    local, dask = contents(folder / "local"), contents(folder / "dask")
    if local != dask:
        raise MeasureError(f"the datasets differ: {sorted(local.items() ^ dask.items())[:4]}")
    info = dataset.info(folder / "local")
    if (info.matches, info.failures) != (matches, []):
        raise MeasureError(f"{info.matches} of {matches} matches, and {len(info.failures)} failures")
    figures.add("files", len(local), "many", "files")
    figures.add("rows", info.tables["units"].rows, "many", "rows")
    figures.add("MB", sum(size.bytes for size in info.tables.values()) / 1e6, "many", "dataset")
    shutil.rmtree(folder / "local")
    shutil.rmtree(folder / "dask")


def contents(folder: Path) -> dict[str, str]:
    """Each file with the hash of its content."""
    files = [each for each in folder.rglob("*") if each.is_file()]
    return {each.relative_to(folder).as_posix(): hashlib.sha256(each.read_bytes()).hexdigest() for each in files}


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """The shortest time of three calls in seconds, and what the last returned."""
    results: list[Any] = []
    taken = times(lambda _: results.append(call()), range(3))
    return min(taken) / 1e6, results[-1]


def make_match(seed: int, frames: int) -> Path:
    """A generated match; made where it is missing."""
    path = LOCAL / f"matches-{frames}" / f"match-{seed:04}.mcap"
    return made(path, DAEMON, "synth", "--seed", str(seed), "--steps", str(frames), "-q", "-o")


def main() -> int:
    """Measure, and write the page."""
    options = arguments(
        "dataset",
        __doc__,
        rounds=(3, "rounds of speed and sizes"),
        matches=(200, "generated matches"),
        frames=(3000, "frames of each"),
    )
    compared: dict[Path, tuple[int, int] | None] = {}

    def measured(figures: Figures) -> None:
        elite, second = make_elite(), make_elite(seed=12)
        compared.update({elite: COMPARED, **dict.fromkeys(import_sequences(WHOLE_MATCH))})
        with tempfile.TemporaryDirectory(dir=LOCAL) as temporary:
            folder = Path(temporary)
            for _ in rounds(options.rounds):
                speed(figures, folder, [elite, second])
                for recording, limits in compared.items():
                    sizes(figures, folder, recording, limits)
            many(figures, folder, options.matches, options.frames)

    return run(options, measured, lambda figures: page(figures, [each.stem for each in compared], options))


if __name__ == "__main__":
    sys.exit(main())

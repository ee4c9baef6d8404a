"""Datasets that are interrupted, inputs that are damaged or remote, folders that are changed."""

from __future__ import annotations

import functools
import http.server
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from abathur import AbathurError, dataset
from abathur.dataset._store import Store
from datasets import contents, parts, synthesize, write_recording
from programs import SKIRMISH, TIMEOUT, matrix, pause, random_seed
from programs import abathur as run_abathur

#: The issue of datasets asks for ten; each takes as long as a build.
KILLS = int(os.environ.get("ABATHUR_DATASET_KILLS", "3"))
STEPS = 200


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four matches, a damaged recording, and a copy."""
    folder = tmp_path_factory.mktemp("recordings")
    first, *_ = synthesize(folder, seeds=range(1, 5), steps=STEPS)
    (folder / "damaged.mcap").write_bytes(first.read_bytes()[:-1000])
    (folder / "copy.mcap").write_bytes(first.read_bytes())
    return folder


@pytest.fixture(scope="module")
def undisturbed(recordings: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("undisturbed") / "data"
    done = run_abathur("dataset", "build", str(recordings), "-o", str(folder))
    assert done.returncode == 3, done.stderr
    return contents(folder)


def start(recordings: Path, folder: Path, *options: str) -> subprocess.Popen[str]:
    line = [sys.executable, "-m", "abathur", "dataset", "build", str(recordings), "-o", str(folder), *options]
    return subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def workers_of(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """The worker processes of a build, when both have a recording."""
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        children = psutil.Process(process.pid).children()
        found = [each for each in children if any("spawn_main" in word for word in each.cmdline())]
        if len(found) == 2:
            return found
    raise AssertionError("the build has started no workers")


@pytest.mark.parametrize("workers", matrix("2", "1"))
def test_killed_at_random_moments_it_is_the_dataset_of_an_undisturbed_build(
    recordings: Path, undisturbed: dict[str, str], tmp_path: Path, workers: str
) -> None:
    random.seed(random_seed())
    folder = tmp_path / "data"
    begin = time.monotonic()
    start(recordings, tmp_path / "other", "--workers", workers).communicate(timeout=240)
    whole = time.monotonic() - begin
    for _ in range(KILLS):
        process = start(recordings, folder, "--workers", workers)
        try:
            process.communicate(timeout=random.uniform(0.1, 0.9) * whole)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
    last = run_abathur("dataset", "build", str(recordings), "-o", str(folder), "--workers", workers)
    assert last.returncode == 3, last.stderr
    assert contents(folder) == undisturbed == contents(tmp_path / "other")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_killed_workers_are_replaced(recordings: Path, undisturbed: dict[str, str], tmp_path: Path) -> None:
    process = start(recordings, tmp_path / "data", "--workers", "2")
    for worker in workers_of(process):
        worker.kill()
    _, said = process.communicate(timeout=240)
    assert process.returncode == 3, said
    assert contents(tmp_path / "data") == undisturbed


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_recording_whose_workers_are_killed_each_time_is_listed(
    recordings: Path, undisturbed: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    process = start(recordings, folder, "--workers", "2", "--retries", "0")
    for worker in workers_of(process):
        worker.kill()
    _, said = process.communicate(timeout=240)
    # Another run helps, so that it is not a bad input.
    assert process.returncode == 1
    assert said.count("the worker process ended (signal 9), try 1 of 1") == 2
    # One of them may be the damaged one.
    assert len(Store(folder).failures()) in (2, 3)
    assert run_abathur("dataset", "build", str(recordings), "-o", str(folder)).returncode == 3
    assert contents(folder) == undisturbed


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_keeps_what_is_complete_and_says_how_to_continue(
    recordings: Path, undisturbed: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    process = start(recordings, folder, "--workers", "2")
    workers_of(process)
    while not any(Path(folder, "_manifest").glob("*.json")):
        pause()
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 130 and said == "abathur: interrupted; the same command continues\n"
    assert dataset.check(folder) == [] or all("no complete recording" in each for each in dataset.check(folder))
    assert 1 <= dataset.info(folder).matches <= 4
    assert run_abathur("dataset", "build", str(recordings), "-o", str(folder)).returncode == 3
    assert contents(folder) == undisturbed


def test_damaged_recordings_are_listed_and_the_others_go_on(tmp_path: Path) -> None:
    recordings = tmp_path / "recordings"
    recordings.mkdir()
    good = write_recording(recordings / "good.mcap", [(1, b"")], match_id="good")
    (recordings / "empty.mcap").touch()
    (recordings / "text.mcap").write_text("no recording")
    write_recording(recordings / "invalid.mcap", [(1, b""), (2, b"\xff")])
    inside = bytearray(SKIRMISH.read_bytes())
    inside[len(inside) // 2 :][:8] = b"damaged!"
    inside[len(inside) // 2] ^= 255
    (recordings / "inside.mcap").write_bytes(inside)
    folder = tmp_path / "data"
    done = run_abathur("dataset", "build", str(recordings), "-o", str(folder), "--json")
    assert done.returncode == 3
    listed = [json.loads(line) for line in (folder / "failures.jsonl").read_text().splitlines()]
    names = [Path(each["source"]).name for each in listed]
    assert names == ["empty.mcap", "inside.mcap", "invalid.mcap", "text.mcap"]
    assert all(str(recordings) in each["error"] for each in listed)
    result = json.loads(done.stdout)
    assert (result["converted"], len(result["failures"])) == (1, 4)
    assert all(each["is_damaged"] for each in result["failures"])
    # What was written of a recording that is damaged inside is removed.
    assert [each.parent.parent.name for each in parts(folder, "units")] == ["match_id=good"]
    assert not (folder / "_parts").exists()
    # Without them, a build has no failures.
    assert run_abathur("dataset", "build", str(good), "-o", str(folder)).returncode == 0
    assert not (folder / "failures.jsonl").exists()


@pytest.fixture
def web(recordings: Path) -> Iterator[str]:
    """The recordings over HTTP, on loopback."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(recordings))
    ) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_remote_recordings_are_copied(web: str, recordings: Path, undisturbed: dict[str, str], tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    names = sorted(each.name for each in recordings.glob("*.mcap"))
    urls = [f"{web}/{name}" for name in names]
    urls[0] = f"file://{recordings / names[0]}"
    done = run_abathur("dataset", "build", *urls, "-o", str(tmp_path / "data"))
    assert done.returncode == 3, done.stderr
    found = contents(tmp_path / "data")
    # Failures name the URL.
    assert found.pop("failures.jsonl") != undisturbed["failures.jsonl"]
    assert found.items() < undisturbed.items()
    missing = run_abathur("dataset", "build", f"{web}/missing.mcap", "-o", str(tmp_path / "other"))
    assert missing.returncode == 1 and "missing.mcap" in missing.stderr


def test_the_same_options_continue_and_others_are_refused(tmp_path: Path) -> None:
    recording = write_recording(tmp_path / "match.mcap", [(1, b"")])
    folder = tmp_path / "data"
    dataset.build(recording, folder)
    for options, said in (
        ({"every": 8}, "was built with every 1, not 8"),
        ({"columns": "x"}, "was built with columns tag, unit_type,"),
        (
            {"fields": "observation.score.score"},
            "was built with fields observation.player_common, observation.score, not",
        ),
        ({"group_loops": 5}, "was built with group_loops 384, not 5"),
    ):
        with pytest.raises(AbathurError, match=said):
            dataset.build(recording, folder, **options)
    before = contents(tmp_path)
    with pytest.raises(AbathurError, match="already exists and is not a dataset"):
        dataset.build(recording, tmp_path)
    with pytest.raises(AbathurError, match="already exists and is not a dataset"):
        dataset.build(recording, recording)
    with pytest.raises(AbathurError, match=r"is not a dataset: it has no _dataset\.json"):
        dataset.info(tmp_path)
    assert contents(tmp_path) == before


def test_two_builds_do_not_write_to_one_folder(tmp_path: Path) -> None:
    recording = write_recording(tmp_path / "match.mcap", [(1, b"")])
    folder = tmp_path / "data"
    dataset.build(recording, folder)
    with Store(folder).locked(), pytest.raises(AbathurError, match="another build is writing to"):
        dataset.build(recording, folder)
    assert dataset.build(recording, folder).kept == 1


def test_check_finds_what_was_changed(tmp_path: Path) -> None:
    first, second, third = synthesize(tmp_path, seeds=(1, 2, 3), steps=30)
    folder = tmp_path / "data"
    dataset.build([first, second], folder)
    assert dataset.check(folder, [first, second]) == []
    (missing, changed), (surplus, _) = parts(folder, "players"), parts(folder, "events")
    shutil.copy(surplus, surplus.with_name("other.parquet"))
    missing.unlink()
    changed.write_bytes(changed.read_bytes()[:-1] + b"2")
    entry = next((folder / "_manifest").glob("*.json"))
    values = json.loads(entry.read_text())
    values["parts"]["units"]["rows"] += 1
    entry.write_text(json.dumps(values))
    (folder / "matches" / "matches.parquet").unlink()
    done = run_abathur("dataset", "check", str(folder), *map(str, (first, second, third)), "--json")
    assert done.returncode == 3
    problems = json.loads(done.stdout)["problems"]
    for part in (
        f"{missing.relative_to(folder)} is missing",
        f"{changed.relative_to(folder)} was changed after it was written",
        f"rows, not {values['parts']['units']['rows']}",
        "other.parquet belongs to no complete recording",
        "matches/matches.parquet is missing",
        f"{third} is not in the dataset",
        f"the dataset has {values['parts']['units']['rows']} rows, the recording",
    ):
        assert sum(part in each for each in problems) == 1, (part, problems)
    assert len(problems) == 7


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ("build nothing.mcap -o DIR", 1, "nothing.mcap names no .mcap file"),
        ("build *.nothing -o DIR", 1, "*.nothing names no .mcap file"),
        ("build FILE", 2, "required: -o/--output"),
        ("build -o DIR", 2, "required: INPUT"),
        ("build FILE -o DIR --every 0", 2, "every is 0; it must be 1 to 1000000 game loops"),
        ("build FILE -o DIR --columns helth", 2, "units have no column 'helth'; there are tag,"),
        ("build FILE -o DIR --fields observation.x", 2, "observation has no 'x'; there are game_loop"),
        ("build FILE -o DIR --fields observation.alerts", 2, "has no single numbers"),
        ("build FILE -o DIR --workers 0", 2, "workers is 0; it must be 1 to 256"),
        ("build FILE -o DIR --workers x", 2, "--workers: invalid int value: 'x'"),
        ("build FILE -o DIR --retries -1", 2, "retries is -1; it must be 0 to 100"),
        ("build FILE -o DIR --every 8 --group-loops 4", 2, "group_loops is 4; it must be at least"),
        ("build FILE -o DIR --scheduler here", 2, "scheduler is 'here'; it must be an address such as"),
        ("build FILE -o DIR --wrokers 2", 2, "unknown option --wrokers (did you mean --workers?)"),
        ("build nonsense://x/y.mcap -o DIR", 1, "cannot list nonsense://x/y.mcap: "),
        ("info nothing", 1, "nothing is not a dataset: it has no _dataset.json; `abathur dataset build` makes one"),
        ("check .", 1, "is not a dataset"),
        ("record nothing -o DIR", 1, "nothing names no .sc2replay file"),
        ("record FILE -o DIR --jobs 0", 2, "jobs is 0; it must be 1 to 64"),
        ("record FILE -o DIR --step 0", 2, "step is 0; it must be 1 to 1000 game loops"),
        ("record FILE -o DIR --player 17", 2, "players are [17]; they must be ids of 1 to 16"),
        ("record FILE -o DIR --jobs 2 --sc2 127.0.0.1:5000", 2, "2 jobs need as many games, but 1 addresses are given"),
        ("bild", 2, "invalid choice: 'bild'"),
        ("", 2, "required: COMMAND"),
    ],
)
def test_wrong_command_lines_say_why(tmp_path: Path, arguments: str, code: int, said: str) -> None:
    target = tmp_path / "data"
    words = {"DIR": str(target), "FILE": str(SKIRMISH)}
    done = run_abathur("dataset", *(words.get(each, each) for each in arguments.split()))
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
    assert not target.exists()


def test_a_killed_build_of_options_is_continued(tmp_path: Path) -> None:
    """Killed before its first file was complete, it has left parts only."""
    recording = write_recording(tmp_path / "match.mcap", [(1, b"")])
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "_lock").touch()
    (folder / "_dataset.json.0123abcd.part").write_text("{")
    assert dataset.build(recording, folder).converted == 1
    (folder / "_dataset.json").write_text('{"format": 1}')
    with pytest.raises(AbathurError, match=r"_dataset\.json is damaged"):
        dataset.build(recording, folder)
    (folder / "_dataset.json").write_text('{"format": 2}')
    with pytest.raises(AbathurError, match="has format 2; this version of the package reads 1"):
        dataset.info(folder)

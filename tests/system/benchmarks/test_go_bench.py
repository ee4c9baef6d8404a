"""The codecs of Go on the committed recording."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from abathur.bench._frames import RecordedFrames
from language_benches import (
    Bench,
    check_protobuf_bytes,
    check_row,
    check_shape,
    failed_levels,
    losing_unknown_fields,
    measure,
    run,
)
from languages import measured
from programs import SKIRMISH
from report.results import read_run

CODECS = [
    *("encoding-json", "json-iterator", "protobuf", "gogo", "vtprotobuf", "flatbuffers", "flatbuffers-read"),
    "protojson",
]
needs_go = pytest.mark.skipif(shutil.which("go") is None, reason="go is not installed")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    found = measure("go.py", tmp_path_factory.mktemp("go"))
    if reason := found.result["unavailable"].get("protobuf"):
        pytest.skip(reason)
    return found


def row_exists(bench: Bench, codec: str) -> None:
    if reason := bench.result["unavailable"].get(codec):
        assert codec.startswith("flatbuffers")
        pytest.skip(reason)


@pytest.mark.benchmarks
@needs_go
def test_result_has_the_shape_of_match_runs(bench: Bench) -> None:
    check_shape(bench, "go", "Go")
    assert list(bench.result["codecs"]) == [each for each in CODECS if each not in bench.result["unavailable"]]
    packages = bench.result["environment"]["packages"]
    assert {"google.golang.org/protobuf", "github.com/gogo/protobuf", "github.com/google/flatbuffers"} <= set(packages)
    assert bench.result["environment"]["clock"]["read_ns"] > 0
    run = read_run(bench.path)
    assert {each.name for each in run.complete()} == set(run.codecs) - {"flatbuffers-read"}


@pytest.mark.benchmarks
@needs_go
@pytest.mark.parametrize("codec", CODECS)
def test_every_row_gives_back_every_frame_and_is_timed(bench: Bench, codec: str) -> None:
    row_exists(bench, codec)
    check_row(bench, codec, encodes=codec != "flatbuffers-read")
    row = bench.result["codecs"][codec]
    assert row["allocations_decode"] > 0


@pytest.mark.benchmarks
@needs_go
@pytest.mark.parametrize("codec", ["protobuf", "gogo", "vtprotobuf"])
def test_protobuf_has_the_recorded_bytes(bench: Bench, codec: str) -> None:
    check_protobuf_bytes(bench, codec)


@pytest.mark.benchmarks
@needs_go
@pytest.mark.parametrize(("one", "other"), [("encoding-json", "json-iterator"), ("flatbuffers", "flatbuffers-read")])
def test_rows_of_the_same_format_have_the_same_bytes(bench: Bench, one: str, other: str) -> None:
    row_exists(bench, one)
    codecs = bench.result["codecs"]
    assert codecs[one]["bytes_series"] == codecs[other]["bytes_series"]


@pytest.mark.benchmarks
@needs_go
def test_content_that_is_lost_is_named(bench: Bench) -> None:
    assert failed_levels(bench) == {"undefined": {"encoding-json", "json-iterator"}}
    assert "NaN" in bench.result["levels"]["undefined"]["encoding-json"]["error"]
    assert losing_unknown_fields(bench) == set(bench.result["codecs"]) - {"protobuf", "gogo", "vtprotobuf"}


@pytest.mark.benchmarks
@needs_go
def test_second_run_does_not_build(bench: Bench) -> None:
    done = run("go.py", SKIRMISH, "--frames", "1", "--codecs", "vtprotobuf", "--quick")
    assert (done.returncode, "building" in done.stderr) == (0, False)
    assert done.stdout.splitlines()[1].split()[:2] == ["vtprotobuf", "1"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--codecs", "protobuf,soap"], "there is no codec soap; there are encoding-json, json-iterator, protobuf"),
        (["--codecs", ","], "--codecs is empty"),
        (["--frames", "0"], "--frames must be 1 to"),
        (["--rounds", "x"], "--rounds: invalid int value: 'x'"),
        (["--rounds", "0"], "--rounds must be 1 to"),
        (["--surprise"], "unrecognized arguments: --surprise"),
        (["--json", "no/such/folder/out.json"], "the folder no/such/folder does not exist"),
        (["--levels", "no/such/folder"], "--levels no/such/folder has no files *.binpb"),
    ],
)
def test_wrong_usage_is_said(arguments: list[str], message: str) -> None:
    done = run("go.py", SKIRMISH, *arguments)
    last = done.stderr.splitlines()[-1]
    assert (done.returncode, last.startswith("go.py: ")) == (2, True)
    assert message in last


def test_no_recording_is_wrong_usage_and_junk_a_bad_one(tmp_path: Path) -> None:
    assert run("go.py").returncode == 2
    done = run("go.py", tmp_path / "none.mcap")
    assert (done.returncode, "none.mcap" in done.stderr) == (3, True)
    (tmp_path / "junk.mcap").write_bytes(b"junk" * 100)
    assert run("go.py", tmp_path / "junk.mcap").returncode == 3


def test_without_go_the_rows_say_so(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    done = run("go.py", SKIRMISH, "--frames", "1", "--json", out, PATH=str(tmp_path))
    reason = "go is not installed (Debian: apt-get install golang-go)"
    assert (done.returncode, reason in done.stdout) == (0, True)
    result = json.loads(out.read_text(encoding="utf-8"))
    assert (result["codecs"], result["unavailable"]) == ({}, dict.fromkeys(CODECS, reason))
    assert read_run(out).language == "go"


def test_list_names_the_codecs() -> None:
    done = run("go.py", "--list")
    assert (done.returncode, [line.split()[0] for line in done.stdout.splitlines()]) == (0, CODECS)


def test_sums_that_differ_from_those_of_python_are_an_error() -> None:
    frames = list(RecordedFrames(SKIRMISH).read([0, 1343]))
    sums = [{"int": frame.sums()[0] % (1 << 64), "float": repr(frame.sums()[1])} for frame in frames]
    wrong = [sums[0], {**sums[1], "int": sums[1]["int"] + 1}]
    rows = {"good": {"sums": sums, "bytes": [1, 2]}, "bad": {"sums": wrong, "bytes": [1, 2]}}
    found = measured.Measured(codecs=rows)
    measured.check_sums(found, frames)
    labels = dict.fromkeys(rows, "")
    result = measured.to_json(
        "go", labels, RecordedFrames(SKIRMISH), frames, found, {}, rounds=1, seed=1, machine={"clock": {}}
    )
    assert (result["codecs"]["good"]["error"], result["codecs"]["good"]["frames"]) == (None, 2)
    bad = result["codecs"]["bad"]
    assert (bad["error"], bad["frames"], bad["bytes"]) == (
        "frame 1343: reading every field gave another sum than in Python",
        0,
        None,
    )

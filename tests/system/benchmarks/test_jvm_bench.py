"""The codecs of the JVM on the committed recording, and HTTP between two JVMs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from language_benches import (
    Bench,
    check_protobuf_bytes,
    check_row,
    check_shape,
    check_statistics,
    failed_levels,
    losing_unknown_fields,
    measure,
    run,
)
from languages import jmh
from programs import SKIRMISH
from report.results import read_run

CODECS = [
    *("jackson", "jackson-afterburner", "jackson-blackbird", "protobuf", "protobuf-plain", "protojson"),
    *("protobuf+gzip", "jackson+gzip"),
]
REQUESTS = [
    *("get-protobuf", "get-protobuf-gzip", "get-json", "get-json-gzip"),
    *("post-protobuf", "post-protobuf-gzip", "post-json", "post-json-gzip"),
]
needs_jdk = pytest.mark.skipif(
    shutil.which("javac") is None or shutil.which("mvn") is None, reason="a JDK and Maven are not installed"
)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    found = measure("jvm.py", tmp_path_factory.mktemp("jvm"))
    if reason := found.result["unavailable"].get("protobuf"):
        pytest.skip(reason)
    return found


@pytest.mark.benchmarks
@needs_jdk
def test_result_has_the_shape_of_match_runs(bench: Bench) -> None:
    check_shape(bench, "jvm", "Java")
    assert list(bench.result["codecs"]) == CODECS
    packages = bench.result["environment"]["packages"]
    assert {"jackson-databind", "protobuf-java", "jmh-core"} <= set(packages)
    run = read_run(bench.path)
    assert {each.name for each in run.complete()} == set(CODECS)


@pytest.mark.benchmarks
@needs_jdk
@pytest.mark.parametrize("codec", CODECS)
def test_every_row_gives_back_every_frame_and_is_timed(bench: Bench, codec: str) -> None:
    check_row(bench, codec)


@pytest.mark.benchmarks
@needs_jdk
@pytest.mark.parametrize("codec", ["protobuf", "protobuf-plain"])
def test_protobuf_has_the_recorded_bytes(bench: Bench, codec: str) -> None:
    check_protobuf_bytes(bench, codec)


@pytest.mark.benchmarks
@needs_jdk
def test_rows_of_the_same_format_have_the_same_bytes(bench: Bench) -> None:
    codecs = bench.result["codecs"]
    for module in ("jackson-afterburner", "jackson-blackbird"):
        assert codecs[module]["bytes_series"] == codecs["jackson"]["bytes_series"]
    for codec in ("jackson", "protobuf"):
        assert codecs[f"{codec}+gzip"]["bytes"]["max"] < codecs[codec]["bytes"]["min"] / 2


@pytest.mark.benchmarks
@needs_jdk
def test_content_that_is_lost_is_named(bench: Bench) -> None:
    assert failed_levels(bench) == {}
    assert losing_unknown_fields(bench) == set(CODECS) - {"protobuf", "protobuf+gzip"}


@pytest.mark.benchmarks
@needs_jdk
@pytest.mark.parametrize("request_kind", REQUESTS)
def test_frames_go_over_http_both_ways(bench: Bench, request_kind: str) -> None:
    http, codecs = bench.result["http"], bench.result["codecs"]
    assert sorted(http) == sorted(REQUESTS)
    row = http[request_kind]
    for name in ("total_ns", "server_codec_ns"):
        check_statistics(row[name])
    assert row["server_codec_ns"]["max"] < row["total_ns"]["max"]
    is_compressed = request_kind.endswith("-gzip")
    assert (row["server_gzip_ns"] is not None) == is_compressed
    codec = ("jackson" if "json" in request_kind else "protobuf") + ("+gzip" if is_compressed else "")
    assert row["bytes"] == codecs[codec]["bytes"]


@pytest.mark.benchmarks
@needs_jdk
def test_second_run_does_not_build(bench: Bench) -> None:
    done = run("jvm.py", SKIRMISH, "--frames", "1", "--codecs", "protobuf", "--quick")
    assert (done.returncode, "building" in done.stderr) == (0, False)
    assert done.stdout.splitlines()[1].split()[:2] == ["protobuf", "1"]


def test_samples_keep_the_least_the_most_and_the_ranks() -> None:
    histogram = {"rawDataHistogram": [[[[7, 1], [3, 99_998]], [[1, 1]]]]}
    found = jmh.samples(histogram)
    assert (len(found), found[0], found[1], found[-2], found[-1]) == (5000, 1, 3, 3, 7)
    assert jmh.samples({"rawDataHistogram": [[[[2.5, 2]], [[1, 1]]]]}) == [1, 2.5, 2.5]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--codecs", "protobuf,soap"], "there is no codec soap; there are jackson, jackson-afterburner"),
        (["--frames", "x"], "--frames: invalid int value: 'x'"),
        (["--json", "no/such/folder/out.json"], "the folder no/such/folder does not exist"),
    ],
)
def test_wrong_usage_is_said(arguments: list[str], message: str) -> None:
    done = run("jvm.py", SKIRMISH, *arguments)
    last = done.stderr.splitlines()[-1]
    assert (done.returncode, last.startswith("jvm.py: ")) == (2, True)
    assert message in last


def test_missing_recording_is_a_bad_one(tmp_path: Path) -> None:
    done = run("jvm.py", tmp_path / "none.mcap")
    assert (done.returncode, "none.mcap" in done.stderr) == (3, True)


def test_without_java_the_rows_say_so(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    done = run("jvm.py", SKIRMISH, "--frames", "1", "--json", out, PATH=str(tmp_path))
    reason = "java is not installed (Debian: apt-get install openjdk-17-jdk-headless)"
    assert (done.returncode, reason in done.stdout) == (0, True)
    result = json.loads(out.read_text(encoding="utf-8"))
    assert (result["codecs"], result["unavailable"]) == ({}, dict.fromkeys(CODECS, reason))
    assert read_run(out).language == "jvm"


def test_list_names_the_codecs() -> None:
    done = run("jvm.py", "--list")
    assert (done.returncode, [line.split()[0] for line in done.stdout.splitlines()]) == (0, CODECS)

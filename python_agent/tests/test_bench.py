"""``abathur bench``: statistics, runner, result."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from abathur.bench import _catalog
from abathur.bench._frames import RecordedFrames, along_keyframes, evenly_spaced
from abathur.bench._options import Options
from abathur.bench._runner import CodecRun, Runner
from abathur.bench._statistics import QUANTILES, summarize
from hypothesis import given
from hypothesis import strategies as st
from programs import ROOT, SKIRMISH, abathur

CSHARP = ROOT / "artifacts" / "bin" / "Abathur.Benchmarks" / "release" / "Abathur.Benchmarks.dll"
STATISTICS = ["trimmed_mean", "min", "p50", "p90", "p99", "p99_9", "max", "rounds", "quantiles"]
FRAMES = 20
SAMPLES = st.lists(st.integers(0, 10**9).map(float), min_size=1, max_size=200)


def quiet(what: str, done: float, total: float) -> None:
    pass


def test_statistics_of_known_samples() -> None:
    statistics = summarize([[8, 1, 7, 2, 100, 3, 6, 5, 4]])
    assert statistics is not None
    # A quarter of nine, rounded down, is two at each end: 3 to 7 are left.
    assert statistics.trimmed_mean == 5
    assert statistics.percentile(50) == 5
    assert statistics.percentile(90) == pytest.approx(8 + 0.2 * 92)
    assert (statistics.percentile(0), statistics.percentile(100)) == (1, 100)
    assert list(statistics.to_json()) == STATISTICS
    assert len(QUANTILES) == 103


def test_statistics_of_nothing_and_of_rounds() -> None:
    assert summarize([]) is None
    assert summarize([[], []]) is None
    statistics = summarize([[1, 1, 1, 1], [3, 3, 3, 3], []])
    assert statistics is not None
    assert (statistics.rounds, statistics.trimmed_mean) == ((1, 3), 2)


@given(SAMPLES)
def test_quantiles_are_those_of_numpy(samples: list[float]) -> None:
    statistics = summarize([samples])
    assert statistics is not None
    ours = [statistics.percentile(each) for each in QUANTILES]
    assert ours == pytest.approx(np.percentile(samples, QUANTILES).tolist())
    assert statistics.ordered[0] <= statistics.trimmed_mean <= statistics.ordered[-1]
    assert statistics == summarize([samples[::-1]])


@given(st.lists(st.integers(1, 10**6), min_size=1))
def test_outliers_in_the_outer_quarters_change_nothing(outliers: list[int]) -> None:
    statistics = summarize([[7.0] * 2 * len(outliers) + [7.0 + x for x in outliers] + [7.0 - x for x in outliers]])
    assert statistics is not None
    assert statistics.trimmed_mean == 7


@given(st.integers(1, 5000), st.integers(1, 5000))
def test_evenly_spaced_numbers_rise_from_the_first_to_the_last(count: int, wanted: int) -> None:
    numbers = evenly_spaced(count, wanted)
    assert len(numbers) == min(count, wanted)
    assert numbers == sorted(set(numbers))
    assert numbers[0] == 0
    assert numbers[-1] == (count - 1 if wanted > 1 else 0)


@given(st.data(), st.integers(1, 3000))
def test_frames_along_keyframes_are_whole_intervals(data: st.DataObject, count: int) -> None:
    keyframes = sorted({0, *data.draw(st.lists(st.integers(0, count - 1), max_size=12))})
    wanted = data.draw(st.integers(1, count + 5))
    chosen = along_keyframes(count, wanted, keyframes)
    assert chosen == sorted(set(chosen))
    assert chosen[0] in keyframes
    for one, other in pairwise(chosen):
        assert other == one + 1 or (other in keyframes and one + 1 in keyframes)
    assert chosen[-1] + 1 in {*keyframes, count}
    assert wanted < count or len(chosen) == count


@pytest.mark.benchmarks
def test_streams_have_the_sizes_of_the_csharp_runner(tmp_path: Path) -> None:
    names = "columns,zstd-stream,columns+br-stream"
    mine, theirs = tmp_path / "python.json", tmp_path / "csharp.json"
    done = abathur("bench", SKIRMISH, "--codecs", names, "--frames", "300", "--json", mine)
    assert done.returncode == 0, done.stderr
    subprocess.run(
        ["dotnet", CSHARP, "match", SKIRMISH, "--codecs", names, "--frames", "300", "--json", theirs],
        check=True,
        capture_output=True,
    )
    ours, csharp = (json.loads(path.read_text())["codecs"] for path in (mine, theirs))
    for name in names.split(","):
        assert ours[name]["error"] is None
        # 300 of 1,344 frames: the interval of 224 frames in the middle.
        assert ours[name]["frames"] == 224
        assert ours[name]["keyframes"]["frames"] == 1
        sizes = dict(map(tuple, csharp[name]["bytes_series"]))
        assert dict(map(tuple, ours[name]["bytes_series"])) == sizes
        assert ours[name]["encode_ns"] is None
        assert ours[name]["decode_touch_ns"]["min"] >= ours[name]["decode_ns"]["min"]


def test_bench_writes_the_documented_result(tmp_path: Path) -> None:
    names = ["protobuf", "orjson", "msgspec-msgpack+zstd", "msgpack+gzip", "flatbuffers-scan", "cbor2+br"]
    output = tmp_path / "out.json"
    arguments = ["--codecs", ",".join(names), "--frames", str(FRAMES), "--rounds", "2", "--json", str(output)]
    done = abathur("bench", str(SKIRMISH), *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    for name in names:
        assert name in done.stdout
    result = json.loads(output.read_text(encoding="utf-8"))
    assert list(tmp_path.iterdir()) == [output]
    assert (result["language"], result["frames"], result["rounds"]) == ("python", FRAMES, 2)
    assert result["recording"] == {
        "file": "skirmish.mcap",
        "frames": 1344,
        "bytes": SKIRMISH.stat().st_size,
        "simulated": True,
    }
    for key in ("date", "commit", "cpu", "cores", "os", "load", "runtimes", "packages", "clock"):
        assert result["environment"][key], key
    assert list(result["codecs"]) == names
    for name, codec in result["codecs"].items():
        check_codec(codec, is_scan=name.endswith("-scan"))
    assert result["codecs"]["flatbuffers-scan"]["cannot_carry"]
    assert not result["codecs"]["protobuf"]["cannot_carry"]


def check_codec(codec: dict[str, Any], *, is_scan: bool) -> None:
    for operation in ("encode_ns", "decode_ns", "decode_touch_ns"):
        if is_scan and operation != "decode_ns":
            assert codec[operation] is None
            continue
        statistics = codec[operation]
        rising = [statistics[each] for each in ("min", "p50", "p90", "p99", "p99_9", "max")]
        assert rising == sorted(rising)
        assert 0 < statistics["min"] <= statistics["trimmed_mean"] <= statistics["max"]
        assert len(statistics["rounds"]) == 2
        assert statistics["quantiles"][50] == [50, statistics["p50"]]
        assert statistics["quantiles"][-1] == [100, statistics["max"]]
    sizes = codec["bytes"]
    assert sizes["min"] <= sizes["mean"] <= sizes["max"]
    assert codec["mbit_per_second"]["22.4"] == pytest.approx(sizes["mean"] * 8 * 22.4 / 1e6)
    assert codec["mbit_per_second"]["16"] == pytest.approx(sizes["mean"] * 8 * 16 / 1e6)
    decode = codec["decode_ns"]["trimmed_mean"]
    assert codec["frames_per_second"]["decode"] == pytest.approx(1e9 / decode)
    assert codec["tick_share"]["decode"] == pytest.approx(decode / (1e9 / 22.4))
    assert (codec["frames"], codec["samples"], codec["error"]) == (FRAMES, 2 * FRAMES, None)
    series = codec["bytes_series"]
    assert (len(series), series[0][0], series[-1][0]) == (FRAMES, 0, 1343)
    assert codec["allocated_bytes"] is None
    assert codec["peak_memory_bytes"] > sizes["max"] / 2
    assert codec["label"]
    assert codec["footnotes"]


@pytest.mark.benchmarks
def test_all_codecs_are_taken_and_the_format_is_that_of_csharp(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "python.json", tmp_path / "csharp.json"
    done = abathur("bench", str(SKIRMISH), "--frames", "2", "--json", str(ours))
    assert (done.returncode, done.stderr) == (0, "")
    command = ["dotnet", str(CSHARP), "match", str(SKIRMISH), "--codecs", "protobuf", "--frames", "2"]
    subprocess.run([*command, "--json", str(theirs)], check=True, timeout=240, capture_output=True)
    python, csharp = (json.loads(path.read_text(encoding="utf-8")) for path in (ours, theirs))
    assert list(python["codecs"]) == list(_catalog.DEFAULT)
    assert all(codec["error"] is None for codec in python["codecs"].values())
    sizes = {name: codec["bytes"]["mean"] for name, codec in python["codecs"].items()}
    assert sizes["protojson-google-indented"] > 1.3 * sizes["protojson-google"]
    assert list(csharp) == [key for key in python if key not in ("unavailable", "peak_memory_method")]
    assert csharp["recording"] == python["recording"]
    assert set(csharp["environment"]) == set(python["environment"])
    ours_codec, theirs_codec = python["codecs"]["protobuf"], csharp["codecs"]["protobuf"]
    assert list(ours_codec) == list(theirs_codec)
    assert list(ours_codec["encode_ns"]) == list(theirs_codec["encode_ns"]) == STATISTICS
    assert ours_codec["bytes"] == theirs_codec["bytes"]
    assert ours_codec["bytes_series"] == theirs_codec["bytes_series"]


def test_packages_that_are_missing_are_named_in_one_command(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nfor name in ('cbor2', 'msgspec'):\n    sys.modules[name] = None\n", encoding="utf-8"
    )
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    done = abathur("bench", str(SKIRMISH), "--frames", "2", "--quick", "--budget", "0.1", PYTHONPATH=path)
    assert done.returncode == 0, done.stderr
    told = done.stderr.splitlines()
    assert "abathur: not measured: msgspec-json, msgspec-msgpack, cbor2: pip install msgspec cbor2" in told
    assert told[0].startswith("abathur: one to two minutes")


def test_a_quick_run_of_a_file_that_is_not_there_says_only_that() -> None:
    done = abathur("bench", "nofile.mcap", "--quick")
    assert (done.returncode, done.stderr) == (3, "abathur: cannot open nofile.mcap: No such file or directory\n")


def test_a_budget_takes_fewer_frames_of_each(tmp_path: Path) -> None:
    output = tmp_path / "out.json"
    done = abathur("bench", str(SKIRMISH), "--codecs", "protobuf,json", "--budget", "0.01", "--json", str(output))
    assert done.returncode == 0, done.stderr
    result = json.loads(output.read_text(encoding="utf-8"))
    assert result["frames"] == 1344
    # The budget was gone before anything was timed: each takes the least that says anything.
    assert [codec["frames"] for codec in result["codecs"].values()] == [10, 10]


def test_interrupted_while_timing_keeps_what_is_measured() -> None:
    timed = 0

    def interrupt(what: str, done: float, total: float) -> None:
        nonlocal timed
        timed += what.startswith("timing")
        if timed == 7:
            raise KeyboardInterrupt

    run = CodecRun("protobuf", _catalog.create("protobuf"))
    runner = Runner(Options(SKIRMISH, ("protobuf",), frames=FRAMES), RecordedFrames(SKIRMISH), [run], interrupt)
    runner.run()
    assert runner.interrupted
    assert run.samples == 7


def test_interrupted_command_writes_that_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from abathur import cli
    from abathur.bench import _runner

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_runner, "check", interrupt)
    output = tmp_path / "out.json"
    assert cli.main(["bench", str(SKIRMISH), "--codecs", "protobuf", "--json", str(output)]) == 130
    result = json.loads(output.read_text(encoding="utf-8"))
    assert result["interrupted"] is True
    assert result["codecs"]["protobuf"]["encode_ns"] is None


def test_order_of_codecs_is_another_in_each_round_and_set_by_the_seed() -> None:
    def order(seed: int) -> list[str]:
        seen: list[str] = []

        def note(what: str, done: float, total: float) -> None:
            if "timing" in what and what not in seen:
                seen.append(what)

        names = ("protobuf", "orjson", "msgpack", "msgspec-json")
        runs = [CodecRun(name, _catalog.create(name)) for name in names]
        Runner(Options(SKIRMISH, names, rounds=3, frames=2, seed=seed), RecordedFrames(SKIRMISH), runs, note).run()
        return seen

    first = order(1)
    assert len(first) == 12
    assert first == order(1) != order(2)


def test_a_codec_that_fails_its_check_is_reported_and_not_timed() -> None:
    codec = _catalog.create("protobuf")
    codec.decode = lambda data: {}["gone"]  # type: ignore[method-assign]
    runs = [CodecRun("broken", codec), CodecRun("orjson", _catalog.create("orjson"))]
    Runner(Options(SKIRMISH, ("broken", "orjson"), frames=2), RecordedFrames(SKIRMISH), runs, quiet).run()
    assert runs[0].failure == "KeyError: 'gone'"
    assert (runs[0].samples, runs[1].samples) == (0, 2)


def test_frames_read_twice_are_those_of_the_file() -> None:
    frames = RecordedFrames(SKIRMISH)
    numbers = [0, 5, 700, 1343]
    first = [(frame.number, frame.observation) for frame in frames.read(numbers)]
    assert [number for number, _ in first] == numbers
    assert first == [(frame.number, frame.observation) for frame in frames.read(numbers)]


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        ([], 2, "bench needs a FILE"),
        (["SKIRMISH", "--codecs", "protobuf,nothing"], 2, "there is no codec 'nothing'; there are protobuf, "),
        (["SKIRMISH", "--codecs", ","], 2, "--codecs is empty"),
        (["SKIRMISH", "--rounds", "0"], 2, "--rounds must be 1 to 1000"),
        (["SKIRMISH", "--budget", "inf"], 2, "argument --budget: invalid float value: 'inf'"),
        (["SKIRMISH", "--json", "."], 1, "it is a folder"),
        (["SKIRMISH", "--frames", "0"], 2, "--frames must be at least 1"),
        (["SKIRMISH", "--budget", "-1"], 2, "--budget must be above 0"),
        (["SKIRMISH", "--json", "no/such/folder/out.json"], 1, "the folder no/such/folder does not exist"),
        (["SKIRMISH", "--json", "README"], 1, "already exists; use --force to overwrite it"),
        (["missing.mcap", "--codecs", "protobuf"], 3, "cannot open missing.mcap"),
        (["cut.mcap", "--codecs", "protobuf"], 3, "is not a complete MCAP file"),
        (["README", "--codecs", "protobuf"], 3, "is not a complete MCAP file"),
        (["short.mcap", "--codecs", "protobuf"], 3, "is not a complete MCAP file"),
    ],
)
def test_bench_that_cannot_work_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, expected: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cut.mcap").write_bytes(SKIRMISH.read_bytes()[:-1000])
    Path("short.mcap").write_bytes(b"hi")
    places = {"SKIRMISH": str(SKIRMISH), "README": str(ROOT / "README.md")}
    done = abathur("bench", *(places.get(each, each) for each in arguments))
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert expected in done.stderr
    assert "Traceback" not in done.stderr


def test_bench_lists_every_codec() -> None:
    done = abathur("bench", "--list")
    assert done.returncode == 0, done.stderr
    for name in (*_catalog.NAMES, *_catalog.COMPRESSIONS):
        assert name in done.stdout


def test_listing_compiles_nothing() -> None:
    code = """
from abathur import cli
from abathur.bench.schema import bytes_fields, touch
cli.main(["bench", "--list"])
print(touch.reader.cache_info().currsize, bytes_fields.decoder.cache_info().currsize)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "0 0"

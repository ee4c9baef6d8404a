"""The report of benchmarks/python: its sums, and the page that it makes of match runs."""

from __future__ import annotations

import csv
import json
import re
import signal
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import end_to_end
import make_report
import pytest
from programs import DAEMON, ROOT
from report import plan, published, results, text
from report.break_even import Cost, fastest, overtaking
from report.running import Running
from report.svg import log_axis

import recordings


def timing(ms: float, rounds: tuple[float, ...] = (0.9, 1.1)) -> dict[str, Any]:
    ns = ms * 1e6
    return {
        "trimmed_mean": ns,
        "min": ns * 0.5,
        "p50": ns,
        "p90": ns * 1.5,
        "p99": ns * 2,
        "p99_9": ns * 3,
        "max": ns * 4,
        "rounds": [ns * each for each in rounds],
        "quantiles": [[at, ns * (0.5 + at / 50)] for at in (0, 50, 90, 99, 99.9, 100)],
    }


def codec(encode: float, decode: float, size: int, **more: Any) -> dict[str, Any]:
    return {
        "label": "a library 1.0",
        "footnotes": ["Used as its documentation advises."],
        "cannot_carry": [],
        "error": None,
        "frames": 40,
        "encode_ns": timing(encode),
        "decode_ns": timing(decode),
        "decode_touch_ns": timing(decode * 1.2),
        "bytes": {"min": size * 0.8, "mean": size, "max": size * 1.2},
        "bytes_series": [[0, size - 10], [50, size], [99, size + 10]],
        "allocated_bytes": 1234.0,
        "peak_memory_bytes": 5_000_000,
        **more,
    }


def run(language: str, codecs: dict[str, Any], **more: Any) -> dict[str, Any]:
    environment = {"date": "2026-01-01T00:00:00Z", "commit": "abc", "cpu": "A processor", "cores": 2, "os": "An OS"}
    recording = {"file": "match.mcap", "frames": 100, "bytes": 1000, "simulated": True}
    return {
        "environment": {**environment, "load": [0.5], "packages": {"a library": "1.0"}},
        "recording": recording,
        "frames": 100,
        "rounds": 2,
        "language": language,
        "interrupted": False,
        "codecs": codecs,
        **more,
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    csharp = {
        "protobuf": codec(0.2, 0.3, 50_000),
        "protobuf+zstd": codec(0.3, 0.4, 9_000),
        "protojson": codec(0.4, 0.6, 120_000),
        "protojson-google": codec(2.0, 12.0, 130_000),
        "cbor": codec(0.5, 0.3, 55_000, cannot_carry=["a sign of <zero>"]),
    }
    python = {"orjson": codec(0.4, 0.9, 120_000), "broken": codec(1, 1, 1, error="frame 3: <differs>")}
    (tmp_path / "match-match-csharp.json").write_text(json.dumps(run("csharp", csharp)))
    (tmp_path / "match-match-python.json").write_text(json.dumps(run("python", python)))
    return tmp_path


def test_break_even_is_where_both_take_the_same_time() -> None:
    small, fast = Cost("small", 0.003, 10_000), Cost("fast", 0.001, 60_000)
    speed = overtaking(small, fast)
    # 50,000 bytes more, 2 ms less: 400,000 bit in 0.002 s.
    assert speed == pytest.approx(200e6)
    assert small.total(speed) == pytest.approx(fast.total(speed))
    assert overtaking(fast, small) is None
    assert overtaking(small, Cost("larger and slower", 0.004, 20_000)) is None


def test_the_fastest_of_each_link_leave_no_gap_and_nobody_beats_them() -> None:
    costs = [
        Cost("smallest", 0.010, 5_000),
        Cost("between", 0.004, 20_000),
        Cost("fastest", 0.001, 80_000),
        Cost("never", 0.005, 90_000),
    ]
    reigns = fastest(costs)
    assert [each.name for each in reigns] == ["smallest", "between", "fastest"]
    assert (reigns[0].start, reigns[-1].end) == (10e6, 100e9)
    assert all(one.end == other.start for one, other in pairwise(reigns))
    by_name = {each.name: each for each in costs}
    for each in reigns:
        middle = (each.start * each.end) ** 0.5
        assert min(costs, key=lambda cost: cost.total(middle)) is by_name[each.name]
    assert fastest([]) == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0571, "0.0571"),
        (0.571, "0.571"),
        (5.714, "5.71"),
        (57.14, "57.1"),
        (1234.5, "1,234"),
        (0, "0"),
        (0.00321, "0.00321"),
    ],
)
def test_numbers_have_three_digits(value: float, expected: str) -> None:
    assert text.number(value) == expected


def test_rates_and_spreads() -> None:
    assert text.mbit_per_second(133.61 * 1024, 22.4) == pytest.approx(24.5, abs=0.05)
    assert text.spread([1e6, 1.25e6], 1e-6) == "1.00–1.25"
    assert text.spread([1e6], 1e-6) == "1 round"
    assert text.milliseconds(None) == "–"
    assert text.link(2.5e9) == "2.50 Gbit/s"


def test_a_logarithmic_axis_holds_its_values_and_its_ticks() -> None:
    axis = log_axis([0.2, 70], 0, 100, text.number)
    assert 0 < axis.at(0.2) < axis.at(70) < 100
    assert len(axis.ticks) >= 3
    assert all(axis.low <= value <= axis.high for value, _ in axis.ticks)


class Page(HTMLParser):
    """What a browser would load or follow, the elements that are open, and the text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.references: list[str] = []
        self.tags: list[str] = []
        self.words: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.references += [
            value or "" for name, value in attrs if name in ("src", "href", "xlink:href", "data", "action")
        ]

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_the_page_has_every_codec_and_needs_no_network(folder: Path) -> None:
    path = make_report.write_page(folder, "dotnet make.cs report", ["browser: not there"], interrupted=False)
    html = path.read_text(encoding="utf-8")
    page = Page(html)
    words = " ".join(page.words)
    assert all(each.startswith("#") for each in page.references)
    assert not {"script", "link", "img", "iframe"} & set(page.tags)
    assert "@import" not in html and "url(" not in html
    assert page.tags.count("svg") >= 6
    for expected in (
        "protojson-google",
        "protobuf+zstd",
        "orjson",
        "a library 1.0",
        "Used as its documentation advises.",
    ):
        assert expected in words
    assert "Does not carry a sign of <zero>." in words
    assert "Not timed: frame 3: <differs>" in words
    assert "browser: not there" in words
    assert "The end-to-end measurement was not run." in words
    # The post's unit is put right, with the right figure.
    assert "24.5 Mbit/s" in words
    assert "prefers-color-scheme: dark" in html


def test_what_the_numbers_say_is_computed(folder: Path) -> None:
    words = " ".join(Page(make_report.write_page(folder, "", [], interrupted=False).read_text(encoding="utf-8")).words)
    # Google's decoding takes 12 ms, ours 0.6: 20 times; encoding 2 and 0.4: 5 times.
    assert re.search(r"decode 20\.0×.*?reaches the goal", words)
    assert re.search(r"encode 5\.00×.*?misses the goal", words)
    assert re.search(r"protojson loses in encoding \(0\.400 ms\) to protobuf 0\.200", words)


def test_what_is_not_whole_is_not_compared(folder: Path) -> None:
    (found, _) = results.read_runs(folder)
    assert found.complete()[0].name == "protobuf"
    python = results.read_run(folder / "match-match-python.json")
    assert all(each.error is None for each in python.complete())


def test_results_csv_has_a_row_per_operation(folder: Path) -> None:
    make_report.write_page(folder, "", [], interrupted=False)
    with (folder / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    ours = next(each for each in rows if (each["codec"], each["operation"]) == ("protojson", "decode"))
    assert float(ours["trimmed_mean_ns"]) == pytest.approx(0.6e6)
    assert float(ours["round_least_ns"]) < float(ours["trimmed_mean_ns"]) < float(ours["round_most_ns"])
    assert len([each for each in rows if each["codec"] == "protojson"]) == 3


def test_published_figures_stand_beside_ours(folder: Path) -> None:
    rows = {row["label"]: row for row in published.beside_ours(results.read_runs(folder))}
    decode = rows["C# JSON decode"]
    # With every field read: the libraries of 2018 made all objects while they parsed.
    assert (decode["seed"], decode["ours"]) == (18.3, pytest.approx(14.4))
    assert decode["ratio"] == pytest.approx(18.3 / 14.4)
    assert decode["alone"].trimmed_mean == pytest.approx(12e6)
    assert rows["Python JSON decode"]["ours"] is None


def test_quick_runs_what_every_part_needs_in_less_than_five_minutes(tmp_path: Path) -> None:
    chosen = plan.quick(tmp_path, tmp_path / "elite.mcap")
    titles = [part.title for part in chosen.parts]
    assert {"skirmish, C#", "skirmish, Python", "elite, C#", "elite, Python", "end to end"} <= set(titles)
    assert chosen.seconds < 280
    assert any("BenchmarkDotNet" in each for each in chosen.missing)


def test_the_full_report_takes_less_than_an_hour_and_says_what_it_lacks(tmp_path: Path) -> None:
    windows = [tmp_path / f"{name}.mcap" for name in ("a-full", "b", "c", "d", "e", "f", "g")]
    assert plan.full(tmp_path, tmp_path / "elite.mcap", windows, tmp_path).seconds < 50 * 60
    without = plan.full(tmp_path, tmp_path / "elite.mcap", [], tmp_path)
    assert any("shared/sequences" in each for each in without.missing)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("protojson", ["protojson"]), ("c*r", ["cbor"]), ("cbor+*", ["cbor+gzip", "cbor+br", "cbor+zstd"]), ("none*", [])],
)
def test_a_filter_is_a_glob(pattern: str, expected: list[str]) -> None:
    assert plan.matching("csharp", pattern) == expected


def test_codecs_of_the_plan_are_those_of_the_runner() -> None:
    from abathur.bench import _catalog

    assert plan.CODECS["python"] == tuple(_catalog.NAMES)


def test_a_part_that_fails_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    bad = plan.Part("bad", [sys.executable, "-c", "raise SystemExit('no such thing')"], tmp_path / "x", 1)
    good = plan.Part(
        "good", [sys.executable, "-c", f"open({str(tmp_path / 'done')!r}, 'w').close()"], tmp_path / "y", 1
    )
    running = Running([bad, good], tmp_path / "log")
    running.run()
    assert (tmp_path / "done").exists()
    assert len(running.failed) == 1 and "no such thing" in running.failed[0]


@pytest.mark.skipif(not DAEMON.exists(), reason="the daemon is not built: dotnet make.cs setup")
def test_end_to_end_measures_every_transport(tmp_path: Path) -> None:
    chosen = [end_to_end.Case(name, 22.4, 1) for name in ("gRPC", "gRPC+zstd", "socket JSON", "ws proto", "ws JSON")]
    frames = recordings.Frames("skirmish", ROOT / "recordings" / "skirmish.mcap")
    bench = end_to_end.EndToEnd(frames, chosen, rounds=1, seconds=0.5, seed=1)
    bench.run()
    for case in bench.to_json():
        assert "error" not in case
        split = {part: value["p50"] for part, value in case["split_us"].items()}
        assert tuple(split) == end_to_end.PARTS
        # Plain protobuf is the bytes that came.
        assert (split.pop("published_encoded") == 0) == (case["transport"] in ("gRPC", "ws proto"))
        assert all(value > 0 for value in split.values())
        assert case["frames"] > 0
        assert case["total_us"]["p50"] >= max(split.values())
    sizes = {case["transport"]: case["bytes"] for case in bench.to_json()}
    assert sizes["gRPC+zstd"] < sizes["gRPC"] < sizes["socket JSON"]


def test_programs_say_how_they_are_used() -> None:
    for name in ("make_report.py", "matching.py", "end_to_end.py"):
        done = subprocess.run(
            [sys.executable, ROOT / "benchmarks" / "python" / name, "--help"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert "usage:" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT cannot be sent to another process there")
def test_ctrl_c_lets_the_part_write_what_it_has_and_leaves_out_the_rest(tmp_path: Path) -> None:
    part = f"""
import sys, time
try:
    print("ready", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    open({str(tmp_path / "kept")!r}, "w").close()
    sys.exit(130)
"""
    program = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(ROOT / "benchmarks" / "python")!r})
from report.plan import Part
from report.running import Running
parts = [Part(name, [sys.executable, "-c", {part!r}], Path("x"), 60, shows=True) for name in ("first", "second")]
running = Running(parts, Path({str(tmp_path / "log")!r}))
running.run()
print(running.interrupted, running.failed)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for line in child.stdout:
            if line == "ready\n":
                child.send_signal(signal.SIGINT)
                break
        rest = child.stdout.read()
    assert (tmp_path / "kept").exists()
    assert "True ['first: interrupted', 'second: interrupted before it began']" in rest

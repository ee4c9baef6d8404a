"""The report of benchmarks/python: its sums, and the page that it makes of match runs."""

from __future__ import annotations

import csv
import json
import re
import shutil
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
from report import colours, delivery, front, http, others, plan, posts, results, single_operations, sizes, text, wire
from report.break_even import FASTEST, SLOWEST, Cost, fastest, overtaking
from report.running import Journal, Running
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
        "columns+zstd-stream": codec(0.1, 0.02, 400, keyframes={"frames": 2, "bytes": 6000.0}),
        "protojson": codec(0.4, 0.6, 120_000),
        "protojson-google": codec(2.0, 12.0, 130_000),
        "cbor": codec(0.5, 0.3, 55_000, cannot_carry=["a sign of <zero>"]),
    }
    python = {
        "protobuf": codec(0.05, 0.06, 50_000, decode_touch_ns=timing(2.0)),
        "columns+zstd-stream": codec(0.1, 0.2, 400, encode_ns=None, decode_touch_ns=timing(0.7)),
        "orjson": codec(0.4, 0.9, 120_000),
        "broken": codec(1, 1, 1, error="frame 3: <differs>"),
    }
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
    assert (reigns[0].start, reigns[-1].end) == (SLOWEST, FASTEST)
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
    # Break-even, bytes over the match, a chart for each language, and the post of 2018.
    assert page.tags.count("svg") == 5
    for expected in (
        "protojson-google",
        "protobuf+zstd",
        "orjson",
        "a library 1.0",
        "Used as its documentation advises.",
        "Does not carry a sign of <zero>.",
        "Not timed: frame 3: <differs>",
        "browser: not there",
        "The end-to-end measurement was not run.",
        "Java was not measured.",
        # The post's unit is put right, with the right figure.
        "24.5 Mbit/s",
    ):
        assert expected in words
    assert "prefers-color-scheme: dark" in html


def test_the_first_screen_names_the_fastest_way_for_each_link_and_language(folder: Path) -> None:
    found = front.Front.of(results.read_runs(folder))
    assert found is not None
    assert list(found.readers) == ["python", "csharp"]
    ways = {way.encoding: way for way in found.readers["python"]}
    # Protobuf is forwarded; its compressed form costs the daemon the difference; JSON in Python is read by orjson.
    assert (ways["protobuf"].encode_ns, ways["protobuf"].ready_ns) == (0, pytest.approx(2.0e6))
    assert "protobuf+zstd" not in ways
    assert (ways["protojson"].encode_ns, ways["protojson"].decoder) == (pytest.approx(0.4e6), "orjson")
    assert ways["columns+zstd-stream"].ready_ns == pytest.approx(0.7e6)
    csharp = {way.encoding: way for way in found.readers["csharp"]}
    assert csharp["protobuf+zstd"].encode_ns == pytest.approx(0.1e6)
    # Arrays are ready when they are decoded; what is touched in C# is a message that is made of them.
    assert csharp["columns+zstd-stream"].ready_ns == pytest.approx(0.02e6)


def test_the_first_screen_recommends_one_encoding_for_each_need(folder: Path) -> None:
    found = front.Front.of(results.read_runs(folder))
    assert found is not None
    best = {need.name: found.best(need) for need in front.NEEDS}
    assert best == {
        "arrays of all units, over a network": "columns+zstd-stream",
        "arrays of all units, on the same machine": "columns+zstd-stream",
        "protobuf messages, over a network": "protobuf",
        "protobuf messages, on the same machine": "protobuf",
        "no library for protobuf or columns": "protojson",
    }
    rows = re.findall("<tr>(.*?)</tr>", found.html())
    assert [re.sub("<[^>]+>", "|", row).strip("|").split("||")[1].strip("|") for row in rows[1:]] == [
        "columns+zstd-stream", "columns+zstd-stream", "protobuf", "protobuf", "JSON",
    ]  # fmt: skip
    # Brotli is not in a default install.
    assert not [name for need in front.NEEDS for name in need.encodings if "br" in name]
    assert len(delivery.CHARTED) <= 6


def test_the_simplest_of_what_is_as_fast_is_recommended() -> None:
    def way(encoding: str, ms: float) -> delivery.Way:
        return delivery.Way(encoding, 0, ms * 1e6, 100, encoding)

    need = front.Need("arrays", 20e9, ("columns", "columns+zstd-stream"))
    near = front.Front("m", 1, {"python": [way("columns", 1.09), way("columns+zstd-stream", 1.0)]})
    assert near.best(need) == "columns"
    far = front.Front("m", 1, {"python": [way("columns", 1.2), way("columns+zstd-stream", 1.0)]})
    assert far.best(need) == "columns+zstd-stream"
    assert far.best(front.Need("messages", 1e6, ("protobuf",))) is None


def test_the_sentences_of_the_first_screen_are_the_results(folder: Path) -> None:
    found = front.Front.of(results.read_runs(folder))
    assert found is not None
    json_, recording = (re.sub("<[^>]+>", "", each) for each in found.sentences())
    assert json_ == (
        "JSON has 2.40 times the bytes of protobuf. Python reads every field of it in less time all the same (1.08 ms "
        "beside 2.00 ms): one call makes all objects, while each field of a message is a call of its own. Read units "
        "as arrays instead."
    )
    assert recording == "match: 100 frames, each game loop."
    assert "rebuilt from its replay" in front.Front("a-full", 3, found.readers).sentences()[-1]


def test_latencies_whose_rounds_overlap_are_the_same() -> None:
    def rounds(transport: str, *us: float) -> list[dict[str, Any]]:
        case = {"transport": transport, "rate": 22.4, "agents": 1}
        return [{"case": case, "holds": True, "received_us": {"p50": each}, "bytes": 152_000} for each in us]

    value = {
        "options": {"rounds": 3},
        "rounds": [*rounds("TCP", 410, 490, 570), *rounds("socket", 410, 420, 430), *rounds("gRPC", 800, 810, 840)],
    }
    said = front.latency(value)
    assert said is not None
    assert re.sub("<[^>]+>", "", said) == (
        "Latency from the daemon to an agent on the same machine, frames of 152 KB at 22.4 Hz (median; least to most "
        "of 3 rounds): socket 0.420 (0.410–0.430) ms (as fast as bare TCP), gRPC 0.810 (0.800–0.840) ms; bare TCP "
        "0.490 (0.410–0.570) ms."
    )
    assert front.latency(None) is None


def test_a_page_of_transports_alone_has_nothing_else(tmp_path: Path) -> None:
    times = dict.fromkeys(("p50", "p90", "p99", "p99_9"), 400.0)
    measured = {"received_us": times, "total_us": None, "split_us": None, "bytes": 152_000, "frames": 20, "dropped": 0}
    measured |= {"frames_per_second": 22.4, "machine_cpu": 0.1, "server_cpu_us": 9, "agent_cpu_us": 9, "holds": True}
    cases = [{"transport": name, "rate": 22.4, "agents": 1} for name in ("socket", "TCP")]
    value = {
        "options": {"recording": "late", "rounds": 1, "frames": [20, 20]},
        "machine": {"date": "2026-11-29", "cpu": "CPU of a test", "cores": 2, "load": [0.1], "commit": "abc"},
        "rounds": [{"round": 1, "case": case, **measured, "allocated_bytes": None} for case in cases],
        "complete": True,
    }
    (tmp_path / "end-to-end.json").write_text(json.dumps(value))
    html = make_report.write_page(tmp_path, "", [], interrupted=False).read_text(encoding="utf-8")
    assert re.findall('<section id="([a-z]+)">', html) == ["wire", "method"]
    assert "CPU of a test, 2 cores, load 0.10 at the start, commit abc." in html
    assert "<b>socket</b> 0.400" in html and "22.4 Hz, 1 round, 20 and 20 frames" in html


def test_a_case_holds_where_most_rounds_do() -> None:
    def case(*holds: bool) -> wire.Case:
        each = {"received_us": {"p50": 400, "p99": 900}, "machine_cpu": 0.5, "dropped": 0.005}
        return wire.Case("socket", 22.4, 1, tuple({**each, "holds": held} for held in holds))

    assert [case(True, False, True).holds, case(True, False).holds, case(False).holds] == [True, False, False]


def test_a_format_has_one_colour_and_compressed_is_dashed() -> None:
    names = [*plan.CODECS["csharp"], *plan.CODECS["python"], *plan.STREAMS]
    assert {name for name in names if colours.format_of(name) == "other"} == set()
    assert colours.style("protobuf") == "f-protobuf"
    assert colours.style("protobuf+zstd") == "f-protobuf again"
    assert colours.style("orjson").split()[0] == colours.style("protojson").split()[0]
    css = (ROOT / "benchmarks" / "python" / "report" / "page.css").read_text(encoding="utf-8")
    assert all(f".{colours.style(name).split()[0]} " in css for name in names)


def test_every_encoding_of_the_daemon_is_in_the_plan() -> None:
    planned = set(plan.codecs("csharp", compressed=True))
    assert set(delivery.ENCODINGS) <= planned


def test_what_is_not_whole_is_not_compared(folder: Path) -> None:
    (_, found) = results.read_runs(folder)
    assert [each.name for each in found.complete()][:2] == ["columns+zstd-stream", "protobuf"]
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


def test_a_large_error_of_a_single_operation_says_why(tmp_path: Path) -> None:
    # A column of one run may be missing in another: of collections, where there was none.
    decode = [
        "Method;Level;Codec;Mean;Error;StdDev;Gen1;Allocated",
        'Decode;Small;cbor;"1,000.0 ns";80.0 ns;70.0 ns;1.9;100 KB',
        "Decode;Small;other;1.0 ms;80.0 us;70.0 us;-;100 B",
    ]
    encode = ["Method;Level;Codec;Mean;Error;StdDev;Allocated", "Encode;Small;cbor;10.0 us;0.2 us;0.1 us;0 B"]
    for name, part in {"decode": decode, "encode": encode}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "Codecs-report.csv").write_text("\n".join(part))
    operations = single_operations.read(tmp_path)
    assert operations is not None
    (table,) = operations.tables.values()
    assert len(table) == 3
    words = " ".join(Page(operations.html()).words)
    assert "Codecs" in words
    assert "2.00 %" in words
    assert "8.00 %: it allocates 100 KB, and collections fall into some iterations only" in words
    assert "8.00 %: its iterations differ by 70.0 us, on a machine that others share" in words


def test_published_figures_stand_beside_ours(folder: Path) -> None:
    rows = {row["label"]: row for row in posts.beside_ours(results.read_runs(folder))}
    decode = rows["C# JSON decode"]
    # With every field read: the libraries of 2018 made all objects while they parsed.
    assert (decode["seed"], decode["ours"]) == (18.3, pytest.approx(14.4))
    assert decode["ratio"] == pytest.approx(18.3 / 14.4)
    assert rows["Python JSON decode"]["ours"] is None


@pytest.mark.parametrize("language", ["jvm", "browser"])
def test_requests_are_compared_with_json(folder: Path, language: str) -> None:
    def sent(size: int) -> Any:
        return {"min": 1, "mean": size, "max": 9} if language == "jvm" else size

    cases = {"get-protobuf": (50_000, 2.0), "get-json": (200_000, 8.0)}
    requests = {name: {"bytes": sent(size), "total_ns": timing(ms)} for name, (size, ms) in cases.items()}
    (folder / "match-match-other.json").write_text(json.dumps(run(language, {}, http=requests)))
    runs = [each for each in results.read_runs(folder) if each.language == language]
    table = http.section(runs, (language,))
    assert table.count("25.0 %") == 2
    assert "200 KB" in table


def test_quick_runs_what_every_part_needs_in_about_five_minutes(tmp_path: Path) -> None:
    chosen = plan.quick(tmp_path, tmp_path / "elite.mcap")
    titles = [part.title for part in chosen.parts]
    assert {"skirmish, C#", "skirmish, Python", "skirmish, Go", "end to end"} <= set(titles)
    assert chosen.seconds < 330
    assert any("BenchmarkDotNet" in each for each in chosen.missing)


def test_the_full_report_measures_whole_matches_and_says_what_it_lacks(tmp_path: Path) -> None:
    names = ("a-full", "b", "c")
    plain, noisy = ([tmp_path / f"{name}{end}.mcap" for name in names] for end in ("", "-noisy"))
    chosen = plan.full(tmp_path, tmp_path / "elite.mcap", recordings.Sequences(plain, noisy), tmp_path, tmp_path)
    titles = [part.title for part in chosen.parts]
    assert len(titles) == len(set(titles))
    # At each release.
    assert chosen.seconds <= 6000
    assert {
        "a-full, C# (sizes)",
        "a-full-noisy, C# (sizes)",
        "elite, C# (sizes)",
        "elite, Python (post)",
        "elite, Python (post-pure)",
    } <= set(titles)
    operations = [part for part in chosen.parts if part.title.startswith("single operations: ")]
    assert [part.title.split()[-1] for part in operations] == ["encode", "decode", "decodeandtouch", "transcoder"]
    assert "*CodecBenchmarks.Decode(Level: Late,*" in operations[1].command
    pure = next(part for part in chosen.parts if part.title == "elite, Python (post-pure)")
    assert pure.environment == {"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python"}
    without = plan.full(tmp_path, tmp_path / "elite.mcap", recordings.Sequences([], []), tmp_path, tmp_path)
    assert any("shared/sequences" in each for each in without.missing)


def test_sizes_of_every_frame_replace_those_of_a_run_with_a_budget(folder: Path) -> None:
    before = {run.title: run for run in results.read_runs(folder)}
    csharp = next(run for run in before.values() if run.language == "csharp")
    name = "columns+zstd-stream"
    exact = json.loads((folder / csharp.file).read_text(encoding="utf-8"))
    noisy = json.loads((folder / csharp.file).read_text(encoding="utf-8"))
    for value, mean, frames in ((exact, 200.0, 9000), (noisy, 300.0, 9000)):
        value["codecs"] = {name: value["codecs"][name] | {"frames": frames}}
        value["codecs"][name]["bytes"] = {"min": 1, "mean": mean, "max": 9000}
        value["codecs"][name]["keyframes"] = {"frames": 40, "bytes": 6000.0}
    noisy["recording"]["file"] = f"{csharp.recording}-noisy.mcap"
    (folder / "sizes-a-csharp.json").write_text(json.dumps(exact), encoding="utf-8")
    (folder / "sizes-a-noisy-csharp.json").write_text(json.dumps(noisy), encoding="utf-8")
    after = results.read_matches(folder, results.read_exact_sizes(folder))
    for run in after:
        assert run.codecs["protobuf"] == before[run.title].codecs["protobuf"]
        if run.recording == csharp.recording and name in run.codecs:
            assert (run.codecs[name].mean_bytes, run.codecs[name].sized_frames) == (200.0, 9000)
            assert run.codecs[name].times == before[run.title].codecs[name].times
    shown = sizes.section(after, results.read_runs(folder, "sizes-*.json"))
    assert "300 B (×1.50)" in shown and "9,000" in shown
    noisy["codecs"][name]["frames"] = 8999
    (folder / "sizes-a-noisy-csharp.json").write_text(json.dumps(noisy), encoding="utf-8")
    assert "×1.50" not in sizes.section(after, results.read_runs(folder, "sizes-*.json"))


def test_a_part_that_is_done_is_not_run_again_until_the_code_changes(tmp_path: Path) -> None:
    output, done = tmp_path / "output", tmp_path / "done.json"
    program = f"open({str(output)!r}, 'a').write('x')"
    part = plan.Part("part", [sys.executable, "-c", program], output, 1, sources=("protos",))
    for expected in ("x", "x"):
        Running([part], tmp_path / "log", journal=Journal(done)).run()
        assert output.read_text() == expected
    (began,) = Journal(done).read().values()
    assert (began.code, len(began.date), began.load is None or began.load >= 0) == (part.code, 25, True)
    done.write_text(json.dumps({"part": {**json.loads(done.read_text())["part"], "code": "of other sources"}}))
    Running([part], tmp_path / "log", journal=Journal(done)).run()
    assert output.read_text() == "xx"
    output.unlink()
    Running([part], tmp_path / "log", journal=Journal(done)).run()
    assert output.exists()
    assert part.code != plan.Part("part", [], output, 1, sources=("docs",)).code


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


@pytest.mark.benchmarks
@pytest.mark.skipif(not DAEMON.exists(), reason="the daemon is not built: dotnet make.cs setup")
def test_end_to_end_measures_every_transport_and_continues(tmp_path: Path) -> None:
    names = [name for name in end_to_end.TRANSPORTS if name not in ("gRPC+br", "gRPC+gzip", "gRPC zstd-stream")]
    chosen = [end_to_end.Case(name, 22.4, 1) for name in names]
    frames = recordings.Frames("skirmish", ROOT / "recordings" / "skirmish.mcap")
    path = tmp_path / "end-to-end.json"

    def run() -> dict[str, Any]:
        bench = end_to_end.Results(path, {"recording": "skirmish", "rounds": 1, "frames": [6], "seed": 1})
        end_to_end.Run(frames, bench, rounds=1, counts={1: 6}).measure(chosen)
        bench.write(complete=True)
        value: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return value

    value = run()
    cases = {case.transport: case for case in wire.read(value)}
    assert list(cases) and set(cases) == set(names)
    for name, case in cases.items():
        if shutil.which("nats-server") is None and name.startswith("NATS"):
            assert "not installed" in (case.error or "")
            continue
        assert case.error is None
        (measured,) = case.good
        assert 0 < measured["received_us"]["p50"] <= measured["received_us"]["p99_9"]
        assert measured["frames"] > 0
        if name in end_to_end.BASELINES:
            # Their frames have no times of a daemon.
            assert measured["split_us"] is None and measured["total_us"] is None
            continue
        split = {part: each["p50"] for part, each in measured["split_us"].items()}
        # Plain protobuf is the bytes that came.
        assert (split.pop("published_encoded") == 0) == (name in ("gRPC", "socket", "WebSocket"))
        assert all(each > 0 for each in split.values())
    sizes = {name: case.median("bytes") or 0 for name, case in cases.items()}
    assert sizes["gRPC columns+zstd-stream"] < sizes["gRPC+zstd"] < sizes["gRPC"] < sizes["socket JSON"]
    assert run() == value


def test_programs_say_how_they_are_used() -> None:
    for name in ("make_report.py", "matching.py", "end_to_end.py"):
        done = subprocess.run(
            [sys.executable, ROOT / "benchmarks" / "python" / name, "--help"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert "usage:" in done.stdout


def test_a_page_of_nothing_is_not_written(tmp_path: Path) -> None:
    report = ROOT / "benchmarks" / "python" / "make_report.py"
    line = [sys.executable, str(report), "--page-only", "--output", str(tmp_path / "none")]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and f"{tmp_path / 'none'} has no results" in done.stderr
    assert not (tmp_path / "none").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT cannot be sent to another process there")
@pytest.mark.parametrize("start_seconds", [0, 0.5])
def test_ctrl_c_lets_the_part_write_what_it_has_and_leaves_out_the_rest(tmp_path: Path, start_seconds: float) -> None:
    """Also where it comes while the part is still being started, as on a busy machine."""
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
import subprocess, sys, time
from pathlib import Path
sys.path.insert(0, {str(ROOT / "benchmarks" / "python")!r})
class Slow(subprocess.Popen):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        time.sleep({start_seconds})
subprocess.Popen = Slow
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


def test_results_of_other_benchmarks_are_taken_over(folder: Path) -> None:
    (folder / "client").mkdir()
    (folder / "client" / "README.md").write_text(
        "# C#\n\nOver `grpc`, <fast>. *Each* is **one**.\n\n| reader | frames/s |\n|---|---:|\n"
        "| C# | 9,000 (8,000 to 9,100) |\n\n| not asked for | frames/s |\n|---|---:|\n"
    )
    (folder / "client" / "figures.json").write_text('{"C#/rate": {"value": 9000, "low": 8000, "high": 9100}}')
    path = make_report.write_page(folder, "", [], interrupted=False)
    html = path.read_text(encoding="utf-8")
    assert "Over <code>grpc</code>, &lt;fast&gt;. <em>Each</em> is <em>one</em>.</p>" in html
    assert "not asked for" not in html
    assert '<th scope="row">C#</th><td>9,000 (8,000 to 9,100)</td>' in html
    assert json.loads((folder / "figures.json").read_text())["client/C#/rate"]["value"] == 9000
    planned = plan.full(folder, folder, recordings.Sequences([], []), folder, folder).parts
    assert set(others.PROGRAMS) <= {part.title for part in planned}

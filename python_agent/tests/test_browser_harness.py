"""The browser harness with a real Chromium, on the committed recording."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from browsers import HARNESS, NODE, install, needs_browser
from programs import DAEMON, SKIRMISH

CODECS = [
    *("json", "json-bytes", "protobufjs", "protobufjs-object", "protobufjs-verified", "protobufjs-reflection", "pbf"),
    *("protobuf-es", "flatbuffers", "flatbuffers-read", "avsc", "avsc-verified", "messagepack", "msgpackr"),
    *("msgpackr-records", "cbor", "cbor-records", "bebop", "capnp", "capnp-read"),
]
READS_IN_PLACE = {"flatbuffers-read", "capnp-read"}


pytestmark = [*needs_browser, pytest.mark.timeout(300)]


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    install()


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    assert NODE is not None
    return subprocess.run(
        [NODE, str(HARNESS / "run.mjs"), *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory, installed: None) -> dict[str, Any]:
    out = tmp_path_factory.mktemp("browser") / "out.json"
    small = ["--frames", "3", "--rounds", "1", "--warm-up", "1", "--end-to-end-frames", "12"]
    done = run(SKIRMISH, *small, "--json", out)
    assert done.returncode == 0, done.stderr
    assert "codec" in done.stdout
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return found


def without_compiler(codec: str) -> str | None:
    """The compiler that this codec lacks here."""
    compiler = {"flatbuffers": "flatc", "capnp": "capnp"}.get(codec.removesuffix("-read"))
    return compiler if compiler is not None and shutil.which(compiler) is None else None


def check_statistics(found: dict[str, Any]) -> None:
    ordered = [found[name] for name in ("min", "p50", "p90", "p99", "p99_9", "max")]
    assert ordered == sorted(ordered)
    assert 0 < found["trimmed_mean"] <= found["max"]
    assert found["quantiles"][0] == [0, found["min"]]
    assert found["quantiles"][-1] == [100, found["max"]]
    assert len(found["quantiles"]) == 103


def test_result_names_recording_and_environment(result: dict[str, Any]) -> None:
    assert result["recording"] == {
        "file": "skirmish.mcap",
        "frames": 1344,
        "bytes": SKIRMISH.stat().st_size,
        "simulated": True,
    }
    shape = [result[name] for name in ("frames", "rounds", "language", "interrupted", "trim")]
    assert shape == [3, 1, "browser", False, 0.25]
    environment = result["environment"]
    assert set(environment["runtimes"]) == {"Chromium", "node"}
    # Without cross-origin isolation it would be 100 µs.
    assert 0 < environment["clock"]["resolution_ns"] <= 5000
    assert environment["clock"]["read_ns"] > 0
    assert {"protobufjs", "pbf", "cbor-x", "avsc", "bebop", "@msgpack/msgpack"} <= set(environment["packages"])
    assert list(result["codecs"]) == CODECS


@pytest.mark.parametrize("codec", CODECS)
def test_every_codec_gives_back_every_frame_and_is_timed(result: dict[str, Any], codec: str) -> None:
    row = result["codecs"][codec]
    if (compiler := without_compiler(codec)) is not None:
        assert row["error"] == f"{compiler} is not installed"
        assert row["decode_ns"] is None
        pytest.skip(f"{compiler} is not installed: its row says so")
    assert row["error"] is None
    assert row["checked_frames"] == row["frames"] == 3
    for name in ("decode_ns", "decode_touch_ns", "scan_ns"):
        check_statistics(row[name])
        assert len(row[name]["rounds"]) == 1
    assert (row["encode_ns"] is None) == (codec in READS_IN_PLACE)
    assert row["bytes"]["min"] <= row["bytes"]["mean"] <= row["bytes"]["max"]
    assert [number for number, _ in row["bytes_series"]] == [0, 671, 1343]
    assert all(0 < size < row["bytes"]["mean"] for size in row["compressed_bytes"].values())
    assert set(row["compressed_bytes"]) == {"gzip", "br", "zstd"}
    assert row["mbit_per_second"]["22.4"] == pytest.approx(row["bytes"]["mean"] * 8 * 22.4 / 1e6)
    assert row["frames_per_second"]["decode"] == pytest.approx(1e9 / row["decode_ns"]["trimmed_mean"])
    assert row["tick_share"]["decode"] == pytest.approx(row["decode_ns"]["trimmed_mean"] * 22.4 / 1e9)
    assert row["allocated_bytes"] is None


def test_what_formats_cannot_carry_is_named(result: dict[str, Any]) -> None:
    lost = {name: row["cannot_carry"] for name, row in result["codecs"].items()}
    assert lost["json"] == ["-0 apart from 0"]
    assert any(line.startswith("64-bit values from 2^53 on") for line in lost["pbf"])
    assert "a zero apart from an absent field" in lost["pbf"]
    assert lost["protobuf-es"] == ["enum values of a newer game"]
    assert lost["messagepack"] == ["-0 apart from 0"]


def test_frames_of_the_daemon_reach_the_page_in_both_forms(result: dict[str, Any]) -> None:
    stages = result["end_to_end"]
    assert list(stages) == ["json-unlimited", "json-22.4", "protobuf-unlimited", "protobuf-22.4"]
    for stage in stages.values():
        assert (stage["frames"], stage["skipped"]) == (9, 3)
        assert stage["frames_per_second"] > 0
        assert stage["frames_per_second_without_server"] > 0
        check_statistics(stage["received_to_touched_ns"])
        # The clocks are one: no frame is received before it was published, nor long after.
        assert -1e6 < stage["published_to_received_ns"]["min"] < 60e9
    # The same fields, from text and from protobuf.
    assert len({stage["checksum"] for stage in stages.values()}) == 1
    assert stages["json-22.4"]["bytes_mean"] > stages["protobuf-22.4"]["bytes_mean"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--codecs", "json,soap"], 2, "there is no codec soap; there are json, json-bytes, protobufjs"),
        (["--codecs", ","], 2, "--codecs is empty"),
        (["--frames", "0"], 2, "--frames must be 1 to"),
        (["--rounds", "x"], 2, "--rounds must be 1 to"),
        (["--surprise"], 2, "--surprise"),
        (["more.mcap"], 2, "which FILE.mcap?"),
        (["--json", "no/such/folder/out.json"], 2, "there is no folder"),
        (["--chromium", "/no/such/browser"], 2, "there is no browser at /no/such/browser (--chromium)"),
        (["--daemon", "/no/such/daemon"], 2, "/no/such/daemon is missing"),
    ],
)
def test_wrong_usage_is_one_line(arguments: list[str], code: int, message: str) -> None:
    done = run(SKIRMISH, *arguments)
    last = done.stderr.splitlines()[-1]
    assert (done.returncode, last.startswith("browser: ")) == (code, True)
    assert message in last


def test_missing_browser_and_recording_are_said(tmp_path: Path) -> None:
    done = run(SKIRMISH, CHROME="", PATH=str(tmp_path))
    assert done.returncode == 2
    assert "--chromium PATH or the environment's CHROME" in done.stderr
    done = run(tmp_path / "none.mcap")
    assert (done.returncode, "there is no recording" in done.stderr) == (3, True)
    (tmp_path / "junk.mcap").write_bytes(b"junk" * 100)
    done = run(tmp_path / "junk.mcap", "--daemon", DAEMON)
    assert done.returncode == 3, done.stderr


def test_list_names_the_codecs() -> None:
    done = run("--list")
    assert (done.returncode, done.stdout.split()) == (0, CODECS)


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C cannot be sent to one process there")
def test_interrupt_keeps_what_is_measured(tmp_path: Path) -> None:
    assert NODE is not None
    out = tmp_path / "out.json"
    many = ["--frames", "2", "--rounds", "1000", "--warm-up", "1", "--codecs", "json", "--json", str(out)]
    process = subprocess.Popen(
        [NODE, str(HARNESS / "run.mjs"), str(SKIRMISH), *many],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("round 3 of"):
                process.send_signal(signal.SIGINT)
                break
        process.stderr.read()
    assert process.returncode == 130
    result = json.loads(out.read_text(encoding="utf-8"))
    assert result["interrupted"] is True
    assert len(result["codecs"]["json"]["decode_ns"]["rounds"]) >= 2
    assert result["end_to_end"] == {}

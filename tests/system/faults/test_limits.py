"""Limits that hold for the whole process, and clients that have shown no token yet."""

from __future__ import annotations

import contextlib
import json
import socket
import statistics
import struct
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import abathur
import psutil
import pytest
from abathur.sync.v1 import sync_pb2
from http2_by_hand import DATA, END_HEADERS, HEADERS, PREFACE, WINDOW_UPDATE, Connection, block, frame
from programs import ACT, FREE_PORTS, SKIRMISH, WATCH, Daemon, Launch, token_options
from websockets_by_hand import CLOSE, TEXT, close_code
from websockets_by_hand import Connection as WebSocket
from websockets_by_hand import frame as websocket_frame

KIB = 1024
MIB = 1024 * KIB
DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAUTHENTICATED = "4", "8", "16"


@pytest.fixture
def guarded(tmp_path: Path, launch: Launch) -> Daemon:
    """A paused playback that needs a token."""
    return launch("play", str(SKIRMISH), *FREE_PORTS, "--start-paused", "--loop", *token_options(tmp_path))


@contextlib.contextmanager
def http2(daemon: Daemon) -> Iterator[Connection]:
    # A match with its game data is larger than the windows that HTTP/2 begins with.
    connection = Connection(daemon.port("grpc"), initial_window_size=16 * MIB)
    connection.send(frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 16 * MIB)))
    connection.socket.settimeout(30)
    try:
        yield connection
    finally:
        connection.close()


def call(method: str, token: str | None = None) -> bytes:
    """The header block of a call to the daemon's service."""
    fields = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", f"/abathur.sync.v1.GameSync/{method}"),
        (":authority", "localhost"),
        ("te", "trailers"),
        ("content-type", "application/grpc"),
    ]
    return block(*fields, *([("authorization", f"Bearer {token}")] if token else []))


def claim(size: int) -> bytes:
    """What stands before a gRPC message of so many bytes."""
    return b"\0" + struct.pack(">I", size)


def status(headers: bytes) -> str:
    """The grpc-status in a literal header block."""
    _, found, rest = headers.partition(b"grpc-status")
    assert found, headers
    return rest[1 : 1 + rest[0]].decode()


def answers(connection: Connection, streams: set[int]) -> Iterator[tuple[int, str]]:
    """Stream and status of each of these calls, as they end."""
    for kind, _, stream, payload in connection.frames():
        if kind == HEADERS and stream in streams and b"grpc-status" in payload:
            streams.remove(stream)
            yield stream, status(payload)
            if not streams:
                return
    raise AssertionError(f"the server closed with {len(streams)} calls unanswered")


@pytest.mark.parametrize("method", ["GetMatch", "GetStatus", "Act", "Draw", "Control", "Subscribe", "Publish"])
def test_a_call_without_a_token_ends_before_its_message(guarded: Daemon, method: str) -> None:
    with http2(guarded) as connection:
        # The message claims 16 KiB and does not come.
        connection.send(frame(HEADERS, END_HEADERS, 1, call(method)) + frame(DATA, 0, 1, claim(16 * KIB)))
        assert status(connection.wait_for(HEADERS, stream=1)) == UNAUTHENTICATED


def test_a_session_with_a_wrong_token_in_its_headers_ends_before_its_message(guarded: Daemon) -> None:
    with http2(guarded) as connection:
        connection.send(frame(HEADERS, END_HEADERS, 1, call("Session", "x" * 20)))
        assert status(connection.wait_for(HEADERS, stream=1)) == UNAUTHENTICATED


@pytest.mark.parametrize(
    ("method", "token", "most"),
    [
        ("Session", None, 16 * KIB),
        ("Session", WATCH, 64 * KIB),
        ("GetStatus", WATCH, 64 * KIB),
        ("Subscribe", WATCH, 64 * KIB),
        ("Control", ACT, 64 * KIB),
        ("Act", ACT, MIB),
        ("Draw", ACT, MIB),
        ("Publish", ACT, 16 * MIB),
    ],
)
def test_each_method_has_a_limit_for_its_messages(
    launch: Launch, tmp_path: Path, method: str, token: str | None, most: int
) -> None:
    daemon = launch("serve", "--once", *FREE_PORTS, *token_options(tmp_path))
    with http2(daemon) as connection:
        connection.send(frame(HEADERS, END_HEADERS, 1, call(method, token)) + frame(DATA, 0, 1, claim(most + 1)))
        assert next(answers(connection, {1})) == (1, RESOURCE_EXHAUSTED)
        # One that is as large as allowed is waited for: the answer is that of the call behind it.
        connection.send(frame(HEADERS, END_HEADERS, 3, call(method, token)) + frame(DATA, 0, 3, claim(most)))
        connection.send(frame(HEADERS, END_HEADERS, 5, call("NoSuchMethod")))
        assert next(answers(connection, {3, 5}))[0] == 5


def test_a_session_that_may_act_takes_longer_messages_once_it_has_shown_its_token(guarded: Daemon) -> None:
    first = sync_pb2.ClientMessage(subscribe=sync_pb2.SubscribeRequest(), token=ACT).SerializeToString()
    with http2(guarded) as connection:
        connection.send(frame(HEADERS, END_HEADERS, 1, call("Session")))
        connection.send(frame(DATA, 0, 1, claim(len(first)) + first))
        connection.wait_for(DATA, stream=1)
        connection.send(frame(DATA, 0, 1, claim(MIB + 1)))
        _, data = connection.response()
        assert b"a request message of 1048577 bytes is over the limit of 1048576" in data


def test_what_sends_no_first_message_is_closed_within_ten_seconds(tmp_path: Path, launch: Launch) -> None:
    daemon = launch("serve", "--once", *FREE_PORTS, *token_options(tmp_path))
    calls = [("Session", None, b""), ("Session", None, claim(100)), ("Publish", ACT, b""), ("GetStatus", ACT, b"\0")]
    with http2(daemon) as connection, contextlib.ExitStack() as stack:

        def connect(transport: str, data: bytes) -> socket.socket:
            client = stack.enter_context(socket.create_connection(("127.0.0.1", daemon.port(transport)), 30))
            client.sendall(data)
            return client

        grpc = [connect("grpc", PREFACE[:size]) for size in (0, 1, 23)]
        line = connect("socket", b'{"subscribe"')
        head = connect("http", b"GET / HTTP/1.1\r\n")
        streams = set(range(1, 2 * len(calls), 2))
        for stream, (method, token, data) in zip(streams, calls, strict=True):
            connection.send(frame(HEADERS, END_HEADERS, stream, call(method, token)) + frame(DATA, 0, stream, data))
        assert {answer for _, answer in answers(connection, streams)} == {DEADLINE_EXCEEDED}
        assert b"DEADLINE_EXCEEDED" in line.recv(1000)
        # What has not even a whole request is closed, on a busy machine without an answer.
        for client in [*grpc, head]:
            with contextlib.suppress(ConnectionResetError):
                assert client.recv(1000)[:13] in (b"", b"HTTP/1.1 408 ")


def test_sessions_that_have_shown_no_token_yet_are_few(guarded: Daemon) -> None:
    most = 256
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            connection = stack.enter_context(http2(guarded))
            for stream in range(1, 2 * most // 4, 2):
                connection.send(frame(HEADERS, END_HEADERS, stream, call("Session")))
        last = stack.enter_context(http2(guarded))
        refused: set[str] = set()
        stream = 1
        while RESOURCE_EXHAUSTED not in refused:
            last.send(frame(HEADERS, END_HEADERS, stream, call("Session")))
            last.send(frame(HEADERS, END_HEADERS, stream + 2, call("NoSuchMethod")))
            refused |= {answer for number, answer in [next(answers(last, {stream, stream + 2}))] if number == stream}
            stream += 4
        assert stream < 4 * most
        # Those that show it in the metadata are not among them.
        with abathur.connect_blocking(guarded.grpc, token=WATCH) as game:
            assert game.match().map_name


@pytest.mark.parametrize("transport", ["socket", "http"])
def test_a_first_message_over_16_kib_is_refused_before_its_end(guarded: Daemon, transport: str) -> None:
    text = b'{"subscribe":{"name":"' + b"x" * 16 * KIB
    if transport == "socket":
        with socket.create_connection(("127.0.0.1", guarded.socket_port), 20) as client:
            client.sendall(text)
            error = json.loads(client.makefile("rb").readline())["error"]
            assert (error["code"], error["message"]) == ("INVALID_ARGUMENT", "a line is longer than 16384 bytes")
        return
    with WebSocket(guarded.port("http"), "/v1/sync") as client:
        client.send(websocket_frame(TEXT, text))
        assert close_code(next(answer for answer in client.read_all() if answer.opcode == CLOSE)) == 1009


def test_a_websocket_frame_that_claims_a_terabyte_is_refused_at_one_mebibyte(guarded: Daemon) -> None:
    with WebSocket(guarded.port("http"), "/v1/sync") as client:
        client.send(websocket_frame(TEXT, json.dumps({"subscribe": {}, "token": WATCH}).encode()))
        # The first byte past the limit is the last that is sent.
        client.socket.sendall(struct.pack(">BBQ", 0x80 | TEXT, 0x80 | 127, 1 << 40) + bytes(4))
        client.socket.sendall(b" " * (MIB + 1))
        assert close_code(next(answer for answer in client.read_all() if answer.opcode == CLOSE)) == 1009


@pytest.mark.measured
def test_a_flood_of_warnings_is_counted_and_written_once_a_second(launch: Launch) -> None:
    flood = 200
    daemon = launch("play", str(SKIRMISH), *FREE_PORTS, "--start-paused")
    started = time.monotonic()
    for _ in range(flood):
        # An index of 0 stands for no header (RFC 7541, 6.1): Kestrel fails, and warns of it.
        with http2(daemon) as connection:
            connection.send(frame(HEADERS, END_HEADERS, 1, b"\x80"))
            connection.error()
    assert daemon.process.stderr is not None
    told, lines = 0, []
    while told < flood:
        line = daemon.process.stderr.readline()
        assert "warning: " in line, line
        lines.append(line)
        told += int(line.split("warning: ")[1].split()[0]) if " more in the last second like: " in line else 1
    assert told == flood
    assert len(lines) < time.monotonic() - started + 2


class Reference:
    """A reader that may hold up the playback, and counts what it gets."""

    def __init__(self, daemon: Daemon) -> None:
        self.game = abathur.connect_blocking(daemon.socket, token=ACT)
        self.frames = self.game.frames(policy="every", encoding="proto", name="reference")
        self.sequence = 0
        self.delays: list[float] = []

    def read(self, count: int) -> None:
        """Every frame, in order."""
        for _ in range(count):
            got = next(self.frames)
            assert self.sequence in (0, got.sequence - 1)
            self.sequence = got.sequence
            self.delays.append((got.timing.received - got.timing.published) / 1e6)


@contextlib.contextmanager
def late_match(
    launch: Launch, tmp_path: Path, *options: str
) -> Iterator[tuple[Daemon, Reference, contextlib.ExitStack]]:
    """A playback of large frames that needs a token, one who reads it, and what closes all others."""
    start = ("--loop", "--start-offset", "30")
    daemon = launch("play", str(SKIRMISH), *FREE_PORTS, *start, *options, *token_options(tmp_path))
    with contextlib.ExitStack() as stack:
        reference = Reference(daemon)
        stack.callback(reference.game.close)
        yield daemon, reference, stack


def watcher(daemon: Daemon, stack: contextlib.ExitStack, **subscribe: object) -> socket.socket:
    client = stack.enter_context(socket.create_connection(("127.0.0.1", daemon.socket_port), 30))
    client.sendall(json.dumps({"subscribe": subscribe, "token": WATCH}).encode() + b"\n")
    return client


def error_of(client: socket.socket) -> dict[str, str]:
    """The error that ends a subscription."""
    file = client.makefile("rb")
    first = json.loads(file.readline())
    if "error" in first:
        return dict(first["error"])
    # Behind the match messages are in protobuf.
    while head := file.read(4):
        message = sync_pb2.ServerMessage.FromString(file.read(int.from_bytes(head, "little")))
        if message.HasField("error"):
            return {"code": message.error.code, "message": message.error.message}
    raise AssertionError("the connection ended without an error")


def slow(policy: str, every: int) -> dict[str, object]:
    return {
        "policy": policy,
        "encoding": "proto",
        "compression": "br",
        "compressionLevel": 11,
        "everyGameLoops": every,
        "newest": True,
    }


def test_watchers_with_slow_encodings_lose_and_nobody_else(launch: Launch, tmp_path: Path) -> None:
    with late_match(launch, tmp_path) as (daemon, reference, stack):
        reference.read(5)

        def have_subscribed(count: int) -> None:
            while not daemon_status(daemon, lambda status: len(status.subscribers) == count):
                reference.read(1)

        *skipping, gone = [watcher(daemon, stack, **slow("latest", every)) for every in (1, 2, 3)]
        have_subscribed(4)
        refused = watcher(daemon, stack, **slow("latest", 4))
        assert error_of(refused)["code"] == "RESOURCE_EXHAUSTED"
        gone.close()
        have_subscribed(3)
        # Read at once: who does not take even the error is cut off.
        pool = stack.enter_context(ThreadPoolExecutor(1))
        lossless = pool.submit(error_of, watcher(daemon, stack, **slow("every", 3)))
        while not lossless.done():
            reference.read(1)
        ended = lossless.result()
        assert ended["code"] == "RESOURCE_EXHAUSTED", ended
        assert "has delayed the playback for 2 s in a minute" in ended["message"], ended
        # The others skip, and the reference has lost nothing.
        reference.read(20)
        have_subscribed(3)
        for client in skipping:
            assert client.recv(1)


def daemon_status(daemon: Daemon, holds: Callable[[sync_pb2.Status], bool]) -> bool:
    with abathur.connect_blocking(daemon.grpc, token=WATCH) as game:
        return holds(game.status())


@pytest.mark.measured
def test_the_latency_of_others_does_not_depend_on_slow_encodings(launch: Launch, tmp_path: Path) -> None:
    with late_match(launch, tmp_path) as (daemon, reference, stack):
        reference.read(100)
        quiet = statistics.median(reference.delays[20:])
        for every in range(1, 9):
            watcher(daemon, stack, **slow("latest", every))
        reference.delays.clear()
        reference.read(100)
        assert statistics.median(reference.delays) < 10 * quiet + 5


@pytest.mark.measured
def test_recordings_that_watchers_play_at_full_speed_do_not_delay_the_match(launch: Launch, tmp_path: Path) -> None:
    path = f"/v1/recordings/{SKIRMISH.name}/sync"
    with late_match(launch, tmp_path, "--recordings", str(SKIRMISH.parent)) as (daemon, reference, stack):
        reference.read(100)
        quiet = statistics.median(reference.delays[20:])
        for _ in range(4):
            client = stack.enter_context(WebSocket(daemon.port("http"), path, Authorization=f"Bearer {WATCH}"))
            client.send(websocket_frame(TEXT, b'{"subscribe":{"policy":"latest"}}'))
            assert client.read() is not None
            client.send(websocket_frame(TEXT, b'{"control":{"setLoop":{"loop":true}}}'))
            client.send(websocket_frame(TEXT, b'{"control":{"setRate":{"rate":0}}}'))
        reference.delays.clear()
        started = time.monotonic()
        reference.read(130)
        # From the first frame on the playback has kept its pace, and its frames come at once.
        assert time.monotonic() - started < 1.2 * 130 / 22.4
        assert statistics.median(reference.delays[:30]) < 10 * quiet + 5
        assert statistics.median(reference.delays) < 10 * quiet + 5


@pytest.mark.measured
def test_memory_comes_back_when_the_last_connection_is_closed(launch: Launch, tmp_path: Path) -> None:
    daemon = launch("play", str(SKIRMISH), *FREE_PORTS, "--start-paused", *token_options(tmp_path))
    info = psutil.Process(daemon.process.pid)
    idle = info.memory_info().rss
    message = sync_pb2.ClientMessage(subscribe={"policy": sync_pb2.latest}, token=ACT).SerializeToString()
    with contextlib.ExitStack() as stack:
        for _ in range(200):
            client = stack.enter_context(WebSocket(daemon.port("http"), "/v1/sync"))
            client.send(websocket_frame(2, message))
            # Kept, as the message does not end.
            client.socket.sendall(struct.pack(">BBQ", 0x82, 0x80 | 127, MIB) + bytes(4) + bytes(MIB - 1))
        held = info.memory_info().rss
    assert held > 2 * idle, "there was something to give back"
    deadline = time.monotonic() + 60
    while (left := info.memory_info().rss) > 2 * idle:
        assert time.monotonic() < deadline, f"{left / 1e6:.0f} MB, idle {idle / 1e6:.0f}, held {held / 1e6:.0f}"
        time.sleep(0.5)

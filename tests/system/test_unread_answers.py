"""Clients that ask for large answers and do not read them: they cost the daemon little, and the others nothing."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Callable, Iterator

import abathur
import http2_by_hand as h2
import pytest
from abathur.sync.v1 import sync_pb2
from programs import ACT, FREE_PORTS, TIMEOUT, WATCH, Daemon, pause, start, token_options
from s2clientprotocol import sc2api_pb2

#: Rows of ten hours, the most that a timeline has: 5 MB.
ROWS = 36_000
#: Requests of one connection.
REQUESTS = 64
#: What the daemon may allocate meanwhile. The answers would have 1 to 5 GB; those that are refused are not made.
MAX_ALLOCATED = 500e6
#: What it may allocate for an answer that is read: the rows, and the message.
MAX_ANSWER = 20e6
pytestmark = pytest.mark.timeout(180)


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon with a match of ten hours."""
    daemon = start("serve", "--once", *FREE_PORTS, *token_options(tmp_path_factory.mktemp("tokens")))
    with contextlib.closing(daemon):
        with abathur.publisher_blocking(daemon.grpc, token=ACT, map_name="Long LE") as bot:
            response = sc2api_pb2.ResponseObservation()
            for row in range(ROWS):
                response.observation.game_loop = 22 * row
                bot.publish(response)
            with abathur.connect_blocking(daemon.grpc, token=ACT) as game:
                while len(game.timeline(after=22 * (ROWS - 2)).game_loops) == 0:
                    pause()
            yield daemon
        assert daemon.stop() == 0


def flood_socket(daemon: Daemon) -> Iterator[socket.socket]:
    """Connections without end. Each asks when the next is taken."""
    subscribe = {"encoding": "proto", "fieldMask": "observation.gameLoop"}
    first = json.dumps({"subscribe": subscribe, "token": WATCH}).encode() + b"\n"
    message = sync_pb2.ClientMessage(id=7)
    message.timeline.SetInParent()
    request = message.SerializeToString()
    while True:
        connection = socket.socket()
        # The system takes little of an answer: else those that fit into its buffers leave room for others.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(TIMEOUT)
        connection.connect(("127.0.0.1", daemon.port("socket")))
        yield connection
        connection.sendall(first + REQUESTS * (len(request).to_bytes(4, "little") + request))


def flood_grpc(daemon: Daemon) -> Iterator[h2.Connection]:
    """Like :func:`flood_socket`, with calls whose windows take nothing."""
    while True:
        connection = h2.Connection(daemon.port("grpc"), initial_window_size=0)
        yield connection
        head = h2.block(
            (":method", "POST"),
            (":scheme", "http"),
            (":path", "/abathur.sync.v1.GameSync/GetTimeline"),
            (":authority", "localhost"),
            ("content-type", "application/grpc"),
            ("te", "trailers"),
            ("authorization", f"Bearer {WATCH}"),
        )
        for call in range(REQUESTS):
            stream = 2 * call + 1
            connection.send(
                h2.frame(h2.HEADERS, h2.END_HEADERS, stream, head)
                + h2.frame(h2.DATA, h2.END_STREAM, stream, h2.EMPTY_MESSAGE)
            )


@pytest.mark.parametrize("flood", [flood_socket, flood_grpc])
def test_they_are_refused_when_too_many_wait(
    daemon: Daemon, flood: Callable[[Daemon], Iterator[socket.socket | h2.Connection]]
) -> None:
    with (
        abathur.connect_blocking(daemon.grpc, token=WATCH) as watcher,
        abathur.connect_blocking(daemon.grpc, token=ACT) as agent,
        contextlib.ExitStack() as stack,
    ):
        before = agent.status().process.allocated_bytes
        answered = 0
        # Until all room is taken: an answer that the watcher takes may cause a refusal of one that floods.
        for connection in flood(daemon):
            stack.callback(connection.close)
            if refused(watcher):
                break
            answered += 1
        allocated = agent.status().process.allocated_bytes - before
        assert allocated < MAX_ALLOCATED + answered * MAX_ANSWER, (allocated, answered)
        # Those that may act have room of their own.
        assert len(agent.timeline().game_loops) == ROWS
        stack.close()
        while refused(watcher):
            pause()


def test_http_refuses_as_well(daemon: Daemon) -> None:
    host = f"127.0.0.1:{daemon.port('http')}"
    get = f"GET /v1/timeline HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {WATCH}\r\n\r\n".encode()
    with abathur.connect_blocking(daemon.grpc, token=WATCH) as watcher, contextlib.ExitStack() as stack:
        before = watcher.status().process.allocated_bytes
        statuses = []
        for _ in range(REQUESTS):
            connection = socket.create_connection(("127.0.0.1", daemon.port("http")), timeout=TIMEOUT)
            stack.callback(connection.close)
            connection.sendall(get)
            # No more is read of it.
            statuses.append(connection.recv(len("HTTP/1.1 200")))
        assert statuses[0] == b"HTTP/1.1 200" and set(statuses[1:]) == {b"HTTP/1.1 200", b"HTTP/1.1 503"}
        assert watcher.status().process.allocated_bytes - before < MAX_ALLOCATED
        stack.close()
        while refused(watcher):
            pause()


def refused(game: abathur.BlockingGame) -> bool:
    try:
        assert len(game.timeline().game_loops) == ROWS
    except abathur.RequestError as error:
        assert error.code == "RESOURCE_EXHAUSTED" and "wait to be read by their clients" in str(error)
        return True
    return False


def test_a_client_that_reads_late_is_told_which_are_refused(daemon: Daemon) -> None:
    connections = flood_socket(daemon)
    connection = next(connections)
    with contextlib.closing(connection), contextlib.closing(next(connections)), connection.makefile("rb") as stream:
        assert json.loads(stream.readline())["match"]["mapName"] == "Long LE"
        answers: list[sync_pb2.ServerMessage] = []
        while len(answers) < REQUESTS:
            message = sync_pb2.ServerMessage.FromString(stream.read(int.from_bytes(stream.read(4), "little")))
            if not message.HasField("frame"):
                answers.append(message)
    assert {message.result.id or message.error.id for message in answers} == {7}
    assert {message.error.code for message in answers if message.HasField("error")} <= {"RESOURCE_EXHAUSTED"}
    rows = {len(message.result.timeline.game_loops) for message in answers if message.HasField("result")}
    assert rows == {ROWS}


def test_a_client_that_never_reads_is_ended(daemon: Daemon) -> None:
    calls = flood_grpc(daemon)
    with contextlib.closing(next(calls)) as connection, contextlib.closing(next(calls)):
        assert connection.error() == h2.ENHANCE_YOUR_CALM

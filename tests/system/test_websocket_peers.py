"""Peers that read late or not at all, when the match ends and when the daemon stops."""

from __future__ import annotations

import os
import signal
import socket

import abathur
import pytest
from abathur.sync.v1 import sync_pb2
from emulators import FIRST_LOOP, LAST_LOOP
from google.protobuf import json_format
from programs import SKIRMISH, Daemon, Play, in_thread, pause
from websockets_by_hand import BINARY, CLOSE, TEXT, Connection, close, close_code, frame

PATH = "/v1/sync"
SMALL_BUFFER = 16 * 1024


def connection_to(daemon: Daemon) -> Connection:
    """A connection for which the system holds little on the reader's side, so that the rest stays on the daemon's."""
    port = int(daemon.addresses["http"].rpartition(":")[2])
    return Connection(port, PATH, receive_buffer=SMALL_BUFFER)


@pytest.mark.parametrize("opcode", [TEXT, BINARY], ids=["text", "binary"])
def test_reader_that_reads_after_the_daemon_has_gone_gets_every_frame_and_the_end(play: Play, opcode: int) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1", "--rate", "unlimited", "--playback-duration", "0.01")
    request = sync_pb2.ClientMessage(
        subscribe={"policy": sync_pb2.every, "field_mask": {"paths": ["observation.raw_data"]}}
    )
    first = json_format.MessageToJson(request).encode() if opcode == TEXT else request.SerializeToString()
    with connection_to(daemon) as connection:
        connection.send(frame(opcode, first))
        # The game's data is more than the system holds for one connection.
        match = connection.read()
        assert daemon.wait() == 0
        answers = [match, *connection.read_all()]
    assert [answer.opcode for answer in answers] == [opcode] * 3 + [CLOSE]
    assert close_code(answers[-1]) == 1000
    last = answers[2].payload
    message = (
        json_format.Parse(last, sync_pb2.ServerMessage()) if opcode == TEXT else sync_pb2.ServerMessage.FromString(last)
    )
    assert message.end.reason == "end of recording"


def stuck(daemon: Daemon) -> bool:
    """Whether the playback waits for a reader whose queue is full."""
    with abathur.connect_blocking(daemon.grpc) as game:
        before, after = game.status(), game.status()
    full = len(after.subscribers) == 1 and after.subscribers[0].frames_waiting == 2
    return full and before.frames_published == after.frames_published


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM to catch")
@pytest.mark.parametrize("encoding", ["proto", "json"])
def test_daemon_ends_well_although_the_playback_waits_for_a_reader(play: Play, encoding: str) -> None:
    daemon = play(SKIRMISH, "--rate", "unlimited", "--loop", "--stall-timeout", "3600")
    options = {"policy": "every", "bufferFrames": 2, "encoding": encoding}
    request = json_format.ParseDict({"subscribe": options}, sync_pb2.ClientMessage())
    with connection_to(daemon) as connection:
        connection.send(frame(BINARY, request.SerializeToString()))
        while not stuck(daemon):
            pause()
        daemon.process.send_signal(signal.SIGTERM)
        assert daemon.wait() == 0
    assert daemon.process.stderr is not None
    assert daemon.process.stderr.read() == ""


def is_left_behind(status: sync_pb2.Status) -> bool:
    """Whether the playback no longer waits for the WebSocket, as it does while two frames wait for it."""
    sent = [each.frames_sent for each in status.subscribers if each.transport == "websocket"]
    return not sent or status.frames_published > sent[0] + 10


def test_reader_that_is_cut_off_and_reads_again_is_told_why(play: Play) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "2", "--rate", "unlimited", "--stall-timeout", "0.5")
    request = sync_pb2.ClientMessage(subscribe={"policy": sync_pb2.every, "buffer_frames": 2})
    with connection_to(daemon) as connection:
        connection.send(frame(BINARY, request.SerializeToString()))
        with abathur.connect_blocking(daemon.grpc) as other, abathur.connect_blocking(daemon.grpc) as control:
            frames = other.frames(policy="every")
            # It comes when both are there.
            loops = [next(frames).game_loop]
            reading = in_thread(lambda: loops.extend(each.game_loop for each in frames))
            while not is_left_behind(control.status()):
                pause()
            answers = connection.read_all()
            reading.join()
        assert loops == list(range(FIRST_LOOP, LAST_LOOP + 1)), "the other one goes on"
        connection_error = sync_pb2.ServerMessage.FromString(answers[-2].payload).error
    assert connection_error.code == "RESOURCE_EXHAUSTED"
    assert close_code(answers[-1]) == 1008


def test_one_that_closes_while_it_is_written_to_gets_its_own_status_back(play: Play) -> None:
    daemon = play(SKIRMISH, "--rate", "unlimited", "--loop")
    with connection_to(daemon) as connection:
        connection.send(frame(TEXT, b'{"subscribe":{"policy":"every"}}'), close(4000, b"enough"))
        answers = connection.read_all()
    assert close_code(answers[-1]) == 4000
    assert daemon.stop() == 0


def test_frames_on_the_other_ports_are_told_what_is_expected(play: Play) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    http = int(daemon.addresses["http"].rpartition(":")[2])
    grpc = int(daemon.grpc.rpartition(":")[2])
    handshake = f"GET {PATH} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n".encode()
    table = [
        (daemon.socket_port, handshake, b'"expected a line of JSON'),
        (daemon.socket_port, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b'"expected a line of JSON'),
        (grpc, handshake, b"HTTP/2 only"),
        (http, b'{"subscribe":{}}\n', b"HTTP/1.1 400 "),
    ]
    for port, data, expected in table:
        with (
            socket.create_connection(("127.0.0.1", port), timeout=20) as connection,
            connection.makefile("rb") as answer,
        ):
            connection.sendall(data)
            assert expected in answer.read(), (port, data)

"""Hand-made HTTP/2 frames: what breaks the protocol is answered with the error RFC 9113 names, and nothing hangs."""

import contextlib
import socket
import struct

import pytest
from abathur.sync.v1 import sync_pb2
from grpc_host import SERVICE
from http2_by_hand import (
    ACK,
    CANCEL,
    COMPRESSION_ERROR,
    CONTINUATION,
    DATA,
    EMPTY_MESSAGE,
    END_HEADERS,
    END_STREAM,
    ENHANCE_YOUR_CALM,
    FLOW_CONTROL_ERROR,
    FRAME_SIZE_ERROR,
    GOAWAY,
    HEADERS,
    PADDED,
    PING,
    PREFACE,
    PRIORITY,
    PROTOCOL_ERROR,
    PUSH_PROMISE,
    REFUSED_STREAM,
    RST_STREAM,
    SETTINGS,
    STREAM_CLOSED,
    WINDOW_UPDATE,
    Connection,
    block,
    frame,
    settings,
)

pytestmark = pytest.mark.usefixtures("nothing_left_over")


def call_headers(method="GetStatus", *more, content_type="application/grpc"):
    return block(
        (":method", "POST"),
        (":scheme", "http"),
        (":path", f"/{SERVICE}/{method}"),
        (":authority", "localhost"),
        ("te", "trailers"),
        ("content-type", content_type),
        *more,
    )


@pytest.fixture
def connect(host):
    connections = []

    def connect(*args, **kwargs):
        connections.append(Connection(host.port, *args, **kwargs))
        return connections[-1]

    yield connect
    for each in connections:
        each.close()


@pytest.fixture
def connection(connect):
    return connect()


def status(headers):
    """The grpc-status in a literal header block."""
    _, found, rest = headers.partition(b"grpc-status")
    assert found, headers
    return int(rest[1 : 1 + rest[0]])


def test_call_by_hand(connection):
    connection.send(frame(HEADERS, END_HEADERS, 1, call_headers()) + frame(DATA, END_STREAM, 1, EMPTY_MESSAGE))
    headers, data = connection.response()
    assert status(headers) == 0 and sync_pb2.Status.FromString(data[5:]).HasField("match")


def test_call_in_small_pieces(connection):
    headers = call_headers()
    pieces = [headers[i : i + 7] for i in range(0, len(headers), 7)]
    connection.send(frame(HEADERS, 0, 1, pieces[0]))
    for piece in pieces[1:]:
        connection.send(frame(CONTINUATION, 0, 1, piece))
    connection.send(frame(CONTINUATION, END_HEADERS, 1))
    for byte in EMPTY_MESSAGE:
        connection.send(frame(DATA, PADDED, 1, bytes([3, byte, 0, 0, 0])))
    connection.send(frame(DATA, END_STREAM, 1))
    headers, data = connection.response()
    assert status(headers) == 0 and sync_pb2.Status.FromString(data[5:]).HasField("match")


def test_calls_one_after_the_other_on_a_connection(connection):
    for stream in range(1, 200, 2):
        connection.send(frame(HEADERS, END_HEADERS, stream, call_headers()))
        connection.send(frame(DATA, END_STREAM, stream, EMPTY_MESSAGE))
        assert status(connection.response(stream)[0]) == 0


@pytest.mark.parametrize(
    ("header", "body", "expected"),
    [
        (("grpc-encoding", "br"), EMPTY_MESSAGE, 0),  # not compressed all the same
        (("x", "y"), b"\x01" + bytes(4), 12),  # compressed
        (("x", "y"), b"\x02" + bytes(4), 13),  # no such flag
        (("x", "y"), b"\x00\x00\x00\x00\x09\x08", 13),  # the message ends early
        (("x", "y"), b"\x00\x00", 13),  # so does the prefix
        (("x", "y"), b"", 13),  # no message
        (("x", "y"), b"\x00\xff\xff\xff\xff", 8),  # 4 GB announced
        (("grpc-encoding", "gzip"), b"\x01\x00\x00\x00\x03abc", 12),
        (("grpc-timeout", "1"), EMPTY_MESSAGE, 0),  # not understood, and left alone
        (("grpc-timeout", "99999999H"), EMPTY_MESSAGE, 0),
    ],
)
def test_call_that_is_wrong_gets_a_status(connection, header, body, expected):
    connection.send(
        frame(HEADERS, END_HEADERS, 1, call_headers("GetStatus", header)) + frame(DATA, END_STREAM, 1, body)
    )
    headers, _ = connection.response()
    assert status(headers) == expected


def test_wrong_content_type_is_told_in_plain_http(connection):
    connection.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, call_headers(content_type="text/html")))
    headers, data = connection.response()
    assert b"415" in headers
    assert data.startswith(b"This port speaks gRPC")


def test_settings_are_acknowledged(connection):
    assert connection.wait_for(SETTINGS, flags=ACK) == b""
    connection.send(frame(SETTINGS, payload=struct.pack(">HI", 0x7777, 1)))  # unknown: ignored
    assert connection.wait_for(SETTINGS, flags=ACK) == b""


def test_ping_is_answered_with_its_bytes(connection):
    connection.send(frame(PING, payload=b"12345678"))
    assert connection.wait_for(PING, flags=ACK) == b"12345678"


def test_unknown_frame_is_ignored(connection):
    connection.send(frame(0x77, 0xFF, 0, b"anything") + frame(PING, payload=bytes(8)))
    assert connection.wait_for(PING, flags=ACK) == bytes(8)


def open_stream(stream=1, flags=END_HEADERS):
    return frame(HEADERS, flags, stream, call_headers("Session"))


ERRORS = {
    "HEADERS on stream 0": (frame(HEADERS, END_HEADERS, 0, call_headers()), [PROTOCOL_ERROR]),
    "HEADERS on an even stream": (frame(HEADERS, END_HEADERS, 2, call_headers()), [PROTOCOL_ERROR]),
    "HEADERS padded past their end": (frame(HEADERS, END_HEADERS | PADDED, 1, b"\xff" + bytes(9)), [PROTOCOL_ERROR]),
    "HEADERS on a lower stream": (open_stream(3) + open_stream(1), [PROTOCOL_ERROR, STREAM_CLOSED]),
    "HEADERS that are no HPACK": (frame(HEADERS, END_HEADERS, 1, b"\xff" * 20), [COMPRESSION_ERROR]),
    "HEADERS with an index that is not there": (frame(HEADERS, END_HEADERS, 1, b"\xc6"), [COMPRESSION_ERROR]),
    "DATA on stream 0": (frame(DATA, 0, 0, b"x"), [PROTOCOL_ERROR]),
    "DATA on an idle stream": (frame(DATA, 0, 1, b"x"), [PROTOCOL_ERROR, STREAM_CLOSED]),
    "DATA padded past its end": (open_stream() + frame(DATA, PADDED, 1, b"\xff" + bytes(9)), [PROTOCOL_ERROR]),
    "DATA after the end": (
        open_stream(1, END_HEADERS | END_STREAM) + frame(DATA, 0, 1, b"x"),
        [STREAM_CLOSED],
    ),
    "DATA over the frame size": (open_stream() + frame(DATA, 0, 1, bytes(20_000)), [FRAME_SIZE_ERROR]),
    "a frame of 16 MB announced": (open_stream() + frame(DATA, 0, 1, b"", length=0xFFFFFF), [FRAME_SIZE_ERROR]),
    "RST_STREAM on stream 0": (frame(RST_STREAM, 0, 0, bytes(4)), [PROTOCOL_ERROR]),
    "RST_STREAM on an idle stream": (frame(RST_STREAM, 0, 1, bytes(4)), [PROTOCOL_ERROR]),
    "RST_STREAM too short": (open_stream() + frame(RST_STREAM, 0, 1, bytes(3)), [FRAME_SIZE_ERROR]),
    "SETTINGS on a stream": (frame(SETTINGS, 0, 1), [PROTOCOL_ERROR]),
    "SETTINGS too short": (frame(SETTINGS, payload=bytes(5)), [FRAME_SIZE_ERROR]),
    "SETTINGS acknowledged with bytes": (frame(SETTINGS, ACK, 0, bytes(6)), [FRAME_SIZE_ERROR]),
    "SETTINGS that push neither on nor off": (frame(SETTINGS, payload=settings(enable_push=2)), [PROTOCOL_ERROR]),
    "SETTINGS of a tiny frame": (frame(SETTINGS, payload=settings(max_frame_size=1)), [PROTOCOL_ERROR]),
    "SETTINGS of a negative window": (
        frame(SETTINGS, payload=settings(initial_window_size=1 << 31)),
        [FLOW_CONTROL_ERROR],
    ),
    "PUSH_PROMISE": (frame(PUSH_PROMISE, END_HEADERS, 1, bytes(8)), [PROTOCOL_ERROR]),
    "PING on a stream": (frame(PING, 0, 1, bytes(8)), [PROTOCOL_ERROR]),
    "PING too short": (frame(PING, payload=bytes(7)), [FRAME_SIZE_ERROR]),
    "GOAWAY on a stream": (frame(GOAWAY, 0, 1, bytes(8)), [PROTOCOL_ERROR]),
    "WINDOW_UPDATE of 0": (frame(WINDOW_UPDATE, payload=bytes(4)), [PROTOCOL_ERROR]),
    "WINDOW_UPDATE too short": (frame(WINDOW_UPDATE, payload=bytes(3)), [FRAME_SIZE_ERROR]),
    "WINDOW_UPDATE over 2^31 - 1": (frame(WINDOW_UPDATE, payload=b"\x7f\xff\xff\xff") * 2, [FLOW_CONTROL_ERROR]),
    "WINDOW_UPDATE of a stream over 2^31 - 1": (
        open_stream() + frame(WINDOW_UPDATE, 0, 1, b"\x7f\xff\xff\xff") * 2,
        [FLOW_CONTROL_ERROR],
    ),
    "CONTINUATION of nothing": (frame(CONTINUATION, END_HEADERS, 1, b"\x88"), [PROTOCOL_ERROR]),
    "PING among CONTINUATIONs": (open_stream(1, 0) + frame(PING, payload=bytes(8)), [PROTOCOL_ERROR]),
    "CONTINUATION of another stream": (open_stream(1, 0) + frame(CONTINUATION, 0, 3), [PROTOCOL_ERROR]),
    "PRIORITY on itself": (frame(PRIORITY, 0, 1, b"\x00\x00\x00\x01\x00"), [PROTOCOL_ERROR]),
    "an upper case header": (
        frame(HEADERS, END_HEADERS, 1, call_headers("GetStatus", ("X-Upper", "y"))),
        [PROTOCOL_ERROR],
    ),
    "a connection header": (
        frame(HEADERS, END_HEADERS, 1, call_headers("GetStatus", ("connection", "close"))),
        [PROTOCOL_ERROR],
    ),
    "a pseudo header after others": (
        frame(HEADERS, END_HEADERS, 1, call_headers("GetStatus", (":scheme", "http"))),
        [PROTOCOL_ERROR],
    ),
    "no path": (frame(HEADERS, END_HEADERS, 1, block((":method", "POST"), (":scheme", "http"))), [PROTOCOL_ERROR]),
}


@pytest.mark.parametrize("what", ERRORS)
def test_what_breaks_the_protocol_is_answered_with_its_error(connection, what):
    sent, expected = ERRORS[what]
    connection.send(sent)
    assert connection.error() in expected


def test_window_of_the_client_is_kept(connect):
    connection = connect(initial_window_size=3)
    connection.send(frame(HEADERS, END_HEADERS, 1, call_headers()) + frame(DATA, END_STREAM, 1, EMPTY_MESSAGE))
    assert len(connection.wait_for(DATA)) == 3
    connection.send(frame(PING, payload=bytes(8)))
    assert connection.wait_for(PING, flags=ACK) == bytes(8)  # and no DATA before it
    connection.send(frame(WINDOW_UPDATE, 0, 1, b"\x00\x00\x00\x09"))
    assert len(connection.wait_for(DATA)) == 9


def framed(message):
    data = message.SerializeToString()
    return b"\x00" + len(data).to_bytes(4) + data


def test_window_of_the_server_overrun_is_an_error(connect):
    # A client that takes no answers: after some of them its session reads no more.
    connection = connect(initial_window_size=0)
    first = framed(sync_pb2.ClientMessage(subscribe=sync_pb2.SubscribeRequest()))
    question = framed(sync_pb2.ClientMessage(id=1, status=sync_pb2.GetStatusRequest()))
    connection.send(open_stream() + frame(DATA, 0, 1, first))
    questions = frame(DATA, 0, 1, question * (16_000 // len(question)))
    for _ in range(200):  # 3 MB
        connection.send(questions)
    assert connection.error() == FLOW_CONTROL_ERROR


def subscribed(stream):
    """A call whose frames do not come yet."""
    call = frame(HEADERS, END_HEADERS, stream, call_headers("Subscribe"))
    return call + frame(DATA, END_STREAM, stream, EMPTY_MESSAGE)


def test_reset_ends_the_call(connection, host):
    connection.send(subscribed(1))
    connection.wait_for(HEADERS, stream=1)
    host.wait_for_subscribers(1)
    connection.send(frame(RST_STREAM, 0, 1, CANCEL.to_bytes(4)))
    host.wait_for_subscribers(0)


def test_closed_connection_ends_its_calls(connection, host):
    for stream in (1, 3, 5):
        connection.send(subscribed(stream))
        connection.wait_for(HEADERS, stream=stream)
    host.wait_for_subscribers(3)
    connection.close()
    host.wait_for_subscribers(0)


def test_more_streams_than_allowed_are_refused(connection):
    connection.send(b"".join(open_stream(stream) for stream in range(1, 2 * 1001 + 1, 2)))
    assert connection.error() == REFUSED_STREAM


def test_continuation_flood_is_bounded(connection):
    connection.send(open_stream(1, 0))
    filler = frame(CONTINUATION, 0, 1, block(("x", "a" * 16_000)))
    for _ in range(50):
        connection.send(filler)
    assert connection.error() in (None, PROTOCOL_ERROR, ENHANCE_YOUR_CALM, COMPRESSION_ERROR)


def test_empty_continuation_flood_starts_no_call(connection, host):
    connection.send(open_stream(1, 0))
    for _ in range(200):
        connection.send(frame(CONTINUATION, 0, 1) * 100)
    assert host.subscribers() == 0
    connection.close()


def test_rapid_reset_does_not_exhaust_the_server(connect):
    flood = connect()
    reset = CANCEL.to_bytes(4)
    for stream in range(1, 10_000, 2):
        flood.send(open_stream(stream) + frame(RST_STREAM, 0, stream, reset))
    other = connect()
    other.send(frame(HEADERS, END_HEADERS, 1, call_headers()) + frame(DATA, END_STREAM, 1, EMPTY_MESSAGE))
    assert status(other.response()[0]) == 0


GARBAGE = {
    "lines": b"garbage of more than a preface\r\n\r\n",
    "a wrong preface": PREFACE[:-1] + b"x" + bytes(40),
    "bytes after the preface": PREFACE + b"\xff" * 40,
    "zeros": bytes(100_000),
    "TLS": bytes.fromhex("1603010200010001fc0303") + bytes(100_000),
}


@pytest.mark.parametrize("what", GARBAGE)
def test_garbage_closes_the_connection(host, what):
    with socket.create_connection(("127.0.0.1", host.port), timeout=30) as client, contextlib.suppress(ConnectionError):
        client.sendall(GARBAGE[what])
        while client.recv(4096):
            pass


def test_http1_request_is_told_why_and_closed(host):
    with socket.create_connection(("127.0.0.1", host.port), timeout=30) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = b"".join(iter(lambda: client.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"HTTP/2" in answer

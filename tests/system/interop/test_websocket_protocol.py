"""RFC 6455 with frames by hand, in the groups of the public fuzzing suite, against an echo on the daemon's layer."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator

import pytest
from programs import ROOT
from websockets_by_hand import (
    BINARY,
    CLOSE,
    CONTINUATION,
    PING,
    PONG,
    TEXT,
    Answer,
    Connection,
    close,
    close_code,
    frame,
)

ECHO = ROOT / "artifacts" / "bin" / "Abathur.WebSocketEcho" / "release" / "Abathur.WebSocketEcho.dll"
KAPPA = "κόσμε".encode()


@pytest.fixture(scope="module")
def echo() -> Iterator[int]:
    process = subprocess.Popen(
        ["dotnet", str(ECHO)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    ready = process.stdout.readline()
    assert ready.startswith("ready http="), process.stderr.read()
    yield int(ready.rpartition(":")[2])
    process.stdin.close()
    assert process.wait(20) == 0
    assert process.stderr.read() == ""
    process.stdout.close()
    process.stderr.close()


def whole(opcode: int, payload: bytes) -> Answer:
    return Answer(8, opcode, payload)


@pytest.mark.parametrize("opcode", [TEXT, BINARY])
@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 128, 65535, 65536, 1 << 20])
def test_messages_of_each_size_come_back(echo: int, opcode: int, size: int) -> None:
    payload = b"*" * size if opcode == TEXT else random.Random(size).randbytes(size)
    with Connection(echo) as connection:
        connection.send(frame(opcode, payload))
        assert connection.read() == whole(opcode, payload)
        third = max(1, size // 3)
        pieces = [payload[:third], payload[third : 2 * third], payload[2 * third :]]
        connection.send(
            frame(opcode, pieces[0], fin=False),
            frame(CONTINUATION, pieces[1], fin=False),
            frame(CONTINUATION, pieces[2]),
        )
        assert connection.read() == whole(opcode, payload)
        connection.send(close(1000))
        assert close_code(connection.read()) == 1000
        assert connection.read() is None


def test_frames_in_single_bytes_are_frames(echo: int) -> None:
    with Connection(echo) as connection:
        for byte in frame(TEXT, KAPPA):
            connection.socket.sendall(bytes([byte]))
        assert connection.read() == whole(TEXT, KAPPA)


@pytest.mark.parametrize("size", [0, 1, 125])
def test_ping_is_answered_with_its_payload(echo: int, size: int) -> None:
    payload = random.Random(size).randbytes(size)
    with Connection(echo) as connection:
        connection.send(frame(PING, payload))
        assert connection.read() == whole(PONG, payload)
        connection.send(*(frame(PING, b"%d" % number) for number in range(10)))
        assert [connection.read() for _ in range(10)] == [whole(PONG, b"%d" % number) for number in range(10)]


def test_unasked_pongs_are_ignored(echo: int) -> None:
    with Connection(echo) as connection:
        connection.send(frame(PONG), frame(PONG, b"hello"), frame(PING, b"x"))
        assert connection.read() == whole(PONG, b"x")


def test_control_frames_between_fragments(echo: int) -> None:
    with Connection(echo) as connection:
        connection.send(
            frame(TEXT, b"one", fin=False),
            frame(PING, b"a"),
            frame(CONTINUATION, b"", fin=False),
            frame(PING, b"b"),
            frame(CONTINUATION, b"two"),
        )
        answers = [connection.read() for _ in range(3)]
        assert answers == [whole(PONG, b"a"), whole(PONG, b"b"), whole(TEXT, b"onetwo")]


WRONG_FRAMES = {
    "ping of 126 bytes": frame(PING, bytes(126)),
    "close of 126 bytes": close(1000, b"x" * 124),
    "fragmented ping": frame(PING, b"x", fin=False),
    "fragmented pong": frame(PONG, b"x", fin=False),
    "fragmented close": frame(CLOSE, b"", fin=False),
    "continuation of nothing": frame(CONTINUATION, b"x"),
    "continuation of nothing, not the last": frame(CONTINUATION, b"x", fin=False),
    "continuation after the end": frame(TEXT, b"x", fin=False) + frame(CONTINUATION, b"y") + frame(CONTINUATION, b"z"),
    "text inside a text": frame(TEXT, b"x", fin=False) + frame(TEXT, b"y"),
    "unmasked": frame(TEXT, b"unmasked", masked=False),
    "unmasked close": frame(CLOSE, b"\x03\xe8done", masked=False),
    "length beyond 63 bits": b"\x82\xff" + b"\xff" * 8 + b"abcd",
    "close of one byte": frame(CLOSE, b"\x03"),
    **{f"reserved bits {bits}": frame(TEXT, b"x", bits=bits) for bits in range(1, 8)},
    **{f"reserved bits {bits} on a ping": frame(PING, b"x", bits=bits) for bits in (1, 2, 4)},
    **{f"opcode {opcode}": frame(opcode, b"x") for opcode in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15)},
    **{
        f"close code {code}": close(code)
        for code in (0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535)
    },
}


@pytest.mark.parametrize("name", WRONG_FRAMES)
def test_wrong_frames_close_with_1002(echo: int, name: str) -> None:
    with Connection(echo) as connection:
        connection.send(frame(TEXT, b"before"), WRONG_FRAMES[name])
        answers = connection.read_all()
    assert answers[0] == whole(TEXT, b"before")
    echoed = [answer for answer in answers[1:-1] if answer.opcode == TEXT]
    assert echoed in ([], [whole(TEXT, b"xy")]), "what was whole before may have come back"
    assert close_code(answers[-1]) == 1002


@pytest.mark.parametrize("code", [None, 1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999])
def test_close_is_answered_with_its_code(echo: int, code: int | None) -> None:
    reason = b"" if code is None else "bye ✓".encode()
    with Connection(echo) as connection:
        connection.send(close(code, reason))
        answers = connection.read_all()
    # Without a code any will do.
    assert [close_code(answer) for answer in answers] == [1000 if code is None else code]


def test_nothing_after_a_close_is_answered(echo: int) -> None:
    with Connection(echo) as connection:
        connection.send(close(1000), frame(PING, b"x"), frame(TEXT, b"x"))
        assert [close_code(answer) for answer in connection.read_all()] == [1000]


WRONG_TEXTS = {
    "cut": KAPPA[:-1],
    "continuation byte alone": b"\x80",
    "overlong": b"\xc0\xaf",
    "overlong of three": b"\xe0\x80\xaf",
    "surrogate": b"\xed\xa0\x80",
    "beyond the last": b"\xf4\x90\x80\x80",
    "five bytes": b"\xf8\x88\x80\x80\x80",
    "fe": b"\xfe",
    "in the middle": KAPPA + b"\xed\xa0\x80" + b"edited",
}


@pytest.mark.parametrize("name", WRONG_TEXTS)
def test_text_that_is_not_utf8_closes_with_1007(echo: int, name: str) -> None:
    text = WRONG_TEXTS[name]
    for frames in (
        [frame(TEXT, text)],
        [frame(TEXT, text[:1], fin=False), frame(CONTINUATION, text[1:])],
        [
            frame(TEXT, b"", fin=False),
            *(frame(CONTINUATION, bytes([byte]), fin=False) for byte in text),
            frame(CONTINUATION),
        ],
    ):
        with Connection(echo) as connection:
            connection.send(*frames)
            assert [close_code(answer) for answer in connection.read_all()] == [1007]
    with Connection(echo) as connection:
        connection.send(frame(BINARY, text))
        assert connection.read() == whole(BINARY, text)


def test_close_reason_that_is_not_utf8_is_refused(echo: int) -> None:
    with Connection(echo) as connection:
        connection.send(close(1000, b"\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xed\xa0\x80"))
        assert [close_code(answer) for answer in connection.read_all()] in ([1007], [1002])


@pytest.mark.parametrize("text", [KAPPA, "\U0001f600 \U0010ffff \ufffe \u0000".encode()])
def test_utf8_cut_anywhere_into_fragments_is_text(echo: int, text: bytes) -> None:
    with Connection(echo) as connection:
        for at in range(len(text) + 1):
            connection.send(frame(TEXT, text[:at], fin=False), frame(CONTINUATION, text[at:]))
            assert connection.read() == whole(TEXT, text)


def test_bad_text_is_refused_before_the_message_is_whole(echo: int) -> None:
    with Connection(echo) as connection:
        connection.send(frame(TEXT, KAPPA + b"\xf4\x90", fin=False))
        assert close_code(connection.read()) == 1007


def test_a_message_of_thousands_of_fragments(echo: int) -> None:
    with Connection(echo) as connection:
        pieces = [b"%05d" % number for number in range(4096)]
        connection.send(
            frame(BINARY, b"", fin=False),
            *(frame(CONTINUATION, piece, fin=False) for piece in pieces),
            frame(CONTINUATION),
        )
        assert connection.read() == whole(BINARY, b"".join(pieces))

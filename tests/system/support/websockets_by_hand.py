"""WebSocket frames by hand, to send what no library would."""

from __future__ import annotations

import os
import socket
import struct
from typing import NamedTuple

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10


class Answer(NamedTuple):
    """One frame of the server; `fin_and_bits` is the high half of its first byte."""

    fin_and_bits: int
    opcode: int
    payload: bytes


def frame(opcode: int, payload: bytes = b"", *, fin: bool = True, bits: int = 0, masked: bool = True) -> bytes:
    """A frame as clients send it."""
    head = bytes([(0x80 if fin else 0) | bits << 4 | opcode])
    flag = 0x80 if masked else 0
    if len(payload) < 126:
        head += bytes([flag | len(payload)])
    elif len(payload) < 1 << 16:
        head += bytes([flag | 126]) + struct.pack(">H", len(payload))
    else:
        head += bytes([flag | 127]) + struct.pack(">Q", len(payload))
    if not masked:
        return head + payload
    mask = os.urandom(4)
    return head + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))


def close(code: int | None, reason: bytes = b"") -> bytes:
    """A close frame."""
    return frame(CLOSE, b"" if code is None else struct.pack(">H", code) + reason)


def request(port: int, path: str = "/", **headers: str | None) -> bytes:
    """A handshake; a header of None is omitted, `_` stands for `-`."""
    all_headers: dict[str, str | None] = {
        "Host": f"127.0.0.1:{port}",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg==",
        "Sec-WebSocket-Version": "13",
    }
    all_headers.update({name.replace("_", "-"): value for name, value in headers.items()})
    lines = [f"{name}: {value}" for name, value in all_headers.items() if value is not None]
    return "\r\n".join([f"GET {path} HTTP/1.1", *lines, "", ""]).encode()


class Connection:
    """A connection that has shaken hands."""

    def __init__(self, port: int, path: str = "/", receive_buffer: int | None = None, **headers: str | None) -> None:
        """Connect; `receive_buffer` bounds the bytes that the system holds for this side; headers as in `request`."""
        self.socket = socket.socket()
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(20)
        self.socket.connect(("127.0.0.1", port))
        self._file = self.socket.makefile("rb")
        self.socket.sendall(request(port, path, **headers))
        assert b" 101 " in self._file.readline()
        while self._file.readline() != b"\r\n":
            pass

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()
        self.socket.close()

    def send(self, *frames: bytes) -> None:
        self.socket.sendall(b"".join(frames))

    def read_raw(self, size: int) -> bytes:
        """The next bytes, whatever they are."""
        return self._file.read(size)

    def read(self) -> Answer | None:
        """The next message of the server, or control frame; None when the connection is closed."""
        answer = self.read_frame()
        while answer is not None and answer.opcode in (TEXT, BINARY) and not answer.fin_and_bits & 8:
            part = self.read_frame()
            assert part is not None and part.opcode == CONTINUATION
            answer = Answer(part.fin_and_bits, answer.opcode, answer.payload + part.payload)
        return answer

    def read_frame(self) -> Answer | None:
        """The next frame of the server; None when the connection is closed."""
        try:
            head = self._file.read(2)
        except ConnectionResetError:
            return None
        if not head:
            return None
        assert head[1] < 0x80, "servers do not mask"
        size = head[1]
        if size == 126:
            size = struct.unpack(">H", self._file.read(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self._file.read(8))[0]
        return Answer(head[0] >> 4, head[0] & 15, self._file.read(size))

    def read_all(self, *, say_goodbye: bool = False) -> list[Answer]:
        """Everything up to the end of the connection; a client that answers the close frame need not wait for that."""
        answers = []
        while (answer := self.read()) is not None:
            answers.append(answer)
            if say_goodbye and answer.opcode == CLOSE:
                self.send(frame(CLOSE, answer.payload))
        return answers


def close_code(answer: Answer | None) -> int | None:
    """The status of a close frame."""
    assert answer is not None and answer.opcode == CLOSE, answer
    return struct.unpack(">H", answer.payload[:2])[0] if answer.payload else None

"""HTTP/2 in hand-made frames, for requests that no library sends."""

import contextlib
import socket
import struct
from collections.abc import Iterator

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
ACK = END_STREAM = 0x1
END_HEADERS, PADDED = 0x4, 0x8
PROTOCOL_ERROR, INTERNAL_ERROR, FLOW_CONTROL_ERROR, SETTINGS_TIMEOUT, STREAM_CLOSED, FRAME_SIZE_ERROR = range(1, 7)
REFUSED_STREAM, CANCEL, COMPRESSION_ERROR, CONNECT_ERROR, ENHANCE_YOUR_CALM = range(7, 12)
HEADER_TABLE_SIZE, ENABLE_PUSH, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE = range(1, 6)
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
EMPTY_MESSAGE = bytes(5)


def frame(kind, flags=0, stream=0, payload=b"", length=None):
    length = len(payload) if length is None else length
    return struct.pack(">I", length)[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def settings(**values):
    return b"".join(struct.pack(">HI", globals()[name.upper()], value) for name, value in values.items())


def block(*fields):
    """A header block of literals: no table, no Huffman."""

    def text(value):
        value = value.encode()
        if len(value) < 127:
            return bytes([len(value)]) + value
        rest, length = len(value) - 127, b"\x7f"
        while rest >= 128:
            length += bytes([rest % 128 + 128])
            rest //= 128
        return length + bytes([rest]) + value

    return b"".join(b"\x00" + text(name) + text(value) for name, value in fields)


class Connection:
    """A socket that speaks frames."""

    def __init__(self, port, preface=PREFACE, **initial_settings):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.input = self.socket.makefile("rb")
        # Without a table the server's headers are literals as well.
        initial_settings.setdefault("header_table_size", 0)
        self.send(preface + frame(SETTINGS, payload=settings(**initial_settings)))

    def send(self, data):
        # What the server has said before it closed is still to be read.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.socket.sendall(data)

    def frames(self) -> Iterator[tuple[int, int, int, bytes]]:
        """Kind, flags, stream and payload of each frame until the server closes."""
        try:
            while len(head := self.input.read(9)) == 9:
                length = int.from_bytes(head[:3])
                kind, flags, stream = struct.unpack(">BBI", head[3:])
                yield kind, flags, stream, self.input.read(length)
        except ConnectionResetError:
            return

    def wait_for(self, kind, stream=None, flags=0):
        """The first such frame's payload."""
        for got_kind, got_flags, got_stream, payload in self.frames():
            if got_kind == kind and stream in (None, got_stream) and got_flags & flags == flags:
                return payload
        raise AssertionError(f"the server closed without a frame of kind {kind}")

    def error(self):
        """The code of the first RST_STREAM or GOAWAY; None if the server just closes."""
        for kind, _, _, payload in self.frames():
            if kind == RST_STREAM:
                return int.from_bytes(payload)
            if kind == GOAWAY:
                return int.from_bytes(payload[4:8])
        return None

    def response(self, stream=1):
        """Header blocks joined, and data, of a stream up to its end."""
        headers, data = b"", b""
        for kind, flags, got_stream, payload in self.frames():
            if got_stream != stream:
                continue
            headers += payload if kind in (HEADERS, CONTINUATION) else b""
            data += payload if kind == DATA else b""
            if kind == RST_STREAM or (kind in (DATA, HEADERS) and flags & END_STREAM):
                return headers, data
        raise AssertionError("the server closed in the middle of a response")

    def close(self):
        self.input.close()
        self.socket.close()

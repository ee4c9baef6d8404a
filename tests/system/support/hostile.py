"""Daemons that misbehave, in plain sockets in the test's own process."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from abathur.sync.v1 import sync_pb2

MATCH = b'{"match":{"mapName":"Hostile"}}\n'
Script = Callable[[socket.socket], None]


@contextmanager
def hostile(script: Script, transport: str = "socket") -> Iterator[str]:
    """A listener that gives each connection to a script, on a thread. Its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    connections: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def serve(connection: socket.socket) -> None:
        with contextlib.suppress(OSError):
            script(connection)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                connections.append(connection)
                threads.append(threading.Thread(target=serve, args=(connection,)))
                threads[-1].start()

    accepting = threading.Thread(target=accept)
    accepting.start()
    try:
        yield f"{transport}://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        with contextlib.suppress(OSError):
            # Closing alone does not end a thread that accepts.
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        accepting.join()
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        for thread in threads:
            thread.join()


def until_closed(connection: socket.socket) -> None:
    """Say nothing until the client disconnects."""
    while connection.recv(65536):
        pass


def silent(connection: socket.socket) -> None:
    """Take the connection, and say nothing."""
    until_closed(connection)


def says(*lines: bytes, then: Script = until_closed) -> Script:
    """The match, and what follows it at once."""
    return answers(MATCH, *lines, then=then)


def answers(*lines: bytes, then: Script = until_closed) -> Script:
    """Lines after the client's first one."""

    def script(connection: socket.socket) -> None:
        request(connection)
        connection.sendall(b"".join(lines))
        then(connection)

    return script


def closes(connection: socket.socket) -> None:
    """Take the client's first line, and close."""
    request(connection)
    connection.shutdown(socket.SHUT_RDWR)


def request(connection: socket.socket) -> bytes:
    """The client's first line."""
    line = b""
    while not line.endswith(b"\n"):
        received = connection.recv(65536)
        if not received:
            raise ConnectionError
        line += received
    return line


def json_line(**message: Any) -> bytes:
    return json.dumps(message).encode() + b"\n"


def prefixed(message: sync_pb2.ServerMessage) -> bytes:
    data = message.SerializeToString()
    return len(data).to_bytes(4, "little") + data

"""Many readers of the socket in one process, which decode nothing: `python growth_readers.py HOST:PORT`.

It reads commands from standard input, a JSON object a line, and answers each with one:

- ``{"connect": {...}, "count": N}`` subscribes that many times (``{...}`` is ``subscribe``, encoding ``proto``);
  answered once each has the match.
- ``{"wait": N}``: answered once N frames have come since the last ``take``.
- ``{"take": true}``: ``frames``, ``bytes`` and ``calls`` (of recv) since the last ``take``; ``p50`` and ``p99`` of
  published to received in ns (0 where no frame came).
- ``{"close": true}`` ends the connections.

A connection that the daemon closes is an ``error``. The process ends with its standard input.
"""

from __future__ import annotations

import json
import os
import selectors
import socket
import sys
from array import array
from time import perf_counter_ns
from typing import Any

import numpy as np
from abathur.sync.v1 import sync_pb2
from varints import read_varint

_BUFFER = 1024 * 1024
#: The stamps of a frame are in its first bytes: behind two lengths, the id of the match and the numbers.
_HEAD = 160
_SEQUENCE = sync_pb2.Frame.SEQUENCE_FIELD_NUMBER
_PUBLISHED = sync_pb2.Frame.PUBLISHED_MONOTONIC_NS_FIELD_NUMBER
_FRAME_TAG = sync_pb2.ServerMessage.FRAME_FIELD_NUMBER << 3 | 2


class _Connection:
    """One subscription: where it is in the bytes that come."""

    def __init__(self, address: str, line: bytes) -> None:
        host, _, port = address.rpartition(":")
        self.socket = socket.create_connection((host, int(port)))
        self.socket.sendall(line)
        self.has_match = False
        self.head = bytearray()
        # Bytes of the current message that are still to come, without those in `head`; -1: its length is not known.
        self.left = -1


class Readers:
    """All subscriptions of this process."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._selector = selectors.DefaultSelector()
        self._selector.register(0, selectors.EVENT_READ, None)
        self._connections: list[_Connection] = []
        self._buffer = memoryview(bytearray(_BUFFER))
        self._commands = b""
        self._acknowledges = False
        self._error = ""
        self._waiting: int | None = None
        self._connecting = 0
        self._clear()

    def run(self) -> None:
        """Until standard input is closed. Waits in the selector, without a timeout."""
        while True:
            for key, _ in self._selector.select():
                if key.data is not None:
                    self._receive(key.data)
                elif not self._command():
                    return
            self._answer_waiting()

    def _clear(self) -> None:
        self._latency = array("q")
        self._frames = self._bytes = self._calls = 0

    def _command(self) -> bool:
        data = os.read(0, 65536)
        *lines, self._commands = (self._commands + data).split(b"\n")
        for line in lines:
            self._do(json.loads(line))
        return bool(data)

    def _do(self, command: dict[str, Any]) -> None:
        if "connect" in command:
            self._connecting = int(command["count"])
            self._acknowledges = command["connect"].get("policy") == "lockstep"
            line = json.dumps({"subscribe": command["connect"]}).encode() + b"\n"
            for _ in range(self._connecting):
                connection = _Connection(self._address, line)
                connection.socket.setblocking(False)
                self._connections.append(connection)
                self._selector.register(connection.socket, selectors.EVENT_READ, connection)
        elif "wait" in command:
            self._waiting = int(command["wait"])
        elif "close" in command:
            for connection in self._connections:
                self._selector.unregister(connection.socket)
                connection.socket.close()
            self._connections.clear()
            self._clear()
            _print({})
        else:
            latency = np.array(self._latency) if self._latency else np.zeros(1)
            p50, p99 = (float(np.percentile(latency, percent)) for percent in (50, 99))
            _print({"frames": self._frames, "bytes": self._bytes, "calls": self._calls, "p50": p50, "p99": p99})
            self._clear()

    def _answer_waiting(self) -> None:
        if self._connecting and (self._error or all(each.has_match for each in self._connections)):
            self._connecting = 0
            _print({"error": self._error} if self._error else {})
        if self._waiting is not None and (self._error or self._frames >= self._waiting):
            self._waiting = None
            _print({"error": self._error} if self._error else {"frames": self._frames})

    def _receive(self, connection: _Connection) -> None:
        try:
            size = connection.socket.recv_into(self._buffer)
        except BlockingIOError:
            return
        except OSError as error:
            size, self._error = 0, str(error)
        if size == 0:
            self._error = self._error or f"the daemon closed a connection: {bytes(connection.head[:200])!r}"
            self._selector.unregister(connection.socket)
            connection.socket.close()
            self._connections.remove(connection)
            return
        self._calls += 1
        self._bytes += size
        at = 0 if connection.has_match else self._match(connection, size)
        while at < size:
            at = self._message(connection, at, size)

    def _match(self, connection: _Connection, size: int) -> int:
        """The line in front of the frames; where they begin."""
        data = bytes(self._buffer[:size])
        end = data.find(b"\n")
        connection.head += data if end < 0 else data[:end]
        if end < 0:
            return size
        connection.has_match = connection.head.startswith(b'{"match"')
        if not connection.has_match:
            self._error = connection.head.decode()
        connection.head.clear()
        return end + 1

    def _message(self, connection: _Connection, at: int, size: int) -> int:
        """A part of a message: as much of it as is in the buffer. Where the next part begins."""
        head = connection.head
        if connection.left < 0:
            part = min(4 - len(head), size - at)
            head += self._buffer[at : at + part]
            if len(head) == 4:
                connection.left = int.from_bytes(head, "little")
                head.clear()
            return at + part
        part = min(connection.left, size - at)
        if len(head) < _HEAD:
            head += self._buffer[at : at + min(part, _HEAD - len(head))]
        connection.left -= part
        if connection.left == 0:
            self._complete(connection, perf_counter_ns())
            connection.left = -1
            head.clear()
        return at + part

    def _complete(self, connection: _Connection, received: int) -> None:
        if not connection.head or connection.head[0] != _FRAME_TAG:
            self._error = self._error or f"no frame: {bytes(connection.head)!r}"
            return
        sequence, published = _stamps(connection.head)
        self._frames += 1
        self._latency.append(received - published)
        if self._acknowledges:
            ack = sync_pb2.ClientMessage(ack=sync_pb2.Ack(sequence=sequence)).SerializeToString()
            connection.socket.send(len(ack).to_bytes(4, "little") + ack)


def _stamps(head: bytearray) -> tuple[int, int]:
    """Sequence, and when the frame was published, of a ServerMessage's first bytes."""
    _, at = read_varint(head, 1)
    sequence = 0
    while True:
        tag = head[at]
        value, at = read_varint(head, at + 1)
        if tag >> 3 == _SEQUENCE:
            sequence = value
        elif tag >> 3 == _PUBLISHED:
            return sequence, value
        if tag & 7 == 2:
            at += value


def _print(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    Readers(sys.argv[1]).run()

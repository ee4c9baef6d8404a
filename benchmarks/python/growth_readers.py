"""Many readers of the socket in one process, which decode nothing: `python growth_readers.py HOST:PORT`.

It reads commands from standard input, a JSON object a line, and answers each with one:

- ``{"connect": {...}, "count": N}`` subscribes that many times (``{...}`` is ``subscribe``, encoding ``proto``);
  answered once each has the match.
- ``{"wait": N}``: answered once N frames have come since the last ``take``.
- ``{"take": true}``: ``frames`` since the last ``take``; ``p50`` and ``p99`` of published to received in ns (0 where no
  frame came).

A connection that the daemon closes is an ``error``. The process ends with its standard input.
"""

from __future__ import annotations

import json
import os
import selectors
import socket
import sys
from array import array
from dataclasses import dataclass, field
from time import perf_counter_ns
from typing import Any

import numpy as np
from abathur.sync.v1 import sync_pb2
from varints import FRAME_TAG, stamps

_BUFFER = 1024 * 1024
#: The stamps of a frame are in its first bytes.
_HEAD = 160


@dataclass(eq=False)
class _Connection:
    """One subscription, and the bytes of which no whole message is made yet."""

    socket: socket.socket
    data: bytearray = field(default_factory=bytearray)
    has_match: bool = False


class Readers:
    """All subscriptions of this process."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self._address = (host, int(port))
        self._selector = selectors.DefaultSelector()
        self._selector.register(0, selectors.EVENT_READ, None)
        self._connections: list[_Connection] = []
        self._buffer = memoryview(bytearray(_BUFFER))
        self._commands = b""
        self._acknowledges = False
        self._error = ""
        #: Frames that are waited for; -1: matches of new connections.
        self._waiting: int | None = None
        self._latency = array("q")

    def run(self) -> None:
        """Until standard input is closed. Waits in the selector, without a timeout."""
        while True:
            for key, _ in self._selector.select():
                if key.data is not None:
                    self._receive(key.data)
                elif not self._command():
                    return
            if self._waiting is not None and (self._error or self._has_come(self._waiting)):
                self._waiting = None
                _print({"error": self._error} if self._error else {})

    def _has_come(self, frames: int) -> bool:
        return all(each.has_match for each in self._connections) if frames < 0 else len(self._latency) >= frames

    def _command(self) -> bool:
        data = os.read(0, 65536)
        *lines, self._commands = (self._commands + data).split(b"\n")
        for line in lines:
            command = json.loads(line)
            if "connect" in command:
                self._connect(command["connect"], command["count"])
            elif "wait" in command:
                self._waiting = int(command["wait"])
            else:
                latency = np.array(self._latency) if self._latency else np.zeros(1)
                p50, p99 = (float(np.percentile(latency, percent)) for percent in (50, 99))
                _print({"frames": len(self._latency), "p50": p50, "p99": p99})
                self._latency = array("q")
        return bool(data)

    def _connect(self, subscribe: dict[str, Any], count: int) -> None:
        self._acknowledges = subscribe["policy"] == "lockstep"
        self._waiting = -1
        for _ in range(count):
            connection = _Connection(socket.create_connection(self._address))
            connection.socket.sendall(json.dumps({"subscribe": subscribe}).encode() + b"\n")
            connection.socket.setblocking(False)
            self._connections.append(connection)
            self._selector.register(connection.socket, selectors.EVENT_READ, connection)

    def _receive(self, connection: _Connection) -> None:
        try:
            size = connection.socket.recv_into(self._buffer)
        except OSError as error:
            size, self._error = 0, str(error)
        if size == 0:
            self._error = self._error or f"the daemon closed a connection: {bytes(connection.data[:200])!r}"
            self._selector.unregister(connection.socket)
            return
        data = connection.data
        data += self._buffer[:size]
        at = 0
        if not connection.has_match:
            at = data.find(b"\n") + 1
            if at == 0:
                return
            if not data.startswith(b'{"match"'):
                self._error = data[:at].decode()
            connection.has_match = True
        received = perf_counter_ns()
        while len(data) - at >= 4 and len(data) - at - 4 >= (length := int.from_bytes(data[at : at + 4], "little")):
            self._complete(connection, data[at + 4 : at + 4 + min(length, _HEAD)], received)
            at += 4 + length
        del data[:at]

    def _complete(self, connection: _Connection, head: bytearray, received: int) -> None:
        if not head or head[0] != FRAME_TAG:
            self._error = self._error or f"no frame: {bytes(head)!r}"
            return
        sequence, published = stamps(head, server_message=True)
        self._latency.append(received - published)
        if self._acknowledges:
            ack = sync_pb2.ClientMessage(ack=sync_pb2.Ack(sequence=sequence)).SerializeToString()
            connection.socket.send(len(ack).to_bytes(4, "little") + ack)


def _print(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    Readers(sys.argv[1]).run()

"""Publishing observations over the socket, byte by byte."""

from __future__ import annotations

import contextlib
import socket

from abathur.sync.v1 import sync_pb2


def publish(bot: socket.socket, observations: list[bytes], *, first: bool = True) -> None:
    """Send all, unless the daemon is gone before; the first call for a connection starts the match."""
    tag = bytes([sync_pb2.PublishRequest.DESCRIPTOR.fields_by_name["observation"].number << 3 | 2])
    with contextlib.suppress(ConnectionError):
        if first:
            bot.sendall(b'{"publish":{"encoding":"proto","match":{"mapName":"Killed LE"}}}\n')
        for data in observations:
            head = tag + varint(len(data))
            bot.sendall((len(head) + len(data)).to_bytes(4, "little") + head + data)


def end(bot: socket.socket) -> None:
    """End the match, and wait until the daemon has closed the connection."""
    message = sync_pb2.PublishRequest(end=sync_pb2.End()).SerializeToString()
    bot.sendall(len(message).to_bytes(4, "little") + message)
    while bot.recv(65536):
        pass


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])

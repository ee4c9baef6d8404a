"""The far end of `proxy_delay.py`, as small as it can be: a game that answers at once.

``python proxy_peers.py BYTES`` prints its port, and bytes of an answer. It uses blocking sockets and ends with its
standard input.
"""

from __future__ import annotations

import base64
import hashlib
import os
import socket
import sys
import threading

from s2clientprotocol import sc2api_pb2

OBSERVE = sc2api_pb2.Request(observation=sc2api_pb2.RequestObservation()).SerializeToString()
_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def response(size: int) -> bytes:
    """A serialized ``Response`` with an observation, of about so many bytes, that cannot be compressed."""
    answer = sc2api_pb2.Response(status=sc2api_pb2.in_game)
    answer.observation.observation.game_loop = 1
    answer.observation.observation.raw_data.map_state.visibility.data = os.urandom(size - 40)
    return answer.SerializeToString()


def message(payload: bytes) -> bytes:
    """A binary frame as servers send it."""
    size = len(payload)
    if size < 126:
        return bytes([0x82, size]) + payload
    if size < 1 << 16:
        return b"\x82\x7e" + size.to_bytes(2, "big") + payload
    return b"\x82\x7f" + size.to_bytes(8, "big") + payload


def read_exactly(connection: socket.socket, into: memoryview) -> bool:
    """Fill the memory; False at the end of the stream."""
    at = 0
    while at < len(into):
        count = connection.recv_into(into[at:])
        if count == 0:
            return False
        at += count
    return True


def _serve(connection: socket.socket, observation: bytes) -> None:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += connection.recv(4096)
    lines = head.decode().split("\r\n")
    key = next(line.partition(":")[2].strip() for line in lines if line.lower().startswith("sec-websocket-key"))
    accept = base64.b64encode(hashlib.sha1((key + _GUID).encode()).digest()).decode()
    connection.sendall(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {accept}\r\n\r\n".encode()
    )
    # All requests here are shorter than 126 bytes: two bytes of head, four of mask.
    buffer = memoryview(bytearray(256))
    while read_exactly(connection, buffer[:6]):
        size = buffer[1] & 0x7F
        if not read_exactly(connection, buffer[6 : 6 + size]):
            return
        payload = bytes(buffer[6 + at] ^ buffer[2 + at % 4] for at in range(size))
        connection.sendall(observation if payload == OBSERVE else _other(payload))


def _other(payload: bytes) -> bytes:
    request = sc2api_pb2.Request.FromString(payload)
    answer = sc2api_pb2.Response(id=request.id, status=sc2api_pb2.in_game)
    getattr(answer, request.WhichOneof("request")).SetInParent()
    return message(answer.SerializeToString())


def _game(size: int) -> None:
    observation = message(response(size))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(listener.getsockname()[1], len(observation), flush=True)
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=_serve, args=(connection, observation), daemon=True).start()


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _game(int(sys.argv[1]))

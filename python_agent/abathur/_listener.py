"""Recognizes an address whose port speaks another protocol."""

from __future__ import annotations

import contextlib
import socket

from abathur._address import DEFAULT_GRPC_PORT, DEFAULT_SOCKET_PORT, Address

_TIMEOUT_SECONDS = 5.0
_MAX_ANSWER_BYTES = 1024


def advice(address: Address) -> str | None:
    """Which address to use, if another port of a daemon listens at this one; None: it is not that."""
    if address.path is not None or address.tls or address.transport == "nats":
        return None
    port = _port_at(address.host, address.port)
    if port is None or port == address.transport:
        return None
    where = f"{address.host}:{address.port}"
    if port == "nats":
        return f"{where} is a NATS server: use nats://{where}/MATCH; `abathur matches nats://{where}` lists them"
    if port != "http":
        return f"{where} is the {'gRPC' if port == 'grpc' else 'socket'} port of a daemon: use {port}://{where}"
    # It does not tell the ports of agents, which its ready line has.
    return (
        f"{where} is the HTTP port of a daemon: use its gRPC port (by default {address.host}:{DEFAULT_GRPC_PORT}) "
        f"or its socket port (by default socket://{address.host}:{DEFAULT_SOCKET_PORT})"
    )


def _port_at(host: str, port: int) -> str | None:
    """The protocol of a port, by its answer to a request of HTTP/1.1."""
    answer = b""
    with contextlib.suppress(OSError), socket.create_connection((host, port), _TIMEOUT_SECONDS) as connection:
        connection.settimeout(_TIMEOUT_SECONDS)
        connection.sendall(f"GET /v1/status HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode())
        while len(answer) < _MAX_ANSWER_BYTES and (data := connection.recv(_MAX_ANSWER_BYTES)):
            answer += data
    if answer.startswith(b'{"error":'):
        return "socket"
    if answer.startswith(b"INFO {"):
        return "nats"
    if not answer.startswith(b"HTTP/1.1 "):
        return None
    return "grpc" if b"HTTP/2 only" in answer else "http"

"""What listens at an address, for messages about an address that is not that of a daemon."""

from __future__ import annotations

import contextlib
import socket
from enum import Enum

from abathur._program.address import DEFAULT_GRPC_PORT, DEFAULT_SOCKET_PORT, Address, join

_TIMEOUT_SECONDS = 5.0
_MAX_ANSWER_BYTES = 1024


class Listener(Enum):
    """What listens."""

    NOTHING = "nothing"
    #: It was not asked, or did not answer as any of these.
    SOMETHING = "something"
    GRPC = "grpc"
    SOCKET = "socket"
    HTTP = "http"
    NATS = "nats"


def at(address: Address) -> Listener:
    """What listens at an address. Takes as long as it is silent: 5 s at most."""
    if address.transport == "nats":
        servers = (server.rpartition(":") for server in address.servers)
        return Listener.SOMETHING if any(_answers(host, int(port)) for host, _, port in servers) else Listener.NOTHING
    if address.path is not None:
        return _at_path(address.path)
    if address.tls:
        return Listener.SOMETHING if _answers(address.host, address.port) else Listener.NOTHING
    return _port_at(address)


def advice(address: Address, found: Listener) -> str | None:
    """Which address to use instead; None: there is nothing wrong with this one."""
    if found.value == address.transport or found in (Listener.NOTHING, Listener.SOMETHING):
        return None
    where = address.place
    if found is Listener.NATS:
        return f"{where} is a NATS server: use nats://{where}/MATCH; `abathur matches nats://{where}` lists them"
    if found is not Listener.HTTP:
        name = "gRPC" if found is Listener.GRPC else "socket"
        return f"{where} is the {name} port of a daemon: use {found.value}://{where}"
    # It does not tell the ports of agents, which its ready line has.
    return (
        f"{where} is the HTTP port of a daemon: use its gRPC port (by default {join(address.host, DEFAULT_GRPC_PORT)}) "
        f"or its socket port (by default socket://{join(address.host, DEFAULT_SOCKET_PORT)})"
    )


def _at_path(path: str) -> Listener:
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(_TIMEOUT_SECONDS)
        connection.connect(path)
        return Listener.SOMETHING
    return Listener.NOTHING


def _answers(host: str, port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((host.strip("[]"), port), _TIMEOUT_SECONDS):
        return True
    return False


def _port_at(address: Address) -> Listener:
    """By its answer to a request of HTTP/1.1."""
    answer = b""
    try:
        connection = socket.create_connection((address.host, address.port), _TIMEOUT_SECONDS)
    except OSError:
        return Listener.NOTHING
    with contextlib.suppress(OSError), connection:
        connection.settimeout(_TIMEOUT_SECONDS)
        connection.sendall(f"GET /v1/status HTTP/1.1\r\nHost: {address.place}\r\nConnection: close\r\n\r\n".encode())
        while len(answer) < _MAX_ANSWER_BYTES and (data := connection.recv(_MAX_ANSWER_BYTES)):
            answer += data
    if answer.startswith(b'{"error":'):
        return Listener.SOCKET
    if answer.startswith(b"INFO {"):
        return Listener.NATS
    if not answer.startswith(b"HTTP/1.1 "):
        return Listener.SOMETHING
    return Listener.GRPC if b"HTTP/2 only" in answer else Listener.HTTP

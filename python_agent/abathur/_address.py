"""Addresses of a daemon.

``127.0.0.1:22400`` or ``grpc://127.0.0.1:22400`` for gRPC, ``socket://127.0.0.1:22401`` for the raw
socket; ``grpc+unix:/path`` and ``socket+unix:/path`` for Unix domain sockets.
"""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from typing import Literal

DEFAULT_GRPC_PORT = 22400
DEFAULT_SOCKET_PORT = 22401
_ENVIRONMENT = "ABATHUR_ADDRESS"


@dataclass(frozen=True)
class Address:
    """Where a daemon listens, and what it speaks there."""

    transport: Literal["grpc", "socket"]
    host: str = "127.0.0.1"
    port: int = 0
    path: str | None = None

    def __str__(self) -> str:
        """The address in the form that `parse` reads."""
        if self.path is not None:
            return f"{self.transport}+unix:{self.path}"
        return f"{self.transport}://{self.host}:{self.port}"


def parse(text: str | None) -> Address:
    """Read an address; None: the one in ABATHUR_ADDRESS, or gRPC on the default port.

    Raises:
        ValueError: the text is not an address.
    """
    text = text or os.environ.get(_ENVIRONMENT) or f"127.0.0.1:{DEFAULT_GRPC_PORT}"
    for transport in ("grpc", "socket"):
        if text.startswith(f"{transport}+unix:"):
            if not hasattr(socket, "AF_UNIX"):
                raise ValueError(f"{text!r}: Python has no Unix domain sockets on this system; use TCP")
            return Address(transport, path=text.removeprefix(f"{transport}+unix:"))
    scheme, separator, rest = text.partition("://")
    if not separator:
        scheme, rest = "grpc", text
    host, colon, port = rest.rpartition(":")
    if not colon:
        host, port = rest, str(DEFAULT_GRPC_PORT if scheme == "grpc" else DEFAULT_SOCKET_PORT)
    if scheme not in ("grpc", "socket") or not host or not port.isdigit() or int(port) > 65535:
        raise ValueError(
            f"{text!r} is not an address: expected HOST:PORT, grpc://HOST:PORT, socket://HOST:PORT, "
            "grpc+unix:PATH or socket+unix:PATH"
        )
    return Address(scheme, host.strip("[]"), int(port))  # type: ignore[arg-type]

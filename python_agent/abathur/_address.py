"""Addresses of a daemon, with token and certificates.

``127.0.0.1:22400`` or ``grpc://127.0.0.1:22400`` for gRPC, ``socket://127.0.0.1:22401`` for the raw
socket; ``grpcs://HOST:22400`` and ``sockets://HOST:22401`` with TLS; ``grpc+unix:/path`` and ``socket+unix:/path`` for
Unix domain sockets.
"""

from __future__ import annotations

import os
import socket
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

DEFAULT_GRPC_PORT = 22400
DEFAULT_SOCKET_PORT = 22401
_ENVIRONMENT = "ABATHUR_ADDRESS"
_TOKEN_ENVIRONMENT = "ABATHUR_TOKEN"
_CA_ENVIRONMENT = "ABATHUR_CA"


#: A file with certificates.
Ca = str | os.PathLike[str]


@dataclass(frozen=True)
class Address:
    """The address and the transport of a daemon."""

    transport: Literal["grpc", "socket"]
    host: str = "127.0.0.1"
    port: int = 0
    path: str | None = None
    tls: bool = False
    #: The token for the daemon; None: none. Neither in `str` nor in `repr`.
    token: str | None = field(default=None, repr=False)
    #: File (PEM) with the trusted root certificates; None: those of the system.
    ca: str | None = None

    def root_certificates(self) -> bytes | None:
        """The certificates in `ca`. Raises OSError if it cannot be read."""
        return None if self.ca is None else Path(self.ca).read_bytes()

    def ssl_context(self) -> ssl.SSLContext | None:
        """The TLS context; None: no TLS. Raises OSError if `ca` cannot be read or has no certificates."""
        return ssl.create_default_context(cafile=self.ca) if self.tls else None

    def __str__(self) -> str:
        """The address in the form that `parse` reads."""
        if self.path is not None:
            return f"{self.transport}+unix:{self.path}"
        return f"{self.transport}{'s' if self.tls else ''}://{self.host}:{self.port}"


def parse(text: str | None, token: str | None = None, ca: Ca | None = None) -> Address:
    """Read an address; None: the one in ABATHUR_ADDRESS, or gRPC on the default port.

    Args:
        text: As above.
        token: Token for the daemon; None: ABATHUR_TOKEN, if set.
        ca: File with the trusted root certificates; None: ABATHUR_CA, else those of the system.

    Raises:
        ValueError: the text is not an address.
    """
    token = token or os.environ.get(_TOKEN_ENVIRONMENT) or None
    ca = os.fspath(ca) if ca is not None else os.environ.get(_CA_ENVIRONMENT) or None
    text = text or os.environ.get(_ENVIRONMENT) or f"127.0.0.1:{DEFAULT_GRPC_PORT}"
    for transport in ("grpc", "socket"):
        if text.startswith(f"{transport}+unix:"):
            if not hasattr(socket, "AF_UNIX"):
                raise ValueError(f"{text!r}: Python has no Unix domain sockets on this system; use TCP")
            return Address(transport, path=text.removeprefix(f"{transport}+unix:"), token=token)
    scheme, separator, rest = text.partition("://")
    if not separator:
        scheme, rest = "grpc", text
    host, colon, port = rest.rpartition(":")
    if not colon:
        host, port = rest, str(DEFAULT_GRPC_PORT if scheme.startswith("grpc") else DEFAULT_SOCKET_PORT)
    tls = scheme in ("grpcs", "sockets")
    scheme = scheme.removesuffix("s") if tls else scheme
    if scheme not in ("grpc", "socket") or not host or not port.isdigit() or int(port) > 65535:
        raise ValueError(
            f"{text!r} is not an address: expected HOST:PORT, grpc://HOST:PORT, socket://HOST:PORT, "
            "grpcs:// and sockets:// with TLS, grpc+unix:PATH or socket+unix:PATH"
        )
    return Address(scheme, host.strip("[]"), int(port), tls=tls, token=token, ca=ca)  # type: ignore[arg-type]

"""Addresses of a daemon, with token and certificates.

``127.0.0.1:22400`` or ``grpc://127.0.0.1:22400`` for gRPC, ``socket://127.0.0.1:22401`` for the raw
socket; ``grpcs://HOST:22400`` and ``sockets://HOST:22401`` with TLS; ``grpc+unix:/path`` and ``socket+unix:/path`` for
Unix domain sockets; ``nats://HOST:4222/MATCH`` for a match on NATS, ``natss://`` with TLS; ``match:NAME`` for a
daemon on this machine by the name of its match.
"""

from __future__ import annotations

import os
import socket
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

from abathur._program import directory

DEFAULT_GRPC_PORT = 22400
DEFAULT_SOCKET_PORT = 22401
DEFAULT_NATS_PORT = 4222
_MATCH_PREFIX = "match:"
_ENVIRONMENT = "ABATHUR_ADDRESS"
_TOKEN_ENVIRONMENT = "ABATHUR_TOKEN"
_CA_ENVIRONMENT = "ABATHUR_CA"
#: A daemon's token is not for the servers of NATS.
_NATS_TOKEN_ENVIRONMENT = "ABATHUR_NATS_TOKEN"
_NATS_PASSWORD_ENVIRONMENT = "ABATHUR_NATS_PASSWORD"
_NATS_CREDS_ENVIRONMENT = "ABATHUR_NATS_CREDS"

#: A file with certificates.
Ca = str | os.PathLike[str]


@dataclass(frozen=True)
class Address:
    """The address and the transport of a daemon, or of a match on NATS."""

    transport: Literal["grpc", "socket", "nats"]
    host: str = "127.0.0.1"
    port: int = 0
    path: str | None = None
    tls: bool = False
    #: The token for the daemon; None: none. Neither in `str` nor in `repr`.
    token: str | None = field(default=None, repr=False)
    #: File (PEM) with the trusted root certificates; None: those of the system.
    ca: str | None = None
    #: Of NATS: the servers as HOST:PORT, the first of which is `host` and `port` as well; the name of the match, if one
    #: is named; a user with a password; a file with credentials.
    servers: tuple[str, ...] = ()
    match: str = ""
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    creds: str | None = None

    def root_certificates(self) -> bytes | None:
        """The certificates in `ca`. Raises OSError if it cannot be read."""
        return None if self.ca is None else Path(self.ca).read_bytes()

    def ssl_context(self) -> ssl.SSLContext | None:
        """The TLS context; None: no TLS. Raises OSError if `ca` cannot be read or has no certificates."""
        return ssl.create_default_context(cafile=self.ca) if self.tls else None

    @property
    def place(self) -> str:
        """HOST:PORT, with an IPv6 address in brackets."""
        return join(self.host, self.port)

    def __str__(self) -> str:
        """The address in the form that `parse` reads."""
        if self.path is not None:
            return f"{self.transport}+unix:{self.path}"
        if self.transport == "nats":
            return f"nats{'s' if self.tls else ''}://{','.join(self.servers)}{'/' if self.match else ''}{self.match}"
        return f"{self.transport}{'s' if self.tls else ''}://{self.place}"


def join(host: str, port: int) -> str:
    """HOST:PORT, with an IPv6 address in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def parse(
    text: str | None, token: str | None = None, ca: Ca | None = None, creds: str | os.PathLike[str] | None = None
) -> Address:
    """Read an address; None: the one in ABATHUR_ADDRESS, or gRPC on the default port.

    Args:
        text: As above.
        token: Token for the daemon; None: ABATHUR_TOKEN, if set. For NATS: its token; None: ABATHUR_NATS_TOKEN.
        ca: File with the trusted root certificates; None: ABATHUR_CA, else those of the system.
        creds: For NATS: file with credentials; None: ABATHUR_NATS_CREDS, if set.

    Raises:
        TypeError: it is not a text.
        ValueError: it is not an address.
        AbathurError: no daemon on this machine publishes a match with this name.
    """
    if text is not None and not isinstance(text, str):
        raise TypeError(f'an address is a text, such as "127.0.0.1:{DEFAULT_GRPC_PORT}", not {text!r}')
    ca = os.fspath(ca) if ca is not None else os.environ.get(_CA_ENVIRONMENT) or None
    text = text or os.environ.get(_ENVIRONMENT) or f"127.0.0.1:{DEFAULT_GRPC_PORT}"
    if text.startswith(_MATCH_PREFIX):
        text = directory.find(text.removeprefix(_MATCH_PREFIX)).address
    if text.startswith(("nats://", "natss://")):
        return _nats(text, token, ca, creds)
    token = _secret(token or os.environ.get(_TOKEN_ENVIRONMENT))
    for transport in ("grpc", "socket"):
        if text.startswith(f"{transport}+unix:"):
            if not hasattr(socket, "AF_UNIX"):
                raise ValueError(f"{text!r}: Python has no Unix domain sockets on this system; use TCP")
            return Address(transport, path=text.removeprefix(f"{transport}+unix:"), token=token)
    scheme, separator, rest = text.partition("://")
    if not separator:
        scheme, rest = "grpc", text
    host, colon, port = rest.rpartition(":")
    if not colon or rest.endswith("]"):
        host, port = rest, str(DEFAULT_GRPC_PORT if scheme.startswith("grpc") else DEFAULT_SOCKET_PORT)
    tls = scheme in ("grpcs", "sockets")
    scheme = scheme.removesuffix("s") if tls else scheme
    if scheme not in ("grpc", "socket") or not host or not _is_port(port):
        raise ValueError(
            f"{text!r} is not an address: expected HOST:PORT, grpc://HOST:PORT, socket://HOST:PORT, "
            "grpcs:// and sockets:// with TLS, grpc+unix:PATH or socket+unix:PATH, nats://HOST:PORT/MATCH, match:NAME"
        )
    return Address(scheme, host.strip("[]"), int(port), tls=tls, token=token, ca=ca)  # type: ignore[arg-type]


def check_match(address: Address) -> None:
    """Raise ValueError if the address of NATS names no match."""
    if address.transport == "nats" and not address.match:
        raise ValueError(f"{address} names no match: {address}/MATCH; `abathur matches {address}` lists them")


def _nats(text: str, token: str | None, ca: str | None, creds: str | os.PathLike[str] | None) -> Address:
    """``nats://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]]...[/MATCH]``."""
    scheme, _, rest = text.partition("://")
    place, _, match = rest.partition("/")
    login, _, hosts = place.rpartition("@")
    user, _, password = login.partition(":")
    servers = tuple(_server(each) for each in hosts.split(","))
    if not all(servers) or not (match == "" or directory.is_name(match)):
        # Without the password.
        shown = f"{scheme}://{hosts}/{match}"
        raise ValueError(
            f"{shown!r} is not an address: expected nats://HOST:PORT/MATCH, several servers separated by commas; "
            "the name of a match has letters, digits, _ and -, at most 64"
        )
    host, _, port = servers[0].rpartition(":")
    return Address(
        "nats",
        host.strip("[]"),
        int(port),
        tls=scheme == "natss",
        token=_secret(token or os.environ.get(_NATS_TOKEN_ENVIRONMENT)),
        ca=ca,
        servers=servers,
        match=match,
        user=unquote(user) or None,
        password=unquote(password) or (os.environ.get(_NATS_PASSWORD_ENVIRONMENT) or None if user else None),
        creds=os.fspath(creds) if creds is not None else os.environ.get(_NATS_CREDS_ENVIRONMENT) or None,
    )


def _server(text: str) -> str:
    """HOST:PORT; empty if it is not one."""
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        host, port = text, str(DEFAULT_NATS_PORT)
    return f"{host}:{port}" if host and _is_port(port) else ""


def _secret(text: str | None) -> str | None:
    """A token that may have been read from a file, with the end of its line."""
    return (text or "").strip() or None


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdecimal() and int(text) <= 65535

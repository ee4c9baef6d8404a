"""Channels of grpcio to a daemon."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable
from typing import Any

import grpc
import grpc.aio

from abathur._program.address import Address
from abathur._transport import messages
from abathur.errors import AbathurError, LostError

#: Path of the service of the daemon.
SERVICE = "/abathur.sync.v1.GameSync/"
OPTIONS: list[tuple[str, Any]] = [
    ("grpc.max_receive_message_length", messages.MAX_MESSAGE_BYTES),
    # Without these two, grpcio reads megabytes of stale frames before a paused reader causes backpressure.
    ("grpc.http2.lookahead_bytes", 192 * 1024),
    ("grpc.http2.bdp_probe", 0),
    ("grpc.enable_http_proxy", 0),
    # `frames` has its own backoff; with grpcio's, an agent that starts before the daemon would wait for a second.
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 1000),
    # HTTP servers refuse the path of a Unix socket as the authority.
    ("grpc.default_authority", "localhost"),
]
# With TLS the authority is the name in the certificate.
_TLS_OPTIONS = [option for option in OPTIONS if option[0] != "grpc.default_authority"]
Metadata = tuple[tuple[str, str], ...]


def channel(address: Address) -> grpc.Channel:
    """A channel to a daemon, for threads. Raises LostError if the certificates cannot be read."""
    if not address.tls:
        return grpc.insecure_channel(target(address), options=OPTIONS)
    return grpc.secure_channel(target(address), credentials(address), options=_TLS_OPTIONS)


def async_channel(address: Address) -> grpc.aio.Channel:
    """The same for asyncio."""
    if not address.tls:
        return grpc.aio.insecure_channel(target(address), options=OPTIONS)
    return grpc.aio.secure_channel(target(address), credentials(address), options=_TLS_OPTIONS)


class OwnProcess:
    """The process in which a channel is made. Where it is forked, its copy has no threads, and shares its sockets."""

    def __init__(self, address: Address) -> None:
        """This process."""
        self._address = address
        self._process = os.getpid()

    @property
    def is_this(self) -> bool:
        """Whether it is still the same."""
        return os.getpid() == self._process

    def check(self) -> None:
        """Raise AbathurError if it is another one."""
        if not self.is_this:
            raise AbathurError(
                f"process {os.getpid()} was forked from process {self._process}, which made the connection to "
                f"{self._address}: gRPC does not work there. Start processes with 'spawn', or connect in each over socket://"
            )


def metadata(address: Address) -> Metadata:
    """The metadata of each call."""
    return () if address.token is None else (("authorization", f"Bearer {address.token}"),)


def credentials(address: Address) -> grpc.ChannelCredentials:
    """What a channel with TLS trusts. Raises LostError if the certificates cannot be read."""
    try:
        return grpc.ssl_channel_credentials(address.root_certificates())
    except OSError as error:
        raise LostError(str(error)) from None


def target(address: Address) -> str:
    """An address in the form of grpcio."""
    return f"unix:{address.path}" if address.path else address.place


def tell(loop: asyncio.AbstractEventLoop, do: Callable[..., None], *arguments: Any) -> None:
    """Call a function in an event loop, from one of grpcio's threads."""
    with contextlib.suppress(RuntimeError):  # the loop is closed
        loop.call_soon_threadsafe(do, *arguments)

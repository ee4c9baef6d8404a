"""Opens connections to the socket of a daemon: TCP, TLS, and Unix domain."""

from __future__ import annotations

import asyncio
import socket

from abathur._program.address import Address
from abathur._transport.receive import AsyncReceiver
from abathur._transport.timeouts import Timeouts
from abathur.errors import LostError

_BUFFER_BYTES = 256 * 1024
#: A request that a daemon answers at once, even while it waits for a match.
_PROBE = b"{}\n"


async def open_async(address: Address) -> tuple[asyncio.Transport, AsyncReceiver]:
    """A connection for asyncio: TCP, with TLS if the address has it, or Unix domain. Raises OSError."""
    loop = asyncio.get_running_loop()
    if address.path is not None:
        return await loop.create_unix_connection(AsyncReceiver, address.path)
    return await loop.create_connection(AsyncReceiver, address.host, address.port, ssl=address.ssl_context())


def open_socket(address: Address, timeout: float | None = None) -> socket.socket:
    """A connected blocking socket: TCP, with TLS if the address has it, or Unix domain.

    Raises:
        OSError: nothing answers within `timeout` seconds, or the server's certificate is not trusted.
    """
    if address.path is None:
        connection = socket.create_connection((address.host, address.port), timeout)
        try:
            context = address.ssl_context()
            return connection if context is None else context.wrap_socket(connection, server_hostname=address.host)
        except BaseException:
            connection.close()
            raise
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(timeout)
        connection.connect(address.path)
    except BaseException:
        connection.close()
        raise
    return connection


def keep_fresh(connection: socket.socket) -> None:
    """Limit the system's receive buffer: by default it holds megabytes of stale frames for a paused reader."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)


def connected(address: Address, timeouts: Timeouts) -> socket.socket:
    """A connected blocking socket. Raises LostError if nothing answers in time."""
    try:
        return open_socket(address, timeouts.connect)
    except TimeoutError:
        raise LostError(no_connection(timeouts)) from None
    except OSError as error:
        raise LostError(str(error)) from None


def probe(address: Address, timeouts: Timeouts) -> None:
    """Check whether a daemon that has sent nothing yet is alive: it may be waiting for its match.

    Raises:
        LostError: it does not answer on a separate connection, either.
    """
    try:
        with open_socket(address, timeouts.connect) as connection:
            connection.settimeout(timeouts.connect)
            connection.sendall(_PROBE)
            if connection.recv(1):
                return
    except OSError:
        pass
    raise LostError(no_first_line(timeouts))


def no_connection(timeouts: Timeouts) -> str:
    """What is wrong where nothing accepts the connection."""
    return f"no connection within {timeouts.connect:g} s (connect_timeout)"


def no_first_line(timeouts: Timeouts) -> str:
    """What is wrong where something accepts it and does not answer."""
    return f"the daemon accepted the connection but did not answer within {timeouts.connect:g} s (connect_timeout)"

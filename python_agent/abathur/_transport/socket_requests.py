"""Requests on a connection of the daemon's socket without a subscription."""

from __future__ import annotations

import time

from abathur._frame.timing import monotonic_ns
from abathur._program.address import Address
from abathur._transport import messages
from abathur._transport.reading import MatchStart, Reading
from abathur._transport.receive import BlockingReceiver
from abathur._transport.socket_open import connected
from abathur._transport.socket_session import ended
from abathur._transport.timeouts import Timeouts, no_answer
from abathur.errors import LostError, ProtocolError, RequestError
from abathur.sync.v1 import sync_pb2


def ask(address: Address, timeouts: Timeouts, message: sync_pb2.ClientMessage) -> sync_pb2.Result:
    """The answer to a request, on a connection without a subscription.

    Raises:
        LostError: the daemon does not answer, or shuts down.
        RequestError: it refuses the request; DEADLINE_EXCEEDED: it did not answer in time.
    """
    message.id = 1
    message.token = address.token or ""
    line = _first_answer(address, timeouts, message)
    event = messages.event_from_line(line, monotonic_ns(), Reading())
    if isinstance(event, sync_pb2.End):
        raise LostError(ended(event))
    if not isinstance(event, tuple):
        raise ProtocolError(f"expected the answer to a request, got {line[:80]!r}")
    if isinstance(event[1], RequestError):
        raise event[1]
    return event[1]


def _first_answer(address: Address, timeouts: Timeouts, message: sync_pb2.ClientMessage) -> bytes:
    """The line that answers the only message on a connection. Raises as `ask` does."""
    with connected(address, timeouts) as connection:
        connection.settimeout(timeouts.request)
        try:
            connection.sendall(messages.to_line(message))
            return BlockingReceiver(connection).message(time.monotonic() + timeouts.request)
        except TimeoutError:
            raise no_answer(timeouts) from None
        except OSError as error:
            raise LostError(str(error)) from None


def match_of(current: MatchStart | None, run_id: str, address: Address, timeouts: Timeouts) -> sync_pb2.Match | None:
    """A match: the one that is read, or another, which a connection of its own is told.

    Raises:
        LostError: the daemon does not answer, or shuts down.
        RequestError: NOT_FOUND: it does not know the match; DEADLINE_EXCEEDED: it did not answer in time.
    """
    if not run_id or (current is not None and current.run_id == run_id):
        return None if current is None else current.match
    request = sync_pb2.SubscribeRequest(run_id=run_id)
    message = sync_pb2.ClientMessage(subscribe=request, token=address.token or "")
    return messages.first_match(_first_answer(address, timeouts, message), Reading(request=request)).match

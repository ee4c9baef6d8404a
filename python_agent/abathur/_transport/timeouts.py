"""How long to wait for a daemon."""

from __future__ import annotations

from dataclasses import dataclass

from abathur.errors import RequestError

CONNECT_TIMEOUT = 10.0
REQUEST_TIMEOUT = 30.0
#: How long `frames` tries to connect (again) before it raises an error, in seconds.
RECONNECT_TIMEOUT = 30.0


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Time limits of a connection, in seconds.

    Attributes:
        connect: For the connection, and again for the daemon's first message on it.
        request: For the answer to a request.
    """

    connect: float = CONNECT_TIMEOUT
    request: float = REQUEST_TIMEOUT

    def __post_init__(self) -> None:
        """Raise ValueError if one is not positive."""
        for name, value in (("connect_timeout", self.connect), ("request_timeout", self.request)):
            if not value > 0:
                raise ValueError(f"{name} is {value}; it must be greater than 0 s")


def no_answer(timeouts: Timeouts) -> RequestError:
    """The error of a request to a daemon that does not answer it."""
    return RequestError(
        "DEADLINE_EXCEEDED", f"the daemon did not answer within {timeouts.request:g} s (request_timeout)"
    )

"""The exceptions of this package.

AbathurError
├── ConnectError            nothing answers at the address
├── ConnectionLostError     the connection broke, and reconnecting did not help
├── RequestError            the daemon refused a request; ``code`` is a gRPC status name
│   ├── SourceLostError     ABORTED: the game, or the bot that publishes, disconnected during the match
│   ├── SlowConsumerError   RESOURCE_EXHAUSTED: a lossless subscriber was too slow
│   └── AckTimeoutError     DEADLINE_EXCEEDED: a lockstep subscriber did not acknowledge a frame in time
├── ProtocolError           the peer sent an invalid message
│   └── DecompressionError  a compressed frame is damaged, truncated, or larger than allowed
├── RecordingError          a recording is missing, damaged, or not one
└── DaemonError             the daemon was not found, or did not start
"""

from __future__ import annotations

import copyreg
import warnings
from typing import TYPE_CHECKING, Any

__all__ = [
    "AbathurError",
    "AckTimeoutError",
    "ConnectError",
    "ConnectionLostError",
    "DaemonError",
    "DecompressionError",
    "ProtocolError",
    "RecordingError",
    "RequestError",
    "SlowConsumerError",
    "SourceLostError",
]


class AbathurError(Exception):
    """Base of all errors of this package. They can be pickled, such as from a worker process to its parent."""

    def __reduce__(self) -> tuple[Any, ...]:
        """The text and the attributes: the arguments of `Exception` are not those of the derived classes."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class ConnectError(AbathurError):
    """Nothing answers at ``address``."""

    def __init__(self, address: str, reason: str, what: str | None = "daemon", hint: str = "") -> None:
        question = f". Is the {what} running?" if what else ""
        super().__init__(f"cannot connect to {address}: {reason}{question}{hint and ' ' + hint}")
        self.address = address


class ConnectionLostError(AbathurError):
    """The connection to ``address`` broke; ``attempts`` to reconnect failed."""

    def __init__(self, address: str, reason: str, attempts: int = 0) -> None:
        tried = f" after {attempts} attempts to reconnect" if attempts else ""
        super().__init__(f"lost the connection to {address}{tried}: {reason}")
        self.address = address
        self.attempts = attempts


class RequestError(AbathurError):
    """The daemon refused a request; ``code`` is the name of a gRPC status."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class SourceLostError(RequestError):
    """The game, or the bot that publishes, disconnected during the match."""


class SlowConsumerError(RequestError):
    """A lossless subscription has ended, because this subscriber was too slow."""


class AckTimeoutError(RequestError):
    """A lockstep subscription has ended, because this subscriber did not acknowledge a frame in time."""


class ProtocolError(AbathurError):
    """The peer sent an invalid message."""


class DecompressionError(ProtocolError):
    """A compressed payload is damaged, incomplete, larger than allowed, or depends on missing frames.

    Attributes:
        compression: ``gzip``, ``br``, ``zstd``, ``zstd-stream`` or ``br-stream``.
        reason: What is wrong.
        compressed_bytes: Size of the compressed payload.
        limit: Maximum bytes after decompression.
    """

    def __init__(self, compression: str, reason: str, compressed_bytes: int, limit: int) -> None:
        super().__init__(
            f"a {compression} payload of {compressed_bytes} bytes cannot be decompressed: {reason} "
            f"(at most {limit} bytes are accepted)"
        )
        self.compression = compression
        self.reason = reason
        self.compressed_bytes = compressed_bytes
        self.limit = limit


class RecordingError(AbathurError):
    """A recording is missing, damaged, or not a recording."""


class DaemonError(AbathurError):
    """The daemon was not found, or did not start.

    Attributes:
        exit_code: Its exit code; None if it was not started.
    """

    def __init__(self, reason: str, exit_code: int | None) -> None:
        ended = "" if exit_code is None else f" (exit code {exit_code})"
        super().__init__(f"the daemon did not start{ended}: {reason}")
        self.exit_code = exit_code


class LostError(AbathurError):
    """The connection broke, and may be made again. Used within the package; users get ConnectionLostError."""


class AbsentError(LostError):
    """There is no match with this name, or no relay that serves it. Used within the package."""


class StoppingError(LostError):
    """The daemon is shutting down: the stream is over. Used within the package."""


def request_error(code: str, message: str) -> RequestError:
    """The error for a gRPC status name."""
    kinds = {"ABORTED": SourceLostError, "RESOURCE_EXHAUSTED": SlowConsumerError, "DEADLINE_EXCEEDED": AckTimeoutError}
    return kinds.get(code, RequestError)(code, message)


#: Earlier names. The next version removes them.
_RENAMED = {"NoAnswerError": AckTimeoutError, "TooSlowError": SlowConsumerError}


def renamed(name: str) -> Any:
    """The class that had this name, with a DeprecationWarning. Raises AttributeError for any other name."""
    if name not in _RENAMED:
        raise AttributeError(f"module 'abathur' has no attribute {name!r}")
    warnings.warn(f"{name} is now called {_RENAMED[name].__name__}", DeprecationWarning, stacklevel=3)
    return _RENAMED[name]


# Type checkers only see the new names.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        return renamed(name)

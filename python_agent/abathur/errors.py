"""What can go wrong, as exceptions that carry the numbers.

AbathurError
├── ConnectError            nothing answers at the address
├── ConnectionLostError     the connection broke, and reconnecting did not help
├── RequestError            the daemon refused a request; ``code`` is a gRPC status name
│   ├── SourceLostError     ABORTED: the game, or the bot that publishes, is gone in the middle of the match
│   ├── TooSlowError        RESOURCE_EXHAUSTED: a lossless subscription could not be kept
│   └── NoAnswerError       DEADLINE_EXCEEDED: a lockstep agent did not answer in time
├── ProtocolError           the peer sent what is not the protocol
│   └── DecompressionError  a compressed frame is damaged, cut off, or larger than allowed
├── RecordingError          a recording is missing, damaged, or not one
└── DaemonError             the daemon is not there, or did not start
"""

from __future__ import annotations

__all__ = [
    "AbathurError",
    "ConnectError",
    "ConnectionLostError",
    "DaemonError",
    "DecompressionError",
    "NoAnswerError",
    "ProtocolError",
    "RecordingError",
    "RequestError",
    "SourceLostError",
    "TooSlowError",
]


class AbathurError(Exception):
    """Base of all errors of this package."""


class ConnectError(AbathurError):
    """Nothing answers at ``address``."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(f"cannot connect to {address}: {reason}. Is the daemon running?")
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
    """The game, or the bot that publishes, is gone in the middle of the match."""


class TooSlowError(RequestError):
    """A lossless subscription could not be kept, because this reader was too slow."""


class NoAnswerError(RequestError):
    """A lockstep subscription ended, because this agent did not answer in time."""


class ProtocolError(AbathurError):
    """The peer sent something that is not the protocol."""


class DecompressionError(ProtocolError):
    """A compressed payload is damaged, not whole, larger than allowed, or leans on frames that did not come.

    Attributes:
        compression: ``gzip``, ``br``, ``zstd``, ``zstd-stream`` or ``br-stream``.
        reason: What is wrong.
        compressed_bytes: Size of the payload as it came.
        limit: Bytes that it was allowed to decompress to.
    """

    def __init__(self, compression: str, reason: str, compressed_bytes: int, limit: int) -> None:
        super().__init__(
            f"a {compression} payload of {compressed_bytes} bytes cannot be decompressed: {reason} "
            f"(at most {limit} bytes are taken)"
        )
        self.compression = compression
        self.reason = reason
        self.compressed_bytes = compressed_bytes
        self.limit = limit


class RecordingError(AbathurError):
    """A recording is missing, damaged, or not a recording."""


class DaemonError(AbathurError):
    """The daemon is not there, or did not start.

    Attributes:
        exit_code: What it ended with; None where it was not started.
    """

    def __init__(self, reason: str, exit_code: int | None) -> None:
        ended = "" if exit_code is None else f" (exit code {exit_code})"
        super().__init__(f"the daemon did not start{ended}: {reason}")
        self.exit_code = exit_code


class LostError(AbathurError):
    """The connection broke, and may be made again. Used within the package; users see ConnectionLostError."""


class StoppingError(LostError):
    """The daemon has said that it shuts down: the stream is over. Used within the package."""


def request_error(code: str, message: str) -> RequestError:
    """The error for a gRPC status name."""
    kinds = {"ABORTED": SourceLostError, "RESOURCE_EXHAUSTED": TooSlowError, "DEADLINE_EXCEEDED": NoAnswerError}
    return kinds.get(code, RequestError)(code, message)

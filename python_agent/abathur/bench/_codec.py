"""What a codec is to the runner."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib import metadata
from typing import Any

from s2clientprotocol import sc2api_pb2

Sums = list[Any]
"""Sum of all integers (strings and bytes by their CRC-32), and sum of all floats: equal for equal content."""


class Codec(ABC):
    """One way to bring an observation to bytes and back.

    `encode`, `decode` and `touch` are timed; the rest is not. Encoders and decoders are reused where the library's
    documentation advises it.

    Attributes:
        package: Distribution that is measured; its version goes into the label.
        footnotes: How the library is used, one sentence each.
        cannot_carry: What is known beforehand to be left out.
        times_encode: Whether the row has an encoding of its own (others measure one more way to read the same bytes).
        touches: Whether the row reads every field.
    """

    package: str
    footnotes: tuple[str, ...] = ()
    cannot_carry: tuple[str, ...] = ()
    times_encode = True
    touches = True

    @property
    def label(self) -> str:
        """Library and version, for people."""
        return f"{self.package} {metadata.version(self.package)}"

    @abstractmethod
    def prepare(self, message: sc2api_pb2.ResponseObservation, plain: Callable[[], dict[str, Any]]) -> Any:
        """What a sender that uses this codec has in its hands.

        Args:
            message: The observation.
            plain: Gives the observation as dicts and lists, new ones with each call (see `_plain`).
        """

    @abstractmethod
    def encode(self, source: Any) -> bytes | bytearray | memoryview:
        """Encode what `prepare` gave."""

    @abstractmethod
    def decode(self, data: Any) -> Any:
        """Decode everything, into what a user of the library works with."""

    @abstractmethod
    def touch(self, decoded: Any) -> Sums:
        """Read each field of what `decode` gave through the library's own API."""

    @abstractmethod
    def to_message(self, decoded: Any) -> sc2api_pb2.ResponseObservation | None:
        """The decoded form as a message, for comparison; None where it is not the whole observation."""

    def problem(self, decoded: Any, message: sc2api_pb2.ResponseObservation) -> str | None:
        """For rows that are not the whole observation: what is wrong with what they read; None if nothing is."""
        return None

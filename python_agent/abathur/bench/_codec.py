"""The interface of codecs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib import metadata
from typing import Any

from s2clientprotocol import sc2api_pb2

Sums = list[Any]
"""Sum of all integers (strings and bytes by their CRC-32), and sum of all floats: equal for equal content."""


class Codec(ABC):
    """One way to encode and decode an observation.

    `encode`, `decode` and `touch` are timed; the rest is not. Encoders and decoders are reused where the library's
    documentation advises it.

    Attributes:
        package: Distribution that is measured; its version goes into the label.
        footnotes: How the library is used, one sentence each.
        cannot_carry: Content that is known to be omitted.
        times_encode: Whether the row times its encoding (others measure another way to read the same bytes).
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
        """The source object of a sender that uses this codec.

        Args:
            message: The observation.
            plain: Returns the observation as dicts and lists, new ones with each call (see `_plain`).
        """

    @abstractmethod
    def encode(self, source: Any) -> bytes | bytearray | memoryview:
        """Encode the result of `prepare`."""

    @abstractmethod
    def decode(self, data: Any) -> Any:
        """Decode everything, into the objects that a user of the library works with."""

    @abstractmethod
    def touch(self, decoded: Any) -> Sums:
        """Read each field of the result of `decode` with the library's own API."""

    @abstractmethod
    def to_message(self, decoded: Any) -> sc2api_pb2.ResponseObservation | None:
        """The decoded form as a message, for comparison; None if it is not the whole observation."""

    def problem(self, decoded: Any, message: sc2api_pb2.ResponseObservation) -> str | None:
        """For rows that are not the whole observation: what is wrong with the result; None if nothing is wrong."""
        return None

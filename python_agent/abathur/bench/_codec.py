"""The interface of codecs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
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
        is_stream: Whether encoded frames depend on those before: they are decoded in order, each once.
    """

    package: str = ""
    footnotes: tuple[str, ...] = ()
    cannot_carry: tuple[str, ...] = ()
    times_encode = True
    touches = True
    is_stream = False

    @property
    def label(self) -> str:
        """Library and version, for people."""
        return f"{self.package} {metadata.version(self.package)}"

    @property
    def keyframes(self) -> Sequence[int]:
        """Of a stream, after `open`: numbers of the frames that can be decoded without those before."""
        return ()

    def open(self, recording: Path, frames: int) -> None:  # noqa: B027 - only streams need it
        """Of a stream: encode the whole recording, which has this many frames."""

    def restart(self, number: int) -> None:  # noqa: B027 - only streams need it
        """Of a stream: begin at a keyframe. The next frame is this one of the recording."""

    @abstractmethod
    def prepare(self, message: sc2api_pb2.ResponseObservation, plain: Callable[[], dict[str, Any]]) -> Any:
        """The source object of a sender that uses this codec.

        Args:
            message: The observation.
            plain: Returns the observation as dicts and lists, new ones with each call (see `_plain`).
        """

    @abstractmethod
    def encode(self, source: Any) -> Any:
        """Encode the result of `prepare`, to what has the bytes."""

    def size(self, encoded: Any) -> int:
        """Bytes of the result of `encode`."""
        return len(encoded)

    @abstractmethod
    def decode(self, data: Any) -> Any:
        """Decode everything, into the objects that a user of the library works with."""

    @abstractmethod
    def touch(self, decoded: Any) -> Any:
        """Read each field of the result of `decode` with the library's own API.

        Returns:
            The sums of what was read, or what `sums` makes them of.
        """

    def sums(self, touched: Any) -> Sums:
        """The sums of the result of `touch`."""
        result: Sums = touched
        return result

    @abstractmethod
    def to_message(self, decoded: Any) -> sc2api_pb2.ResponseObservation | None:
        """The decoded form as a message, for comparison; None if it is not the whole observation."""

    def expected(self, message: sc2api_pb2.ResponseObservation) -> sc2api_pb2.ResponseObservation:
        """What has to come back for a message: the same, unless the codec orders it in another way."""
        return message

    def expected_sums(self, message: sc2api_pb2.ResponseObservation) -> Sums | None:
        """What `touch` has to return for a message; None: the sums of all its fields."""
        return None

    def problem(self, decoded: Any, message: sc2api_pb2.ResponseObservation) -> str | None:
        """For rows that are not the whole observation: what is wrong with the result; None if nothing is wrong."""
        return None

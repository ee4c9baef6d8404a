"""protobuf: the upb implementation, as installed by `pip install protobuf`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2clientprotocol.sc2api_pb2 import ResponseObservation

from abathur.bench._codec import Codec, Sums
from abathur.bench.schema import touch


class ProtobufCodec(Codec):
    """Rows `protobuf`: messages to bytes to messages."""

    package = "protobuf"
    footnotes: tuple[str, ...] = (
        "Generated classes on upb: SerializeToString, ResponseObservation.FromString.",
        "upb creates Python objects of fields only when they are read: the cost for an agent is decode and touch.",
    )

    def prepare(self, message: ResponseObservation, plain: Callable[[], dict[str, Any]]) -> Any:
        return message

    def encode(self, source: Any) -> bytes:
        encoded: bytes = source.SerializeToString()
        return encoded

    def decode(self, data: Any) -> Any:
        return ResponseObservation.FromString(data)

    def touch(self, decoded: Any) -> Sums:
        return touch.reader("message")(decoded)

    def to_message(self, decoded: Any) -> ResponseObservation | None:
        message: ResponseObservation = decoded
        return message


class ProtobufScan(ProtobufCodec):
    """Row `protobuf-scan`: one property of all units from the bytes."""

    footnotes: tuple[str, ...] = ("Parses the whole message, as protobuf must, and reads pos.x of every unit.",)
    cannot_carry: tuple[str, ...] = ("more than pos.x of every unit (by design): for readers of one property",)
    times_encode = False
    touches = False

    def decode(self, data: Any) -> list[float]:
        return [unit.pos.x for unit in ResponseObservation.FromString(data).observation.raw_data.units]

    def to_message(self, decoded: Any) -> None:
        return None

    def problem(self, decoded: Any, message: ResponseObservation) -> str | None:
        expected = [unit.pos.x for unit in message.observation.raw_data.units]
        return None if decoded == expected else "pos.x of the units differs after decoding"

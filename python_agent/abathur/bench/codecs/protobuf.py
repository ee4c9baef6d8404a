"""protobuf: the upb implementation, as installed by `pip install protobuf`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2clientprotocol.sc2api_pb2 import ResponseObservation

from abathur._frame.frame import Frame
from abathur._frame.source import BytesSource, MessageSource
from abathur.bench._codec import Codec, Sums
from abathur.bench.codecs._arrays import arrays_of, sums_of
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


class ProtobufArrays(ProtobufCodec):
    """Row `protobuf-arrays`: the units of a message as arrays, straight from its bytes."""

    package = "abathur-agent"
    footnotes: tuple[str, ...] = (
        "A frame of this package: touching it makes all 42 columns of the units, those of their orders, buffs and "
        "passengers, and the grids, NumPy arrays. The compiled decoder reads the units from the bytes; the message is "
        "parsed for the grids.",
    )
    times_encode = False

    def decode(self, data: Any) -> Frame:
        return Frame(BytesSource(data))

    def touch(self, decoded: Frame) -> Any:
        return arrays_of(decoded)

    def sums(self, touched: Any) -> Sums:
        return sums_of(touched)

    def expected_sums(self, message: ResponseObservation) -> Sums | None:
        return sums_of(arrays_of(Frame(MessageSource(message))))

    def to_message(self, decoded: Frame) -> ResponseObservation | None:
        return decoded.response

"""msgspec: typed structs, JSON and MessagePack."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from s2clientprotocol.sc2api_pb2 import ResponseObservation

from abathur.bench._codec import Codec, Sums
from abathur.bench._plain import from_plain
from abathur.bench.schema import structs, touch

_FOOTNOTE = (
    "Structs with omit_defaults (absent fields are omitted) and gc=False (they hold no cycles), one reused Encoder and"
    " one typed Decoder; names as in the .proto files. array_like=True would omit the names as well."
)


class _StructCodec(Codec):
    package = "msgspec"
    _encoder: Any
    _decoder: Any

    def prepare(self, message: ResponseObservation, plain: Callable[[], dict[str, Any]]) -> Any:
        return msgspec.convert(plain(), structs.ResponseObservation, builtin_types=(bytes,))

    def encode(self, source: Any) -> bytes:
        encoded: bytes = self._encoder.encode(source)
        return encoded

    def decode(self, data: Any) -> Any:
        return self._decoder.decode(data)

    def touch(self, decoded: Any) -> Sums:
        return touch.reader("struct")(decoded)

    def to_message(self, decoded: Any) -> ResponseObservation | None:
        return from_plain(msgspec.to_builtins(decoded, builtin_types=(bytes,)))


class MsgspecJsonCodec(_StructCodec):
    """Row `msgspec-json`."""

    footnotes: tuple[str, ...] = (_FOOTNOTE, "Bytes are base64, by msgspec itself.")

    def __init__(self) -> None:
        """One encoder and one decoder for all frames."""
        self._encoder = msgspec.json.Encoder()
        self._decoder = msgspec.json.Decoder(structs.ResponseObservation)


class MsgspecMsgpackCodec(_StructCodec):
    """Row `msgspec-msgpack`."""

    footnotes: tuple[str, ...] = (_FOOTNOTE, "Floats take 64 bits: msgspec writes no others.")

    def __init__(self) -> None:
        """One encoder and one decoder for all frames."""
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder = msgspec.msgpack.Decoder(structs.ResponseObservation)

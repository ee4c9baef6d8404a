"""Shared by codecs for dicts and lists."""

from __future__ import annotations

from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Callable
from typing import Any

from s2clientprotocol.sc2api_pb2 import ResponseObservation

from abathur.bench._codec import Codec, Sums
from abathur.bench._plain import from_plain
from abathur.bench.schema import bytes_fields, touch

JSON_FOOTNOTES = (
    "Keys are the names of the .proto files, enums and 64-bit integers are numbers, absent fields are omitted, floats"
    " are the shortest decimals of the float32.",
    "JSON has no bytes: they are written as base64 by the encoder's `default` hook, and decoded where the protocol has"
    " bytes; both are part of the times.",
)


class DictCodec(Codec):
    """Dicts to bytes to dicts."""

    def prepare(self, message: ResponseObservation, plain: Callable[[], dict[str, Any]]) -> Any:
        return plain()

    def touch(self, decoded: Any) -> Sums:
        return touch.reader("dict")(decoded)

    def to_message(self, decoded: Any) -> ResponseObservation | None:
        return from_plain(decoded)


def base64_text(value: object) -> str:
    """The `default` hook of JSON encoders: bytes as base64."""
    if isinstance(value, bytes):
        return b64encode(value).decode("ascii")
    raise TypeError(f"{type(value).__name__} is not JSON")


def decode_bytes(plain: dict[str, Any]) -> dict[str, Any]:
    """Convert base64 to bytes, in place, for bytes fields of the protocol."""
    bytes_fields.decoder()(plain, a2b_base64)
    return plain

"""The codecs by name."""

from __future__ import annotations

from importlib import import_module

from abathur.bench._codec import Codec
from abathur.errors import AbathurError

NAMES: dict[str, tuple[str, str]] = {
    "protobuf": ("protobuf", "ProtobufCodec"),
    "protobuf-scan": ("protobuf", "ProtobufScan"),
    "protojson-google": ("google_json", "GoogleJsonCodec"),
    "protojson-google-indented": ("google_json", "GoogleJsonIndentedCodec"),
    "json": ("stdlib_json", "StdlibJsonCodec"),
    "orjson": ("orjson_dicts", "OrjsonCodec"),
    "msgspec-json": ("msgspec_structs", "MsgspecJsonCodec"),
    "msgspec-msgpack": ("msgspec_structs", "MsgspecMsgpackCodec"),
    "msgpack": ("msgpack_dicts", "MsgpackCodec"),
    "cbor2": ("cbor_dicts", "Cbor2Codec"),
    "fastavro": ("avro", "FastavroCodec"),
    "flatbuffers": ("flat", "FlatbuffersCodec"),
    "flatbuffers-read": ("flat", "FlatbuffersRead"),
    "flatbuffers-scan": ("flat", "FlatbuffersScan"),
}
"""Names without compression: module of `codecs` and class in it."""

COMPRESSIONS = ("gzip", "br", "zstd")
"""Compressions that may follow a name after a plus sign."""


class CodecUnavailableError(AbathurError):
    """A codec needs a package that is not installed."""


def create(name: str) -> Codec:
    """Create the codec with a name such as ``cbor2`` or ``cbor2+zstd``.

    Raises:
        ValueError: the name is unknown; the message lists the known ones.
        CodecUnavailableError: the package for it is not installed.
    """
    plain, plus, compression = name.partition("+")
    if plain not in NAMES or (plus and compression not in COMPRESSIONS):
        suffixes = ", +".join(COMPRESSIONS)
        raise ValueError(f"there is no codec {name!r}; there are {', '.join(NAMES)}, each also with +{suffixes}")
    module, kind = NAMES[plain]
    try:
        codec: Codec = getattr(import_module(f"abathur.bench.codecs.{module}"), kind)()
        if plus:
            from abathur.bench.codecs.compressed import CompressedCodec

            return CompressedCodec(codec, compression)
        return codec
    except ModuleNotFoundError as error:
        raise CodecUnavailableError(f"codec {name} needs the {error.name} package: pip install {error.name}") from None

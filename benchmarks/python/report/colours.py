"""One colour for each format, in every chart: the classes `f-NAME` of the style sheet."""

from __future__ import annotations

#: A format by the start of the names of its codecs; the first that matches.
_FORMATS = (
    ("columns", "columns"),
    ("zstd-stream", "stream"), ("br-stream", "stream"),
    ("protojson", "json"), ("json", "json"), ("orjson", "json"), ("msgspec-json", "json"), ("jackson", "json"),
    ("system-text-json", "json"), ("newtonsoft", "json"), ("servicestack", "json"), ("encoding-json", "json"),
    ("proto", "protobuf"), ("pbf", "protobuf"), ("projection", "protobuf"), ("gogo", "protobuf"),
    ("vtprotobuf", "protobuf"),
    ("msgpack", "messagepack"), ("messagepack", "messagepack"), ("msgspec-msgpack", "messagepack"),
    ("cbor", "cbor"),
    ("avsc", "avro"), ("fastavro", "avro"),
    ("flatbuffers", "flatbuffers"), ("capnp", "flatbuffers"), ("bebop", "flatbuffers"),
)  # fmt: skip


def style(codec: str) -> str:
    """The CSS class of a codec: that of its format; dashed where it is compressed."""
    compressed = "+" in codec or codec in ("br-stream",)
    return f"f-{format_of(codec)}{' again' if compressed else ''}"


def format_of(codec: str) -> str:
    """The format of a codec: protobuf, json, columns, ..."""
    return next((name for start, name in _FORMATS if codec.startswith(start)), "other")

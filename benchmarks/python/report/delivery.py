"""What a frame of the daemon costs on its way to a reader: encoding in the daemon, the link, decoding in a language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from report.break_even import Cost
from report.results import Codec, Run

_SUFFIXES = ("+gzip", "+br", "+zstd")
#: What the daemon can send, by the name of the C# row that encodes it.
ENCODINGS = (
    *(f"{name}{each}" for name in ("protobuf", "protojson", "columns") for each in ("", *_SUFFIXES)),
    "zstd-stream", "br-stream", "columns+zstd-stream", "columns+br-stream",
)  # fmt: skip
#: Lines of charts that compare encodings: one for each family, and its smallest form in a default install.
CHARTED = ("protojson", "protobuf", "protobuf+zstd", "zstd-stream", "columns", "columns+zstd-stream")
#: Codecs that decode protobuf and JSON in a language, the fastest that is measured is taken.
_DECODERS = {
    "csharp": {"protobuf": ("protobuf",), "protojson": ("protojson",)},
    "python": {"protobuf": ("protobuf",), "protojson": ("orjson", "json")},
    "browser": {"protobuf": ("protobufjs", "pbf", "protobuf-es"), "protojson": ("json-bytes",)},
    "firefox": {"protobuf": ("protobufjs", "pbf", "protobuf-es"), "protojson": ("json-bytes",)},
    "jvm": {"protobuf": ("protobuf",), "protojson": ("protojson",)},
    "go": {"protobuf": ("protobuf", "vtprotobuf", "gogo"), "protojson": ("protojson",)},
}


def shown(encoding: str) -> str:
    """The name of an encoding for people."""
    return "JSON" if encoding == "protojson" else encoding


@dataclass(frozen=True)
class Way:
    """One encoding of the daemon, read in a language.

    Attributes:
        encoding: What the daemon sends.
        encode_ns: The daemon's time for a frame of which it has the protobuf bytes; protobuf is these bytes: 0.
        ready_ns: The reader's time until every field is read, or all columns are arrays.
        bytes: Mean size of a frame.
        decoder: The codec that reads it.
    """

    encoding: str
    encode_ns: float
    ready_ns: float
    bytes: float
    decoder: str

    @property
    def cost(self) -> Cost:
        """For links."""
        return Cost(self.encoding, (self.encode_ns + self.ready_ns) / 1e9, self.bytes)


def ways(daemon: Run, reader: Run) -> list[Way]:
    """Every encoding that both runs measured, of the same recording.

    Args:
        daemon: The run in C#, which encodes with the daemon's own code.
        reader: The run in the language of the reader.
    """
    found = []
    for encoding in ENCODINGS:
        sent = daemon.codecs.get(encoding)
        read = _decoder(reader, encoding)
        encode = None if sent is None else _encode_ns(daemon, sent)
        if sent is None or sent.error or read is None or encode is None or not sent.mean_bytes:
            continue
        ready = read.ready_ns()
        if ready is not None:
            found.append(Way(encoding, encode, ready, sent.mean_bytes, read.name))
    return found


def _encode_ns(daemon: Run, codec: Codec) -> float | None:
    """Time of encoding from protobuf bytes: the row `protobuf` and its compressed forms start from messages."""
    encode = codec.times.get("encode")
    if encode is None:
        return None
    if codec.base != "protobuf":
        return encode.trimmed_mean
    plain = daemon.codecs["protobuf"].times["encode"].trimmed_mean
    return max(0.0, encode.trimmed_mean - plain) if codec.compression else 0.0


def _decoder(reader: Run, encoding: str) -> Codec | None:
    base, plus, compression = encoding.partition("+")
    names: Sequence[str] = _DECODERS.get(reader.language, {}).get(base, (base,))
    found = [reader.codecs.get(f"{name}{plus}{compression}") for name in names]
    timed = [each for each in found if each is not None and not each.error and each.ready_ns() is not None]
    return min(timed, key=lambda each: each.ready_ns() or 0.0, default=None)

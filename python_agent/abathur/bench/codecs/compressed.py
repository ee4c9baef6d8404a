"""One-shot compression of the frames of another codec."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from importlib import metadata
from typing import Any

from s2clientprotocol.sc2api_pb2 import ResponseObservation

from abathur.bench._codec import Codec, Sums

# The daemon's default levels.
_GZIP_LEVEL = 4
_GZIP_WINDOW = 31  # 32 KiB, with gzip's header
_BROTLI_QUALITY = 5
_ZSTD_LEVEL = 3
MAX_PLAIN_BYTES = 64 << 20


class CompressedCodec(Codec):
    """A codec with `+gzip`, `+br` or `+zstd`."""

    def __init__(self, codec: Codec, compression: str) -> None:
        """Wrap a codec.

        Args:
            codec: The codec of the plain bytes.
            compression: gzip, br or zstd.
        """
        self._codec = codec
        compressor, self._compress, self._decompress = _COMPRESSIONS[compression]()
        self._name = compressor
        self.package: str = codec.package
        self.footnotes: tuple[str, ...] = (*codec.footnotes, f"Each frame is compressed independently: {compressor}.")
        self.cannot_carry: tuple[str, ...] = codec.cannot_carry
        self.times_encode: bool = codec.times_encode
        self.touches: bool = codec.touches

    @property
    def label(self) -> str:
        return f"{self._codec.label}, {self._name}"

    def prepare(self, message: ResponseObservation, plain: Callable[[], dict[str, Any]]) -> Any:
        return self._codec.prepare(message, plain)

    def encode(self, source: Any) -> bytes:
        return self._compress(self._codec.encode(source))

    def decode(self, data: Any) -> Any:
        return self._codec.decode(self._decompress(data))

    def touch(self, decoded: Any) -> Any:
        return self._codec.touch(decoded)

    def sums(self, touched: Any) -> Sums:
        return self._codec.sums(touched)

    def expected_sums(self, message: ResponseObservation) -> Sums | None:
        return self._codec.expected_sums(message)

    def to_message(self, decoded: Any) -> ResponseObservation | None:
        return self._codec.to_message(decoded)

    def problem(self, decoded: Any, message: ResponseObservation) -> str | None:
        return self._codec.problem(decoded, message)


_Functions = tuple[str, Callable[[Any], bytes], Callable[[Any], bytes]]


def _gzip() -> _Functions:
    def compress(data: Any) -> bytes:
        return zlib.compress(data, _GZIP_LEVEL, _GZIP_WINDOW)

    def decompress(data: Any) -> bytes:
        return zlib.decompress(data, _GZIP_WINDOW)

    return f"gzip level {_GZIP_LEVEL} (zlib {zlib.ZLIB_RUNTIME_VERSION})", compress, decompress


def _brotli() -> _Functions:
    import brotli

    def compress(data: Any) -> bytes:
        encoded: bytes = brotli.compress(bytes(data), quality=_BROTLI_QUALITY)
        return encoded

    decompress: Callable[[Any], bytes] = brotli.decompress
    return f"brotli {metadata.version('brotli')} quality {_BROTLI_QUALITY}", compress, decompress


def _zstd() -> _Functions:
    import zstandard

    decompressor = zstandard.ZstdDecompressor()
    name = f"zstandard {metadata.version('zstandard')} level {_ZSTD_LEVEL}, contexts reused"
    compress: Callable[[Any], bytes] = zstandard.ZstdCompressor(level=_ZSTD_LEVEL).compress

    def decompress(data: Any) -> bytes:
        plain: bytes = decompressor.decompress(data, max_output_size=MAX_PLAIN_BYTES)
        return plain

    return name, compress, decompress


_COMPRESSIONS: dict[str, Callable[[], _Functions]] = {"gzip": _gzip, "br": _brotli, "zstd": _zstd}

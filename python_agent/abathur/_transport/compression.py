"""Decompresses independent payloads, with a limit on the declared and the actual size."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping

from abathur.errors import AbathurError, DecompressionError
from abathur.sync.v1 import sync_pb2

#: Default limit of a payload in bytes after decompression. A frame late in a match has 0.2 MB, as JSON 0.5 MB.
DEFAULT_LIMIT = 64 * 1024 * 1024
_GZIP = 16 + zlib.MAX_WBITS
_GZIP_TRAILER_BYTES = 8
#: Small, because every 4 bytes may decompress to a zstd block of 128 KiB before the size is checked.
_SLICE_BYTES = 64
_MIN_WINDOW_BYTES = 1024 * 1024


def require(compression: int) -> None:
    """Make sure that the package for a compression is installed. Only brotli is an extra.

    Raises:
        AbathurError: it is not; the message names the extra to install.
    """
    if compression not in (sync_pb2.br, sync_pb2.br_stream):
        return
    try:
        import brotli

        is_missing = not hasattr(brotli.Decompressor, "can_accept_more_data")
    except ImportError:
        is_missing = True
    if is_missing:
        raise AbathurError(f'compression {name_of(compression)} needs brotli 1.2 or newer: pip install "brotli>=1.2"')


def name_of(compression: int) -> str:
    """The name of a compression in the options of agents: ``gzip``, ``zstd-stream``, ..."""
    return str(sync_pb2.Compression.Name(compression)).replace("_", "-")


def decompress(compression: int, data: bytes, limit: int = DEFAULT_LIMIT) -> bytes:
    """Decompress one payload.

    Args:
        compression: A value of `sync_pb2.Compression`: ``gzip``, ``br`` or ``zstd``.
        data: The complete compressed payload, without further data.
        limit: Maximum bytes after decompression; little more than that is ever held.

    Raises:
        DecompressionError: the data is damaged, truncated, followed by other data, larger than `limit`, or has an
            unknown compression.
    """
    reader = _READERS.get(compression)
    if reader is None:
        raise DecompressionError(f"number {compression}", "unknown compression", len(data), limit)
    return reader(data, limit)


def _gunzip(data: bytes, limit: int) -> bytes:
    refuse = Refusal("gzip", data, limit)
    if len(data) >= _GZIP_TRAILER_BYTES:
        # Only a hint (the size of the last member, modulo 2**32), but it detects most decompression bombs early.
        refuse.if_declared(int.from_bytes(data[-4:], "little"))
    decompressor = zlib.decompressobj(_GZIP)
    try:
        plain = decompressor.decompress(data, limit + 1)
    except zlib.error as error:
        raise refuse.because(str(error)) from None
    refuse.if_larger(len(plain))
    if not decompressor.eof:
        raise refuse.because("it is truncated") from None
    if decompressor.unused_data:
        raise refuse.because(f"{len(decompressor.unused_data)} bytes follow its end") from None
    return plain


def _unbrotli(data: bytes, limit: int) -> bytes:
    import brotli

    refuse = Refusal("br", data, limit)
    decompressor = brotli.Decompressor()
    parts: list[bytes] = []
    size = 0
    rest = data
    try:
        while True:
            # The limit of one call is not exact: brotli fills whole buffers.
            parts.append(decompressor.process(rest, output_buffer_limit=limit + 1 - size))
            rest = b""
            size += len(parts[-1])
            refuse.if_larger(size)
            if decompressor.is_finished() or decompressor.can_accept_more_data():
                break
    except brotli.error as error:
        raise refuse.because(str(error)) from None
    if not decompressor.is_finished():
        raise refuse.because("it is truncated") from None
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _unzstd(data: bytes, limit: int) -> bytes:
    import zstandard

    refuse = Refusal("zstd", data, limit)
    try:
        declared = zstandard.frame_content_size(data)
        decompressor = zstandard.ZstdDecompressor(max_window_size=max(2 * limit, _MIN_WINDOW_BYTES))
        # That call would read nothing of a frame that declares 0 bytes.
        if declared > 0:
            refuse.if_declared(declared)
            # Into a buffer of the declared size: a frame with another size is an error.
            return _checked_zstd(decompressor.decompress(data, allow_extra_data=False), declared, refuse)
        stream = decompressor.decompressobj()
        parts: list[bytes] = []
        size = 0
        for start in range(0, len(data), _SLICE_BYTES):
            parts.append(stream.decompress(data[start : start + _SLICE_BYTES]))
            size += len(parts[-1])
            refuse.if_larger(size)
            if stream.eof:
                extra = len(data) - start - _SLICE_BYTES + len(stream.unused_data)
                if extra > 0 or stream.unused_data:
                    raise refuse.because("other data follows its end") from None
                return b"".join(parts)
    except zstandard.ZstdError as error:
        raise refuse.because(str(error)) from None
    raise refuse.because("it is truncated") from None


def _checked_zstd(plain: bytes, declared: int, refuse: Refusal) -> bytes:
    if len(plain) != declared:
        raise refuse.because(f"it declares {declared} bytes but has {len(plain)}") from None
    return plain


class Refusal:
    """Creates the errors of one payload."""

    def __init__(self, compression: str, data: bytes, limit: int) -> None:
        self._compression = compression
        self._size = len(data)
        self._limit = limit

    def because(self, reason: str) -> DecompressionError:
        return DecompressionError(self._compression, reason, self._size, self._limit)

    def if_declared(self, size: int) -> None:
        if size > self._limit:
            raise self.because(f"it declares {size} bytes") from None

    def if_larger(self, size: int) -> None:
        if size > self._limit:
            raise self.because("it is larger than the limit") from None


_READERS: Mapping[int, Callable[[bytes, int], bytes]] = {
    sync_pb2.gzip: _gunzip,
    sync_pb2.br: _unbrotli,
    sync_pb2.zstd: _unzstd,
}

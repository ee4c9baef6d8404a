"""Payloads compressed each for itself to plain bytes, within a limit on what is declared and what comes out."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping

from abathur.errors import AbathurError, DecompressionError
from abathur.sync.v1 import sync_pb2

#: Largest payload that is taken by default, in bytes after decompression. A late frame has 0.2 MB, as JSON 0.5 MB.
DEFAULT_LIMIT = 64 * 1024 * 1024
_GZIP = 16 + zlib.MAX_WBITS
_GZIP_TRAILER_BYTES = 8
#: So few that what they give at most (a zstd block of 128 KiB for every 4 bytes) is soon counted.
_SLICE_BYTES = 64
_MIN_WINDOW_BYTES = 1024 * 1024


def require(compression: int) -> None:
    """Make sure that what reads a compression is installed.

    Raises:
        AbathurError: it is not; the message names the extra that brings it.
    """
    try:
        if compression in (sync_pb2.zstd, sync_pb2.zstd_stream):
            import zstandard  # noqa: F401
        if compression in (sync_pb2.br, sync_pb2.br_stream):
            import brotli

            if not hasattr(brotli.Decompressor, "can_accept_more_data"):
                name = name_of(compression)
                raise AbathurError(
                    f"compression {name} needs brotli 1.2 or newer: pip install abathur-agent[compression]"
                )
    except ImportError as error:
        raise AbathurError(
            f"compression {name_of(compression)} needs the {error.name} package: pip install abathur-agent[compression]"
        ) from None


def name_of(compression: int) -> str:
    """The name of a compression as agents write it: ``gzip``, ``zstd-stream``, ..."""
    return str(sync_pb2.Compression.Name(compression)).replace("_", "-")


def decompress(compression: int, data: bytes, limit: int = DEFAULT_LIMIT) -> bytes:
    """One payload, decompressed whole.

    Args:
        compression: A value of `sync_pb2.Compression`: ``gzip``, ``br`` or ``zstd``.
        data: The compressed payload, all of it and nothing after it.
        limit: Bytes that it may decompress to; little more than that is ever held.

    Raises:
        DecompressionError: the data is damaged, cut off, followed by other data, larger than `limit`, or compressed
            in another way.
    """
    reader = _READERS.get(compression)
    if reader is None:
        raise DecompressionError(f"number {compression}", "no such compression is known here", len(data), limit)
    return reader(data, limit)


def _gunzip(data: bytes, limit: int) -> bytes:
    refuse = Refusal("gzip", data, limit)
    if len(data) >= _GZIP_TRAILER_BYTES:
        # Only a hint (the size modulo 2**32, and of the last member), but an honest bomb tells.
        refuse.if_declared(int.from_bytes(data[-4:], "little"))
    decompressor = zlib.decompressobj(_GZIP)
    try:
        plain = decompressor.decompress(data, limit + 1)
    except zlib.error as error:
        raise refuse.because(str(error)) from None
    refuse.if_larger(len(plain))
    if not decompressor.eof:
        raise refuse.because("it is cut off") from None
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
            # The limit of one call is soft: it gives what fits into the buffers that it takes one by one.
            parts.append(decompressor.process(rest, output_buffer_limit=limit + 1 - size))
            rest = b""
            size += len(parts[-1])
            refuse.if_larger(size)
            if decompressor.is_finished() or decompressor.can_accept_more_data():
                break
    except brotli.error as error:
        raise refuse.because(str(error)) from None
    if not decompressor.is_finished():
        raise refuse.because("it is cut off") from None
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _unzstd(data: bytes, limit: int) -> bytes:
    import zstandard

    refuse = Refusal("zstd", data, limit)
    try:
        declared = zstandard.frame_content_size(data)
        decompressor = zstandard.ZstdDecompressor(max_window_size=max(2 * limit, _MIN_WINDOW_BYTES))
        # Of a frame that declares 0 bytes, that call reads nothing at all.
        if declared > 0:
            refuse.if_declared(declared)
            # Into a buffer of just that size: a frame that holds more or less than it declares is an error.
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
    raise refuse.because("it is cut off") from None


def _checked_zstd(plain: bytes, declared: int, refuse: Refusal) -> bytes:
    if len(plain) != declared:
        raise refuse.because(f"it declares {declared} bytes and holds {len(plain)}") from None
    return plain


class Refusal:
    """The errors of one payload."""

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
            raise self.because("it holds more") from None


_READERS: Mapping[int, Callable[[bytes, int], bytes]] = {
    sync_pb2.gzip: _gunzip,
    sync_pb2.br: _unbrotli,
    sync_pb2.zstd: _unzstd,
}

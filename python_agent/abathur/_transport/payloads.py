"""Reads the payloads of one subscription in order, because stream compressions use the history."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from abathur._transport import compression, zstd_stream
from abathur._transport.compression import DEFAULT_LIMIT, Refusal
from abathur.columns import Columns, ColumnsDecoder
from abathur.errors import ProtocolError
from abathur.sync.v1 import sync_pb2

#: Maximum number of payloads of dropped frames in a message (docs/protocol.md).
MAX_EARLIER = 31


class _Stream(Protocol):
    """A stream since its keyframe."""

    def feed(self, data: bytes, limit: int, refuse: Refusal) -> bytes:
        """Decompress the next data to at most `limit` bytes; `refuse` creates the errors."""


class PayloadReader:
    """Reads the payloads of one subscription. Every message must be given to it, in order."""

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        """Start before the first frame.

        Args:
            limit: Maximum bytes of a payload after decompression; little more than that is ever held. The payloads of
                dropped frames may have as many together, and at least 64 MiB.
        """
        self._limit = limit
        self._stream: _Stream | None = None
        self._columns = ColumnsDecoder()

    def read(self, message: sync_pb2.Frame) -> bytes:
        """The payload of a frame, decompressed.

        Raises:
            DecompressionError: it is damaged, incomplete, followed by other data, larger than the limit, has an unknown
                compression, or depends on missing frames.
        """
        # The earlier payloads only advance the stream: one payload at a time is held.
        for payload in self.read_all(message):
            own = payload
        return own

    def read_all(self, message: sync_pb2.Frame) -> Iterator[bytes]:
        """The payloads in the message of a frame, oldest first, its own last. Raises as `read` does.

        The earlier ones belong to dropped frames; encodings with delta frames need them. Read all of them before
        the next message.
        """
        if len(message.earlier) > MAX_EARLIER:
            raise ProtocolError(
                f"frame {message.sequence} has the payloads of {len(message.earlier)} earlier frames; "
                f"at most {MAX_EARLIER} are allowed"
            )
        if message.compression == sync_pb2.none:
            yield from message.earlier
            yield message.data
            return
        start = _STREAMS.get(message.compression)
        if start is None:
            yield compression.decompress(message.compression, message.data, self._limit)
            return
        name = compression.name_of(message.compression)
        stream, self._stream = self._stream, None
        if message.keyframe:
            stream = start()
        if stream is None:
            refuse = Refusal(name, message.data, self._limit)
            raise refuse.because("it depends on previous frames, but no keyframe was received") from None
        left = max(self._limit, DEFAULT_LIMIT)
        for data in message.earlier:
            allowed = min(left, self._limit)
            payload = stream.feed(data, allowed, Refusal(name, data, allowed))
            left -= len(payload)
            yield payload
        own = self._own(stream, message, Refusal(name, message.data, self._limit))
        # After an error the stream is unusable: later payloads depend on this one.
        self._stream = stream
        yield own

    def read_columns(self, message: sync_pb2.Frame) -> Columns:
        """The observation of a frame in encoding `columns`.

        Raises:
            DecompressionError: as `read`.
            ProtocolError: the payload is not columns, or depends on missing frames.
        """
        for payload in self.read_all(message):
            columns = self._columns.decode(payload)
        return columns

    def _own(self, stream: _Stream, message: sync_pb2.Frame, refuse: Refusal) -> bytes:
        declared = message.plain_bytes
        refuse.if_declared(declared)
        plain = stream.feed(message.data, declared, refuse)
        if len(plain) != declared:
            raise refuse.because(f"it has {len(plain)} of {declared} declared bytes: it is incomplete")
        return plain


class _BrotliStream:
    def __init__(self) -> None:
        import brotli

        self._error = brotli.error
        self._stream = brotli.Decompressor()

    def feed(self, data: bytes, limit: int, refuse: Refusal) -> bytes:
        parts: list[bytes] = []
        size = 0
        rest = data
        try:
            # brotli may request more input although there is more output, so the loop ends only at empty output.
            while part := self._stream.process(rest, output_buffer_limit=limit + 1 - size):
                rest = b""
                parts.append(part)
                size += len(part)
                if size > limit:
                    raise refuse.because(f"it has more than {limit} bytes")
            if self._stream.is_finished():
                raise refuse.because("its stream has ended, although further frames follow")
        except self._error as error:
            raise refuse.because(str(error)) from None
        return parts[0] if len(parts) == 1 else b"".join(parts)


_STREAMS: Mapping[int, Callable[[], _Stream]] = {
    sync_pb2.zstd_stream: zstd_stream.new,
    sync_pb2.br_stream: _BrotliStream,
}

"""MCAP files within the limits of the daemon: the public `mcap` package, which parses their records, has none.

It is imported where a file is opened: agents do not need it, and `import abathur` should be quick.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, BinaryIO, Protocol

import zstandard
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Channel, Chunk, ChunkIndex, Footer, Message, Metadata, MetadataIndex, Schema, Statistics
from mcap.stream_reader import read_magic

from abathur._recording.checksum import crc32
from abathur._recording.damage import UnsupportedFileError
from abathur._recording.positioned_file import PositionedFile

#: Largest record, as it is stored.
MAX_RECORD_BYTES = 1024 * 1024 * 1024
#: Largest chunk after decompression.
MAX_CHUNK_BYTES = 256 * 1024 * 1024
#: Bytes of all chunks after decompression that are read to index a file without an index.
MAX_SCANNED_BYTES = 16 * 1024 * 1024 * 1024
_MAX_WINDOW_BYTES = 128 * 1024 * 1024
#: Of a chunk that does not declare its size, what is decompressed before the size is checked.
_BLOCK_BYTES = 1024 * 1024
#: More do not fit into a file.
_MAX_MESSAGES = 2**60
_MAGIC_BYTES = 8
#: Opcode, and length of the content.
_HEAD = struct.Struct("<BQ")
#: Channel, sequence number, log time, publish time.
_MESSAGE = struct.Struct("<HIQQ")
_FOOTER_BYTES = _HEAD.size + 20
_CRC_BYTES = 4


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


@dataclass(slots=True)
class Contents:
    """What a file has.

    Attributes:
        schemas: By their ids.
        channels: By their ids.
        chunks: Where the chunks are, in the order of the file.
        metadata: Where the metadata records are.
        message_counts: Number of messages by channel.
        end: Where the chunks and messages end.
    """

    schemas: dict[int, Schema] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    chunks: list[ChunkIndex] = field(default_factory=list)
    metadata: list[int] = field(default_factory=list)
    message_counts: dict[int, int] = field(default_factory=dict)
    end: int = 0

    def add(self, opcode: int, content: bytes | memoryview) -> None:
        """Add a schema or a channel; other records change nothing."""
        if opcode == Opcode.SCHEMA:
            schema = Schema.read(_fields(content))
            self.schemas[schema.id] = schema
        elif opcode == Opcode.CHANNEL:
            channel = Channel.read(_fields(content))
            self.channels[channel.id] = channel


class McapFile:
    """An MCAP file that is read at any number of places at once, in the order of the file, as the daemon reads it.

    Its methods raise McapError, ZstdError, ValueError or struct.error where it is damaged.

    Attributes:
        contents: From its summary; where that is missing, or lacks what it counts, from the whole file.
    """

    def __init__(self, file: PositionedFile) -> None:
        """Read what an open file has."""
        self._file = file
        stream = file.stream()
        size = file.size()
        check_magic(stream)
        footer_at = size - _FOOTER_BYTES - _MAGIC_BYTES
        stream.seek(max(footer_at, 0))
        opcode, content = next(records(stream, size))
        check_magic(stream)
        if footer_at < _MAGIC_BYTES or opcode != Opcode.FOOTER:
            raise McapError("its end is missing")
        footer = Footer.read(_fields(content))
        self.contents = _summary(stream, footer, footer_at) or _scan(stream, footer_at)

    def messages(self, topics: Collection[str], after: int) -> Iterator[tuple[str, Message]]:
        """Topics and messages that were logged at a time, in nanoseconds since 1970, or after it."""
        stream = self._file.stream()
        wanted = {channel.id: channel.topic for channel in self.contents.channels.values() if channel.topic in topics}
        for opcode, content in self._blocks(stream, wanted, after):
            for kind, record in unpacked(opcode, content):
                if kind == Opcode.MESSAGE:
                    channel, _, log_time, _ = _MESSAGE.unpack_from(record)
                    if channel in wanted and log_time >= after:
                        yield wanted[channel], message_of(record)

    def _blocks(self, stream: BinaryIO, wanted: dict[int, str], after: int) -> Iterator[tuple[int, bytes]]:
        """The chunks that may have some of the messages; of a file without chunks, its records."""
        contents = self.contents
        if not contents.chunks:
            stream.seek(_MAGIC_BYTES)
            yield from records(stream, contents.end - _MAGIC_BYTES)
            return
        for chunk in contents.chunks:
            listed = chunk.message_index_offsets
            if chunk.message_end_time >= after and (not listed or wanted.keys() & listed.keys()):
                yield self._record(stream, chunk.chunk_start_offset, Opcode.CHUNK)

    def metadata(self, name: str) -> dict[str, str]:
        """The first metadata record with a name; empty if the file has none."""
        stream = self._file.stream()
        for offset in self.contents.metadata:
            found = metadata_of(self._record(stream, offset, Opcode.METADATA)[1])
            if found.name == name:
                return found.metadata
        return {}

    def listed_times(self, channels: Collection[int]) -> Iterator[int]:
        """The log times of messages, in the order of the file, as they are listed behind the chunks.

        There are fewer than messages if some are not listed.
        """
        stream = self._file.stream()
        for chunk in self.contents.chunks:
            listed: list[tuple[int, int]] = []
            for channel in channels & chunk.message_index_offsets.keys():
                content = self._record(stream, chunk.message_index_offsets[channel], Opcode.MESSAGE_INDEX)[1]
                listed += ((place, time) for time, place in struct.iter_unpack("<QQ", content[6:]))
            yield from (time for _, time in sorted(listed))

    def _record(self, stream: BinaryIO, offset: int, wanted: Opcode) -> tuple[int, bytes]:
        """A record that an index names."""
        stream.seek(offset)
        opcode, content = next(records(stream, self._file.size() - offset), (0, b""))
        if opcode != wanted:
            raise McapError(f"the index is wrong: there is no {wanted.name} record at offset {offset}")
        return opcode, content


def check_magic(file: _Readable) -> None:
    """Read the first bytes of a file, or its last ones. Raises McapError if it is not an MCAP file."""
    read_magic(ReadDataStream(file))  # type: ignore[arg-type]


def records(file: _Readable, size: int | None = None) -> Iterator[tuple[int, bytes]]:
    """Opcodes and contents of records, up to the footer or the end of a section.

    Args:
        file: Read from where it is.
        size: Bytes of the section that begins there; None: it ends with the footer.

    Raises:
        McapError: a record is larger than the section, or than `MAX_RECORD_BYTES`; nothing of it was read.
    """
    left = size
    opcode = 0
    while opcode != Opcode.FOOTER and (left is None or left > 0):
        head = file.read(_HEAD.size)
        if len(head) < _HEAD.size:
            raise McapError("it ends inside a record")
        opcode, length = _HEAD.unpack(head)
        if length > MAX_RECORD_BYTES:
            raise McapError(f"a record has {length} bytes, more than the limit of {MAX_RECORD_BYTES}")
        if left is not None:
            left -= _HEAD.size + length
            if left < 0:
                raise McapError(f"a record of {length} bytes goes beyond the end of its section")
        content = file.read(length)
        if len(content) < length:
            raise McapError("it ends inside a record")
        yield opcode, content


def unpacked(opcode: int, content: bytes) -> Iterator[tuple[int, bytes | memoryview]]:
    """Opcodes and contents of the records in a chunk, as views of it; of another record, itself.

    Raises:
        McapError: it is damaged, or larger than `MAX_CHUNK_BYTES`.
        UnsupportedFileError: its compression is not supported.
        ZstdError: its data is damaged.
    """
    if opcode != Opcode.CHUNK:
        yield opcode, content
        return
    plain = memoryview(_plain(Chunk.read(_fields(content))))
    at = 0
    while at < len(plain):
        if len(plain) - at < _HEAD.size:
            raise McapError("a chunk ends inside a record")
        opcode, length = _HEAD.unpack_from(plain, at)
        at += _HEAD.size
        if opcode == 0:
            raise McapError("a chunk has a record with opcode 0, which is invalid")
        if length > len(plain) - at:
            raise McapError("a chunk ends inside a record")
        yield opcode, plain[at : at + length]
        at += length


def message_of(content: bytes | memoryview) -> Message:
    """A message, with a copy of its data."""
    channel, sequence, log_time, publish_time = _MESSAGE.unpack_from(content)
    return Message(channel, log_time, bytes(content[_MESSAGE.size :]), publish_time, sequence)


def metadata_of(content: bytes) -> Metadata:
    """A metadata record."""
    record: Metadata = Metadata.read(_fields(content))
    return record


def _plain(chunk: Chunk) -> bytes:
    """The records of a chunk, decompressed and checked."""
    size = chunk.uncompressed_size
    if size > MAX_CHUNK_BYTES:
        raise McapError(f"a chunk says it has {size} bytes, more than the limit of {MAX_CHUNK_BYTES}")
    if chunk.compression == "zstd":
        plain = _unzstd(chunk.data, size)
    elif chunk.compression == "":
        plain = chunk.data
    else:
        raise UnsupportedFileError(
            f"chunks are compressed with {chunk.compression!r}, which is not supported: rewrite the file with zstd or "
            "without compression, e.g. by `mcap compress` or `mcap decompress`"
        )
    if len(plain) != size:
        raise McapError(f"a chunk says it has {size} bytes, but it has {len(plain)}")
    if chunk.uncompressed_crc and crc32(plain) != chunk.uncompressed_crc:
        raise McapError("the CRC of a chunk does not match its records")
    return plain


def _unzstd(data: bytes, size: int) -> bytes:
    """Decompress, but at most one byte more than there should be."""
    declared = zstandard.frame_content_size(data)
    if declared > size:
        raise McapError(f"a chunk says it has {size} bytes, its zstd frame {declared}")
    decompressor = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW_BYTES)
    if 0 < declared == size:
        return decompressor.decompress(data, allow_extra_data=False)
    reader = decompressor.stream_reader(data, read_across_frames=True)
    plain = bytearray()
    while len(plain) <= size and (block := reader.read(min(_BLOCK_BYTES, size + 1 - len(plain)))):
        plain += block
    return bytes(plain)


def _summary(stream: BinaryIO, footer: Footer, footer_at: int) -> Contents | None:
    """The contents as the summary has them; None if it is missing, damaged, or lacks something."""
    start = footer.summary_start
    if not _MAGIC_BYTES <= start <= footer_at or footer_at - start > MAX_RECORD_BYTES:
        return None
    stream.seek(start)
    covered = stream.read(footer_at - start + _FOOTER_BYTES - _CRC_BYTES)
    if footer.summary_crc and crc32(covered) != footer.summary_crc:
        return None
    contents = Contents(end=start)
    statistics = None
    try:
        for opcode, content in records(BytesIO(covered), footer_at - start):
            contents.add(opcode, content)
            if opcode == Opcode.STATISTICS:
                statistics = Statistics.read(_fields(content))
            elif opcode == Opcode.CHUNK_INDEX:
                contents.chunks.append(ChunkIndex.read(_fields(content)))
            elif opcode == Opcode.METADATA_INDEX:
                contents.metadata.append(MetadataIndex.read(_fields(content)).offset)
    except (McapError, ValueError, struct.error):
        return None
    if statistics is None or not _is_complete(contents, statistics):
        return None
    contents.message_counts = statistics.channel_message_counts
    contents.chunks.sort(key=lambda chunk: chunk.chunk_start_offset)
    return contents


def _is_complete(contents: Contents, statistics: Statistics) -> bool:
    return (
        statistics.channel_count == len(contents.channels)
        and statistics.schema_count == len(contents.schemas)
        and statistics.chunk_count == len(contents.chunks)
        and statistics.metadata_count == len(contents.metadata)
        and statistics.message_count < _MAX_MESSAGES
        and sum(statistics.channel_message_counts.values()) == statistics.message_count
        and (statistics.chunk_count > 0 or statistics.message_count == 0)
        and all(0 < chunk.chunk_start_offset < contents.end for chunk in contents.chunks)
    )


def _scan(stream: BinaryIO, footer_at: int) -> Contents:
    """The contents of a file whose summary does not tell them."""
    contents = Contents(end=footer_at)
    scanned = 0
    at = _MAGIC_BYTES
    stream.seek(at)
    for opcode, content in records(stream, footer_at - at):
        if scanned > MAX_SCANNED_BYTES:
            raise McapError(f"it has no index, and more than {MAX_SCANNED_BYTES} bytes after decompression")
        if opcode == Opcode.DATA_END:
            contents.end = at
            break
        if opcode == Opcode.CHUNK:
            chunk = _indexed(at, content)
            contents.chunks.append(chunk)
            scanned += chunk.uncompressed_size
        else:
            scanned += len(content)
            if opcode == Opcode.METADATA:
                contents.metadata.append(at)
        for kind, record in unpacked(opcode, content):
            if kind == Opcode.MESSAGE:
                channel = _MESSAGE.unpack_from(record)[0]
                contents.message_counts[channel] = contents.message_counts.get(channel, 0) + 1
            else:
                contents.add(kind, record)
        at += _HEAD.size + len(content)
    return contents


def _indexed(offset: int, content: bytes) -> ChunkIndex:
    """The index of a chunk that has none."""
    start, end, size = struct.unpack_from("<QQQ", content)
    return ChunkIndex(
        chunk_length=_HEAD.size + len(content),
        chunk_start_offset=offset,
        compression="",
        compressed_size=len(content),
        message_end_time=end,
        message_index_length=0,
        message_index_offsets={},
        message_start_time=start,
        uncompressed_size=size,
    )


def _fields(content: bytes | memoryview) -> Any:
    """The content of a record, for the `mcap` package to parse."""
    return ReadDataStream(_Content(content))


class _Content(BytesIO):
    """Bytes of which each read has as many as it asks for: the `mcap` package does not look."""

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        if size is not None and len(data) < size:
            raise McapError("a field goes beyond the end of its record")
        return data

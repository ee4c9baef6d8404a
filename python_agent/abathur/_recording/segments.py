"""Segments of a compact recording, whose decoding is bounded: a few bytes can be a frame of megabytes."""

from __future__ import annotations

from google.protobuf.message import DecodeError

from abathur.columns import Columns
from abathur.errors import ProtocolError
from abathur.sync.v1 import sync_pb2

#: The limits of the daemon. Frames count as the bytes of their tables, which are about those of the observation.
MAX_SEGMENT_BYTES = 1024 * 1024 * 1024
#: At least this much a frame.
_FRAME_BYTES = 1024
MAX_SEGMENT_FRAMES = MAX_SEGMENT_BYTES // _FRAME_BYTES
#: For the frames from one place of a file on: twice the above, and this much for each byte of the file. A match in
#: which nothing happens has some 3,000.
_BYTES_FOR_EACH_OF_THE_FILE = 10_000
#: Of a frame, besides its payload: tags, a length, and the steps of its game loop and its time.
_MAX_OTHER_BYTES_PER_FRAME = 32
#: About the bytes of a cell in an observation.
_CELL_BYTES = 2
_PAYLOAD = sync_pb2.ColumnsSegment.PAYLOADS_FIELD_NUMBER << 3 | 2
_VARINT, _FIXED_64, _LENGTH, _FIXED_32 = 0, 1, 2, 5


class DecodingBudget:
    """How much may be decoded from one place of a file on."""

    def __init__(self, file_bytes: int | None) -> None:
        """Of a file with so many bytes; None: it is still being written, so that only its segments are bounded."""
        self._file_bytes = file_bytes
        self._segment = self._all = 0

    def begin_segment(self) -> None:
        """A segment begins."""
        self._segment = 0

    def take(self, columns: Columns) -> None:
        """A frame was decoded. Raises ProtocolError if the frames take too much."""
        size = max(_FRAME_BYTES, _CELL_BYTES * columns.units.cells.size)
        self._segment += size
        self._all += size
        self._check("the frames of a segment", self._segment, MAX_SEGMENT_BYTES)
        if self._file_bytes is not None:
            limit = 2 * MAX_SEGMENT_BYTES + _BYTES_FOR_EACH_OF_THE_FILE * self._file_bytes
            self._check(f"the frames of its {self._file_bytes} bytes", self._all, limit)

    def _check(self, what: str, size: int, limit: int) -> None:
        if size > limit:
            raise ProtocolError(
                f"{what} take more than {limit} bytes after decoding, which no recording of a match does"
            )


def parse_segment(data: bytes) -> sync_pb2.ColumnsSegment:
    """The data of a message with a segment.

    Raises:
        ProtocolError: it is not a segment, or has more frames than it may have.
    """
    try:
        _check_frames(data)
        frames = sync_pb2.ColumnsSegment.FromString(data)
    except (DecodeError, IndexError) as error:
        raise ProtocolError(f"a segment cannot be read: {error}") from None
    if not len(frames.payloads) == len(frames.game_loop_steps) == len(frames.log_time_steps):
        raise ProtocolError("a segment cannot be read: its fields do not have the same number of elements")
    return frames


def _check_frames(data: bytes) -> None:
    """Refuse more frames, or longer lists, than a segment may have, before memory is allocated for them."""
    frames = payload_bytes = at = 0
    while at < len(data):
        start = at
        tag, at = _uint(data, at)
        kind = tag & 7
        if kind == _LENGTH:
            length, at = _uint(data, at)
            at += length
        elif kind == _VARINT:
            _, at = _uint(data, at)
        elif kind in (_FIXED_64, _FIXED_32):
            at += 8 if kind == _FIXED_64 else 4
        else:
            raise ProtocolError(f"a segment cannot be read: it has a field of kind {kind}")
        if tag == _PAYLOAD:
            frames += 1
            payload_bytes += at - start
            if frames > MAX_SEGMENT_FRAMES:
                raise ProtocolError(f"a segment has more than {MAX_SEGMENT_FRAMES} frames")
        elif start - payload_bytes > (MAX_SEGMENT_FRAMES + 1) * _MAX_OTHER_BYTES_PER_FRAME:
            break
    if len(data) - payload_bytes > (frames + 1) * _MAX_OTHER_BYTES_PER_FRAME:
        raise ProtocolError("a segment cannot be read: its lists are longer than its frames")


def _uint(data: bytes, at: int) -> tuple[int, int]:
    """A varint, and where it ends. Raises IndexError at the end of the data."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ProtocolError("a segment cannot be read: a number in it has more than ten bytes")

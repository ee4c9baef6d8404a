"""Numbers as protobuf's varints, and those in the head of a frame."""

from __future__ import annotations

from abathur.sync.v1 import sync_pb2

_SEQUENCE = sync_pb2.Frame.SEQUENCE_FIELD_NUMBER
_PUBLISHED = sync_pb2.Frame.PUBLISHED_MONOTONIC_NS_FIELD_NUMBER
#: What a ServerMessage with a frame begins with.
FRAME_TAG = sync_pb2.ServerMessage.FRAME_FIELD_NUMBER << 3 | 2


def varint(value: int) -> bytes:
    """The bytes of a number."""
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def read_varint(data: bytes | bytearray, position: int) -> tuple[int, int]:
    """The number at a position, and the position behind it."""
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, position


def stamps(data: bytes | bytearray, *, server_message: bool) -> tuple[int, int] | None:
    """Sequence of a serialized Frame, and when it was published in ns, without parsing the rest; None: it has none.

    A subscription to a match that has no frame yet begins with a message without one.

    Args:
        data: The frame, or at least its first 160 bytes: the numbers are behind two lengths and the id of the match.
        server_message: Whether it is in a ServerMessage.
    """
    position = read_varint(data, 1)[1] if server_message else 0
    sequence = 0
    while position < len(data):
        tag, position = read_varint(data, position)
        value, position = read_varint(data, position)
        if tag >> 3 == _SEQUENCE:
            sequence = value
        elif tag >> 3 == _PUBLISHED:
            return sequence, value
        if tag & 7 == 2:
            position += value
    return None

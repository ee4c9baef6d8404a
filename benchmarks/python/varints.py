"""Numbers as protobuf's varints."""

from __future__ import annotations


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

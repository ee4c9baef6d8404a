"""Numbers as protobuf writes them."""

from __future__ import annotations

_MASK_64 = (1 << 64) - 1


def varint(value: int) -> bytes:
    """A number as a varint; a negative one as the 64 bits of its two's complement."""
    value &= _MASK_64
    if value < 0x80:
        return bytes((value,))
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)

"""The CRC-32 of recordings."""

from __future__ import annotations

import ctypes
import zlib

from abathur._values import native

_fold = native.function("checksum_fold", ctypes.c_char_p, ctypes.c_int64, ctypes.c_char_p)
#: A state of zeros, as zlib writes it.
_ZEROS = 0xFFFFFFFF
#: For less, zlib takes less time than a call.
_WORTH_IT = 4096


def crc32(data: bytes) -> int:
    """The CRC-32 of bytes, in a fraction of zlib's time where there is the compiled library."""
    if _fold is None or len(data) < _WORTH_IT:
        return zlib.crc32(data)
    folded = ctypes.create_string_buffer(16)
    done: int = _fold(data, len(data), folded)
    if done < 0:
        return zlib.crc32(data)
    return zlib.crc32(data[done:], zlib.crc32(folded.raw, _ZEROS))

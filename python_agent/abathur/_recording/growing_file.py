"""A file that another process is writing, as a stream that waits for what is not written yet."""

from __future__ import annotations

import os
import struct
import sys
import time
from pathlib import Path
from typing import BinaryIO

from abathur.errors import RecordingError

#: Seconds between two looks at the end of the file. A chunk is written every few seconds.
_POLL = 0.05
_BLOCK_BYTES = 4 * 1024 * 1024
#: `struct flock` of 64-bit Linux: type, whence, start, length, process.
_FLOCK = struct.Struct("@hhqqi4x")
_WRITE_LOCK, _UNLOCKED = 1, 2


class GrowingFile:
    """Reads bytes in order, and waits at the end of the file while a writer has it open."""

    def __init__(self, path: Path) -> None:
        """Open it so that its writer can rename it meanwhile."""
        self._path = path
        self._file = _open(path)

    def read(self, size: int) -> bytes:
        """Exactly `size` bytes.

        Raises:
            RecordingError: the writer has ended before it wrote them.
        """
        data = bytearray()
        while len(data) < size:
            is_written = _is_written(self._file, self._path)
            # After that: the writer may have written its last bytes before it ended. In blocks, because a size may be
            # a lie.
            more = self._file.read(min(size - len(data), _BLOCK_BYTES))
            data += more
            if not more and not is_written:
                raise RecordingError(
                    f"{self._path}: its writer ended without finishing it; `abathur recover` makes a recording of its "
                    "complete part"
                )
            if not more:
                time.sleep(_POLL)
        return bytes(data)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


if sys.platform == "win32":

    def _open_shared(path: Path) -> BinaryIO:
        """With permission to rename it, which Python's own `open` does not give."""
        import ctypes
        import msvcrt
        from ctypes import wintypes

        generic_read, share_all, open_existing = 0x80000000, 7, 3
        create = ctypes.WinDLL("kernel32", use_last_error=True).CreateFileW
        create.restype = wintypes.HANDLE
        handle = create(str(path), generic_read, share_all, None, open_existing, 0, None)
        if handle == wintypes.HANDLE(-1).value:
            raise ctypes.WinError(ctypes.get_last_error())
        return os.fdopen(msvcrt.open_osfhandle(handle, os.O_RDONLY | os.O_BINARY), "rb")


def _is_written(file: BinaryIO, path: Path) -> bool:
    """Whether a daemon has the file open for writing. On systems without such locks: true."""
    if sys.platform == "linux":
        import fcntl

        asked = _FLOCK.pack(_WRITE_LOCK, os.SEEK_SET, 0, 0, 0)
        kind: int = _FLOCK.unpack(fcntl.fcntl(file, fcntl.F_OFD_GETLK, asked))[0]
        return kind != _UNLOCKED
    if sys.platform == "win32":
        try:
            with path.open("r+b"):
                return False
        except FileNotFoundError:
            return False
        except PermissionError:
            return True
    return True


def _open(path: Path) -> BinaryIO:
    try:
        if sys.platform == "win32":
            return _open_shared(path)
        return path.open("rb")
    except OSError as error:
        raise RecordingError(f"cannot open {path}: {error.strerror}") from None

"""A file that is read at any number of places at once."""

from __future__ import annotations

import io
import os
import threading
import weakref
from pathlib import Path
from typing import Any, BinaryIO, cast

from abathur.errors import RecordingError

#: Bytes that are read ahead: most reads are of a few bytes, or of megabytes.
_BUFFER_BYTES = 64 * 1024


class PositionedFile:
    """An open file for readers in threads, and in processes that are forked: none moves the position of another."""

    def __init__(self, path: Path) -> None:
        """Open it.

        Raises:
            RecordingError: it cannot be opened.
        """
        self._path = path
        try:
            self._file = path.open("rb", buffering=0)
        except OSError as error:
            raise RecordingError(f"cannot open {path}: {error.strerror}") from None
        # A copy that a worker process has unpickled has no `with` block.
        self._close = weakref.finalize(self, self._file.close)
        # Where the system cannot read at a position. Such systems do not fork.
        self._lock = threading.Lock()

    @property
    def closed(self) -> bool:
        """Whether it is closed."""
        return not self._close.alive

    def close(self) -> None:
        """Close it, for all readers."""
        self._close()

    def check_open(self) -> None:
        """Raise RecordingError if it is closed."""
        if self.closed:
            raise RecordingError(f"{self._path} is closed: read it inside `with abathur.open(...)`")

    def size(self) -> int:
        """Its size in bytes, now."""
        self.check_open()
        return os.fstat(self._file.fileno()).st_size

    def read_into(self, buffer: memoryview, position: int) -> int:
        """Read bytes at a position, at most as many as fit; returns how many: 0 at the end of the file."""
        self.check_open()
        if hasattr(os, "pread"):
            data = os.pread(self._file.fileno(), len(buffer), position)
            buffer[: len(data)] = data
            return len(data)
        with self._lock:
            self._file.seek(position)
            return self._file.readinto(buffer) or 0

    def stream(self) -> BinaryIO:
        """The file as a stream with a position of its own. It need not be closed."""
        return cast(BinaryIO, io.BufferedReader(_Stream(self), _BUFFER_BYTES))


class _Stream(io.RawIOBase):
    def __init__(self, file: PositionedFile) -> None:
        self._file = file
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._file.read_into(memoryview(buffer), self._position)
        self._position += count
        return count

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._position}.get(whence)
        self._position = max(0, offset + (self._file.size() if start is None else start))
        return self._position

    def tell(self) -> int:
        return self._position

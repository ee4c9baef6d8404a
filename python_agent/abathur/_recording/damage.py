"""The errors of damaged recordings."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from google.protobuf.message import DecodeError

from abathur.errors import ProtocolError, RecordingError


class UnsupportedFileError(Exception):
    """A file has something that cannot be read, though it is valid. Used within the package."""


@contextmanager
def as_recording_error(path: Path, advice: str = "") -> Iterator[None]:
    """Raise RecordingError in place of what the readers of files, of compressed data and of messages raise.

    Args:
        path: The file.
        advice: What the error says in place of "is damaged: REASON"; ``{}`` is the reason.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, RecordingError) or not isinstance(error, _kinds()):
            raise
        reason = str(error) or type(error).__name__
        if isinstance(error, UnsupportedFileError):
            raise RecordingError(f"{path}: {reason}") from None
        raise RecordingError(f"{path} {advice.format(reason) if advice else f'is damaged: {reason}'}") from None


@cache
def _kinds() -> tuple[type[Exception], ...]:
    # Not needed by agents, and `import abathur` should be quick.
    from mcap.exceptions import McapError
    from zstandard import ZstdError

    # The last ones are of offsets and sizes that no writer wrote.
    return (
        *(McapError, ZstdError, DecodeError, ProtocolError, UnsupportedFileError, EOFError, ValueError, OSError),
        *(struct.error, LookupError, MemoryError, OverflowError, RuntimeError),
    )

"""Streams of zstd whose output is bounded, in one call where the daemon's libzstd is here, else in slices."""

from __future__ import annotations

import ctypes
import platform
import sys
import weakref
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from abathur._transport.compression import Refusal

#: Largest window that a daemon may use.
MAX_WINDOW_BYTES: Final = 8 * 1024 * 1024
#: zstd data decompresses to at most 32 KiB per byte (a block of 128 KiB from 4 bytes), which is the possible excess.
_MIN_SLICE_BYTES = 64
_MAX_SLICE_BYTES = 1024
#: Of the output, if its size is not known. More is added as it is needed.
_MOST_AT_ONCE = 256 * 1024
_WINDOW_LOG_MAX = 100
_ENDED = "its stream has ended, although further frames follow"

_PACKAGE = Path(__file__).resolve().parents[1]
_SYSTEM = {"linux": "linux", "win32": "win", "darwin": "osx"}.get(sys.platform, sys.platform)
_MACHINE = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(platform.machine().lower(), platform.machine())
_NAME = "libzstd" + {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
_BUILD = _PACKAGE.parents[1] / "artifacts" / "bin" / "Abathur.Sync" / "release"
#: Of a platform wheel, and of the Release build of a clone.
_PLACES = (_PACKAGE / "_daemon" / _NAME, _BUILD / "runtimes" / f"{_SYSTEM}-{_MACHINE}" / "native" / _NAME)


class _Input(ctypes.Structure):
    """`ZSTD_inBuffer`."""

    _fields_ = (("bytes", ctypes.c_char_p), ("size", ctypes.c_size_t), ("position", ctypes.c_size_t))


class _Output(ctypes.Structure):
    """`ZSTD_outBuffer`."""

    _fields_ = (("bytes", ctypes.c_void_p), ("size", ctypes.c_size_t), ("position", ctypes.c_size_t))


class _Functions(NamedTuple):
    create: Callable[[], int]
    free: Callable[[int], int]
    set_parameter: Callable[[int, int, int], int]
    decompress: Callable[[int, Any, Any], int]
    is_error: Callable[[int], int]
    name_of_error: Callable[[int], bytes]


@cache
def library() -> _Functions | None:
    """The daemon's libzstd, loaded on first use; None: it is not here, or cannot be loaded."""
    path = next((path for path in _PLACES if path.exists()), None)
    if path is None:
        return None
    try:
        # Holds the interpreter lock: two threads that use one stream by mistake must not do it at once.
        loaded = ctypes.PyDLL(str(path))
    except OSError:
        return None
    size, pointer = ctypes.c_size_t, ctypes.c_void_p

    def function(name: str, result: Any, *arguments: Any) -> Any:
        found = getattr(loaded, f"ZSTD_{name}")
        found.restype, found.argtypes = result, arguments
        return found

    return _Functions(
        function("createDCtx", pointer),
        function("freeDCtx", size, pointer),
        function("DCtx_setParameter", size, pointer, ctypes.c_int, ctypes.c_int),
        function("decompressStream", size, pointer, pointer, pointer),
        function("isError", ctypes.c_uint, size),
        function("getErrorName", ctypes.c_char_p, size),
    )


class ZstdStream:
    """A stream since its keyframe, with the daemon's libzstd."""

    def __init__(self, functions: _Functions) -> None:
        """Start a stream."""
        self._library = functions
        self._context = functions.create()
        if not self._context:
            raise MemoryError
        weakref.finalize(self, functions.free, self._context)
        self._check(functions.set_parameter(self._context, _WINDOW_LOG_MAX, MAX_WINDOW_BYTES.bit_length() - 1), None)

    def feed(self, data: bytes, limit: int, refuse: Refusal) -> bytes:
        """Decompress the next data to at most `limit` bytes; `refuse` creates the errors."""
        into = _Input(data, len(data), 0)
        parts: list[bytes] = []
        left = limit
        while True:
            # One byte more shows that there is more.
            room = min(left, _MOST_AT_ONCE) + 1
            memory = bytearray(room)
            out = _Output(ctypes.addressof(ctypes.c_char.from_buffer(memory)), room, 0)
            code = self._check(
                self._library.decompress(self._context, ctypes.addressof(out), ctypes.addressof(into)), refuse
            )
            parts.append(bytes(memoryview(memory)[: out.position]))
            left -= out.position
            if left < 0:
                raise refuse.because(f"it has more than {limit} bytes")
            if code == 0:
                raise refuse.because(_ENDED)
            if out.position < room:
                return parts[0] if len(parts) == 1 else b"".join(parts)

    def _check(self, code: int, refuse: Refusal | None) -> int:
        if self._library.is_error(code):
            name = self._library.name_of_error(code).decode(errors="replace")
            raise MemoryError(name) if refuse is None else refuse.because(f"zstd decompress error: {name}")
        return code


class SlicedZstdStream:
    """The same with the package `zstandard`, whose output of one call has no limit."""

    def __init__(self) -> None:
        """Start a stream."""
        import zstandard

        self._error = zstandard.ZstdError
        self._stream = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW_BYTES).decompressobj()

    def feed(self, data: bytes, limit: int, refuse: Refusal) -> bytes:
        """See `ZstdStream`."""
        step = max(_MIN_SLICE_BYTES, min(_MAX_SLICE_BYTES, limit >> 16))
        parts: list[bytes] = []
        size = 0
        try:
            for start in range(0, len(data), step):
                parts.append(self._stream.decompress(data[start : start + step] if len(data) > step else data))
                size += len(parts[-1])
                if size > limit:
                    raise refuse.because(f"it has more than {limit} bytes")
                if self._stream.eof:
                    raise refuse.because(_ENDED)
        except self._error as error:
            raise refuse.because(str(error)) from None
        return parts[0] if len(parts) == 1 else b"".join(parts)


def new() -> ZstdStream | SlicedZstdStream:
    """A stream."""
    functions = library()
    return SlicedZstdStream() if functions is None else ZstdStream(functions)

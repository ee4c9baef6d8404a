"""The compiled library, which decodes in less time than NumPy. The sources are in `python_agent/native`."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

#: The environment variable that chooses: ``auto``, the default; ``compiled`` or ``numpy``.
VARIABLE: Final = "ABATHUR_DECODER"
_CHOICES = ("auto", "compiled", "numpy")
_VERSION = 1
_PACKAGE = Path(__file__).resolve().parents[1]
_NAME = "abathur.dll" if sys.platform == "win32" else "libabathur.so"
#: In a wheel, and in a clone that is set up.
_PLACES = (_PACKAGE / "_lib" / _NAME, _PACKAGE.parents[1] / "artifacts" / "native" / "host" / _NAME)


def address(array: NDArray[Any]) -> int:
    """Where the elements of an array are, which must be kept meanwhile."""
    try:
        # Four times as fast.
        return ctypes.addressof(ctypes.c_char.from_buffer(array))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        # It is read-only, or empty.
        return array.ctypes.data


def function(name: str, *arguments: Any) -> Any:
    """A function of the library, which returns an int64; None without a library.

    Args:
        name: Its name without ``abathur_``.
        arguments: The types of its arguments. Bytes are `ctypes.c_char_p`, other memory is `ctypes.c_void_p`.
    """
    if LIBRARY is None:
        return None
    found = getattr(LIBRARY, f"abathur_{name}")
    found.argtypes, found.restype = arguments, ctypes.c_int64
    return found


def _loaded(places: Sequence[Path], choice: str) -> ctypes.CDLL | None:
    if choice not in _CHOICES:
        raise ImportError(f"{VARIABLE} is {choice!r}; it must be one of {', '.join(_CHOICES)}", name=__name__)
    if choice == "numpy" or np.dtype(np.intp).itemsize != np.dtype(np.int64).itemsize:
        return None
    problem = f"it is not at {' or '.join(map(str, places))}"
    for path in places:
        if not path.exists():
            continue
        try:
            library = ctypes.CDLL(str(path))
        except OSError as error:
            problem = str(error)
            continue
        library.abathur_version.restype = ctypes.c_int32
        if (version := library.abathur_version()) == _VERSION:
            return library
        problem = f"{path} has version {version}, not {_VERSION}: install the package again"
    if choice == "compiled":
        raise ImportError(
            f"{VARIABLE} is 'compiled', and the compiled library cannot be used: {problem}", name=__name__
        )
    return None


#: None: NumPy and protobuf's own parser decode.
LIBRARY: Final = _loaded(_PLACES, os.environ.get(VARIABLE) or "auto")

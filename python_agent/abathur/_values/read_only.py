"""Arrays that users share with the library, which compares them with those of later frames."""

from __future__ import annotations

from typing import Any, TypeVar

from numpy.typing import NDArray

_Array = TypeVar("_Array", bound=NDArray[Any])
_NOTE = (
    "The arrays of a frame are read-only, because the events of the next frame are computed from them: "
    "change a copy, such as `health = units.health.copy()`."
)


def read_only(array: _Array) -> _Array:
    """The array, which cannot be changed from now on."""
    array.setflags(write=False)
    return array


def explain(error: BaseException | None) -> None:
    """Add what to do to NumPy's error of a program that changes a read-only array."""
    if isinstance(error, ValueError) and "read-only" in str(error) and _NOTE not in getattr(error, "__notes__", ()):
        error.add_note(_NOTE)

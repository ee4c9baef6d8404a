"""The event loop of the functions that are not asynchronous."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

_T = TypeVar("_T")


def run(make: Callable[[], Coroutine[Any, Any, _T]], *, call: str, instead: str) -> _T:
    """`asyncio.run` with an error that says what to do.

    Args:
        make: The function that makes the coroutine.
        call: What the user has called, for the error.
        instead: What to call where an event loop is running.

    Raises:
        RuntimeError: an event loop is running in this thread already.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(make())
    raise RuntimeError(
        f"{call} starts an event loop, and one is running here already, as in every notebook: use `{instead}`"
    )

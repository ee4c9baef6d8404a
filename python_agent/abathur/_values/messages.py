"""Messages that users give: one, or several."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from google.protobuf.message import Message

from abathur._values.arguments import shown

_M = TypeVar("_M", bound=Message)


def each(given: _M | Iterable[_M], kind: type[_M]) -> list[_M]:
    """The messages, of which there may be one alone. Raises TypeError for anything else."""
    name = kind.DESCRIPTOR.name
    if isinstance(given, kind):
        return [given]
    if isinstance(given, Message | str | bytes) or not isinstance(given, Iterable):
        raise TypeError(f"expected {name} messages, or one, not {shown(given)}")
    found = list(given)
    for message in found:
        if not isinstance(message, kind):
            raise TypeError(f"expected {name} messages, not {shown(message)} among them")
    return found

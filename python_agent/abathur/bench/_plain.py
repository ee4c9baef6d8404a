"""Observations as dicts and lists, for libraries without a schema.

Field names are those of the .proto files, enums are numbers, bytes are bytes, absent fields and empty lists are
omitted. Floats are the shortest decimals that give the same float32 (0.1, not 0.10000000149011612), as protobuf's own
JSON writes them; a format with 32-bit floats has the same bits in both cases.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from s2clientprotocol import sc2api_pb2


def to_plain(message: Message) -> dict[str, Any]:
    """A message as a dict."""
    plain: dict[str, Any] = {}
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            plain[field.name] = [to_plain(each) for each in value] if field.is_repeated else to_plain(value)
        elif field.is_repeated:
            plain[field.name] = list(value)
        else:
            plain[field.name] = shortest(value) if field.type == FieldDescriptor.TYPE_FLOAT else value
    return plain


def from_plain(plain: dict[str, Any]) -> sc2api_pb2.ResponseObservation:
    """The message from a dict. None and empty lists are absent fields."""
    return sc2api_pb2.ResponseObservation(**_without_none(plain))


def shortest(value: float) -> float:
    """The shortest decimal of a float32, as the double nearest to it; 0 and -0 stay different."""
    return value if value == 0 or not math.isfinite(value) else _shortest(value)


@lru_cache(maxsize=1 << 16)
def _shortest(value: float) -> float:
    return float(str(np.float32(value)))


def _without_none(plain: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for name, value in plain.items():
        if isinstance(value, dict):
            kept[name] = _without_none(value)
        elif isinstance(value, list):
            kept[name] = [_without_none(each) if isinstance(each, dict) else each for each in value]
        elif value is not None:
            kept[name] = value
    return kept

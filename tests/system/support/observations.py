"""Observations with anything in any field, for property tests."""

from __future__ import annotations

import random
import struct
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from hypothesis import strategies as st
from s2clientprotocol import sc2api_pb2

_MAX_DEPTH = 8
_FLOATS = (0.0, -0.0, 1.0, -1.0, 0.1, 1e-45, 3.3999999521443642e38, -3.3999999521443642e38, 16777216.0, 123456.79)
_STRINGS = ("", "gg", '"\\/\b\n\t\x01\x7f</script>', "žluťoučký 日本 😀", "x" * 300)


def generated(*, max_uint64: int = 2**64 - 1) -> st.SearchStrategy[sc2api_pb2.ResponseObservation]:
    """Any observation with finite floats and known enum values."""
    return st.integers(0, 2**64).map(lambda seed: make(seed, max_uint64=max_uint64))


def make(seed: int, *, max_uint64: int = 2**64 - 1) -> sc2api_pb2.ResponseObservation:
    plain = _message(sc2api_pb2.ResponseObservation.DESCRIPTOR, random.Random(seed), 0, max_uint64)
    return sc2api_pb2.ResponseObservation(**plain)


def _message(kind: Descriptor, draw: random.Random, depth: int, max_uint64: int) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    taken: set[str] = set()
    for field in kind.fields:
        oneof = field.containing_oneof
        if depth >= _MAX_DEPTH or draw.random() < 0.4 or (oneof is not None and oneof.name in taken):
            continue
        if oneof is not None:
            taken.add(oneof.name)
        count = draw.randrange(4)
        values = [_value(field, draw, depth, max_uint64) for _ in range(count if field.is_repeated else 1)]
        plain[field.name] = values if field.is_repeated else values[0]
    return plain


def _value(field: FieldDescriptor, draw: random.Random, depth: int, max_uint64: int) -> Any:
    match field.type:
        case FieldDescriptor.TYPE_MESSAGE:
            return _message(field.message_type, draw, depth + 1, max_uint64)
        case FieldDescriptor.TYPE_ENUM:
            return draw.choice([value.number for value in field.enum_type.values])
        case FieldDescriptor.TYPE_INT32:
            return draw.choice([-(2**31), 2**31 - 1, 0, draw.randrange(-100, 100_000)])
        case FieldDescriptor.TYPE_UINT32:
            return draw.choice([2**32 - 1, 0, draw.randrange(100_000)])
        case FieldDescriptor.TYPE_UINT64:
            return draw.choice([max_uint64, 0, draw.randrange(max_uint64)])
        case FieldDescriptor.TYPE_FLOAT:
            small: float = struct.unpack("<f", struct.pack("<f", draw.random() * 200))[0]
            return draw.choice([*_FLOATS, *[small] * len(_FLOATS)])
        case FieldDescriptor.TYPE_BOOL:
            return draw.random() < 0.5
        case FieldDescriptor.TYPE_STRING:
            return draw.choice(_STRINGS)
        case FieldDescriptor.TYPE_BYTES:
            return draw.randbytes(draw.randrange(40))
        case _:
            raise ValueError(f"no values for {field.full_name}")

"""Checks that a codec is lossless."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from abathur.bench._codec import Codec, Sums
from abathur.bench._frames import RecordedFrame

_RELATIVE = 1e-6
# Below the smallest normal float32, short decimals have a large relative error.
_SUBNORMAL = 1e-36


@dataclass(frozen=True, slots=True)
class Check:
    """The result of a check.

    Attributes:
        problem: The first difference after decoding, and where; None if nothing differs.
        lost_unknown_fields: Whether only the unknown fields were lost.
        bytes: Encoded size.
    """

    problem: str | None
    lost_unknown_fields: bool = False
    bytes: int = 0


def check(codec: Codec, frame: RecordedFrame) -> Check:
    """Encode and decode one frame and compare: messages by value, including unknown fields, and the touch sums."""
    message = frame.message()
    try:
        encoded = codec.encode(codec.prepare(message, frame.plain))
        decoded = codec.decode(encoded)
        actual = codec.to_message(decoded)
    except Exception as error:
        # Libraries raise various exceptions for unsupported values; each is a finding about the codec.
        return Check(f"{type(error).__name__}: {' '.join(str(error).split())}")
    size = codec.size(encoded)
    if actual is None:
        return Check(codec.problem(decoded, message), False, size)
    sums = (codec.expected_sums(message) or frame.sums()) if codec.touches else None
    lost = False
    message = codec.expected(message)
    if not are_equal(message, actual):
        message.DiscardUnknownFields()
        if not are_equal(message, actual):
            return Check(f"{first_difference(message, actual)} differs after decoding", False, size)
        lost = True
    # Unknown fields are not touched, so the sums of the whole frame are also valid without them.
    if sums is not None and not same_sums(sums, codec.sums(codec.touch(decoded)), frame.magnitude):
        return Check("reading every field gave another sum than for the message", lost, size)
    return Check(None, lost, size)


def are_equal(one: Message, other: Message) -> bool:
    """Whether two messages are equal, including unknown fields. All NaN are equal."""
    if one.SerializeToString() == other.SerializeToString():
        return True
    first, second = type(one).FromString(one.SerializeToString()), type(other).FromString(other.SerializeToString())
    _unite_nan(first)
    _unite_nan(second)
    return bool(first.SerializeToString() == second.SerializeToString())


def same_sums(one: Sums, other: Sums, magnitude: Callable[[], float]) -> bool:
    """Whether sums are of equal content: decimals of a float32 differ from it by rounding.

    Args:
        one: Sums of touching.
        other: The same of another form.
        magnitude: Returns the sum of the absolute values of the floats.
    """
    return bool(
        one[0] == other[0]
        and (
            one[1] == other[1]
            or (math.isnan(one[1]) and math.isnan(other[1]))
            or abs(one[1] - other[1]) <= _RELATIVE * magnitude() + _SUBNORMAL
        )
    )


def first_difference(one: Message, other: Message) -> str:
    """Path of the first field that differs."""
    for field in one.DESCRIPTOR.fields:
        first, second = getattr(one, field.name), getattr(other, field.name)
        if field.is_repeated:
            if len(first) != len(second):
                return f"{field.name} ({len(first)} elements, {len(second)} after decoding)"
            for index, (left, right) in enumerate(zip(first, second, strict=True)):
                if left != right:
                    inner = f".{first_difference(left, right)}" if isinstance(left, Message) else ""
                    return f"{field.name}[{index}]{inner}"
        elif first != second or one.HasField(field.name) != other.HasField(field.name):
            is_inner = isinstance(first, Message) and one.HasField(field.name) == other.HasField(field.name)
            return f"{field.name}.{first_difference(first, second)}" if is_inner else str(field.name)
    return "unknown fields"


def _unite_nan(message: Message) -> None:
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for each in value if field.is_repeated else [value]:
                _unite_nan(each)
        elif field.type == FieldDescriptor.TYPE_FLOAT and not field.is_repeated and math.isnan(value):
            setattr(message, field.name, math.nan)

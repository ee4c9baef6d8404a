"""ProtoJSON objects as messages, also where a newer game or daemon has names and values that this package lacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from abathur._values.malformed import MALFORMED
from abathur._values.varint import varint

_M = TypeVar("_M", bound=Message)
#: What reading may raise: the value does not fit to the message.
ERRORS = (json_format.ParseError, *MALFORMED)


def parse(value: Mapping[str, Any], message: _M) -> _M:
    """Fill an empty message. Names of fields that it lacks are ignored, and so are names of values.

    A number that its enumeration lacks is kept as protobuf's own parser keeps it: not in the field, but among the
    message's unknown fields, so that it is written again.

    Raises:
        ParseError, and what is in `ERRORS`.
    """
    try:
        return json_format.ParseDict(dict(value), message, ignore_unknown_fields=True)
    except json_format.ParseError:
        unknown: list[tuple[tuple[str | int, ...], int, int]] = []
        known = _known(value, message.DESCRIPTOR, (), unknown)
        if not unknown:
            raise
        message.Clear()
        json_format.ParseDict(known, message, ignore_unknown_fields=True)
        for path, field, number in unknown:
            _at(message, path).MergeFromString(varint(field << 3) + varint(number))
        return message


def _known(
    value: Mapping[str, Any],
    descriptor: Any,
    path: tuple[str | int, ...],
    unknown: list[tuple[tuple[str | int, ...], int, int]],
) -> dict[str, Any]:
    """A copy without the numbers that an enumeration lacks, which are appended: where, which field, which number."""
    copy: dict[str, Any] = {}
    for name, each in value.items():
        field = descriptor.fields_by_camelcase_name.get(name) or descriptor.fields_by_name.get(name)
        if field is None or each is None:
            continue
        if field.enum_type is not None:
            items = each if isinstance(each, list) else [each]
            kept = [item for item in items if not _is_lacked(field, item)]
            unknown.extend((path, field.number, item) for item in items if _is_lacked(field, item))
            if kept:
                copy[name] = kept if isinstance(each, list) else kept[0]
        elif field.message_type is not None and isinstance(each, dict):
            copy[name] = _known(each, field.message_type, (*path, field.name), unknown)
        elif field.message_type is not None and isinstance(each, list):
            copy[name] = [
                _known(item, field.message_type, (*path, field.name, index), unknown)
                if isinstance(item, dict)
                else item
                for index, item in enumerate(each)
            ]
        else:
            copy[name] = each
    return copy


def _is_lacked(field: FieldDescriptor, value: object) -> bool:
    enum = field.enum_type
    return type(value) is int and enum is not None and enum.is_closed and value not in enum.values_by_number


def _at(message: Message, path: tuple[str | int, ...]) -> Message:
    found: Any = message
    for step in path:
        found = found[step] if isinstance(step, int) else getattr(found, step)
    found.SetInParent()
    return found  # type: ignore[no-any-return]


def _loads() -> Any:
    try:
        import orjson
    except ImportError:
        import json

        return json.loads
    return orjson.loads


#: The fastest JSON reader that is installed.
loads = _loads()

"""The messages as a table for the browser harness: it makes its touching, converting and comparing code from it."""

from __future__ import annotations

import json

from google.protobuf.descriptor import Descriptor
from model import HEADER, Field, Message
from s2clientprotocol import sc2api_pb2


def model(messages: list[Message]) -> str:
    """A JavaScript module: `messages` (name to fields by number) and `enums` (full name to name and number of each value)."""
    enum_of: dict[tuple[str, str], str] = {}
    enums: dict[str, dict[str, int]] = {}
    _collect(sc2api_pb2.ResponseObservation.DESCRIPTOR, enum_of, enums)
    lines = [f"// {HEADER}", "export const messages = {"]
    for message in messages:
        lines += [f"  {message.name}: ["]
        lines += [f"    {json.dumps(_field(message, field, enum_of))}," for field in message.fields]
        lines += ["  ],"]
    lines += ["};", "", "export const enums = {"]
    for name, values in sorted(enums.items()):
        lines += [f"  {json.dumps(name)}: {{"]
        lines += [f"    {value}: {number}," for value, number in values.items()]
        lines += ["  },"]
    lines += ["};", ""]
    return "\n".join(lines)


def _field(message: Message, field: Field, enum_of: dict[tuple[str, str], str]) -> dict[str, object]:
    row: dict[str, object] = {"name": field.name, "number": field.number, "kind": field.kind}
    if field.repeated:
        row["repeated"] = True
    if field.message:
        row["message"] = field.message
    if field.kind == "enum":
        row["enum"] = enum_of[message.name, field.name]
    if field.default:
        row["default"] = field.default
    return row


def _collect(message: Descriptor, enum_of: dict[tuple[str, str], str], enums: dict[str, dict[str, int]]) -> None:
    for field in message.fields:
        if field.enum_type is not None:
            enum_of[message.name, field.name] = field.enum_type.full_name
            enums[field.enum_type.full_name] = {value.name: value.number for value in field.enum_type.values}
        if field.message_type is not None and field.message_type is not message:
            _collect(field.message_type, enum_of, enums)

"""The messages as a table for the browser harness: it makes its touching, converting and comparing code from it."""

from __future__ import annotations

import json

from abathur.bench.schema.model import Field, Message
from google.protobuf.descriptor import Descriptor
from header import HEADER
from s2clientprotocol import sc2api_pb2


def model(messages: list[Message]) -> str:
    """A JavaScript module: `messages` (name to fields by number) and `enums` (full name to names with numbers)."""
    enums: dict[str, dict[str, int]] = {}
    extra: dict[tuple[str, str], dict[str, object]] = {}
    _collect(sc2api_pb2.ResponseObservation.DESCRIPTOR, extra, enums)
    lines = [f"// {HEADER}", "export const messages = {"]
    for message in messages:
        lines += [f"  {message.name}: ["]
        for field in message.fields:
            lines += [f"    {json.dumps(_field(field, extra.get((message.name, field.name), {})))},"]
        lines += ["  ],"]
    lines += ["};", "", "export const enums = {"]
    for name, values in sorted(enums.items()):
        lines += [f"  {json.dumps(name)}: {{"]
        lines += [f"    {value}: {number}," for value, number in values.items()]
        lines += ["  },"]
    lines += ["};", ""]
    return "\n".join(lines)


def _field(field: Field, extra: dict[str, object]) -> dict[str, object]:
    row: dict[str, object] = {"name": field.name, "number": field.number, "kind": field.kind}
    if field.repeated:
        row["repeated"] = True
    if field.message:
        row["message"] = field.message
    if field.default:
        row["default"] = field.default
    return row | extra


def _collect(
    message: Descriptor, extra: dict[tuple[str, str], dict[str, object]], enums: dict[str, dict[str, int]]
) -> None:
    for field in message.fields:
        of_field = extra.setdefault((message.name, field.name), {})
        if field.containing_oneof is not None:
            of_field["oneof"] = field.containing_oneof.name
        if field.enum_type is not None:
            of_field["enum"] = field.enum_type.full_name
            enums[field.enum_type.full_name] = {value.name: value.number for value in field.enum_type.values}
        if field.message_type is not None and field.message_type is not message:
            _collect(field.message_type, extra, enums)

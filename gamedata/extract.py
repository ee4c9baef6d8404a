"""Write gamedata/*.tsv from what a real game answers to RequestData.

Usage: python gamedata/extract.py RESPONSE_DATA OUTPUT_FOLDER

RESPONSE_DATA is one serialized `SC2APIProtocol.ResponseData`. The tables have every field of it, one line an entity;
`README.md` says how they are read.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from s2clientprotocol import data_pb2, sc2api_pb2

TABLES = ("units", "abilities", "upgrades", "buffs", "effects")
EMPTY = '""'


def number(value: float) -> str:
    """The shortest text that is the same float32."""
    return np.format_float_positional(np.float32(value), unique=True, trim="-")


def weapon(value: data_pb2.Weapon) -> str:
    """Such as `Ground 150x1 r7 s1.04 Armored+100`: targets, damage and attacks, range, seconds, bonuses."""
    kind = data_pb2.Weapon.TargetType.Name(value.type)
    words = [kind, f"{number(value.damage)}x{value.attacks}", f"r{number(value.range)}", f"s{number(value.speed)}"]
    words += [f"{data_pb2.Attribute.Name(each.attribute)}+{number(each.bonus)}" for each in value.damage_bonus]
    return " ".join(words)


def scalar(field: FieldDescriptor, value: object) -> str:
    """Return the text of one value."""
    if isinstance(value, data_pb2.Weapon):
        return weapon(value)
    if isinstance(value, str):
        if any(each in value for each in "\t\r\n") or value == EMPTY:
            raise ValueError(f"{field.full_name}: {value!r} cannot be in a table")
        return value or EMPTY
    if isinstance(value, bool):
        return "1" if value else "0"
    if field.enum_type is not None:
        return str(field.enum_type.values_by_number[value].name)
    return number(value) if isinstance(value, float) else str(value)


def cell(message: Message, field: FieldDescriptor) -> str:
    """Return the text of a field, which is empty if the field is not set."""
    value = getattr(message, field.name)
    if field.is_repeated:
        return ("; " if field.message_type else ",").join(scalar(field, each) for each in value)
    return scalar(field, value) if message.HasField(field.name) else ""


def table(messages: list[Message]) -> str:
    """Return the names of the fields, and a line for each message."""
    fields = messages[0].DESCRIPTOR.fields
    lines = ["\t".join(field.name for field in fields)]
    # Cells that are not there at the end of a line are not set.
    lines += ["\t".join(cell(message, field) for field in fields).rstrip("\t") for message in messages]
    return "\n".join(lines) + "\n"


def main(source: Path, output: Path) -> None:
    """Write all tables."""
    data = sc2api_pb2.ResponseData.FromString(source.read_bytes())
    for name in TABLES:
        source_line = "facts from the game's own ResponseData. Written by gamedata/extract.py; do not edit."
        text = f"# {name} of StarCraft II, {source_line}\n{table(list(getattr(data, name)))}"
        (output / f"{name}.tsv").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))

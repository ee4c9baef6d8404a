"""The FlatBuffers schema of an observation."""

from __future__ import annotations

from abathur.bench.schema.model import Field, Message
from header import HEADER

_TYPES = {
    "int32": "int32",
    "uint32": "uint32",
    "uint64": "uint64",
    "float": "float32",
    "bool": "bool",
    "string": "string",
    "bytes": "[uint8]",
    "enum": "int32",
}


def schema(messages: list[Message]) -> str:
    """A table per message, fields by protobuf number.

    Scalars are optional (`= null`), so that an absent field stays apart from a zero. Enums are int32, because
    FlatBuffers enums refuse what a newer game adds.
    """
    lines = [
        f"// {HEADER}",
        "//",
        "// Tables and fields are named as in s2clientprotocol. As a plain object: field names in snake_case as here,",
        "// enums as numbers, bytes raw; an absent field is omitted (no null, no default), and so is an empty list.",
        "",
        "namespace Abathur.Benchmarks;",
    ]
    for message in messages:
        lines += ["", f"table {message.name} {{"]
        lines += [f"  {field.name}:{_type(field)};" for field in message.fields]
        lines += ["}"]
    lines += ["", "root_type ResponseObservation;", ""]
    return "\n".join(lines)


def _type(field: Field) -> str:
    base = field.message or _TYPES[field.kind]
    if field.repeated:
        if field.kind == "bytes":
            raise ValueError(f"{field.name}: repeated bytes are not covered")
        return f"[{base}]"
    return f"{base} = null" if field.is_scalar else base

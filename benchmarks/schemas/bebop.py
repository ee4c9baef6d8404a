"""The Bebop schema of an observation."""

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
    "bytes": "byte[]",
    "enum": "int32",
}
# Words of the schema language.
_RESERVED = {"map", "message"}


def schema(messages: list[Message]) -> str:
    """A `message` per message: each field is optional. Enums are int32, as in the other schemas.

    Bebop numbers fields without gaps. A field that has the name of a word of the language or of its own message gets
    `the_` before it.
    """
    lines = [f"// {HEADER}"]
    for message in messages:
        lines += ["", f"message {message.name} {{"]
        for index, field in enumerate(message.fields, start=1):
            lines += [f"  {index} -> {_type(field)} {_name(message, field)};"]
        lines += ["}"]
    return "\n".join(lines) + "\n"


def _name(message: Message, field: Field) -> str:
    clashes = field.name in _RESERVED or field.name.replace("_", "") == message.name.lower()
    return f"the_{field.name}" if clashes else field.name


def _type(field: Field) -> str:
    base = field.message or _TYPES[field.kind]
    return f"{base}[]" if field.repeated else base

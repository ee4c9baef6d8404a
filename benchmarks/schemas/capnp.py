"""The Cap'n Proto schema of an observation."""

from __future__ import annotations

import hashlib
import re

from abathur.bench.schema.model import Field, Message
from header import HEADER

_TYPES = {
    "int32": "Int32",
    "uint32": "UInt32",
    "uint64": "UInt64",
    "float": "Float32",
    "bool": "Bool",
    "string": "Text",
    "bytes": "Data",
    "enum": "Int32",
}


def schema(messages: list[Message]) -> str:
    """A struct per message, fields in the order of their protobuf numbers.

    Scalars have no presence in Cap'n Proto: an absent field reads as 0. Names are in camelCase, as it demands.
    """
    # A file needs an id with the highest bit set; one that follows from the name stays the same.
    file_id = int.from_bytes(hashlib.sha256(b"abathur.benchmarks").digest()[:8], "big") | 1 << 63
    lines = [f"# {HEADER}", "", f"@0x{file_id:016x};"]
    for message in messages:
        lines += ["", f"struct {message.name} {{"]
        lines += [f"  {camel(field.name)} @{index} :{_type(field)};" for index, field in enumerate(message.fields)]
        lines += ["}"]
    return "\n".join(lines) + "\n"


def camel(name: str) -> str:
    """`is_on_screen` as `isOnScreen`."""
    return re.sub(r"_([a-z0-9])", lambda match: match.group(1).upper(), name)


def _type(field: Field) -> str:
    base = field.message or _TYPES[field.kind]
    return f"List({base})" if field.repeated else base

"""The Avro schema of an observation."""

from __future__ import annotations

from typing import Any

from abathur.bench.schema.model import Message

NAMESPACE = "abathur.benchmarks"
"""Namespace of the records."""

_TYPES = {
    "int32": "int",
    "uint32": "long",
    "uint64": "long",
    "float": "float",
    "bool": "boolean",
    "string": "string",
    "bytes": "bytes",
    "enum": "int",
}


def schema(messages: list[Message]) -> dict[str, Any]:
    """A record per message, defined where it is used first. Optional fields are unions with null, repeated ones arrays.

    Avro has no unsigned integers: uint32 is a long, and so is uint64, which cannot hold 2^63 and above.
    """
    by_name = {message.name: message for message in messages}
    defined: set[str] = set()

    def record(name: str) -> Any:
        if name in defined:
            return name
        defined.add(name)
        fields: list[dict[str, Any]] = []
        for field in by_name[name].fields:
            base = record(field.message) if field.message else _TYPES[field.kind]
            if field.repeated:
                fields.append({"name": field.name, "type": {"type": "array", "items": base}, "default": []})
            else:
                fields.append({"name": field.name, "type": ["null", base], "default": None})
        return {"type": "record", "name": name, "fields": fields}

    return {**record(messages[-1].name), "namespace": NAMESPACE}

"""Typed structs of an observation, for msgspec: one per message, with its name.

An absent field is None, a repeated field without elements an empty list.
"""

from __future__ import annotations

import msgspec

from abathur.bench.schema.model import Field, messages

_TYPES = {
    "int32": "int",
    "uint32": "int",
    "uint64": "int",
    "float": "float",
    "bool": "bool",
    "string": "str",
    "bytes": "bytes",
    "enum": "int",
}


def _field(field: Field) -> tuple[str, str, list[object] | None]:
    """Name, type and default. Types are texts, because a message can hold itself."""
    base = field.message or _TYPES[field.kind]
    return (field.name, f"list[{base}]", []) if field.repeated else (field.name, f"{base} | None", None)


# msgspec looks the names in the texts up in the module of the struct.
for _message in messages():
    globals()[_message.name] = msgspec.defstruct(
        _message.name,
        [_field(each) for each in _message.fields],
        module=__name__,
        omit_defaults=True,
        gc=False,
    )

ResponseObservation: type[msgspec.Struct] = globals()["ResponseObservation"]

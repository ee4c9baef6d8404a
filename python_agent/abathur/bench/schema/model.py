"""The messages that an observation is made of, from protobuf's descriptors: what code and schemas are made from."""

from __future__ import annotations

from dataclasses import dataclass

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from s2clientprotocol import sc2api_pb2

_PACKAGE = "SC2APIProtocol."
_KINDS = {
    FieldDescriptor.TYPE_INT32: "int32",
    FieldDescriptor.TYPE_UINT32: "uint32",
    FieldDescriptor.TYPE_UINT64: "uint64",
    FieldDescriptor.TYPE_FLOAT: "float",
    FieldDescriptor.TYPE_BOOL: "bool",
    FieldDescriptor.TYPE_STRING: "string",
    FieldDescriptor.TYPE_BYTES: "bytes",
    FieldDescriptor.TYPE_ENUM: "enum",
    FieldDescriptor.TYPE_MESSAGE: "message",
}


@dataclass(frozen=True)
class Field:
    """One field of a message.

    Attributes:
        name: As in the .proto file.
        number: Its number there.
        kind: int32, uint32, uint64, float, bool, string, bytes, enum or message.
        message: Name of the message type; empty for other kinds.
        enum: Name of the enum type, after that of the message around it and a dot; empty for other kinds.
        default: Value that protobuf gives for the absent field, where that is not zero.
    """

    name: str
    number: int
    kind: str
    repeated: bool
    message: str
    enum: str
    default: int

    @property
    def is_scalar(self) -> bool:
        """Whether it is one number or truth value."""
        return not self.repeated and self.kind in ("int32", "uint32", "uint64", "float", "bool", "enum")


@dataclass(frozen=True)
class Message:
    """One message type with its fields by number."""

    name: str
    fields: tuple[Field, ...]


def messages() -> list[Message]:
    """Every message that can be part of a `ResponseObservation`; what others need comes first, save for recursion."""
    found: dict[str, Message | None] = {}

    def visit(descriptor: Descriptor) -> None:
        if descriptor.name in found:
            return
        if descriptor.containing_type is not None:
            raise ValueError(f"{descriptor.full_name}: nested messages are not covered")
        found[descriptor.name] = None
        for field in descriptor.fields:
            if field.message_type is not None:
                visit(field.message_type)
        fields = sorted((_field(each) for each in descriptor.fields), key=lambda each: each.number)
        del found[descriptor.name]
        found[descriptor.name] = Message(descriptor.name, tuple(fields))

    visit(sc2api_pb2.ResponseObservation.DESCRIPTOR)
    return [each for each in found.values() if each is not None]


def _field(field: FieldDescriptor) -> Field:
    kind = _KINDS.get(field.type)
    if kind is None or field.is_required or field.has_default_value:
        raise ValueError(f"{field.full_name}: its type, a required field, or its default is not covered")
    return Field(
        name=field.name,
        number=field.number,
        kind=kind,
        repeated=field.is_repeated,
        message="" if field.message_type is None else field.message_type.name,
        enum="" if field.enum_type is None else field.enum_type.full_name.removeprefix(_PACKAGE),
        default=int(field.default_value) if kind == "enum" and not field.is_repeated else 0,
    )

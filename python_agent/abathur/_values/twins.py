"""Message types that are those of a protocol but for some fields, so that the parser does less work."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import Descriptor

#: Changes a field of a message, or leaves it; false: the twin does not have it, and its bytes are an unknown field.
Change = Callable[[Descriptor, descriptor_pb2.FieldDescriptorProto], bool]


def twins(package: str, messages: Iterable[Any], change: Change) -> list[Any]:
    """Twins of messages, which refer to each other, and for the rest to the types of the protocol.

    Args:
        package: A name for them that nothing else has.
        messages: The messages, which are not inside others.
        change: Called for each field.
    """
    messages = list(messages)
    file = descriptor_pb2.FileDescriptorProto(name=f"{package.replace('.', '/')}.proto", package=package)
    whole_file = descriptor_pb2.FileDescriptorProto()
    messages[0].file.CopyToProto(whole_file)
    if whole_file.syntax:
        file.syntax = whole_file.syntax
    file.dependency.extend(dict.fromkeys(name for each in messages for name in _files(each)))
    own = {f".{each.full_name}": f".{package}.{each.name}" for each in messages}
    for each in messages:
        whole = descriptor_pb2.DescriptorProto()
        each.CopyToProto(whole)
        fields = list(whole.field)
        del whole.field[:]
        # Types inside it are those of the protocol.
        del whole.nested_type[:]
        for field in fields:
            if change(each, field):
                if field.type_name in own:
                    field.type_name = own[field.type_name]
                whole.field.append(field)
        file.message_type.append(whole)
    pool = descriptor_pool.Default()
    pool.AddSerializedFile(file.SerializeToString())
    found = [pool.FindMessageTypeByName(f"{package}.{each.name}") for each in messages]
    return [message_factory.GetMessageClass(each) for each in found]


def _files(message: Descriptor) -> list[str]:
    types = [field.message_type or field.enum_type for field in message.fields]
    return [message.file.name, *(each.file.name for each in types if each is not None)]

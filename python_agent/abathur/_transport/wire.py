"""Messages as they are received: observations in them stay bytes until they are read."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

from google.protobuf.descriptor import Descriptor
from google.protobuf.descriptor_pb2 import FieldDescriptorProto
from google.protobuf.message import DecodeError, Message

from abathur._values.twins import twins
from abathur.errors import ProtocolError
from abathur.sync.v1 import sync_pb2

_M = TypeVar("_M", bound=Message)


@cache
def _types() -> list[Any]:
    frame, message = sync_pb2.Frame.DESCRIPTOR, sync_pb2.ServerMessage.DESCRIPTOR

    def change(holder: Descriptor, field: FieldDescriptorProto) -> bool:
        if holder is frame and field.name == "observation":
            field.type = FieldDescriptorProto.TYPE_BYTES
            field.ClearField("type_name")
        return True

    return twins("abathur.wire", (frame, message), change)


def frame(data: bytes) -> sync_pb2.Frame:
    """A frame, whose `observation` is bytes. Raises ProtocolError."""
    message: sync_pb2.Frame = parsed(_types()[0], data)
    return message


def server_message(data: bytes) -> sync_pb2.ServerMessage:
    """A message of a session, the `observation` of whose frame is bytes. Raises ProtocolError."""
    message: sync_pb2.ServerMessage = parsed(_types()[1], data)
    return message


def parsed(kind: type[_M], data: bytes) -> _M:
    """A message of a type. Raises ProtocolError."""
    try:
        return kind.FromString(data)
    except DecodeError as error:
        raise ProtocolError(f"not a {kind.DESCRIPTOR.name}: {error}") from None

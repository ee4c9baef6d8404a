"""Observations without their units and map, which are most of the bytes: the rest is parsed in far less time."""

from __future__ import annotations

from functools import cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import Message
from s2clientprotocol import raw_pb2, sc2api_pb2

_PACKAGE = "abathur.without_units"
_PARENTS = (sc2api_pb2.ResponseObservation, sc2api_pb2.Observation, raw_pb2.ObservationRaw)
_OMITTED = ("units", "map_state")


def parse(data: bytes) -> sc2api_pb2.ResponseObservation:
    """A serialized `ResponseObservation` without ``observation.raw_data.units`` and ``.map_state``.

    It is not a `ResponseObservation`, but has its other fields.

    Raises:
        DecodeError: it is not a protobuf message.
    """
    message: sc2api_pb2.ResponseObservation = _message().FromString(data)
    return message


@cache
def _message() -> Any:
    """The type: that of the protocol without two fields, whose bytes the parser skips as unknown ones."""
    file = descriptor_pb2.FileDescriptorProto(name=f"{_PACKAGE.replace('.', '/')}.proto", package=_PACKAGE)
    file.dependency.extend(dict.fromkeys(parent.DESCRIPTOR.file.name for parent in _PARENTS))
    for parent in _PARENTS:
        _add(parent, file)
    pool = descriptor_pool.Default()
    pool.AddSerializedFile(file.SerializeToString())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{_PARENTS[0].DESCRIPTOR.name}"))


def _add(parent: type[Message], file: descriptor_pb2.FileDescriptorProto) -> None:
    whole = descriptor_pb2.DescriptorProto()
    parent.DESCRIPTOR.CopyToProto(whole)
    message = file.message_type.add(name=parent.DESCRIPTOR.name)
    own = {f".{each.DESCRIPTOR.full_name}": f".{_PACKAGE}.{each.DESCRIPTOR.name}" for each in _PARENTS}
    for field in whole.field:
        if parent is raw_pb2.ObservationRaw and field.name in _OMITTED:
            continue
        if field.type_name in own:
            field.type_name = own[field.type_name]
        message.field.append(field)

"""Observations without their units and map, which are most of the bytes: the rest is parsed in far less time."""

from __future__ import annotations

from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor
from google.protobuf.descriptor_pb2 import FieldDescriptorProto
from s2clientprotocol import raw_pb2, sc2api_pb2

from abathur._values.twins import twins

_PARENTS = tuple(
    each.DESCRIPTOR for each in (sc2api_pb2.ResponseObservation, sc2api_pb2.Observation, raw_pb2.ObservationRaw)
)
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

    def change(holder: Descriptor, field: FieldDescriptorProto) -> bool:
        return holder is not _PARENTS[-1] or field.name not in _OMITTED

    return twins("abathur.without_units", _PARENTS, change)[0]

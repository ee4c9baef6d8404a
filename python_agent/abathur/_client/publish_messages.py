"""The messages of a publishing bot."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2clientprotocol import sc2api_pb2

from abathur._values.varint import varint
from abathur.sync.v1 import sync_pb2

_OBSERVATION_TAG = b"\x12"
#: Largest message that the daemon accepts.
_MAX_MESSAGE_BYTES = 16 * 1024 * 1024

#: An observation, as a message or as its serialized bytes.
Observation = sc2api_pb2.ResponseObservation | bytes


def observation(given: Observation) -> bytes:
    """A `PublishRequest` with an observation. Raises ValueError if it is too large."""
    data = given if isinstance(given, bytes) else given.SerializeToString()
    return _bounded(b"".join((_OBSERVATION_TAG, varint(len(data)), data)))


def actions(given: Iterable[sc2api_pb2.Action]) -> bytes:
    """A `PublishRequest` with actions. Raises ValueError if they are too large."""
    return _bounded(sync_pb2.PublishRequest(actions=sc2api_pb2.RequestAction(actions=given)).SerializeToString())


def _bounded(message: bytes) -> bytes:
    if len(message) > _MAX_MESSAGE_BYTES:
        raise ValueError(f"a message of {len(message)} bytes is over the limit of {_MAX_MESSAGE_BYTES}")
    return message


def match(given: dict[str, Any]) -> sync_pb2.Match:
    """The `Match` with these fields. Raises ValueError for one that does not exist or has a wrong type."""
    try:
        return sync_pb2.Match(**given)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the match must be given as fields of Match: {error}") from None

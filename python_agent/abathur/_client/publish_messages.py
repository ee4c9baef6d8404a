"""The messages of a publishing bot."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2clientprotocol import sc2api_pb2

from abathur._frame.frame import Frame
from abathur._values.arguments import shown
from abathur._values.messages import each
from abathur._values.varint import varint
from abathur.sync.v1 import sync_pb2

_OBSERVATION_TAG = b"\x12"
#: Largest message that the daemon accepts.
_MAX_MESSAGE_BYTES = 16 * 1024 * 1024

#: An observation, as a message, as its serialized bytes, or the frame that has it.
Observation = sc2api_pb2.ResponseObservation | bytes | bytearray | memoryview | Frame


def observation(given: Observation) -> bytes:
    """A `PublishRequest` with an observation. Raises TypeError for anything else, ValueError if it is too large."""
    if isinstance(given, Frame):
        given = given.response
    if isinstance(given, sc2api_pb2.ResponseObservation):
        given = given.SerializeToString()
    if not isinstance(given, bytes | bytearray | memoryview):
        raise TypeError(f"expected a ResponseObservation, its bytes, or a frame, not {shown(given)}")
    data = bytes(given)
    return _bounded(b"".join((_OBSERVATION_TAG, varint(len(data)), data)))


def actions(given: sc2api_pb2.Action | Iterable[sc2api_pb2.Action]) -> bytes:
    """A `PublishRequest` with actions. Raises ValueError if they are too large."""
    request = sc2api_pb2.RequestAction(actions=each(given, sc2api_pb2.Action))
    return _bounded(sync_pb2.PublishRequest(actions=request).SerializeToString())


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

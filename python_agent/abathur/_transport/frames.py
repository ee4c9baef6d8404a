"""Frames from the messages that carry them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abathur._frame.columns_source import ColumnsSource
from abathur._frame.frame import Frame
from abathur._frame.json_source import JsonSource
from abathur._frame.source import BytesSource, FrameSource, MessageSource
from abathur._frame.timing import Timing, monotonic_ns
from abathur._transport.payloads import PayloadReader
from abathur._values.proto_json import loads
from abathur.errors import ProtocolError
from abathur.sync.v1 import sync_pb2

_MAX_UINT32 = 2**32 - 1
_MAX_UINT64 = 2**64 - 1


def from_message(message: sync_pb2.Frame, *, received: int, size: int, payloads: PayloadReader | None = None) -> Frame:
    """A frame from its protobuf message, which it keeps.

    Args:
        message: The message.
        received: When it was received, by `monotonic_ns`.
        size: Its bytes.
        payloads: Reader of the subscription's payloads, which has read all earlier messages. Without one, the message
            must be the first.

    Raises:
        DecompressionError: as `PayloadReader.read`.
        ProtocolError: the payload does not match the message.
    """
    frame = Frame(_source(message, payloads or PayloadReader()))
    frame.match_id = message.match_id
    frame.sequence = message.sequence
    frame.game_loop = message.game_loop
    frame.dropped = message.dropped
    if message.dropped:
        frame.dropped_loops = (message.dropped_first_game_loop, message.dropped_last_game_loop)
    if message.HasField("skipped_events"):
        frame._skipped_events = message.skipped_events
    frame.skipped_events_incomplete = message.skipped_events_incomplete
    frame.size = size
    published = message.published_monotonic_ns
    encoded = message.encoded_monotonic_ns or published
    frame.timing = Timing(message.captured_monotonic_ns, published, encoded, received, monotonic_ns())
    return frame


def _source(message: sync_pb2.Frame, payloads: PayloadReader) -> FrameSource:
    """The observation in a message, decompressed and decoded."""
    if message.WhichOneof("payload") != "data":
        # Complete messages do not depend on earlier ones.
        message.ClearField("earlier")
        observation: Any = message.observation
        return BytesSource(observation) if isinstance(observation, bytes) else MessageSource(observation)
    if message.encoding == sync_pb2.columns:
        return ColumnsSource(payloads.read_columns(message))
    data = payloads.read(message)
    if message.encoding == sync_pb2.proto:
        return BytesSource(data)
    try:
        if message.encoding == sync_pb2.json:
            return JsonSource(_object(loads(data), "the observation"))
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"frame {message.sequence} cannot be parsed: {error}") from None
    raise ProtocolError(f"a frame in encoding {message.encoding}, which is unknown")


def from_json(message: object, *, received: int, size: int) -> Frame:
    """A frame from a JSON object.

    Raises:
        ProtocolError: it is not an object, or a field is not valid ProtoJSON.
    """
    fields = _object(message, "a frame")
    frame = Frame(JsonSource(_object(fields.get("observation", {}), "the observation of a frame")))
    frame.match_id = str(fields.get("matchId", ""))
    frame.sequence = _number(fields, "sequence")
    frame.game_loop = _number(fields, "gameLoop", _MAX_UINT32)
    frame.dropped = _number(fields, "dropped")
    if frame.dropped:
        frame.dropped_loops = (
            _number(fields, "droppedFirstGameLoop", _MAX_UINT32),
            _number(fields, "droppedLastGameLoop", _MAX_UINT32),
        )
    if "skippedEvents" in fields:
        frame._skipped_events = _object(fields["skippedEvents"], "`skipped_events` of a frame")
    frame.skipped_events_incomplete = fields.get("skippedEventsIncomplete") is True
    frame.size = size
    published = _number(fields, "publishedMonotonicNs")
    frame.timing = Timing(
        _number(fields, "capturedMonotonicNs"),
        published,
        _number(fields, "encodedMonotonicNs") or published,
        received,
        monotonic_ns(),
    )
    return frame


def _object(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ProtocolError(f"{what} must be a JSON object, not {str(value)[:80]!r}")
    return value


def _number(fields: Mapping[str, Any], name: str, largest: int = _MAX_UINT64) -> int:
    """An unsigned integer as ProtoJSON writes it: a number, or decimal digits in a string. 0 if it is missing."""
    value = fields.get(name, 0)
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= len(str(_MAX_UINT64)):
        value = int(value)
    if type(value) is not int or not 0 <= value <= largest:
        raise ProtocolError(f"{name} of a frame is {str(value)[:80]!r}; it must be an integer of 0 to {largest}")
    return value

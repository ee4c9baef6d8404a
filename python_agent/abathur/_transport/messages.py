"""Converts bytes to messages and back, for the raw socket and gRPC's Session."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any, TypeVar

from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message

from abathur._frame.frame import Frame
from abathur._transport import frames, wire
from abathur._transport.reading import MatchStart, Reading
from abathur._values import proto_json
from abathur.errors import ProtocolError, RequestError, StoppingError, request_error
from abathur.sync.v1 import sync_pb2

#: Longest message that a daemon may send, in bytes.
MAX_MESSAGE_BYTES = 64 * 1024 * 1024
_UNAVAILABLE = "UNAVAILABLE"
_M = TypeVar("_M", bound=Message)
PREFIX = struct.Struct("<I")

#: What a subscription gives: frames, and where it follows the borders between matches.
Streamed = Frame | MatchStart | sync_pb2.MatchEnded
#: The events of a session: beside them the answer to a request (a message or an error) with its id, or the end.
Event = Streamed | tuple[int, sync_pb2.Result | RequestError] | sync_pb2.End


def to_line(message: sync_pb2.ClientMessage) -> bytes:
    """A message as a line of JSON."""
    return json.dumps(json_format.MessageToDict(message)).encode() + b"\n"


def to_prefixed(message: sync_pb2.ClientMessage) -> bytes:
    """A length-prefixed message in protobuf."""
    data = message.SerializeToString()
    return PREFIX.pack(len(data)) + data


def prefixed_length(prefix: bytes | bytearray) -> int:
    """The length in a prefix of four bytes.

    Raises:
        ProtocolError: it is longer than a daemon may send.
    """
    length: int = PREFIX.unpack(prefix)[0]
    if length > MAX_MESSAGE_BYTES:
        raise ProtocolError(f"a message of {length} bytes is over the limit of {MAX_MESSAGE_BYTES}")
    return length


def first_match(line: bytes, reading: Reading) -> MatchStart:
    """The match in the first line that a daemon sends.

    Raises:
        RequestError: the daemon refused the subscription, or it is too old for it.
        StoppingError: it shuts down.
        ProtocolError: the line is not a match.
    """
    message = _object(line)
    if "error" in message:
        error = _parse(message["error"], sync_pb2.Error())
        if error.code == _UNAVAILABLE:
            raise StoppingError(error.message)
        raise request_error(error.code, error.message)
    if not isinstance(message.get("match"), dict):
        raise ProtocolError(f"expected the match, got {line[:80]!r}")
    return _begin(message["match"], line, reading)


def match_from_line(line: bytes) -> sync_pb2.Match:
    """The match in the first line that a daemon sends. Raises what `first_match` does."""
    return first_match(line, Reading()).match


def _begin(fields: object, line: bytes, reading: Reading) -> MatchStart:
    """Go on with the match in a line."""
    if not isinstance(fields, dict):
        raise ProtocolError(f"Match must be a JSON object, not {str(fields)[:80]!r}")
    is_dated = fields.get("beganUnixNs") not in (None, 0, "0")
    start = MatchStart(str(fields.get("runId", "")), is_dated, lambda: _parse(_object(line)["match"], sync_pb2.Match()))
    reading.begin(start)
    return start


def event_from_line(line: bytes, received: int, reading: Reading) -> Event:
    """The event in a line of JSON."""
    message = _object(line)
    if "frame" in message:
        return reading.place(frames.from_json(message["frame"], received=received, size=len(line)))
    if "result" in message:
        result = _parse(message["result"], sync_pb2.Result())
        return result.id, result
    if "error" in message:
        return _refusal(_parse(message["error"], sync_pb2.Error()))
    if "end" in message:
        return _parse(message["end"], sync_pb2.End())
    if "match" in message:
        return _begin(message["match"], line, reading)
    if "matchEnded" in message:
        return _parse(message["matchEnded"], sync_pb2.MatchEnded())
    raise ProtocolError(f"unknown message {line[:80]!r}")


def event_from_bytes(data: bytes, received: int, reading: Reading) -> Event:
    """The event in a protobuf message."""
    return event_from_message(wire.server_message(data), received, len(data), reading)


def event_from_message(message: sync_pb2.ServerMessage, received: int, size: int, reading: Reading) -> Event:
    """The event in a message."""
    kind = message.WhichOneof("message")
    if kind == "frame":
        return reading.place(
            frames.from_message(message.frame, received=received, size=size, payloads=reading.payloads)
        )
    if kind == "result":
        return message.result.id, message.result
    if kind == "error":
        return _refusal(message.error)
    if kind == "end":
        return message.end
    if kind == "match":
        match = message.match
        start = MatchStart(match.run_id, match.began_unix_ns != 0, lambda: match)
        reading.begin(start)
        return start
    if kind == "match_ended":
        return message.match_ended
    raise ProtocolError(f"unexpected message {kind}")


def result_of(request: str, data: bytes) -> sync_pb2.Result:
    """The answer to a request, which came as its own message.

    Args:
        request: The name of the request in `ClientMessage`, which is that of the answer in `Result`.
        data: The answer, serialized.
    """
    result = sync_pb2.Result()
    answer: Message = getattr(result, request)
    try:
        answer.MergeFromString(data)
    except DecodeError as error:
        raise ProtocolError(f"not a {answer.DESCRIPTOR.name}: {error}") from None
    # It is there, also if it is empty.
    answer.SetInParent()
    return result


def _refusal(error: sync_pb2.Error) -> Event:
    refusal = request_error(error.code, error.message)
    if error.fatal and error.code == _UNAVAILABLE:
        # The daemon shuts down: this is not a broken connection.
        return sync_pb2.End(reason=error.message)
    if error.fatal:
        raise refusal
    return error.id, refusal


def _object(line: bytes) -> Mapping[str, Any]:
    try:
        message = proto_json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"not a line of JSON: {error}") from None
    if not isinstance(message, dict):
        raise ProtocolError(f"expected a JSON object, got {line[:80]!r}")
    return message


def _parse(value: object, message: _M) -> _M:
    if not isinstance(value, dict):
        raise ProtocolError(f"{message.DESCRIPTOR.name} must be a JSON object, not {str(value)[:80]!r}")
    try:
        return proto_json.parse(value, message)
    except proto_json.ERRORS as error:
        raise ProtocolError(f"{message.DESCRIPTOR.name} cannot be read: {error}") from None

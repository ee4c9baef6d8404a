"""Converts bytes to messages and back, for the raw socket and gRPC's Session."""

from __future__ import annotations

import functools
import json
import struct
from collections.abc import Mapping
from typing import Any, TypeVar

from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message

from abathur import _frame, _proto_json
from abathur._frame import Frame
from abathur._payloads import PayloadReader
from abathur.errors import ProtocolError, RequestError, StoppingError, request_error
from abathur.sync.v1 import sync_pb2

#: Longest message that a daemon may send, in bytes.
MAX_MESSAGE_BYTES = 64 * 1024 * 1024
_UNAVAILABLE = "UNAVAILABLE"
_M = TypeVar("_M", bound=Message)
PREFIX = struct.Struct("<I")

#: The events of a session: a frame, the answer to a request (a message or an error) with its id, or the end.
Event = Frame | tuple[int, sync_pb2.Result | RequestError] | sync_pb2.End


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


class MatchLine:
    """The first line that a daemon sends: the match.

    With game data, making the message takes as long as several frames, which would be dropped meanwhile. So it is made
    when it is asked for.
    """

    def __init__(self, line: bytes) -> None:
        """Look at the line.

        Raises:
            RequestError: the daemon refused the subscription.
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
        self._line = line

    @functools.cached_property
    def match(self) -> sync_pb2.Match:
        """The match. Raises ProtocolError if it cannot be read."""
        return _parse(_object(self._line)["match"], sync_pb2.Match())


def match_from_line(line: bytes) -> sync_pb2.Match:
    """The match from the first line that a daemon sends. Raises what `MatchLine` does."""
    return MatchLine(line).match


def event_from_line(line: bytes, received: int) -> Event:
    """The event in a line of JSON."""
    message = _object(line)
    if "frame" in message:
        return _frame.from_json(message["frame"], received=received, size=len(line))
    if "result" in message:
        result = _parse(message["result"], sync_pb2.Result())
        return result.id, result
    if "error" in message:
        return _refusal(_parse(message["error"], sync_pb2.Error()))
    if "end" in message:
        return _parse(message["end"], sync_pb2.End())
    raise ProtocolError(f"unknown message {line[:80]!r}")


def event_from_bytes(data: bytes, received: int, payloads: PayloadReader) -> Event:
    """The event in a protobuf message."""
    try:
        message = sync_pb2.ServerMessage.FromString(data)
    except DecodeError as error:
        raise ProtocolError(f"not a ServerMessage: {error}") from None
    return event_from_message(message, received, len(data), payloads)


def event_from_message(message: sync_pb2.ServerMessage, received: int, size: int, payloads: PayloadReader) -> Event:
    """The event in a message."""
    kind = message.WhichOneof("message")
    if kind == "frame":
        return _frame.from_message(message.frame, received=received, size=size, payloads=payloads)
    if kind == "result":
        return message.result.id, message.result
    if kind == "error":
        return _refusal(message.error)
    if kind == "end":
        return message.end
    raise ProtocolError(f"unexpected message {kind}")


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
        message = _frame.loads(line)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"not a line of JSON: {error}") from None
    if not isinstance(message, dict):
        raise ProtocolError(f"expected a JSON object, got {line[:80]!r}")
    return message


def _parse(value: object, message: _M) -> _M:
    if not isinstance(value, dict):
        raise ProtocolError(f"{message.DESCRIPTOR.name} must be a JSON object, not {str(value)[:80]!r}")
    try:
        return _proto_json.parse(value, message)
    except _proto_json.ERRORS as error:
        raise ProtocolError(f"{message.DESCRIPTOR.name} cannot be read: {error}") from None

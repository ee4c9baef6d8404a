"""One observation, for agents."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from google.protobuf import json_format
from google.protobuf.message import DecodeError
from s2clientprotocol import sc2api_pb2

from abathur._frame.grids import Grids
from abathur._frame.units import Units
from abathur._transport.payloads import PayloadReader
from abathur._values import proto_json
from abathur._values.malformed import MALFORMED
from abathur.columns import Columns
from abathur.columns._rebuild import observation_bytes
from abathur.columns._source import ColumnsSource
from abathur.errors import AbathurError, ProtocolError
from abathur.sync.v1 import sync_pb2

if TYPE_CHECKING:
    from abathur._events.event_stream import Step
    from abathur.events import Event

_MAX_UINT32 = 2**32 - 1
_MAX_UINT64 = 2**64 - 1

#: Of a frame's slots; its place in a stream is of this process.
_NOT_COPIED = ("__dict__", "__weakref__", "_step")

#: The clock of the daemon's timestamps (on the same machine), in nanoseconds.
monotonic_ns = time.perf_counter_ns


@dataclass(frozen=True, slots=True)
class Timing:
    """The timestamps of a frame, in nanoseconds of the machine's monotonic clock.

    Comparable only if daemon and agent run on one machine. `encoded` is when the daemon had encoded the frame for
    this stream; plain protobuf needs no encoding, so it equals `published`.
    """

    captured: int
    published: int
    encoded: int
    received: int
    decoded: int


class Frame:
    """One observation and its metadata.

    Attributes:
        match_id: Identifies the match; the same where a recording of it is played again.
        run_id: Identifies this run of it; empty in a recording, and where the daemon is too old.
        sequence: Number of the frame in this run of the source, from 1.
        game_loop: Game loop of the observation.
        dropped: Number of dropped frames since the previous one.
        dropped_loops: First and last game loop of them; None if nothing was dropped.
        skipped_events_incomplete: Whether `skipped_events` lacks something: too much, or a broken connection.
        reconnected: Whether the connection broke between the previous frame and this one.
        size: Bytes of the message that carried the frame.
        timing: When it was captured, published, encoded, received and decoded.
    """

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_columns",
        "_data",
        "_json",
        "_match_index",
        "_message",
        "_names_match",
        "_skipped_events",
        "_step",
        "dropped",
        "dropped_loops",
        "game_loop",
        "match_id",
        "reconnected",
        "run_id",
        "sequence",
        "size",
        "skipped_events_incomplete",
        "timing",
    )

    def __init__(self) -> None:
        """Frames are created by the package."""
        self._message: sync_pb2.Frame | None = None
        self._data: bytes | None = None
        self._columns: Columns | None = None
        self._json: Mapping[str, Any] | None = None
        self._skipped_events: sc2api_pb2.ResponseObservation | Mapping[str, Any] | None = None
        self._step: Step | None = None
        self._match_index = 0
        self.skipped_events_incomplete = False
        self.match_id = ""
        self.run_id = ""
        #: Whether requests may name its match, because the daemon tells matches apart.
        self._names_match = False
        self.sequence = 0
        self.game_loop = 0
        self.dropped = 0
        self.dropped_loops: tuple[int, int] | None = None
        self.reconnected = False
        self.size = 0
        self.timing = Timing(0, 0, 0, 0, 0)

    @cached_property
    def response(self) -> sc2api_pb2.ResponseObservation:
        """The whole `ResponseObservation`: observation, actions, action errors, chat, player results.

        With encoding ``json`` or ``columns`` it is built on first use, which is slow: use `json`, or `units`, `grids`
        and `rest`, instead. Otherwise `units` and `events` are read from it: change a copy (``CopyFrom``).
        """
        if self._message is not None:
            return self._message.observation
        try:
            if self._data is not None:
                return sc2api_pb2.ResponseObservation.FromString(self._data)
            if self._columns is not None:
                return sc2api_pb2.ResponseObservation.FromString(observation_bytes(self._columns))
            return proto_json.parse(self.json, sc2api_pb2.ResponseObservation())
        except (DecodeError, *proto_json.ERRORS) as error:
            raise self._damaged(error) from None

    @property
    def observation(self) -> sc2api_pb2.Observation:
        """The `Observation` in it: ``frame.observation.raw_data.units``."""
        return self.response.observation

    @cached_property
    def json(self) -> Mapping[str, Any]:
        """The `ResponseObservation` as canonical ProtoJSON objects.

        With encoding ``json``, `units` and `events` are read from them: change a copy.
        """
        if self._json is not None:
            return self._json
        return json_format.MessageToDict(self.response)

    @cached_property
    def units(self) -> Units:
        """All units as NumPy columns; without encoding ``columns`` each is built on first use."""
        if self._columns is not None:
            return Units(ColumnsSource(self._columns))
        if self._json is not None:
            try:
                raw = self._json.get("observation", {}).get("rawData", {})
                units = raw.get("units", [])
            except MALFORMED as error:
                raise self._damaged(error) from None
            if not isinstance(units, list):
                raise self._damaged(TypeError("its units are not a list"))
            return Units.from_json(units)
        return Units.from_proto(self.observation.raw_data.units)

    @cached_property
    def grids(self) -> Grids:
        """The map as images: visibility and creep."""
        if self._columns is not None:
            state = self.rest.observation.raw_data.map_state
            return Grids(state, {"visibility": self._columns.visibility, "creep": self._columns.creep})
        return Grids(self.observation.raw_data.map_state, {})

    @cached_property
    def rest(self) -> sc2api_pb2.ResponseObservation:
        """Everything that is not in `units` and `grids`: player, score, effects, events, chat.

        With encoding ``columns`` a `ResponseObservation` without units and without the bytes of those grids, parsed
        on first use; else the same as `response`.
        """
        if self._columns is None:
            return self.response
        try:
            return sc2api_pb2.ResponseObservation.FromString(self._columns.rest)
        except DecodeError as error:
            raise self._damaged(error) from None

    @property
    def skipped_events(self) -> sc2api_pb2.ResponseObservation | None:
        """What happened once, in frames between the previous one and this one that this reader did not get.

        Their ``actions``, ``action_errors``, ``chat``, ``player_result``, ``observation.alerts`` and
        ``observation.raw_data.event.dead_units``, each in the order of the frames. `Game.frames` with `fields` has only
        those that were asked for.
        """
        if isinstance(self._skipped_events, Mapping):
            try:
                self._skipped_events = proto_json.parse(self._skipped_events, sc2api_pb2.ResponseObservation())
            except proto_json.ERRORS as error:
                raise self._damaged(error) from None
        return self._skipped_events

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened to units since this reader's previous frame: the events of `abathur.events`, in BotAI's order.

        They are computed on first use. Read them before the next frame arrives: from the first frame whose events are
        read, each frame is compared with the one before it. docs/agents.md has the rules.

        Raises:
            AbathurError: the previous frame is gone, or this frame was pickled, copied, or read by its number.
            ProtocolError: a part of the observation that they need is damaged.
        """
        if self._step is None:
            raise AbathurError(
                f"frame {self.sequence} is a copy, or was read by its number: only the frames of a stream have events"
            )
        return self._step.events(self)

    def to_observation(self) -> sc2api_pb2.ResponseObservation:
        """The whole `ResponseObservation`, with any encoding; see `response`."""
        return self.response

    @property
    def latency(self) -> float:
        """Seconds from published by the daemon to decoded here (one machine only)."""
        return (self.timing.decoded - self.timing.published) / 1e9

    def __getstate__(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the frame was made from; what was built on first use is built again."""
        slots = {name: getattr(self, name) for name in self.__slots__ if name not in _NOT_COPIED} | {"_step": None}
        is_parsed = all(each is None for each in (self._message, self._data, self._columns, self._json))
        return {"response": self.response} if is_parsed else {}, slots

    def _is_of_run(self, other: Frame) -> bool:
        """Whether another frame is of the same run, as far as it is known."""
        same_run = self.run_id == other.run_id or not (self.run_id and other.run_id)
        return same_run and self.match_id == other.match_id

    def _damaged(self, error: Exception) -> ProtocolError:
        return ProtocolError(f"the observation of frame {self.sequence} cannot be read: {error}")

    def __repr__(self) -> str:
        """Sequence, game loop and drops."""
        dropped = f", {self.dropped} dropped before" if self.dropped else ""
        return f"<Frame {self.sequence} at game loop {self.game_loop}{dropped}>"


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
    frame = Frame()
    frame._message = message
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
    if message.WhichOneof("payload") == "data":
        _read_data(frame, message, payloads or PayloadReader())
    else:
        # Complete messages do not depend on earlier ones.
        message.ClearField("earlier")
    published = message.published_monotonic_ns
    encoded = message.encoded_monotonic_ns or published
    frame.timing = Timing(message.captured_monotonic_ns, published, encoded, received, monotonic_ns())
    return frame


def _read_data(frame: Frame, message: sync_pb2.Frame, payloads: PayloadReader) -> None:
    """Decode a payload that is not a typed field."""
    if message.encoding == sync_pb2.columns:
        frame._columns = payloads.read_columns(message)
        frame._message = None
        return
    data = payloads.read(message)
    try:
        if message.encoding == sync_pb2.json:
            frame._json = _object(loads(data), "the observation")
        elif message.encoding == sync_pb2.proto:
            frame.response = sc2api_pb2.ResponseObservation.FromString(data)
        else:
            raise ProtocolError(f"a frame in encoding {message.encoding}, which is unknown")
    except (DecodeError, ValueError, RecursionError) as error:
        raise ProtocolError(f"frame {message.sequence} cannot be parsed: {error}") from None
    frame._message = None


def from_json(message: object, *, received: int, size: int) -> Frame:
    """A frame from a JSON object.

    Raises:
        ProtocolError: it is not an object, or a field is not valid ProtoJSON.
    """
    fields = _object(message, "a frame")
    frame = Frame()
    frame._json = _object(fields.get("observation", {}), "the observation of a frame")
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


def from_recording(recorded: bytes | Columns, *, sequence: int, game_loop: int, match_id: str) -> Frame:
    """A frame from a recorded `ResponseObservation`, or from its columns."""
    frame = Frame()
    if isinstance(recorded, bytes):
        frame._data = recorded
        frame.size = len(recorded)
    else:
        frame._columns = recorded
    frame.match_id = match_id
    frame.sequence = sequence
    frame.game_loop = game_loop
    return frame


def _loads() -> Any:
    try:
        import orjson
    except ImportError:
        import json

        return json.loads
    return orjson.loads


#: The fastest JSON reader that is installed.
loads = _loads()

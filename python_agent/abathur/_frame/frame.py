"""One observation, for agents."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from s2clientprotocol import sc2api_pb2

from abathur._frame import equivalents
from abathur._frame.grids import Grids
from abathur._frame.source import FrameSource, UnreadableError
from abathur._frame.timing import NO_TIMING, Timing
from abathur._frame.unit_view import ALLIANCES
from abathur._frame.units import Units
from abathur._values import game_time, html_table, proto_json
from abathur.errors import AbathurError, ProtocolError

if TYPE_CHECKING:
    from abathur.events import Event

#: Of a frame's slots; its place in a stream is of this process.
_NOT_COPIED = ("__dict__", "__weakref__", "_step")


class Step(Protocol):
    """The place of a frame in a stream, which gives it events."""

    def events(self, frame: Frame) -> tuple[Event, ...]:
        """What happened since the frame before."""

    def release(self) -> None:
        """Keep the frame before only as long as others keep it."""


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
        "_match_index",
        "_names_match",
        "_skipped_events",
        "_source",
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

    def __init__(self, source: FrameSource) -> None:
        """Frames are created by the package."""
        self._source = source
        self._skipped_events: sc2api_pb2.ResponseObservation | Mapping[str, Any] | None = None
        self._step: Step | None = None
        self._match_index = 0
        self.skipped_events_incomplete: bool = False
        self.match_id: str = ""
        self.run_id: str = ""
        #: Whether requests may name its match, because the daemon tells matches apart.
        self._names_match = False
        self.sequence: int = 0
        self.game_loop: int = 0
        self.dropped: int = 0
        self.dropped_loops: tuple[int, int] | None = None
        self.reconnected: bool = False
        self.size: int = 0
        self.timing: Timing = NO_TIMING

    @cached_property
    def response(self) -> sc2api_pb2.ResponseObservation:
        """The whole `ResponseObservation`: observation, actions, action errors, chat, player results.

        With encoding ``json`` or ``columns`` it is built on first use, which is slow: use `json`, or `units`, `grids`
        and `rest`, instead. Otherwise `units` and `events` are read from it: change a copy (``CopyFrom``).
        """
        try:
            return self._source.response
        except UnreadableError as error:
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
        try:
            return self._source.json
        except UnreadableError as error:
            raise self._damaged(error) from None

    @cached_property
    def units(self) -> Units:
        """All units as NumPy columns; without encoding ``columns`` each is built on first use."""
        try:
            return self._source.units
        except UnreadableError as error:
            raise self._damaged(error) from None

    @cached_property
    def grids(self) -> Grids:
        """The map as images: visibility and creep."""
        try:
            return self._source.grids
        except UnreadableError as error:
            raise self._damaged(error) from None

    @cached_property
    def rest(self) -> sc2api_pb2.ResponseObservation:
        """Everything that is not in `units` and `grids`: player, score, effects, events, chat.

        With encoding ``columns`` a `ResponseObservation` without units and without the bytes of those grids, parsed
        on first use; else the same as `response`.
        """
        try:
            return self._source.rest
        except UnreadableError as error:
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
    def time(self) -> float:
        """The game time in seconds, at 22.4 game loops a second: what the game's clock shows."""
        return self.game_loop / game_time.LOOPS_PER_SECOND

    @property
    def player(self) -> sc2api_pb2.PlayerCommon:
        """The player who sees it: ``frame.player.minerals``, ``.vespene``, ``.food_used``, ``.food_cap``, and more.

        Neither units nor the map are parsed, or built, for it.
        """
        try:
            return self._source.player
        except UnreadableError as error:
            raise self._damaged(error) from None

    @property
    def latency(self) -> float:
        """Seconds from published by the daemon to decoded here (one machine only)."""
        return (self.timing.decoded - self.timing.published) / 1e9

    def __getstate__(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the frame was made from; what was built on first use is built again."""
        slots = {name: getattr(self, name) for name in self.__slots__ if name not in _NOT_COPIED} | {"_step": None}
        return {}, slots

    def _is_of_run(self, other: Frame) -> bool:
        """Whether another frame is of the same run, as far as it is known."""
        same_run = self.run_id == other.run_id or not (self.run_id and other.run_id)
        return same_run and self.match_id == other.match_id

    def _damaged(self, error: Exception) -> ProtocolError:
        """The error that names the frame."""
        return ProtocolError(f"the observation of frame {self.sequence} cannot be read: {error}")

    def _without_units(self) -> sc2api_pb2.ResponseObservation:
        """See `FrameSource.without_units`. Raises ProtocolError if it is damaged."""
        try:
            return self._source.without_units
        except UnreadableError as error:
            raise self._damaged(error) from None

    # Type checkers find misspelled names.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """What to write in place of a name that does not exist."""
            return equivalents.absent(self, name, equivalents.FRAME)

    def __repr__(self) -> str:
        """Sequence, game loop and drops."""
        dropped = f", {self.dropped} dropped before" if self.dropped else ""
        return f"<Frame {self.sequence} at game loop {self.game_loop}{dropped}>"

    def _repr_html_(self) -> str:
        """For notebooks: the game loop, and the number of units of each alliance."""
        counts = [
            (f"{name} units", int((self.units.alliance == number).sum())) for number, name in enumerate(ALLIANCES, 1)
        ]
        rows = [
            ("game loop", self.game_loop),
            ("game time", game_time.clock(self.game_loop)),
            *counts,
            ("dropped before", self.dropped),
        ]
        return html_table.table(f"Frame {self.sequence}", (), rows)

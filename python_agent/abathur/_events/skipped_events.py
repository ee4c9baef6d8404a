"""What happens once in frames that a reader does not get, for its next frame."""

from __future__ import annotations

from s2clientprotocol import sc2api_pb2

from abathur._frame.frame import Frame

#: Bytes of them that one frame carries at most, as in the daemon (docs/security.md).
MAX_BYTES = 256 * 1024
_LISTS = ("actions", "action_errors", "chat", "player_result")


class SkippedEvents:
    """Collects them frame by frame: see `Frame.skipped_events`."""

    def __init__(self) -> None:
        """Nothing was skipped yet."""
        self._together = sc2api_pb2.ResponseObservation()
        self._incomplete = False

    def skip(self, frame: Frame) -> None:
        """A frame that the reader does not get: what it tells of frames before it, and its own.

        Raises:
            ProtocolError: it is damaged.
        """
        own = frame._without_units() if frame._source.may_have_events else None
        self._incomplete |= frame.skipped_events_incomplete
        if self._together.ByteSize() > MAX_BYTES:
            self._incomplete = True
            return
        if frame.skipped_events is not None:
            self.add(frame.skipped_events)
        if own is not None:
            self.add(own)

    def lose(self) -> None:
        """A frame that the reader does not get, and of which nothing is known."""
        self._incomplete = True

    def complete(self, frame: Frame) -> None:
        """Tell all of it with the frame that the reader gets next."""
        if self._together.ByteSize():
            if frame.skipped_events is not None:
                self.add(frame.skipped_events)
            frame._skipped_events = self.take()
        frame.skipped_events_incomplete |= self._incomplete
        self._incomplete = False

    def add(self, observation: sc2api_pb2.ResponseObservation) -> None:
        """A frame that is skipped; it may lack its units."""
        add_events(self._together, observation)

    def take(self) -> sc2api_pb2.ResponseObservation | None:
        """What was in the skipped frames, in their order; None if nothing. Collection starts again."""
        together, self._together = self._together, sc2api_pb2.ResponseObservation()
        return together if together.ByteSize() else None


def add_events(to: sc2api_pb2.ResponseObservation, source: sc2api_pb2.ResponseObservation) -> None:
    """Append the lists of what happens once."""
    for name in _LISTS:
        getattr(to, name).extend(getattr(source, name))
    if source.observation.alerts:
        to.observation.alerts.extend(source.observation.alerts)
    if source.observation.raw_data.event.dead_units:
        to.observation.raw_data.event.dead_units.extend(source.observation.raw_data.event.dead_units)

"""What happens once in frames that a reader does not get, for its next frame."""

from __future__ import annotations

from s2clientprotocol import sc2api_pb2

_LISTS = ("actions", "action_errors", "chat", "player_result")


class SkippedEvents:
    """Collects them frame by frame: see `Frame.skipped_events`."""

    def __init__(self) -> None:
        """Nothing was skipped yet."""
        self._skipped: list[bytes] = []

    def add(self, data: bytes) -> None:
        """A frame that is skipped: a serialized `ResponseObservation`."""
        self._skipped.append(data)

    def take(self) -> sc2api_pb2.ResponseObservation | None:
        """What was in the skipped frames, in their order; None if nothing. Collection starts again."""
        skipped, self._skipped = self._skipped, []
        together = sc2api_pb2.ResponseObservation()
        for data in skipped:
            add_events(together, sc2api_pb2.ResponseObservation.FromString(data))
        return together if together.ByteSize() else None


def add_events(to: sc2api_pb2.ResponseObservation, source: sc2api_pb2.ResponseObservation) -> None:
    """Append the lists of what happens once."""
    for name in _LISTS:
        getattr(to, name).extend(getattr(source, name))
    if source.observation.alerts:
        to.observation.alerts.extend(source.observation.alerts)
    if source.observation.raw_data.event.dead_units:
        to.observation.raw_data.event.dead_units.extend(source.observation.raw_data.event.dead_units)

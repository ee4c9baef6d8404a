"""What happens once in frames that a reader does not get, for its next frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from google.protobuf import json_format
from s2clientprotocol import sc2api_pb2

from abathur._malformed import MALFORMED
from abathur.errors import ProtocolError

if TYPE_CHECKING:
    from abathur._frame import Frame

_LISTS = ("actions", "action_errors", "chat", "player_result")
_LISTS_IN_JSON = ("actions", "actionErrors", "chat", "playerResult")


class SkippedEvents:
    """Collects them frame by frame: see `Frame.skipped_events`."""

    def __init__(self) -> None:
        """Nothing was skipped yet."""
        self._together = sc2api_pb2.ResponseObservation()

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


def without_units(frame: Frame) -> sc2api_pb2.ResponseObservation:
    """What is cheap to read of a frame, and has at least what happens once, and the upgrades. Do not change it.

    Raises:
        ProtocolError: it is damaged.
    """
    if frame._json is None:
        return frame.rest
    try:
        observation = frame.json.get("observation", {})
        raw = observation.get("rawData", {})
        wanted = {
            **{name: frame.json[name] for name in _LISTS_IN_JSON if name in frame.json},
            "observation": {
                "alerts": observation.get("alerts", []),
                "rawData": {
                    "event": {"deadUnits": raw.get("event", {}).get("deadUnits", [])},
                    "player": {"upgradeIds": raw.get("player", {}).get("upgradeIds", [])},
                },
            },
        }
        return json_format.ParseDict(wanted, sc2api_pb2.ResponseObservation())
    except (json_format.ParseError, *MALFORMED) as error:
        raise ProtocolError(f"the observation of frame {frame.sequence} cannot be read: {error}") from None

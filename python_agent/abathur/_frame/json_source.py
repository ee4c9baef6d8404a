"""The observation of a frame as ProtoJSON objects."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from s2clientprotocol import sc2api_pb2

from abathur._frame.source import FrameSource, UnreadableError
from abathur._frame.units import Units
from abathur._values import proto_json
from abathur._values.malformed import MALFORMED

_LISTS = ("actions", "actionErrors", "chat", "playerResult")


class JsonSource(FrameSource):
    """Objects, which are kept."""

    def __init__(self, observation: Mapping[str, Any]) -> None:
        """A `ResponseObservation` as canonical ProtoJSON."""
        self._made_from = observation

    @property
    def json(self) -> Mapping[str, Any]:
        """The objects."""
        return self._made_from  # type: ignore[no-any-return]

    @cached_property
    def response(self) -> sc2api_pb2.ResponseObservation:
        """The message that they are."""
        return _message(self.json)

    @cached_property
    def units(self) -> Units:
        """The units, each column read from the objects on first use."""
        try:
            units = self.json.get("observation", {}).get("rawData", {}).get("units", [])
        except MALFORMED as error:
            raise UnreadableError(str(error)) from None
        if not isinstance(units, list):
            raise UnreadableError("its units are not a list")
        return Units.from_json(units)

    @property
    def without_units(self) -> sc2api_pb2.ResponseObservation:
        """What happens once, the upgrades, and the numbers of the player and of the score."""
        try:
            observation = self.json.get("observation", {})
            raw = observation.get("rawData", {})
            wanted = {
                **{name: self.json[name] for name in _LISTS if name in self.json},
                "observation": {
                    "alerts": observation.get("alerts", []),
                    "playerCommon": observation.get("playerCommon", {}),
                    "score": observation.get("score", {}),
                    "rawData": {
                        "event": {"deadUnits": raw.get("event", {}).get("deadUnits", [])},
                        "player": {"upgradeIds": raw.get("player", {}).get("upgradeIds", [])},
                    },
                },
            }
        except MALFORMED as error:
            raise UnreadableError(str(error)) from None
        return _message(wanted)

    @property
    def may_have_events(self) -> bool:
        """Whether something in it happens once, or it is damaged. Most frames have nothing."""
        if any(self.json.get(name) for name in _LISTS):
            return True
        try:
            inner = self.json.get("observation", {})
            return bool(inner.get("alerts") or inner.get("rawData", {}).get("event"))
        except MALFORMED:
            return True


def _message(observation: Mapping[str, Any]) -> sc2api_pb2.ResponseObservation:
    try:
        return proto_json.parse(observation, sc2api_pb2.ResponseObservation())
    except proto_json.ERRORS as error:
        raise UnreadableError(str(error)) from None

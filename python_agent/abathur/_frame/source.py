"""The observation of a frame in the form in which it came."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import DecodeError
from s2clientprotocol import sc2api_pb2

from abathur._frame import without_units
from abathur._frame.bytes_units import units_of
from abathur._frame.grids import Grids
from abathur._frame.units import Units
from abathur.columns import Columns


class UnreadableError(Exception):
    """The observation is damaged. The frame says which one."""


class FrameSource(ABC):
    """What a frame has of its observation. Each part is made on first use, and raises UnreadableError.

    A subclass is made from one thing, `_made_from`, with which it is pickled.

    Attributes:
        columns: The observation in encoding ``columns``, if it came so.
    """

    columns: Columns | None = None
    _made_from: Any

    @property
    @abstractmethod
    def response(self) -> sc2api_pb2.ResponseObservation:
        """All of it, see `Frame.response`."""

    @cached_property
    def json(self) -> Mapping[str, Any]:
        """All of it, see `Frame.json`."""
        return json_format.MessageToDict(self.response)

    @cached_property
    def units(self) -> Units:
        """See `Frame.units`."""
        return Units.from_proto(self.response.observation.raw_data.units)

    @cached_property
    def grids(self) -> Grids:
        """See `Frame.grids`."""
        return Grids(self.response.observation.raw_data.map_state, {})

    @property
    def rest(self) -> sc2api_pb2.ResponseObservation:
        """See `Frame.rest`."""
        return self.response

    @property
    def player(self) -> sc2api_pb2.PlayerCommon:
        """See `Frame.player`."""
        return self.rest.observation.player_common

    @property
    def without_units(self) -> sc2api_pb2.ResponseObservation:
        """What is cheap to read. Do not change it.

        It has at least what happens once, the upgrades, and the numbers of the player and of the score.
        """
        return self.rest

    @property
    def may_have_events(self) -> bool:
        """False where it is known that nothing in it happens once."""
        return True

    def __reduce__(self) -> tuple[type[FrameSource], tuple[Any]]:
        """What it was made from; what was built on first use is built again."""
        return type(self), (self._made_from,)


class MessageSource(FrameSource):
    """A message, which is kept."""

    def __init__(self, response: sc2api_pb2.ResponseObservation) -> None:
        """The parsed observation."""
        self._made_from = response

    @property
    def response(self) -> sc2api_pb2.ResponseObservation:
        """The message."""
        return self._made_from  # type: ignore[no-any-return]


class BytesSource(FrameSource):
    """A serialized message."""

    def __init__(self, data: bytes) -> None:
        """The bytes of a `ResponseObservation`."""
        self._made_from = data

    @property
    def data(self) -> bytes:
        """The bytes."""
        return self._made_from  # type: ignore[no-any-return]

    @cached_property
    def response(self) -> sc2api_pb2.ResponseObservation:
        """The parsed message."""
        return parsed(self.data)

    @cached_property
    def without_units(self) -> sc2api_pb2.ResponseObservation:
        """Parsed by itself, in a fraction of the time, unless the whole message is parsed already."""
        if "response" in self.__dict__:
            return self.response
        try:
            return without_units.parse(self.data)
        except DecodeError as error:
            raise UnreadableError(str(error)) from None

    @property
    def player(self) -> sc2api_pb2.PlayerCommon:
        """Of what is parsed without units."""
        return self.without_units.observation.player_common

    @cached_property
    def units(self) -> Units:
        """The units, without parsing the message where that is possible."""
        found = units_of(self.data)
        return super().units if found is None else Units(found)


def parsed(data: bytes) -> sc2api_pb2.ResponseObservation:
    """A serialized observation. Raises UnreadableError."""
    try:
        return sc2api_pb2.ResponseObservation.FromString(data)
    except DecodeError as error:
        raise UnreadableError(str(error)) from None

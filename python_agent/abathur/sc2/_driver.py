"""Drives the life cycle of one BotAI over the frames of a match. Imported only where burnysc2 is installed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from s2clientprotocol import data_pb2, raw_pb2, sc2api_pb2
from sc2.bot_ai import BotAI
from sc2.data import Result
from sc2.game_data import AbilityData, GameData, UnitTypeData
from sc2.game_info import GameInfo
from sc2.game_state import GameState
from sc2.position import Point2
from sc2.unit import Unit
from sc2.units import Units

from abathur._events.skipped_events import add_events
from abathur.sc2 import _checks
from abathur.sc2._client import FrameClient
from abathur.sc2._start import Symmetry, find_start

#: Resources closer than this to an image are the same.
_SAME_RESOURCE = 1.5


class _Abilities(dict[int, AbilityData]):
    """Abilities that python-sc2 has no name for are not in its game data: its own `unit.orders` fails on them."""

    def __init__(self, data: GameData) -> None:
        super().__init__(data.abilities)
        self._data = data

    def __missing__(self, number: int) -> AbilityData:
        return AbilityData(self._data, data_pb2.AbilityData(ability_id=number))


class BotDriver:
    """One bot in one match, from its first frame."""

    def __init__(
        self,
        bot: BotAI,
        client: FrameClient,
        info: sc2api_pb2.ResponseGameInfo,
        data: sc2api_pb2.ResponseData,
        player_id: int,
        base_build: int | None = None,
    ) -> None:
        """Of a match that `check_match` accepts; `base_build` of its game, if it is known."""
        self.bot = bot
        self.client = client
        client.game_info, client.game_data = info, data
        client._player_id = player_id
        self._info = info
        self._types = {unit.unit_id: unit for unit in data.units}
        self._known = frozenset(self._types)
        self._player_id = player_id
        self._base_build = base_build
        self._iteration = 0
        self._game_data = GameData(data)
        self._game_data.abilities = _Abilities(self._game_data)

    async def start(self, response: sc2api_pb2.ResponseObservation) -> None:
        """Prepare the first step, and call `on_before_start` and `on_start`.

        Raises:
            AbathurError: a BotAI cannot run on this observation.
        """
        _checks.check_observation(response)
        bot = self.bot
        await _call(bot._initialize_variables)
        more: dict[str, Any] = {}
        if self._base_build is not None and "base_build" in inspect.signature(bot._prepare_start).parameters:
            more["base_build"] = self._base_build
        # In real time, as the game goes on whatever the bot does.
        await _call(
            bot._prepare_start,
            self.client,
            self._player_id,
            GameInfo(self._info),
            self._game_data,
            realtime=True,
            **more,
        )
        await self._prepare(response)
        await _call(bot.on_before_start)
        await self._prepare_first_step()
        await _call(bot.on_start)

    async def step(self, response: sc2api_pb2.ResponseObservation) -> None:
        """Call the callbacks for the events of an observation, then `on_step`."""
        await self._prepare(response)
        await _call(self.bot.issue_events)
        await _call(self.bot.on_step, self._iteration)
        self._iteration += 1
        await _call(self.bot._after_step)

    async def end(self, result: Result) -> None:
        """Call `on_end`."""
        self.client.end(result)
        await _call(self.bot.on_end, result)

    async def _prepare(self, response: sc2api_pb2.ResponseObservation) -> None:
        _checks.check_types(response, self._known)
        units = self._game_data.units
        for unit in response.observation.raw_data.units:
            if unit.unit_type not in units and unit.unit_type in self._types:
                # python-sc2 drops the types that cannot be made, although they may be on the map.
                units[unit.unit_type] = UnitTypeData(self._game_data, self._types[unit.unit_type])
        self.client.response = response
        answer = sc2api_pb2.Response(game_info=self._info)
        await _call(self.bot._prepare_step, GameState(response), answer)

    async def _prepare_first_step(self) -> None:
        """As python-sc2, but for a match that may have begun long ago."""
        bot: Any = self.bot
        halls = [(hall.position.x, hall.position.y) for hall in bot.townhalls]
        found = find_start(self._info, halls)
        resources = bot.resources
        if found is not None and _has_images(bot.vespene_geyser, found.symmetry):
            bot.resources = _with_images(resources, found.symmetry, bot)
        await _call(bot._prepare_first_step)
        if not bot._expansion_positions_list and bot.resources:
            # python-sc2 looks for them only where there is a town hall.
            bot._find_expansion_locations()
        bot.resources = resources
        if found is not None:
            start = Point2(found.start)
            # The position of a town hall there is exact.
            bot.game_info.player_start_location = next(
                (hall.position for hall in bot.townhalls if hall.position.distance_to(start) < _SAME_RESOURCE), start
            )


async def _call(method: Callable[..., Any], *args: Any, **options: Any) -> None:
    """Call what a bot may have overridden: in forks of python-sc2 any of it is a coroutine function, or none is."""
    returned = method(*args, **options)
    if inspect.isawaitable(returned):
        await returned


def _has_images(units: Units, symmetry: Symmetry) -> bool:
    """Whether each of some units that stay for the whole match has another on the other side of the map."""
    places = _places(units)
    images = [symmetry.image(x, y) for x, y in places]
    return all(np.abs(places - image).max(axis=1).min() < _SAME_RESOURCE for image in images)


def _places(units: Units) -> NDArray[np.float64]:
    return np.array([(each.position.x, each.position.y) for each in units], np.float64).reshape(-1, 2)


def _with_images(resources: Units, symmetry: Symmetry, bot: BotAI) -> Units:
    """The resources, and those that were mined out but are still on the other side of the map.

    Expansion locations are found between the resources, so that mined out patches would shift them.
    """
    places = _places(resources)
    made = list(resources)
    for each in resources:
        x, y = symmetry.image(each.position.x, each.position.y)
        if np.abs(places - (x, y)).max(axis=1).min() > _SAME_RESOURCE:
            proto = raw_pb2.Unit()
            proto.CopyFrom(each._proto)
            proto.pos.x, proto.pos.y = x, y
            made.append(Unit(proto, bot))
    return Units(made, bot)


def own_response(
    response: sc2api_pb2.ResponseObservation, skipped: sc2api_pb2.ResponseObservation | None
) -> sc2api_pb2.ResponseObservation:
    """An observation as the game gives it after skipped game loops, with creep of a bit a cell as python-sc2 needs it.

    The message is changed: python-sc2 reads it lazily, so that it belongs to the bot.
    """
    if skipped is not None and skipped.ByteSize():
        together = sc2api_pb2.ResponseObservation()
        add_events(together, skipped)
        add_events(together, response)
        for name in ("actions", "action_errors", "chat", "player_result"):
            response.ClearField(name)
        if together.observation.alerts:
            response.observation.ClearField("alerts")
        if together.observation.raw_data.event.dead_units:
            response.observation.raw_data.event.ClearField("dead_units")
        add_events(response, together)
    creep = response.observation.raw_data.map_state.creep
    if creep.data and len(creep.data) == creep.size.x * creep.size.y:
        creep.data = np.packbits(np.frombuffer(creep.data, np.uint8) != 0).tobytes()
        creep.bits_per_pixel = 1
    return response

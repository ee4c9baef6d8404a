"""python-sc2's client without the game's connection. Imported only where burnysc2 is installed."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from s2clientprotocol import error_pb2, query_pb2, sc2api_pb2
from sc2.client import Client
from sc2.data import Result, Status
from sc2.protocol import ProtocolError

from abathur._values.printable import printable
from abathur.sc2._drawings import shapes
from abathur.sc2._estimates import Estimates
from abathur.sc2._result import BotResult
from abathur.sc2._source import NotAllowed, NotNow, Over, Source

_logger = logging.getLogger("abathur")
#: How often a query is asked again, a game loop later each time, when too many were asked.
_ATTEMPTS = 20


class FrameClient(Client):
    """The client that a bot has as ``self.client``. All its requests end in `_execute`.

    Attributes:
        response: The newest observation.
    """

    def __init__(self, source: Source, estimates: Estimates, told: BotResult, layer: str, tick_hz: float) -> None:
        # What python-sc2 takes is a connection, which is never used.
        super().__init__(source)  # type: ignore[arg-type]
        self.response = sc2api_pb2.ResponseObservation()
        self.game_info = sc2api_pb2.ResponseGameInfo()
        self.game_data = sc2api_pb2.ResponseData()
        self._source = source
        self._estimates = estimates
        self._told = told
        self._layer = layer
        self._loop_seconds = 1 / tick_hz
        self._may_act = self._may_query = self._may_draw = True
        self._status = Status.in_game

    def deny_actions(self) -> None:
        """The source accepts no actions: do not try."""
        self._may_act = False

    def end(self, result: Result) -> None:
        """The match is over."""
        self._game_result = {self._player_id: result}
        self._status = Status.ended

    # python-sc2 lists an overload for each request.
    async def _execute(self, **request: Any) -> sc2api_pb2.Response:  # type: ignore[override]
        ((kind, value),) = request.items()
        assert self._status is not None
        answer = sc2api_pb2.Response(status=self._status.value)  # type: ignore[arg-type]
        match kind:
            case "action":
                answer.action.result.extend(await self._act(list(value.actions)))
            case "query":
                answer.query.CopyFrom(await self._query(value))
            case "debug":
                await self._debug(value)
            case "observation":
                answer.observation.CopyFrom(self.response)
            case "game_info":
                answer.game_info.CopyFrom(self.game_info)
            case "data":
                answer.data.CopyFrom(self.game_data)
            case "ping":
                answer.ping.SetInParent()
            case "leave_game":
                self._status = Status.launched
            case "obs_action":
                self._told.debug_withheld += 1
            case _:
                raise ProtocolError(f"a bot that watches frames cannot request {kind!r}")
        return answer

    async def _act(self, actions: list[sc2api_pb2.Action]) -> list[Any]:
        if self._may_act:
            try:
                results = await self._source.act(actions)
                self._told.actions_sent += len(actions)
                return results
            except NotAllowed:
                self._may_act = False
            except NotNow as error:
                raise ProtocolError(str(error)) from None
            except Over as error:
                _logger.debug("%s acts too late: %s", self._layer, printable(str(error)))
        if not self._told.actions_withheld:
            _logger.warning("%s acts, but this source accepts no actions: they are withheld", self._layer)
        self._told.actions_withheld += len(actions)
        return [error_pb2.Success] * len(actions)

    async def _query(self, query: query_pb2.RequestQuery) -> query_pb2.ResponseQuery:
        if self._may_query:
            try:
                for _ in range(_ATTEMPTS):
                    try:
                        return await self._source.query(query)
                    except NotNow:
                        await asyncio.sleep(self._loop_seconds)
            except NotAllowed:
                self._may_query = False
            except Over as error:
                _logger.debug("%s asks too late: %s", self._layer, printable(str(error)))
        if not self._told.queries_unanswered:
            _logger.warning("%s gets estimates: this source does not answer its queries", self._layer)
        self._told.queries_unanswered += 1
        return self._estimates.answer(query, self.response)

    async def _debug(self, request: sc2api_pb2.RequestDebug) -> None:
        for command in request.debug:
            if not command.HasField("draw"):
                self._told.debug_withheld += 1
            elif self._may_draw:
                try:
                    await self._source.draw(shapes(command.draw), self._layer)
                except NotAllowed:
                    self._may_draw = False
                except (NotNow, Over) as error:
                    _logger.debug("%s is not drawn: %s", self._layer, printable(str(error)))

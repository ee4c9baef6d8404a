"""Where a bot's frames come from, and where its requests go: a daemon, or a recording without one."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from s2clientprotocol import error_pb2, query_pb2, sc2api_pb2

from abathur._client.game import Game, connect
from abathur._client.options import AgentOptions, ConnectOptions, SubscribeOptions, check_known
from abathur._frame.frame import Frame
from abathur._recording.opened import open_recording
from abathur._recording.recording import Recording
from abathur.errors import AbathurError, ConnectError, RequestError
from abathur.sync.v1 import sync_pb2

#: Refusals that stay: the source, the rights, or an older daemon.
_NEVER = frozenset(("FAILED_PRECONDITION", "PERMISSION_DENIED", "UNAUTHENTICATED", "UNIMPLEMENTED"))
#: Frames of a recording are not dropped, and are downsampled; the other options are a daemon's.
_RECORDING_OPTIONS = ("every",)


class NotAllowed(Exception):  # noqa: N818 - not an error of the user
    """The source never accepts such a request."""


class NotNow(Exception):  # noqa: N818 - not an error of the user
    """The source did not accept the request this time."""


class Over(Exception):  # noqa: N818 - not an error of the user
    """The match is over, or the connection is broken: frames on the way still follow."""


@dataclass(frozen=True, slots=True)
class MatchData:
    """What a bot needs of a match."""

    game_info: sc2api_pb2.ResponseGameInfo | None
    game_data: sc2api_pb2.ResponseData | None
    player_id: int
    tick_hz: float
    accepts_actions: bool
    base_build: int | None = None


class Source(Protocol):
    """Frames, and requests about them.

    Attributes:
        step: Game loops between two steps of a bot; None: as the bot says.
    """

    step: int | None

    def frames(self) -> AsyncGenerator[Frame | sync_pb2.MatchEnded, None]:
        """The frames; with `follow` the end of each match behind them."""

    async def match(self) -> MatchData:
        """The match of the newest frame."""

    async def act(self, actions: list[sc2api_pb2.Action]) -> list[int]:
        """Send actions to the game; its result of each. Raises NotAllowed, NotNow, Over."""

    async def query(self, query: query_pb2.RequestQuery) -> query_pb2.ResponseQuery:
        """Ask the game. Raises NotAllowed, NotNow, Over."""

    async def draw(self, shapes: list[sync_pb2.Shape], layer: str) -> None:
        """Draw over the map. Raises NotAllowed, NotNow, Over."""


@contextlib.asynccontextmanager
async def open_source(source: object, name: str, options: dict[str, Any]) -> AsyncIterator[Source]:
    """The source of an address, or of a recording's file.

    Raises:
        TypeError: an option does not exist, or not for a recording.
    """
    check_known(options, AgentOptions)
    if isinstance(source, os.PathLike) or (isinstance(source, str) and source.endswith(".mcap")):
        if others := options.keys() - set(_RECORDING_OPTIONS):
            raise TypeError(f"a recording has no option {min(others)!r}; it has every")
        with open_recording(Path(source)) as recording:
            yield _RecordingSource(recording, options.get("every"))
        return
    if source is not None and not isinstance(source, str):
        raise TypeError(f"an address is a string, and a recording a path, not {source!r}")
    async with connect(source, **_of(ConnectOptions, options)) as game:
        yield _GameSource(game, {"name": name} | _of(SubscribeOptions, options))


class _GameSource:
    def __init__(self, game: Game, options: SubscribeOptions) -> None:
        self._game = game
        self._options = options
        # The daemon has skipped the others.
        self.step = 0 if "every" in options else None

    def frames(self) -> AsyncGenerator[Frame | sync_pb2.MatchEnded, None]:
        return self._game._read(self._options)

    async def match(self) -> MatchData:
        match = await self._game.match()
        if match is None:
            raise AbathurError("the daemon has not said which match it publishes")
        info = match.game_info if match.HasField("game_info") else None
        data = match.game_data if match.HasField("game_data") else None
        return MatchData(info, data, match.player_id, match.tick_hz or 22.4, match.actions_allowed)

    async def act(self, actions: list[sc2api_pb2.Action]) -> list[int]:
        async with self._refusals():
            result = await self._game.act(actions)
        numbers = error_pb2.ActionResult.DESCRIPTOR.values_by_name
        return [numbers[name].number if name in numbers else int(name) for name in result.results]

    async def query(self, query: query_pb2.RequestQuery) -> query_pb2.ResponseQuery:
        async with self._refusals():
            result = await self._game.query(query)
        return result.response

    async def draw(self, shapes: list[sync_pb2.Shape], layer: str) -> None:
        async with self._refusals():
            await self._game.draw(shapes, layer=layer)

    @contextlib.asynccontextmanager
    async def _refusals(self) -> AsyncIterator[None]:
        try:
            yield
        except RequestError as error:
            if error.code not in _NEVER:
                raise NotNow(str(error)) from None
            if self._options.get("follow") and await self._game._is_after_match(error):
                raise Over(str(error)) from None
            raise NotAllowed(str(error)) from None
        except ConnectError as error:
            raise Over(str(error)) from None


class _RecordingSource:
    def __init__(self, recording: Recording, every: int | None) -> None:
        self._recording = recording
        self.step = every

    async def frames(self) -> AsyncGenerator[Frame | sync_pb2.MatchEnded, None]:
        # Every frame: the last one has the result.
        for frame in self._recording.frames():
            yield frame
            # Nothing here waits, and others in the event loop have their turn: Ctrl-C, timeouts, other bots.
            await asyncio.sleep(0)

    async def match(self) -> MatchData:
        recording = self._recording
        player, build = (recording.metadata.get(name, "") for name in ("player_id", "base_build"))
        return MatchData(
            recording.game_info(),
            recording.game_data(),
            int(player) if player.isdecimal() else 0,
            recording.tick_hz,
            accepts_actions=False,
            base_build=int(build) if build.isdecimal() else None,
        )

    async def act(self, actions: list[sc2api_pb2.Action]) -> list[int]:
        raise NotAllowed

    async def query(self, query: query_pb2.RequestQuery) -> query_pb2.ResponseQuery:
        raise NotAllowed

    async def draw(self, shapes: list[sync_pb2.Shape], layer: str) -> None:
        raise NotAllowed


def _of(kind: type, options: dict[str, Any]) -> Any:
    return {name: value for name, value in options.items() if name in kind.__annotations__}

"""An agent as a class, similar to BotAI."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from typing import Any, ClassVar, Literal, Unpack

from s2clientprotocol import sc2api_pb2

from abathur._client import event_callbacks, event_loop
from abathur._client.act import ActResult
from abathur._client.game import Game, connect
from abathur._client.options import (
    AgentOptions,
    Compression,
    ConnectOptions,
    Encoding,
    Policy,
    SubscribeOptions,
    check_known,
)
from abathur._client.runs import Run
from abathur._frame.frame import Frame
from abathur._frame.timing import monotonic_ns
from abathur._frame.unit_view import UnitView
from abathur._values.game_time import GameTime
from abathur.errors import ConnectError, RequestError
from abathur.sync.v1 import sync_pb2

#: Characters of a name that the daemon accepts.
_MAX_NAME = 64
#: How long frames may still arrive after a request that failed because the match has ended.
_END_NS = 1_000_000_000


class Agent:
    """Override `on_start`, `on_step`, `on_end`; then ``MyAgent().run()``.

    The other callbacks are called before `on_step`, for what has happened to units since the previous frame: see
    `abathur.events`. Only agents that override one of them pay for it.

    The options of `Game.frames` and of `connect` are class attributes, or arguments of `run`, which come first::

        class Scout(abathur.Agent):
            policy = "every"
            encoding = "columns"

        Scout().run(token="...")

    Without a `name`, the daemon's status shows the name of the class.

    With ``follow = True`` it goes on with the next match when one is over: `on_start` and `on_end` are called for each,
    and requests are about the match of the last frame. What the agent itself keeps of a match, it resets in `on_start`.

    Attributes:
        game: The connection, while the agent runs.
    """

    # For type checkers, which cannot take them from `AgentOptions`; a test compares the two.
    token: ClassVar[str | None]
    ca: ClassVar[str | os.PathLike[str] | None]
    creds: ClassVar[str | os.PathLike[str] | None]
    wait: ClassVar[float]
    reconnect_timeout: ClassVar[float]
    connect_timeout: ClassVar[float]
    request_timeout: ClassVar[float]
    policy: ClassVar[Policy]
    encoding: ClassVar[Encoding]
    compression: ClassVar[Compression]
    compression_level: ClassVar[int]
    fields: ClassVar[Iterable[str]]
    every: ClassVar[int]
    start: ClassVar[GameTime | Literal["live", "oldest"]]
    max_frames: ClassVar[int]
    run_id: ClassVar[Run]
    follow: ClassVar[bool]
    buffer: ClassVar[int]
    credits: ClassVar[int]
    lockstep_timeout: ClassVar[float | None]
    name: ClassVar[str]
    max_frame_bytes: ClassVar[int]
    game: Game

    async def on_start(self) -> None:
        """Called once, when the first frame has arrived; with `follow` the first frame of each match."""

    async def on_step(self, frame: Frame) -> None:
        """Called for each frame."""

    async def on_end(self, results: list[sc2api_pb2.PlayerResult]) -> None:
        """Called once after the last frame, with its results (empty when a playback ends early).

        With `follow`, after the last frame of each match, as soon as that is over.
        """

    def __repr__(self) -> str:
        """Its game, while it runs."""
        game = getattr(self, "game", None)
        return f"<{type(self).__name__}, not running>" if game is None else f"<{type(self).__name__} on {game!r}>"

    async def on_unit_destroyed(self, tag: int) -> None:
        """Called before `on_step`, for a unit of the previous frame that has died."""

    async def on_unit_created(self, unit: UnitView) -> None:
        """Called for an own unit, not a structure, that appears for the first time."""

    async def on_unit_took_damage(self, unit: UnitView, amount: float) -> None:
        """Called for an own unit or structure that has lost health or shield: `amount` of both together."""

    async def on_unit_type_changed(self, unit: UnitView, previous_type: int) -> None:
        """Called for an own unit or structure that has another type than before."""

    async def on_building_construction_started(self, unit: UnitView) -> None:
        """Called for an own structure that appears before it is complete."""

    async def on_building_construction_complete(self, unit: UnitView) -> None:
        """Called for an own structure that is complete, or appears complete."""

    async def on_upgrade_complete(self, upgrade: int) -> None:
        """Called for an upgrade that is complete: a number of `abathur.ids.UpgradeId`."""

    async def on_enemy_unit_entered_vision(self, unit: UnitView) -> None:
        """Called for an enemy unit or structure that appears."""

    async def on_enemy_unit_left_vision(self, tag: int) -> None:
        """Called for an enemy unit or structure that is not in the frame any more."""

    async def on_alert(self, alert: int) -> None:
        """Called for an alert of the game: a number of `s2clientprotocol.sc2api_pb2.Alert`."""

    async def act(self, actions: sc2api_pb2.Action | Iterable[sc2api_pb2.Action], *, max_late: int = 0) -> ActResult:
        """Send actions to the game. See `Game.act`."""
        return await self.game.act(actions, max_late=max_late)

    async def draw(self, shapes: sync_pb2.Shape | Iterable[sync_pb2.Shape]) -> sync_pb2.DrawResult:
        """Draw over the map, on a layer with the name of this class. See `Game.draw`."""
        return await self.game.draw(shapes, layer=type(self).__name__[:_MAX_NAME])

    async def plot(self, name: str, value: float) -> sync_pb2.PlotResult:
        """Add a value to a series of this agent, by the name of this class. See `Game.plot`."""
        return await self.game.plot(name, value, agent=type(self).__name__[:_MAX_NAME])

    async def run_async(self, address: str | None = None, **options: Unpack[AgentOptions]) -> None:
        """Run until the match ends, or the daemon shuts down.

        Args:
            address: As for `connect`.
            **options: The options of `connect` and `Game.frames`; they replace those of the class.

        Raises:
            TypeError: there is no such option.
            ConnectError: see `Game.frames`, which has more errors.
        """
        check_known(options, AgentOptions)
        given = self._class_options() | options
        async with connect(address, **_of(ConnectOptions, given)) as self.game:
            events = self.game._read(_of(SubscribeOptions, given))
            async with aclosing(events):
                await self._play(events, bool(given.get("follow")))

    async def _play(self, events: AsyncGenerator[Frame | sync_pb2.MatchEnded, None], follows: bool) -> None:
        """Call the callbacks for what comes, up to its end."""
        has_callbacks = event_callbacks.overridden(type(self), Agent)
        results: list[sc2api_pb2.PlayerResult] = []
        started = False
        failure: ConnectError | None = None
        failed = 0
        async for event in events:
            if isinstance(event, sync_pb2.MatchEnded):
                if started:
                    await self.on_end(list(event.results) or results)
                results, started = [], False
                continue
            frame = event
            if failure is not None:
                # A request failed because the match or the daemon has ended: only frames on the way follow.
                if frame.reconnected or frame.timing.received > failed + _END_NS:
                    raise failure
            else:
                try:
                    if not started:
                        started = True
                        await self.on_start()
                    if has_callbacks:
                        await event_callbacks.call(self, frame)
                    await self.on_step(frame)
                except ConnectError as error:
                    failure, failed = error, monotonic_ns()
                except RequestError as error:
                    # Where it follows, the match may be over while frames of it are on the way.
                    if not (follows and await self.game._is_after_match(error)):
                        raise
            results = list(frame.response.player_result)
        if started or not follows:
            await self.on_end(results)

    def run(self, address: str | None = None, **options: Unpack[AgentOptions]) -> None:
        """`run_async` for programs without an event loop.

        Raises:
            RuntimeError: an event loop is running, as in a notebook: ``await agent.run_async()``.
        """
        event_loop.run(
            lambda: self.run_async(address, **options),
            call=f"{type(self).__name__}().run()",
            instead="await agent.run_async()",
        )

    @classmethod
    def _class_options(cls) -> dict[str, Any]:
        # Attributes of the class only: an agent may use such a name for its own state.
        given = {name: getattr(cls, name) for name in AgentOptions.__annotations__ if hasattr(cls, name)}
        return {"name": cls.__name__[:_MAX_NAME], **given}


def _of(kind: type, options: dict[str, Any]) -> Any:
    """Those of the options that belong to a `TypedDict`."""
    return {name: value for name, value in options.items() if name in kind.__annotations__}

"""An agent as a class, similar to BotAI."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import aclosing
from typing import ClassVar

from s2clientprotocol import sc2api_pb2

from abathur import _frame
from abathur._act import ActResult
from abathur._frame import Frame
from abathur._game import Game, connect
from abathur._request import Policy
from abathur.errors import ConnectError
from abathur.sync.v1 import sync_pb2

#: How long frames may still arrive after a request that failed because the match has ended.
_END_NS = 1_000_000_000


class Agent:
    """Override `on_start`, `on_step`, `on_end`; then ``MyAgent().run()``.

    Attributes:
        policy: What happens when the agent lags: ``latest``, ``every`` or ``lockstep``. See `Game.frames`.
        fields: Field mask; empty: everything.
        game: The connection, while the agent runs.
    """

    policy: ClassVar[Policy] = "latest"
    fields: ClassVar[tuple[str, ...]] = ()
    game: Game

    async def on_start(self) -> None:
        """Called once, when the first frame has arrived."""

    async def on_step(self, frame: Frame) -> None:
        """Called for each frame."""

    async def on_end(self, results: list[sc2api_pb2.PlayerResult]) -> None:
        """Called once after the last frame, with its results (empty when a playback ends early)."""

    async def act(self, actions: Iterable[sc2api_pb2.Action], *, max_late: int = 0) -> ActResult:
        """Send actions to the game. See `Game.act`."""
        return await self.game.act(actions, max_late=max_late)

    async def draw(self, shapes: Iterable[sync_pb2.Shape]) -> sync_pb2.DrawResult:
        """Draw over the map, on a layer with the name of this class. See `Game.draw`."""
        return await self.game.draw(shapes, layer=type(self).__name__[:64])

    async def run_async(self, address: str | None = None) -> None:
        """Run until the match ends, or the daemon shuts down. Raises what `Game.frames` raises."""
        results: list[sc2api_pb2.PlayerResult] = []
        name = type(self).__name__[:64]
        async with connect(address) as self.game:
            frames = self.game.frames(policy=self.policy, fields=self.fields, name=name)
            async with aclosing(frames):
                started = False
                async for frame in frames:
                    try:
                        if not started:
                            started = True
                            await self.on_start()
                        await self.on_step(frame)
                    except ConnectError:
                        # A request failed because the match or the daemon has ended: only frames on the way follow.
                        failed = _frame.monotonic_ns()
                        async for last in frames:
                            if last.reconnected or last.timing.received > failed + _END_NS:
                                raise
                            frame = last
                    results = list(frame.response.player_result)
            await self.on_end(results)

    def run(self, address: str | None = None) -> None:
        """`run_async` for programs without an event loop."""
        asyncio.run(self.run_async(address))

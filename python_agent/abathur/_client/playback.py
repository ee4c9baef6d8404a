"""Controls the playback of a recording. tools/make_blocking.py generates the blocking twin."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from abathur._values import game_time
from abathur._values.game_time import GameTime
from abathur.sync.v1 import sync_pb2

_Request = sync_pb2.ControlRequest


class Playback:
    """The playback of a recording: `Game.playback`.

    Each call returns its state afterwards, and raises RequestError with FAILED_PRECONDITION if the source is not a
    playback.
    """

    def __init__(self, ask: Callable[[sync_pb2.ClientMessage], Awaitable[sync_pb2.Result]]) -> None:
        """Made by the game. `ask` sends a request."""
        self._ask = ask

    async def pause(self) -> sync_pb2.PlaybackState:
        """Stay at the frame."""
        return await self._control(_Request(pause=_Request.Pause()))

    async def resume(self) -> sync_pb2.PlaybackState:
        """Go on."""
        return await self._control(_Request(resume=_Request.Resume()))

    async def step(self, frames: int = 1) -> sync_pb2.PlaybackState:
        """Publish that many frames and stay paused."""
        return await self._control(_Request(step=_Request.Step(frames=frames)))

    async def seek(self, game_loop: GameTime) -> sync_pb2.PlaybackState:
        """Continue at the first frame at or after a game loop, or a game time: ``"2:00"``.

        Raises:
            RequestError: OUT_OF_RANGE: it is after the last.
        """
        loop = game_time.game_loop(game_loop, "game_loop")
        return await self._control(_Request(seek=_Request.Seek(game_loop=loop)))

    async def set_rate(self, rate: float) -> sync_pb2.PlaybackState:
        """Multiply the tick rate: 0.1 to 1000; 0: unlimited."""
        return await self._control(_Request(set_rate=_Request.SetRate(rate=rate)))

    async def set_loop(self, loop: bool) -> sync_pb2.PlaybackState:
        """Repeat the playback at its end, or not."""
        return await self._control(_Request(set_loop=_Request.SetLoop(loop=loop)))

    async def _control(self, request: sync_pb2.ControlRequest) -> sync_pb2.PlaybackState:
        return (await self._ask(sync_pb2.ClientMessage(control=request))).control

    def __repr__(self) -> str:
        """What it can do."""
        return "<Playback: pause, resume, step, seek, set_rate, set_loop>"

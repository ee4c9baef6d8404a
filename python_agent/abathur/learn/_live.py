"""Windows beside a running match."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, closing
from typing import Any, overload

from abathur._client.blocking_game import BlockingGame
from abathur._client.game import Game
from abathur._values import arguments
from abathur.learn._assembled import Window
from abathur.learn._rolling import Rolling
from abathur.learn._spec import Spec


@overload
def live(game: Game, spec: Spec, **options: Any) -> AsyncGenerator[Window, None]: ...


@overload
def live(game: BlockingGame, spec: Spec, **options: Any) -> Generator[Window, None, None]: ...


def live(
    game: Game | BlockingGame, spec: Spec, **options: Any
) -> AsyncGenerator[Window, None] | Generator[Window, None, None]:
    """Windows of the running match, the same as `Windows` makes of its recording.

    ::

        async for window in learn.live(game, spec):
            await game.plot("fight", model.predict(window))

    There is one at each sampled frame. All frames are read, so that it is the same frames that are sampled: an agent
    that does not keep up is ended (SlowConsumerError). After frames that were lost with a connection, and where the
    agent comes in the middle of a match, the first window comes when it is complete.

    Args:
        game: A connection: `abathur.connect`; of `abathur.connect_blocking`, it is ``for window in live(...)``.
        spec: What a window is.
        options: Of `Game.frames`, but for `policy` and `every`. Default: ``encoding="columns"``.

    Raises:
        AbathurError: as `Game.frames` does; or grids do not fit.
        TypeError: it is not a connection, or there is no such option.
    """
    for name in ("policy", "every"):
        if name in options:
            raise TypeError(f"live reads all frames: {name} is not an option of it")
    if not isinstance(spec, Spec):
        raise TypeError(f"spec is a learn.Spec, not {arguments.shown(spec)}")
    options = {"encoding": "columns", **options, "policy": "every"}
    if isinstance(game, Game):
        return _asynchronous(game, spec, options)
    if isinstance(game, BlockingGame):
        return _blocking(game, spec, options)
    raise TypeError(f"live takes a connection of abathur.connect(), not {arguments.shown(game)}")


async def _asynchronous(game: Game, spec: Spec, options: dict[str, Any]) -> AsyncGenerator[Window, None]:
    rolling = Rolling(spec)
    async with aclosing(game.frames(**options)) as frames:
        async for frame in frames:
            window = rolling.push(frame)
            if window is not None:
                yield window


def _blocking(game: BlockingGame, spec: Spec, options: dict[str, Any]) -> Generator[Window, None, None]:
    rolling = Rolling(spec)
    with closing(game.frames(**options)) as frames:
        for frame in frames:
            window = rolling.push(frame)
            if window is not None:
                yield window

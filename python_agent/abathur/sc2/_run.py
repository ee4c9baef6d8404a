"""Runs bots of python-sc2 on the frames of a daemon or a recording."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable
from contextlib import aclosing
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Unpack

from s2clientprotocol import sc2api_pb2

from abathur._client import event_loop
from abathur._client.options import AgentOptions
from abathur._events.skipped_events import add_events
from abathur._frame.frame import Frame
from abathur.errors import AbathurError
from abathur.sc2._result import BotResult

if TYPE_CHECKING:
    from sc2.bot_ai import BotAI

    from abathur.sc2._driver import BotDriver
    from abathur.sc2._source import Source

_logger = logging.getLogger("abathur")
_MAX_NAME = 64


def run(
    bot: BotAI | type[BotAI] | Callable[[], BotAI],
    source: str | os.PathLike[str] | None = None,
    **options: Unpack[AgentOptions],
) -> BotResult:
    """`run_async` for programs without an event loop.

    Raises:
        RuntimeError: an event loop is running, as in a notebook: ``await abathur.sc2.run_async(bot, source)``.
    """
    return event_loop.run(
        lambda: run_async(bot, source, **options),
        call="abathur.sc2.run()",
        instead="await abathur.sc2.run_async(bot, source)",
    )


async def run_async(
    bot: BotAI | type[BotAI] | Callable[[], BotAI],
    source: str | os.PathLike[str] | None = None,
    **options: Unpack[AgentOptions],
) -> BotResult:
    """Run an unchanged bot of python-sc2 on frames, beside the bot that plays.

    Many can run in one event loop. Without the option `every`, the bot gets a frame every ``client.game_step`` game
    loops, as in the game (4; a bot may set it); what happened once in the frames between is handed over with the next.
    With `every`, it gets each frame that arrives.

    Args:
        bot: The bot; or its class, or a function that makes one. A playback that goes back needs the latter two: the
            bot's state would be that of a later time, so that a new one is made. So does `follow`: each match has a new
            one.
        source: Address of a daemon, as for `abathur.connect`; or the file of a recording: a `Path`, or a string that
            ends in ``.mcap``.
        **options: The options of `abathur.connect` and `Game.frames`; for a recording only `every`.

    Returns:
        The result, and what the bot asked for that was withheld; with `follow` the result of the last match.

    Raises:
        AbathurError: burnysc2 is not installed, a BotAI cannot run on this match, or there is no way to make a new bot
            where the playback went back, or with `follow`.
        TypeError: there is no such option.
        ConnectError: see `Game.frames`, which has more errors.
        Exception: whatever a callback of the bot raises. `on_end` is not called then, as in python-sc2.
    """
    if find_spec("sc2") is None:
        raise AbathurError("bots of python-sc2 need burnysc2: pip install abathur-agent[sc2]")
    from abathur.sc2._source import open_source

    make, first = _factory(bot)
    follows = bool(options.get("follow"))
    if follows and make is None:
        raise AbathurError("a bot has one match: with follow, give run() its class, or a function that makes one")
    name = type(first).__name__[:_MAX_NAME]
    async with open_source(source, name, dict(options)) as opened:
        return await _Run(opened, make, first, follows).run()


def _factory(bot: Any) -> tuple[Callable[[], BotAI] | None, BotAI]:
    """How to make another bot, if that is known, and the first one."""
    from sc2.bot_ai import BotAI

    if isinstance(bot, BotAI):
        return None, bot
    made = bot()
    if not isinstance(made, BotAI):
        raise TypeError(f"a bot is a BotAI, or a class or function that makes one, not {bot!r}")
    return bot, made


class _Run:
    """One run. Its bot is replaced where a playback goes back, or another match begins."""

    def __init__(self, source: Source, make: Callable[[], BotAI] | None, bot: BotAI, follows: bool) -> None:
        from sc2.data import Result

        self._source = source
        self._make = make
        self._follows = follows
        #: Whether the bot has come to its end.
        self._has_ended = False
        self._driver: BotDriver | None = None
        self._told = BotResult(bot, Result.Undecided)
        self._last: Frame | None = None
        self._skipped = sc2api_pb2.ResponseObservation()
        self._next_loop = 0

    async def run(self) -> BotResult:
        frames = self._source.frames()
        async with aclosing(frames):
            async for event in frames:
                if not isinstance(event, Frame):
                    await self._finish(event.results)
                    self._last = None
                elif self._last is None or not self._has_ended:
                    self._has_ended = await self._take(event)
                    if self._has_ended and not self._follows:
                        return self._told
        await self._finish(())
        return self._told

    async def _finish(self, results: Iterable[sc2api_pb2.PlayerResult]) -> None:
        """The match is over, or the frames are."""
        if self._driver is not None and not self._has_ended:
            self._has_ended = True
            await self._end(results)

    async def _take(self, frame: Frame) -> bool:
        """Whether the bot has come to its end."""
        from sc2.data import Result

        last, self._last = self._last, frame
        if last is None:
            if self._driver is not None and self._make is not None:
                self._replace_bot(self._make)
        elif frame.game_loop < last.game_loop or not frame._is_of_run(last):
            self._restart(last, frame)
        self._told.game_loop = frame.game_loop
        if frame.skipped_events is not None:
            add_events(self._skipped, frame.skipped_events)
        rest = frame._without_units()
        results = [*self._skipped.player_result, *rest.player_result]
        if results and self._driver is not None:
            await self._end(results)
            return True
        if frame.game_loop < self._next_loop:
            add_events(self._skipped, rest)
            return False
        driver = await self._step(frame)
        if driver.client.in_game:
            return False
        # It has resigned: it ends, the match does not.
        self._told.result = Result.Defeat
        await driver.end(Result.Defeat)
        return True

    async def _step(self, frame: Frame) -> BotDriver:
        from abathur.sc2._driver import own_response

        response = own_response(frame.response, self._skipped)
        self._skipped = sc2api_pb2.ResponseObservation()
        if self._driver is None:
            self._driver = await self._new_driver(response)
            await self._driver.start(response)
        await self._driver.step(response)
        self._told.steps += 1
        step = self._driver.client.game_step if self._source.step is None else self._source.step
        self._next_loop = frame.game_loop + step
        return self._driver

    async def _end(self, results: Iterable[sc2api_pb2.PlayerResult]) -> None:
        from sc2.data import Result

        assert self._driver is not None
        mine = [each.result for each in results if each.player_id == self._driver.client._player_id]
        if mine:
            self._told.result = Result(mine[-1])
        await self._driver.end(self._told.result)

    async def _new_driver(self, response: sc2api_pb2.ResponseObservation) -> BotDriver:
        from abathur.sc2._checks import check_match
        from abathur.sc2._client import FrameClient
        from abathur.sc2._driver import BotDriver
        from abathur.sc2._estimates import Estimates

        match = await self._source.match()
        player = match.player_id or response.observation.player_common.player_id
        info, data = check_match(match.game_info, match.game_data, player)
        bot = self._told.bot
        layer = type(bot).__name__[:_MAX_NAME]
        client = FrameClient(self._source, Estimates(info, data), self._told, layer, match.tick_hz)
        if not match.accepts_actions:
            client.deny_actions()
        return BotDriver(bot, client, info, data, player, match.base_build)

    def _restart(self, last: Frame, frame: Frame) -> None:
        if not frame._is_of_run(last):
            what = f"another match began at game loop {frame.game_loop}"
        else:
            what = f"the playback went back from game loop {last.game_loop} to {frame.game_loop}"
        if self._make is None:
            raise AbathurError(f"{what}, and a bot cannot go back: give run() its class, or a function that makes one")
        _logger.warning("%s: a new %s begins there", what, type(self._told.bot).__name__)
        self._replace_bot(self._make)

    def _replace_bot(self, make: Callable[[], BotAI]) -> None:
        from sc2.data import Result

        self._told.bot = make()
        self._told.bots += 1
        self._told.result = Result.Undecided
        self._driver = None
        self._skipped = sc2api_pb2.ResponseObservation()
        self._next_loop = 0

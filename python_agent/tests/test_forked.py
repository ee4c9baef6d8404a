"""Clients of a process in those that are forked from it."""

from __future__ import annotations

import asyncio
import multiprocessing
import re
from collections.abc import Callable
from typing import Any

import abathur
import pytest
from programs import SKIRMISH, Launch, Play

pytestmark = [
    pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system does not fork"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning"),
]


def said(call: Callable[[], Any]) -> str:
    """The error of a call in a forked process."""
    context = multiprocessing.get_context("fork")
    results = context.Queue()

    def work() -> None:
        try:
            results.put(f"no error: {call()}")
        except abathur.AbathurError as error:
            results.put(str(error))

    process = context.Process(target=work)
    process.start()
    try:
        return str(results.get(timeout=60))
    finally:
        process.kill()
        process.join()


def test_a_forked_process_is_told_that_its_client_does_not_work(play: Play) -> None:
    address = play(SKIRMISH, "--loop").grpc
    expected = rf"process \d+ was forked from process \d+, which made the connection to {address}: gRPC does not work"
    with abathur.connect_blocking(address) as game:
        loop = next(frame.game_loop for frame in game.frames(max_frames=1))
        for call in (
            game.status,
            game.match,
            game.timeline,
            lambda: list(game.frames(max_frames=1)),
            game.playback.pause,
        ):
            assert re.match(expected, found := said(call)), found
        # It goes on where it was made.
        assert next(frame.game_loop for frame in game.frames(max_frames=1)) >= loop


def test_so_is_one_with_an_event_loop(play: Play) -> None:
    game = abathur.connect(play(SKIRMISH, "--loop").grpc)

    async def read() -> int:
        async with game:
            return (await game.status()).frames_published

    assert "gRPC does not work there" not in said(lambda: "not connected yet")
    asyncio.run(read())
    assert "gRPC does not work there" in said(lambda: asyncio.run(read()))


def test_so_is_one_that_publishes(launch: Launch) -> None:
    daemon = launch("serve", "--once", "--grpc-port", "0", "--socket-port", "0", "--http-port", "0")
    with abathur.open(SKIRMISH) as match:
        data = next(match.payloads())
    with abathur.publisher_blocking(daemon.grpc) as bot:
        bot.publish(data)
        assert "gRPC does not work there" in said(lambda: bot.publish(data))
        bot.publish(data)

"""Clients and the event loops in which they are used: those of programs, of threads, and of notebooks."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Literal

import abathur
import pytest
from nats_servers import RelayProcess, needs_nats, running
from programs import SKIRMISH, Play

FIRST_LOOP = 8960
Policy = Literal["latest", "every", "lockstep"]


@pytest.fixture(params=["grpc", "socket", "grpc+unix", "socket+unix", pytest.param("nats", marks=needs_nats)])
def address(request: pytest.FixtureRequest, play: Play, tmp_path: Path) -> Iterator[str]:
    """Of a paused playback, on each transport."""
    transport: str = request.param
    if transport == "nats":
        daemon = play(SKIRMISH, "--start-paused")
        with running(tmp_path / "nats") as server:
            relay = RelayProcess(server.url, "--address", daemon.grpc, "--match", "loops")
            with abathur.connect_blocking(daemon.grpc) as game:
                game.playback.step()
            yield f"{server.url}/loops"
            relay.close()
        return
    options = ["--grpc-uds", str(tmp_path / "g"), "--socket-uds", str(tmp_path / "s")] if "unix" in transport else []
    daemon = play(SKIRMISH, "--start-paused", *options)
    with abathur.connect_blocking(daemon.grpc) as game:
        game.playback.step()
    yield daemon.addresses[transport]


async def first_loop(game: abathur.Game, policy: Policy = "every") -> int:
    """The game loop of the first frame; and what a request answers, which needs the stream on the socket."""
    async with aclosing(game.frames(policy=policy, start="oldest")) as frames:
        frame = await anext(frames)
        assert (await game.status()).frames_published == 1
        return frame.game_loop


def test_a_client_is_made_before_the_event_loop_and_used_in_several(address: str) -> None:
    game = abathur.connect(address)

    async def use() -> int:
        async with game:
            return await first_loop(game)

    assert [asyncio.run(use()), asyncio.run(use())] == [FIRST_LOOP, FIRST_LOOP]
    # It is closed already, in another loop.
    asyncio.run(game.close())


def test_a_client_is_made_in_another_thread(address: str) -> None:
    made: list[abathur.Game] = []
    thread = threading.Thread(target=lambda: made.append(abathur.connect(address)))
    thread.start()
    thread.join()

    async def use() -> int:
        async with made[0] as game:
            return await first_loop(game)

    assert asyncio.run(use()) == FIRST_LOOP


def test_a_client_is_used_in_another_thread(address: str) -> None:
    game = abathur.connect(address)
    seen: list[int] = []

    async def use() -> None:
        async with game:
            seen.append(await first_loop(game))

    thread = threading.Thread(target=asyncio.run, args=(use(),))
    thread.start()
    thread.join()
    assert seen == [FIRST_LOOP]


@pytest.mark.parametrize("transport", ["grpc", "socket"])
def test_a_lockstep_client_is_made_before_the_event_loop(play: Play, transport: str) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1")
    game = abathur.connect(daemon.addresses[transport])

    async def use() -> int:
        async with game, aclosing(game.frames(policy="lockstep")) as frames:
            return (await anext(frames)).game_loop

    assert asyncio.run(use()) == FIRST_LOOP


class Counter(abathur.Agent):
    policy = "every"

    def __init__(self) -> None:
        self.frames = 0

    async def on_step(self, frame: abathur.Frame) -> None:
        self.frames += 1


async def test_run_in_an_event_loop_names_what_to_await(play: Play) -> None:
    """As in a notebook. What was given is not used up by the attempt."""
    agent = Counter()
    with pytest.raises(
        RuntimeError, match=r"^Counter\(\)\.run\(\) .* as in every notebook: use `await agent\.run_async"
    ):
        agent.run()
    daemon = play(SKIRMISH, "--wait-agents", "1", "--rate", "unlimited", "--playback-duration", "1")
    await agent.run_async(daemon.grpc)
    assert agent.frames == 23


async def test_a_bot_in_an_event_loop_names_what_to_await() -> None:
    pytest.importorskip("sc2")
    from sc2.bot_ai import BotAI

    class Bot(BotAI):  # type: ignore[misc, unused-ignore]
        async def on_step(self, iteration: int) -> None:
            if iteration == 2:
                await self.client.leave()

    with pytest.raises(RuntimeError, match=r"use `await abathur\.sc2\.run_async\(bot, source\)`"):
        abathur.sc2.run(Bot(), SKIRMISH)
    assert (await abathur.sc2.run_async(Bot(), SKIRMISH)).steps == 3

"""Agents that stop, die, or vanish: the others have every frame, and the daemon releases the dead ones."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

import abathur
import pytest
from programs import SKIRMISH, Play, crossed, wait_until
from vanishing import agent, gone, subscriber

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGSTOP")
TRANSPORTS = ["grpc", "socket", "http"]


@crossed(policy=["latest", "every"], transport=TRANSPORTS)
async def test_a_stopped_agent_costs_others_nothing_and_a_killed_one_is_let_go(
    play: Play, transport: str, policy: str
) -> None:
    daemon = play(SKIRMISH, "--start-paused", "--rate", "unlimited", "--stall-timeout", "3", "--loop")
    async with abathur.connect(daemon.grpc) as game, abathur.connect(daemon.socket) as reference:
        with agent(daemon, transport, policy, "victim") as victim:
            stream = reference.frames(policy="every", encoding="proto", name="reference")
            reading = asyncio.ensure_future(anext(stream))
            await wait_until(game, lambda status: len(status.subscribers) >= 2)
            await game.playback.resume()
            sequence = (await reading).sequence
            assert victim.stdout is not None
            await asyncio.to_thread(victim.stdout.readline)
            victim.send_signal(signal.SIGSTOP)
            told = False
            # As many frames as no buffer between here and there holds.
            while sequence < 3000:
                frame = await anext(stream)
                sequence += 1
                assert (frame.sequence, frame.dropped) == (sequence, 0)
                if sequence % 100 == 0 and policy == "latest":
                    status = await subscriber(game, "victim")
                    assert status is not None, "a latest reader is not cut off so soon"
                    told = told or status.frames_dropped > 0
            if policy == "latest":
                assert told, "the status tells what it misses"
                os.kill(victim.pid, signal.SIGKILL)
            # Lossless and stopped: cut off although its process is there.
            ending = asyncio.create_task(gone(game, "victim"))
            while not ending.done():
                sequence += 1
                assert (await anext(stream)).sequence == sequence
            await stream.aclose()
        assert (await game.status()).frames_published >= sequence


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_agents_killed_while_nothing_is_published_are_let_go(play: Play, transport: str) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    async with abathur.connect(daemon.grpc) as game:
        with agent(daemon, transport, "every", "one") as one, agent(daemon, transport, "latest", "two") as two:
            await wait_until(game, lambda status: len(status.subscribers) >= 2)
            for victim in (one, two):
                victim.send_signal(signal.SIGKILL)
            await gone(game, "one", "two")


async def test_a_slow_agent_under_every_gets_all_and_delays_no_one_under_latest(play: Play) -> None:
    daemon = play(SKIRMISH, "--start-paused", "--rate", "unlimited", "--playback-duration", "10")
    async with abathur.connect(daemon.grpc) as game:
        taken: dict[str, list[int]] = {"slow": [], "quick": []}

        async def read(name: str, policy: str, pause: float) -> None:
            async with abathur.connect(daemon.socket) as own:
                async for frame in own.frames(policy=policy, name=name, encoding="proto"):
                    taken[name].append(frame.sequence)
                    assert policy == "latest" or frame.dropped == 0
                    await asyncio.sleep(pause)

        readers = [asyncio.create_task(read("slow", "every", 0.005)), asyncio.create_task(read("quick", "latest", 0))]
        await wait_until(game, lambda status: len(status.subscribers) >= 2)
        await game.playback.resume()
        await asyncio.gather(*readers)
    count = int(10 * 22.4) + 1
    assert taken["slow"] == list(range(1, count + 1))
    assert taken["quick"][-1] == count

"""Agents of every transport in a process of their own, for tests that stop it or kill it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import abathur
from abathur.sync.v1 import sync_pb2
from programs import Daemon

_AGENT = """
import asyncio, sys
from urllib.parse import urlsplit
import abathur

transport, address, policy, name = sys.argv[1:]

async def websocket():
    import aiohttp
    url = f"ws://{urlsplit(address).netloc}/v1/sync"
    async with aiohttp.ClientSession() as session, session.ws_connect(url, max_msg_size=1 << 26) as connection:
        await connection.send_json({"subscribe": {"policy": policy, "name": name}})
        async for message in connection:
            print(len(message.data), flush=True)

async def package():
    async with abathur.connect(address) as game:
        async for frame in game.frames(policy=policy, name=name):
            print(frame.sequence, flush=True)

asyncio.run(websocket() if transport == "http" else package())
"""


@contextmanager
def agent(daemon: Daemon, transport: str, policy: str, name: str) -> Iterator[subprocess.Popen[str]]:
    """A process with one agent; killed at the end where it is still there."""
    process = subprocess.Popen(
        [sys.executable, "-c", _AGENT, transport, daemon.addresses[transport], policy, name],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


async def subscriber(game: abathur.Game, name: str) -> sync_pb2.SubscriberStatus | None:
    """What the status says of the subscriber of that name."""
    return next((each for each in (await game.status()).subscribers if each.name == name), None)


async def gone(game: abathur.Game, *names: str) -> None:
    """Wait until none of these subscribes any more."""
    while {each.name for each in (await game.status()).subscribers} & set(names):
        await asyncio.sleep(0.02)

"""SIGTERM: agents get what was published before, the recording is whole, and a second one does not wait."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import abathur
import pytest
from programs import FREE_PORTS, SKIRMISH, Launch, Play, crossed, pause, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
# Few enough for a busy machine: who reads has 5 s.
FRAMES = 30
FORMS: dict[str, dict[str, Any]] = {
    "proto": {"encoding": "proto"},
    "json": {"encoding": "json"},
    "columns": {"encoding": "columns", "compression": "zstd-stream"},
}


@pytest.fixture(scope="module")
def observations() -> list[bytes]:
    with abathur.open(SKIRMISH) as match:
        return [frame.response.SerializeToString() for frame, _ in zip(match.frames(), range(FRAMES), strict=False)]


async def offered(game: abathur.Game) -> int:
    """Frames that the subscriber has, or that wait for it."""
    (subscriber,) = (await game.status()).subscribers
    return int(subscriber.frames_sent + subscriber.frames_waiting)


@crossed(form=FORMS, transport=["grpc", "socket"])
async def test_agents_get_what_was_published_before(
    launch: Launch, tmp_path: Path, observations: list[bytes], transport: str, form: str
) -> None:
    path = tmp_path / "match.mcap"
    daemon = launch("serve", "--once", *FREE_PORTS, "-o", str(path))
    async with (
        abathur.connect(daemon.addresses[transport], reconnect_timeout=0) as agent,
        abathur.connect(daemon.grpc) as game,
    ):
        stream = agent.frames(policy="every", buffer=1024, **FORMS[form])
        first = asyncio.ensure_future(anext(stream))
        await wait_until(game, lambda status: bool(status.subscribers))
        taken = []
        # The bot is told as well, in its own way: its connection is gone.
        with pytest.raises(abathur.AbathurError):
            async with abathur.publisher(daemon.socket) as publisher:
                for number, data in enumerate(observations, 1):
                    await publisher.publish(data)
                    # A bot does not wait, and an encoder has a bounded queue: not too many at once, but for the last.
                    while number % 6 == 0 and number < FRAMES and await offered(game) < number:
                        await asyncio.sleep(0.005)
                await wait_until(game, lambda status: status.frames_published >= FRAMES)
                # Nothing has been read yet but what the agent's side takes by itself.
                daemon.process.send_signal(signal.SIGTERM)
                taken.append((await first).to_observation())
                # It says that it shuts down: an orderly end.
                async for frame in stream:
                    assert frame.dropped == 0
                    taken.append(frame.to_observation())
                assert await asyncio.to_thread(daemon.wait) == 0
    assert len(taken) == FRAMES
    assert await asyncio.to_thread(daemon.wait) == 0
    with abathur.open(path) as match:
        assert [frame.response.SerializeToString() for frame in match.frames()] == observations


def test_the_second_signal_ends_it_at_once(play: Play) -> None:
    daemon = play(SKIRMISH, "--start-paused", "--rate", "unlimited", "--loop", "--stall-timeout", "60")
    with socket.create_connection(("127.0.0.1", daemon.socket_port)) as stalled:
        stalled.sendall(b'{"subscribe":{"policy":"every","encoding":"proto"}}\n')
        stalled.recv(1)
        with abathur.connect_blocking(daemon.grpc) as game:
            game.playback.resume()
            # It reads nothing: its queue fills.
            while game.status().subscribers[0].frames_waiting < 64:
                pause()
        daemon.process.send_signal(signal.SIGTERM)
        with abathur.connect_blocking(daemon.grpc, reconnect_timeout=0) as game, pytest.raises(abathur.AbathurError):
            # A daemon that is shutting down does not control the playback any more.
            while True:
                game.status()
                daemon.process.send_signal(signal.SIGTERM)
        assert daemon.wait() == 130

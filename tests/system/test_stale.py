"""What an agent under `latest` gets when it has not read for a while: the newest frame, and few that are old."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import abathur
import pytest
from programs import SKIRMISH, Daemon, Play, in_thread, pause

# The agent skips what is there within a millisecond: a test that shares its processor finds what came later.
pytestmark = pytest.mark.measured

#: Two seconds of the game.
PAUSE = 45
#: As fast as that, the agent's transport has taken a frame before the next one is there.
PACE = 4
#: Old frames before the newest one. gRPC's windows hold some, which no option of the client takes away.
MOST = {"socket": 1, "grpc": 5}
OPTIONS: dict[str, dict[str, Any]] = {
    "proto": {"encoding": "proto"},
    "json": {"encoding": "json"},
    "small": {"encoding": "proto", "fields": ["observation.game_loop"]},
    "zstd-stream": {"compression": "zstd-stream"},
    "br-stream": {"compression": "br-stream"},
    "columns": {"encoding": "columns"},
    "columns-zstd-stream": {"encoding": "columns", "compression": "zstd-stream"},
    "credits": {"encoding": "proto", "credits": 1},
}
CASES = [
    pytest.param(
        transport,
        most if name in ("proto", "json", "small") else 1,
        options,
        id=f"{transport}-{name}",
        marks=() if name in ("proto", "columns-zstd-stream") else pytest.mark.matrix,
    )
    for transport, most in MOST.items()
    for name, options in OPTIONS.items()
    if transport == "socket" or name not in ("json", "small")
]  # fmt: skip
each_case = pytest.mark.parametrize(("transport", "most", "options"), CASES)


def publish(daemon: Daemon, frames: int, *, paced: bool = False) -> range:
    """Have the daemon publish some frames, at once or one after another; their sequences."""
    with abathur.connect_blocking(daemon.grpc) as control:
        before = control.status().frames_published
        if paced:
            control.playback.set_rate(PACE)
            control.playback.resume()
        else:
            control.playback.step(frames)
        while control.status().frames_published < before + frames:
            pause()
        if paced:
            control.playback.pause()
            control.playback.set_rate(0)
        return range(before + 1, control.status().frames_published + 1)


@contextlib.contextmanager
def ticking(daemon: Daemon) -> Iterator[None]:
    """The game goes on meanwhile."""
    stop = threading.Event()

    def tick() -> None:
        while not stop.is_set():
            publish(daemon, 1)

    thread = in_thread(tick)
    yield
    stop.set()
    thread.join(20)


def check(first: abathur.Frame, taken: list[abathur.Frame], missed: range, most: int) -> None:
    """Few frames of when it did not read are old, and all are accounted for."""
    old = [frame.sequence for frame in taken if frame.sequence in missed[:-1]]
    assert len(old) <= most, old
    assert first.sequence + sum(1 + frame.dropped for frame in taken) == taken[-1].sequence
    for frame in taken:
        if frame.dropped:
            assert frame.dropped_loops == (frame.game_loop - frame.dropped, frame.game_loop - 1)
        assert frame.observation.game_loop == frame.game_loop


@each_case
def test_blocking_agent_is_back(play: Play, transport: str, most: int, options: dict[str, Any]) -> None:
    daemon = play(SKIRMISH, "--start-paused", "--rate", "unlimited")
    with abathur.connect_blocking(daemon.addresses[transport]) as game:
        frames = game.frames(policy="latest", **options)
        with ticking(daemon):
            first = next(frames)
        missed = publish(daemon, PAUSE, paced=transport == "grpc")
        with ticking(daemon):
            taken = [next(frames)]
            while taken[-1].sequence < missed[-1]:
                taken.append(next(frames))
    check(first, taken, missed, most)


@pytest.mark.parametrize("blocks", [True, False], ids=["loop blocked", "loop runs"])
@each_case
async def test_async_agent_is_back(
    play: Play, transport: str, most: int, options: dict[str, Any], blocks: bool
) -> None:
    daemon = play(SKIRMISH, "--start-paused", "--rate", "unlimited")
    async with abathur.connect(daemon.addresses[transport]) as game:
        frames = game.frames(policy="latest", **options)
        with ticking(daemon):
            first = await anext(frames)
        paced = transport == "grpc"
        if blocks:
            missed = publish(daemon, PAUSE, paced=paced)
        else:
            missed = await asyncio.to_thread(publish, daemon, PAUSE, paced=paced)
        with ticking(daemon):
            taken = [await anext(frames)]
            while taken[-1].sequence < missed[-1]:
                taken.append(await anext(frames))
        await frames.aclose()
    check(first, taken, missed, most)

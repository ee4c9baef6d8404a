"""Windows beside a match are those of its recording, byte by byte, however they come."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import abathur
import pytest
from abathur import learn
from nats_servers import RelayProcess, Server, needs_nats
from programs import FREE_PORTS, SKIRMISH, Launch, Play, crossed, wait_until
from test_learn_windows import SPEC

OPTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "proto": {"encoding": "proto"},
    "json": {"encoding": "json"},
    "columns-zstd-stream": {"compression": "zstd-stream"},
    "proto-br-stream": {"encoding": "proto", "compression": "br-stream"},
}


@pytest.fixture(scope="module")
def recorded() -> list[dict[str, bytes]]:
    with closing(learn.Windows(SKIRMISH, SPEC)) as data:
        return [as_bytes(window) for window in data]


def as_bytes(window: learn.Window) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in window.items()}


async def windows(address: str, spec: learn.Spec, is_blocking: bool, **options: Any) -> list[dict[str, bytes]]:
    if is_blocking:
        with abathur.connect_blocking(address) as game:
            return [as_bytes(window) for window in learn.live(game, spec, **options)]
    async with abathur.connect(address) as game:
        return [as_bytes(window) async for window in learn.live(game, spec, **options)]


@crossed(transport=["grpc", "socket"], is_blocking=[False, True], options=OPTIONS)
async def test_live_windows_are_those_of_the_recording(
    play: Play, recorded: list[dict[str, bytes]], transport: str, is_blocking: bool, options: str
) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1", "--rate", "unlimited")
    found = await windows(daemon.addresses[transport], SPEC, is_blocking, **OPTIONS[options])
    assert found == recorded


async def test_an_agent_that_comes_later_has_whole_windows_only(play: Play, recorded: list[dict[str, bytes]]) -> None:
    daemon = play(SKIRMISH, "--loop", "--rate", "20")
    async with abathur.connect(daemon.grpc) as game:
        await anext(game.frames())
        first = (await anext(game.frames())).game_loop
        found = [window async for window in learn.live(game, SPEC, max_frames=200)]
    assert first > 8960 and len(found) > 10
    assert all(as_bytes(window) in recorded[3:] for window in found)


async def test_an_agent_that_begins_in_the_past_has_them_all(play: Play, recorded: list[dict[str, bytes]]) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    async with abathur.connect(daemon.grpc) as game:
        await game.playback.step(500)
        async for frame in game.frames(policy="every", start="oldest"):
            if frame.game_loop == 8960 + 499:
                break
        found = [as_bytes(window) async for window in learn.live(game, SPEC, start="oldest", max_frames=500)]
    assert found == recorded[:63]


async def test_slots_are_kept_live_too(play: Play) -> None:
    spec = replace(SPEC, slots="match", match_slots=320, grids=(), frames=1)
    with closing(learn.Windows(SKIRMISH, spec)) as data:
        expected = [as_bytes(window) for window in data]
    daemon = play(SKIRMISH, "--wait-agents", "1", "--rate", "unlimited")
    assert await windows(daemon.grpc, spec, False) == expected


@needs_nats
async def test_on_nats_they_are_the_same(launch: Launch, server: Server, recorded: list[dict[str, bytes]]) -> None:
    daemon = launch("play", str(SKIRMISH), *FREE_PORTS, "--start-paused")
    with RelayProcess(server.url, "--address", daemon.grpc, "--match", "learn"):
        async with abathur.connect(daemon.grpc) as game, abathur.connect(f"{server.url}/learn") as reader:
            live = learn.live(reader, SPEC, start="oldest", max_frames=300)
            await game.playback.step(400)
            found = [as_bytes(window) async for window in live]
    assert found == recorded[:38]


async def test_a_match_after_a_match_begins_again(launch: Launch) -> None:
    daemon = launch("serve", *FREE_PORTS)
    spec = replace(SPEC, grids=(), frames=2)
    loops: list[list[int]] = []
    with abathur.open(SKIRMISH) as recording:
        frames = [frame.response for frame in recording.frames(stop=8960 + 24)]
    async with abathur.connect(daemon.grpc) as game:
        live = learn.live(game, spec, follow=True)
        first = asyncio.ensure_future(anext(live))
        await wait_until(game, lambda status: len(status.subscribers) == 1)
        for number in range(2):
            async with abathur.publisher(daemon.grpc) as publisher:
                for frame in frames:
                    await publisher.publish(frame)
                for each in range(3):
                    window = await (first if (number, each) == (0, 0) else anext(live))
                    loops.append(window["loops"].tolist())
        await live.aclose()
    assert loops == [[-1, 8960], [8960, 8968], [8968, 8976]] * 2


async def test_wrong_calls_are_refused(play: Play) -> None:
    daemon = play(SKIRMISH)
    async with abathur.connect(daemon.grpc) as game:
        for name, value in (("policy", "latest"), ("every", 8)):
            with pytest.raises(TypeError, match=f"live reads all frames: {name} is not an option of it"):
                learn.live(game, SPEC, **{name: value})
        with pytest.raises(TypeError, match="speed"):
            await anext(learn.live(game, SPEC, speed=3))
        with pytest.raises(TypeError, match=r"spec is a learn\.Spec, not 8"):
            learn.live(game, 8)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"live takes a connection of abathur\.connect"):
        learn.live(Path("x"), SPEC)  # type: ignore[call-overload]


async def test_grids_that_do_not_fit_are_told(play: Play) -> None:
    daemon = play(SKIRMISH)
    async with abathur.connect(daemon.grpc) as game:
        with pytest.raises(abathur.AbathurError, match=r"a map has \d+ rows and \d+ columns, which do not fit"):
            await anext(learn.live(game, replace(SPEC, grid_size=(20, 20))))


async def test_tags_of_a_window_are_those_of_actions(play: Play) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1")
    async with abathur.connect(daemon.grpc) as game:
        window = await anext(learn.live(game, SPEC))
    tags = window["tags"][window["mask"][-1]]
    action = abathur.actions.move(tags, (3, 4))
    assert list(action.action_raw.unit_command.unit_tags) == tags.tolist()
    assert len(set(itertools.chain(tags.tolist()))) == 300

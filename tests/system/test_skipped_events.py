"""Readers that skip frames get what happened once in those frames with their next frame."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from itertools import pairwise
from typing import Any

import abathur
import pytest
from abathur import Frame
from programs import SKIRMISH, Play, crossed, matrix
from s2clientprotocol import sc2api_pb2

UNLIMITED = ("--rate", "unlimited")


def happened(response: sc2api_pb2.ResponseObservation | None) -> Counter[tuple[str, object]]:
    """What an observation says of things that happen once."""
    if response is None:
        return Counter()
    return Counter(
        [("dead", tag) for tag in response.observation.raw_data.event.dead_units]
        + [("alert", alert) for alert in response.observation.alerts]
        + [("action", action.SerializeToString()) for action in response.actions]
        + [("error", error.SerializeToString()) for error in response.action_errors]
        + [("chat", line.SerializeToString()) for line in response.chat]
        + [("result", result.SerializeToString()) for result in response.player_result]
    )


def recorded(last: int, first: int = 0) -> Counter[tuple[str, object]]:
    total: Counter[tuple[str, object]] = Counter()
    with abathur.open(SKIRMISH) as match:
        for frame in match.frames(start=first, stop=last + 1):
            total += happened(frame.response)
    return total


def known_of(frames: list[Frame]) -> Counter[tuple[str, object]]:
    """What there is to know for a reader of the newest frames, from the first one that it or its client had."""
    loops = frames[0].dropped_loops
    return recorded(frames[-1].game_loop, frames[0].game_loop if loops is None else loops[0])


def received(frames: list[Frame]) -> Counter[tuple[str, object]]:
    total: Counter[tuple[str, object]] = Counter()
    for frame in frames:
        assert not frame.skipped_events_incomplete
        total += happened(frame.skipped_events) + happened(frame.response)
    return total


@pytest.mark.parametrize(
    ("transport", "options"),
    matrix(
        ("grpc", {"encoding": "columns", "compression": "zstd-stream"}),
        ("socket", {}),
        ("grpc", {}),
        ("grpc", {"encoding": "json"}),
        ("socket", {"encoding": "json"}),
        tested=2,
    ),
    ids=str,
)
async def test_every_eighth_game_loop_has_what_happened_between(
    play: Play, transport: str, options: abathur.SubscribeOptions
) -> None:
    daemon = play(str(SKIRMISH), *UNLIMITED, "--wait-agents", "1")
    async with abathur.connect(daemon.addresses[transport]) as game:
        frames = [frame async for frame in game.frames(policy="every", every=8, **options)]
    assert {frame.dropped for frame in frames} == {0}
    expected = recorded(frames[-1].game_loop)
    assert len({kind for kind, _ in expected}) > 1
    assert received(frames) == expected
    assert sum((happened(frame.response) for frame in frames), Counter()) != expected


@crossed(transport=["grpc", "socket"], encoding=["proto", "columns", "json"])
async def test_a_slow_reader_of_the_newest_frames_has_what_happened_between(
    play: Play, transport: str, encoding: Any
) -> None:
    daemon = play(str(SKIRMISH), "--rate", "400", "--wait-agents", "1")
    draw = random.Random(15)
    frames = []
    async with abathur.connect(daemon.addresses[transport]) as game:
        async for frame in game.frames(encoding=encoding):
            frames.append(frame)
            # While this reader works, others come; while it waits for something else, they wait in its client.
            time.sleep(draw.expovariate(100))
            if draw.random() < 0.3:
                await asyncio.sleep(draw.expovariate(50))
    assert sum(frame.dropped for frame in frames) > 100
    assert received(frames) == known_of(frames)


@crossed(transport=["grpc", "socket"], encoding=["proto", "json"])
def test_a_slow_blocking_reader_has_what_happened_between(play: Play, transport: str, encoding: Any) -> None:
    daemon = play(str(SKIRMISH), "--rate", "400", "--wait-agents", "1")
    draw = random.Random(16)
    frames = []
    with abathur.connect_blocking(daemon.addresses[transport]) as game:
        for frame in game.frames(encoding=encoding):
            frames.append(frame)
            time.sleep(draw.expovariate(100))
    assert sum(frame.dropped for frame in frames) > 100
    assert received(frames) == known_of(frames)


@pytest.mark.parametrize("transport", ["grpc", "socket"])
async def test_the_newest_frames_of_a_subscription_are_as_many_as_asked_for(play: Play, transport: str) -> None:
    daemon = play(str(SKIRMISH), "--rate", "2", "--wait-agents", "1")
    frames = []
    async with abathur.connect(daemon.addresses[transport]) as game:
        async for frame in game.frames(max_frames=20):
            frames.append(frame)
            time.sleep(0.2)
    assert len(frames) == 20 and sum(frame.dropped for frame in frames) > 20
    assert received(frames) == known_of(frames)


async def test_a_field_mask_applies_to_what_happened_between(play: Play) -> None:
    daemon = play(str(SKIRMISH), *UNLIMITED, "--wait-agents", "1")
    async with abathur.connect(daemon.addresses["grpc"]) as game:
        fields = ["observation.game_loop", "observation.raw_data.event.dead_units"]
        frames = [frame async for frame in game.frames(policy="every", every=8, fields=fields)]
    kinds = {kind for kind, _ in received(frames)}
    assert kinds == {"dead"}
    expected = {key: n for key, n in recorded(frames[-1].game_loop).items() if key[0] == "dead"}
    assert received(frames) == Counter(expected)


async def test_nothing_between_kept_frames_and_live_ones_is_lost(play: Play) -> None:
    daemon = play(str(SKIRMISH), "--rate", "20", "--wait-agents", "1")

    async def read() -> list[Frame]:
        async with abathur.connect(daemon.addresses["grpc"]) as game:
            # So many are excluded that some with events lie between the last kept frame that is sent and the next one.
            return [frame async for frame in game.frames(policy="every", every=100, start="oldest")]

    async with abathur.connect(daemon.addresses["grpc"]) as game:
        readers = []
        async for frame in game.frames(policy="every"):
            if frame.sequence % 200 == 190:
                readers.append(asyncio.create_task(read()))
    assert len(readers) == 6
    for frames in await asyncio.gather(*readers):
        # Live frames are shared with other readers: the first one may come earlier or later.
        gaps = [after.sequence - frame.sequence for frame, after in pairwise(frames)]
        assert sum(gap != 100 for gap in gaps) <= 2 and max(gaps) < 200
        assert received(frames) == recorded(frames[-1].game_loop)

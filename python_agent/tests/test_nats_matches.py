"""Several matches of one daemon on NATS: one after the other on one name, and at the same time on several."""

from __future__ import annotations

import asyncio
import itertools
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import abathur
import pytest
from abathur.sync.v1 import sync_pb2
from nats_servers import Server, eventually, needs_nats, running
from programs import FREE_PORTS, SKIRMISH, Daemon, Launch
from programs import abathur as run_abathur
from proxies import HandMadeGame, begin, observe, proxied
from s2clientprotocol import sc2api_pb2

pytestmark = needs_nats
FRAMES = 6
MAPS = ("First LE", "Second LE", "Third LE")
Told = tuple[str, int]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("nats")) as server:
        yield server


@pytest.fixture(scope="module")
def observations() -> list[sc2api_pb2.ResponseObservation]:
    with abathur.open(SKIRMISH) as match:
        found = [frame.response for frame in itertools.islice(match.frames(), FRAMES)]
    found[-1].player_result.add(player_id=1, result=sc2api_pb2.Victory)
    return found


Evening = Callable[..., tuple[Daemon, str]]


@pytest.fixture
def evening(launch: Launch, server: Server, request: pytest.FixtureRequest) -> Evening:
    """A daemon for publishing bots whose matches are relayed; gives it and the address on NATS."""

    def start() -> tuple[Daemon, str]:
        address = f"{server.url}/{request.node.name.replace('[', '-').rstrip(']')[:60]}"
        return launch("serve", *FREE_PORTS, "--relay", address), address

    return start


async def until(holds: Callable[[], bool]) -> None:
    async def asked() -> bool:
        return holds()

    await eventually(asked)


async def publish(daemon: Daemon, observations: list[sc2api_pb2.ResponseObservation], *maps: str) -> None:
    for map_name in maps:
        async with abathur.publisher(daemon.grpc, map_name=map_name, player_id=1) as publisher:
            for observation in observations:
                await publisher.publish(observation)


@pytest.mark.parametrize("policy", ["every", "latest"])
async def test_who_follows_reads_match_after_match(
    evening: Evening, observations: list[sc2api_pb2.ResponseObservation], policy: Any
) -> None:
    daemon, address = evening()
    seen: list[Told] = []
    told: list[str] = []

    class Follower(abathur.Agent):
        follow = True
        start = "oldest"

        async def on_start(self) -> None:
            told.append((await self.game.match()).map_name)  # type: ignore[union-attr]

        async def on_step(self, frame: abathur.Frame) -> None:
            seen.append((frame.run_id, frame.sequence))

        async def on_end(self, results: list[sc2api_pb2.PlayerResult]) -> None:
            told.append(f"{[each.result for each in results]}")

    Follower.policy = policy
    following = asyncio.create_task(Follower().run_async(address, wait=60))
    for number, map_name in enumerate(MAPS, 1):
        await publish(daemon, observations, map_name)
        await until(lambda number=number: len(told) == 2 * number)  # type: ignore[misc]
    # Nothing follows when the daemon ends.
    assert daemon.stop() == 0
    await asyncio.wait_for(following, 60)
    assert told == [text for map_name in MAPS for text in (map_name, "[1]")]
    runs = list(dict.fromkeys(run for run, _ in seen))
    assert len(runs) == len(MAPS)
    if policy == "every":
        assert seen == [(run, sequence) for run in runs for sequence in range(1, FRAMES + 1)]
    assert all((run, FRAMES) in seen for run in runs)


async def test_others_end_with_their_run_and_the_directory_has_all(
    evening: Evening, observations: list[sc2api_pb2.ResponseObservation], server: Server
) -> None:
    daemon, address = evening()
    for map_name in MAPS:
        await publish(daemon, observations, map_name)

        async with abathur.connect(address, wait=60) as game:
            frames = [frame async for frame in game.frames(policy="every", start="oldest")]
        assert [frame.sequence for frame in frames] == list(range(1, FRAMES + 1))
        assert len({frame.run_id for frame in frames}) == 1

        def is_over(map_name: str = map_name) -> bool:
            listed = {each["match"]: each for each in json.loads(run_abathur("matches", server.url, "--json").stdout)}
            mine = listed[address.rpartition("/")[2]]
            return mine["state"] == "ended" and mine["map_name"] == map_name

        await eventually(lambda: asyncio.to_thread(is_over))
    listed = {each["match"]: each for each in json.loads(run_abathur("matches", server.url, "--json").stdout)}
    mine = listed[address.rpartition("/")[2]]
    assert [each["map_name"] for each in mine["former"]] == list(MAPS[:2])
    assert {each["state"] for each in mine["former"]} == {"ended"}
    shown = run_abathur("matches", server.url, COLUMNS="100").stdout
    assert shown.index("Third LE") < shown.index("Second LE") < shown.index("First LE")
    assert "  earlier" in shown


async def test_a_lost_match_is_told_and_the_next_follows(
    evening: Evening, observations: list[sc2api_pb2.ResponseObservation]
) -> None:
    daemon, address = evening()
    seen: list[Told] = []
    following = asyncio.create_task(follow(address, seen))
    with pytest.raises(ConnectionResetError):
        async with abathur.publisher(daemon.grpc, map_name="First LE", player_id=1) as publisher:
            for observation in observations[:-1]:
                await publisher.publish(observation)
            await until(lambda: len(seen) == FRAMES - 1)
            raise ConnectionResetError
    async with abathur.connect(daemon.grpc) as game:

        async def is_lost() -> bool:
            return [each.state for each in await game.matches()] == [sync_pb2.match_lost]

        await eventually(is_lost)
    await publish(daemon, observations, "Second LE")
    await until(lambda: len(seen) == 2 * FRAMES - 1)
    assert daemon.stop() == 1
    await asyncio.wait_for(following, 60)


async def follow(address: str, seen: list[Told]) -> None:
    async with abathur.connect(address, wait=60) as game:
        async for frame in game.frames(policy="every", start="oldest", follow=True):
            seen.append((frame.run_id, frame.sequence))


async def test_the_blocking_twin_follows(evening: Evening, observations: list[sc2api_pb2.ResponseObservation]) -> None:
    daemon, address = evening()
    seen: list[Told] = []

    def read() -> None:
        with abathur.connect_blocking(address, wait=60) as game:
            for frame in game.frames(policy="every", start="oldest", follow=True):
                seen.append((frame.run_id, frame.sequence))

    reading = threading.Thread(target=read)
    reading.start()
    # A reader begins with the newest match of the name.
    for number, map_name in enumerate(MAPS[:2], 1):
        await publish(daemon, observations, map_name)
        await until(lambda number=number: len(seen) == number * FRAMES)  # type: ignore[misc]
    assert daemon.stop() == 0
    await asyncio.to_thread(reading.join, 60)
    assert not reading.is_alive()
    runs = list(dict.fromkeys(run for run, _ in seen))
    assert seen == [(run, sequence) for run in runs for sequence in range(1, FRAMES + 1)]


async def test_games_at_the_same_time_have_names_of_their_own(server: Server, tmp_path: Path) -> None:
    address = f"{server.url}/pair"
    with HandMadeGame() as one, HandMadeGame() as two:
        options = ("--relay", address, "--allow-actions")
        with proxied([one.address, two.address], *options, once=False) as proxy:
            bots = []
            for player_id, game in ((1, one), (2, two)):
                bot, peer = game.meet(proxy)
                bots.append(bot)
                begin(bot, peer, player_id)
                observe(bot, peer, 2, player_id)
            for name, player_id in ((address, 1), (f"{address}-2", 2)):
                async with abathur.connect(name, wait=60) as game:
                    frames = [frame async for frame in game.frames(policy="every", start="oldest", max_frames=2)]
                    assert [frame.game_loop for frame in frames] == [1, 2]
                    assert frames[0].observation.player_common.player_id == player_id
                    match = await game.match()
                    assert match is not None and match.player_id == player_id
                    # Requests are about the match of the name, though two run.
                    await game.plot(f"army of {player_id}", 1)
                    assert [each.name for each in await game.plots()] == [f"army of {player_id}"]
                    assert (await game.status()).match.player_id == player_id
            listed = json.loads(run_abathur("matches", server.url, "--json").stdout)
            groups = {each["match"]: each["group_id"] for each in listed}
            assert groups["pair"] == groups["pair-2"] != ""
            for bot in bots:
                bot.__exit__()

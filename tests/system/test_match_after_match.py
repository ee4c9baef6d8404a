"""A daemon that goes from match to match: readers that follow, and matches that are over, in Python."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import queue
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, ClassVar, NamedTuple

import abathur
import pytest
from abathur import RequestError
from abathur.sync.v1 import sync_pb2
from programs import FREE_PORTS, PAUSE, SKIRMISH, TIMEOUT, Daemon, Launch, in_thread, relay, wait_until
from s2clientprotocol import sc2api_pb2

FRAMES = 8
MAPS = ("First LE", "Second LE", "Third LE")
TRANSPORTS = ("grpc", "socket")
#: What every match has: the run alone tells them apart.
SAME_MATCH = "match-1"
READERS: tuple[tuple[str, dict[str, Any]], ...] = (
    # With one credit, an acknowledgement that names another match would stop it.
    ("grpc", {"encoding": "proto", "credits": 1}),
    ("grpc", {"encoding": "columns", "compression": "zstd-stream"}),
    ("socket", {"encoding": "json"}),
    ("socket", {"encoding": "proto", "credits": 1}),
    ("socket", {"encoding": "columns", "compression": "zstd-stream"}),
)
Seen = queue.SimpleQueue[Any]


class Told(NamedTuple):
    """What is noted of a frame."""

    run_id: str
    sequence: int
    game_loop: int
    units: int


def told(frame: abathur.Frame) -> Told:
    return Told(frame.run_id, frame.sequence, frame.game_loop, len(frame.units))


@pytest.fixture(scope="module")
def matches() -> list[list[sc2api_pb2.ResponseObservation]]:
    """Observations of three matches, one after the other in the sample, so that no game loop goes back."""
    with abathur.open(SKIRMISH) as match:
        frames = [frame.response for frame in itertools.islice(match.frames(), len(MAPS) * FRAMES)]
    for each in frames:
        each.observation.raw_data.ClearField("event")
    made = [frames[start : start + FRAMES] for start in range(0, len(frames), FRAMES)]
    for number, match_frames in enumerate(made):
        match_frames[-1].player_result.add(player_id=1, result=sc2api_pb2.Victory if number else sc2api_pb2.Defeat)
    return made


def published(daemon: Daemon, map_name: str) -> abathur.Publisher:
    return abathur.publisher(daemon.grpc, map_name=map_name, match_id=SAME_MATCH, player_id=1)


async def publish(daemon: Daemon, map_name: str, observations: Iterable[sc2api_pb2.ResponseObservation]) -> None:
    async with published(daemon, map_name) as publisher:
        for observation in observations:
            await publisher.publish(observation)


async def take(seen: Seen, number: int) -> list[Any]:
    return [await asyncio.to_thread(seen.get, timeout=TIMEOUT) for _ in range(number)]


async def followed(address: str, seen: Seen, **options: Any) -> None:
    async with abathur.connect(address) as game:
        async for frame in game.frames(policy="every", follow=True, **options):
            seen.put(told(frame))


def followed_blocking(address: str, seen: Seen, **options: Any) -> None:
    with abathur.connect_blocking(address) as game:
        for frame in game.frames(policy="every", follow=True, **options):
            seen.put(told(frame))
            match = game.match()
            assert match is not None and match.run_id == frame.run_id


async def test_followers_get_every_frame_of_every_match_once(
    launch: Launch, matches: list[list[sc2api_pb2.ResponseObservation]]
) -> None:
    daemon = launch("serve", *FREE_PORTS)
    all_seen: list[Seen] = [queue.SimpleQueue() for _ in range(2 * len(READERS))]
    tasks = []
    threads = []
    for number, (transport, options) in enumerate(READERS):
        address, (seen, other) = daemon.addresses[transport], all_seen[2 * number : 2 * number + 2]
        tasks.append(asyncio.create_task(followed(address, seen, **options)))
        threads.append(in_thread(lambda a=address, s=other, o=options: followed_blocking(a, s, **o)))  # type: ignore[misc]
    async with abathur.connect(daemon.grpc) as game:
        await wait_until(game, lambda status: len(status.subscribers) == len(all_seen))
        for map_name, observations in zip(MAPS, matches, strict=True):
            await publish(daemon, map_name, observations)
            runs = set()
            for seen in all_seen:
                frames = await take(seen, FRAMES)
                runs |= {frame.run_id for frame in frames}
                assert [frame[1:] for frame in frames] == [
                    (sequence, each.observation.game_loop, len(each.observation.raw_data.units))
                    for sequence, each in enumerate(observations, 1)
                ]
            (newest,) = runs
            assert (await game.matches())[-1].match.run_id == newest
    assert await asyncio.to_thread(daemon.stop) == 0
    await asyncio.gather(*tasks)
    for thread in threads:
        await asyncio.to_thread(thread.join, TIMEOUT)
    assert all(seen.empty() for seen in all_seen)


class Seer(abathur.Agent):
    """Notes what its callbacks are called with."""

    policy: ClassVar[Any] = "every"
    follow: ClassVar[bool] = True
    seen: Seen

    def __init__(self) -> None:
        self.seen = queue.SimpleQueue()
        self.newest: abathur.Frame | None = None

    async def on_start(self) -> None:
        match = await self.game.match()
        assert match is not None
        self.seen.put(("start", match.map_name))

    async def on_unit_destroyed(self, tag: int) -> None:
        self.seen.put(("died", tag))

    async def on_step(self, frame: abathur.Frame) -> None:
        self.newest = frame
        self.seen.put(("step", frame.sequence))

    async def on_end(self, results: list[sc2api_pb2.PlayerResult]) -> None:
        self.seen.put(("end", [each.result for each in results]))


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_an_agent_starts_and_ends_with_each_match(
    launch: Launch, matches: list[list[sc2api_pb2.ResponseObservation]], transport: str
) -> None:
    daemon = launch("serve", *FREE_PORTS)
    agent = Seer()
    running = asyncio.create_task(agent.run_async(daemon.addresses[transport]))
    unit = matches[0][0].observation.raw_data.units[0].tag
    async with abathur.connect(daemon.grpc) as game:
        await wait_until(game, lambda status: len(status.subscribers) == 1)
        for number, map_name in enumerate(MAPS[:2]):
            observations = [
                sc2api_pb2.ResponseObservation.FromString(each.SerializeToString()) for each in matches[number]
            ]
            # Not in the first frame of a match, whose death is of a unit in the last one of the match before.
            first = observations[0].observation.raw_data.units
            del first[[each.tag for each in first].index(unit)]
            for dying in (0, 2):
                observations[dying].observation.raw_data.event.dead_units[:] = [unit]
            await publish(daemon, map_name, observations)
            steps = [("step", sequence) for sequence in range(1, FRAMES + 1)]
            result = sc2api_pb2.Victory if number else sc2api_pb2.Defeat
            assert await take(agent.seen, FRAMES + 3) == [
                ("start", map_name),
                *steps[:2],
                ("died", unit),
                *steps[2:],
                ("end", [result]),
            ]
    assert await asyncio.to_thread(daemon.stop) == 0
    await running
    assert agent.seen.empty()


class Plotter(abathur.Agent):
    """Plots in a step after its match."""

    policy: ClassVar[Any] = "every"
    follow: ClassVar[bool] = True

    def __init__(self) -> None:
        self.plotted: list[Any] = []
        self.may_go_on = asyncio.Event()
        self.ends = 0

    async def on_step(self, frame: abathur.Frame) -> None:
        if frame.sequence == 1:
            self.plotted.append(await self.plot("sequence", 1))
            self.may_go_on.set()
        else:
            await wait_until_over(self.game, frame.run_id)
            await self.plot("sequence", frame.sequence)
            self.plotted.append("unreachable")

    async def on_end(self, results: list[sc2api_pb2.PlayerResult]) -> None:
        self.ends += 1
        self.may_go_on.set()


async def wait_until_over(game: abathur.Game, run_id: str) -> None:
    while any(each.match.run_id == run_id and not each.state for each in await game.matches()):
        await asyncio.sleep(PAUSE)


async def test_an_agent_outlives_a_request_after_its_match(
    launch: Launch, matches: list[list[sc2api_pb2.ResponseObservation]]
) -> None:
    daemon = launch("serve", *FREE_PORTS)
    agent = Plotter()
    running = asyncio.create_task(agent.run_async(daemon.grpc))
    async with abathur.connect(daemon.grpc) as game:
        await wait_until(game, lambda status: len(status.subscribers) == 1)
    for number in range(2):
        async with abathur.publisher(daemon.grpc) as publisher:
            for observation in matches[number][:2]:
                await publisher.publish(observation)
            await agent.may_go_on.wait()
            agent.may_go_on.clear()
        await agent.may_go_on.wait()
        agent.may_go_on.clear()
    assert await asyncio.to_thread(daemon.stop) == 0
    await running
    assert agent.ends == len(agent.plotted) == 2 and "unreachable" not in agent.plotted


Call = Callable[[abathur.Game, Any], Awaitable[Any]]
#: Requests that are about a match.
ASKS: dict[str, Call] = {
    "match": lambda game, run: game.match(run),
    "status": lambda game, run: game.status(run_id=run),
    "timeline": lambda game, run: game.timeline(run_id=run),
    "plots": lambda game, run: game.plots(run_id=run),
    "frames": lambda game, run: anext(game.frames(run_id=run, start="oldest")),
}
#: Those that need one that runs.
ACTS: dict[str, Call] = {
    "act": lambda game, run: game.act([abathur.actions.chat("hello")], run_id=run),
    "draw": lambda game, run: game.draw([], run_id=run),
    "plot": lambda game, run: game.plot("a", 1, run_id=run),
}


async def test_matches_that_are_over_can_be_read(
    launch: Launch, matches: list[list[sc2api_pb2.ResponseObservation]]
) -> None:
    daemon = launch("serve", *FREE_PORTS)
    for map_name, observations in zip(MAPS[:2], matches, strict=False):
        await publish(daemon, map_name, observations)
    async with published(daemon, MAPS[2]) as publisher:
        await publisher.publish(matches[2][0])
        for transport in TRANSPORTS:
            async with abathur.connect(daemon.addresses[transport]) as game:
                await wait_until(game, lambda status: status.match.map_name == MAPS[2])
                found = await game.matches()
                over = [(sync_pb2.match_over, FRAMES, [result]) for result in (sc2api_pb2.Defeat, sc2api_pb2.Victory)]
                assert [each.match.map_name for each in found] == list(MAPS)
                assert [(each.state, each.frames, [one.result for one in each.results]) for each in found] == [
                    *over,
                    (sync_pb2.match_running, 1, []),
                ]
                with abathur.connect_blocking(daemon.addresses[transport]) as blocking:
                    assert [each.match for each in await asyncio.to_thread(blocking.matches)] == [
                        each.match for each in found
                    ]
                    match = await asyncio.to_thread(blocking.match, found[0])
                    assert match is not None and match.map_name == MAPS[0]
                await check_ended(game, found[1], matches[1])
                for ask in (*ASKS.values(), *ACTS.values()):
                    with pytest.raises(RequestError, match="NOT_FOUND"):
                        await ask(game, "unknown")
                    with pytest.raises(TypeError, match="run_id is a string, or a match"):
                        await ask(game, 5)
                for act in ACTS.values():
                    with pytest.raises(RequestError, match="FAILED_PRECONDITION: this match is over"):
                        await act(game, found[0])
                    if act is not ACTS["act"]:
                        await act(game, found[2])


async def check_ended(
    game: abathur.Game, ended: sync_pb2.MatchSummary, observations: list[sc2api_pb2.ResponseObservation]
) -> None:
    run_id = ended.match.run_id
    loops = [each.observation.game_loop for each in observations]
    for each in (ended, ended.match, run_id):
        match = await game.match(each)
        assert match is not None and match.map_name == MAPS[1]
    assert (await game.status(run_id=ended)).match.map_name == MAPS[1]
    timeline = await game.timeline(run_id=ended)
    assert timeline.game_loops[0] == loops[0]
    assert timeline["minerals"][0] == observations[0].observation.player_common.minerals
    frames = [frame async for frame in game.frames(policy="every", start="oldest", run_id=ended)]
    assert [(frame.run_id, frame.game_loop) for frame in frames] == [(run_id, loop) for loop in loops]
    # The last frame is of this match, so that a request without `run_id` is about it.
    assert (await game.status()).match.map_name == MAPS[1]
    assert (await game.frame_at(loops[3])).run_id == run_id


@pytest.mark.parametrize("ends", [False, True], ids=["same match", "next match"])
async def test_a_broken_connection_goes_on_with_the_match_that_runs(
    launch: Launch, matches: list[list[sc2api_pb2.ResponseObservation]], ends: bool
) -> None:
    daemon = launch("serve", *FREE_PORTS)
    links: list[tuple[asyncio.StreamWriter, asyncio.Task[Any] | None]] = []
    is_open = asyncio.Event()
    is_open.set()

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        links.append((writer, asyncio.current_task()))
        await is_open.wait()
        await relay(reader, writer, daemon.socket_port)

    server = await asyncio.start_server(pass_on, "127.0.0.1", 0)
    agent = Seer()
    running = asyncio.create_task(agent.run_async(f"socket://127.0.0.1:{server.sockets[0].getsockname()[1]}"))
    async with abathur.connect(daemon.grpc) as game, contextlib.AsyncExitStack() as stack:
        await wait_until(game, lambda status: len(status.subscribers) == 1)
        publisher = await stack.enter_async_context(published(daemon, MAPS[0]))
        await publisher.publish(matches[0][0])
        assert await take(agent.seen, 2) == [("start", MAPS[0]), ("step", 1)]
        is_open.clear()
        links[0][0].transport.abort()
        await wait_until(game, lambda status: not status.subscribers)
        if ends:
            await stack.aclose()
            publisher = await stack.enter_async_context(published(daemon, MAPS[1]))
            await publisher.publish(matches[1][0])
        await publisher.publish(matches[1][1])
        await publisher.publish(matches[1][2])
        while (await game.matches())[-1].frames < 3:
            await asyncio.sleep(PAUSE)
        is_open.set()
        await wait_until(game, lambda status: len(status.subscribers) == 1)
        await publisher.publish(matches[1][3])
        expected = [("end", []), ("start", MAPS[1])] if ends else []
        assert await take(agent.seen, len(expected) + 1) == [*expected, ("step", 4)]
    assert await asyncio.to_thread(daemon.stop) == 0
    await running
    server.close()
    await asyncio.gather(*(task for _, task in links if task is not None))
    newest = agent.newest
    assert newest is not None and newest.reconnected and newest.skipped_events_incomplete
    # Of the match that runs now, nothing is known to be missing.
    assert newest.dropped == (0 if ends else 2)

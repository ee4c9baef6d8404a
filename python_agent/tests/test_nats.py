"""A match on NATS JetStream is read with the same API, and has the same frames."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from contextlib import aclosing
from itertools import pairwise
from pathlib import Path
from typing import Any

import abathur
import grpc
import pytest
from abathur import drawing
from abathur._program import address as _address
from abathur._transport.nats import directory, wire
from abathur._transport.nats.client import Client
from abathur._transport.nats.stream import MatchStream
from abathur._transport.nats.subscription import Place, Reader, place_of
from abathur._transport.nats.wire import Stamp
from abathur.sync.v1 import sync_pb2
from nats.js.errors import APIError
from nats_servers import RelayProcess, Server, eventually, needs_nats, running
from nats_writes import Writer, create_stream
from programs import SKIRMISH, Daemon, Play, wait_until
from s2clientprotocol import query_pb2, sc2api_pb2

pytestmark = needs_nats
NEEDS_DAEMON = r"UNIMPLEMENTED: .* needs a connection to the daemon itself, not to NATS"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests, which use matches of different names."""
    with running(tmp_path_factory.mktemp("nats")) as server:
        yield server


Start = Callable[..., tuple[Daemon, str]]


@pytest.fixture
def relayed(play: Play, server: Server, request: pytest.FixtureRequest) -> Iterator[Start]:
    """Start a playback that is paused, and its relay; gives the daemon and the address of the match."""
    relays: list[RelayProcess] = []

    def start(*arguments: str) -> tuple[Daemon, str]:
        daemon = play(SKIRMISH, "--start-paused", *arguments)
        name = request.node.name.replace("[", "-").rstrip("]")[:60]
        relays.append(RelayProcess(server.url, "--address", daemon.grpc, "--match", name))
        return daemon, f"{server.url}/{name}"

    yield start
    for relay in relays:
        relay.close()


def sorted_by_tag(frame: abathur.Frame) -> sc2api_pb2.ResponseObservation:
    """Columns do not keep the order of units."""
    copy = sc2api_pb2.ResponseObservation()
    copy.CopyFrom(frame.to_observation())
    copy.observation.raw_data.units.sort(key=lambda unit: unit.tag)
    return copy


async def publish(daemon: Daemon, frames: int) -> int:
    """Publish frames of a paused playback; returns the sequence of the last one."""
    async with abathur.connect(daemon.grpc) as game:
        newest = (await game.status()).playback.sequence + frames
        await game.playback.step(frames)
        await wait_until(game, lambda status: status.playback.sequence == newest)
    return newest


async def stored(address: str, sequence: int) -> None:
    """Wait until a frame is in the stream."""
    async with abathur.connect(address) as game, aclosing(game.frames(policy="every", start="oldest")) as frames:
        async for frame in frames:
            if frame.sequence >= sequence:
                return


async def read(address: str, **options: Any) -> list[abathur.Frame]:
    async with abathur.connect(address) as game:
        return [frame async for frame in game.frames(**options)]


async def test_every_frame_is_the_recorded_one(relayed: Start) -> None:
    daemon, address = relayed("--playback-duration", "4", "--rate", "4")
    reading = asyncio.create_task(read(address, policy="every", start="oldest"))
    async with abathur.connect(daemon.grpc) as game:
        await game.playback.resume()
    frames = await reading
    with abathur.open(SKIRMISH) as recording:
        expected = list(recording.frames(stop=frames[-1].game_loop + 1))
    assert [frame.sequence for frame in frames] == list(range(1, len(expected) + 1))
    assert [frame.game_loop for frame in frames] == [frame.game_loop for frame in expected]
    for frame, recorded in zip(frames[::10], expected[::10], strict=True):
        assert sorted_by_tag(frame) == sorted_by_tag(recorded)
    assert not any(frame.dropped for frame in frames)


async def test_the_messages_are_those_of_the_daemon(relayed: Start, server: Server) -> None:
    """Unopened: byte for byte what another subscriber with the same options receives."""
    daemon, address = relayed()
    request = sync_pb2.SubscribeRequest(
        policy=sync_pb2.every, encoding=sync_pb2.columns, compression=sync_pb2.zstd_stream
    )
    name = address.rpartition("/")[2]
    received: list[bytes] = []
    client = await Client.connect(_address.parse(server.url), "_INBOX.test", 5, "test")

    async def receive(message: Any) -> None:
        received.append(message.data)

    await client.subscribe(f"abathur.{name}.frames", receive)
    await client.nats.flush()
    with grpc.insecure_channel(daemon.grpc.removeprefix("grpc://")) as channel:
        call = channel.unary_stream("/abathur.sync.v1.GameSync/Subscribe")(request.SerializeToString())
        # The daemon sends it when the subscription has begun.
        call.initial_metadata()
        own: list[bytes] = []
        for number in range(60):
            await publish(daemon, 1)
            own.append(next(call))
            await stored(address, number + 1)
        call.cancel()
    await eventually(lambda: _true(len(received) >= 60))
    await client.close()
    # The relay began with kept frames, which are encoded for it alone.
    assert received[-20:] == own[-20:]


async def _true(value: bool) -> bool:
    return value


def dead(frame: abathur.Frame) -> list[int]:
    skipped = frame.skipped_events
    before = [] if skipped is None else list(skipped.observation.raw_data.event.dead_units)
    return before + list(frame.rest.observation.raw_data.event.dead_units)


def recorded_deaths() -> dict[int, list[int]]:
    """By the sequence of the frame."""
    with abathur.open(SKIRMISH) as match:
        return {
            frame.sequence: list(frame.rest.observation.raw_data.event.dead_units)
            for frame in match.frames()
            if frame.rest.observation.raw_data.event.dead_units
        }


def died_between(deaths: dict[int, list[int]], last: abathur.Frame, frame: abathur.Frame) -> list[int]:
    """After one frame, up to another."""
    return [tag for number in range(last.sequence + 1, frame.sequence + 1) for tag in deaths.get(number, [])]


async def read_from_its_start(daemon: Daemon, reading: Coroutine[Any, Any, None], frames: list[abathur.Frame]) -> None:
    """Resume a paused playback when its reader has the first frame, and wait until it has all."""
    task = asyncio.create_task(reading)
    async with abathur.connect(daemon.grpc) as game:
        await game.playback.step(1)
        await eventually(lambda: _true(bool(frames)))
        await game.playback.resume()
    await task


@pytest.mark.parametrize("lost", [range(0), range(100, 120), range(210, 226), range(190, 230)], ids=str)
async def test_a_reader_of_the_newest_frames_hears_of_each_death_or_that_it_does_not(
    relayed: Start, monkeypatch: pytest.MonkeyPatch, lost: range
) -> None:
    """`lost`: positions that a server does not send to a slow reader. Keyframes are at 1, 225, ..."""
    receive = Reader._receive

    async def receive_some(self: Reader, message: Any) -> None:
        stamp = wire.stamp(message.headers, self._match)
        if stamp is None or stamp.position not in lost:
            await receive(self, message)

    monkeypatch.setattr(Reader, "_receive", receive_some)
    daemon, address = relayed("--playback-duration", "15", "--rate", "4")
    draw = random.Random(15)
    frames: list[abathur.Frame] = []

    async def read_slowly() -> None:
        async with abathur.connect(address) as game:
            async for frame in game.frames():
                frames.append(frame)
                time.sleep(draw.expovariate(30))

    await read_from_its_start(daemon, read_slowly(), frames)
    deaths = recorded_deaths()
    assert len(deaths) > 5 and frames[-1].sequence > 300
    for last, frame in pairwise(frames):
        assert frame.dropped == frame.sequence - last.sequence - 1
        assert frame.skipped_events_incomplete or dead(frame) == died_between(deaths, last, frame)
    # Few frames that did not come are read from the stream.
    assert len(lost) > 32 or not any(frame.skipped_events_incomplete for frame in frames)


@pytest.mark.parametrize("policy", ["every", "latest"])
async def test_the_last_frame_is_given_whatever_is_downsampled(relayed: Start, policy: Any) -> None:
    daemon, address = relayed("--playback-duration", "3", "--rate", "2")
    frames: list[abathur.Frame] = []

    async def read_every(game_loops: int) -> None:
        async with abathur.connect(address) as game:
            async for frame in game.frames(policy=policy, every=game_loops):
                frames.append(frame)

    await read_from_its_start(daemon, read_every(40), frames)
    deaths = recorded_deaths()
    everything = await read(address, policy="every", start="oldest")
    assert frames[-1].sequence == everything[-1].sequence > 60
    for last, frame in pairwise(frames):
        assert dead(frame) == died_between(deaths, last, frame)


@pytest.mark.parametrize("policy", ["every", "latest"])
async def test_a_subscription_begins_in_the_past(relayed: Start, policy: Any) -> None:
    daemon, address = relayed()
    await publish(daemon, 300)
    await stored(address, 300)
    frames = await read(address, policy=policy, start=9100, max_frames=5)
    assert [frame.game_loop for frame in frames] == [9100, 9101, 9102, 9103, 9104]
    assert [frame.sequence for frame in frames] == [141, 142, 143, 144, 145]
    async with abathur.connect(address) as game:
        assert (await game.frame_at(9250)).game_loop == 9250
        with pytest.raises(abathur.RequestError, match="game loop 100 is not kept; kept are 8960 to 9259"):
            await game.frame_at(100)


async def first_of(frames: AsyncGenerator[abathur.Frame, None], daemon: Daemon) -> abathur.Frame:
    """The first frame of a live subscription: some are published until it is there."""
    first = asyncio.ensure_future(anext(frames))
    while not first.done():
        await publish(daemon, 1)
        await asyncio.wait([first], timeout=0.05)
    return await first


@pytest.mark.parametrize("policy", ["every", "latest"])
async def test_a_live_subscription_begins_with_a_new_frame(relayed: Start, policy: Any) -> None:
    daemon, address = relayed()
    await publish(daemon, 20)
    await stored(address, 20)
    async with abathur.connect(address) as game, aclosing(game.frames(policy=policy)) as frames:
        first = await first_of(frames, daemon)
        assert first.sequence > 20 and first.dropped == 0
        if policy == "every":
            await publish(daemon, 2)
            assert [(await anext(frames)).sequence for _ in range(2)] == [first.sequence + 1, first.sequence + 2]


async def test_a_reader_that_lags_skips_to_the_newest_frame(relayed: Start) -> None:
    daemon, address = relayed()
    async with abathur.connect(address) as game, aclosing(game.frames(policy="latest")) as frames:
        first = await first_of(frames, daemon)
        newest = await publish(daemon, 30)
        await stored(address, newest)
        second = await anext(frames)
    assert second.sequence == newest
    assert second.dropped == newest - first.sequence - 1
    assert second.dropped_loops == (first.game_loop + 1, second.game_loop - 1)
    with abathur.open(SKIRMISH) as recording:
        skipped = recording.frames(start=first.game_loop + 1, stop=second.game_loop)
        expected = [tag for frame in skipped for tag in frame.observation.raw_data.event.dead_units]
    assert not second.skipped_events_incomplete
    dead = second.skipped_events.observation.raw_data.event.dead_units if second.skipped_events is not None else []
    assert list(dead) == expected


async def test_a_reader_that_lags_far_skips_to_a_keyframe(relayed: Start) -> None:
    daemon, address = relayed()
    async with abathur.connect(address) as game, aclosing(game.frames(policy="latest")) as frames:
        first = await first_of(frames, daemon)
        newest = await publish(daemon, 400)
        await stored(address, newest)
        second = await anext(frames)
    assert second.sequence == newest
    assert second.dropped == second.sequence - first.sequence - 1
    assert second.skipped_events_incomplete
    with abathur.open(SKIRMISH) as recording:
        (recorded,) = recording.frames(start=second.game_loop, stop=second.game_loop + 1)
    assert sorted_by_tag(second) == sorted_by_tag(recorded)


async def test_downsampling_keeps_what_happened_between(relayed: Start) -> None:
    daemon, address = relayed()
    await publish(daemon, 200)
    await stored(address, 200)
    frames = await read(address, policy="every", start="oldest", every=20, max_frames=9)
    assert [frame.game_loop for frame in frames] == list(range(8960, 8960 + 9 * 20, 20))
    with abathur.open(SKIRMISH) as recording:
        expected = list(recording.frames(every=20, stop=8960 + 9 * 20))
    for frame, other in zip(frames, expected, strict=True):
        assert (frame.skipped_events is None) == (other.skipped_events is None)
        if frame.skipped_events is not None and other.skipped_events is not None:
            assert frame.skipped_events == other.skipped_events


async def test_requests_reach_the_daemon(relayed: Start) -> None:
    daemon, address = relayed()
    await publish(daemon, 60)
    await stored(address, 60)
    async with abathur.connect(address) as game:
        match = await game.match()
        assert match is not None
        assert (match.map_name, match.game_info.map_name) == ("Synthetic LE", "Synthetic LE")
        assert len(match.game_data.units) > 0 or not match.HasField("game_data")
        assert (await game.status()).playback.sequence == 60
        assert list((await game.timeline()).game_loops)[:2] == [8960, 8982]
        assert (await game.playback.step(5)).paused
        await wait_until(game, lambda status: status.playback.sequence == 65)
        drawn = await game.draw([drawing.point((10, 10))], layer="test")
        assert drawn.shapes == 1
        result = await game.query(
            query_pb2.RequestQuery(
                placements=[query_pb2.RequestQueryBuildingPlacement(ability_id=880, target_pos={"x": 40, "y": 40})]
            )
        )
        assert result.emulated and len(result.response.placements) == 1
        with pytest.raises(abathur.RequestError, match="FAILED_PRECONDITION"):
            await game.act([])


async def test_what_only_the_daemon_can_do_is_refused(relayed: Start) -> None:
    _, address = relayed()
    with pytest.raises(abathur.RequestError, match="UNIMPLEMENTED: the policy lockstep"):
        await read(address, policy="lockstep")
    with pytest.raises(abathur.RequestError, match=NEEDS_DAEMON):
        await read(address, run_id="1")
    async with abathur.connect(address) as game:
        for call in (game.matches(), game.status(run_id="1"), game.match("1")):
            with pytest.raises(abathur.RequestError, match=NEEDS_DAEMON):
                await call
    with pytest.raises(abathur.RequestError, match="UNIMPLEMENTED: a match on NATS has all fields"):
        await read(address, fields=["observation.game_loop"])


def test_the_blocking_twin_reads_the_same(relayed: Start) -> None:
    daemon, address = relayed("--playback-duration", "2", "--rate", "4")
    with abathur.connect_blocking(daemon.grpc) as control:
        control.playback.resume()
        with abathur.connect_blocking(address) as game:
            assert game.match() is not None
            sequences = [frame.sequence for frame in game.frames(policy="every", start="oldest")]
            assert sequences == list(range(1, sequences[-1] + 1))
            assert sequences[-1] >= 40


async def test_an_agent_runs_on_it(relayed: Start) -> None:
    class Counter(abathur.Agent):
        policy = "every"
        start = "oldest"
        loops: list[int] = []  # noqa: RUF012
        damaged = 0

        async def on_step(self, frame: abathur.Frame) -> None:
            self.loops.append(frame.game_loop)

        async def on_unit_took_damage(self, unit: Any, amount: float) -> None:
            self.damaged += 1

    daemon, address = relayed("--playback-duration", "2", "--rate", "4")
    async with abathur.connect(daemon.grpc) as game:
        await game.playback.resume()
    agent = Counter()
    await asyncio.to_thread(agent.run, address)
    assert agent.loops[0] == 8960 and len(agent.loops) >= 40
    assert agent.damaged > 0


async def test_the_directory_lists_the_match(relayed: Start, server: Server) -> None:
    daemon, address = relayed()
    await publish(daemon, 30)
    name = address.rpartition("/")[2]
    client = await Client.connect(_address.parse(server.url), "_INBOX.test", 5, "test")
    async with abathur.connect(address) as game, aclosing(game.frames(policy="every", start="oldest")) as frames:
        await anext(frames)

        async def is_listed() -> Any:
            found = {each.match: each for each in await directory.entries(client)}[name]
            return found if found.readers == 1 and found.game_loop == 8989 else None

        entry = await eventually(is_listed)
    await client.close()
    assert (entry.shown_state, entry.map_name, entry.source) == ("running", "Synthetic LE", "playback")
    assert [(each.name, each.race) for each in entry.players] == [
        ("Synthetic Zerg", "Zerg"),
        ("Synthetic Protoss", "Protoss"),
    ]


async def test_a_playback_that_goes_back_begins_again(relayed: Start) -> None:
    daemon, address = relayed()
    await publish(daemon, 50)
    await stored(address, 50)
    async with abathur.connect(daemon.grpc) as game:
        await game.playback.seek(8970)
    await publish(daemon, 10)
    await stored(address, 60)
    frames = await read(address, policy="every", start="oldest", max_frames=10)
    assert [frame.game_loop for frame in frames] == list(range(8970, 8980))


async def test_a_name_is_used_again(play: Play, server: Server) -> None:
    """Readers get the newest match of the name, also while it has no frames yet."""
    address = f"{server.url}/again"
    for _ in range(2):
        daemon = play(SKIRMISH, "--start-paused", "--playback-duration", "1")
        with RelayProcess(address, "--address", daemon.grpc) as relay:
            reading = asyncio.create_task(read(address, policy="every"))
            await publish(daemon, 5)
            async with abathur.connect(daemon.grpc) as game:
                await game.playback.resume()
            frames = await reading
            await asyncio.to_thread(relay.process.wait)
        assert frames[-1].sequence == 23
        kept = await read(address, policy="every", start="oldest")
        assert [frame.sequence for frame in kept] == list(range(1, 24))


async def test_two_relays_at_once_do_not_mix(server: Server) -> None:
    """What the second one has on the way after a refused message is refused as well: its keyframe is not stored."""
    client = await Client.connect(_address.parse(server.url), "_INBOX.test", 5, "test")
    await create_stream(client, "two")
    first, second = Writer(client, "two", "first"), Writer(client, "two", "second")
    stamps = [Stamp("run", number, 100 + number, number, 1, 1) for number in (1, 2, 3)]
    await first.append(stamps[0], b"first")
    for stamp in stamps:
        with pytest.raises(APIError):
            await second.append(stamp, b"second")
    await first.append(stamps[1], b"first")
    stored = [await client.message("ABATHUR_two", position) for position in (1, 2, 3)]
    await client.close()
    assert [found and found[2] for found in stored] == [b"first", b"first", None]


async def test_a_first_frame_that_is_stored_while_the_oldest_is_looked_for_is_read(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = await Client.connect(_address.parse(server.url), "_INBOX.test", 5, "test")
    await create_stream(client, "first")
    writer = Writer(client, "first", "relay")
    look = MatchStream.oldest

    async def look_too_early(stream: MatchStream) -> Stamp | None:
        found = await look(stream)
        await writer.append(Stamp("run", 1, 100, 1, 1, 1), b"frame")
        return found

    async def run() -> str:
        return "run"

    monkeypatch.setattr(MatchStream, "oldest", look_too_early)
    request = sync_pb2.SubscribeRequest(start_oldest=True)
    assert await place_of(MatchStream(client, "first"), request, run) == Place(decode=1, after=0)
    await client.close()


async def test_frames_end_with_the_match(relayed: Start) -> None:
    daemon, address = relayed("--playback-duration", "1")
    async with abathur.connect(daemon.grpc) as game:
        await game.playback.resume()
    assert (await read(address, policy="latest"))[-1].observation.game_loop > 8960
    # It is over: nothing follows, and what is kept can be read.
    assert await read(address) == []
    assert len(await read(address, policy="every", start="oldest")) >= 20


@pytest.mark.timeout(25)
async def test_what_is_not_there_is_told_at_once(tmp_path: Path) -> None:
    """Not after 30 s: of `request_timeout`, or of `reconnect_timeout`."""
    with running(tmp_path / "nats") as server:
        async with abathur.connect(f"{server.url}/nothing") as game:
            for asked in (game.match(), anext(game.frames())):
                with pytest.raises(abathur.ConnectError, match="there is no match 'nothing'"):
                    await asked
    async with abathur.connect(f"{server.url}/nothing") as game:
        with pytest.raises(abathur.ConnectError, match=r"nothing listens there. Is the NATS server running\? wait="):
            await anext(game.frames())

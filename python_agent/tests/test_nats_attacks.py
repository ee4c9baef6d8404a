"""Readers of a match on NATS, beside users of the same server who want to mislead them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import abathur
import pytest
from abathur._program import address as _address
from abathur._transport.nats import directory, wire
from abathur._transport.nats.client import Client
from abathur._transport.nats.stream import MatchStream
from abathur._transport.nats.wire import Stamp
from nats_servers import RelayProcess, Server, eventually, needs_nats, running
from nats_writes import Writer, create_directory, create_stream, headers, to_json
from programs import SKIRMISH, Daemon, Play
from programs import abathur as run_abathur
from test_nats import first_of, publish, stored

pytestmark = needs_nats

Relayed = Callable[[str], tuple[Daemon, str]]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("nats")) as server:
        yield server


@pytest.fixture
def relayed(play: Play, server: Server) -> Iterator[Relayed]:
    """Start a playback that is paused, and its relay; gives the daemon and the address of the match."""
    relays: list[RelayProcess] = []

    def start(name: str) -> tuple[Daemon, str]:
        daemon = play(SKIRMISH, "--start-paused")
        relays.append(RelayProcess(server.url, "--address", daemon.grpc, "--match", name))
        return daemon, f"{server.url}/{name}"

    yield start
    for relay in relays:
        relay.close()


@asynccontextmanager
async def attacker(server: Server) -> AsyncGenerator[Client, None]:
    client = await Client.connect(_address.parse(server.url), "_INBOX.attacker", 5, "attacker")
    try:
        yield client
    finally:
        await client.close()


async def have_sent(client: Client, match: str, to: str) -> None:
    """Have all messages of a match sent to the subject of another one: a watcher of the former may do that."""
    stream, subject = wire.stream(match), wire.frames(to)
    done = asyncio.Event()
    _, last = await MatchStream(client, match).range()
    count = 0

    async def receive(_: Any) -> None:
        nonlocal count
        count += 1
        if count >= last:
            done.set()

    await client.subscribe(subject, receive)
    await client.nats.flush()
    settings = {"deliver_subject": subject, "deliver_policy": "all", "ack_policy": "none", "max_deliver": 1}
    await client.api(f"CONSUMER.CREATE.{stream}", {"stream_name": stream, "config": settings})
    async with asyncio.timeout(30):
        await done.wait()


async def follow(frames: AsyncGenerator[abathur.Frame, None], seen: int, last: int) -> int:
    """Read up to the newest frame that was published: only frames that follow each other."""
    async with asyncio.timeout(20):
        while seen < last:
            frame = await anext(frames)
            assert seen < frame.sequence <= last and frame.dropped == frame.sequence - seen - 1
            seen = frame.sequence
    return seen


@asynccontextmanager
async def newest(address: str) -> AsyncGenerator[AsyncGenerator[abathur.Frame, None], None]:
    async with abathur.connect(address) as game, aclosing(game.frames(policy="latest")) as frames:
        yield frames


async def test_messages_of_another_match_are_ignored(relayed: Relayed, server: Server) -> None:
    (other, elsewhere), (daemon, address) = relayed("other"), relayed("mine")
    await publish(other, 60)
    await stored(elsewhere, 60)
    async with newest(address) as frames, attacker(server) as client:
        first = await first_of(frames, daemon)
        await have_sent(client, "other", "mine")
        seen = first.sequence
        for _ in range(3):
            seen = await follow(frames, seen, await publish(daemon, 1))


async def test_old_messages_of_the_match_are_ignored(relayed: Relayed, server: Server) -> None:
    """Published again while a reader begins, and later. The server does not store them, but sends them to readers."""
    daemon, address = relayed("again")

    async def publish_again(client: Client) -> None:
        for position in range(1, 41):
            found = await client.message("ABATHUR_again", position)
            assert found is not None
            await client.nats.publish(wire.frames("again"), found[2], headers=found[1])
        await client.nats.flush()

    await publish(daemon, 40)
    await stored(address, 40)
    async with newest(address) as frames, attacker(server) as client:
        beginning = asyncio.ensure_future(anext(frames))
        await publish_again(client)
        async with asyncio.timeout(20):
            last = 40
            while not beginning.done():
                last = await publish(daemon, 1)
                await asyncio.wait([beginning], timeout=0.2)
            seen = beginning.result().sequence
            assert 40 < seen <= last
        seen = await follow(frames, seen, last)
        await publish_again(client)
        await follow(frames, seen, await publish(daemon, 1))


@pytest.mark.parametrize("run", ["its own", "another"])
async def test_a_position_that_the_stream_does_not_have_silences_nobody(
    relayed: Relayed, server: Server, run: str
) -> None:
    """Of a user who may publish there. The server does not store it, but sends it to the readers."""
    daemon, address = relayed(f"far-{run.replace(' ', '-')}")
    name = address.rpartition("/")[2]
    async with newest(address) as frames, attacker(server) as client:
        first = await first_of(frames, daemon)
        found = await client.message(wire.stream(name), 1)
        assert found is not None
        own = wire.stamp(found[1], name)
        assert own is not None
        for position in (2 * 10**6, 2 * 10**9):
            stamp = Stamp(own.run if run == "its own" else "evil", 10**9, 10**6, position, position, 1)
            await client.nats.publish(wire.frames(name), found[2], headers=headers(stamp, name, "evil"))
        await client.nats.flush()
        seen = first.sequence
        for _ in range(3):
            seen = await follow(frames, seen, await publish(daemon, 1))


@pytest.mark.parametrize("policy", ["every", "latest"])
async def test_a_stored_message_of_nobody_is_passed_over(relayed: Relayed, server: Server, policy: Any) -> None:
    """With a high sequence number, a keyframe that is not there, data that is no frame: the match goes on behind it."""
    daemon, address = relayed(f"source-{policy}")
    source, name = address.rpartition("/")[2], f"junk-{policy}"
    await publish(daemon, 12)
    await stored(address, 12)
    async with attacker(server) as client:
        await create_stream(client, name)
        writer = Writer(client, name, "relay")
        position = 0
        places: dict[int, int] = {}
        for sequence in range(1, 13):
            found = await client.message(wire.stream(source), sequence)
            assert found is not None
            stamp = wire.stamp(found[1], source)
            assert stamp is not None
            position += 1
            places[sequence] = position
            keyframe = places[stamp.keyframe]
            await writer.append(Stamp(stamp.run, sequence, stamp.game_loop, position, keyframe, 1), found[2])
            if sequence in (3, 7):
                position += 1
                await writer.append(Stamp("evil", 10**12 + sequence, 10**6, position, position, 1), b"\xff")
            if sequence == 5:
                position += 1
                await writer.append(Stamp(stamp.run, 10**6, stamp.game_loop, position, position + 5, 1), b"\xff")
        await writer.append(Stamp(stamp.run, 12, stamp.game_loop, position + 1, keyframe, 1, "OK"), b"over")
    async with abathur.connect(f"{server.url}/{name}") as game, asyncio.timeout(30):
        found_sequences = [frame.sequence async for frame in game.frames(policy=policy, start="oldest")]
    assert found_sequences == list(range(1, 13))


@pytest.mark.parametrize("game_loops", [1, 50_000])
async def test_a_message_from_far_ahead_stops_neither_a_relay_nor_the_next(
    play: Play, server: Server, game_loops: int
) -> None:
    """Stored by a user who may publish there, with the run of the match: the daemon has no such frame."""
    daemon = play(SKIRMISH, "--start-paused")
    name = f"ahead-{game_loops}"
    line = (server.url, "--address", daemon.grpc, "--match", name)
    async with attacker(server) as client:
        stream = MatchStream(client, name)

        async def is_stored(sequence: int) -> None:
            async def holds() -> bool:
                last = await stream.last()
                return last is not None and last.sequence == sequence

            await eventually(holds)

        with RelayProcess(*line):
            await publish(daemon, 20)
            await is_stored(20)
            found = await client.message(wire.stream(name), 20)
            assert found is not None
            own = wire.stamp(found[1], name)
            assert own is not None
            forged = Stamp(own.run, 888_888, own.game_loop + game_loops, 21, 21, own.first)
            await Writer(client, name, "evil").append(forged, found[2])
            await publish(daemon, 10)
            await is_stored(30)
        with RelayProcess(*line):
            await publish(daemon, 10)
            await is_stored(40)
        kept = [await stream.stamp(position) for position in range(1, (await stream.range())[1] + 1)]
    sequences = [each.sequence for each in kept if each is not None and each != forged and not each.end]
    assert sequences == list(range(1, 41))


async def test_a_flood_of_requests_delays_no_frame(relayed: Relayed, server: Server) -> None:
    """They share the relay's connection with the acknowledgements of frames (nats.net #1041)."""
    daemon, address = relayed("flood")
    async with attacker(server) as client:
        answers: list[str] = []

        async def receive(message: Any) -> None:
            answers.append((message.headers or {}).get(wire.ERROR, ""))

        await client.subscribe("_INBOX.attacker.flood", receive)
        for _ in range(3000):
            await client.nats.publish(
                wire.call("flood", "timeline"), reply="_INBOX.attacker.flood", headers=wire.REQUEST
            )
        newest = await publish(daemon, 40)
        await stored(address, newest)

        async def are_answered() -> bool:
            return "" in answers and "RESOURCE_EXHAUSTED" in answers

        await eventually(are_answered)


async def test_a_listener_that_answers_nothing_keeps_no_relay_from_starting(play: Play, server: Server) -> None:
    async def ignore(message: Any) -> None:
        pass

    daemon = play(SKIRMISH, "--start-paused")
    async with attacker(server) as client:
        await client.subscribe("abathur.>", ignore)
        await client.nats.flush()
        # It waits for the line that says so.
        RelayProcess(server.url, "--address", daemon.grpc, "--match", "listened").close()


ODD = [
    b"",
    b"[]",
    b"{",
    b"[" * 100_000,
    b'{"match": "odd"}',
    {"players": None},
    {"players": [{"player_id": 1e999, "name": "x", "race": "Zerg"}]},
    {"since": "yesterday"},
    {"since": 1e300},
    {"updated": None},
    {"updated": []},
    {"map_name": {"a": 1}},
    {"game_loop": "many"},
    {"match": 5},
    {"match": "ladder-1"},
    {"state": ["running"]},
]


async def test_odd_entries_of_the_directory_do_not_hide_the_others(tmp_path: Path) -> None:
    with running(tmp_path / "nats") as server:
        async with attacker(server) as client:
            await create_directory(client)
            good = directory.Entry("good", map_name="Testmap LE", players=[directory.Player(1, "Ann", "Zerg")])
            await client.publish(wire.key("good"), to_json(good))
            for number, odd in enumerate(ODD):
                name = f"odd-{number}"
                like = json.loads(to_json(directory.Entry(name)))
                data = odd if isinstance(odd, bytes) else json.dumps({**like, **odd}).encode()
                await client.publish(wire.key(name), data)
            await client.publish(
                wire.key("newer"), json.dumps({**json.loads(to_json(good)), "x": 1, "match": "newer"}).encode()
            )
            await client.nats.flush()
            assert [each.match for each in await directory.entries(client)] == ["good", "newer"]
            with pytest.raises(abathur.ConnectError, match="there is no match 'odd-5'"):
                async with abathur.connect(f"{server.url}/odd-5") as game:
                    await game.match()
        listed = run_abathur("matches", server.url)
    assert listed.returncode == 0, listed.stderr
    assert "Testmap LE" in listed.stdout and "odd" not in listed.stdout

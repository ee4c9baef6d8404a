"""Killed relays, daemons and servers of NATS: no frame is lost or repeated, and readers are told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import abathur
import pytest
from abathur._program import address as _address
from abathur._transport.nats.client import ApiError, Client
from abathur._transport.nats.stream import MatchStream
from abathur.errors import LostError
from nats.js.api import StorageType
from nats_servers import RelayProcess, Server, cluster, eventually, free_ports, needs_nats, running
from programs import SKIRMISH, TIMEOUT, Daemon, Play, run_daemon, wait_until
from programs import abathur as run_abathur
from test_nats_attacks import attacker

pytestmark = needs_nats

Run = Callable[..., Any]


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[list[Server]]:
    servers = cluster(tmp_path / "nats")
    for server in servers:
        server.start()
    yield servers
    for server in servers:
        server.stop()


@pytest.fixture
def relay() -> Iterator[Callable[..., RelayProcess]]:
    started: list[RelayProcess] = []

    def start(*arguments: str) -> RelayProcess:
        started.append(RelayProcess(*arguments, "--match", "m"))
        return started[-1]

    yield start
    for each in started:
        each.close()


class Reading:
    """A reader in a task."""

    def __init__(self, address: str, *, policy: Any = "every", **options: Any) -> None:
        self.policy = policy
        self.sequences: list[int] = []
        self.dropped = 0
        self.error: Exception | None = None
        self._changed = asyncio.Event()
        self._task = asyncio.create_task(self._read(address, options))

    async def _read(self, address: str, options: dict[str, Any]) -> None:
        try:
            async with abathur.connect(address, **options) as game:
                frames = game.frames(policy=self.policy, start="oldest", encoding="columns")
                async with aclosing(frames):
                    async for frame in frames:
                        self.sequences.append(frame.sequence)
                        self.dropped += frame.dropped
                        self._changed.set()
        except abathur.AbathurError as error:
            self.error = error
        finally:
            self._changed.set()

    async def until(self, sequence: int) -> None:
        """Wait until a frame has been read."""
        while not self.sequences or self.sequences[-1] < sequence:
            self._changed.clear()
            assert not self._task.done(), self.error
            await self._changed.wait()

    async def end(self) -> None:
        """Wait for the end of the frames, which must have been orderly, with each frame once."""
        await self._task
        assert self.error is None, self.error
        if self.policy == "every":
            assert self.sequences == list(range(1, self.sequences[-1] + 1))
            assert self.dropped == 0
        else:
            assert self.sequences == sorted(set(self.sequences))
            assert self.dropped == self.sequences[-1] - len(self.sequences)

    async def failure(self) -> Exception:
        await self._task
        assert self.error is not None
        return self.error


@asynccontextmanager
async def playing(daemon: Daemon) -> AsyncIterator[abathur.Game]:
    async with abathur.connect(daemon.grpc) as game:
        await game.playback.resume()
        yield game


@asynccontextmanager
async def administrator(urls: str) -> AsyncIterator[Client]:
    client = await Client.connect(_address.parse(urls), "_INBOX.test", 10, "test")
    try:
        yield client
    finally:
        await client.close()


async def test_a_killed_relay_leaves_no_gap(play: Play, server: Server, relay: Callable[..., RelayProcess]) -> None:
    daemon = play(SKIRMISH, "--start-paused", "--playback-duration", "16")
    first = relay(server.url, "--address", daemon.grpc)
    async with playing(daemon) as game:
        reading = Reading(f"{server.url}/m")
        await reading.until(30)
        first.kill()
        latest = Reading(f"{server.url}/m", policy="latest", wait=TIMEOUT)
        second = await asyncio.to_thread(relay, server.url, "--address", daemon.grpc)
        await reading.until(100)
        second.kill()
        # The daemon ends with its match, and does not wait for a relay that is not there yet.
        await game.playback.pause()
        await asyncio.to_thread(relay, server.url, "--address", daemon.grpc)
        await game.playback.set_rate(4)
        await game.playback.resume()
        await reading.end()
        await latest.end()
        assert latest.sequences[-1] == reading.sequences[-1] >= 340


async def test_a_relay_goes_on_where_the_daemon_keeps_no_frames(
    play: Play, server: Server, relay: Callable[..., RelayProcess]
) -> None:
    """What was published without one is missing then; the match goes on."""
    daemon = play(SKIRMISH, "--start-paused", "--history-mb", "0")
    newest = 0
    async with attacker(server) as client, abathur.connect(daemon.grpc) as game:
        stream = MatchStream(client, "m")
        for _ in range(2):
            running = relay(server.url, "--address", daemon.grpc)
            await wait_until(game, lambda status: len(status.subscribers) == 1)
            await game.playback.step(5)
            newest += 5

            async def is_stored(sequence: int = newest) -> bool:
                last = await stream.last()
                return last is not None and last.sequence == sequence

            await eventually(is_stored)
            running.close()
            await wait_until(game, lambda status: not status.subscribers)
            await game.playback.step(3)
            newest += 3
        stamps = [await stream.stamp(position) for position in range(1, 11)]
    assert [stamp and stamp.sequence for stamp in stamps] == [1, 2, 3, 4, 5, 9, 10, 11, 12, 13]


async def test_readers_are_told_of_a_killed_daemon(
    play: Play, server: Server, relay: Callable[..., RelayProcess]
) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    relay(server.url, "--address", daemon.grpc)
    async with playing(daemon):
        reading = Reading(f"{server.url}/m", reconnect_timeout=0)
        await reading.until(20)
        daemon.process.kill()
        error = await reading.failure()
    assert isinstance(error, abathur.ConnectionLostError)
    assert "the daemon does not answer" in str(error)


async def test_a_daemon_that_is_shut_down_ends_the_frames(
    play: Play, server: Server, relay: Callable[..., RelayProcess]
) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    relayed = relay(server.url, "--address", daemon.grpc)
    async with playing(daemon):
        reading = Reading(f"{server.url}/m")
        await reading.until(20)
        await asyncio.to_thread(daemon.stop)
        await reading.end()
    assert await asyncio.to_thread(relayed.process.wait) == 0


async def test_the_match_goes_on_while_nats_is_away(
    play: Play, server: Server, tmp_path: Path, relay: Callable[..., RelayProcess]
) -> None:
    daemon = play(SKIRMISH, "--start-paused", "--playback-duration", "16")
    relayed = relay(server.url, "--address", daemon.grpc)
    async with playing(daemon) as game:
        beside = asyncio.create_task(timed(daemon))
        reading = Reading(f"{server.url}/m")
        latest = Reading(f"{server.url}/m", policy="latest", wait=TIMEOUT)
        await reading.until(30)
        server.kill()
        away = (await game.status()).playback.sequence
        async with aclosing(game.frames(policy="every", encoding="columns")) as frames:
            async for frame in frames:
                if frame.sequence > away + 66:  # 3 s of the game
                    break
        assert reading.sequences[-1] < frame.sequence - 50
        server.start()
        await reading.until(frame.sequence)
        await game.playback.set_rate(4)
        await reading.end()
        await latest.end()
    sequences = await beside
    assert latest.sequences[-1] == sequences[-1]
    assert reading.sequences[-1] == sequences[-1]
    # Those that were sent again count once.
    assert f"m: the match is over; {sequences[-1]} frames relayed" in await asyncio.to_thread(relayed.rest)
    assert sequences == list(range(sequences[0], sequences[-1] + 1))


async def test_the_relay_of_a_daemon_itself_goes_on_when_nats_is_back(play: Play, server: Server) -> None:
    daemon = play(SKIRMISH, "--start-paused", "--playback-duration", "16", "--relay", f"{server.url}/m")
    async with playing(daemon) as game:
        reading = Reading(f"{server.url}/m", wait=TIMEOUT)
        await reading.until(30)
        server.kill()
        server.start()
        await reading.until(60)
        await game.playback.set_rate(4)
        await reading.end()
    assert reading.sequences[-1] >= 340


async def test_a_stream_that_is_deleted_is_made_again(
    play: Play, server: Server, relay: Callable[..., RelayProcess]
) -> None:
    """With many frames on the way, for none of which the server has a place."""
    daemon = play(SKIRMISH, "--start-paused", "--rate", "100", "--loop")
    relayed = relay(server.url, "--address", daemon.grpc)
    async with playing(daemon) as game, administrator(server.url) as client:
        for deletions in range(6):
            while not await has_frames(client):
                assert relayed.process.poll() is None, relayed.rest()
                assert server.runs
                await asyncio.sleep(0.02)
            if deletions < 5:
                with suppress(LostError):
                    await client.api("STREAM.DELETE.ABATHUR_m")
        await game.playback.set_rate(10)
        await game.playback.set_loop(False)
    assert "m: the match is over; " in await asyncio.to_thread(relayed.rest)
    assert relayed.process.returncode == 0


async def has_frames(client: Client) -> bool:
    """Whether frames are stored, without a request for one: nats-server 2.9 ends where it finds a half-made stream."""
    try:
        return bool((await client.api("STREAM.INFO.ABATHUR_m"))["state"]["messages"])
    except (ApiError, LostError):  # No stream, or the server is busy with a deletion.
        return False


async def said(relayed: RelayProcess, text: str) -> None:
    """Wait until a relay says something."""
    stderr = relayed.process.stderr
    assert stderr is not None
    line = ""
    while text not in line:
        line = await asyncio.to_thread(stderr.readline)
        assert line, f"the relay ended without {text!r}"


async def test_a_server_that_hangs_costs_no_frame(
    play: Play, server: Server, relay: Callable[..., RelayProcess]
) -> None:
    """The connection stands, and nothing is acknowledged (nats.net #1001)."""
    daemon = play(SKIRMISH, "--start-paused", "--playback-duration", "16")
    relayed = relay(server.url, "--address", daemon.grpc)
    async with playing(daemon) as game:
        reading = Reading(f"{server.url}/m")
        await reading.until(30)
        server.hang(hangs=True)
        try:
            await said(relayed, "m: NATS: ")
        finally:
            server.hang(hangs=False)
        await reading.until(reading.sequences[-1] + 1)
        await game.playback.set_rate(4)
        await reading.end()
    assert reading.sequences[-1] >= 340


async def test_a_login_that_is_refused_for_a_while_ends_no_relay(
    play: Play, tmp_path: Path, relay: Callable[..., RelayProcess]
) -> None:
    """A server that is started again may not know its users yet (nats.node #533)."""
    users = 'authorization { users: [ { user: me, password: "secret" } ] }\n'
    with running(tmp_path / "nats", users) as server:
        known = server.config
        address = server.url.replace("://", "://me:secret@")
        daemon = play(SKIRMISH, "--start-paused", "--playback-duration", "16")
        relay(address, "--address", daemon.grpc)
        async with playing(daemon) as game:
            await wait_until(game, lambda status: status.playback.sequence > 30)
            server.kill()
            server.configure(known.replace("secret", "another"))
            server.start()
            # Several attempts of the relay to connect.
            sequence = (await game.status()).playback.sequence
            await wait_until(game, lambda status: status.playback.sequence > sequence + 45)
            server.kill()
            server.configure(known)
            server.start()
            # nats-py leaves sockets open that were refused, so that the reader connects only now.
            reading = Reading(f"{address}/m")
            await reading.until(sequence + 45)
            await game.playback.set_rate(4)
            await reading.end()
    assert reading.sequences[-1] >= 340


def test_a_frame_that_the_server_does_not_take_is_explained(play: Play, tmp_path: Path) -> None:
    with running(tmp_path / "small", "max_payload: 2KB") as server:
        daemon = play(SKIRMISH, "--loop")
        done = run_abathur("relay", f"{server.url}/m", "--address", daemon.grpc)
    assert done.returncode == 1
    assert "bytes is too large for the NATS server: raise its max_payload of 2048" in done.stderr


def test_a_match_does_not_depend_on_its_relay() -> None:
    (port,) = free_ports(1)
    relay = f"nats://127.0.0.1:{port}/m"
    done = run_daemon("play", str(SKIRMISH), "--ports", "auto", "--playback-duration", "2", "--relay", relay)
    assert done.returncode == 0
    assert f"[relay] cannot connect to nats://127.0.0.1:{port}: " in done.stderr
    assert "; trying again in 0.5 s" in done.stderr


async def timed(daemon: Daemon) -> list[int]:
    """The frames of a lossless reader of the daemon itself."""
    async with abathur.connect(daemon.grpc) as game:
        return [frame.sequence async for frame in game.frames(policy="every", encoding="columns")]


async def test_a_killed_leader_of_a_cluster_loses_nothing(
    play: Play, servers: list[Server], relay: Callable[..., RelayProcess]
) -> None:
    daemon = play(SKIRMISH, "--start-paused", "--playback-duration", "30")
    urls = "nats://" + ",".join(f"127.0.0.1:{server.port}" for server in servers)
    await clustered(urls)
    relay(urls, "--address", daemon.grpc, "--replicas", "3")
    async with playing(daemon):
        # Three servers elect leaders beside other tests: that may take long.
        reading = Reading(f"{urls}/m", reconnect_timeout=90)
        for sequence in (40, 250):
            await reading.until(sequence)
            leader = await leader_of(urls)
            server = servers[int(leader.removeprefix("node-"))]
            server.kill()
            await reading.until(reading.sequences[-1] + 60)
            server.start()
        await reading.end()
    assert reading.sequences[-1] >= 660


async def clustered(urls: str) -> None:
    """Wait until the servers have a leader that knows all three."""
    async with administrator(urls) as client, asyncio.timeout(30):
        probe = client.nats.jetstream()
        while True:
            try:
                await probe.add_stream(name="PROBE", subjects=["probe"], num_replicas=3, storage=StorageType.MEMORY)
                break
            except Exception:
                continue


async def leader_of(urls: str) -> str:
    """The name of the server that leads the stream."""
    async with administrator(urls) as client:
        leader: str = (await client.api("STREAM.INFO.ABATHUR_m"))["cluster"]["leader"]
    return leader

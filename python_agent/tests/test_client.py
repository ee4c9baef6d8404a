"""What agents rely on: policies, drops, control, reconnection, agents as classes, both twins."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import pickle
import re
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar, Literal, get_args, get_origin, get_type_hints

import abathur
import numpy as np
import pytest
from abathur._client.options import AgentOptions, ConnectOptions, SubscribeOptions
from abathur._client.reconnect import Backoff
from abathur._frame.source import BytesSource
from abathur._frame.unit_columns import COLUMNS
from abathur._program import address as _address
from abathur._program.listener import Listener
from abathur._transport.timeouts import Timeouts
from abathur.errors import LostError
from abathur.sync.v1 import sync_pb2
from emulators import delimited
from nats_servers import free_ports
from programs import (
    ACT,
    FREE_PORTS,
    SKIRMISH,
    TIMEOUT,
    WATCH,
    Launch,
    Play,
    in_thread,
    relay,
    run_daemon,
    token_options,
    wait_until,
)
from s2clientprotocol import raw_pb2, sc2api_pb2

FIRST_LOOP = 8960
ADDRESSES = ["grpc", "socket"]


@pytest.mark.parametrize("transport", ADDRESSES)
async def test_latest_reader_that_lags_skips_and_is_told(play: Play, transport: str) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1", "--rate", "4", "--playback-duration", "20")
    accounted = 0
    dropped = 0
    last_loop = FIRST_LOOP - 1
    async with abathur.connect(daemon.addresses[transport]) as game:
        async for frame in game.frames(policy="latest", encoding="proto"):
            accounted += 1 + frame.dropped
            dropped += frame.dropped
            assert frame.sequence == accounted, "what was not delivered is counted"
            if frame.dropped:
                assert frame.dropped_loops == (last_loop + 1, frame.game_loop - 1)
            else:
                assert frame.game_loop == last_loop + 1
            last_loop = frame.game_loop
            if dropped < 20:
                await asyncio.sleep(0.3)
    assert dropped >= 20
    assert accounted == 20 * 22.4 + 1


@pytest.mark.parametrize("transport", ADDRESSES)
async def test_lockstep_game_waits_for_each_answer(play: Play, transport: str) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1", "--rate", "unlimited", "--playback-duration", "1")
    loops = []
    async with abathur.connect(daemon.addresses[transport]) as game:
        async for frame in game.frames(policy="lockstep", encoding="proto"):
            loops.append(frame.game_loop)
            await asyncio.sleep(0.01)
            status = daemon_status(daemon.grpc)
            assert status.frames_published == frame.sequence, "the next frame waits for the answer"
    assert loops == list(range(FIRST_LOOP, FIRST_LOOP + 23))


@pytest.mark.parametrize("transport", ADDRESSES)
async def test_lockstep_without_an_answer_ends_with_the_reason(play: Play, transport: str) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1", "--rate", "unlimited")
    async with abathur.connect(daemon.addresses[transport], reconnect_timeout=0) as game:
        with pytest.raises(abathur.AckTimeoutError, match=r"frame 1 was not acknowledged within 0\.2 s"):
            async for _ in game.frames(policy="lockstep", lockstep_timeout=0.2, encoding="proto"):
                await asyncio.sleep(1)


async def read_to_the_end(address: str, done: asyncio.Event) -> int:
    """Read every frame, then tell the others; how many there were."""
    count = 0
    async with abathur.connect(address) as game:
        async for _ in game.frames(policy="every", encoding="proto"):
            count += 1
    done.set()
    return count


async def test_every_reader_that_stops_is_cut_off_and_others_go_on(play: Play) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "2", "--rate", "unlimited", "--stall-timeout", "2")
    done = asyncio.Event()

    async def stalled() -> None:
        async with abathur.connect(daemon.grpc, reconnect_timeout=0) as game:
            with pytest.raises(abathur.SlowConsumerError):
                async for frame in game.frames(policy="every", buffer=2):
                    if frame.sequence == 1:
                        await done.wait()

    count, _ = await asyncio.gather(read_to_the_end(daemon.socket, done), stalled())
    assert count == 1344


@pytest.mark.parametrize("transport", ADDRESSES)
async def test_latest_reader_that_stands_still_delays_nobody(play: Play, transport: str) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "2", "--rate", "unlimited")
    done = asyncio.Event()

    async def standing() -> list[abathur.Frame]:
        seen = []
        async with abathur.connect(daemon.addresses[transport]) as game:
            async for frame in game.frames(policy="latest", credits=1):
                seen.append(frame)
                await done.wait()
        return seen

    count, seen = await asyncio.gather(read_to_the_end(daemon.addresses[transport], done), standing())
    assert count == 1344
    # Then one that was on the way at most, and the newest one.
    assert len(seen) <= 3 and seen[-1].sequence == count == sum(1 + frame.dropped for frame in seen)


@pytest.mark.parametrize("transport", ADDRESSES)
async def test_control_changes_the_playback(play: Play, transport: str) -> None:
    daemon = play(SKIRMISH, "--start-paused", "--rate", "unlimited")
    async with abathur.connect(daemon.addresses[transport]) as game:
        frames = game.frames(policy="every", encoding="proto")
        first = asyncio.create_task(anext(frames))
        while not daemon_status(daemon.grpc).subscribers:
            await asyncio.sleep(0.02)
        state = await game.playback.step(2)
        assert state.paused
        assert (await first).game_loop == FIRST_LOOP
        assert (await anext(frames)).game_loop == FIRST_LOOP + 1
        following = asyncio.create_task(anext(frames))
        await asyncio.sleep(0)
        await game.playback.seek(FIRST_LOOP + 1000)
        assert (await game.playback.set_rate(2)).rate == 2
        assert not (await game.playback.resume()).paused
        assert (await following).game_loop == FIRST_LOOP + 1000
        waiting = asyncio.create_task(anext(frames))
        with pytest.raises(abathur.RequestError, match="OUT_OF_RANGE: game loop 99999 is after the last, 10303"):
            await game.playback.seek(99_999)
        with pytest.raises(abathur.RequestError, match="INVALID_ARGUMENT: rate -1"):
            await game.playback.set_rate(-1)
        with pytest.raises(abathur.RequestError, match="FAILED_PRECONDITION: a playback takes no actions"):
            await game.act([])
        await waiting
        await frames.aclose()


@pytest.mark.parametrize("transport", ADDRESSES)
def test_blocking_twin_controls_and_reads(play: Play, transport: str) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1", "--playback-duration", "4")
    with abathur.connect_blocking(daemon.addresses[transport]) as game:
        loops = []
        for frame in game.frames(policy="every", encoding="proto", fields=["observation.game_loop"]):
            loops.append(frame.game_loop)
            assert frame.observation.game_loop == frame.game_loop
            assert not frame.observation.HasField("raw_data")
            if len(loops) == 3:
                with pytest.raises(abathur.RequestError, match="OUT_OF_RANGE"):
                    game.playback.seek(99_999)
                assert game.playback.set_rate(2).rate == 2
        match = game.match() if transport == "socket" else None
    assert loops == list(range(FIRST_LOOP, FIRST_LOOP + 90))
    if match is not None:
        assert (match.map_name, match.simulated, match.tick_hz) == ("Synthetic LE", True, 22.4)


@pytest.mark.parametrize("transport", [*ADDRESSES, "grpc+unix", "socket+unix"])
async def test_requests_need_no_frames(play: Play, tmp_path: Path, transport: str) -> None:
    """Before and after subscriptions; who only asks is no agent."""
    daemon = play(SKIRMISH, "--start-paused", *token_options(tmp_path), uds=True)
    address = daemon.addresses[transport]
    async with abathur.connect(address, token=ACT) as game:
        await game.playback.step(2)
        await wait_until(game, lambda status: status.playback.sequence == 2)
        await game.plot("threat", 0.5)
        assert [series.name for series in await game.plots()] == ["threat"]
        with pytest.raises(abathur.RequestError, match="OUT_OF_RANGE"):
            await game.playback.seek(99_999)
        assert not (await game.status()).subscribers
        frames = [frame.sequence async for frame in game.frames(policy="every", start="oldest", max_frames=2)]
        assert frames == [1, 2]
        assert (await game.timeline()).game_loops.tolist() == [FIRST_LOOP]
    with abathur.connect_blocking(address, token=ACT) as acting:
        acting.playback.set_rate(2)
        assert acting.status().playback.rate == 2
    with abathur.connect_blocking(address, token=WATCH) as watching:
        assert watching.status().frames_published == 2
        with pytest.raises(abathur.RequestError, match="PERMISSION_DENIED"):
            watching.playback.pause()
    with abathur.connect_blocking(address, token="wrong") as other, pytest.raises(abathur.RequestError) as refused:
        other.status()
    assert refused.value.code == "UNAUTHENTICATED"


@pytest.mark.parametrize("transport", ADDRESSES)
@pytest.mark.parametrize("encoding", ["proto", "json"])
async def test_units_are_the_same_columns_in_each_encoding(play: Play, transport: str, encoding: str) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1", "--rate", "unlimited", "--playback-duration", "0.5")
    with abathur.open(SKIRMISH) as match:
        expected = {frame.game_loop: frame for frame in match.frames(stop=FIRST_LOOP + 20)}
    async with abathur.connect(daemon.addresses[transport]) as game:
        async for frame in game.frames(policy="every", encoding=encoding):
            units = expected[frame.game_loop].response.observation.raw_data.units
            assert len(frame.units) == len(units)
            for name, (dtype, path) in COLUMNS.items():
                column = getattr(frame.units, name)
                assert column.dtype == np.dtype(dtype), name
                assert column.shape == (len(units),), name
                values = [unit.pos for unit in units] if "." in path else units
                wanted = np.array([getattr(value, path.rpartition(".")[2]) for value in values], dtype)
                np.testing.assert_array_equal(column, wanted, name)
            assert frame.units.pos.shape == (len(units), 3)


def test_units_with_odd_values_are_the_same_from_protobuf_and_json() -> None:
    from google.protobuf import json_format

    units = [
        raw_pb2.Unit(tag=2**64 - 1, health=float("nan"), alliance=raw_pb2.Enemy, pos={"x": float("inf"), "y": -0.0}),
        raw_pb2.Unit(),
    ]
    proto = abathur.Units.from_proto(units)
    json = abathur.Units.from_json([json_format.MessageToDict(unit) for unit in units])
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(proto, name), getattr(json, name), name)
    with pytest.raises(AttributeError, match="units have no column 'healht'"):
        _ = proto.healht  # type: ignore[attr-defined]


def test_a_wait_for_the_next_match_takes_nothing_of_the_time_to_reconnect(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("abathur._client.reconnect.time", SimpleNamespace(monotonic=lambda: now))
    backoff = Backoff(_address.parse("127.0.0.1:1"), 30, 0, Timeouts())
    backoff.succeed()
    for _ in range(3):
        assert backoff.fail(LostError("broken"), Listener.SOMETHING) > 0
        now += 3600
    # An attempt without any answer takes at most this long.
    backoff.fail(LostError("broken"), Listener.SOMETHING)
    now += 70
    with pytest.raises(abathur.ConnectionLostError):
        backoff.fail(LostError("no answer"), Listener.SOMETHING)


async def test_reconnects_and_counts_what_was_missed(play: Play) -> None:
    """A relay in front of the daemon is cut; the client comes back through it."""
    daemon = play(SKIRMISH, "--wait-agents", "1", "--rate", "2")
    writers: list[asyncio.StreamWriter] = []
    relays = asyncio.Semaphore(0)
    connections = 0

    async def count(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        writers.append(writer)
        await relay(reader, writer, daemon.socket_port)
        relays.release()

    server = await asyncio.start_server(count, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    sequences = 0
    reconnected = []
    async with abathur.connect(f"socket://127.0.0.1:{port}") as game:
        frames = game.frames(policy="every", encoding="proto")
        async for frame in frames:
            sequences += 1 + frame.dropped
            assert frame.sequence == sequences
            if frame.reconnected:
                reconnected.append(frame)
            if len(reconnected) == 2:
                break
            if sequences % 40 == 10:
                for writer in writers:
                    writer.transport.abort()
                writers.clear()
        await frames.aclose()
    server.close()
    for _ in range(connections):
        await relays.acquire()
    assert all(frame.dropped > 0 and frame.dropped_loops is not None for frame in reconnected)
    # Nothing tells what happened meanwhile.
    assert all(frame.skipped_events_incomplete for frame in reconnected)


@pytest.mark.parametrize(
    "address", ["127.0.0.1:1", "socket://127.0.0.1:1", "socket+unix:/nowhere", "grpc+unix:/nowhere"]
)
async def test_nobody_listens_is_one_clear_error_at_once(address: str) -> None:
    said = f"{address}: nothing listens there. Is the daemon running? `abathur play MATCH.mcap` starts one"
    started = time.monotonic()
    async with abathur.connect(address) as game:
        with pytest.raises(abathur.ConnectError, match=re.escape(said)):
            await anext(game.frames())
    with abathur.connect_blocking(address) as blocking, pytest.raises(abathur.ConnectError, match=re.escape(said)):
        next(blocking.frames())
    assert time.monotonic() - started < 2


@pytest.mark.parametrize("transport", ["grpc", "socket"])
async def test_an_agent_that_starts_first_waits_for_the_daemon(
    launch: Launch, transport: str, caplog: pytest.LogCaptureFixture
) -> None:
    (port,) = free_ports(1)
    address = f"{transport}://127.0.0.1:{port}"

    def blocking() -> int:
        with abathur.connect_blocking(address, wait=TIMEOUT) as game:
            return next(game.frames()).sequence

    async def agent() -> int:
        async with abathur.connect(address, wait=TIMEOUT) as game:
            return (await anext(game.frames())).sequence

    waiting = [asyncio.create_task(agent()), asyncio.create_task(asyncio.to_thread(blocking))]
    said = f"waiting up to {TIMEOUT:g} s for a daemon at {address}"
    async with asyncio.timeout(TIMEOUT):
        while caplog.messages.count(said) < 2:
            await asyncio.sleep(0.01)
    assert not any(task.done() for task in waiting)
    other = "socket" if transport == "grpc" else "grpc"
    launch(
        *("play", str(SKIRMISH), "--wait-agents", "2"),
        *(f"--{transport}-port", str(port), f"--{other}-port", "0", "--http-port", "0"),
    )
    assert all(await asyncio.gather(*waiting))


@pytest.mark.parametrize("transport", ["grpc", "socket"])
async def test_a_daemon_on_an_address_of_ipv6(
    launch: Launch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, transport: str
) -> None:
    """Each printed address can be given back."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    daemon = launch("play", str(SKIRMISH), *FREE_PORTS, "--address", "::1", "--name", "six", "--loop")
    address = f"{transport}://[::1]:{daemon.port(transport)}"
    for given in (address, "match:six"):
        async with abathur.connect(given) as game:
            assert str(game.address) in (address, daemon.grpc)
            assert (await anext(game.frames())).sequence > 0
        with abathur.connect_blocking(str(game.address)) as blocking:
            assert next(blocking.frames()).sequence > 0


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("[::1]:5", "::1", 5),
        ("grpc://[::1]", "::1", 22400),
        ("sockets://[fe80::1%eth0]:7", "fe80::1%eth0", 7),
        ("socket://[2001:db8::1]", "2001:db8::1", 22401),
    ],
)
def test_addresses_of_ipv6_are_read_and_written(text: str, host: str, port: int) -> None:
    address = _address.parse(text)
    assert (address.host, address.port) == (host, port)
    assert _address.parse(str(address)) == address


def test_the_end_of_a_line_behind_a_token_is_not_of_it(play: Play, tmp_path: Path) -> None:
    daemon = play(SKIRMISH, *token_options(tmp_path), "--loop")
    for address in (daemon.grpc, daemon.socket):
        with abathur.connect_blocking(address, token=f"{WATCH}\n") as game:
            assert next(game.frames()).sequence > 0


@pytest.mark.parametrize("transport", ADDRESSES)
async def test_daemon_killed_is_a_lost_connection(play: Play, transport: str) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1")
    async with abathur.connect(daemon.addresses[transport], reconnect_timeout=0.3) as game:
        with pytest.raises(abathur.ConnectionLostError, match="lost the connection to"):
            async for frame in game.frames():
                if frame.sequence >= 3:
                    daemon.process.kill()


def test_unknown_options_name_what_there_is() -> None:
    with abathur.connect_blocking() as game:
        with pytest.raises(ValueError, match="unknown policy 'newest'; known: latest, every, lockstep"):
            next(game.frames(policy="newest"))
        with pytest.raises(ValueError, match="unknown encoding 'xml'; known: auto, proto, json, columns"):
            next(game.frames(encoding="xml"))
    for address in ("http://127.0.0.1:1", "127.0.0.1:port", "grpc://:1", "socket://h:99999"):
        with pytest.raises(ValueError, match="is not an address"):
            abathur.connect(address)


@pytest.mark.parametrize("transport", ADDRESSES)
def test_refused_subscription_says_why(play: Play, transport: str) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    with abathur.connect_blocking(daemon.addresses[transport], reconnect_timeout=0) as game:
        with pytest.raises(abathur.RequestError, match=r"INVALID_ARGUMENT.*ObservationRaw has no field \"unit\""):
            next(game.frames(fields=["observation.raw_data.unit"]))
        with pytest.raises(abathur.RequestError, match="buffer_frames is 5000; at most 1024"):
            next(game.frames(buffer=5000))


async def test_agent_class_is_called_in_order(play: Play) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1", "--rate", "unlimited", "--start-offset", "59")
    calls: list[object] = []

    class Recorder(abathur.Agent):
        policy = "every"

        async def on_start(self) -> None:
            match = await self.game.match()
            calls.append(match.map_name if match else None)

        async def on_step(self, frame: abathur.Frame) -> None:
            calls.append(frame.game_loop)

        async def on_end(self, results: list[sc2api_pb2.PlayerResult]) -> None:
            calls.append({each.player_id: sc2api_pb2.Result.Name(each.result) for each in results})

    await Recorder().run_async(daemon.grpc)
    assert calls[0] == "Synthetic LE"
    assert calls[1:-1] == list(range(calls[1], 10304))  # type: ignore[call-overload]
    assert calls[-1] in ({1: "Victory", 2: "Defeat"}, {1: "Defeat", 2: "Victory"})


@pytest.mark.parametrize("transport", ADDRESSES)
async def test_agent_takes_the_options_of_its_subscription_and_of_its_connection(
    play: Play, tmp_path: Path, transport: str
) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1", "--playback-duration", "1", *token_options(tmp_path))
    frames: list[abathur.Frame] = []
    names: list[str] = []

    class Sparse(abathur.Agent):
        policy = "lockstep"
        encoding = "columns"
        compression = "zstd-stream"
        fields = ("observation.raw_data.units",)
        every = 8
        token = "the token of the run comes first"

        async def on_step(self, frame: abathur.Frame) -> None:
            status = await self.game.status()
            names.extend(each.name for each in status.subscribers)
            frames.append(frame)

    with pytest.raises(abathur.RequestError, match="token"):
        await Sparse().run_async(daemon.addresses[transport])
    await Sparse().run_async(daemon.addresses[transport], token=ACT, every=4)
    first = frames[0].game_loop
    loops = [frame.game_loop for frame in frames]
    # The last one of the playback is given too.
    assert loops[:-1] == list(range(first, first + 4 * (len(loops) - 1), 4)) and len(loops) > 2
    assert 0 < loops[-1] - loops[-2] <= 4
    assert all(len(frame.units) and not frame.rest.observation.HasField("player_common") for frame in frames)
    assert set(names) == {"Sparse"}
    with pytest.raises(TypeError, match=r"unknown option 'polic'; known: token, .*policy, "):
        await Sparse().run_async(polic="every")  # type: ignore[call-arg]


def test_agent_declares_each_option_with_its_type() -> None:
    options = get_type_hints(AgentOptions)
    declared = {name: kind for name, kind in get_type_hints(abathur.Agent).items() if name != "game"}
    assert declared == {name: ClassVar[kind] for name, kind in options.items()}


@pytest.mark.parametrize(
    ("kind", "function"), [(SubscribeOptions, abathur.Game.frames), (ConnectOptions, abathur.connect)]
)
def test_help_describes_each_option_and_its_values(kind: type, function: Callable[..., object]) -> None:
    described = dict(re.findall(r"^ +- (\w+): ((?:.|\n)*?)(?=^ +- |^$)", function.__doc__ or "", re.MULTILINE))
    hints = get_type_hints(kind)
    assert list(described) == sorted(described, key=list(hints).index) and described.keys() == hints.keys()
    for name, hint in hints.items():
        for value in get_args(hint) if get_origin(hint) is Literal else ():
            assert f"``{value}``" in described[name], name


def test_address_comes_from_the_environment(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1")
    monkeypatch.setenv("ABATHUR_ADDRESS", daemon.socket)
    with abathur.connect_blocking() as game:
        assert next(game.frames(policy="every")).game_loop == FIRST_LOOP


def test_status_shows_who_listens(play: Play) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "2")
    received = []

    def listen() -> None:
        with (
            contextlib.suppress(abathur.ConnectionLostError),
            abathur.connect_blocking(daemon.socket, reconnect_timeout=0) as game,
        ):
            received.extend(frame.sequence for frame in game.frames(name="listener", every=2, encoding="json"))

    in_thread(listen)
    with abathur.connect_blocking(daemon.grpc) as game:
        for frame in game.frames(name="me"):
            if frame.sequence == 20:
                break
        status = game.status()
    rows = {each.name: each for each in status.subscribers}
    assert rows["listener"].transport == "socket"
    assert rows["listener"].frames_sent > 0
    assert status.match.map_name == "Synthetic LE"
    assert not status.match.HasField("game_info")
    assert status.process.working_set_bytes > 0


def daemon_status(address: str):  # type: ignore[no-untyped-def]
    with abathur.connect_blocking(address) as game:
        return game.status()


@pytest.mark.parametrize("transport", ADDRESSES)
async def test_lockstep_agent_may_control_in_its_own_loop(play: Play, transport: str) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1", "--rate", "unlimited", "--playback-duration", "20")
    loops = []
    async with (
        abathur.connect(daemon.addresses[transport]) as game,
        contextlib.aclosing(game.frames(policy="lockstep", encoding="proto")) as frames,
    ):
        async for frame in frames:
            loops.append(frame.game_loop)
            if len(loops) == 2:
                assert (await game.playback.pause()).paused
                assert (await game.playback.step(2)).paused
            if len(loops) == 4:
                await game.playback.seek(FIRST_LOOP + 100)
                assert not (await game.playback.resume()).paused
            if len(loops) == 6:
                break
    assert loops == [FIRST_LOOP + offset for offset in (0, 1, 2, 3, 100, 101)]


async def test_resume_ends_a_long_step(play: Play) -> None:
    daemon = play(SKIRMISH, "--start-paused", "--rate", "0.1")
    async with abathur.connect(daemon.grpc) as game:
        with pytest.raises(abathur.RequestError, match="step takes at most 10000 frames at once"):
            await game.playback.step(10_001)
        async with contextlib.aclosing(game.frames(policy="lockstep")) as frames:
            first = asyncio.create_task(anext(frames))
            while not (await game.status()).subscribers:
                await asyncio.sleep(0.02)
            await game.playback.step(10_000)
            await first
            await game.playback.resume()
            started = time.monotonic()
            for _ in range(3):
                await anext(frames)
    # At a tenth of 22.4 Hz; stepping on would take no time at all.
    assert time.monotonic() - started > 0.8


@pytest.mark.parametrize("transport", ADDRESSES)
async def test_two_streams_on_one_game_do_not_mix(play: Play, transport: str) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "2", "--rate", "2", "--playback-duration", "2")
    async with abathur.connect(daemon.addresses[transport]) as game:

        async def loops(**options: object) -> list[int]:
            return [frame.game_loop async for frame in game.frames(policy="every", **options)]  # type: ignore[arg-type]

        proto, json = await asyncio.gather(loops(encoding="proto"), loops(encoding="json"))
    assert proto == json == list(range(FIRST_LOOP, FIRST_LOOP + 45))


@pytest.mark.parametrize("transport", ADDRESSES)
async def test_loop_broken_off_can_be_started_again(play: Play, transport: str) -> None:
    daemon = play(SKIRMISH, "--loop")
    async with abathur.connect(daemon.addresses[transport]) as game:
        for _ in range(3):
            async for frame in game.frames():
                assert not frame.reconnected
                break
    with abathur.connect_blocking(daemon.addresses[transport]) as blocking:
        for _ in range(3):
            for frame in blocking.frames():
                assert not frame.reconnected
                break


async def test_requests_without_a_daemon_are_connect_errors() -> None:
    async with abathur.connect("127.0.0.1:1") as game:
        with pytest.raises(abathur.ConnectError):
            await game.playback.pause()
        with pytest.raises(abathur.ConnectError):
            await game.status()
    with abathur.connect_blocking("127.0.0.1:1") as blocking, pytest.raises(abathur.ConnectError):
        blocking.playback.seek(5)
    with pytest.raises(ValueError, match=r"fields is a list of paths: \['observation'\]"):
        next(blocking.frames(fields="observation"))


@pytest.mark.parametrize(
    ("old", "new"), [("TooSlowError", abathur.SlowConsumerError), ("NoAnswerError", abathur.AckTimeoutError)]
)
def test_an_earlier_name_still_works_with_a_warning(old: str, new: type[Exception]) -> None:
    for module in (abathur, abathur.errors):
        with pytest.warns(DeprecationWarning, match=f"{old} is now called {new.__name__}") as warned:
            assert getattr(module, old) is new
        assert warned[0].filename == __file__
    assert not hasattr(abathur, "NoSuchError")


@pytest.mark.parametrize("encoding", ["proto", "json", "columns"])
@pytest.mark.parametrize("clone", [lambda frame: pickle.loads(pickle.dumps(frame)), copy.copy, copy.deepcopy])
async def test_frames_are_pickled_and_copied(
    play: Play, encoding: Literal["proto", "json", "columns"], clone: Callable[[abathur.Frame], abathur.Frame]
) -> None:
    daemon = play(SKIRMISH, "--loop")
    async with (
        abathur.connect(daemon.grpc) as game,
        contextlib.aclosing(game.frames(encoding=encoding, compression="zstd-stream")) as frames,
    ):
        frame = await anext(frames)
    expected = frame.response
    assert frame.units.tag.size > 0
    cloned = clone(frame)
    assert (cloned.game_loop, cloned.sequence, cloned.timing) == (frame.game_loop, frame.sequence, frame.timing)
    np.testing.assert_array_equal(cloned.units.tag, frame.units.tag)
    assert cloned.response == expected


def test_recorded_frames_are_pickled_and_a_closed_recording_says_so() -> None:
    with abathur.open(SKIRMISH) as match:
        frame = next(match.frames())
        assert pickle.loads(pickle.dumps(frame)).response == frame.response
        rest = match.frames()
    with pytest.raises(abathur.RecordingError, match=r"skirmish\.mcap is closed"):
        next(rest)


@pytest.mark.parametrize("every", [0, 1, 2, 7])
def test_every_of_a_recording_is_that_of_a_subscription(play: Play, tmp_path: Path, every: int) -> None:
    # Observations twice, with gaps, and of a game loop that goes back.
    with abathur.open(SKIRMISH) as match:
        recorded = {frame.game_loop - FIRST_LOOP: frame.response for frame in match.frames(stop=FIRST_LOOP + 40)}
    offsets = [0, 1, 1, 2, 3, 6, 7, 8, 20, 21, 30, 4, 5, 6, 11, 39]
    stream, recording = tmp_path / "some.obs", tmp_path / "some.mcap"
    stream.write_bytes(delimited([recorded[each].SerializeToString() for each in offsets]))
    imported = run_daemon("import", str(stream), "-o", str(recording))
    assert imported.returncode == 0, imported.stderr
    daemon = play(recording, "--wait-agents", "1", "--rate", "unlimited")
    with abathur.open(recording) as match, abathur.connect_blocking(daemon.grpc) as game:
        ours = [(frame.game_loop, frame.sequence) for frame in match.frames(every=every)]
        assert ours == [(frame.game_loop, frame.sequence) for frame in game.frames(policy="every", every=every)]
    assert len(ours) == len(offsets) if every < 2 else 3 < len(ours) < len(offsets)


def test_every_of_a_recording_counts_from_its_start_and_is_checked() -> None:
    with abathur.open(SKIRMISH) as match:
        frames = match.frames(start=FIRST_LOOP + 3, stop=FIRST_LOOP + 20, every=8)
        assert [frame.game_loop - FIRST_LOOP for frame in frames] == [3, 11, 19]
        with pytest.raises(ValueError, match="every is -1; it is a number of game loops, from 0"):
            match.frames(every=-1)


@pytest.mark.parametrize("transport", ADDRESSES)
@pytest.mark.parametrize("options", [{}, {"encoding": "auto"}])
async def test_the_best_encoding_is_protobuf_on_every_transport(
    play: Play, transport: str, options: SubscribeOptions
) -> None:
    daemon = play(SKIRMISH, "--loop")
    async with (
        abathur.connect(daemon.addresses[transport]) as game,
        contextlib.aclosing(game.frames(**options)) as frames,
    ):
        frame = await anext(frames)
        (subscriber,) = (await game.status()).subscribers
    assert (subscriber.encoding, subscriber.transport) == (sync_pb2.proto, transport)
    # As it was received: nothing is parsed before it is read, and then once.
    assert isinstance(frame._source, BytesSource) and "response" not in vars(frame._source)
    assert frame.response is frame.response

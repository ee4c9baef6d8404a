"""Stream compressions end to end: the recorded bytes on every transport, with joins, skips, pauses and reconnects."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import abathur
import aiohttp
import grpc
import grpc.aio
import pytest
from abathur._transport.payloads import PayloadReader
from abathur.sync.v1 import sync_pb2
from programs import (
    SHARED,
    SKIRMISH,
    Daemon,
    Play,
    crossed,
    in_thread,
    matrix,
    needs_sequences,
    relay,
    run_daemon,
    wait_until,
)

FIRST_LOOP = 8960
FRAMES = 1344
NAMES = {"zstd-stream": sync_pb2.zstd_stream, "br-stream": sync_pb2.br_stream}
TRANSPORTS = ["grpc", "socket", "http"]
each_stream = pytest.mark.parametrize("name", NAMES)
UNLIMITED = ("--rate", "unlimited")


def recorded(file: Path) -> dict[int, bytes]:
    """The observations of a recording, as bytes, by game loop."""
    with abathur.open(file) as match:
        return {each.game_loop: each.data for each in match._observations(None)}


async def messages(daemon: Daemon, transport: str, request: sync_pb2.SubscribeRequest) -> AsyncIterator[sync_pb2.Frame]:
    """Frames as they come off the wire."""
    address = daemon.addresses[transport]
    subscribe = sync_pb2.ClientMessage(subscribe=request)
    if transport == "grpc":
        options = [("grpc.max_receive_message_length", 1 << 26)]
        async with grpc.aio.insecure_channel(address.removeprefix("grpc://"), options=options) as channel:
            call = channel.unary_stream("/abathur.sync.v1.GameSync/Subscribe")(request.SerializeToString())
            async for data in call:
                yield sync_pb2.Frame.FromString(data)
    elif transport == "http":
        async with aiohttp.ClientSession() as session, session.ws_connect(f"{address}/v1/sync", max_msg_size=0) as ws:
            await ws.send_bytes(subscribe.SerializeToString())
            async for binary in ws:
                message = sync_pb2.ServerMessage.FromString(binary.data)
                if message.HasField("frame"):
                    yield message.frame
    else:
        reader, writer = await asyncio.open_connection("127.0.0.1", daemon.socket_port, limit=1 << 26)
        name = sync_pb2.Compression.Name(request.compression)
        policy = sync_pb2.Policy.Name(request.policy)
        writer.write(f'{{"subscribe":{{"encoding":"proto","compression":"{name}","policy":"{policy}"}}}}\n'.encode())
        await reader.readline()
        try:
            with contextlib.suppress(asyncio.IncompleteReadError):
                while True:
                    size = int.from_bytes(await reader.readexactly(4), "little")
                    message = sync_pb2.ServerMessage.FromString(await reader.readexactly(size))
                    if message.HasField("frame"):
                        yield message.frame
        finally:
            # Also where the caller has seen enough: what is left open fails a test that comes later.
            writer.transport.abort()


async def read_all(daemon: Daemon, transport: str, name: str) -> tuple[dict[int, bytes], list[sync_pb2.Frame]]:
    """Everything under `every`: the bytes by game loop, and the messages."""
    request = sync_pb2.SubscribeRequest(policy=sync_pb2.every, encoding=sync_pb2.proto, compression=NAMES[name])
    reader = PayloadReader()
    plain, frames = {}, []
    async for frame in messages(daemon, transport, request):
        plain[frame.game_loop] = reader.read(frame)
        frames.append(frame)
    return plain, frames


def waiting(status: sync_pb2.Status) -> int:
    """Frames that wait for the agent that may skip."""
    return next(each.frames_waiting for each in status.subscribers if each.policy == sync_pb2.latest)


@each_stream
async def test_whole_match_byte_for_byte_on_every_transport_at_once(play: Play, name: str) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "3", *UNLIMITED)
    expected = recorded(SKIRMISH)
    results = await asyncio.gather(*(read_all(daemon, transport, name) for transport in TRANSPORTS))
    for plain, frames in results:
        assert plain == expected
        assert sum(frame.ByteSize() for frame in frames) < sum(map(len, expected.values())) / 30
        # Without late subscribers: the first, and one every ten seconds.
        keyframes = [frame.game_loop - FIRST_LOOP for frame in frames if frame.keyframe]
        assert keyframes == list(range(0, FRAMES, 224))
    # One stream: the same bytes for all.
    first, *others = ([frame.data for frame in frames] for _, frames in results)
    assert all(other == first for other in others)


@needs_sequences
@pytest.mark.parametrize("sequence", matrix("abyssal-zvp-shuffled", "lostandfound-pvz-step8-bot"))
@each_stream
async def test_rebuilt_match_byte_for_byte(play: Play, tmp_path: Path, name: str, sequence: str) -> None:
    file = tmp_path / "match.mcap"
    done = run_daemon("import", str(SHARED / "sequences" / f"{sequence}.obs.zst"), "-o", str(file))
    assert done.returncode == 0, done.stderr
    daemon = play(file, "--wait-agents", "3", *UNLIMITED)
    expected = recorded(file)
    for plain, frames in await asyncio.gather(*(read_all(daemon, transport, name) for transport in TRANSPORTS)):
        assert plain == expected
        assert sum(frame.ByteSize() for frame in frames) < sum(map(len, expected.values())) / 40


async def test_elite_frames_byte_for_byte(play: Play, tmp_path: Path) -> None:
    file = tmp_path / "elite.mcap"
    assert run_daemon("synth", "--preset", "elite", "--steps", "300", "-o", str(file)).returncode == 0
    daemon = play(file, "--wait-agents", "2", *UNLIMITED)
    expected = recorded(file)
    for plain, _ in await asyncio.gather(*(read_all(daemon, "socket", name) for name in NAMES)):
        assert plain == expected


@crossed(
    transport=["grpc", "socket"],
    options=[{}, {"encoding": "json"}, {"fields": ["observation.raw_data.units"]}],
    name=NAMES,
)
async def test_agents_see_the_recorded_frames(
    play: Play, transport: str, options: dict[str, object], name: str
) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "2", *UNLIMITED, "--playback-duration", "3")
    if transport == "socket" and options.get("encoding") == "json":
        async with abathur.connect(daemon.socket, reconnect_timeout=0) as game:
            with pytest.raises(abathur.RequestError, match=f"INVALID_ARGUMENT: compression {name} cannot be carried"):
                await anext(game.frames(compression=name, encoding="json"))
        return
    blocking: list[abathur.Frame] = []

    def block() -> None:
        with abathur.connect_blocking(daemon.addresses[transport]) as game:
            blocking.extend(game.frames(policy="every", compression=name, credits=3, **options))  # type: ignore[arg-type]

    thread = in_thread(block)
    plain_options = {key: value for key, value in options.items() if key != "encoding"}
    with abathur.open(SKIRMISH) as match:
        expected = {frame.game_loop: frame.response for frame in match.frames(stop=FIRST_LOOP + 68)}
    seen = []
    async with abathur.connect(daemon.addresses[transport]) as game:
        frames = game.frames(policy="every", compression=name, **options)  # type: ignore[arg-type]
        async for frame in frames:
            seen.append(frame)
    await asyncio.to_thread(thread.join, 20)
    for agent in (seen, blocking):
        assert [frame.game_loop for frame in agent] == list(range(FIRST_LOOP, FIRST_LOOP + 68))
        assert not any(frame.dropped for frame in agent)
        for frame in agent:
            if plain_options:
                assert frame.observation.raw_data.units == expected[frame.game_loop].observation.raw_data.units
                assert not frame.observation.HasField("player_common")
            else:
                assert frame.response == expected[frame.game_loop]


@pytest.mark.parametrize("transport", ["grpc", "socket"])
@each_stream
async def test_joiner_in_the_middle_has_the_next_frame(play: Play, transport: str, name: str) -> None:
    daemon = play(SKIRMISH, "--start-paused", *UNLIMITED)
    expected = recorded(SKIRMISH)
    async with abathur.connect(daemon.grpc) as control, abathur.connect(daemon.addresses[transport]) as game:
        first = game.frames(policy="every", compression=name)
        coming = asyncio.create_task(anext(first))
        await wait_until(control, lambda status: len(status.subscribers) == 1)
        await control.playback.step(100)
        assert (await coming).game_loop == FIRST_LOOP
        for _ in range(99):
            frame = await anext(first)
        second = game.frames(policy="latest", compression=name)
        joining = asyncio.create_task(anext(second))
        await wait_until(control, lambda status: len(status.subscribers) == 2)
        await control.playback.step(1)
        for frame in (await joining, await anext(first)):
            assert (frame.game_loop, frame.dropped) == (FIRST_LOOP + 100, 0)
            assert frame.response.SerializeToString(deterministic=True)
            assert frame.response == type(frame.response).FromString(expected[frame.game_loop])
        status = await control.status()
        assert sorted(each.keyframes for each in status.subscribers) == [1, 2]
        await first.aclose()
        await second.aclose()


@pytest.mark.parametrize("transport", ["grpc", "socket"])
@each_stream
async def test_pausing_agent_costs_no_keyframe_and_gets_no_stale_frame(play: Play, transport: str, name: str) -> None:
    daemon = play(SKIRMISH, "--start-paused", *UNLIMITED, "--keyframe-interval", "0")
    async with abathur.connect(daemon.grpc) as control, abathur.connect(daemon.addresses[transport]) as game:
        steady = game.frames(policy="every", compression=name)
        pausing = game.frames(policy="latest", compression=name, credits=1)
        both = [asyncio.create_task(anext(each)) for each in (steady, pausing)]
        await wait_until(control, lambda status: len(status.subscribers) == 2)
        await control.playback.step(1)
        await asyncio.gather(*both)
        # Its body takes long: 200 frames pass.
        await control.playback.step(200)
        for _ in range(200):
            await anext(steady)
        status = await control.status()
        assert [each.keyframes for each in status.subscribers] == [1, 1]
        coming = asyncio.create_task(anext(pausing))
        # It is back when it has returned its credit, which the daemon sees as one frame less that waits for an answer.
        await wait_until(control, lambda status: waiting(status) == 0)
        while not coming.done():
            await control.playback.step(1)
            await anext(steady)
            # What is on its way to it comes before another frame makes it old.
            await asyncio.wait([coming], timeout=1)
        frame = await coming
        assert frame.dropped == frame.sequence - 2
        assert frame.dropped_loops == (FIRST_LOOP + 1, frame.game_loop - 1)
        newest = await control.status()
        assert newest.playback.sequence - frame.sequence <= 1
        await steady.aclose()
        await pausing.aclose()


@each_stream
async def test_slow_agent_skips_to_the_newest_frame_without_a_keyframe(play: Play, name: str) -> None:
    daemon = play(SKIRMISH, "--start-paused", *UNLIMITED, "--keyframe-interval", "0")
    expected = recorded(SKIRMISH)
    async with abathur.connect(daemon.grpc) as control, abathur.connect(daemon.socket) as game:
        # With a lossless subscriber, no frame is dropped before the encoder.
        steady = game.frames(policy="every", compression=name)
        frames = game.frames(policy="latest", compression=name, credits=1)
        coming = [asyncio.create_task(anext(each)) for each in (steady, frames)]
        await wait_until(control, lambda status: len(status.subscribers) == 2)
        await control.playback.step(1)
        await asyncio.gather(*coming)
        for round_ in range(1, 10):
            await control.playback.step(7)
            for _ in range(7):
                await anext(steady)
            await wait_until(control, lambda status: waiting(status) == 7)
            frame = await anext(frames)
            assert (frame.game_loop, frame.dropped) == (FIRST_LOOP + 7 * round_, 6)
            assert frame.dropped_loops == (frame.game_loop - 6, frame.game_loop - 1)
            assert frame.response == type(frame.response).FromString(expected[frame.game_loop])
        assert [each.keyframes for each in (await control.status()).subscribers] == [1, 1]
        await steady.aclose()
        await frames.aclose()


@each_stream
async def test_seek_starts_anew_and_the_interval_is_an_option(play: Play, name: str) -> None:
    daemon = play(SKIRMISH, "--start-paused", *UNLIMITED, "--keyframe-interval", "2")
    request = sync_pb2.SubscribeRequest(policy=sync_pb2.every, encoding=sync_pb2.proto, compression=NAMES[name])
    async with abathur.connect(daemon.grpc) as control:
        frames = messages(daemon, "grpc", request)
        coming = asyncio.ensure_future(anext(frames))
        await wait_until(control, lambda status: len(status.subscribers) == 1)
        await control.playback.step(100)
        taken = [await coming, *[await anext(frames) for _ in range(99)]]
        await control.playback.seek(FIRST_LOOP + 5)
        await control.playback.step(3)
        taken += [await anext(frames) for _ in range(3)]
        await frames.aclose()  # type: ignore[attr-defined]
    # 2 s are 44.8 game loops.
    assert [frame.game_loop - FIRST_LOOP for frame in taken if frame.keyframe] == [0, 45, 90, 5]


@each_stream
async def test_reconnection_starts_a_new_stream(play: Play, name: str) -> None:
    """A relay in front of the daemon is cut; the client comes back through it."""
    daemon = play(SKIRMISH, "--start-paused", *UNLIMITED)
    expected = recorded(SKIRMISH)
    writers: list[asyncio.StreamWriter] = []

    async def keep(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        await relay(reader, writer, daemon.socket_port)

    server = await asyncio.start_server(keep, "127.0.0.1", 0)
    address = f"socket://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with abathur.connect(daemon.grpc) as control, abathur.connect(address) as game:
        frames = game.frames(policy="every", compression=name)
        for number in range(3):
            coming = asyncio.create_task(anext(frames))
            await wait_until(control, lambda status: len(status.subscribers) == 1)
            await control.playback.step(10)
            taken = [await coming, *[await anext(frames) for _ in range(9)]]
            assert [frame.reconnected for frame in taken] == [number > 0] + [False] * 9
            for frame in taken:
                assert frame.response == type(frame.response).FromString(expected[frame.game_loop])
            for writer in writers:
                writer.transport.abort()
            writers.clear()
            await wait_until(control, lambda status: not status.subscribers)
        await frames.aclose()
    server.close()


def test_json_lines_refuse_stream_compression(play: Play) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    for name in ("zstd_stream", "br_stream"):
        with socket.create_connection(("127.0.0.1", daemon.socket_port)) as connection:
            connection.sendall(f'{{"subscribe":{{"compression":"{name}"}}}}\n'.encode())
            answer = connection.makefile().readline()
        assert "INVALID_ARGUMENT" in answer
        assert f"compression {name.replace('_', '-')} cannot be carried in JSON text" in answer


def test_keyframe_interval_out_of_range_is_a_usage_error() -> None:
    done = run_daemon("play", str(SKIRMISH), "--keyframe-interval", "-1")
    assert (done.returncode, "--keyframe-interval must be 0 to 3600 seconds" in done.stderr) == (2, True)

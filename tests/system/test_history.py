"""Frames of the past: the daemon keeps the match, and live frames follow the kept ones."""

from __future__ import annotations

import asyncio
import itertools
import json
import random

import abathur
import aiohttp
import grpc
import numpy as np
import pytest
from abathur import RequestError, SubscribeOptions
from abathur.sync.v1 import sync_pb2
from google.protobuf import json_format
from programs import SKIRMISH, Daemon, Play, matrix, wait_until
from s2clientprotocol import sc2api_pb2

FIRST, LAST = 8960, 10303
FORMATS: list[SubscribeOptions] = [
    {},
    {"encoding": "columns"},
    {"encoding": "columns", "compression": "zstd-stream"},
    {"encoding": "json"},
    {"compression": "br-stream"},
    {"fields": ["observation.game_loop", "observation.raw_data.units.tag"]},
]
#: Each format on each transport: first those that differ most.
PAIRS: list[tuple[SubscribeOptions, str]] = sorted(
    itertools.product(FORMATS, ["grpc", "socket"]),
    key=lambda pair: pair not in [(FORMATS[0], "grpc"), (FORMATS[2], "socket"), (FORMATS[3], "socket")],
)


def canonical(response: sc2api_pb2.ResponseObservation) -> bytes:
    """Bytes that are equal for equal observations; the order of the units is not kept."""
    copy = sc2api_pb2.ResponseObservation()
    copy.CopyFrom(response)
    units = sorted(copy.observation.raw_data.units, key=lambda unit: unit.tag)
    del copy.observation.raw_data.units[:]
    copy.observation.raw_data.units.extend(units)
    return copy.SerializeToString(deterministic=True)


@pytest.fixture(scope="module")
def recorded() -> dict[int, bytes]:
    with abathur.open(SKIRMISH) as match:
        return {frame.game_loop: canonical(frame.response) for frame in match.frames()}


async def reaches(daemon: Daemon, game_loop: int) -> None:
    """Wait until the playback has published a game loop."""
    async with abathur.connect(daemon.addresses["grpc"]) as game:
        await wait_until(game, lambda status: status.playback.game_loop >= game_loop)


async def paused(daemon: Daemon) -> int:
    """Pause the playback near its end; the game loop of its newest frame."""
    await reaches(daemon, FIRST + 1000)
    async with abathur.connect(daemon.addresses["grpc"]) as game:
        await game.playback.pause()
        status = await wait_until(game, lambda status: status.history.last_game_loop == status.playback.game_loop)
    return status.playback.game_loop


@pytest.mark.parametrize(("options", "transport"), matrix(*PAIRS, tested=3), ids=str)
async def test_kept_frames_come_before_the_live_ones_once_each(
    play: Play, recorded: dict[int, bytes], transport: str, options: SubscribeOptions
) -> None:
    daemon = play(str(SKIRMISH), "--rate", "20")
    await reaches(daemon, FIRST + 400)
    seen = []
    async with abathur.connect(daemon.addresses[transport]) as game:
        async for frame in game.frames(policy="every", start="oldest", **options):
            assert frame.dropped == 0
            assert len(seen) == frame.sequence - 1
            seen.append(frame.game_loop)
            # Each of them is a frame of its own kind: kept and live ones, keyframes and others.
            if "fields" not in options and frame.sequence % 7 == 1:
                assert canonical(frame.to_observation()) == recorded[frame.game_loop]
    assert seen == list(range(FIRST, LAST + 1))


@pytest.mark.parametrize("readers", matrix(5, 20))
async def test_joins_at_random_game_loops_have_each_loop_once(play: Play, readers: int) -> None:
    daemon = play(str(SKIRMISH), "--rate", "2")
    await reaches(daemon, FIRST + 30)
    draw = random.Random(18)

    async def join(number: int) -> None:
        address = daemon.addresses["socket" if number % 2 else "grpc"]
        async with abathur.connect(address) as game, abathur.connect(daemon.addresses["grpc"]) as other:
            for options in FORMATS[:4]:
                newest = (await other.status()).history.last_game_loop
                # The playback must not end meanwhile.
                if newest > LAST - 300:
                    break
                start = draw.randint(FIRST, newest)
                count = draw.randint(1, newest - start + 30)
                frames = [
                    frame async for frame in game.frames(policy="every", start=start, max_frames=count, **options)
                ]
                assert [frame.game_loop for frame in frames] == list(range(start, start + count))
                assert {frame.dropped for frame in frames} == {0}

    await asyncio.gather(*(join(number) for number in range(readers)))


async def test_a_reader_of_the_newest_frames_gets_all_kept_ones_first(play: Play) -> None:
    daemon = play(str(SKIRMISH), "--rate", "5")
    await reaches(daemon, FIRST + 200)
    async with abathur.connect(daemon.addresses["grpc"]) as game:
        frames = [frame async for frame in game.frames(start=FIRST + 50, max_frames=120)]
    assert [frame.game_loop for frame in frames[:100]] == list(range(FIRST + 50, FIRST + 150))


async def test_every_eighth_loop_of_the_history_has_what_happened_between(play: Play) -> None:
    daemon = play(str(SKIRMISH), "--rate", "50")
    last = await paused(daemon)
    dead: list[int] = []
    async with abathur.connect(daemon.addresses["grpc"]) as game:
        async for frame in game.frames(policy="every", every=8, start="oldest"):
            assert (frame.game_loop - FIRST) % 8 == 0
            for response in filter(None, (frame.skipped_events, frame.response)):
                dead += response.observation.raw_data.event.dead_units
            if frame.game_loop + 8 > last:
                newest = frame.game_loop
                break
    with abathur.open(SKIRMISH) as match:
        expected = [
            tag for frame in match.frames(stop=newest + 1) for tag in frame.observation.raw_data.event.dead_units
        ]
    assert dead == expected
    assert dead


async def test_frame_at_and_status(play: Play, recorded: dict[int, bytes]) -> None:
    daemon = play(str(SKIRMISH), "--rate", "50")
    last = await paused(daemon)
    for transport in ("grpc", "socket"):
        async with abathur.connect(daemon.addresses[transport]) as game:
            for loop in (FIRST, FIRST + 1, 9500, last):
                frame = await game.frame_at(loop)
                assert (frame.game_loop, frame.sequence) == (loop, loop - FIRST + 1)
                assert canonical(frame.response) == recorded[loop]
            columns = await game.frame_at(9777, encoding="columns", compression="zstd-stream")
            assert canonical(columns.to_observation()) == recorded[9777]
            for loop in (FIRST - 1, LAST + 1):
                with pytest.raises(RequestError, match=f"is {loop}; the daemon keeps game loops {FIRST} to") as info:
                    await game.frame_at(loop)
                assert info.value.code == "OUT_OF_RANGE"
    with abathur.connect_blocking(daemon.addresses["grpc"]) as blocking:
        assert blocking.frame_at(9500).game_loop == 9500
        history = blocking.status().history
    assert (history.frames, history.first_game_loop) == (history.last_game_loop - FIRST + 1, FIRST)
    assert 50_000 < history.bytes < 4_000_000


async def test_a_seek_back_begins_the_history_again(play: Play) -> None:
    daemon = play(str(SKIRMISH), "--rate", "10")
    await reaches(daemon, FIRST + 300)
    async with abathur.connect(daemon.addresses["grpc"]) as game:
        await game.playback.pause()
        await game.playback.seek(FIRST + 100)
        await game.playback.step(10)
        await reaches(daemon, FIRST + 109)
        frames = [frame async for frame in game.frames(policy="every", start="oldest", max_frames=10)]
        assert [frame.game_loop for frame in frames] == list(range(FIRST + 100, FIRST + 110))
        with pytest.raises(RequestError, match="keeps game loops"):
            await game.frame_at(FIRST + 50)


async def test_a_small_history_drops_its_oldest_frames(play: Play) -> None:
    daemon = play(str(SKIRMISH), "--rate", "50", "--history-mb", "1")
    await paused(daemon)
    async with abathur.connect(daemon.addresses["grpc"]) as game:
        history = (await game.status()).history
        assert history.bytes <= 2 * 1024 * 1024
        oldest = await game.frame_at(history.first_game_loop)
        assert oldest.game_loop == history.first_game_loop


async def test_without_history_a_start_in_the_past_is_refused(play: Play) -> None:
    daemon = play(str(SKIRMISH), "--history-mb", "0")
    async with abathur.connect(daemon.addresses["grpc"]) as game:
        await anext(game.frames())
        with pytest.raises(RequestError, match="start it with --history-mb") as info:
            await game.frame_at(FIRST)
        assert info.value.code == "FAILED_PRECONDITION"
        assert not (await game.status()).HasField("history")
    with pytest.raises(ValueError, match="start is 'begin'; it is 'live', 'oldest', a game loop"):
        async with abathur.connect(daemon.addresses["grpc"]) as game:
            await anext(game.frames(start="begin"))  # type: ignore[arg-type]


async def test_a_playback_at_unlimited_rate_says_that_it_keeps_nothing(play: Play) -> None:
    daemon = play(str(SKIRMISH), "--rate", "unlimited", "--start-paused")
    async with abathur.connect(daemon.addresses["grpc"]) as game:
        await game.playback.step()
        await wait_until(game, lambda status: status.playback.sequence == 1)
        with pytest.raises(RequestError, match="a playback at unlimited rate keeps none") as info:
            await anext(game.frames(start="oldest"))
        assert info.value.code == "FAILED_PRECONDITION"


async def test_max_frames_ends_live_frames(play: Play) -> None:
    daemon = play(str(SKIRMISH))
    for transport in ("grpc", "socket"):
        async with abathur.connect(daemon.addresses[transport]) as game:
            frames = [frame async for frame in game.frames(policy="every", max_frames=3)]
        assert len(frames) == 3


async def test_the_timeline_is_that_of_the_recording(play: Play) -> None:
    daemon = play(str(SKIRMISH), "--rate", "50")
    last = await paused(daemon)
    with abathur.open(SKIRMISH) as match:
        expected = match.timeline()
        assert match.timeline() is expected
    async with abathur.connect(daemon.addresses["grpc"]) as game:
        timeline = await game.timeline()
        late = await game.timeline(after=int(timeline.game_loops[-3]))
    rows = len(timeline.game_loops)
    assert rows >= (last - FIRST) // 22
    assert list(timeline) == list(expected)
    assert (
        timeline.game_loops.tolist() == list(range(FIRST, FIRST + 22 * rows, 22)) == expected.game_loops[:rows].tolist()
    )
    for name in timeline:
        np.testing.assert_array_equal(timeline[name], expected[name][:rows])
    assert timeline["minerals"].max() > 0
    assert late.game_loops.tolist() == timeline.game_loops[-2:].tolist()
    assert late["food_used"].tolist() == timeline["food_used"][-2:].tolist()


async def test_the_socket_answers_timeline_requests(play: Play) -> None:
    daemon = play(str(SKIRMISH))
    async with abathur.connect(daemon.addresses["socket"]) as game:
        async for _ in game.frames():
            assert (await game.timeline()).game_loops[0] == FIRST
            break


async def read(daemon: Daemon, transport: str, request: sync_pb2.SubscribeRequest) -> list[int]:
    """The game loops of a subscription by its messages alone. Raises RequestError if it is refused."""
    loops, subscribe = [], {"subscribe": json_format.MessageToDict(request)}

    def take(text: str | bytes) -> bool:
        message = json_format.Parse(text, sync_pb2.ServerMessage())
        if message.HasField("error"):
            raise RequestError(message.error.code, message.error.message)
        loops.extend([message.frame.game_loop] if message.HasField("frame") else [])
        return not message.HasField("end")

    if transport == "socket":
        reader, writer = await asyncio.open_connection("127.0.0.1", daemon.socket_port, limit=2**26)
        try:
            writer.write(json.dumps(subscribe).encode() + b"\n")
            while take(await reader.readline()):
                pass
        finally:
            writer.transport.abort()
    elif transport == "websocket":
        address = daemon.addresses["http"] + "/v1/sync"
        async with aiohttp.ClientSession() as session, session.ws_connect(address, max_msg_size=0) as ws:
            await ws.send_json(subscribe)
            while take(await ws.receive_str()):
                pass
    else:
        async with grpc.aio.insecure_channel(daemon.grpc.removeprefix("grpc://")) as channel:
            call = channel.unary_stream("/abathur.sync.v1.GameSync/Subscribe")(request.SerializeToString())
            try:
                loops += [sync_pb2.Frame.FromString(data).game_loop async for data in call]
            except grpc.aio.AioRpcError as error:
                raise RequestError(error.code().name, error.details() or "") from None
    return loops


@pytest.mark.parametrize("transport", ["grpc", "socket", "websocket"])
async def test_a_reader_continues_after_a_game_loop(play: Play, transport: str) -> None:
    """Also after the newest one: it gets what is published after that, and none is lost between two requests."""
    daemon = play(str(SKIRMISH), "--start-paused")
    request = sync_pb2.SubscribeRequest(policy=sync_pb2.every, max_frames=3)
    async with abathur.connect(daemon.addresses["grpc"]) as game:
        await game.playback.step(20)
        newest = FIRST + 19
        await wait_until(game, lambda status: status.history.last_game_loop == newest)
        for after in (FIRST - 5, FIRST, newest - 3):
            request.start_after_game_loop = after
            first = max(after + 1, FIRST)
            assert await read(daemon, transport, request) == [first, first + 1, first + 2]
        request.start_after_game_loop = newest + 1
        with pytest.raises(
            RequestError, match=f"start_after_game_loop is {newest + 1}; .* {FIRST} to {newest}$"
        ) as info:
            await read(daemon, transport, request)
        assert info.value.code == "OUT_OF_RANGE"
        request.start_after_game_loop = newest
        reading = asyncio.create_task(read(daemon, transport, request))
        await wait_until(game, lambda status: len(status.subscribers) == 1)
        await game.playback.step(3)
        assert await asyncio.wait_for(reading, 30) == [newest + 1, newest + 2, newest + 3]


def test_the_messages_have_a_start() -> None:
    request = sync_pb2.SubscribeRequest(start_game_loop=0)
    assert request.WhichOneof("start") == "start_game_loop"

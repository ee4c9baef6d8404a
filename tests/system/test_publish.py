"""A bot that publishes its own observations: `serve`, on gRPC and the socket, in Python and by hand."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import abathur
import pytest
from abathur.sync.v1 import sync_pb2
from google.protobuf import json_format
from programs import (
    FREE_PORTS,
    SHARED,
    SKIRMISH,
    TIMEOUT,
    Daemon,
    Launch,
    Play,
    in_thread,
    needs_observations,
    run_daemon,
)
from s2clientprotocol import sc2api_pb2

FRAMES = 40
TRANSPORTS = ["grpc", "socket"]
Serve = Callable[..., Daemon]


@pytest.fixture
def serve(launch: Launch) -> Serve:
    return lambda *arguments: launch("serve", "--once", *FREE_PORTS, *arguments)


@pytest.fixture(scope="module")
def observations() -> list[bytes]:
    with abathur.open(SKIRMISH) as match:
        return [frame.response.SerializeToString() for frame, _ in zip(match.frames(), range(FRAMES), strict=False)]


@pytest.fixture(scope="module")
def game_info() -> sc2api_pb2.ResponseGameInfo:
    with abathur.open(SKIRMISH) as match:
        info = match.game_info()
    assert info is not None
    return info


async def read_all(address: str, started: asyncio.Event) -> list[tuple[int, bytes]]:
    frames = []
    async with abathur.connect(address) as game:
        waiting = asyncio.create_task(game.match())
        stream = game.frames(policy="every", encoding="proto")
        reading = asyncio.ensure_future(anext(stream))
        # The subscription counts, once the daemon tells of it.
        while not (await game.status()).subscribers:
            await asyncio.sleep(0.01)
        started.set()
        match = await waiting
        assert match is not None
        assert match.map_name == "Synthetic LE"
        frames.append(await reading)
        frames += [frame async for frame in stream]
    assert {frame.run_id for frame in frames} == {match.run_id}
    return [(frame.game_loop, frame.response.SerializeToString()) for frame in frames]


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_agents_get_what_the_bot_publishes(
    serve: Serve,
    tmp_path: Path,
    observations: list[bytes],
    game_info: sc2api_pb2.ResponseGameInfo,
    transport: str,
) -> None:
    path = tmp_path / "pushed.mcap"
    daemon = serve("-o", str(path))
    started = asyncio.Event()
    agent = asyncio.create_task(read_all(daemon.grpc, started))
    await started.wait()
    action = abathur.actions.chat("hello")
    async with abathur.publisher(daemon.addresses[transport], player_id=2, game_info=game_info) as publisher:
        for data in observations:
            await publisher.publish(data)
        await publisher.actions([action])
    assert publisher.frames == FRAMES
    expected = [sc2api_pb2.ResponseObservation.FromString(data) for data in observations]
    assert await agent == [
        (each.observation.game_loop, data) for each, data in zip(expected, observations, strict=True)
    ]
    assert await asyncio.to_thread(daemon.wait) == 0
    with abathur.open(path) as match:
        assert match.game_info() == game_info
        assert [frame.response.SerializeToString() for frame in match.frames()] == observations
    listed = run_daemon("info", str(path)).stdout
    assert "/actions" in listed
    assert ["player", "2"] in [line.split() for line in listed.splitlines()]


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_blocking_twin(serve: Serve, observations: list[bytes], transport: str) -> None:
    daemon = serve()
    loops: list[int] = []

    def read() -> None:
        with abathur.connect_blocking(daemon.grpc) as game:
            loops.extend(frame.game_loop for frame in game.frames(policy="every", encoding="proto"))

    reader = in_thread(read)
    with abathur.connect_blocking(daemon.grpc) as game:
        wait_for_subscriber(game)
        with abathur.publisher_blocking(daemon.addresses[transport], map_name="Here") as publisher:
            for data in observations:
                publisher.publish(sc2api_pb2.ResponseObservation.FromString(data))
            match = game.match()
            assert match is not None
            assert (match.map_name, match.source, match.actions_allowed) == ("Here", sync_pb2.push, False)
    reader.join(TIMEOUT)
    assert publisher.frames == FRAMES
    assert len(loops) == FRAMES
    assert daemon.wait() == 0


def wait_for_subscriber(game: abathur.BlockingGame) -> None:
    while not game.status().subscribers:
        threading.Event().wait(0.01)


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_second_bot_is_refused(serve: Serve, observations: list[bytes], transport: str) -> None:
    daemon = serve()
    async with abathur.publisher(daemon.addresses[transport]) as publisher:
        await publisher.publish(observations[0])
        async with abathur.connect(daemon.grpc) as game:
            assert await game.match() is not None
        with pytest.raises(abathur.RequestError, match="another bot is already publishing") as refused:
            async with abathur.publisher(daemon.addresses[transport]) as second:
                await second.publish(observations[0])
        assert refused.value.code == "ALREADY_EXISTS"
        await publisher.publish(observations[1])
    assert publisher.frames == 2


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_playback_takes_no_observations(play: Play, observations: list[bytes], transport: str) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    with pytest.raises(abathur.RequestError, match="the command `serve` does") as refused:
        async with abathur.publisher(daemon.addresses[transport]) as publisher:
            await publisher.publish(observations[0])
    assert refused.value.code == "FAILED_PRECONDITION"


async def test_no_daemon_is_told() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        for address in (f"grpc://127.0.0.1:{port}", f"socket://127.0.0.1:{port}"):
            with pytest.raises(abathur.ConnectError, match="Is the daemon running"):
                async with abathur.publisher(address):
                    pass


def test_what_a_match_has_not_is_refused() -> None:
    with pytest.raises(ValueError, match="fields of Match"):
        abathur.publisher("127.0.0.1:1", mapname="x")


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize(
    "message",
    [b"\xff\xff", b"\x12\x7f", b"\x12\x03\x12\x7f\x01", b"", b"\x12\x02\x1a\x05"],
    ids=["no tag", "cut off", "no observation inside", "empty", "a field cut off"],
)
async def test_what_is_no_observation_is_refused(serve: Serve, transport: str, message: bytes) -> None:
    daemon = serve()
    with pytest.raises(abathur.RequestError) as refused:
        async with abathur.publisher(daemon.addresses[transport], map_name="Here") as publisher:
            await publisher._send(message)
            if transport == "socket":
                # The refusal may come after the write has succeeded.
                while True:
                    await publisher._send(b"")
    assert refused.value.code == "INVALID_ARGUMENT"


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_match_cannot_begin_twice(serve: Serve, transport: str) -> None:
    daemon = serve()
    again = sync_pb2.PublishRequest(match=sync_pb2.Match(map_name="Again")).SerializeToString()
    with pytest.raises(abathur.RequestError, match="once") as refused:
        async with abathur.publisher(daemon.addresses[transport]) as publisher:
            await publisher._send(again)
    assert refused.value.code == "FAILED_PRECONDITION"


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_agents_are_told_when_the_bot_is_lost(serve: Serve, observations: list[bytes], transport: str) -> None:
    daemon = serve()
    started = asyncio.Event()

    async def read() -> int:
        count = 0
        async with abathur.connect(daemon.grpc) as game:
            stream = game.frames(policy="every")
            with pytest.raises(abathur.SourceLostError, match="the bot's connection broke"):
                async for _ in stream:
                    count += 1
                    started.set()
        return count

    agent = asyncio.create_task(read())
    async with abathur.connect(daemon.grpc) as game:
        while not (await game.status()).subscribers:
            await asyncio.sleep(0.01)
    with pytest.raises(ZeroDivisionError):
        async with abathur.publisher(daemon.addresses[transport]) as publisher:
            await publisher.publish(observations[0])
            await started.wait()
            raise ZeroDivisionError
    assert await agent == 1
    assert await asyncio.to_thread(daemon.wait) == 1


def test_lines_of_json_by_hand(serve: Serve, observations: list[bytes]) -> None:
    daemon = serve()
    with socket.create_connection(("127.0.0.1", daemon.socket_port), TIMEOUT) as connection:
        lines = connection.makefile("rwb")
        lines.write(b'{"publish":{"match":{"mapName":"By hand"}}}\n')
        lines.flush()
        match = json.loads(lines.readline())["match"]
        assert (match["mapName"], match["source"], match["tickHz"]) == ("By hand", "push", 22.4)
        for data in observations[:3]:
            message = sync_pb2.PublishRequest()
            message.observation.ParseFromString(data)
            lines.write(json_format.MessageToJson(message, indent=None).encode() + b"\n")
        lines.write(b'{"end":{}}\n')
        lines.flush()
        assert json.loads(lines.readline()) == {"published": {"frames": "3"}}
    assert daemon.wait() == 0


@pytest.mark.parametrize(
    ("start_line", "code"),
    [
        (b'{"publish":{"encoding":"columns"}}', "INVALID_ARGUMENT"),
        (b'{"publish":{"match":{"tickHz":-1}}}', "INVALID_ARGUMENT"),
        (b'{"publish":{"match":{"tickHz":"NaN"}}}', "INVALID_ARGUMENT"),
        (b'{"publish":{"match":{"mapName":"' + b"x" * 300 + b'"}}}', "INVALID_ARGUMENT"),
        (b'{"publish":{}}\n{"observation":7}', "INVALID_ARGUMENT"),
        (b'{"publish":{}}\nnothing', "INVALID_ARGUMENT"),
        (b'{"publish":{"encoding":"proto"}}\n\xff\xff\xff\xff', "INVALID_ARGUMENT"),
    ],
)
def test_bad_input_by_hand(serve: Serve, start_line: bytes, code: str) -> None:
    daemon = serve()
    with socket.create_connection(("127.0.0.1", daemon.socket_port), TIMEOUT) as connection:
        connection.sendall(start_line + b"\n")
        answers = [json.loads(line) for line in connection.makefile("rb").readlines()]
    assert answers[-1]["error"]["code"] == code
    assert answers[-1]["error"]["fatal"] is True


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_cancelled_publish_is_sent_all_the_same(
    serve: Serve, tmp_path: Path, observations: list[bytes], transport: str
) -> None:
    path = tmp_path / "all.mcap"
    daemon = serve("-o", str(path))
    given = 0
    async with abathur.publisher(daemon.addresses[transport]) as publisher:
        daemon.process.send_signal(signal.SIGSTOP)
        try:
            # Until everything between is full.
            while True:
                given += 1
                await asyncio.wait_for(publisher.publish(observations[0]), 0.2)
        except TimeoutError:
            daemon.process.send_signal(signal.SIGCONT)
        await publisher.publish(observations[1])
    assert publisher.frames == given + 1
    assert await asyncio.to_thread(daemon.wait) == 0
    with abathur.open(path) as match:
        frames = [frame.response.SerializeToString() for frame in match.frames()]
    assert frames == [observations[0]] * given + [observations[1]]


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_publisher_that_is_not_open_says_so(serve: Serve, observations: list[bytes], transport: str) -> None:
    daemon = serve()
    publisher = abathur.publisher(daemon.addresses[transport])
    blocking = abathur.publisher_blocking(daemon.addresses[transport])
    with pytest.raises(abathur.AbathurError, match="is not open"):
        await publisher.publish(observations[0])
    async with publisher:
        await publisher.publish(observations[0])
    with pytest.raises(abathur.AbathurError, match="is not open"):
        await publisher.publish(observations[0])
    with pytest.raises(abathur.AbathurError, match="is not open"):
        blocking.publish(observations[0])


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_daemon_that_dies_is_told(serve: Serve, observations: list[bytes], transport: str) -> None:
    daemon = serve()
    with pytest.raises(abathur.ConnectionLostError):
        async with abathur.publisher(daemon.addresses[transport]) as publisher:
            await publisher.publish(observations[0])
            daemon.process.kill()
            daemon.process.wait()
            while True:
                await publisher.publish(observations[0])


def test_no_daemon_is_told_at_once_to_threads() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        for address in (f"grpc://127.0.0.1:{port}", f"socket://127.0.0.1:{port}"):
            before = threading.active_count()
            with pytest.raises(abathur.ConnectError, match="Is the daemon running"):
                abathur.publisher_blocking(address).__enter__()
            while threading.active_count() > before:
                threading.Event().wait(0.01)


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_message_that_is_too_long_costs_nothing_else(
    serve: Serve, observations: list[bytes], transport: str
) -> None:
    daemon = serve()
    async with abathur.publisher(daemon.addresses[transport]) as publisher:
        await publisher.publish(observations[0])
        with pytest.raises(ValueError, match="over the limit of 16777216"):
            await publisher.publish(bytes(16 * 1024 * 1024 - 4))
        # The longest that is taken, with an unknown field; two tags of a byte and lengths of four.
        filling = 16 * 1024 * 1024 - len(observations[1]) - 10
        await publisher.publish(observations[1] + b"\x7a" + varint(filling) + bytes(filling))
    assert publisher.frames == 2


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_match_goes_forward(serve: Serve, tmp_path: Path, observations: list[bytes], transport: str) -> None:
    path = tmp_path / "forward.mcap"
    daemon = serve("-o", str(path))
    with pytest.raises(abathur.RequestError, match="game loop 8960 follows 8961") as refused:
        async with abathur.publisher(daemon.addresses[transport]) as publisher:
            for data in (observations[0], observations[1], observations[1], observations[0]):
                await publisher.publish(data)
            while True:
                await publisher.publish(observations[1])
    assert refused.value.code == "INVALID_ARGUMENT"
    # The match was lost.
    assert await asyncio.to_thread(daemon.wait) == 1
    with abathur.open(path) as match:
        assert [frame.game_loop for frame in match.frames()][:3] == [8960, 8961, 8961]


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_results_that_cannot_be_read_are_refused(serve: Serve, transport: str) -> None:
    daemon = serve()
    with pytest.raises(abathur.RequestError, match="not a ResponseObservation") as refused:
        async with abathur.publisher(daemon.addresses[transport]) as publisher:
            await publisher.publish(b"\x22\x02\xff\xff")
    assert refused.value.code == "INVALID_ARGUMENT"


@needs_observations
@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_the_data_of_a_real_game(serve: Serve, transport: str) -> None:
    data = sc2api_pb2.ResponseData.FromString((SHARED / "observations" / "game_data.binpb").read_bytes())
    daemon = serve()
    async with abathur.publisher(daemon.addresses[transport], game_data=data), abathur.connect(daemon.grpc) as game:
        match = await game.match()
    assert match is not None and match.game_data == data
    assert await asyncio.to_thread(daemon.wait) == 0


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_match_without_an_observation_is_an_empty_recording(
    serve: Serve, tmp_path: Path, transport: str
) -> None:
    path = tmp_path / "empty.mcap"
    daemon = serve("-o", str(path))
    async with abathur.publisher(daemon.addresses[transport], map_name="Nothing"):
        pass
    assert await asyncio.to_thread(daemon.wait) == 0
    assert daemon.process.stderr is not None
    assert daemon.process.stderr.read() == ""
    assert run_daemon("info", str(path)).returncode == 0
    with abathur.open(path) as match:
        assert list(match.frames()) == []


def test_without_a_match_there_is_no_recording(serve: Serve, tmp_path: Path) -> None:
    path = tmp_path / "none.mcap"
    daemon = serve("-o", str(path))
    assert daemon.stop() == 0
    assert list(tmp_path.iterdir()) == []


def test_a_bot_that_says_nothing_leaves_its_place(serve: Serve, observations: list[bytes]) -> None:
    daemon = serve()
    with socket.create_connection(("127.0.0.1", daemon.socket_port), TIMEOUT) as connection:
        lines = connection.makefile("rwb")
        lines.write(b'{"publish":{}}\n\n{"end":{}}\n')
        lines.flush()
        assert [json.loads(line) for line in lines.readlines()] == [{"match": {}}, {"published": {}}]
    with abathur.publisher_blocking(daemon.grpc) as publisher:
        publisher.publish(observations[0])
    assert daemon.wait() == 0


def test_a_recording_that_fails_is_told_by_the_exit_code(serve: Serve, observations: list[bytes]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    daemon = serve("-o", "/dev/full")
    with abathur.publisher_blocking(daemon.grpc) as publisher:
        publisher.publish(observations[0])
    assert publisher.frames == 1
    assert daemon.wait() == 1


def varint(value: int) -> bytes:
    data = b""
    while value > 0x7F:
        data += bytes([value & 0x7F | 0x80])
        value >>= 7
    return data + bytes([value])

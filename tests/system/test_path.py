"""From a recording to agents: every frame, byte for byte, on every transport."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from pathlib import Path

import abathur
import grpc
import grpc.aio
import numpy as np
import pytest
from abathur.sync.v1 import sync_pb2
from google.protobuf import json_format
from google.protobuf.internal.encoder import _VarintBytes  # type: ignore[attr-defined]
from mcap.reader import make_reader
from programs import SHARED, SKIRMISH, Daemon, Play, matrix, needs_observations, needs_sequences, run_daemon
from s2clientprotocol import sc2api_pb2

TRANSPORTS = ["grpc", "grpc+unix", "socket proto", "socket json", "socket+unix proto", "socket+unix json"]
SEQUENCES = [
    "abyssal-zvp-shuffled",
    "berlingrad-zvz-mid",
    "hardwire-tvt-mid",
    "kairos-pvp-mid",
    "lostandfound-pvz-step8-bot",
    "odyssey-zvp-full",
    "proxima-pvt-late-creep8",
]


def recorded(path: Path, stop: int | None = None) -> list[bytes]:
    """The observations as they stand in the file, by the public mcap package."""
    with path.open("rb") as file:
        messages = make_reader(file).iter_messages(topics=["/observation"])
        return [message.data for _, _, message in itertools.islice(messages, stop)]


def recorded_until(path: Path, seconds: float) -> list[bytes]:
    """The same, of the first seconds of game time."""
    with abathur.open(path) as match:
        first = next(match.frames()).game_loop
        count = sum(1 for _ in match.frames(stop=first + int(seconds * match.tick_hz) + 1))
    return recorded(path, stop=count)


def payload(message: bytes, expected: bytes) -> None:
    """A Frame's bytes end with the observation's, as the last field of its message."""
    assert message.endswith(expected)
    prefix = b"\x72" + _VarintBytes(len(expected))
    assert message[: -len(expected)].endswith(prefix)


async def raw_frames(daemon: Daemon, transport: str) -> AsyncIterator[bytes]:
    """The bytes of each Frame message, without the package under test."""
    kind = transport.partition(" ")[0]
    request = sync_pb2.SubscribeRequest(policy=sync_pb2.every, encoding=sync_pb2.proto)
    if kind.startswith("grpc"):
        target = daemon.addresses[kind].removeprefix("grpc+").removeprefix("grpc://")
        options = [("grpc.max_receive_message_length", -1), ("grpc.default_authority", "localhost")]
        async with grpc.aio.insecure_channel(target, options=options) as channel:
            call = channel.unary_stream("/abathur.sync.v1.GameSync/Subscribe")(request.SerializeToString())
            async for message in call:
                yield message
        return
    address = daemon.addresses[kind]
    if kind == "socket":
        reader, writer = await asyncio.open_connection("127.0.0.1", daemon.socket_port, limit=2**26)
    else:
        reader, writer = await asyncio.open_unix_connection(address.removeprefix("socket+unix:"), limit=2**26)
    writer.write(b'{"subscribe":{"policy":"every","encoding":"proto"}}\n')
    assert (await reader.readline()).startswith(b'{"match":{')
    while True:
        message = await reader.readexactly(int.from_bytes(await reader.readexactly(4), "little"))
        if not message.startswith(b"\x12"):
            assert sync_pb2.ServerMessage.FromString(message).HasField("end")
            break
        yield message
    writer.close()
    await writer.wait_closed()


async def check_all(daemon: Daemon, transport: str, expected: list[bytes]) -> None:
    """One agent: each frame equal to what was recorded, none missed, none left over."""
    kind, _, encoding = transport.partition(" ")
    loops = 0
    if encoding != "json":
        async for raw in raw_frames(daemon, transport):
            payload(raw, expected[loops])
            loops += 1
        assert loops == len(expected)
        return
    async with abathur.connect(daemon.addresses[kind], reconnect_timeout=0) as game:
        async for frame in game.frames(policy="every", encoding=encoding or "auto"):
            assert frame.sequence == loops + 1
            assert frame.dropped == 0
            message = sc2api_pb2.ResponseObservation.FromString(expected[loops])
            assert frame.json == json_format.MessageToDict(message), f"frame {loops}"
            assert frame.response == message, f"frame {loops}"
            loops += 1
    assert loops == len(expected)


async def check_transports(play: Play, path: Path, expected: list[bytes], transports: list[str], *options: str) -> None:
    daemon = play(path, "--wait-agents", str(len(transports)), *options, uds=True)
    await asyncio.gather(*(check_all(daemon, each, expected) for each in transports))
    assert await asyncio.to_thread(daemon.wait) == 0


@needs_observations
async def test_real_frames_reach_every_transport_at_tick_rate(play: Play, tmp_path: Path) -> None:
    files = sorted((SHARED / "observations").glob("*/observation.binpb"))
    assert len(files) == 81
    recording = tmp_path / "frames.mcap"
    done = run_daemon("import", *map(str, files), "-o", str(recording))
    assert done.returncode == 0, done.stderr
    expected = [file.read_bytes() for file in files]
    assert recorded(recording) == expected
    await check_transports(play, recording, expected, TRANSPORTS, "--tick-hz", "22.4")


@needs_sequences
@pytest.mark.parametrize("name", matrix(*SEQUENCES))
async def test_sequences_reach_every_transport(play: Play, tmp_path: Path, name: str) -> None:
    recording = tmp_path / f"{name}.mcap"
    done = run_daemon("import", str(SHARED / "sequences" / f"{name}.obs.zst"), "-o", str(recording))
    assert done.returncode == 0, done.stderr
    # Two seconds in every form (Python's own JSON formatter is the oracle, and slow), the whole in the fast ones.
    start = recorded_until(recording, seconds=2)
    options = ["--playback-duration", "2", "--rate", "unlimited"]
    await check_transports(play, recording, start, TRANSPORTS, *options)
    await check_transports(play, recording, recorded(recording), ["grpc", "socket proto"], "--rate", "unlimited")


async def test_committed_recording_reaches_every_transport(play: Play) -> None:
    start = recorded_until(SKIRMISH, seconds=3)
    await check_transports(play, SKIRMISH, start, TRANSPORTS, "--playback-duration", "3")


async def test_frames_come_at_the_tick_rate(play: Play) -> None:
    daemon = play(SKIRMISH, "--playback-duration", "4", "--wait-agents", "1", "--tick-hz", "16")
    published = []
    async with abathur.connect(daemon.grpc) as game:
        async for frame in game.frames(policy="every"):
            published.append(frame.timing.published)
            assert frame.timing.captured <= frame.timing.published <= frame.timing.received <= frame.timing.decoded
    # The median: a machine that pauses makes single frames late. `TickPacerTests` test what is due, exactly.
    assert np.median(np.diff(published)) / 1e9 == pytest.approx(1 / 16, rel=0.1)

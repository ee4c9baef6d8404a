"""From a recording to agents: every frame, byte for byte, on every transport."""

from __future__ import annotations

import asyncio
from pathlib import Path

import abathur
import pytest
from google.protobuf import json_format
from programs import SHARED, SKIRMISH, Daemon, Play, needs_observations, needs_sequences, run_daemon
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
    frames = []
    with abathur.open(path) as match:
        for frame in match.frames():
            frames.append(frame.response.SerializeToString())
            if len(frames) == stop:
                break
    return frames


async def check_all(daemon: Daemon, transport: str, expected: list[bytes]) -> None:
    """One agent: each frame equal to what was recorded, none missed, none left over."""
    kind, _, encoding = transport.partition(" ")
    loops = 0
    async with abathur.connect(daemon.addresses[kind], reconnect_timeout=0) as game:
        async for frame in game.frames(policy="every", encoding=encoding or "auto"):
            assert frame.sequence == loops + 1
            assert frame.dropped == 0
            if encoding == "json":
                message = sc2api_pb2.ResponseObservation.FromString(expected[loops])
                assert frame.json == json_format.MessageToDict(message), f"frame {loops}"
            else:
                assert frame.response.SerializeToString() == expected[loops], f"frame {loops}"
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
@pytest.mark.parametrize("name", SEQUENCES)
async def test_sequences_reach_every_transport(play: Play, tmp_path: Path, name: str) -> None:
    recording = tmp_path / f"{name}.mcap"
    done = run_daemon("import", str(SHARED / "sequences" / f"{name}.obs.zst"), "-o", str(recording))
    assert done.returncode == 0, done.stderr
    # A few seconds of JSON (Python's own formatter is the oracle, and slow), then the whole over the fast forms.
    hz, seconds = 22.4, 2.0
    with abathur.open(recording) as match:
        first = next(match.frames()).game_loop
        part = [frame.response.SerializeToString() for frame in match.frames(stop=first + int(hz * seconds) + 1)]
    await check_transports(
        play, recording, part, ["grpc", "socket json"], "--playback-duration", str(seconds), "--rate", "unlimited"
    )
    expected = recorded(recording)
    await check_transports(play, recording, expected, ["grpc", "socket proto"], "--rate", "unlimited")


async def test_committed_recording_reaches_every_transport(play: Play) -> None:
    seconds = 3
    with abathur.open(SKIRMISH) as match:
        first = next(match.frames()).game_loop
        expected = [
            frame.response.SerializeToString() for frame in match.frames(stop=first + int(seconds * match.tick_hz) + 1)
        ]
    await check_transports(play, SKIRMISH, expected, TRANSPORTS, "--playback-duration", str(seconds))


async def test_frames_come_at_the_tick_rate(play: Play) -> None:
    daemon = play(SKIRMISH, "--playback-duration", "4", "--wait-agents", "1", "--tick-hz", "16")
    published = []
    async with abathur.connect(daemon.grpc) as game:
        async for frame in game.frames(policy="every"):
            published.append(frame.timing.published)
            assert frame.timing.captured <= frame.timing.published <= frame.timing.received <= frame.timing.decoded
    rate = (len(published) - 1) / ((published[-1] - published[0]) / 1e9)
    # The mean over four seconds; single ticks wait for the operating system's timers.
    assert rate == pytest.approx(16, rel=0.02)

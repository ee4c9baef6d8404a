"""A disk that takes no more while a match is recorded: the match goes on, and what was written can be read."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import abathur
import pytest
from mcap.reader import make_reader
from programs import FREE_PORTS, SKIRMISH, Daemon, daemon_command, run_daemon, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file size limit for a process")
MOST_BYTES = 300_000


@pytest.fixture
def limited(tmp_path: Path) -> Daemon:
    """`serve -o`, whose files cannot grow beyond a limit."""
    command = daemon_command(
        "serve", "--once", *FREE_PORTS, "-o", str(tmp_path / "full.mcap"), "--chunk-size", "100000"
    )
    process = subprocess.Popen(
        ["prlimit", f"--fsize={MOST_BYTES}", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # The runtime's double mapping of code would need a large file of its own.
        env={**os.environ, "DOTNET_EnableWriteXorExecute": "0"},
        # With the signal ignored, as Python has it, a write past the limit fails as on a full disk.
        restore_signals=False,
    )
    assert process.stdout is not None
    words = process.stdout.readline().split()
    assert words[0] == "ready", process.communicate()
    found = (word.split("=") for word in words[1:])
    return Daemon(process, {name: f"{name}://{address}" for name, address in found})


async def test_frames_go_on_and_the_error_is_told_once(limited: Daemon, tmp_path: Path) -> None:
    with abathur.open(SKIRMISH) as match:
        observations = [
            frame.response.SerializeToString() for frame, _ in zip(match.frames(), range(300), strict=False)
        ]
    taken = []
    async with abathur.connect(limited.socket) as agent, abathur.connect(limited.grpc) as game:

        async def read() -> None:
            async for frame in agent.frames(policy="every", buffer=1024, encoding="proto"):
                taken.append(frame.response.SerializeToString())

        reading = asyncio.create_task(read())
        await wait_until(game, lambda status: bool(status.subscribers))
        async with abathur.publisher(limited.grpc) as publisher:
            for data in observations:
                await publisher.publish(data)
            while not (recording := (await game.status()).recording).error:
                await asyncio.sleep(0.02)
            while (recording := (await game.status()).recording).frames + recording.frames_dropped < len(observations):
                await asyncio.sleep(0.02)
            assert recording.frames > 0 and recording.frames_dropped > 0
            assert recording.frames + recording.frames_dropped == len(observations)
        await reading
    assert taken == observations
    said = await asyncio.to_thread(lambda: limited.process.communicate(timeout=30)[1])
    assert limited.process.returncode == 1
    assert said.count("failed:") == 1 and "The match continues without it" in said, said
    part = tmp_path / "full.mcap.part"
    assert part.stat().st_size <= MOST_BYTES
    # What is left is a whole file as it is, to any reader: the chunk that failed is gone, and counted.
    assert f"is complete in {part}" in said, said
    with part.open("rb") as file:
        messages = [
            message.data
            for _, channel, message in make_reader(file, validate_crcs=True).iter_messages()
            if channel.topic == "/observation"
        ]
    assert messages == observations[: recording.frames]
    with abathur.open(part) as match:
        assert len(list(match.frames())) == recording.frames
    info = run_daemon("info", str(part))
    assert info.returncode == 0 and "not complete" not in info.stdout, info.stdout + info.stderr

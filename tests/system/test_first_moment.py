"""A reader that keeps up misses no frame, from its first one on, although all code is used for the first time."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import aiohttp
import pytest
from abathur.sync.v1 import sync_pb2
from google.protobuf import json_format
from nats_servers import RelayProcess, Server, needs_nats
from programs import SKIRMISH, Daemon, Play, crossed

pytestmark = pytest.mark.measured

FRAMES = 30
#: In a process of its own, which has used nothing before.
READER = """
import asyncio, json, sys
import abathur

async def main(address, options, frames):
    async with abathur.connect(address) as game:
        async for frame in game.frames(**options):
            assert len(frame.units)
            yield frame.dropped
            frames -= 1
            if not frames:
                return

async def run():
    address, options, frames = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
    print(json.dumps([dropped async for dropped in main(address, options, frames)]))

asyncio.run(run())
"""
BLOCKING = """
import itertools, json, sys
import abathur

with abathur.connect_blocking(sys.argv[1]) as game:
    frames = itertools.islice(game.frames(**json.loads(sys.argv[2])), int(sys.argv[3]))
    print(json.dumps([frame.dropped for frame in frames if len(frame.units)]))
"""
OPTIONS: dict[str, dict[str, Any]] = {
    "proto": {},
    "json": {"encoding": "json"},
    "columns": {"encoding": "columns"},
    "columns-zstd-stream": {"encoding": "columns", "compression": "zstd-stream"},
    "proto-br-stream": {"compression": "br-stream"},
}
#: The match runs already, or begins when the reader is there.
BEGINNINGS = {"waiting": ["--wait-agents", "1"], "running": ["--loop"]}
PROGRAMS = {"asyncio": READER, "blocking": BLOCKING}


def dropped(program: str, address: str, options: dict[str, Any]) -> list[int]:
    """Frames dropped before each frame that a new process gets."""
    command = [sys.executable, "-c", program, address, json.dumps(options), str(FRAMES)]
    counts: list[int] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=60).stdout)
    return counts


@crossed(transport=["socket", "grpc"], options=OPTIONS, program=PROGRAMS, beginning=BEGINNINGS)
def test_a_new_reader_drops_nothing(play: Play, transport: str, options: str, program: str, beginning: str) -> None:
    daemon = play(SKIRMISH, *BEGINNINGS[beginning])
    assert dropped(PROGRAMS[program], daemon.addresses[transport], OPTIONS[options]) == [0] * FRAMES


@crossed(binary=[False, True], beginning=BEGINNINGS)
async def test_a_new_websocket_drops_nothing(play: Play, binary: bool, beginning: str) -> None:
    daemon = play(SKIRMISH, *BEGINNINGS[beginning])
    first = sync_pb2.ClientMessage(subscribe=sync_pb2.SubscribeRequest())
    counts: list[int] = []
    async with aiohttp.ClientSession() as session:
        address = daemon.addresses["http"] + "/v1/sync"
        async with session.ws_connect(address, max_msg_size=0) as ws:
            await (
                ws.send_bytes(first.SerializeToString()) if binary else ws.send_str(json_format.MessageToJson(first))
            )
            while len(counts) < FRAMES:
                message = await ws.receive(20)
                if message.type == aiohttp.WSMsgType.BINARY:
                    answer = sync_pb2.ServerMessage.FromString(message.data)
                    counts += [answer.frame.dropped] if answer.HasField("frame") else []
                else:
                    frame = json.loads(message.data).get("frame")
                    counts += [] if frame is None else [int(frame.get("dropped", 0))]
    assert counts == [0] * FRAMES


@needs_nats
def test_a_new_reader_on_nats_drops_nothing(play: Play, server: Server) -> None:
    daemon: Daemon = play(SKIRMISH, "--loop")
    with RelayProcess(server.url, "--address", daemon.grpc, "--match", "first"):
        assert dropped(READER, f"{server.url}/first", {}) == [0] * FRAMES

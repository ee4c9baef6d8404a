"""What faults of NATS cost, for `relay.py`: killed leaders of a cluster, and servers that are away."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, aclosing, asynccontextmanager
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import abathur
import numpy as np
from abathur._program import address as _address
from abathur._transport.nats.client import ApiError, Client
from abathur.errors import AbathurError
from load import percentile
from nats_server import NatsServer
from processes import DAEMON, FREE_PORTS, Daemon, MeasureError, Server, free_port

from recordings import SKIRMISH

_BEFORE_SECONDS = 10.0
_TICK_SECONDS = 1 / 22.4
#: Frames after a kill that the reader must have before the killed server is started again.
_FRAMES_AFTER = 60


class Reader:
    """A lossless reader in a task: when it received each frame."""

    def __init__(self, address: str) -> None:
        self.received: list[float] = []
        self.sequences: list[int] = []
        self.more = asyncio.Event()
        self.task = asyncio.create_task(self._read(address))

    async def _read(self, address: str) -> None:
        async with abathur.connect(address, wait=60) as game:
            frames = game.frames(policy="every", start="oldest", encoding="columns")
            async with aclosing(frames):
                async for frame in frames:
                    self.received.append(time.monotonic())
                    self.sequences.append(frame.sequence)
                    self.more.set()

    async def until(self, count: int) -> None:
        """Wait for a number of frames."""
        while len(self.sequences) < count:
            self.more.clear()
            waiting = asyncio.create_task(self.more.wait())
            await asyncio.wait([waiting, self.task], return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            if self.task.done():
                self.task.result()
                raise MeasureError("the frames ended")

    @property
    def wrong(self) -> int:
        """How many frames did not follow the one before."""
        return sum(after != before + 1 for before, after in pairwise([0, *self.sequences]))


@asynccontextmanager
async def _relay(servers: str, daemon: str, *options: str) -> AsyncIterator[None]:
    line = [sys.executable, "-m", "abathur", "relay", f"{servers}/m", "--address", daemon, *options]
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True) as relay:
        assert relay.stderr is not None
        said = await asyncio.to_thread(relay.stderr.readline)
        if "relaying" not in said:
            raise MeasureError(f"the relay did not start: {said}")
        threading.Thread(target=relay.stderr.read, daemon=True).start()
        try:
            yield
        finally:
            relay.terminate()


async def leaders(recording: Path, kills: int) -> dict[str, Any]:
    """Kill the leader of the stream again and again; the longest pause of a reader after each kill."""
    cluster = [free_port() for _ in range(3)]
    routes = ", ".join(f'"nats://127.0.0.1:{port}"' for port in cluster)
    pauses = []
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:

        def start(number: int, port: int = 0) -> NatsServer:
            listen = f"cluster {{ name: bench, listen: 127.0.0.1:{cluster[number]}, routes: [{routes}] }}\n"
            config = f"server_name: node-{number}\n{listen}"
            node: NatsServer = stack.enter_context(NatsServer(Path(folder) / f"node-{number}", port, config))
            return node

        nodes = [start(number) for number in range(3)]
        servers = "nats://" + ",".join(node.address() for node in nodes)
        client = await Client.connect(_address.parse(servers), "_INBOX.bench", 10, "bench")
        await _elected(client)
        daemon = stack.enter_context(Daemon(recording, "--loop", "--start-paused"))
        async with _relay(servers, f"grpc://{daemon.address('grpc')}", "--replicas", "3"):
            daemon.resume()
            reader = Reader(f"{servers}/m")
            await reader.until(100)
            for _ in range(kills):
                answer = await client.request("$JS.API.STREAM.INFO.ABATHUR_m", timeout=30)
                leader = int(json.loads(answer.data)["cluster"]["leader"].removeprefix("node-"))
                count = len(reader.received)
                nodes[leader].kill()
                await reader.until(count + _FRAMES_AFTER)
                pauses.append(max(after - before for before, after in pairwise(reader.received[count - 1 :])))
                nodes[leader] = start(leader, nodes[leader].port)
                await _replicated(client)
                print(f"leader killed: a pause of {pauses[-1]:.1f} s, {reader.wrong} frames wrong", flush=True)
            await reader.until(daemon.status().frames_published)
            reader.task.cancel()
        await client.close()
    return {"kills": kills, "frames": len(reader.sequences), "wrong": reader.wrong, "pauses": pauses}


async def _elected(client: Client) -> None:
    while True:
        try:
            await client.api("STREAM.CREATE.PROBE", {"name": "PROBE", "subjects": ["probe"], "num_replicas": 3})
            return
        except (ApiError, AbathurError):
            await asyncio.sleep(0.1)


async def _replicated(client: Client) -> None:
    """Wait until the server that was started again has what the others have."""
    while True:
        try:
            state = (await client.api("STREAM.INFO.ABATHUR_m"))["cluster"]
            if "leader" in state and all(each.get("current") for each in state.get("replicas", [])):
                return
        except (ApiError, AbathurError):
            pass
        await asyncio.sleep(0.1)


def _publish(address: str, observations: list[Any], calls: list[tuple[float, float]]) -> None:
    """A bot that publishes at the rate of the game: adds when each call began, and how long it took."""
    with abathur.publisher_blocking(address) as published:
        start = time.monotonic()
        for number, observation in enumerate(observations):
            time.sleep(max(0.0, start + number * _TICK_SECONDS - time.monotonic()))
            began = time.monotonic()
            published.publish(observation)
            calls.append((began, time.monotonic() - began))


def _times(calls: list[tuple[float, float]], begin: float, end: float) -> dict[str, float]:
    """Milliseconds of the calls between two moments."""
    took = np.array([took for began, took in calls if begin <= began < end]) * 1e3
    return {name: percentile(took, at) for name, at in (("p50", 50), ("p99", 99), ("max", 100))}


async def away(seconds: float) -> dict[str, Any]:
    """A bot publishes and is recorded, while NATS is away for some time."""
    with abathur.open(SKIRMISH) as match:
        frames = int((2 * _BEFORE_SECONDS + seconds) / _TICK_SECONDS)
        observations = [each.data for each in islice(match._observations(None), frames)]
    calls: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        node = stack.enter_context(NatsServer(Path(folder) / "nats"))
        recorded = Path(folder) / "match.mcap"
        with Server([DAEMON, "serve", "-o", recorded, *FREE_PORTS]) as daemon:
            address = f"grpc://{daemon.address('grpc')}"
            bot = asyncio.create_task(asyncio.to_thread(_publish, address, observations, calls))
            async with _relay(node.url, address):
                began = time.monotonic()
                reader = Reader(f"{node.url}/m")
                await reader.until(int(_BEFORE_SECONDS / _TICK_SECONDS))
                killed = time.monotonic()
                node.kill()
                await asyncio.sleep(seconds)
                missing = len(calls) - len(reader.sequences)
                stack.enter_context(NatsServer(Path(folder) / "nats", node.port))
                back = time.monotonic()
                await reader.until(len(calls))
                caught_up = time.monotonic() - back
                await bot
                await reader.task
        # The daemon has ended, and the recording is whole.
        with abathur.open(recorded) as match:
            kept = match.frame_count
    moments = {"before": (began, killed), "away": (killed, back), "after": (back, 1e18)}
    return {
        "seconds": seconds,
        "published": len(calls),
        "recorded": kept,
        "read": len(reader.sequences),
        "wrong": reader.wrong,
        "missing_when_back": missing,
        "caught_up_seconds": caught_up,
        "bot_ms": {name: _times(calls, *each) for name, each in moments.items()},
    }

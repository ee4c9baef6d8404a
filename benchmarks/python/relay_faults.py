"""What faults of NATS cost, for `relay.py`: killed leaders of a cluster, and servers that are away."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, aclosing, asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import abathur
import numpy as np
from abathur._program import address as _address
from abathur._transport.nats.client import ApiError, Client
from abathur.errors import AbathurError
from processes import DAEMON, Daemon, MeasureError, Process, Server

from recordings import SKIRMISH

LEADER_KILLS = 10
_BEFORE_SECONDS = 10.0
_TICK_SECONDS = 1 / 22.4
#: Frames after a kill that the reader must have before the killed server is started again.
_FRAMES_AFTER = 60
_START_SECONDS = 30.0


class Node:
    """A server that can be killed and started again."""

    def __init__(self, program: str, folder: Path, port: int, config: str) -> None:
        folder.mkdir()
        self.port = port
        self._line = [program, "-c", str(folder / "nats.conf"), "-l", str(folder / "log")]
        (folder / "nats.conf").write_text(f'listen: 127.0.0.1:{port}\njetstream {{ store_dir: "{folder}" }}\n{config}')
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it accepts connections."""
        self._process = subprocess.Popen(self._line)
        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1.0).close()
                return
            except OSError:
                if time.monotonic() > deadline:
                    raise MeasureError("nats-server did not start") from None
                time.sleep(0.01)

    def kill(self) -> None:
        """SIGKILL."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


def _ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in sockets]


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


async def leaders(recording: Path, program: str, kills: int) -> dict[str, Any]:
    """Kill the leader of the stream again and again; the longest pause of a reader after each kill."""
    ports = _ports(6)
    routes = ", ".join(f'"nats://127.0.0.1:{port}"' for port in ports[3:])
    pauses = []
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        nodes = []
        for number in range(3):
            config = (
                f"server_name: node-{number}\n"
                f"cluster {{ name: bench, listen: 127.0.0.1:{ports[3 + number]}, routes: [{routes}] }}\n"
            )
            nodes.append(Node(program, Path(folder) / f"node-{number}", ports[number], config))
            stack.callback(nodes[-1].kill)
            nodes[-1].start()
        servers = "nats://" + ",".join(f"127.0.0.1:{node.port}" for node in nodes)
        client = await Client.connect(_address.parse(servers), "_INBOX.bench", 10, "bench")
        await _elected(client)
        daemon = stack.enter_context(Daemon(recording, "--loop", "--start-paused"))
        async with _relay(servers, f"grpc://{daemon.address('grpc')}", "--replicas", "3"):
            daemon.resume()
            reader = Reader(f"{servers}/m")
            await reader.until(100)
            for _ in range(kills):
                answer = await client.request("$JS.API.STREAM.INFO.ABATHUR_m", timeout=30)
                node = nodes[int(json.loads(answer.data)["cluster"]["leader"].removeprefix("node-"))]
                count = len(reader.received)
                node.kill()
                await reader.until(count + _FRAMES_AFTER)
                pauses.append(max(after - before for before, after in pairwise(reader.received[count - 1 :])))
                node.start()
                await _replicated(client)
                print(
                    f"leader killed: the reader paused for {pauses[-1]:.1f} s, {reader.wrong} frames wrong", flush=True
                )
            published = daemon.status().frames_published
            await reader.until(published)
            reader.task.cancel()
        await client.close()
    return {"kills": kills, "frames": len(reader.sequences), "wrong": reader.wrong, "pauses": pauses}


async def _elected(client: Client) -> None:
    while True:
        try:
            await client.create_stream({"name": "PROBE", "subjects": ["probe"], "num_replicas": 3})
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


class _Bot:
    """A bot that publishes at the rate of the game: how long each call took, and when."""

    def __init__(self, address: str, frames: int) -> None:
        self.calls: list[tuple[float, float]] = []
        with abathur.open(SKIRMISH) as match:
            self._observations = [each.data for each in match._observations(None)][:frames]
        self._address = address
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        with abathur.publisher_blocking(self._address) as published:
            start = time.monotonic()
            for number, observation in enumerate(self._observations):
                time.sleep(max(0.0, start + number * _TICK_SECONDS - time.monotonic()))
                began = time.monotonic()
                published.publish(observation)
                self.calls.append((began, time.monotonic() - began))

    def times(self, begin: float, end: float) -> dict[str, float]:
        """Milliseconds of the calls between two moments."""
        took = np.array([took for began, took in self.calls if begin <= began < end]) * 1e3
        return {name: float(np.percentile(took, at)) for name, at in (("p50", 50), ("p99", 99), ("max", 100))}


async def away(recording: Path, program: str, seconds: float) -> dict[str, Any]:
    """A bot publishes and is recorded, while NATS is away for some time."""
    frames = int((2 * _BEFORE_SECONDS + seconds) / _TICK_SECONDS)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        (port,) = _ports(1)
        node = Node(program, Path(folder) / "nats", port, "")
        stack.callback(node.kill)
        node.start()
        recorded = Path(folder) / "match.mcap"
        line = [DAEMON, "serve", "-o", recorded, "--grpc-port", "0", "--socket-port", "0", "--stop-with-parent"]
        daemon: Process = stack.enter_context(Server(line))
        assert isinstance(daemon, Server)
        address = f"grpc://{daemon.address('grpc')}"
        bot = _Bot(address, frames)
        bot.thread.start()
        servers = f"nats://127.0.0.1:{port}"
        async with _relay(servers, address):
            began = time.monotonic()
            reader = Reader(f"{servers}/m")
            await reader.until(int(_BEFORE_SECONDS / _TICK_SECONDS))
            killed = time.monotonic()
            node.kill()
            await asyncio.sleep(seconds)
            missing = len(bot.calls) - len(reader.sequences)
            node.start()
            back = time.monotonic()
            await reader.until(len(bot.calls))
            caught_up = time.monotonic() - back
            await asyncio.to_thread(bot.thread.join)
            await reader.task
        daemon.wait()
        with abathur.open(recorded) as match:
            kept = match.frame_count
    return {
        "seconds": seconds,
        "published": len(bot.calls),
        "recorded": kept,
        "read": len(reader.sequences),
        "wrong": reader.wrong,
        "missing_when_back": missing,
        "caught_up_seconds": caught_up,
        "bot_ms": {"before": bot.times(began, killed), "away": bot.times(killed, back), "after": bot.times(back, 1e18)},
    }

"""Readers of matches in a process of their own: `python relay_readers.py MODE ADDRESS PREFIX MATCHES READERS`.

READERS of each of MATCHES. Modes: ``every`` (ordered consumers on NATS, undecoded), ``decode`` (`Game.frames` on NATS,
with the units of each frame), ``plain`` (plain subscriptions on a connection each, without a library), ``daemon`` and
``daemon-decode`` (the same from the daemon itself, by gRPC; PREFIX has no meaning). Every sequence number is checked.

Prints ``ready`` when each has a frame. A line on its standard input is answered by a line of JSON about the time since
the line before: ``frames``, ``latency`` (published to received, ns, sampled), ``problems``.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import abathur
import grpc
import grpc.aio
from abathur._program import address as _address
from abathur._transport.grpc_channel import SERVICE, async_channel
from abathur._transport.nats import wire
from abathur._transport.nats.client import Client
from abathur._transport.nats.stream import MatchStream
from abathur.sync.v1 import sync_pb2

_CONNECT_SECONDS = 10.0
_SAMPLE = 7
_HMSG = re.compile(rb"HMSG \S+ \d+ (?:\S+ )?(\d+) (\d+)\r\n")
_SEQUENCE = re.compile(rb"Abathur-Sequence: (\d+)\r\n")


class Log:
    """What all readers received."""

    def __init__(self, readers: int) -> None:
        self.frames = 0
        self.latency: list[int] = []
        self.problems: list[str] = []
        self.waiting = readers
        self.all_read = asyncio.Event()

    def follow(self) -> Callable[[int, Callable[[], int]], None]:
        """What a reader calls with each frame: its sequence, and a function that gives when it was published."""
        last = 0

        def add(sequence: int, published: Callable[[], int]) -> None:
            nonlocal last
            if last == 0:
                self.waiting -= 1
                if self.waiting == 0:
                    self.all_read.set()
            elif sequence != last + 1:
                self.problems.append(f"{sequence} after {last}")
            last = sequence
            self.frames += 1
            if sequence % _SAMPLE == 0:
                self.latency.append(time.perf_counter_ns() - published())

        return add


async def _every(client: Client, match: str, log: Log) -> None:
    add = log.follow()
    stream = MatchStream(client, match)
    position = (await stream.range())[1]
    async for message in stream.read(position + 1):
        if message is not None and message.stamp is not None:
            add(message.stamp.sequence, lambda data=message.data: _published(data))  # type: ignore[misc]


async def _decode(address: str, log: Log) -> None:
    add = log.follow()
    async with abathur.connect(address, wait=60) as game:
        async for frame in game.frames(policy="every", encoding="columns", compression="zstd-stream"):
            frame.units.pos.sum()
            add(frame.sequence, lambda: frame.timing.published)  # noqa: B023 - called at once


class Plain(asyncio.Protocol):
    """A subscription without a library."""

    def __init__(self, match: str, log: Log) -> None:
        self._subject = wire.frames(match)
        self._add = log.follow()
        self._data = b""

    def connection_made(self, transport: Any) -> None:
        """Subscribe."""
        self._transport = transport
        transport.write(b'CONNECT {"verbose":false,"headers":true}\r\nSUB ' + self._subject.encode() + b" 1\r\n")

    def data_received(self, data: bytes) -> None:
        """Count the messages."""
        self._data += data
        start = 0
        while (found := _HMSG.search(self._data, start)) is not None:
            end = found.end() + int(found[2])
            if len(self._data) < end + 2:
                break
            head = found.end() + int(found[1])
            sequence = _SEQUENCE.search(self._data, found.end(), head)
            if sequence is not None:
                payload = self._data[head:end]
                self._add(int(sequence[1]), lambda payload=payload: _published(payload))  # type: ignore[misc]
            start = end + 2
        if self._data.endswith(b"PING\r\n") and start <= len(self._data) - 6:
            self._transport.write(b"PONG\r\n")
        self._data = self._data[start:]


async def _daemon(channel: grpc.aio.Channel, log: Log) -> None:
    add = log.follow()
    request = sync_pb2.SubscribeRequest(
        policy=sync_pb2.every, encoding=sync_pb2.columns, compression=sync_pb2.zstd_stream, buffer_frames=1024
    )
    call: Any = channel.unary_stream(SERVICE + "Subscribe")(request.SerializeToString())
    async for data in call:
        frame = sync_pb2.Frame.FromString(data)
        add(frame.sequence, lambda: frame.published_monotonic_ns)  # noqa: B023 - called at once


def _published(data: bytes) -> int:
    return int(sync_pb2.Frame.FromString(data).published_monotonic_ns)


async def _readers(mode: str, address: str, matches: list[str], readers: int, log: Log) -> list[Awaitable[Any]]:
    each = [match for match in matches for _ in range(readers)]
    if mode == "every":
        client = await Client.connect(_address.parse(address), wire.inbox("bench"), _CONNECT_SECONDS, "readers")
        return [_every(client, match, log) for match in each]
    if mode == "decode":
        return [_decode(f"{address}/{match}", log) for match in each]
    if mode == "daemon":
        channel = async_channel(_address.parse(address))
        return [_daemon(channel, log) for _ in each]
    if mode == "daemon-decode":
        return [_decode(address, log) for _ in each]
    loop = asyncio.get_running_loop()
    host, _, port = address.removeprefix("nats://").rpartition(":")
    for match in each:
        await loop.create_connection(lambda match=match: Plain(match, log), host, int(port))  # type: ignore[misc]
    return []


async def _run(mode: str, address: str, prefix: str, matches: int, readers: int) -> None:
    log = Log(matches * readers)
    names = [f"{prefix}-{number}" for number in range(matches)]
    tasks = [asyncio.ensure_future(each) for each in await _readers(mode, address, names, readers, log)]
    await log.all_read.wait()
    print("ready", flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        log.problems += [str(task.exception()) for task in tasks if task.done()]
        print(json.dumps({"frames": log.frames, "latency": log.latency, "problems": log.problems}), flush=True)
        log.frames, log.latency = 0, []
    for task in tasks:
        task.cancel()


if __name__ == "__main__":
    asyncio.run(_run(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])))

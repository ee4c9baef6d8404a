"""Ways to read frames: as agents do, through the `abathur` package, and bare, without decoding them.

Each reader yields a `Sample` per frame. Bare readers use the same channels, options and framing as the package, and
look at nothing but the stamp: what they measure is the server and the transport.
"""

from __future__ import annotations

import asyncio
import io
import json
import re
import socket
import struct
from collections.abc import AsyncIterator, Generator
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any, NamedTuple

import abathur
import aiohttp
import grpc
import grpc.aio
from abathur._frame.frame import Frame
from abathur._frame.unit_columns import COLUMNS
from abathur._program import address as _address
from abathur._transport import frames, grpc_channel
from abathur._transport.nats import wire
from abathur._transport.nats.client import Client
from abathur._transport.nats.stream import MatchStream
from abathur._transport.payloads import PayloadReader
from abathur._values.proto_json import loads
from abathur.bench.schema.touch import reader
from abathur.sync.v1 import sync_pb2
from s2clientprotocol import sc2api_pb2
from varints import FRAME_TAG, stamps

#: In front of the frames of the baseline and on NATS: when they were published.
STAMP = struct.Struct("<q")
NATS_SUBJECT = "frames"
#: In which a daemon may start.
_WAIT_SECONDS = 30.0
_LIMIT = 64 * 1024 * 1024
_BUFFER_BYTES = 256 * 1024
#: Bytes of a frame that its stamps are in.
_HEAD = 160
_HMSG = re.compile(rb"HMSG \S+ \d+ (?:\S+ )?(\d+) (\d+)\r\n")
#: Connections to NATS, which the readers of a process share.
_clients: dict[str, asyncio.Future[Client]] = {}
_JSON_STAMP = b'"publishedMonotonicNs":"'
_SUBSCRIBE = "/abathur.sync.v1.GameSync/Subscribe"
# The package's own, and a connection for each agent: in processes of their own, agents would not share one either.
_GRPC_OPTIONS = [*grpc_channel.OPTIONS, ("grpc.use_local_subchannel_pool", 1)]
grpc_channel.OPTIONS.append(("grpc.use_local_subchannel_pool", 1))
# Compiled before the first frame comes.
_read_every_field = reader("message")


class Sample(NamedTuple):
    """One frame received. Times are nanoseconds of the machine's monotonic clock."""

    received: int
    published: int
    decode: int
    size: int
    dropped: int
    captured: int = 0
    encoded: int = 0
    touch: int = 0
    sequence: int = 0


@dataclass(frozen=True)
class Subscription:
    """What to read.

    Attributes:
        transport: ``grpc``, ``socket``, ``websocket``, ``baseline`` (plain TCP); on NATS ``nats`` (the package),
            ``nats-every`` (an ordered consumer), ``nats-plain`` (a subscription without a library) and ``nats-py``.
        address: HOST:PORT; of a match on NATS HOST:PORT/NAME.
        touch: Whether an agent that decodes reads every field as well; of columns, every column of the units.
        encoding: ``proto``, ``json`` or ``columns``.
        compression: ``none``, ``gzip``, ``br``, ``zstd``, ``zstd-stream`` or ``br-stream``.
    """

    transport: str
    address: str
    policy: str = "latest"
    decode: bool = True
    touch: bool = False
    encoding: str = "proto"
    compression: str = "none"

    @property
    def is_text(self) -> bool:
        """Whether messages are JSON; on gRPC only the observation in them is."""
        return self.encoding == "json" and self.transport != "grpc"

    def options(self) -> Any:
        """What the package and the daemon are asked for."""
        compression = self.compression.replace("-", "_")
        return {"policy": self.policy, "encoding": self.encoding, "compression": compression}

    def request(self) -> sync_pb2.SubscribeRequest:
        """The subscription as the daemon takes it."""
        return sync_pb2.SubscribeRequest(**self.options())

    def line(self) -> bytes:
        """The first line on the socket."""
        return json.dumps({"subscribe": self.options()}).encode() + b"\n"


async def receive(subscription: Subscription, samples: list[Sample]) -> None:
    """Add the frames of a subscription, with asyncio, until it ends."""
    transport = subscription.transport
    if transport in ("baseline", "nats-plain") or (transport == "socket" and not subscription.decode):
        loop = asyncio.get_running_loop()
        host, _, port = subscription.address.partition("/")[0].rpartition(":")
        connection, stream = await loop.create_connection(lambda: _Stream(subscription, samples), host, int(port))
        try:
            await stream.closed
        finally:
            connection.abort()
        return
    others = {"nats-py": _nats_py, "nats-every": _nats_every, "websocket": _websocket}
    bare = _agent if subscription.decode else _grpc_bytes
    async for sample in others.get(transport, bare)(subscription):
        samples.append(sample)


def read_blocking(subscription: Subscription) -> Generator[Sample, None, None]:
    """Frames of a subscription, without asyncio."""
    if subscription.decode:
        return _blocking_agent(subscription)
    return (_blocking_grpc if subscription.transport == "grpc" else _blocking_stream)(subscription)


async def _agent(subscription: Subscription) -> AsyncIterator[Sample]:
    async with abathur.connect(f"{subscription.transport}://{subscription.address}", wait=_WAIT_SECONDS) as game:
        async for frame in game.frames(**subscription.options()):
            yield _decoded(subscription, frame)


def _blocking_agent(subscription: Subscription) -> Generator[Sample, None, None]:
    with abathur.connect_blocking(f"{subscription.transport}://{subscription.address}") as game:
        for frame in game.frames(**subscription.options()):
            yield _decoded(subscription, frame)


def _decoded(subscription: Subscription, frame: Frame) -> Sample:
    """What a frame says of itself, and how long it takes to read every field of it."""
    touch = 0
    if subscription.touch:
        start = perf_counter_ns()
        if subscription.encoding == "columns":
            for name in COLUMNS:
                getattr(frame.units, name)
        elif subscription.encoding == "json":
            touch_json(frame.json)
        else:
            _read_every_field(frame.response)
        touch = perf_counter_ns() - start
    elif subscription.encoding == "columns":
        # Columns are decoded when they are read.
        frame.units.pos.sum()
    timing = frame.timing
    return Sample(
        timing.received,
        timing.published,
        timing.decoded - timing.received,
        frame.size,
        frame.dropped,
        timing.captured,
        timing.encoded,
        touch,
        frame.sequence,
    )


def _bare(subscription: Subscription, data: bytes | bytearray, *, size: int = 0, received: int = 0) -> Sample | None:
    """A frame that is not decoded, or its first bytes: only when it was published; None if there is no frame in it."""
    received, sequence = received or perf_counter_ns(), 0
    if subscription.transport in ("baseline", "nats-py"):
        (published,) = STAMP.unpack_from(data)
    elif subscription.is_text:
        published = _json_published_ns(data)
    else:
        found = stamps(data, server_message=subscription.transport in ("socket", "websocket"))
        if found is None:
            return None
        sequence, published = found
    return Sample(received, published, 0, size or len(data), 0, 0, 0, 0, sequence)


def touch_json(value: Any) -> float:
    """Read every value in objects and arrays of ProtoJSON: the sum of its numbers and the lengths of its texts."""
    total, waiting = 0.0, [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            waiting.extend(each.values())
        elif isinstance(each, list):
            waiting.extend(each)
        else:
            total += len(each) if isinstance(each, str) else each
    return total


async def _websocket(subscription: Subscription) -> AsyncIterator[Sample]:
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"http://{subscription.address}/v1/sync", max_msg_size=_LIMIT) as socket_,
    ):
        payloads = PayloadReader()
        if subscription.is_text:
            await socket_.send_str(subscription.line().decode())
        else:
            await socket_.send_bytes(sync_pb2.ClientMessage(subscribe=subscription.request()).SerializeToString())
        await socket_.receive()
        async for message in socket_:
            received = perf_counter_ns()
            if message.type not in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
                continue
            sample = _websocket_sample(subscription, message.data, received, payloads)
            if sample is None:
                return
            yield sample


def _websocket_sample(subscription: Subscription, data: Any, received: int, payloads: PayloadReader) -> Sample | None:
    """A message as a sample; None if it is no frame."""
    if not subscription.decode:
        data = data.encode() if subscription.is_text else data
        is_frame = data.startswith(b'{"frame"') if subscription.is_text else data[0] == FRAME_TAG
        return _bare(subscription, data) if is_frame else None
    if subscription.is_text:
        value = loads(data)
        if "frame" not in value:
            return None
        return _decoded(subscription, frames.from_json(value["frame"], received=received, size=len(data)))
    parsed = sync_pb2.ServerMessage.FromString(data)
    if not parsed.HasField("frame"):
        return None
    return _decoded(
        subscription, frames.from_message(parsed.frame, received=received, size=len(data), payloads=payloads)
    )


async def _grpc_bytes(subscription: Subscription) -> AsyncIterator[Sample]:
    async with grpc.aio.insecure_channel(subscription.address, options=_GRPC_OPTIONS) as channel:
        call: Any = channel.unary_stream(_SUBSCRIBE, request_serializer=sync_pb2.SubscribeRequest.SerializeToString)(
            subscription.request()
        )
        async for data in call:
            if sample := _bare(subscription, data):
                yield sample


class _Stream(asyncio.Protocol):
    """The daemon's socket, undecoded, the baseline's, and NATS without a library."""

    def __init__(self, subscription: Subscription, samples: list[Sample]) -> None:
        self._subscription = subscription
        self._add = samples.append
        self._data = bytearray()
        self._begun = subscription.transport != "socket"
        # The stamps of a frame are in its first bytes.
        self._whole = subscription.decode or subscription.is_text
        self.closed = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        """Subscribe."""
        self._transport = transport
        if self._subscription.transport == "socket":
            transport.write(self._subscription.line())
        elif self._subscription.transport == "nats-plain":
            subject = wire.frames(self._subscription.address.partition("/")[2])
            transport.write(f'CONNECT {{"verbose":false,"headers":true}}\r\nSUB {subject} 1\r\n'.encode())

    def connection_lost(self, error: Exception | None) -> None:
        """The end."""
        if not self.closed.done():
            self.closed.set_result(None)

    def data_received(self, data: bytes) -> None:
        """Take the messages out of what came."""
        received = perf_counter_ns()
        self._data += data
        at = 0
        if not self._begun:
            at = self._data.find(b"\n") + 1
            self._begun = at > 0
        while self._begun and (found := self._message(at)) is not None:
            start, end, at = found
            message = self._data[start : end if self._whole else min(end, start + _HEAD)]
            sample = _bare(self._subscription, message, size=end - start, received=received)
            if sample is None:
                continue
            if self._subscription.decode:
                sc2api_pb2.ResponseObservation.FromString(bytes(message[STAMP.size :]))
                sample = sample._replace(decode=perf_counter_ns() - received)
            self._add(sample)
            if self._subscription.policy == "lockstep":
                ack = sync_pb2.ClientMessage(ack=sync_pb2.Ack(sequence=sample.sequence)).SerializeToString()
                self._transport.write(len(ack).to_bytes(4, "little") + ack)
        del self._data[:at]

    def _message(self, at: int) -> tuple[int, int, int] | None:
        """Where the next message begins and ends, and where the one after it begins; None: it is not whole."""
        data = self._data
        if self._subscription.transport == "nats-plain":
            if data.endswith(b"PING\r\n"):
                self._transport.write(b"PONG\r\n")
            found = _HMSG.search(data, at)
            end = found.end() + int(found[2]) if found else 0
            return (found.end() + int(found[1]), end, end + 2) if found and len(data) >= end + 2 else None
        if self._subscription.is_text:
            end = data.find(b"\n", at)
            return (at, end, end + 1) if end >= 0 else None
        end = at + 4 + int.from_bytes(data[at : at + 4], "little")
        return (at + 4, end, end) if len(data) - at >= 4 and len(data) >= end else None


async def _nats_every(subscription: Subscription) -> AsyncIterator[Sample]:
    """An ordered consumer of a match on NATS, undecoded."""
    address, _, match = subscription.address.partition("/")
    if address not in _clients:
        parsed = _address.parse(f"nats://{address}")
        _clients[address] = asyncio.ensure_future(Client.connect(parsed, wire.inbox("bench"), 10, "readers"))
    stream = MatchStream(await _clients[address], match)
    position = (await stream.range())[1]
    async for message in stream.read(position + 1):
        if message is not None and message.stamp is not None and (sample := _bare(subscription, message.data)):
            yield sample


async def _nats_py(subscription: Subscription) -> AsyncIterator[Sample]:
    """Messages of the publisher of `nats_server.py`: the moment of publication, and the bytes."""
    import nats

    connection = await nats.connect(f"nats://{subscription.address}", allow_reconnect=False)
    try:
        messages = await connection.subscribe(NATS_SUBJECT)
        async for message in messages.messages:
            if sample := _bare(subscription, message.data, size=len(message.data) - STAMP.size):
                yield sample
    finally:
        await connection.close()


def _blocking_grpc(subscription: Subscription) -> Generator[Sample, None, None]:
    with grpc.insecure_channel(subscription.address, options=_GRPC_OPTIONS) as channel:
        call: Any = channel.unary_stream(_SUBSCRIBE, request_serializer=sync_pb2.SubscribeRequest.SerializeToString)(
            subscription.request()
        )
        try:
            for data in call:
                if sample := _bare(subscription, data):
                    yield sample
        finally:
            call.cancel()


def _blocking_stream(subscription: Subscription) -> Generator[Sample, None, None]:
    host, _, port = subscription.address.rpartition(":")
    with socket.create_connection((host, int(port))) as connection:
        file = io.BufferedReader(connection.makefile("rb", 0), _BUFFER_BYTES)
        if subscription.transport != "baseline":
            connection.sendall(subscription.line())
            file.readline()
        while data := (file.readline() if subscription.is_text else file.read(int.from_bytes(file.read(4), "little"))):
            if sample := _bare(subscription, data):
                yield sample


def _json_published_ns(line: bytes | bytearray) -> int:
    start = line.index(_JSON_STAMP) + len(_JSON_STAMP)
    return int(line[start : line.index(b'"', start)])

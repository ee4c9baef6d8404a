"""Ways to read frames: as agents do, through the `abathur` package, and bare, without decoding them.

Each reader yields a `Sample` per frame. Bare readers use the same channels, options and framing as the package, and
look at nothing but the stamp: what they measure is the server and the transport.
"""

from __future__ import annotations

import asyncio
import io
import json
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
from abathur._transport import frames, grpc_channel
from abathur._transport.payloads import PayloadReader
from abathur._values.proto_json import loads
from abathur.bench.schema.touch import reader
from abathur.sync.v1 import sync_pb2
from s2clientprotocol import sc2api_pb2
from varints import read_varint

_BASELINE_HEAD = struct.Struct("<Iq")
NATS_STAMP = struct.Struct("<q")
NATS_SUBJECT = "frames"
_LENGTH = struct.Struct("<I")
_LIMIT = 64 * 1024 * 1024
_BUFFER_BYTES = 256 * 1024
_JSON_STAMP = b'"publishedMonotonicNs":"'
_FRAME_TAG = sync_pb2.ServerMessage.FRAME_FIELD_NUMBER << 3 | 2
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


@dataclass(frozen=True)
class Subscription:
    """What to read.

    Attributes:
        transport: ``grpc``, ``socket``, ``websocket``, ``baseline`` (plain TCP), ``nats`` (plain subscriptions).
        address: HOST:PORT.
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

    def request(self) -> sync_pb2.SubscribeRequest:
        """The subscription as the daemon takes it."""
        return sync_pb2.SubscribeRequest(
            policy=self.policy,
            encoding=self.encoding,
            compression=self.compression.replace("-", "_"),
        )

    def line(self) -> bytes:
        """The first line on the socket."""
        options = {"policy": self.policy, "encoding": self.encoding, "compression": self.compression.replace("-", "_")}
        return json.dumps({"subscribe": options}).encode() + b"\n"


def read(subscription: Subscription) -> AsyncIterator[Sample]:
    """Frames of a subscription, with asyncio."""
    others = {"baseline": _baseline, "nats": _nats, "websocket": _websocket}
    if subscription.transport in others:
        return others[subscription.transport](subscription)
    if subscription.decode:
        return _agent(subscription)
    if subscription.transport == "grpc":
        return _grpc_bytes(subscription)
    return (_json_bytes if subscription.is_text else _socket_bytes)(subscription)


def read_blocking(subscription: Subscription) -> Generator[Sample, None, None]:
    """Frames of a subscription, without asyncio and without decoding."""
    if subscription.transport == "grpc":
        return _blocking_grpc(subscription)
    return _blocking_stream(subscription)


async def _agent(subscription: Subscription) -> AsyncIterator[Sample]:
    chosen: dict[str, Any] = {name: getattr(subscription, name) for name in ("policy", "encoding", "compression")}
    async with abathur.connect(f"{subscription.transport}://{subscription.address}") as game:
        async for frame in game.frames(**chosen):
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
    timing = frame.timing
    decode = timing.decoded - timing.received
    return Sample(
        timing.received, timing.published, decode, frame.size, frame.dropped, timing.captured, timing.encoded, touch
    )


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
        is_frame = data.startswith('{"frame"') if subscription.is_text else data[0] == _FRAME_TAG
        if not is_frame:
            return None
        stamp = _json_published_ns(data.encode()) if subscription.is_text else published_ns(data, frame_start(data))
        return Sample(received, stamp, 0, len(data), 0)
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
            yield Sample(perf_counter_ns(), published_ns(data, 0), 0, len(data), 0)


async def _open(subscription: Subscription) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, _, port = subscription.address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=_LIMIT)
    if subscription.transport != "baseline":
        writer.write(subscription.line())
        await reader.readline()
    return reader, writer


async def _socket_bytes(subscription: Subscription) -> AsyncIterator[Sample]:
    reader, writer = await _open(subscription)
    try:
        while True:
            (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
            data = await reader.readexactly(length)
            yield Sample(perf_counter_ns(), published_ns(data, frame_start(data)), 0, len(data), 0)
    finally:
        writer.close()


async def _json_bytes(subscription: Subscription) -> AsyncIterator[Sample]:
    reader, writer = await _open(subscription)
    try:
        while line := await reader.readline():
            yield Sample(perf_counter_ns(), _json_published_ns(line), 0, len(line), 0)
    finally:
        writer.close()


async def _baseline(subscription: Subscription) -> AsyncIterator[Sample]:
    reader, writer = await _open(subscription)
    try:
        while True:
            length, published = _BASELINE_HEAD.unpack(await reader.readexactly(_BASELINE_HEAD.size))
            data = await reader.readexactly(length - 8)
            received = perf_counter_ns()
            if subscription.decode:
                sc2api_pb2.ResponseObservation.FromString(data)
            yield Sample(received, published, perf_counter_ns() - received, length, 0)
    finally:
        writer.close()


async def _nats(subscription: Subscription) -> AsyncIterator[Sample]:
    """Messages of `nats_publisher.py`: the moment of publication, and the bytes."""
    import nats

    connection = await nats.connect(f"nats://{subscription.address}", allow_reconnect=False)
    try:
        messages = await connection.subscribe(NATS_SUBJECT)
        async for message in messages.messages:
            received = perf_counter_ns()
            (published,) = NATS_STAMP.unpack_from(message.data)
            yield Sample(received, published, 0, len(message.data) - NATS_STAMP.size, 0)
    finally:
        await connection.close()


def _blocking_grpc(subscription: Subscription) -> Generator[Sample, None, None]:
    with grpc.insecure_channel(subscription.address, options=_GRPC_OPTIONS) as channel:
        call: Any = channel.unary_stream(_SUBSCRIBE, request_serializer=sync_pb2.SubscribeRequest.SerializeToString)(
            subscription.request()
        )
        try:
            for data in call:
                yield Sample(perf_counter_ns(), published_ns(data, 0), 0, len(data), 0)
        finally:
            call.cancel()


def _blocking_stream(subscription: Subscription) -> Generator[Sample, None, None]:
    host, _, port = subscription.address.rpartition(":")
    with socket.create_connection((host, int(port))) as connection:
        file = io.BufferedReader(connection.makefile("rb", 0), _BUFFER_BYTES)
        if subscription.transport != "baseline":
            connection.sendall(subscription.line())
            file.readline()
        if subscription.is_text:
            while line := file.readline():
                yield Sample(perf_counter_ns(), _json_published_ns(line), 0, len(line), 0)
        elif subscription.transport == "baseline":
            while head := file.read(_BASELINE_HEAD.size):
                length, published = _BASELINE_HEAD.unpack(head)
                file.read(length - 8)
                yield Sample(perf_counter_ns(), published, 0, length, 0)
        else:
            while head := file.read(_LENGTH.size):
                data = file.read(_LENGTH.unpack(head)[0])
                yield Sample(perf_counter_ns(), published_ns(data, frame_start(data)), 0, len(data), 0)


def frame_start(server_message: bytes) -> int:
    """Where the Frame begins in a ServerMessage that holds one: behind tag and length."""
    return read_varint(server_message, 1)[1]


def published_ns(data: bytes, position: int) -> int:
    """`Frame.published_monotonic_ns` from the head of a serialized Frame, without parsing the rest."""
    field = sync_pb2.Frame.PUBLISHED_MONOTONIC_NS_FIELD_NUMBER
    while True:
        tag = data[position]
        value, position = read_varint(data, position + 1)
        if tag >> 3 == field:
            return value
        if tag & 7 == 2:
            position += value


def _json_published_ns(line: bytes) -> int:
    start = line.index(_JSON_STAMP) + len(_JSON_STAMP)
    return int(line[start : line.index(b'"', start)])

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
from varints import FRAME_TAG, stamps

#: In front of the frames of the baseline and on NATS: when they were published.
STAMP = struct.Struct("<q")
NATS_SUBJECT = "frames"
#: In which a daemon may start.
_WAIT_SECONDS = 30.0
_LIMIT = 64 * 1024 * 1024
_BUFFER_BYTES = 256 * 1024
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


def read(subscription: Subscription) -> AsyncIterator[Sample]:
    """Frames of a subscription, with asyncio."""
    others = {"baseline": _stream, "nats": _nats, "websocket": _websocket}
    if subscription.transport in others:
        return others[subscription.transport](subscription)
    if subscription.decode:
        return _agent(subscription)
    return (_grpc_bytes if subscription.transport == "grpc" else _stream)(subscription)


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


def _bare(subscription: Subscription, data: bytes) -> Sample:
    """A frame that is not decoded: only when it was published."""
    received, sequence = perf_counter_ns(), 0
    if subscription.transport in ("baseline", "nats"):
        (published,) = STAMP.unpack_from(data)
    elif subscription.is_text:
        published = _json_published_ns(data)
    else:
        sequence, published = stamps(data, server_message=subscription.transport != "grpc")
    return Sample(received, published, 0, len(data), 0, sequence=sequence)


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
            yield _bare(subscription, data)


async def _stream(subscription: Subscription) -> AsyncIterator[Sample]:
    """The daemon's socket, undecoded, and the baseline's."""
    host, _, port = subscription.address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=_LIMIT)
    try:
        if subscription.transport != "baseline":
            writer.write(subscription.line())
            await reader.readline()
        while True:
            if not subscription.is_text:
                data = await reader.readexactly(int.from_bytes(await reader.readexactly(4), "little"))
            elif not (data := await reader.readline()):
                return
            sample = _bare(subscription, data)
            if subscription.decode:
                sc2api_pb2.ResponseObservation.FromString(data[STAMP.size :])
                sample = sample._replace(decode=perf_counter_ns() - sample.received)
            yield sample
    finally:
        writer.close()


async def _nats(subscription: Subscription) -> AsyncIterator[Sample]:
    """Messages of `nats_publisher.py`: the moment of publication, and the bytes."""
    import nats

    connection = await nats.connect(f"nats://{subscription.address}", allow_reconnect=False)
    try:
        messages = await connection.subscribe(NATS_SUBJECT)
        async for message in messages.messages:
            sample = _bare(subscription, message.data)
            yield sample._replace(size=sample.size - STAMP.size)
    finally:
        await connection.close()


def _blocking_grpc(subscription: Subscription) -> Generator[Sample, None, None]:
    with grpc.insecure_channel(subscription.address, options=_GRPC_OPTIONS) as channel:
        call: Any = channel.unary_stream(_SUBSCRIBE, request_serializer=sync_pb2.SubscribeRequest.SerializeToString)(
            subscription.request()
        )
        try:
            for data in call:
                yield _bare(subscription, data)
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
            yield _bare(subscription, data)


def _json_published_ns(line: bytes) -> int:
    start = line.index(_JSON_STAMP) + len(_JSON_STAMP)
    return int(line[start : line.index(b'"', start)])

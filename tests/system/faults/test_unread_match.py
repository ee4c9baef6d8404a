"""The first message of a subscription, a megabyte with the game's data: those that do not read it share its memory."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from contextlib import ExitStack

import abathur
import grpc
import psutil
import pytest
from abathur.sync.v1 import sync_pb2
from programs import FREE_PORTS, SKIRMISH, Daemon, start, wait_until
from websockets_by_hand import BINARY, TEXT, Connection, frame

SUBSCRIBERS = 100
#: Of each subscriber, with its connection. A copy of the match for each took 1.9, 3.3, 1.1 and 0.4.
MOST_MB = {"socket": 0.2, "websocket-text": 0.6, "websocket-binary": 0.4, "grpc": 0.2}

FIRST = sync_pb2.ClientMessage(subscribe={}).SerializeToString()

Begin = Callable[[Daemon, ExitStack], None]


def over_socket(daemon: Daemon, stack: ExitStack) -> None:
    connection = stack.enter_context(socket.create_connection(("127.0.0.1", daemon.socket_port)))
    connection.sendall(json.dumps({"subscribe": {}}).encode() + b"\n")


def over_websocket(opcode: int, first: bytes) -> Begin:
    def begin(daemon: Daemon, stack: ExitStack) -> None:
        connection = stack.enter_context(Connection(daemon.port("http"), "/v1/sync", receive_buffer=4096))
        connection.send(frame(opcode, first))

    return begin


def over_grpc(daemon: Daemon, stack: ExitStack) -> None:
    address = daemon.grpc.removeprefix("grpc://")
    options = [("grpc.use_local_subchannel_pool", 1), ("grpc.http2.bdp_probe", 0)]
    channel = stack.enter_context(grpc.insecure_channel(address, options))
    session = channel.stream_stream("/abathur.sync.v1.GameSync/Session")
    call = session(iter([FIRST]))
    stack.callback(call.cancel)


TRANSPORTS = {
    "socket": over_socket,
    "websocket-text": over_websocket(TEXT, b'{"subscribe":{}}'),
    "websocket-binary": over_websocket(BINARY, FIRST),
    "grpc": over_grpc,
}


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_subscribers_that_do_not_read_share_the_match(transport: str) -> None:
    daemon = start("play", str(SKIRMISH), *FREE_PORTS, "--start-paused")
    try:
        async with abathur.connect(daemon.grpc) as game:
            info = psutil.Process(daemon.process.pid)
            with ExitStack() as stack:
                # Code that is new, and the shared message.
                TRANSPORTS[transport](daemon, stack)
                await wait_until(game, lambda status: len(status.subscribers) == 1)
                before = info.memory_info().rss
                for _ in range(SUBSCRIBERS):
                    TRANSPORTS[transport](daemon, stack)
                await wait_until(game, lambda status: len(status.subscribers) == 1 + SUBSCRIBERS)
                grown = (info.memory_info().rss - before) / 1e6
        assert grown < MOST_MB[transport] * SUBSCRIBERS
    finally:
        daemon.close()

"""A process full of agents that come and go at random: `python churn_agents.py GRPC SOCKET HTTP COUNT SEED`.

Each connects by one of the transports, reads for a while, and dies: it closes, resets, stops in the middle of its
handshake or of a message, or stops reading first. Then another takes its place. Prints how many have died, a line every
second; the process ends with its standard input, and stands being killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import struct
import sys

import grpc.aio
from abathur.sync.v1 import sync_pb2

_LIVES_SECONDS = (0.1, 3.0)
_RESET = struct.pack("ii", 1, 0)
_SUBSCRIBE = "/abathur.sync.v1.GameSync/Subscribe"
_UPGRADE = (
    "GET /v1/sync HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
)


class Churn:
    """Agents that come and go."""

    def __init__(self, addresses: dict[str, str], seed: int) -> None:
        """Addresses by transport: HOST:PORT."""
        self._addresses = addresses
        self._random = random.Random(seed)
        self.died = 0

    async def live(self) -> None:
        """One agent after the other, for ever."""
        ways = [self._grpc, self._socket, self._socket, self._websocket, self._half]
        while True:
            with contextlib.suppress(OSError, grpc.aio.AioRpcError, asyncio.IncompleteReadError):
                await self._random.choice(ways)()
            self.died += 1

    async def _grpc(self) -> None:
        options = [("grpc.use_local_subchannel_pool", 1)]
        async with grpc.aio.insecure_channel(self._addresses["grpc"], options=options) as channel:
            call = channel.unary_stream(_SUBSCRIBE)(self._request().SerializeToString())
            with contextlib.suppress(asyncio.TimeoutError):
                async with asyncio.timeout(self._seconds()):
                    async for _ in call:
                        pass
            if self._random.random() < 0.5:
                call.cancel()

    async def _socket(self) -> None:
        policy, encoding = self._policy(), self._random.choice(["proto", "json"])
        line = f'{{"subscribe":{{"policy":"{policy}","encoding":"{encoding}"{self._mask()}}}}}\n'
        await self._talk("socket", line.encode(), self._random.choice([b"", b'{"ack":{"seq', b"\x08\x00\x00\x00\x0a"]))

    async def _websocket(self) -> None:
        text = f'{{"subscribe":{{"policy":"{self._policy()}"{self._mask()}}}}}'.encode()
        frame = b"\x81\xfe" + len(text).to_bytes(2, "big") + bytes(4) + text
        head = _UPGRADE.format(host=self._addresses["http"]).encode()
        await self._talk("http", head + frame, self._random.choice([b"", frame[:9], b"\x88\x80\x00\x00\x00\x00"]))

    async def _half(self) -> None:
        transport, sent = self._random.choice(
            [
                ("socket", b'{"subscribe":{"pol'),
                ("http", b"GET /v1/sync HTTP/1.1\r\nHo"),
                ("grpc", b"PRI * HTTP/2.0\r\n\r\nSM"),
            ]
        )
        await self._talk(transport, sent, b"")

    async def _talk(self, transport: str, first: bytes, last: bytes) -> None:
        host, port = self._addresses[transport].rsplit(":", 1)
        reader, writer = await asyncio.open_connection(host, int(port))
        try:
            writer.write(first)
            with contextlib.suppress(asyncio.TimeoutError):
                async with asyncio.timeout(self._seconds()):
                    while await reader.read(65536):
                        pass
            if self._random.random() < 0.3:
                # It reads no more, but is there.
                await asyncio.sleep(self._seconds())
            writer.write(last)
            if self._random.random() < 0.5:
                connection: socket.socket = writer.get_extra_info("socket")
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        finally:
            writer.transport.abort()

    def _request(self) -> sync_pb2.SubscribeRequest:
        request = sync_pb2.SubscribeRequest(policy=self._policy())
        if self._mask():
            request.field_mask.paths.append("observation.game_loop")
        return request

    def _policy(self) -> str:
        return self._random.choice(["latest", "latest", "every"])

    def _mask(self) -> str:
        """Three of four want little: this is about coming and going, not about the machine's bandwidth."""
        return ',"fieldMask":"observation.gameLoop"' if self._random.random() < 0.75 else ""

    def _seconds(self) -> float:
        return self._random.uniform(*_LIVES_SECONDS)


async def _main(grpc_address: str, socket_address: str, http_address: str, count: str, seed: str) -> None:
    churn = Churn({"grpc": grpc_address, "socket": socket_address, "http": http_address}, int(seed))
    agents = [asyncio.create_task(churn.live()) for _ in range(int(count))]
    end = asyncio.create_task(asyncio.to_thread(sys.stdin.read))
    while not end.done():
        await asyncio.wait([end], timeout=1.0)
        print(churn.died, flush=True)
    for agent in agents:
        agent.cancel()
    await asyncio.gather(*agents, return_exceptions=True)


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))

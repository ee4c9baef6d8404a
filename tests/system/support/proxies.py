"""The real `abathur-sync proxy`, and a game that is played by hand."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import socket
import struct
import subprocess
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
from abathur.sync.v1 import sync_pb2
from programs import TIMEOUT, Daemon, start
from s2clientprotocol import sc2api_pb2
from s2clientprotocol.sc2api_pb2 import Request, Response
from websockets_by_hand import BINARY, Connection, frame

PATH = "/sc2api"
IN_GAME = sc2api_pb2.in_game
WHOLE_DATA = sc2api_pb2.RequestData(ability_id=True, unit_type_id=True, upgrade_id=True, buff_id=True, effect_id=True)


class Proxy:
    """A running proxy."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self.port = int(daemon.addresses["sc2api"].rpartition(":")[2])
        self.url = f"ws://127.0.0.1:{self.port}{PATH}"

    def end(self) -> tuple[int, str]:
        """Wait until it ends by itself; its exit code and what it has said."""
        process = self.daemon.process
        assert process.stderr is not None
        # Its standard input stays open meanwhile: the end of that would tell it to stop.
        late = threading.Timer(TIMEOUT, process.kill)
        late.start()
        try:
            said = process.stderr.read()
            return process.wait(), said
        finally:
            late.cancel()

    def stop(self) -> tuple[int, str]:
        """Tell it to end; see `end`."""
        self.daemon.process.terminate()
        return self.end()

    def said(self) -> str:
        """The next line that it says to a person."""
        assert self.daemon.process.stderr is not None
        return self.daemon.process.stderr.readline()


@contextmanager
def proxied(address: str | Sequence[str], *arguments: str, once: bool = True) -> Iterator[Proxy]:
    """A proxy on a free port before the game at HOST:PORT, or several games."""
    ports = [*["--once"][: int(once)], "--grpc-port", "0", "--socket-port", "0", "--http-port", "0"]
    games = [word for each in ([address] if isinstance(address, str) else address) for word in ("--sc2", each)]
    daemon = start("proxy", "--listen", "0", *games, *ports, *arguments)
    try:
        yield Proxy(daemon)
    finally:
        process = daemon.process
        if process.poll() is None:
            process.terminate()
        try:
            process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


class Peer:
    """The game's end of a connection."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self.socket.settimeout(TIMEOUT)
        self._file = connection.makefile("rb")
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self._file.readline()
        self.head = head.decode()
        key = next(line.partition(": ")[2] for line in self.head.split("\r\n") if line.startswith("Sec-WebSocket-Key"))
        accept = hashlib.sha1(f"{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11".encode()).digest()
        lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"]
        lines.append(f"Sec-WebSocket-Accept: {base64.b64encode(accept).decode()}")
        self.send("\r\n".join([*lines, "", ""]).encode())

    def send(self, *parts: bytes) -> None:
        self.socket.sendall(b"".join(parts))

    def read_raw(self, size: int) -> bytes:
        return self._file.read(size)

    def request(self) -> Request:
        """The next request, in one frame."""
        head = self.read_raw(2)
        assert head[0] == 0x80 | BINARY and head[1] >= 0x80, head
        size = head[1] & 0x7F
        if size == 126:
            size = struct.unpack(">H", self.read_raw(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self.read_raw(8))[0]
        mask = self.read_raw(4)
        return Request.FromString(bytes(byte ^ mask[at % 4] for at, byte in enumerate(self.read_raw(size))))

    def respond(self, request: Request | None = None, **response: Any) -> None:
        self.send(unmasked(answer(request, **response)))

    def introduce_itself(self, map_name: str = "By Hand", **info: Any) -> None:
        """Answer what the proxy asks in between before the first frame."""
        for kind, told in (
            ("ping", {"ping": sc2api_pb2.ResponsePing(game_version="5.0.13")}),
            ("game_info", {"game_info": sc2api_pb2.ResponseGameInfo(map_name=map_name, **info)}),
            ("data", {"data": sc2api_pb2.ResponseData()}),
        ):
            request = self.request()
            assert request.WhichOneof("request") == kind
            self.respond(request, **told)

    def close(self) -> None:
        self._file.close()
        self.socket.close()


class HandMadeGame:
    """Listens as a game would."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(TIMEOUT)
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._peers: list[Peer] = []

    def __enter__(self) -> HandMadeGame:
        return self

    def __exit__(self, *error: object) -> None:
        for peer in self._peers:
            peer.close()
        self._listener.close()

    def meet(self, proxy: Proxy, path: str = PATH, **headers: str | None) -> tuple[Connection, Peer]:
        """A bot's connection with these headers, and the game's end of it."""
        with ThreadPoolExecutor(1) as pool:
            accepting = pool.submit(lambda: Peer(self._listener.accept()[0]))
            bot = Connection(proxy.port, path, **headers)
            peer = accepting.result(TIMEOUT)
        self._peers.append(peer)
        return bot, peer


def begin(bot: Connection, peer: Peer, player_id: int = 0, **info: Any) -> None:
    """A bot's first observation, in a game made by hand; the proxy asks what it has to.

    Args:
        bot: The bot's connection.
        peer: The game's end of it.
        player_id: Whose bot it is.
        info: As for `Peer.introduce_itself`.
    """
    observe(bot, peer, 1, player_id)
    peer.introduce_itself(**info)


def observe(bot: Connection, peer: Peer, loop: int, player_id: int = 0, *results: sc2api_pb2.PlayerResult) -> None:
    """A bot asks for an observation, and has it."""
    bot.send(masked(Request(observation=sc2api_pb2.RequestObservation(), id=loop).SerializeToString()))
    asked = peer.request()
    made = sc2api_pb2.ResponseObservation.FromString(observation(loop))
    made.observation.player_common.player_id = player_id
    made.player_result.extend(results)
    peer.respond(asked, observation=made)
    answered = bot.read()
    assert answered is not None and Response.FromString(answered.payload).id == loop


def answer(request: Request | None = None, **response: Any) -> bytes:
    """A serialized response, in a game unless it says otherwise."""
    message = Response(**{"status": IN_GAME, **response})
    if request is not None and request.HasField("id"):
        message.id = request.id
    return message.SerializeToString()


def observation(loop: int, extra: bytes = b"") -> bytes:
    """A serialized ResponseObservation; `extra` makes it large."""
    made = sc2api_pb2.ResponseObservation(observation=sc2api_pb2.Observation(game_loop=loop))
    made.observation.raw_data.map_state.visibility.data = extra
    return made.SerializeToString()


def unmasked(payload: bytes, **options: Any) -> bytes:
    """A binary frame as servers send it."""
    return frame(BINARY, payload, masked=False, **options)


def masked(payload: bytes) -> bytes:
    """A binary frame as clients send it; quick also for large ones."""
    key = os.urandom(4)
    size = len(payload)
    whole = int.from_bytes(payload, "little") ^ int.from_bytes((key * (size // 4 + 1))[:size], "little")
    return bytes([0x80 | BINARY, 0xFF]) + struct.pack(">Q", size) + key + whole.to_bytes(size, "little")


class Agent:
    """Takes every frame as the bytes that came, by gRPC or by the socket, without the package under test."""

    def __init__(self, proxy: Proxy, transport: str) -> None:
        self._frames = self._read(proxy, transport)
        self.match: sync_pb2.Match | None = None

    async def next(self) -> bytes:
        """The next Frame message. StopAsyncIteration at the end of the match."""
        return await asyncio.wait_for(anext(self._frames), TIMEOUT)

    async def close(self) -> None:
        await self._frames.aclose()

    async def _read(self, proxy: Proxy, transport: str) -> AsyncIterator[bytes]:
        if transport == "grpc":
            options = [("grpc.max_receive_message_length", -1)]
            async with grpc.aio.insecure_channel(proxy.daemon.grpc.removeprefix("grpc://"), options=options) as channel:
                call = channel.unary_stream("/abathur.sync.v1.GameSync/Subscribe")(
                    sync_pb2.SubscribeRequest(policy=sync_pb2.every, encoding=sync_pb2.proto).SerializeToString()
                )
                async for message in call:
                    yield message
            return
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.daemon.socket_port, limit=2**26)
        try:
            writer.write(b'{"subscribe":{"policy":"every","encoding":"proto"}}\n')
            assert (await reader.readline()).startswith(b'{"match":{')
            while True:
                message = await reader.readexactly(int.from_bytes(await reader.readexactly(4), "little"))
                if not message.startswith(b"\x12"):
                    assert sync_pb2.ServerMessage.FromString(message).WhichOneof("message") in ("end", "error")
                    return
                yield message
        finally:
            writer.transport.abort()


def recorded(path: Path) -> dict[str, list[bytes]]:
    """The messages of a recording by topic, as a public library reads them."""
    from mcap.reader import make_reader

    topics: dict[str, list[bytes]] = {}
    with path.open("rb") as file:
        for _, channel, message in make_reader(file).iter_messages():
            topics.setdefault(channel.topic, []).append(message.data)
    return topics

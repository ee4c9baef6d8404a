"""A raw client of the game's API, and what the emulator plays in tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import abathur
import aiohttp
from programs import SKIRMISH, daemon_command
from s2clientprotocol import sc2api_pb2
from s2clientprotocol.sc2api_pb2 import Request, Response

FIRST_LOOP, LAST_LOOP = 8960, 10303
LAUNCHED, INIT_GAME, IN_GAME, IN_REPLAY, ENDED, QUIT = 1, 2, 3, 4, 5, 6
PLAYER = sc2api_pb2.PlayerSetup(type=sc2api_pb2.Participant)
COMPUTER = sc2api_pb2.PlayerSetup(type=sc2api_pb2.Computer)
OPTIONS = sc2api_pb2.InterfaceOptions(raw=True, score=True)


def emulated(recording: Path | str = SKIRMISH, **options: Any) -> abathur.EmulatedGame:
    """The Release build's emulator."""
    return abathur.emulated_game(recording, command=daemon_command(), **options)


class RawClient:
    """Requests by hand."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket

    async def ask(self, **request: Any) -> Response:
        await self.socket.send_bytes(Request(**request).SerializeToString())
        return await self.answer()

    async def answer(self) -> Response:
        return Response.FromString(await self.socket.receive_bytes(timeout=30))

    async def create(self, realtime: bool = False) -> Response:
        return await self.ask(
            create_game=sc2api_pb2.RequestCreateGame(
                local_map=sc2api_pb2.LocalMap(map_path="Any.SC2Map"), player_setup=[PLAYER, COMPUTER], realtime=realtime
            )
        )

    async def join(self) -> Response:
        return await self.ask(join_game=sc2api_pb2.RequestJoinGame(race=2, options=OPTIONS))

    async def replay(self, realtime: bool = False) -> Response:
        return await self.ask(
            start_replay=sc2api_pb2.RequestStartReplay(replay_path="any", options=OPTIONS, realtime=realtime)
        )

    async def observe(self, **request: Any) -> Response:
        return await self.ask(observation=sc2api_pb2.RequestObservation(**request))

    async def step(self, count: int) -> Response:
        return await self.ask(step=sc2api_pb2.RequestStep(count=count))

    async def reach(self, status: int) -> None:
        """Bring a new connection to a status by the game's own way."""
        if status == INIT_GAME:
            await self.create()
        elif status == IN_REPLAY:
            await self.replay()
        elif status in (IN_GAME, ENDED):
            await self.join()
        else:
            await self.join()
            await self.ask(leave_game=sc2api_pb2.RequestLeaveGame())
        if status == ENDED:
            await self.step(LAST_LOOP)


@asynccontextmanager
async def raw_client(game: abathur.EmulatedGame) -> AsyncIterator[RawClient]:
    async with aiohttp.ClientSession() as session, session.ws_connect(game.url, max_msg_size=0) as socket:
        yield RawClient(socket)


def short_match(folder: Path, loops: int) -> Path:
    """The start of the simulated match as serialized observations, with game info and game data beside."""
    with abathur.open(SKIRMISH) as match:
        frames = [frame.response.SerializeToString() for frame in match.frames(stop=FIRST_LOOP + loops)]
        info, data = match.game_info(), match.game_data()
    assert info is not None and data is not None
    (folder / "game_info.binpb").write_bytes(info.SerializeToString())
    (folder / "game_data.binpb").write_bytes(data.SerializeToString())
    path = folder / "match.obs"
    path.write_bytes(delimited(frames))
    return path


def delimited(payloads: list[bytes]) -> bytes:
    """A stream of messages, each with its length as a varint in front."""
    return b"".join(_varint(len(payload)) + payload for payload in payloads)


def _varint(value: int) -> bytes:
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])

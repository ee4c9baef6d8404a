"""What `live` says when the game refuses: a server that answers as it is told, in place of the game."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import WSMsgType, web
from programs import FREE_PORTS, daemon_command
from s2clientprotocol import sc2api_pb2
from s2clientprotocol.sc2api_pb2 import (
    Request,
    Response,
    ResponseCreateGame,
    ResponseJoinGame,
    ResponseStartReplay,
)

Answer = Callable[[Request], Response | bytes | None]
CREATE = ("--map", "Any.SC2Map")
REPLAY = ("--replay", "Any.SC2Replay")


@asynccontextmanager
async def game(answer: Answer) -> AsyncIterator[str]:
    """A game that answers as told; None: it closes the connection."""

    async def serve(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(max_msg_size=0)
        await socket.prepare(request)
        async for message in socket:
            if message.type != WSMsgType.BINARY:
                break
            asked = Request.FromString(message.data)
            response = answer(asked)
            if response is None:
                break
            if isinstance(response, Response):
                response.id = asked.id
                response = response.SerializeToString()
            await socket.send_bytes(response)
        return socket

    application = web.Application()
    application.router.add_get("/sc2api", serve)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    yield f"{host}:{port}"
    await runner.cleanup()


async def live(address: str, *arguments: str) -> tuple[int | None, str]:
    process = await asyncio.create_subprocess_exec(
        *daemon_command("live", "--sc2", address, *FREE_PORTS, *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    _, error = await asyncio.wait_for(process.communicate(), 30)
    return process.returncode, error.decode()


def usual(asked: Request) -> Response:
    """What a game answers that has nothing against it, up to the first observation."""
    kind = asked.WhichOneof("request")
    response = Response(status=sc2api_pb2.in_game)
    getattr(response, kind).SetInParent()
    if kind == "join_game":
        response.join_game.player_id = 1
    return response


@pytest.mark.parametrize("name", ResponseCreateGame.Error.keys())
async def test_refusals_to_create_a_game(name: str) -> None:
    def answer(asked: Request) -> Response:
        if not asked.HasField("create_game"):
            return usual(asked)
        error = ResponseCreateGame(error=ResponseCreateGame.Error.Value(name), error_details="because")
        return Response(create_game=error, status=sc2api_pb2.launched)

    async with game(answer) as address:
        code, said = await live(address, *CREATE)
    assert code == 1
    assert said.startswith(f"abathur-sync: the game cannot create the game: {name} (because)")
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("name", ResponseJoinGame.Error.keys())
async def test_refusals_to_join(name: str) -> None:
    def answer(asked: Request) -> Response:
        if not asked.HasField("join_game"):
            return usual(asked)
        return Response(join_game=ResponseJoinGame(error=ResponseJoinGame.Error.Value(name)))

    async with game(answer) as address:
        code, said = await live(address, *CREATE)
    assert code == 1
    assert said.startswith(f"abathur-sync: the game cannot join the game: {name}")


@pytest.mark.parametrize("name", ResponseStartReplay.Error.keys())
async def test_refusals_of_a_replay(name: str) -> None:
    def answer(asked: Request) -> Response:
        if not asked.HasField("start_replay"):
            return usual(asked)
        return Response(start_replay=ResponseStartReplay(error=ResponseStartReplay.Error.Value(name)))

    async with game(answer) as address:
        code, said = await live(address, *REPLAY)
    assert code == 1
    assert said.startswith(f"abathur-sync: the game cannot start the replay: {name}")


async def test_an_error_of_the_game_is_passed_on() -> None:
    def answer(asked: Request) -> Response:
        if asked.HasField("create_game"):
            return Response(error=["not now", "or ever"], status=sc2api_pb2.in_game)
        return usual(asked)

    async with game(answer) as address:
        code, said = await live(address, *CREATE)
    assert (code, said) == (1, "abathur-sync: the game refuses CreateGame: not now; or ever\n")


@pytest.mark.parametrize("data", [b"", b"\xff\xff\xff", b"no protobuf at all"])
async def test_a_game_that_answers_something_else(data: bytes) -> None:
    async with game(lambda asked: usual(asked) if not asked.HasField("observation") else data) as address:
        code, said = await live(address, *CREATE)
    assert code == 1
    assert "abathur-sync: the game" in said


async def test_a_game_that_closes_at_once() -> None:
    async with game(lambda _: None) as address:
        code, said = await live(address, *CREATE)
    assert code == 1
    assert "closed the connection" in said


async def test_players_and_options_reach_the_game() -> None:
    asked: list[Request] = []

    def answer(request: Request) -> Response | None:
        asked.append(request)
        return None if request.HasField("observation") else usual(request)

    async with game(answer) as address:
        code, said = await live(
            address, *CREATE, "--race", "Protoss",
            "--opponent", "ai:zerg:elite", "--opponent", "ai:random:easy:rush", "--realtime",
        )  # fmt: skip
    assert code == 1 and "closed the connection" in said
    kinds = [request.WhichOneof("request") for request in asked]
    assert kinds == ["ping", "create_game", "join_game", "game_info", "data", "observation"]
    create = asked[1].create_game
    assert create.local_map.map_path == "Any.SC2Map" and create.realtime
    players = [(each.type, each.race, each.difficulty, each.ai_build) for each in create.player_setup]
    assert players[1:] == [
        (sc2api_pb2.Computer, 2, sc2api_pb2.VeryHard, sc2api_pb2.RandomBuild),
        (sc2api_pb2.Computer, 4, sc2api_pb2.Easy, sc2api_pb2.Rush),
    ]
    assert players[0][:2] == (sc2api_pb2.Participant, 3)
    join = asked[2].join_game
    assert join.race == 3 and join.options.raw and join.options.score
    assert len({request.id for request in asked}) == len(asked)


async def test_observing_asks_to_observe() -> None:
    asked: list[Request] = []

    def answer(request: Request) -> Response | None:
        asked.append(request)
        return None if request.HasField("game_info") else usual(request)

    async with game(answer) as address:
        await live(address, "--map", "Acropolis LE", "--observe", "--as-player", "2", "--opponent", "ai:zerg")
    create, join = asked[1].create_game, asked[2].join_game
    assert create.battlenet_map_name == "Acropolis LE"
    assert create.player_setup[0].type == sc2api_pb2.Observer
    assert join.observed_player_id == 2

"""What `live` says when the game refuses: a server that answers as it is told, in place of the game."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

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
async def game(answer: Answer, before: Callable[[Request], Awaitable[None]] | None = None) -> AsyncIterator[str]:
    """A game that answers as told; None: it closes the connection. `before`: what it does before each answer."""

    async def serve(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(max_msg_size=0)
        await socket.prepare(request)
        async for message in socket:
            if message.type != WSMsgType.BINARY:
                break
            asked = Request.FromString(message.data)
            if before is not None:
                await before(asked)
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


def stubborn(folder: Path, body: str = "") -> tuple[str, Path]:
    """A supervised agent that would run for ever, and the file in which it notes its id."""
    program, noted = folder / "agent.py", folder / "pid"
    noted.unlink(missing_ok=True)
    program.write_text(f"import os, time\nopen({str(noted)!r}, 'w').write(str(os.getpid()))\n{body}\ntime.sleep(600)\n")
    return f'"{sys.executable}" "{program}"', noted


async def started(noted: Path) -> int:
    while not (noted.exists() and noted.read_text()):
        await asyncio.sleep(0.01)
    return int(noted.read_text())


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("data", [None, b"\x52\x03\xff\xff\xff", b"\x52\x04\x22\x02\xff\xff"])
async def test_agents_do_not_outlive_a_game_that_cannot_be_played(tmp_path: Path, data: bytes | None) -> None:
    agent, noted = stubborn(tmp_path)
    seen: list[int] = []

    def answer(asked: Request) -> Response | bytes:
        if data is None and asked.HasField("create_game"):
            return Response(create_game=ResponseCreateGame(error=ResponseCreateGame.InvalidMapData))
        return data if data is not None and asked.HasField("observation") else usual(asked)

    async def until_started(asked: Request) -> None:
        seen.append(await started(noted))

    async with game(answer, until_started) as address:
        code, said = await live(address, *CREATE, "--agent", agent)
    assert code == 1
    assert "abathur-sync: the game" in said
    assert not is_running(seen[0])


@pytest.mark.parametrize("kind", ["game_info", "data"])
async def test_info_that_is_none_is_told(kind: str) -> None:
    field = {"game_info": b"\x4a", "data": b"\x62"}[kind]

    def asks_it(asked: Request) -> bool:
        return asked.WhichOneof("request") == kind

    async with game(lambda asked: field + b"\x03\xff\xff\xff" if asks_it(asked) else usual(asked)) as address:
        code, said = await live(address, *CREATE)
    assert code == 1
    assert said.startswith("abathur-sync: the game's info or data cannot be read")
    async with game(lambda asked: Response(error=["no"]) if asks_it(asked) else usual(asked)) as address:
        code, said = await live(address, *CREATE)
    assert code == 1
    assert said.startswith("abathur-sync: the game refuses") and ": no" in said


async def test_an_action_that_the_game_refuses_does_not_end_the_match(tmp_path: Path) -> None:
    agent, _ = stubborn(
        tmp_path,
        "import abathur\nfrom abathur import actions\n"
        "with abathur.connect_blocking() as game:\n"
        "    for frame in game.frames(policy='lockstep'):\n"
        "        try: game.act([actions.chat('x')])\n"
        "        except abathur.RequestError as refused: print('refused:', refused)\n"
        "os._exit(0)",
    )
    loops = 0

    def answer(asked: Request) -> Response:
        nonlocal loops
        if asked.HasField("action"):
            return Response(error=["Not supported if game has already ended"], status=sc2api_pb2.ended)
        response = usual(asked)
        if asked.HasField("observation"):
            loops += 1
            response.observation.observation.game_loop = loops
            if loops == 5:
                response.observation.player_result.add(player_id=1, result=sc2api_pb2.Victory)
        return response

    async with game(answer) as address:
        code, said = await live(address, *CREATE, "--allow-actions", "--wait-agents", "1", "--agent", agent)
    assert code == 0
    assert "match over: player 1 Victory" in said
    assert "refused: FAILED_PRECONDITION: the game refuses Action: Not supported if game has already ended" in said


@pytest.mark.parametrize("mode", [(), ("--realtime",)])
async def test_a_game_is_left_when_the_daemon_is_told_to_stop(mode: tuple[str, ...]) -> None:
    asked: list[str | None] = []
    playing = asyncio.Event()
    loops = 0

    def answer(request: Request) -> Response:
        nonlocal loops
        asked.append(request.WhichOneof("request"))
        response = usual(request)
        if request.HasField("observation"):
            loops += 1
            response.observation.observation.game_loop = loops
        return response

    async def slowly(request: Request) -> None:
        if request.HasField("observation") and loops == 20:
            # The daemon is told while it waits for the answer.
            playing.set()
            await asyncio.sleep(0.2)

    async with game(answer, slowly) as address:
        process = await asyncio.create_subprocess_exec(
            *daemon_command("live", "--sc2", address, *FREE_PORTS, *CREATE, *mode),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        await playing.wait()
        process.send_signal(signal.SIGTERM)
        await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == 0
    assert asked[-1] == "leave_game"


async def test_standard_input_ends_it_also_before_there_is_a_game() -> None:
    process = await asyncio.create_subprocess_exec(
        *daemon_command("live", "--sc2", "127.0.0.1:9", "--stop-with-parent", *FREE_PORTS, *CREATE),
        stdin=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    _, error = await asyncio.wait_for(process.communicate(b""), 30)
    assert (process.returncode, error) == (130, b"")


@pytest.mark.skipif(os.name == "nt", reason="the game is a script here")
@pytest.mark.parametrize("ending", [None, signal.SIGTERM, signal.SIGHUP])
async def test_a_game_that_was_started_does_not_outlive_the_daemon(tmp_path: Path, ending: int | None) -> None:
    folder, noted = tmp_path / "Versions" / "Base1", tmp_path / "pid"
    folder.mkdir(parents=True)
    program = folder / "SC2_x64"
    program.write_text(f"#!/bin/sh\necho $$ > {noted}\n{'exit 3' if ending is None else 'exec sleep 600'}\n")
    program.chmod(0o755)
    process = await asyncio.create_subprocess_exec(
        *daemon_command("live", *FREE_PORTS, *CREATE),
        env={**os.environ, "SC2PATH": str(tmp_path)},
        stderr=asyncio.subprocess.PIPE,
    )
    pid = await started(noted)
    if ending is not None:
        process.send_signal(ending)
    _, error = await asyncio.wait_for(process.communicate(), 30)
    if ending is None:
        assert process.returncode == 1
        assert error == b"abathur-sync: the game ended with exit code 3 before it answered\n"
    else:
        assert process.returncode == 130
    assert not is_running(pid)

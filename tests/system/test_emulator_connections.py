"""Connections to `abathur-sync emulate`, its process, and what it refuses to play."""

from __future__ import annotations

import asyncio
import importlib.util
import random
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import abathur
import aiohttp
import pytest
from abathur._program.daemon import find_daemon
from emulators import (
    ENDED,
    FIRST_LOOP,
    IN_GAME,
    INIT_GAME,
    LAST_LOOP,
    LAUNCHED,
    OPTIONS,
    QUIT,
    RawClient,
    emulated,
    raw_client,
    short_match,
)
from programs import ROOT, SKIRMISH, daemon_command, run_daemon, start
from s2clientprotocol import sc2api_pb2
from s2clientprotocol.sc2api_pb2 import Request, Response
from websockets_by_hand import (
    BINARY,
    CONTINUATION,
    PING,
    PONG,
    TEXT,
    Connection,
    close,
    close_code,
    frame,
    request,
)

PATH = "/sc2api"
JOIN = Request(join_game=sc2api_pb2.RequestJoinGame(race=1, options=OPTIONS), id=7).SerializeToString()


@pytest.fixture(scope="module")
def game() -> Iterator[abathur.EmulatedGame]:
    with emulated() as game:
        yield game


def test_garbage_is_answered_by_an_error_and_the_connection_stays(game: abathur.EmulatedGame) -> None:
    unknown = b"\xba\x06\x02\x08\x01" + Request(id=9).SerializeToString()
    with Connection(game.port, PATH) as connection:
        for sent in (
            frame(TEXT, b"hello"),
            frame(TEXT, b"\xff\xfe"),
            frame(TEXT),
            frame(BINARY, b"\xff\xff\xff"),
            frame(BINARY, b"\x07" + random.Random(1).randbytes(64)),
            frame(BINARY, b"\x0b" * 5000),
            frame(BINARY),
            frame(BINARY, unknown),
        ):
            connection.send(sent)
            answer = connection.read()
            assert answer is not None and answer.opcode == BINARY
            response = Response.FromString(answer.payload)
            assert response.error[0] and response.HasField("status") and response.WhichOneof("response") is None
        assert response.id == 9
        connection.send(frame(BINARY, Request(ping=sc2api_pb2.RequestPing()).SerializeToString()))
        answer = connection.read()
        assert answer is not None and Response.FromString(answer.payload).HasField("ping")


def test_fragments_with_pings_between_are_one_request(game: abathur.EmulatedGame) -> None:
    with Connection(game.port, PATH) as connection:
        connection.send(frame(BINARY, JOIN[:1], fin=False), frame(PING, b"a"))
        connection.send(*[frame(CONTINUATION, bytes([byte]), fin=False) for byte in JOIN[1:]], frame(PING, b"b"))
        connection.send(frame(CONTINUATION, b"", fin=True))
        answers = [connection.read() for _ in range(3)]
        assert [each.opcode for each in answers if each] == [PONG, PONG, BINARY]
        assert answers[2] is not None
        response = Response.FromString(answers[2].payload)
        assert (response.id, response.status) == (7, IN_GAME)
        connection.send(close(1000, b"bye"))
        assert close_code(connection.read()) == 1000
        assert connection.read() is None


@pytest.mark.parametrize(
    ("frames", "code"),
    [
        ([frame(TEXT, JOIN, bits=4)], 1002),
        ([frame(TEXT, JOIN[:1], fin=False), frame(TEXT, JOIN[1:])], 1002),
        ([frame(BINARY, JOIN, masked=False)], 1002),
        ([frame(BINARY, JOIN, bits=4)], 1002),
        ([frame(CONTINUATION, JOIN)], 1002),
        ([frame(3, JOIN)], 1002),
    ],
)
def test_a_broken_protocol_closes_with_its_code(game: abathur.EmulatedGame, frames: list[bytes], code: int) -> None:
    with Connection(game.port, PATH) as connection:
        connection.send(*frames)
        assert close_code(connection.read()) == code


def test_64_megabytes_are_taken_and_more_is_refused_with_1009(game: abathur.EmulatedGame) -> None:
    limit = 64 * 1024 * 1024
    with Connection(game.port, PATH) as connection:
        data = Request(save_map=sc2api_pb2.RequestSaveMap(map_data=bytes(limit - 20))).SerializeToString()
        assert limit - 20 < len(data) <= limit
        # A mask of zeros is a mask, and costs nothing.
        connection.socket.sendall(b"\x82\xff" + struct.pack(">Q", len(data)) + bytes(4) + data)
        answer = connection.read()
        assert answer is not None and Response.FromString(answer.payload).HasField("save_map")
    with Connection(game.port, PATH) as connection:
        connection.socket.sendall(b"\x82\xff" + struct.pack(">Q", limit + 1) + bytes(4))
        try:
            for _ in range(65):
                connection.socket.sendall(bytes(1024 * 1024))
        except (BrokenPipeError, ConnectionResetError):
            pass
        assert close_code(connection.read()) == 1009


async def test_a_second_client_is_refused_while_the_first_plays(game: abathur.EmulatedGame) -> None:
    async with raw_client(game) as first:
        await first.join()
        async with aiohttp.ClientSession() as session:
            with pytest.raises(aiohttp.WSServerHandshakeError) as refusal:
                await session.ws_connect(game.url)
        assert refusal.value.status == 503
        assert (await first.observe()).status == IN_GAME
    async with raw_client(game) as again:
        assert (await again.ask(ping=sc2api_pb2.RequestPing())).HasField("ping")


async def test_who_reconnects_finds_the_match_or_starts_a_new_one(game: abathur.EmulatedGame) -> None:
    async with raw_client(game) as client:
        await client.join()
        await client.step(100)
    async with raw_client(game) as client:
        found = await client.observe()
        assert (found.status, found.observation.observation.game_loop) == (IN_GAME, FIRST_LOOP + 100)
        await client.join()
        assert (await client.observe()).observation.observation.game_loop == FIRST_LOOP
        await client.step(10_000)
    async with raw_client(game) as client:
        assert (await client.ask(ping=sc2api_pb2.RequestPing())).status == LAUNCHED


async def test_a_created_game_is_there_for_the_next_client(game: abathur.EmulatedGame) -> None:
    async with raw_client(game) as client:
        await client.create()
    async with raw_client(game) as client:
        assert (await client.ask(ping=sc2api_pb2.RequestPing())).status == INIT_GAME
        assert (await client.join()).status == IN_GAME


@pytest.mark.parametrize(
    "cut",
    [b"", b"\x82", frame(BINARY, JOIN)[:-3], frame(BINARY, JOIN, fin=False)],
    ids=["nothing", "half a header", "half a frame", "half a message"],
)
def test_a_client_that_dies_mid_message_leaves_the_game_to_the_next(game: abathur.EmulatedGame, cut: bytes) -> None:
    for linger in (None, struct.pack("ii", 1, 0)):
        with Connection(game.port, PATH) as connection:
            connection.send(cut)
            if linger is not None:
                # The connection is reset rather than closed.
                connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    with Connection(game.port, PATH) as connection:
        connection.send(frame(BINARY, JOIN))
        answer = connection.read()
        assert answer is not None and Response.FromString(answer.payload).status == IN_GAME


async def test_a_client_that_leaves_while_it_waits_in_real_time_frees_the_game() -> None:
    with emulated(realtime=True) as game:
        async with raw_client(game) as client:
            await client.join()
            waiting = Request(observation=sc2api_pb2.RequestObservation(game_loop=2**32 - 1), id=1)
            # The second is answered after the first, as the game does it: here, a minute later.
            await client.socket.send_bytes(waiting.SerializeToString())
            await client.socket.send_bytes(Request(ping=sc2api_pb2.RequestPing(), id=2).SerializeToString())
        async with raw_client(game) as client:
            assert (await client.ask(ping=sc2api_pb2.RequestPing())).HasField("ping")
            # Stopping the emulator does not wait for the loop, either.
            await client.socket.send_bytes(waiting.SerializeToString())


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/", {}, b" 404 "),
        ("/sc2api/x", {}, b" 404 "),
        ("/sc2api", {"Upgrade": None, "Connection": None}, b" 426 "),
        ("/sc2api", {"Host": "evil.example"}, b" 403 "),
        ("/sc2api", {"Host": "127.0.0.1.evil.example"}, b" 403 "),
        # Some libraries leave the port out.
        ("/sc2api", {"Host": "127.0.0.1"}, b" 101 "),
        ("/sc2api", {"Host": "localhost"}, b" 101 "),
        # websocket-client writes an origin of its own, behind a proxy that of the proxy's port.
        ("/sc2api", {"Origin": "http://127.0.0.1:5001"}, b" 101 "),
        ("/sc2api", {"Origin": "http://localhost"}, b" 101 "),
        ("/sc2api", {"Origin": "https://[::1]:5001"}, b" 101 "),
        ("/sc2api", {"Origin": "http://evil.example"}, b" 403 "),
        ("/sc2api", {"Origin": "http://127.0.0.1.evil.example"}, b" 403 "),
        ("/sc2api", {"Origin": "http://127.0.0.1:5001", "Host": "evil.example"}, b" 403 "),
        ("/sc2api", {"Origin": "null"}, b" 403 "),
    ],
)
def test_what_is_no_client_of_the_game_gets_an_http_answer(
    game: abathur.EmulatedGame, path: str, headers: dict[str, str | None], status: bytes
) -> None:
    with socket.create_connection(("127.0.0.1", game.port), timeout=20) as connection:
        connection.sendall(request(game.port, path, **headers))
        assert status in connection.makefile("rb").readline()


# --- the process


async def test_quit_ends_the_process_with_0() -> None:
    daemon = start("emulate", str(SKIRMISH), "--listen", "0")
    url = daemon.addresses["sc2api"].replace("sc2api://", "ws://") + PATH
    async with aiohttp.ClientSession() as session, session.ws_connect(url) as ws:
        await ws.send_bytes(Request(quit=sc2api_pb2.RequestQuit(), id=1).SerializeToString())
        response = Response.FromString(await ws.receive_bytes())
        assert (response.WhichOneof("response"), response.status, response.id) == ("quit", QUIT, 1)
        assert (await ws.receive()).type == aiohttp.WSMsgType.CLOSE
    assert await asyncio.to_thread(daemon.wait) == 0
    _close(daemon)


def test_the_end_of_the_parent_ends_it_also_with_a_client() -> None:
    daemon = start("emulate", str(SKIRMISH), "--listen", "0")
    with Connection(int(daemon.addresses["sc2api"].rpartition(":")[2]), PATH) as connection:
        assert daemon.stop() == 0
        assert close_code(connection.read()) == 1001
    _close(daemon)


def test_a_port_that_is_taken_is_a_clear_error(game: abathur.EmulatedGame) -> None:
    done = run_daemon("emulate", str(SKIRMISH), "--listen", str(game.port))
    assert done.returncode == 1
    assert "--listen" in done.stderr


@pytest.mark.parametrize("lacking", ["game info", "game data"])
def test_a_recording_that_lacks_what_clients_ask_for_is_refused(tmp_path: Path, lacking: str) -> None:
    path = short_match(tmp_path, 3)
    (tmp_path / f"{lacking.replace(' ', '_')}.binpb").unlink()
    done = run_daemon("emulate", str(path), "--listen", "0")
    assert done.returncode == 3
    assert str(path) in done.stderr and f"has no {lacking}" in done.stderr
    assert f"--{lacking.replace(' ', '-')} FILE" in done.stderr
    assert not list(tmp_path.glob("*.mcap"))


def test_the_options_give_what_a_recording_lacks(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    path = short_match(tmp_path / "elsewhere", 3)
    bare = path.rename(tmp_path / "bare.obs")
    beside = tmp_path / "elsewhere"
    made = run_daemon("import", str(bare), "-o", str(tmp_path / "bare.mcap"))
    assert made.returncode == 0, made.stderr
    with (
        emulated(
            tmp_path / "bare.mcap", game_info=beside / "game_info.binpb", game_data=beside / "game_data.binpb"
        ) as game,
        Connection(game.port, PATH) as connection,
    ):
        connection.send(frame(BINARY, JOIN))
        answer = connection.read()
        assert answer is not None and Response.FromString(answer.payload).status == IN_GAME


@pytest.mark.parametrize(
    ("content", "says"), [(b"", "no observation"), (b"\x03abc", "not a serialized"), (b"\xff" * 9, "match.obs")]
)
def test_observations_that_are_none_are_refused(tmp_path: Path, content: bytes, says: str) -> None:
    path = short_match(tmp_path, 1)
    path.write_bytes(content)
    done = run_daemon("emulate", str(path), "--listen", "0")
    assert done.returncode == 3, done.stderr
    assert says in done.stderr


async def test_a_damaged_recording_is_played_up_to_the_damage(tmp_path: Path) -> None:
    data = bytearray(SKIRMISH.read_bytes())
    middle = len(data) * 6 // 10
    data[middle : middle + 200] = bytes(200)
    damaged = tmp_path / "damaged.mcap"
    damaged.write_bytes(data)
    daemon = start("emulate", str(damaged), "--listen", "0")
    url = daemon.addresses["sc2api"].replace("sc2api://", "ws://") + PATH
    async with aiohttp.ClientSession() as session, session.ws_connect(url, max_msg_size=0) as ws:
        client = RawClient(ws)
        for _ in range(2):
            await client.join()
            loops = []
            while not (response := await client.observe()).error:
                loops.append(response.observation.observation.game_loop)
                if response.status == ENDED:
                    break
                await client.step(1)
            assert FIRST_LOOP + 400 < loops[-1] < LAST_LOOP - 200
            if response.error:
                assert "cannot be read further" in response.error[0] and response.status == ENDED
                response = await client.observe()
            assert response.observation.player_result
            assert response.observation.observation.game_loop in (loops[-1], loops[-1] + 1)
            await client.ask(leave_game=sc2api_pb2.RequestLeaveGame())
    assert await asyncio.to_thread(daemon.stop) == 3
    assert daemon.process.stderr is not None
    assert "damaged" in daemon.process.stderr.read()
    _close(daemon)


async def test_a_recording_that_was_cut_is_played_up_to_the_cut(tmp_path: Path) -> None:
    data = SKIRMISH.read_bytes()
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(data[: len(data) * 6 // 10])
    with emulated(cut) as game:
        async with raw_client(game) as client:
            await client.join()
            assert (await client.step(LAST_LOOP)).status == ENDED
            last = await client.observe()
            assert FIRST_LOOP + 400 < last.observation.observation.game_loop < LAST_LOOP - 200
            assert [each.result for each in last.observation.player_result] == [sc2api_pb2.Undecided] * 2


def test_errors_of_the_python_helper_say_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(abathur.RecordingError, match="there is no file"), emulated("nothing.mcap"):
        pass
    with pytest.raises(abathur.DaemonError, match="cannot start"):
        abathur.emulated_game(SKIRMISH, command=tmp_path / "no-daemon").__enter__()
    with pytest.raises(abathur.DaemonError) as ended, abathur.emulated_game(SKIRMISH, command=["dotnet", "--version"]):
        pass
    assert ended.value.exit_code is not None
    monkeypatch.delenv("ABATHUR_SYNC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("abathur._program.daemon._PROGRAMS", ())
    with pytest.raises(abathur.DaemonError, match="ABATHUR_SYNC"), abathur.emulated_game(SKIRMISH):
        pass


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("dotnet x.dll", ["dotnet", "x.dll"]),
        ("  dotnet\t'/opt/a b/x.dll'  --flag ", ["dotnet", "/opt/a b/x.dll", "--flag"]),
        (r'dotnet "C:\Program Files\new\x.dll" --name="a b"', ["dotnet", r"C:\Program Files\new\x.dll", "--name=a b"]),
        (r"C:\tools\abathur-sync.exe", [r"C:\tools\abathur-sync.exe"]),
        ("dotnet x.dll # no comment", ["dotnet", "x.dll", "#", "no", "comment"]),
    ],
)
def test_a_command_line_in_the_environment_is_split_as_in_the_ladder_example(
    text: str, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    specification = importlib.util.spec_from_file_location("ladder_run", ROOT / "examples" / "ladder_run.py")
    assert specification is not None and specification.loader is not None
    ladder_run = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(ladder_run)
    monkeypatch.setenv("ABATHUR_SYNC", text)
    assert find_daemon(None) == words == ladder_run.words("ABATHUR_SYNC", [])
    assert find_daemon(text) == words


def test_a_path_with_blanks_is_one_word_and_a_dll_is_run_with_dotnet(tmp_path: Path) -> None:
    spaced = tmp_path / "with blanks" / "sync.dll"
    spaced.parent.mkdir()
    spaced.touch()
    assert find_daemon(str(spaced)) == find_daemon(spaced) == ["dotnet", str(spaced)]
    assert find_daemon("x.DLL --flag") == ["dotnet", "x.DLL", "--flag"]
    for unreadable in ('dotnet "x.dll', " "):
        with pytest.raises(abathur.DaemonError, match="command line"):
            find_daemon(unreadable)


def test_a_command_line_in_the_environment_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ABATHUR_SYNC", " ".join(f'"{word}"' for word in daemon_command()))
    with abathur.emulated_game(SKIRMISH) as game, Connection(game.port, PATH) as connection:
        connection.send(frame(BINARY, JOIN))
        answer = connection.read()
        assert answer is not None and Response.FromString(answer.payload).status == IN_GAME


async def test_the_python_helper_works_with_async_with_and_by_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ABATHUR_SYNC", str(ROOT / "artifacts/bin/Abathur.Sync/release/abathur-sync.dll"))
    async with abathur.emulated_game(SKIRMISH) as game, raw_client(game) as client:
        assert game.url == f"ws://{game.address}/sc2api"
        assert (await client.join()).status == IN_GAME


def _close(daemon: object) -> None:
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(daemon.process, name)  # type: ignore[attr-defined]
        if not stream.closed:
            stream.close()

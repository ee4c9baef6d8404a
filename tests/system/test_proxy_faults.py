"""`abathur-sync proxy` when the game, the bot, an agent or the disk fails: each costs itself only."""

from __future__ import annotations

import asyncio
import http.server
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import abathur
import aiohttp
import pytest
from emulators import LAST_LOOP, RawClient, emulated, short_match
from programs import run_daemon, wait_until
from proxies import PATH, HandMadeGame, answer, begin, masked, observation, proxied, recorded, unmasked
from s2clientprotocol import sc2api_pb2
from s2clientprotocol.sc2api_pb2 import Request, Response
from test_proxy import raw_client, subscribed
from websockets_by_hand import Connection, close, close_code, request

FULL = Path("/dev/full")
WATCHER = """
import asyncio, sys, abathur
async def main():
    async with abathur.connect(sys.argv[1]) as game:
        async for frame in game.frames(policy="every"):
            print(frame.game_loop, flush=True)
asyncio.run(main())
"""


async def test_a_hung_agent_and_killed_agents_cost_the_bot_nothing(tmp_path: Path) -> None:
    file = tmp_path / "match.mcap"
    with emulated() as game, proxied(game.address, "-o", str(file)) as proxy:
        watchers = [
            subprocess.Popen([sys.executable, "-c", WATCHER, address], stdout=subprocess.PIPE, text=True)
            for address in (proxy.daemon.grpc, proxy.daemon.socket, proxy.daemon.grpc)
        ]
        hung = socket.socket()
        hung.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        hung.connect(("127.0.0.1", proxy.daemon.socket_port))
        # It never reads.
        hung.sendall(b'{"subscribe":{"policy":"every","encoding":"proto"}}\n')
        await subscribed(proxy, 4)
        async with raw_client(proxy) as bot:
            await bot.join()
            await bot.observe()
            for watcher in watchers:
                assert watcher.stdout is not None
                assert await asyncio.to_thread(watcher.stdout.readline) == "8960\n"
                watcher.send_signal(signal.SIGKILL)
            loops = 1
            while (answered := await bot.step(4)).status != sc2api_pb2.ended:
                assert (await bot.observe()).HasField("observation"), answered
                loops += 1
            last = (await bot.observe()).observation
            assert last.observation.game_loop == LAST_LOOP and len(last.player_result) == 2
        for watcher in watchers:
            watcher.communicate()
        code, said = await asyncio.to_thread(proxy.end)
        hung.close()
    assert code == 0, said
    assert len(recorded(file)["/observation"]) == loops + 1
    assert "0 dropped" in said


@pytest.mark.skipif(not FULL.exists(), reason="/dev/full is a device of Linux")
async def test_a_full_disk_ends_the_recording_and_nothing_else() -> None:
    with emulated() as game, proxied(game.address, "-o", str(FULL)) as proxy:
        async with raw_client(proxy) as bot, abathur.connect(proxy.daemon.grpc) as agent:
            await bot.join()
            while (await bot.observe()).status != sc2api_pb2.ended:
                await bot.step(16)
            # The recorder has a task of its own, which may still be at the frames before the last one.
            await wait_until(agent, lambda status: bool(status.recording.error) and status.recording.frames_dropped > 0)
        code, said = await asyncio.to_thread(proxy.end)
    assert code == 1
    assert said.count("No space left on device") == 1 and "The match continues without it" in said, said


async def test_a_game_that_is_killed_is_told_to_bot_and_agents_and_the_recording_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "match.mcap"
    with emulated() as game, proxied(game.address, "-o", str(file)) as proxy:
        async with raw_client(proxy) as bot, abathur.connect(proxy.daemon.grpc, reconnect_timeout=0) as agent:
            taken: list[int] = []

            async def watch() -> None:
                async for frame in agent.frames(policy="every"):
                    taken.append(frame.game_loop)

            watching = asyncio.create_task(watch())
            await subscribed(proxy, 1)
            await play(bot, 10)
            assert game._process is not None
            game._process.kill()
            message = await bot.socket.receive(timeout=30)
            assert message.type in (aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.ERROR)
            with pytest.raises(abathur.SourceLostError, match="game") as lost:
                await watching
            assert lost.value.code == "ABORTED" and len(taken) == 10
        code, said = await asyncio.to_thread(proxy.end)
    assert code == 1 and "the game closed the connection during the match" in said
    assert len(recorded(file)["/observation"]) == 10
    assert run_daemon("info", str(file)).returncode == 0


async def test_a_bot_that_dies_in_the_middle_of_a_message(tmp_path: Path) -> None:
    file = tmp_path / "match.mcap"
    with HandMadeGame() as game, proxied(game.address, "-o", str(file)) as proxy:
        bot, peer = await asyncio.to_thread(game.meet, proxy)
        async with abathur.connect(proxy.daemon.grpc, reconnect_timeout=0) as agent:
            await asyncio.to_thread(begin, bot, peer)
            await agent.match()
            frames = agent.frames(policy="every")
            ending = asyncio.create_task(anext(frames))
            await subscribed(proxy, 1)
            half = masked(b"x" * 1000)[:500]
            bot.send(half)
            assert await asyncio.to_thread(peer.read_raw, 500) == half
            bot.__exit__()
            # The game gets the end of it, as from the bot itself.
            assert await asyncio.to_thread(peer.read_raw, 1) == b""
            peer.close()
            with pytest.raises(abathur.SourceLostError, match="bot's connection broke"):
                await ending
        code, said = await asyncio.to_thread(proxy.end)
    assert code == 1 and "bot's connection broke" in said
    assert len(recorded(file)["/observation"]) == 1


async def test_a_game_that_dies_while_the_bot_hangs_in_the_middle_of_a_message() -> None:
    with HandMadeGame() as game, proxied(game.address, "--allow-actions") as proxy:
        bot, peer = await asyncio.to_thread(game.meet, proxy)
        with bot:
            await asyncio.to_thread(begin, bot, peer)
            bot.send(masked(b"x" * 1000)[:500])
            assert len(await asyncio.to_thread(peer.read_raw, 500)) == 500
            peer.close()
            assert await asyncio.to_thread(bot.read) is None
            code, said = await asyncio.to_thread(proxy.end)
    assert code == 1 and "the game closed the connection" in said


async def test_a_bot_that_says_goodbye_ends_the_match() -> None:
    with emulated() as game, proxied(game.address) as proxy:
        async with abathur.connect(proxy.daemon.grpc, reconnect_timeout=0) as agent:
            async with raw_client(proxy) as bot:
                await bot.join()
                taking = asyncio.create_task(collect(agent))
                await subscribed(proxy, 1)
                await bot.observe()
            assert await taking == [8960]
        code, said = await asyncio.to_thread(proxy.end)
    assert code == 0, said


async def collect(agent: abathur.Game) -> list[int]:
    return [frame.game_loop async for frame in agent.frames(policy="every")]


def test_a_second_bot_is_refused_and_the_next_gets_the_place() -> None:
    with HandMadeGame() as game, proxied(game.address) as proxy:
        first, peer = game.meet(proxy)
        with first:
            assert "503 Service Unavailable" in http_answer(proxy.port)
            # A client that only checks the port does not occupy the place of a bot.
            with (
                socket.create_connection(("127.0.0.1", proxy.port)),
                socket.create_connection(("127.0.0.1", proxy.port)),
            ):
                pass
            first.send(masked(b""))
            assert len(peer.read_raw(14)) == 14
        peer.read_raw(1)
        # No match has begun: the bot may come again, at once.
        second, peer2 = game.meet(proxy)
        with second:
            peer2.send(unmasked(b"\x08\x01"))
            answered = second.read()
            assert answered is not None and answered.payload == b"\x08\x01"
        peer2.close()
        code, _ = proxy.stop()
    assert code == 0


def http_answer(port: int, path: str = PATH, **headers: str | None) -> str:
    """All that a proxy says to a handshake."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(request(port, path, **headers))
        return b"".join(iter(lambda: connection.recv(4096), b"")).decode()


def test_who_is_no_bot_is_refused() -> None:
    with HandMadeGame() as game, proxied(game.address) as proxy:
        assert "426 Upgrade Required" in http_answer(proxy.port, Upgrade=None)
        assert "403 Forbidden" in http_answer(proxy.port, Origin="http://example.com")
        assert "http://example.com" in proxy.said()
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=20) as connection:
            connection.sendall(b"x" * 20_000)
            assert b"400 Bad Request" in connection.recv(4096)


def test_each_bot_names_its_game() -> None:
    ping = masked(Request(ping=sc2api_pb2.RequestPing()).SerializeToString())
    with proxied("any", once=False) as proxy:
        for text in (
            "",
            "?game=",
            "?game=0",
            "?game=65536",
            "?game=-1",
            "?game=127.0.0.1:80",
            "?port=80",
            "?game=80&x",
        ):
            refused = http_answer(proxy.port, f"{PATH}{text}")
            assert "400 Bad Request" in refused and "connect to /sc2api?game=PORT" in refused, text
        assert "a bot has not named its game, as in /sc2api?game=PORT" in proxy.said()
        for version in ("5.0.13", "5.0.14"):
            with HandMadeGame() as game:
                bot, peer = game.meet(proxy, f"{PATH}?game={game.address.rpartition(':')[2]}")
                # The game does not see how it was named.
                assert peer.head.startswith(f"GET {PATH} HTTP/1.1\r\nHost: {game.address}\r\n")
                with bot:
                    bot.send(ping)
                    peer.respond(peer.request(), ping=sc2api_pb2.ResponsePing(game_version=version))
                    answered = bot.read()
                    assert answered is not None and Response.FromString(answered.payload).ping.game_version == version


def test_no_game_is_told_after_the_timeout_and_a_game_that_comes_later_is_found(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        port = reserved.getsockname()[1]
    with proxied(f"127.0.0.1:{port}", "--connect-timeout", "0.3") as proxy:
        refused = http_answer(proxy.port)
        assert "502 Bad Gateway" in refused and f"No game answers at 127.0.0.1:{port}: Connection refused." in refused
        game = f"127.0.0.1:{port}: Connection refused\n"
        assert proxy.said() == f"abathur-sync: the bot is connected; waiting up to 0.3 s for the game at {game}"
        assert proxy.said() == f"abathur-sync: warning: no game answers at {game}"
        with emulated(short_match(tmp_path, 5), port=port), Connection(proxy.port, PATH) as bot:
            bot.send(masked(Request(ping=sc2api_pb2.RequestPing()).SerializeToString()))
            answered = bot.read()
            assert answered is not None and Response.FromString(answered.payload).HasField("ping")


def test_a_bot_that_is_there_before_its_game_waits_for_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        port = reserved.getsockname()[1]
    with proxied(f"127.0.0.1:{port}") as proxy:
        bot = socket.create_connection(("127.0.0.1", proxy.port), timeout=20)
        bot.sendall(request(proxy.port, PATH))
        with emulated(port=port):
            assert bot.recv(4096).startswith(b"HTTP/1.1 101")
        bot.close()


def test_an_http_server_is_no_game() -> None:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with proxied(f"127.0.0.1:{server.server_port}") as proxy:
            refused = http_answer(proxy.port)
            assert "502 Bad Gateway" in refused and "404" in refused and "no StarCraft II game" in refused
            assert "404" in proxy.said()
        server.shutdown()


class Quiet(http.server.BaseHTTPRequestHandler):
    """Knows nothing, and says so."""

    def do_GET(self) -> None:
        self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:
        """Not on the tests' output."""


def test_a_port_that_takes_connections_and_says_nothing() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        proxied(f"127.0.0.1:{silent.getsockname()[1]}", "--connect-timeout", "1") as proxy,
    ):
        refused = http_answer(proxy.port)
        assert "502 Bad Gateway" in refused and "no answer within" in refused
        assert "no answer within" in proxy.said()


def test_errors_of_the_game_pass_and_begin_nothing(tmp_path: Path) -> None:
    file = tmp_path / "match.mcap"
    with HandMadeGame() as game, proxied(game.address, "-o", str(file)) as proxy:
        bot, peer = game.meet(proxy)
        with bot:
            bot.send(masked(Request(observation=sc2api_pb2.RequestObservation(), id=5).SerializeToString()))
            asked = peer.request()
            peer.respond(asked, error=["Observation failed"], status=sc2api_pb2.launched)
            answered = bot.read()
            assert answered is not None
            told = Response.FromString(answered.payload)
            assert (told.id, list(told.error)) == (5, ["Observation failed"])
            # And a close of the game's own is the bot's as well.
            peer.send(b"\x88\x02\x03\xf3")
            assert close_code(bot.read()) == 1011
            bot.send(close(1011))
        code, said = proxy.stop()
    assert code == 0, said
    assert not file.exists() and not file.with_name("match.mcap.part").exists()


async def play(bot: RawClient, loops: int) -> None:
    """Join, and observe so many game loops."""
    await bot.join()
    for _ in range(loops):
        await bot.observe()
        await bot.step(1)


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGINT])
async def test_told_to_stop_in_the_middle_it_ends_cleanly(tmp_path: Path, kind: signal.Signals) -> None:
    file = tmp_path / "match.mcap"
    with emulated() as game, proxied(game.address, "-o", str(file)) as proxy:
        async with raw_client(proxy) as bot:
            await play(bot, 20)
            proxy.daemon.process.send_signal(kind)
            await bot.socket.receive(timeout=30)
        code, said = await asyncio.to_thread(proxy.end)
    assert code == 0, said
    assert len(recorded(file)["/observation"]) == 20


def test_told_to_stop_before_the_game_has_introduced_itself_it_records_what_has_passed(tmp_path: Path) -> None:
    file = tmp_path / "match.mcap"
    with HandMadeGame() as game, proxied(game.address, "-o", str(file)) as proxy:
        bot, peer = game.meet(proxy)
        with bot:
            for loop in range(1, 21):
                peer.send(unmasked(answer(observation=sc2api_pb2.ResponseObservation.FromString(observation(loop)))))
                bot.read()
            # The first frame waits for the answer to this.
            assert peer.request().WhichOneof("request") == "ping"
            code, said = proxy.stop()
    assert code == 0, said
    assert recorded(file)["/observation"] == [observation(loop) for loop in range(1, 21)]


async def test_a_proxy_that_is_killed_leaves_what_can_be_recovered(tmp_path: Path) -> None:
    file = tmp_path / "match.mcap"
    part = tmp_path / "match.mcap.part"
    with emulated() as game, proxied(game.address, "-o", str(file)) as proxy:
        async with raw_client(proxy) as bot:
            await bot.join()
            # The third time that it grows, a chunk with observations is whole.
            sizes = {part.stat().st_size}
            while (await bot.observe()).status != sc2api_pb2.ended and len(sizes) < 4:
                await bot.step(1)
                sizes.add(part.stat().st_size)
            proxy.daemon.process.kill()
            await bot.socket.receive(timeout=30)
        proxy.end()
    assert not file.exists()
    done = run_daemon("recover", str(part), "-o", str(file))
    assert done.returncode == 0, done.stderr
    assert len(recorded(file)["/observation"]) > 0


async def test_a_recording_that_is_not_where_it_was_to_be_is_told_by_the_exit_code(tmp_path: Path) -> None:
    file = tmp_path / "match.mcap"
    with emulated() as game, proxied(game.address, "-o", str(file)) as proxy:
        async with raw_client(proxy) as bot:
            await play(bot, 20)
            file.write_bytes(b"precious")
        code, said = await asyncio.to_thread(proxy.stop)
    assert code == 1
    assert f"the complete file is {tmp_path / 'match-1.mcap'}" in said
    assert file.read_bytes() == b"precious"
    assert len(recorded(tmp_path / "match-1.mcap")["/observation"]) == 20


def test_told_to_stop_with_connections_that_say_nothing() -> None:
    with HandMadeGame() as game, proxied(game.address) as proxy:
        silent = [socket.create_connection(("127.0.0.1", proxy.port)) for _ in range(20)]
        code, said = proxy.stop()
        for connection in silent:
            connection.close()
    assert (code, said) == (0, "")


async def test_a_second_match_on_the_same_connection_passes_unpublished() -> None:
    with HandMadeGame() as game, proxied(game.address) as proxy:
        bot, peer = await asyncio.to_thread(game.meet, proxy)
        with bot:
            async with abathur.connect(proxy.daemon.grpc, reconnect_timeout=0) as agent:
                taking = asyncio.create_task(collect(agent))
                await subscribed(proxy, 1)
                await asyncio.to_thread(begin, bot, peer)
                peer.send(unmasked(answer(leave_game=sc2api_pb2.ResponseLeaveGame(), status=sc2api_pb2.launched)))
                assert await taking == [1]
            sent = unmasked(answer(observation=sc2api_pb2.ResponseObservation.FromString(observation(1))))
            peer.send(sent)
            bot.read()
            assert bot.read_raw(len(sent)) == sent
        peer.close()
        code, said = await asyncio.to_thread(proxy.end)
    assert code == 0, said

"""Who may connect and what they may do: tokens, TLS, addresses, hosts, and bytes that are meant for another port."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import socket
import ssl
import stat
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import abathur
import aiohttp
import pytest
from abathur import actions, drawing
from abathur.sync.v1 import sync_pb2
from programs import ACT, FREE_PORTS, SKIRMISH, TIMEOUT, WATCH, Daemon, Launch, Play, run_daemon, token_options
from programs import abathur as run_abathur
from websockets_by_hand import request

WRONG = "wrong-token-0123456789"
Call = Callable[[abathur.Game], Awaitable[object]]


@pytest.fixture
def tokens(tmp_path: Path) -> tuple[str, ...]:
    """The options for two tokens in files."""
    return token_options(tmp_path)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A self-signed certificate for localhost, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    cert, key = folder / "cert.pem", folder / "key.pem"
    names = "subjectAltName=DNS:localhost,IP:127.0.0.1"
    new = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    subprocess.run(
        [*new, "-keyout", str(key), "-out", str(cert), "-subj", "/CN=localhost", "-addext", names],
        check=True,
        capture_output=True,
        timeout=TIMEOUT,
    )
    return cert, key


CALLS: list[tuple[str, str, Call]] = [
    ("watch", "match", lambda game: game.match()),
    ("watch", "status", lambda game: game.status()),
    ("watch", "latest", lambda game: one_frame(game, "latest")),
    ("watch", "every", lambda game: one_frame(game, "every")),
    ("act", "lockstep", lambda game: one_frame(game, "lockstep")),
    ("act", "draw", lambda game: game.draw([drawing.point((1, 1))])),
    ("act", "resume", lambda game: game.playback.resume()),
    ("act", "act", lambda game: game.act([actions.chat("hi")])),
]


async def one_frame(game: abathur.Game, policy: str) -> None:
    async with contextlib.aclosing(game.frames(policy=policy)) as frames:
        await anext(frames)


async def test_sessions_refused_together_are_all_told_why(play: Play, tokens: tuple[str, ...]) -> None:
    """The refusal often comes while the first message is written: `grpc.aio` reports INTERNAL then."""
    daemon = play(SKIRMISH, "--loop", *tokens)

    async def refused() -> str:
        async with abathur.connect(daemon.grpc, token=WRONG) as game:
            with pytest.raises(abathur.RequestError) as error:
                await one_frame(game, "lockstep")
            return error.value.code

    for _ in range(20):
        assert await asyncio.gather(*(refused() for _ in range(6))) == ["UNAUTHENTICATED"] * 6


@pytest.mark.parametrize(("needs", "name", "call"), CALLS, ids=[name for _, name, _ in CALLS])
async def test_each_call_needs_its_token(
    play: Play, tokens: tuple[str, ...], needs: str, name: str, call: Call
) -> None:
    daemon = play(SKIRMISH, "--loop", "--start-paused" if name == "resume" else "--loop", *tokens)
    for token, level in ((None, 0), (WRONG, 0), (WATCH[:-1], 0), (WATCH, 1), (ACT, 2)):
        async with abathur.connect(daemon.grpc, token=token) as game:
            allowed = level >= (1 if needs == "watch" else 2)
            if allowed and name != "act":
                await call(game)
                continue
            with pytest.raises(abathur.RequestError) as refused:
                await call(game)
            # A playback takes no actions: that far one comes with the right token only.
            expected = "FAILED_PRECONDITION" if allowed else "UNAUTHENTICATED" if level == 0 else "PERMISSION_DENIED"
            assert refused.value.code == expected
            assert token is None or token not in str(refused.value)


async def test_the_socket_takes_it_in_the_first_line(play: Play, tokens: tuple[str, ...]) -> None:
    daemon = play(SKIRMISH, "--loop", *tokens)
    for token, code in ((None, "UNAUTHENTICATED"), (WRONG, "UNAUTHENTICATED"), (WATCH, ""), (ACT, "")):
        async with abathur.connect(daemon.socket, token=token) as game:
            if code:
                with pytest.raises(abathur.RequestError) as refused:
                    await one_frame(game, "latest")
                assert refused.value.code == code
                continue
            async for _ in game.frames():
                if token == ACT:
                    await game.draw([drawing.point((1, 1))])
                else:
                    with pytest.raises(abathur.RequestError, match="this token is for watching"):
                        await game.draw([drawing.point((1, 1))])
                break
    with abathur.connect_blocking(daemon.socket, token=WATCH) as blocking:
        assert next(iter(blocking.frames())).game_loop


async def test_a_websocket_takes_it_in_the_first_message(play: Play, tokens: tuple[str, ...]) -> None:
    daemon = play(SKIRMISH, "--loop", *tokens)
    url = daemon.addresses["http"].replace("http", "ws", 1) + "/v1/sync"
    async with aiohttp.ClientSession() as session:
        for token, kind in ((None, "error"), (WRONG, "error"), (WATCH, "match"), (ACT, "match")):
            async with session.ws_connect(url, max_msg_size=0) as ws:
                first = {"subscribe": {"policy": "latest"}} | ({"token": token} if token else {})
                await ws.send_str(json.dumps(first))
                answer = json.loads(await ws.receive_str())
                assert kind in answer
                assert kind == "match" or (answer["error"]["code"], answer["error"]["fatal"]) == (
                    "UNAUTHENTICATED",
                    True,
                )


def subprotocols(token: str) -> list[str]:
    return ["abathur.v1", "abathur.token." + base64.urlsafe_b64encode(token.encode()).decode().rstrip("=")]


async def test_a_websocket_may_take_it_as_a_subprotocol(play: Play, tokens: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "match.mcap").write_bytes(SKIRMISH.read_bytes())
    daemon = play(SKIRMISH, "--loop", "--recordings", str(tmp_path), *tokens)
    base = daemon.addresses["http"].replace("http", "ws", 1)
    async with aiohttp.ClientSession() as session:
        for path in ("/v1/sync", "/v1/recordings/match.mcap/sync"):
            async with session.ws_connect(base + path, protocols=subprotocols(WATCH), max_msg_size=0) as ws:
                assert ws.protocol == "abathur.v1"
                await ws.send_str('{"subscribe":{"policy":"latest","fieldMask":"observation.gameLoop"}}')
                assert "match" in json.loads(await ws.receive_str())
                await ws.send_str('{"id":"1","control":{"pause":{}}}')
                while "frame" in (answer := json.loads(await ws.receive_str())):
                    pass
                # A watch token may control its own playback.
                assert ("result" in answer) == (path != "/v1/sync"), answer
        # Without a token the list of recordings is not available.
        for name in ("match.mcap", "other.mcap", "..%2Ftoken"):
            for protocols in ([], subprotocols(WRONG), ["abathur.v1", "abathur.token.%%%"]):
                with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                    await session.ws_connect(f"{base}/v1/recordings/{name}/sync", protocols=protocols)
                assert refused.value.status == 401


@pytest.mark.parametrize("transport", ["grpc", "socket"])
async def test_only_those_who_may_act_publish(launch: Launch, tokens: tuple[str, ...], transport: str) -> None:
    daemon = launch("serve", "--once", *FREE_PORTS, *tokens)
    with abathur.open(SKIRMISH) as match:
        observation = next(match.frames()).response
    for token in (None, WATCH):
        with pytest.raises(abathur.RequestError):
            async with abathur.publisher(daemon.addresses[transport], token=token) as bot:
                await bot.publish(observation)
    async with abathur.publisher(daemon.addresses[transport], token=ACT) as bot:
        await bot.publish(observation)
    assert await asyncio.to_thread(daemon.wait) == 0


async def test_the_environment_serves_daemon_and_agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ABATHUR_TOKEN", ACT)
    agent = tmp_path / "agent.py"
    agent.write_text(
        "import abathur\nwith abathur.connect_blocking() as g: print('seen', next(iter(g.frames())).game_loop)\n"
    )
    arguments = ["play", str(SKIRMISH), *FREE_PORTS, "--playback-duration", "1", "--rate", "10", "--wait-agents", "1"]
    done = run_daemon(*arguments, "--agent", f'"{sys.executable}" "{agent}"')
    assert done.returncode == 0, done.stderr
    assert "[agent] seen 8960" in done.stderr
    assert ACT not in done.stderr + done.stdout


def test_the_token_is_on_no_command_line(play: Play, tokens: tuple[str, ...]) -> None:
    daemon = play(SKIRMISH, "--loop", *tokens)
    shown = Path(f"/proc/{daemon.process.pid}/cmdline").read_text()
    assert "--token-file" in shown
    for path in tokens[1::2]:
        shown = shown.replace(path, "")
    assert ACT not in shown and WATCH not in shown


async def test_tls_on_every_port(play: Play, certificate: tuple[Path, Path], tokens: tuple[str, ...]) -> None:
    cert, key = certificate
    daemon = play(SKIRMISH, "--loop", "--tls-cert", str(cert), "--tls-key", str(key), *tokens)
    with abathur.open(SKIRMISH) as recording:
        expected = {frame.game_loop: frame.response for frame in recording.frames()}
    for plain in (daemon.grpc, daemon.socket):
        address = plain.replace("://127.0.0.1", "s://localhost")
        async with abathur.connect(address, token=WATCH, ca=cert) as game:
            async for frame in game.frames(encoding="proto"):
                assert frame.response == expected[frame.game_loop]
                break
        with abathur.connect_blocking(address, token=WATCH, ca=cert) as blocking:
            assert next(iter(blocking.frames(encoding="columns"))).to_observation()
        for wrong in (address.replace("s://", "://"), address):
            # Without TLS, and without trust in the certificate.
            async with abathur.connect(wrong, token=WATCH, reconnect_timeout=0) as game:
                with pytest.raises((abathur.ConnectError, abathur.ConnectionLostError, abathur.ProtocolError)):
                    await one_frame(game, "latest")
    context = ssl.create_default_context(cafile=cert)
    port = daemon.addresses["http"].rpartition(":")[2]
    headers = {"Origin": f"https://localhost:{port}"}
    async with aiohttp.ClientSession() as session:
        async with session.ws_connect(f"wss://localhost:{port}/v1/sync", ssl=context, headers=headers) as ws:
            await ws.send_str(json.dumps({"subscribe": {}, "token": WATCH}))
            assert "match" in json.loads(await ws.receive_str())
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await session.ws_connect(
                f"wss://localhost:{port}/v1/sync", ssl=context, headers={"Origin": f"http://localhost:{port}"}
            )
        assert refused.value.status == 403


async def test_a_network_address_with_all_that_it_needs(
    play: Play, certificate: tuple[Path, Path], tokens: tuple[str, ...]
) -> None:
    cert, key = certificate
    host = ("--allow-host", "bots.example.com")
    daemon = play(
        SKIRMISH, "--loop", "--address", "0.0.0.0", "--tls-cert", str(cert), "--tls-key", str(key), *host, *tokens
    )
    address = daemon.grpc.replace("://0.0.0.0", "s://127.0.0.1")
    async with abathur.connect(address, token=WATCH, ca=cert) as game:
        await one_frame(game, "latest")
    port = int(daemon.addresses["http"].rpartition(":")[2])
    context = ssl.create_default_context(cafile=cert)
    for name, status in (
        ("bots.example.com", 101),
        ("BOTS.example.com", 101),
        ("127.0.0.1", 101),
        ("evil.example", 403),
        ("bots.example.com.evil.example", 403),
        ("192.168.3.4", 403),
        ("0.0.0.0", 403),
    ):
        raw = socket.create_connection(("127.0.0.1", port), TIMEOUT)
        with raw, context.wrap_socket(raw, server_hostname="localhost") as connection:
            connection.sendall(request(port, "/v1/sync", Host=f"{name}:{port}"))
            assert int(connection.recv(65536).split()[1]) == status, name


def test_insecure_is_an_explicit_word(play: Play, tokens: tuple[str, ...]) -> None:
    daemon = play(SKIRMISH, "--loop", "--address", "0.0.0.0", "--insecure", *tokens)
    with abathur.connect_blocking(daemon.grpc.replace("0.0.0.0", "127.0.0.1"), token=WATCH) as game:
        assert game.status().frames_published >= 0


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="a socket for both families needs IPv6")
def test_ipv4_clients_of_a_socket_for_both_families_are_shown_as_such(play: Play, tokens: tuple[str, ...]) -> None:
    daemon = play(SKIRMISH, "--loop", "--address", "::", "--insecure", *tokens)
    for transport in ("grpc", "socket"):
        address = f"{transport}://127.0.0.1:{daemon.port(transport)}"
        with abathur.connect_blocking(address, token=ACT) as game:
            frames = game.frames()
            next(frames)
            assert [each.peer.rpartition(":")[0] for each in game.status().subscribers] == ["127.0.0.1"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ["--address", "0.0.0.0"],
            "0.0.0.0 is not a loopback address: any client that reaches it could read the match and act",
        ),
        (["--address", "::"], "It needs --token-file"),
        (["--address", "0.0.0.0", "--insecure"], "It needs --token-file"),
        (
            ["--address", "0.0.0.0", "--token-file", "GOOD"],
            "without --tls-cert and --tls-key others on the network can read the match",
        ),
        (["--token-file", "SHORT"], "--token-file: a token has 16 to 512 characters, this one has 5"),
        (["--token-file", "SPACED"], "--token-file: a token consists of printable ASCII characters without spaces"),
        (["--token-file", "MISSING"], "--token-file: Could not find file"),
        (["--watch-token-file", "SHORT"], "--watch-token-file: a token has 16"),
        (["--tls-cert", "GOOD"], "--tls-cert and --tls-key go together"),
        (["--tls-key", "GOOD"], "--tls-cert and --tls-key go together"),
        (["--tls-cert", "GOOD", "--tls-key", "GOOD"], "--tls-cert "),
        (["--tls-cert", "MISSING", "--tls-key", "GOOD"], "--tls-cert: Could not find file"),
        (["--act-rate", "0"], "--act-rate must be 1 to 1000000"),
        (["--allow-host", "a b"], 'allow-host: "a b" is not a host name'),
    ],
)
def test_what_is_missing_is_said_in_a_line(tmp_path: Path, arguments: list[str], expected: str) -> None:
    for name, text in (("GOOD", ACT), ("SHORT", "short"), ("SPACED", "sixteen letters and more")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o600)
    names = {"GOOD", "SHORT", "SPACED", "MISSING"}
    done = run_daemon(
        "play", str(SKIRMISH), *FREE_PORTS, *(str(tmp_path / each) if each in names else each for each in arguments)
    )
    assert done.returncode == 2
    assert expected in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert ACT not in done.stderr


def test_a_token_that_others_can_read_is_warned_of(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(ACT)
    file.chmod(0o644)
    done = run_daemon("play", str(SKIRMISH), *FREE_PORTS, "--token-file", str(file), "--rate", "unlimited")
    assert done.returncode == 0
    assert f"warning: other users of this machine can read {file}: chmod 600 it." in done.stderr


def test_a_key_that_others_can_read_is_warned_of(certificate: tuple[Path, Path], tmp_path: Path) -> None:
    cert, key = certificate
    file = tmp_path / "key.pem"
    file.write_bytes(key.read_bytes())
    for mode, warned in ((0o644, True), (0o640, True), (0o600, False)):
        file.chmod(mode)
        done = run_daemon(
            *("play", str(SKIRMISH), *FREE_PORTS, "--tls-cert", str(cert), "--tls-key", str(file)),
            *("--rate", "unlimited", "--playback-duration", "1"),
        )
        assert done.returncode == 0
        assert (f"warning: other users of this machine can read {file}: chmod 600 it." in done.stderr) == warned


def test_unix_sockets_are_for_their_user_alone(play: Play) -> None:
    daemon = play(SKIRMISH, "--loop", uds=True)
    for name in ("grpc+unix", "socket+unix"):
        path = daemon.addresses[name].partition(":")[2]
        assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_a_web_page_gets_nothing_out_of_the_other_ports(play: Play, method: str) -> None:
    daemon = play(SKIRMISH, "--loop")
    # What a browser sends for fetch() with a body that is a good first line.
    body = '{"subscribe":{}}\n'
    head = f"{method} / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n"
    for transport in ("socket", "grpc"):
        port = int(daemon.addresses[transport].rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), TIMEOUT) as connection:
            connection.sendall((head + body).encode())
            answer = b""
            with contextlib.suppress(ConnectionResetError):
                while part := connection.recv(65536):
                    answer += part
        assert b'"match"' not in answer and b'"frame"' not in answer
        assert b"Access-Control" not in answer
    with abathur.connect_blocking(daemon.grpc) as game:
        assert not game.status().subscribers


async def test_acts_are_limited_in_their_rate(play: Play) -> None:
    daemon = play(SKIRMISH, "--start-paused", "--act-rate", "5")
    async with abathur.connect(daemon.grpc) as game:
        results = await asyncio.gather(*(game.draw([]) for _ in range(40)), return_exceptions=True)
        refused = [each for each in results if isinstance(each, abathur.RequestError)]
        assert {each.code for each in refused} == {"RESOURCE_EXHAUSTED"}
        assert "more than 5 requests a second" in str(refused[0])
        # At once as many as in a second, and what comes again while they are asked.
        assert 5 <= len(results) - len(refused) < 20
        # Watching is not limited.
        for _ in range(20):
            await game.status()


def test_abathur_watch_shows_the_token_of_its_environment(play: Play, tokens: tuple[str, ...]) -> None:
    daemon = play(SKIRMISH, "--loop", *tokens)
    done = run_abathur("watch", daemon.grpc, "--seconds", "5", ABATHUR_TOKEN=WATCH)
    assert done.returncode == 0, done.stderr
    done = run_abathur("watch", daemon.grpc, "--seconds", "1")
    assert done.returncode != 0
    assert "a token is needed" in done.stderr + done.stdout


def test_messages_name_no_token_field_in_status(play: Play, tokens: tuple[str, ...]) -> None:
    daemon: Daemon = play(SKIRMISH, "--loop", *tokens)
    with abathur.connect_blocking(daemon.grpc, token=ACT) as game:
        shown = sync_pb2.Status.SerializeToString(game.status())
        assert ACT.encode() not in shown
        assert ACT not in repr(game.address) and ACT not in str(game.address)

"""The daemon's WebSocket with a real client, and with requests and frames by hand."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys

import abathur
import aiohttp
import pytest
import zstandard
from abathur.sync.v1 import sync_pb2
from google.protobuf import json_format
from programs import SKIRMISH, Daemon, Play, run_daemon
from s2clientprotocol import sc2api_pb2
from websockets_by_hand import BINARY, CONTINUATION, TEXT, Answer, Connection, close_code, frame, request

FIRST_LOOP = 8960
PATH = "/v1/sync"


def port_of(daemon: Daemon) -> int:
    return int(daemon.addresses["http"].rpartition(":")[2])


def url(daemon: Daemon) -> str:
    return daemon.addresses["http"] + PATH


def recorded(count: int) -> dict[int, sc2api_pb2.ResponseObservation]:
    with abathur.open(SKIRMISH) as match:
        return {each.game_loop: each.response for each in match.frames(stop=FIRST_LOOP + count)}


def subscription(binary: bool, **options: object) -> bytes:
    message = json_format.ParseDict({"subscribe": options}, sync_pb2.ClientMessage())
    return message.SerializeToString() if binary else json_format.MessageToJson(message).encode()


async def read(socket: aiohttp.ClientWebSocketResponse) -> sync_pb2.ServerMessage | None:
    """The next message in either form; None at the close."""
    message = await socket.receive(20)
    if message.type == aiohttp.WSMsgType.TEXT:
        # Lines are of the socket.
        assert message.data[-1] == "}"
        return json_format.Parse(message.data, sync_pb2.ServerMessage())
    if message.type == aiohttp.WSMsgType.BINARY:
        return sync_pb2.ServerMessage.FromString(message.data)
    assert message.type == aiohttp.WSMsgType.CLOSE, message
    return None


async def take_all(daemon: Daemon, binary: bool, **options: object) -> list[sync_pb2.Frame]:
    frames = []
    async with aiohttp.ClientSession() as session, session.ws_connect(url(daemon), max_msg_size=0) as ws:
        first = subscription(binary, policy="every", **options)
        await (ws.send_bytes(first) if binary else ws.send_str(first.decode()))
        match = await read(ws)
        assert match is not None and match.match.map_name == "Synthetic LE"
        while (message := await read(ws)) is not None:
            if message.WhichOneof("message") == "end":
                assert message.end.reason
                continue
            frames.append(message.frame)
        assert ws.close_code == 1000
    return frames


async def test_text_and_binary_at_once_are_the_recorded_frames(play: Play) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "4", "--rate", "unlimited", "--playback-duration", "1")
    text, binary, packed, masked = await asyncio.gather(
        take_all(daemon, False),
        take_all(daemon, True),
        take_all(daemon, True, encoding="json", compression="zstd"),
        take_all(daemon, False, fieldMask="observation.gameLoop"),
    )
    expected = recorded(23)
    loops = [FIRST_LOOP + offset for offset in range(23)]
    for frames in (text, binary, packed, masked):
        assert [each.game_loop for each in frames] == loops
        assert [each.dropped for each in frames] == [0] * 23
    for each in (*text, *binary):
        assert each.observation == expected[each.game_loop]
    for each in packed:
        assert (each.encoding, each.compression) == (sync_pb2.json, sync_pb2.zstd)
        plain = zstandard.ZstdDecompressor().decompress(each.data)
        assert json_format.Parse(plain, sc2api_pb2.ResponseObservation()) == expected[each.game_loop]
    assert all(each.observation.observation.game_loop == each.game_loop for each in masked)


async def test_slow_latest_reader_is_told_what_it_missed(play: Play) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1", "--rate", "unlimited")
    accounted = dropped = 0
    async with aiohttp.ClientSession() as session, session.ws_connect(url(daemon), max_msg_size=0) as ws:
        await ws.send_bytes(subscription(True))
        await read(ws)
        while (message := await read(ws)) is not None:
            if message.WhichOneof("message") == "frame":
                accounted += 1 + message.frame.dropped
                dropped += message.frame.dropped
                assert message.frame.sequence == accounted
                await asyncio.sleep(0.005)
    assert accounted == 1344
    assert dropped > 0


async def test_requests_are_answered_in_either_form(play: Play) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    async with aiohttp.ClientSession() as session, session.ws_connect(url(daemon), max_msg_size=0) as ws:
        await ws.send_str('{"subscribe":{"policy":"every"}}')
        assert (await read(ws)).match.tick_hz == 22.4  # type: ignore[union-attr]
        await ws.send_str('{"id":"5","subscribe":{}}')
        told = (await read(ws)).error.message  # type: ignore[union-attr]
        assert told == "expected one of ack, act, control, draw, matches, plot, plots, query, status, timeline"
        await ws.send_bytes(sync_pb2.ClientMessage(id=6, control={"step": {}}).SerializeToString())
        answers = [await read(ws), await read(ws)]
        kinds = {answer.WhichOneof("message"): answer for answer in answers if answer}
        assert kinds["result"].result.id == 6
        assert kinds["frame"].frame.game_loop == FIRST_LOOP


async def test_lockstep_waits_for_acknowledgements(play: Play) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1", "--rate", "unlimited", "--playback-duration", "0.5")
    loops = []
    async with aiohttp.ClientSession() as session, session.ws_connect(url(daemon), max_msg_size=0) as ws:
        await ws.send_bytes(subscription(True, policy="lockstep"))
        await read(ws)
        while (message := await read(ws)) is not None:
            if message.WhichOneof("message") == "frame":
                loops.append(message.frame.game_loop)
                ack = sync_pb2.ClientMessage(ack={"sequence": message.frame.sequence})
                await ws.send_bytes(ack.SerializeToString())
    assert loops == [FIRST_LOOP + offset for offset in range(12)]


BAD = {
    "text that is no JSON": ([frame(TEXT, b"hello")], "expected a line of JSON", 1007),
    "JSON of another kind": ([frame(TEXT, b'{"surprise":1}')], "surprise", 1007),
    "binary junk": ([frame(BINARY, b"\xff\xff\xff")], "not a ClientMessage", 1007),
    "no subscription": ([frame(TEXT, b"{}")], "the first message must be", 1008),
    "unknown policy": ([frame(TEXT, b'{"subscribe":{"policy":17}}')], "policy 17 is not served", 1008),
    "text with protobuf": ([frame(TEXT, b'{"subscribe":{"encoding":"proto"}}')], "cannot be sent in text", 1008),
    "text with compression": (
        [frame(TEXT, b'{"subscribe":{"compression":"gzip"}}')],
        "compression gzip cannot be carried in JSON text: subscribe with a binary message",
        1008,
    ),
    "too long": ([frame(TEXT, b"x" * ((16 << 10) + 1))], "longer than 16384 bytes", 1009),
    "too long in pieces": (
        [frame(BINARY, b"x" * 500_000, fin=False), *(frame(CONTINUATION, b"x" * 500_000, fin=False) for _ in range(9))],
        "longer than 16384 bytes",
        1009,
    ),
    "junk after the subscription": (
        [frame(TEXT, b'{"subscribe":{"policy":"every"}}'), frame(TEXT, b"junk")],
        "expected a line of JSON",
        1007,
    ),
    "too long after the subscription": (
        [frame(TEXT, b'{"subscribe":{"policy":"every"}}'), frame(TEXT, b"x" * ((1 << 20) + 1))],
        "longer than 1048576 bytes",
        1009,
    ),
}


def error_of(answer: Answer) -> sync_pb2.Error:
    if answer.opcode == TEXT:
        return json_format.Parse(answer.payload, sync_pb2.ServerMessage()).error
    return sync_pb2.ServerMessage.FromString(answer.payload).error


def test_bad_input_is_one_error_and_a_close_that_says_why(play: Play) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    for what, (frames, message, code) in BAD.items():
        with Connection(port_of(daemon), PATH) as connection:
            connection.send(*frames)
            answers = connection.read_all(say_goodbye=True)
        *before, error, closing = answers
        assert len(before) == (1 if "after" in what else 0), what
        assert message in error_of(error).message, what
        assert error_of(error).fatal, what
        assert close_code(closing) == code, what
    with Connection(port_of(daemon), PATH) as connection:
        connection.send(frame(TEXT, b'{"subscribe":{"name":"\xff"}}'))
        assert close_code(connection.read()) == 1007
    assert daemon.stop() == 0
    assert daemon.process.stderr is not None
    assert daemon.process.stderr.read() == ""


def status_of(daemon: Daemon, data: bytes) -> tuple[int, bytes]:
    with socket.create_connection(("127.0.0.1", port_of(daemon)), timeout=20) as connection:
        connection.sendall(data)
        answer = b""
        while b"\r\n\r\n" not in answer and (part := connection.recv(65536)):
            answer += part
    return int(answer.split()[1]), answer


def test_requests_that_are_refused(play: Play) -> None:
    daemon = play(
        SKIRMISH, "--start-paused", "--allow-origin", "http://localhost:3000", "--allow-origin", "https://a.b"
    )
    port = port_of(daemon)
    own = f"127.0.0.1:{port}"
    table: list[tuple[int, dict[str, str | None]]] = [
        (101, {}),
        (101, {"Host": f"localhost:{port}"}),
        (101, {"Host": f"[::1]:{port}"}),
        (101, {"Host": f"LOCALHOST:{port}", "Origin": f"http://localhost:{port}"}),
        (101, {"Origin": f"http://{own}"}),
        (101, {"Origin": "http://localhost:3000"}),
        (101, {"Origin": "https://a.b"}),
        (403, {"Host": "evil.example"}),
        (403, {"Host": f"evil.example:{port}", "Origin": f"http://evil.example:{port}"}),
        (403, {"Host": f"localhost.evil.example:{port}"}),
        (403, {"Host": f"127.0.0.1.evil.example:{port}"}),
        (403, {"Host": "127.0.0.1"}),
        (403, {"Host": "localhost:22400"}),
        (403, {"Host": f"192.168.0.1:{port}"}),
        (403, {"Host": f"0.0.0.0:{port}"}),
        (403, {"Host": f"127.1:{port}"}),
        (403, {"Origin": "http://evil.example"}),
        (403, {"Origin": "null"}),
        (403, {"Origin": ""}),
        (403, {"Origin": f"https://{own}"}),
        (403, {"Origin": f"http://localhost:{port}"}),
        (403, {"Origin": "http://localhost:3001"}),
        (403, {"Origin": f"http://{own}.evil.example"}),
        (400, {"Host": None}),
        (426, {"Upgrade": None, "Connection": None}),
        (426, {"Sec_WebSocket_Version": "8"}),
        (426, {"Sec_WebSocket_Version": None}),
        (400, {"Sec_WebSocket_Key": None}),
        (400, {"Sec_WebSocket_Key": "short"}),
    ]
    for expected, headers in table:
        status, answer = status_of(daemon, request(port, PATH, **headers))
        assert status == expected, (headers, answer)
        if status == 426:
            assert b"\r\nUpgrade: websocket\r\n" in answer
    old = request(port, PATH).replace(b"HTTP/1.1", b"HTTP/1.0", 1)
    assert status_of(daemon, old)[0] == 426
    absolute = f"http://{own}{PATH}"
    assert status_of(daemon, request(port, absolute))[0] == 101
    assert status_of(daemon, request(port, f"http://evil.example{PATH}"))[0] == 400
    assert status_of(daemon, request(port, absolute, Host="evil.example"))[0] == 400
    for name in ("Host", "Origin"):
        twice = request(port, PATH, Origin=f"http://{own}")[:-2] + f"{name}: http://evil.example\r\n\r\n".encode()
        assert status_of(daemon, twice)[0] in (400, 403), name
    offered = request(port, PATH, Sec_WebSocket_Extensions="permessage-deflate", Sec_WebSocket_Protocol="a, b")
    status, answer = status_of(daemon, offered)
    assert status == 101
    assert b"Sec-WebSocket-Extensions" not in answer and b"Sec-WebSocket-Protocol" not in answer
    preflight = f"OPTIONS {PATH} HTTP/1.1\r\nHost: {own}\r\nOrigin: http://localhost:3000\r\n\r\n".encode()
    status, answer = status_of(daemon, preflight)
    assert status == 405
    assert b"Access-Control" not in answer
    assert status_of(daemon, request(port, "/nowhere"))[0] == 404
    assert status_of(daemon, request(port, "/v1/sync/more"))[0] == 404
    assert status_of(daemon, request(port, "/", Host="evil.example"))[0] == 403
    assert status_of(daemon, request(port, PATH).replace(b"GET", b"POST", 1))[0] == 405
    assert status_of(daemon, request(port, PATH, X="y" * 40_000))[0] == 431
    assert status_of(daemon, b"\x16\x03\x01\x02\x00garbage\r\n\r\n")[0] == 400
    assert daemon.process.poll() is None


@pytest.mark.parametrize("origin", ["*", "null", "localhost:3000", "http://a/b", "http://a/", "http://u@a"])
def test_origins_that_are_none_are_refused_at_the_start(origin: str) -> None:
    done = run_daemon("play", str(SKIRMISH), "--allow-origin", origin)
    assert done.returncode == 2
    assert "is not an origin" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("subscribed", [True, False])
async def test_daemon_that_stops_closes_with_1001(play: Play, subscribed: bool) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    async with aiohttp.ClientSession() as session, session.ws_connect(url(daemon)) as ws:
        if subscribed:
            await ws.send_str('{"subscribe":{}}')
            await read(ws)
        assert daemon.process.stdin is not None
        daemon.process.stdin.close()
        message = await read(ws)
        assert message is not None
        assert (message.error.code, message.error.message) == ("UNAVAILABLE", "the daemon is shutting down")
        assert await read(ws) is None
        assert ws.close_code == 1001
    assert await asyncio.to_thread(daemon.wait) == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
async def test_killed_client_costs_the_others_nothing(play: Play) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "2", "--rate", "8", "--playback-duration", "20")
    code = (
        "import asyncio, aiohttp, sys\n"
        "async def main():\n"
        "    async with aiohttp.ClientSession() as session, session.ws_connect(sys.argv[1], max_msg_size=0) as ws:\n"
        '        await ws.send_str(\'{"subscribe":{"policy":"every"}}\')\n'
        "        async for message in ws: print(len(message.data), flush=True)\n"
        "asyncio.run(main())\n"
    )
    victim = subprocess.Popen([sys.executable, "-c", code, url(daemon)], stdout=subprocess.PIPE)
    assert victim.stdout is not None
    taking = asyncio.create_task(take_all(daemon, True))
    for _ in range(5):
        await asyncio.to_thread(victim.stdout.readline)
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    victim.stdout.close()
    assert len(await taking) == 20 * 22.4 + 1
    assert await asyncio.to_thread(daemon.wait) == 0
    assert daemon.process.stderr is not None
    assert daemon.process.stderr.read() == ""


def test_reader_that_takes_nothing_is_cut_off_and_the_others_go_on(play: Play) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "2", "--rate", "unlimited", "--stall-timeout", "0.5")
    with Connection(port_of(daemon), PATH) as connection:
        connection.send(frame(BINARY, subscription(True, policy="every", bufferFrames=2)))
        with abathur.connect_blocking(daemon.grpc) as game:
            assert sum(1 for _ in game.frames(policy="every")) == 1344
    assert daemon.wait() == 0

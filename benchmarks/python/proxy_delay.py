"""What `abathur-sync proxy` adds to a bot's request, beside what a bare TCP relay adds, in one run.

A game that answers at once is asked by one blocking client over four ways: directly, through socat as it is, through
socat with a buffer as large as a response, and through the proxy, which records and has ten agents attached. Paced at
22.4 Hz, all four are asked within each tick, the proxy first, so that each has the same machine; back to back, the ways
take turns. Needs socat (Debian: apt-get install socat).
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import os
import shutil
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import abathur
from figures import Figures, table
from pages import made, page
from processes import DAEMON, FREE_PORTS, AgentProcess, MeasureError, Process, Server, free_port
from readers import Subscription
from runs import arguments, run
from s2clientprotocol import sc2api_pb2

SIZES = {"1 KB": 1_000, "80 KB": 80_000, "160 KB": 160_000}
WAYS = ("direct", "socat", "socat -b", "proxy")
PACES = ("22.4 Hz", "back to back")
AGENTS = 10
TICK = 1 / 22.4
HANDSHAKE = (
    "GET /sc2api HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
OBSERVE = sc2api_pb2.Request(observation=sc2api_pb2.RequestObservation()).SerializeToString()
_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
# A frame whose mask is 0 is masked all the same.
REQUEST = bytes([0x82, 0x80 | len(OBSERVE), 0, 0, 0, 0]) + OBSERVE


def response(size: int) -> bytes:
    """A serialized ``Response`` with an observation, of about so many bytes, that cannot be compressed."""
    answer = sc2api_pb2.Response(status=sc2api_pb2.in_game)
    answer.observation.observation.game_loop = 1
    answer.observation.observation.raw_data.map_state.visibility.data = os.urandom(size - 40)
    return answer.SerializeToString()


def message(payload: bytes) -> bytes:
    """A binary frame as servers send it."""
    size = len(payload)
    if size < 126:
        return bytes([0x82, size]) + payload
    if size < 1 << 16:
        return b"\x82\x7e" + size.to_bytes(2, "big") + payload
    return b"\x82\x7f" + size.to_bytes(8, "big") + payload


def read_exactly(connection: socket.socket, into: memoryview) -> bool:
    """Fill the memory; False at the end of the stream."""
    at = 0
    while at < len(into):
        count = connection.recv_into(into[at:])
        if count == 0:
            return False
        at += count
    return True


def _serve(connection: socket.socket, observation: bytes) -> None:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += connection.recv(4096)
    lines = head.decode().split("\r\n")
    key = next(line.partition(":")[2].strip() for line in lines if line.lower().startswith("sec-websocket-key"))
    accept = base64.b64encode(hashlib.sha1((key + _GUID).encode()).digest()).decode()
    connection.sendall(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {accept}\r\n\r\n".encode()
    )
    # All requests here are shorter than 126 bytes: two bytes of head, four of mask.
    buffer = memoryview(bytearray(256))
    while read_exactly(connection, buffer[:6]):
        size = buffer[1] & 0x7F
        if not read_exactly(connection, buffer[6 : 6 + size]):
            return
        payload = bytes(buffer[6 + at] ^ buffer[2 + at % 4] for at in range(size))
        connection.sendall(observation if payload == OBSERVE else _other(payload))


def _other(payload: bytes) -> bytes:
    request = sc2api_pb2.Request.FromString(payload)
    answer = sc2api_pb2.Response(id=request.id, status=sc2api_pb2.in_game)
    getattr(answer, request.WhichOneof("request")).SetInParent()
    return message(answer.SerializeToString())


def game(size: int) -> None:
    """A game that answers at once: prints its port, and the bytes of an answer; ends with its standard input."""
    observation = message(response(size))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(listener.getsockname()[1], len(observation), flush=True)
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=_serve, args=(connection, observation), daemon=True).start()


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


class Client:
    """A bot that asks for observations and does nothing with them."""

    def __init__(self, port: int, response_bytes: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.sendall(HANDSHAKE.encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self._socket.recv(1)
        if b" 101 " not in head:
            raise MeasureError(head.decode())
        self._response = memoryview(bytearray(response_bytes))

    def ask(self) -> float:
        """Ask for one observation; how many microseconds passed until it was there."""
        start = time.perf_counter_ns()
        self._socket.sendall(REQUEST)
        if not read_exactly(self._socket, self._response):
            raise MeasureError("the connection was closed")
        return (time.perf_counter_ns() - start) / 1000


def wait_for(port: int) -> None:
    """Until something listens there."""
    for _ in range(500):
        with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.01)
    raise MeasureError(f"nothing listens on port {port}")


@contextlib.contextmanager
def ways(size: int, folder: Path) -> Iterator[tuple[dict[str, Client], Server]]:
    """Start everything for responses of one size: a client of each way, and the proxy."""
    with contextlib.ExitStack() as stack:
        game = stack.enter_context(Process([sys.executable, __file__, "--game", str(size)]))
        port, response_bytes = (int(each) for each in game.read_line().split())
        ports = {"direct": port}
        for way, buffer in (("socat", []), ("socat -b", ["-b", "262144"])):
            ports[way] = free_port()
            listen = f"TCP-LISTEN:{ports[way]},bind=127.0.0.1,reuseaddr,fork,nodelay"
            relay = stack.enter_context(Process(["socat", *buffer, listen, f"TCP:127.0.0.1:{port},nodelay"]))
            stack.callback(relay.info.terminate)
            wait_for(ports[way])
        options = ["--listen", "0", "--sc2", f"127.0.0.1:{port}", "-o", f"{folder / str(size)}.mcap", *FREE_PORTS]
        proxy = stack.enter_context(Server([DAEMON, "proxy", *options]))
        ports["proxy"] = int(proxy.address("sc2api").rpartition(":")[2])
        agents = stack.enter_context(AgentProcess())
        agents.send_read([Subscription("socket", proxy.address("socket"), decode=False)] * AGENTS)
        clients = {way: Client(ports[way], response_bytes) for way in WAYS}
        clients["proxy"].ask()
        # The match begins with the first observation; the agents get the next ones.
        with abathur.connect_blocking(f"grpc://{proxy.address('grpc')}") as game:
            while len(game.status().subscribers) < AGENTS:
                time.sleep(0.05)
        yield clients, proxy


def paced(clients: dict[str, Client], ticks: int) -> dict[str, list[float]]:
    """Each way once a tick, at moments of its own; the proxy's agents have half a tick before the next way's turn."""
    taken: dict[str, list[float]] = {way: [] for way in WAYS}
    offsets = {"proxy": 0.0, "direct": 0.55, "socat": 0.7, "socat -b": 0.85}
    start = time.perf_counter() + TICK
    for tick in range(ticks):
        for way, offset in offsets.items():
            time.sleep(max(0.0, start + (tick + offset) * TICK - time.perf_counter()))
            taken[way].append(clients[way].ask())
    return taken


def back_to_back(clients: dict[str, Client], requests: int, turn: int) -> dict[str, list[float]]:
    """One way after the other, as fast as answers come; who begins changes with the turn."""
    taken = {}
    for at in range(len(WAYS)):
        way = WAYS[(at + turn) % len(WAYS)]
        for _ in range(requests // 10):
            clients[way].ask()
        taken[way] = [clients[way].ask() for _ in range(requests)]
        # The agents of the proxy catch up.
        time.sleep(0.2)
    return taken


def quantiles(times: list[float]) -> dict[str, float]:
    """Median and 99th percentile."""
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return {"p50": cuts[49], "p99": cuts[98]}


def summary(rounds: list[dict[str, list[float]]]) -> dict[str, Any]:
    """Of each way p50 and p99 in µs, over all rounds and their spread, and what the proxy adds against the relays."""
    pooled = {way: quantiles([each for taken in rounds for each in taken[way]]) for way in WAYS}
    made: dict[str, Any] = {}
    for way in WAYS:
        each_round = [quantiles(taken[way]) for taken in rounds]
        made[way] = {
            name: {"us": round(value, 1), "rounds": sorted(round(each[name], 1) for each in each_round)}
            for name, value in pooled[way].items()
        }
    for relay in ("socat", "socat -b"):
        added = {
            name: [pooled[way][name] - value for way in ("proxy", relay)] for name, value in pooled["direct"].items()
        }
        made[f"added, proxy / {relay}"] = {name: round(proxy / bare, 2) for name, (proxy, bare) in added.items()}
    return made


def measure(folder: Path, size: int, options: Any) -> dict[str, Any]:
    """Everything, for responses of one size."""
    with ways(size, folder) as (clients, proxy):
        paced(clients, 20)
        back_to_back(clients, options.requests // 2, 0)
        slow = [paced(clients, options.ticks) for _ in range(options.rounds)]
        fast = [back_to_back(clients, options.requests, turn) for turn in range(options.rounds)]
        with abathur.connect_blocking(f"grpc://{proxy.address('grpc')}") as game:
            status = game.status()
    return {
        "22.4 Hz": summary(slow),
        "back to back": summary(fast),
        "agents": len(status.subscribers),
        "recorded": status.recording.frames,
        "not recorded": status.recording.frames_dropped,
    }


def _cells(found: dict[str, Any]) -> Iterator[str]:
    for way in WAYS:
        each = [found[way][name] for name in ("p50", "p99")]
        yield " / ".join(f"{q['us']:.0f} ({q['rounds'][0]:.0f} to {q['rounds'][-1]:.0f})" for q in each)
    for relay in ("socat", "socat -b"):
        yield "{p50:.2f} / {p99:.2f}".format(**found[f"added, proxy / {relay}"])


def main() -> int:
    """Measure, and write the results."""
    if shutil.which("socat") is None:
        print("proxy: socat, the bare relay, is missing (Debian: apt-get install socat)", file=sys.stderr)
        return 1
    options = arguments(
        "proxy",
        __doc__,
        quick="see that it works: figures of no worth",
        rounds=(5, "rounds", 2),
        ticks=(200, "requests of each way in a round at 22.4 Hz", 10),
        requests=(2000, "requests of each way in a round back to back", 50),
    )
    results: dict[str, dict[str, Any]] = {}

    def measured(_: Figures) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name, size in SIZES.items():
                results[name] = measure(Path(folder), size, options)
                print(f"{name}: measured", file=sys.stderr, flush=True)

    def written(_: Figures) -> str:
        head = ["responses", "pace", *(f"{way}, µs" for way in WAYS), "proxy / socat", "proxy / socat -b"]
        rows = [[name, pace, *_cells(each[pace])] for name, each in results.items() for pace in PACES]
        return page("What the proxy adds", made("proxy"), "p50 / p99, and the spread of the rounds.", table(head, rows))

    return run(options, measured, written, {"results": results})


if __name__ == "__main__":
    if sys.argv[1:2] == ["--game"]:
        threading.Thread(target=_end_with_parent, daemon=True).start()
        game(int(sys.argv[2]))
    sys.exit(main())

"""What `abathur-sync proxy` adds to a bot's request, beside what a bare TCP relay adds, in one run.

A game that answers at once is asked by one blocking client over four ways: directly, through socat as it is, through
socat with a buffer as large as a response, and through the proxy, which records and has ten agents attached. Paced at
22.4 Hz, all four are asked within each tick, the proxy first, so that each has the same machine; back to back, the ways
take turns. Needs socat (Debian: apt-get install socat).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import abathur
from figures import machine
from processes import DAEMON, ROOT, MeasureError, Process
from proxy_peers import OBSERVE, read_exactly

PEERS = Path(__file__).with_name("proxy_peers.py")
SIZES = {"1 KB": 1_000, "80 KB": 80_000, "160 KB": 160_000}
WAYS = ("direct", "socat", "socat -b", "proxy")
AGENTS = 10
TICK = 1 / 22.4
HANDSHAKE = (
    "GET /sc2api HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
# A frame whose mask is 0 is masked all the same.
REQUEST = bytes([0x82, 0x80 | len(OBSERVE), 0, 0, 0, 0]) + OBSERVE


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

    def close(self) -> None:
        """Leave without a word."""
        self._socket.close()


def free_port() -> int:
    """A TCP port that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def wait_for(port: int) -> None:
    """Until something listens there."""
    for _ in range(500):
        with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.01)
    raise MeasureError(f"nothing listens on port {port}")


class Ways:
    """All ways to one game."""

    def __init__(self, clients: dict[str, Client], status_address: str) -> None:
        self.clients = clients
        self.status_address = status_address


@contextlib.contextmanager
def ways(size: int, folder: Path) -> Iterator[Ways]:
    """Start everything for responses of one size."""
    with contextlib.ExitStack() as stack:
        game = stack.enter_context(Process([sys.executable, PEERS, "game", str(size)]))
        port, response_bytes = (int(each) for each in game.read_line().split())
        ports = {"direct": port}
        for way, options in (("socat", ()), ("socat -b", ("-b", "262144"))):
            ports[way] = free_port()
            listen = f"TCP-LISTEN:{ports[way]},bind=127.0.0.1,reuseaddr,fork,nodelay"
            relay = stack.enter_context(Process(["socat", *options, listen, f"TCP:127.0.0.1:{port},nodelay"]))
            stack.callback(relay.info.terminate)
            wait_for(ports[way])
        line = ["dotnet", DAEMON, "proxy", "--listen", "0", "--sc2", f"127.0.0.1:{port}", "-o", folder / f"{size}.mcap"]
        line += ["--grpc-port", "0", "--socket-port", "0", "--http-port", "0", "--stop-with-parent"]
        proxy = stack.enter_context(Process(line))
        addresses = dict(each.split("=") for each in proxy.read_line().split()[1:])
        ports["proxy"] = int(addresses["sc2api"].rpartition(":")[2])
        agent_port = addresses["socket"].rpartition(":")[2]
        agents = [stack.enter_context(Process([sys.executable, PEERS, "agent", agent_port])) for _ in range(AGENTS)]
        clients = {way: Client(ports[way], response_bytes) for way in WAYS}
        for client in clients.values():
            stack.callback(client.close)
        clients["proxy"].ask()
        # The match begins with the first observation.
        for agent in agents:
            agent.read_line()
        yield Ways(clients, f"grpc://{addresses['grpc']}")


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


def summary(rounds: list[dict[str, list[float]]]) -> dict[str, object]:
    """Of each way p50 and p99 in µs, over all rounds and their spread, and what the proxy adds against the relays."""
    made: dict[str, object] = {}
    pooled = {way: quantiles([each for taken in rounds for each in taken[way]]) for way in WAYS}
    for way in WAYS:
        each_round = [quantiles(taken[way]) for taken in rounds]
        made[way] = {
            name: {
                "us": round(pooled[way][name], 1),
                "rounds": sorted(round(each[name], 1) for each in each_round),
            }
            for name in ("p50", "p99")
        }
    for relay in ("socat", "socat -b"):
        made[f"added, proxy / {relay}"] = {
            name: round(
                (pooled["proxy"][name] - pooled["direct"][name]) / (pooled[relay][name] - pooled["direct"][name]), 2
            )
            for name in ("p50", "p99")
        }
    return made


def measure(rounds: int, ticks: int, requests: int) -> dict[str, object]:
    """Everything, by size of the responses."""
    results: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, size in SIZES.items():
            with ways(size, Path(folder)) as there:
                paced(there.clients, 20)
                back_to_back(there.clients, requests // 2, 0)
                slow = [paced(there.clients, ticks) for _ in range(rounds)]
                fast = [back_to_back(there.clients, requests, turn) for turn in range(rounds)]
                with abathur.connect_blocking(there.status_address) as game:
                    status = game.status()
                recording = status.recording
                results[name] = {
                    "22.4 Hz": summary(slow),
                    "back to back": summary(fast),
                    "agents": len(status.subscribers),
                    "recorded": recording.frames,
                    "not recorded": recording.frames_dropped,
                }
                print(json.dumps({name: results[name]}, indent=1), file=sys.stderr)
    return results


def table(results: dict[str, object]) -> str:
    """As Markdown."""
    lines = [
        "| responses | pace | " + " | ".join(f"{way}, µs" for way in WAYS) + " | proxy / socat | proxy / socat -b |"
    ]
    lines.append("| --- | --- |" + " ---: |" * 6)
    for name, sizes in results.items():
        assert isinstance(sizes, dict)
        for pace in ("22.4 Hz", "back to back"):
            cells = []
            for way in WAYS:
                p50, p99 = (sizes[pace][way][each] for each in ("p50", "p99"))
                texts = [f"{q['us']:.0f} ({q['rounds'][0]:.0f} to {q['rounds'][-1]:.0f})" for q in (p50, p99)]
                cells.append(" / ".join(texts))
            for relay in ("socat", "socat -b"):
                ratio = sizes[pace][f"added, proxy / {relay}"]
                cells.append(f"{ratio['p50']:.2f} / {ratio['p99']:.2f}")
            lines.append(f"| {name} | {pace} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ticks", type=int, default=200, help="requests of each way in a round at 22.4 Hz")
    parser.add_argument("--requests", type=int, default=2000, help="requests of each way in a round back to back")
    parser.add_argument("--quick", action="store_true", help="see that it works: figures of no worth")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "local" / "proxy")
    arguments = parser.parse_args()
    if shutil.which("socat") is None:
        sys.exit("socat, the bare relay, is missing (Debian: apt-get install socat)")
    sizes = (2, 10, 50) if arguments.quick else (arguments.rounds, arguments.ticks, arguments.requests)
    results = measure(*sizes)
    arguments.output.mkdir(parents=True, exist_ok=True)
    everything = {"machine": machine(), "rounds": sizes[0], "results": results}
    (arguments.output / "results.json").write_text(json.dumps(everything, indent=1) + "\n")
    print(table(results))


if __name__ == "__main__":
    main()

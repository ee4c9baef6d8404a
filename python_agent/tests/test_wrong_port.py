"""An address with another port of the daemon is recognized, and the message says which to use."""

from __future__ import annotations

import asyncio

import pytest
from abathur import ConnectError, connect, connect_blocking
from programs import SKIRMISH, Play, abathur, run_daemon


@pytest.mark.parametrize("port", ["grpc", "socket"])
def test_status_names_the_port_and_the_one_to_use(play: Play, port: str) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    address = f"127.0.0.1:{daemon.port(port)}"
    done = run_daemon("status", address)
    kind = {"grpc": "gRPC", "socket": "socket"}[port]
    assert (done.returncode, done.stdout) == (1, "")
    said = f"{address} is the {kind} port of a daemon: status uses its HTTP port, by default 127.0.0.1:22402"
    assert done.stderr == f"abathur-sync: {said}\n"


@pytest.mark.parametrize(
    ("transport", "port"), [("grpc", "socket"), ("grpc", "http"), ("socket", "grpc"), ("socket", "http")]
)
def test_watch_names_the_port_and_the_address_to_use(play: Play, transport: str, port: str) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    address = f"127.0.0.1:{daemon.port(port)}"
    done = abathur("watch", f"{transport}://{address}", "--seconds", "5")
    said = {
        "socket": f"{address} is the socket port of a daemon: use socket://{address}",
        "grpc": f"{address} is the gRPC port of a daemon: use grpc://{address}",
        "http": f"{address} is the HTTP port of a daemon: use its gRPC port (by default 127.0.0.1:22400) "
        "or its socket port (by default socket://127.0.0.1:22401)",
    }[port]
    assert done.returncode == 1 and done.stderr.endswith(f": {said}\n"), done.stderr


@pytest.mark.parametrize(
    ("transport", "port"), [("grpc", "socket"), ("grpc", "http"), ("socket", "grpc"), ("socket", "http")]
)
async def test_the_api_names_the_port_and_the_address_to_use(play: Play, transport: str, port: str) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    address = f"127.0.0.1:{daemon.port(port)}"
    said = rf"cannot connect to {transport}://{address}: {address} is the \w+ port of a daemon: use "
    async with asyncio.timeout(10), connect(f"{transport}://{address}") as game:
        with pytest.raises(ConnectError, match=said):
            await anext(game.frames())

    def blocking() -> None:
        with connect_blocking(f"{transport}://{address}") as game, pytest.raises(ConnectError, match=said):
            next(game.frames())

    await asyncio.to_thread(blocking)

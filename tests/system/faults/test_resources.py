"""Ports and file descriptors that are all taken."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import abathur
import psutil
import pytest
from programs import FREE_PORTS, SKIRMISH, Daemon, daemon_command, run_daemon, wait_until
from vanishing import gone

MOST_DESCRIPTORS = 300
#: What the daemon keeps for itself: see OpenFiles.cs.
MOST_CONNECTIONS = MOST_DESCRIPTORS - 256


def is_closed(connection: socket.socket) -> bool:
    """Whether the other end has closed it."""
    try:
        return connection.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


@pytest.mark.parametrize("option", ["--grpc-port", "--socket-port", "--http-port"])
@pytest.mark.parametrize("command", [("play", str(SKIRMISH)), ("serve",)], ids=["play", "serve"])
def test_each_port_that_is_taken_is_one_clear_error(command: tuple[str, ...], option: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ports = {"--grpc-port": "0", "--socket-port": "0", "--http-port": "0", option: str(port)}
        done = run_daemon(*command, *(word for pair in ports.items() for word in pair))
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert f"127.0.0.1:{port}" in done.stderr and option in done.stderr


@contextlib.contextmanager
def few_descriptors(tmp_path: Path) -> Iterator[Daemon]:
    command = daemon_command("play", str(SKIRMISH), *FREE_PORTS, "--start-paused", "--loop", "--stop-with-parent")
    with (tmp_path / "said").open("w+") as said:
        process = subprocess.Popen(
            ["prlimit", f"--nofile={MOST_DESCRIPTORS}", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
        )
        assert process.stdout is not None
        words = process.stdout.readline().split()
        found = (word.split("=") for word in words[1:])
        try:
            yield Daemon(process, {name: f"{name}://{address}" for name, address in found})
        finally:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on descriptors")
async def test_no_descriptor_is_left_and_those_who_are_there_go_on(tmp_path: Path) -> None:
    with few_descriptors(tmp_path) as daemon:
        info = psutil.Process(daemon.process.pid)
        async with abathur.connect(daemon.grpc) as game, abathur.connect(daemon.socket) as agent:
            stream = agent.frames(policy="every", encoding="proto", name="reference")
            first = asyncio.ensure_future(anext(stream))
            await wait_until(game, lambda status: bool(status.subscribers))
            await game.playback.resume()
            sequence = (await first).sequence
            flood = [socket.socket() for _ in range(MOST_DESCRIPTORS)]
            try:
                for each in flood:
                    each.setblocking(False)
                    each.connect_ex(("127.0.0.1", daemon.socket_port))
                # Those that are too many are closed at once: were the last descriptor taken, the runtime would give up.
                while sum(map(is_closed, flood)) < MOST_DESCRIPTORS - MOST_CONNECTIONS:
                    sequence += 1
                    assert (await anext(stream)).sequence == sequence
                assert info.num_fds() < MOST_DESCRIPTORS
                for _ in range(50):
                    sequence += 1
                    assert (await anext(stream)).sequence == sequence
            finally:
                for each in flood:
                    each.close()
            # Unread, it would hold the playback up.
            await stream.aclose()
            # There is room again: a new agent gets frames, by every way.
            for transport in ("grpc", "socket"):
                async with abathur.connect(daemon.addresses[transport]) as late:
                    async for frame in late.frames(name="late"):
                        assert frame.observation.game_loop == frame.game_loop
                        break
            await gone(game, "late", "reference")
        assert daemon.stop() == 0
    assert "Unhandled" not in (tmp_path / "said").read_text()

"""Real NATS servers and relays for tests: on free ports, ended with the test."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from programs import TIMEOUT

PROGRAM = shutil.which("nats-server")
needs_nats = pytest.mark.skipif(PROGRAM is None, reason="nats-server is not installed (Debian: nats-server)")


def free_ports(count: int) -> list[int]:
    """Ports that are free now; a server that is killed and started again needs the same one."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


class Server:
    """A NATS server with JetStream."""

    def __init__(self, folder: Path, config: str, port: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.port = port
        self.config = config
        self._config = folder / "nats.conf"
        self._config.write_text(config)
        self._log = folder / "log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and wait until it accepts connections."""
        assert PROGRAM is not None
        # Its log is of each run.
        self._log.unlink(missing_ok=True)
        self._process = subprocess.Popen([PROGRAM, "-c", str(self._config), "-l", str(self._log)])
        deadline = time.monotonic() + TIMEOUT
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1.0).close()
                return
            except OSError:
                assert self._process.poll() is None, self._log.read_text()
                assert time.monotonic() < deadline, self._log.read_text()

    @property
    def runs(self) -> bool:
        """Whether the server has not ended by itself."""
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        """SIGKILL."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(TIMEOUT)

    def configure(self, config: str) -> None:
        """Give it another configuration, for its next start."""
        self._config.write_text(config)

    def hang(self, *, hangs: bool) -> None:
        """Let it stand still, or go on (SIGSTOP, SIGCONT)."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP if hangs else signal.SIGCONT)

    def stop(self) -> None:
        """End it, if it runs."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()


@contextmanager
def running(folder: Path, options: str = "") -> Iterator[Server]:
    """One server while the context is open. `options`: more lines of its configuration."""
    (port,) = free_ports(1)
    config = f'listen: 127.0.0.1:{port}\njetstream {{ store_dir: "{folder / "js"}" }}\n{options}'
    server = Server(folder, config, port)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def cluster(folder: Path) -> list[Server]:
    """The configurations of three servers that know each other."""
    ports = free_ports(6)
    routes = ", ".join(f'"nats://127.0.0.1:{port}"' for port in ports[3:])
    servers = []
    for number in range(3):
        place = folder / f"node-{number}"
        config = (
            f"server_name: node-{number}\nlisten: 127.0.0.1:{ports[number]}\n"
            f'jetstream {{ store_dir: "{place / "js"}" }}\n'
            f"cluster {{ name: test, listen: 127.0.0.1:{ports[3 + number]}, routes: [{routes}] }}\n"
        )
        servers.append(Server(place, config, ports[number]))
    return servers


class RelayProcess:
    """`abathur relay` in a process of its own."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "abathur", "relay", *arguments],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        )
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        assert "relaying" in line, line + self.process.stderr.read()

    def __enter__(self) -> RelayProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def kill(self) -> None:
        """SIGKILL."""
        self.process.kill()
        self.close()

    def rest(self) -> str:
        """What it says until it ends by itself."""
        assert self.process.stderr is not None
        said = self.process.stderr.read()
        self.process.wait(TIMEOUT)
        return said

    def close(self) -> None:
        """End it, if it runs."""
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(TIMEOUT)
        if self.process.stderr is not None and not self.process.stderr.closed:
            # Shown where a test fails.
            print(self.process.stderr.read())
            self.process.stderr.close()


async def eventually(holds: Callable[[], Any], seconds: float = TIMEOUT) -> Any:
    """The first true answer of an asynchronous function."""
    async with asyncio.timeout(seconds):
        while not (found := await holds()):
            await asyncio.sleep(0.02)
        return found

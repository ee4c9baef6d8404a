"""A nats-server on a free port, and a publisher of a recording's payloads."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from processes import Process

from recordings import Frames

_START_SECONDS = 10.0


class UnavailableError(Exception):
    """There is no nats-server here."""


class NatsServer(Process):
    """The server; its processor time is its own, without the publisher's."""

    def __init__(self, program: str, ports: Path) -> None:
        super().__init__([program, "-a", "127.0.0.1", "-p", "-1", "--ports_file_dir", ports, "-l", ports / "log"])
        self._ports = ports
        self._address = ""

    def address(self, _transport: str = "nats") -> str:
        """HOST:PORT."""
        deadline = time.monotonic() + _START_SECONDS
        while not self._address:
            for path in self._ports.glob("*.ports"):
                urls = [word for word in path.read_text().replace('"', " ").split() if word.startswith("nats://")]
                self._address = urls[0].removeprefix("nats://") if urls else ""
            if time.monotonic() > deadline:
                raise UnavailableError("nats-server did not start")
            time.sleep(0.01)
        return self._address

    def __exit__(self, *_: object) -> None:
        """It does not end with its standard input."""
        self._child.terminate()
        super().__exit__(None, None, None)


@contextmanager
def running(frames: Frames, encoding: str, compression: str) -> Iterator[NatsServer]:
    """A server to which a publisher sends the frames, until the context ends.

    Raises:
        UnavailableError: nats-server or nats-py is not installed.
    """
    program = shutil.which("nats-server")
    if program is None:
        raise UnavailableError("nats-server is not installed (Debian: apt-get install nats-server)")
    options: list[str | Path] = ["--encoding", encoding, "--compression", compression]
    options += ["--start-offset", str(frames.start)]
    if frames.duration is not None:
        options += ["--playback-duration", str(frames.duration)]
    publisher = Path(__file__).with_name("nats_publisher.py")
    with tempfile.TemporaryDirectory() as ports, NatsServer(program, Path(ports)) as server:
        arguments = [sys.executable, publisher, server.address(), frames.recording, *options]
        with Process(arguments) as publishing:
            if publishing.read_line() != "ready":
                raise UnavailableError("the publisher did not start; is nats-py installed?")
            yield server

"""A nats-server on loopback, and a publisher of a recording's payloads."""

from __future__ import annotations

import asyncio
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from abathur.bench import _streamed
from processes import MeasureError, Process, free_port
from readers import NATS_SUBJECT, STAMP

from recordings import Frames

TICK_HZ = 22.4
_START_SECONDS = 30.0


async def _publish(address: str, payloads: list[bytes]) -> None:
    import nats

    connection = await nats.connect(f"nats://{address}", allow_reconnect=False)
    ended = asyncio.create_task(asyncio.to_thread(sys.stdin.read))
    print("ready", flush=True)
    start, count = time.perf_counter(), 0
    while not ended.done():
        payload = payloads[count % len(payloads)]
        await connection.publish(NATS_SUBJECT, STAMP.pack(time.perf_counter_ns()) + payload)
        await connection.flush()
        count += 1
        await asyncio.sleep(max(0.0, start + count / TICK_HZ - time.perf_counter()))
    await connection.close()


def publish(address: str, recording: str, encoding: str, compression: str, *window: str) -> None:
    """Read the payloads, then publish them."""
    messages = _streamed.messages(Path(recording), encoding, compression, list(window))
    asyncio.run(_publish(address, [each.data or each.observation.SerializeToString() for each in messages]))


class UnavailableError(MeasureError):
    """There is no nats-server here."""


class NatsServer(Process):
    """A server with JetStream; its processor time is its own.

    Args:
        folder: Of its files.

    Raises:
        UnavailableError: it is not installed.
    """

    def __init__(self, folder: Path) -> None:
        program = shutil.which("nats-server")
        if program is None:
            raise UnavailableError("nats-server is not installed (Debian: apt-get install nats-server)")
        self.port = free_port()
        (folder / "nats.conf").write_text(f'listen: 127.0.0.1:{self.port}\njetstream {{ store_dir: "{folder}" }}\n')
        super().__init__([program, "-c", folder / "nats.conf", "-l", folder / "log"])
        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1.0).close()
                return
            except OSError:
                if time.monotonic() > deadline:
                    raise MeasureError("nats-server did not start") from None
                time.sleep(0.01)

    def address(self, _transport: str = "nats") -> str:
        """HOST:PORT."""
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """As clients take it."""
        return f"nats://{self.address()}"

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
    with tempfile.TemporaryDirectory() as folder, NatsServer(Path(folder)) as server:
        given: list[str | Path] = [server.address(), frames.recording, encoding, compression, *frames.window()]
        with Process([sys.executable, __file__, *given]) as publishing:
            if publishing.read_line() != "ready":
                raise UnavailableError("the publisher did not start; is nats-py installed?")
            yield server


if __name__ == "__main__":
    publish(*sys.argv[1:])

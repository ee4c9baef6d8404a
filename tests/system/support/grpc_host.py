"""A daemon whose gRPC is tested, and channels to it."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import abathur
import grpc
from programs import FREE_PORTS, SKIRMISH, TIMEOUT, Daemon, pause, start

SERVICE = "abathur.sync.v1.GameSync"


class Host:
    """A daemon that plays a recording, which begins to move when it is told to."""

    def __init__(self, socket_path: Path) -> None:
        self.socket_path = socket_path
        self.daemon: Daemon = start(
            "play", str(SKIRMISH), *FREE_PORTS, "--grpc-uds", str(socket_path), "--start-paused", "--loop"
        )
        self.port = self.daemon.port("grpc")

    def subscribers(self) -> int:
        """Streams of frames that are open."""
        with abathur.connect_blocking(self.daemon.grpc) as game:
            return len(game.status().subscribers)

    def wait_for_subscribers(self, count: int) -> None:
        deadline = time.monotonic() + TIMEOUT
        while (now := self.subscribers()) != count:
            assert time.monotonic() < deadline, f"{now} instead of {count}"
            pause()

    def channel(self, over: str, **options: Any) -> grpc.Channel:
        """A channel of its own connection; options as grpcio names them, with ``__`` for ``.``."""
        arguments = [("grpc.use_local_subchannel_pool", 1)]
        arguments += [(key.replace("__", "."), value) for key, value in options.items()]
        if over == "tcp":
            return grpc.insecure_channel(f"127.0.0.1:{self.port}", options=arguments)
        # Without an authority of its own grpcio sends the socket's path, which is no host name.
        return grpc.insecure_channel(
            f"unix:{self.socket_path}", options=[*arguments, ("grpc.default_authority", "localhost")]
        )


Connect = Callable[..., grpc.Channel]

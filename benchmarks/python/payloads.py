"""Frames of a recording as columns, as they reach a subscriber."""

from __future__ import annotations

import abathur
from abathur.columns import ColumnsDecoder
from processes import Daemon

from recordings import Frames


def payloads(late: Frames, count: int = 600) -> list[bytes]:
    """The first frames of a part in columns, as a subscriber gets them after decompression."""
    taken: list[bytes] = []
    decode = ColumnsDecoder.decode

    def keeping(decoder: ColumnsDecoder, payload: bytes) -> object:
        taken.append(payload)
        return decode(decoder, payload)

    options = ["--rate", "unlimited", "--wait-agents", "1", *late.daemon_options()]
    with Daemon(late.recording, *options) as daemon:
        ColumnsDecoder.decode = keeping  # type: ignore[method-assign, assignment]
        try:
            with abathur.connect_blocking(f"socket://{daemon.address('socket')}") as game:
                for _ in zip(range(count), game.frames(policy="every", encoding="columns"), strict=False):
                    pass
        finally:
            ColumnsDecoder.decode = decode  # type: ignore[method-assign]
    return taken

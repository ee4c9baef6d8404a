"""A match from NATS in the dashboard of a daemon on this machine, for ``abathur watch --dashboard``."""

from __future__ import annotations

import asyncio
import contextlib
from contextlib import aclosing

from abathur._client.game import Game, connect
from abathur._client.publisher import publisher
from abathur._program.daemon import serving
from abathur.columns._rebuild import message_bytes
from abathur.errors import AbathurError
from abathur.sync.v1 import sync_pb2

_OF_THE_MATCH = ("match_id", "player_id", "map_name", "game_version", "tick_hz", "game_info", "game_data")


def show(address: str | None, seconds: float | None) -> None:
    """Publish the frames of a match to a daemon that shows them, until the match ends.

    Raises:
        AbathurError: the match cannot be read, or goes back.
        DaemonError: the daemon was not found, or did not start.
    """
    with serving("serve") as addresses:
        print(f"Dashboard: http://{addresses['http']}/")
        print(f"Agents here: grpc://{addresses['grpc']}, socket://{addresses['socket']}", flush=True)
        asyncio.run(_copy(address, f"grpc://{addresses['grpc']}", seconds))


async def _copy(source: str | None, daemon: str, seconds: float | None) -> None:
    async with connect(source, reconnect_timeout=5.0) as game:
        match = await game.match()
        assert match is not None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await _publish(game, match, daemon)


async def _publish(game: Game, match: sync_pb2.Match, daemon: str) -> None:
    known = {name: getattr(match, name) for name in _OF_THE_MATCH}
    newest = 0
    async with publisher(daemon, **known) as published:
        frames = game.frames(policy="every", name="abathur watch --dashboard")
        async with aclosing(frames):
            async for frame in frames:
                if frame.game_loop < newest:
                    raise AbathurError(
                        f"the match went back from game loop {newest} to {frame.game_loop}, which a daemon that "
                        "publishes cannot show: run the command again"
                    )
                newest = frame.game_loop
                columns = frame._source.columns
                assert columns is not None
                await published.publish(message_bytes(columns))

"""StarCraft II observations from the Abathur.Sync daemon, for agents in Python.

>>> async with abathur.connect() as game:  # doctest: +SKIP
...     async for frame in game.frames():
...         enemies = frame.units.pos[frame.units.alliance == 4]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abathur import actions, drawing, errors
from abathur._act import ActResult
from abathur._agent import Agent
from abathur._blocking_game import BlockingGame, connect_blocking
from abathur._blocking_publisher import BlockingPublisher, publisher_blocking
from abathur._emulator import EmulatedGame, emulated_game
from abathur._frame import Frame, Timing
from abathur._game import Game, connect
from abathur._publisher import Publisher, publisher
from abathur._recording import Recording
from abathur._recording import open_recording as open
from abathur._unit_view import UnitView
from abathur._units import Units
from abathur.errors import (
    AbathurError,
    AckTimeoutError,
    ConnectError,
    ConnectionLostError,
    DaemonError,
    DecompressionError,
    ProtocolError,
    RecordingError,
    RequestError,
    SlowConsumerError,
    SourceLostError,
)

__all__ = [
    "AbathurError",
    "AckTimeoutError",
    "ActResult",
    "Agent",
    "BlockingGame",
    "BlockingPublisher",
    "ConnectError",
    "ConnectionLostError",
    "DaemonError",
    "DecompressionError",
    "EmulatedGame",
    "Frame",
    "Game",
    "ProtocolError",
    "Publisher",
    "Recording",
    "RecordingError",
    "RequestError",
    "SlowConsumerError",
    "SourceLostError",
    "Timing",
    "UnitView",
    "Units",
    "actions",
    "connect",
    "connect_blocking",
    "drawing",
    "emulated_game",
    "open",
    "publisher",
    "publisher_blocking",
]

#: Version of the package, which is also the daemon's.
__version__: str

# Earlier names of errors. Type checkers only see the new ones.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            # Reading the package's metadata takes longer than importing most modules.
            from importlib.metadata import version

            return version("abathur-agent")
        return errors.renamed(name)

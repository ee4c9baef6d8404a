"""StarCraft II observations from the Abathur.Sync daemon, for agents in Python.

>>> async with abathur.connect() as game:  # doctest: +SKIP
...     async for frame in game.frames():
...         enemies = frame.units.pos[frame.units.alliance == 4]
"""

from __future__ import annotations

from abathur import actions, drawing
from abathur._act import ActResult
from abathur._agent import Agent
from abathur._emulator import EmulatedGame, emulated_game
from abathur._frame import Frame, Timing
from abathur._game import BlockingGame, Game, connect, connect_blocking
from abathur._publisher import BlockingPublisher, Publisher, publisher, publisher_blocking
from abathur._recording import Recording
from abathur._recording import open_recording as open
from abathur._units import Units
from abathur.errors import (
    AbathurError,
    ConnectError,
    ConnectionLostError,
    DaemonError,
    DecompressionError,
    NoAnswerError,
    ProtocolError,
    RecordingError,
    RequestError,
    SourceLostError,
    TooSlowError,
)

__all__ = [
    "AbathurError",
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
    "NoAnswerError",
    "ProtocolError",
    "Publisher",
    "Recording",
    "RecordingError",
    "RequestError",
    "SourceLostError",
    "Timing",
    "TooSlowError",
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

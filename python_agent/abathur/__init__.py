"""StarCraft II observations from the Abathur.Sync daemon, for agents in Python.

>>> async with abathur.connect() as game:  # doctest: +SKIP
...     async for frame in game.frames():
...         enemies = frame.units.pos[frame.units.alliance == 4]
"""

from __future__ import annotations

from abathur._agent import Agent
from abathur._emulator import EmulatedGame, emulated_game
from abathur._frame import Frame, Timing
from abathur._game import BlockingGame, Game, connect, connect_blocking
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
    TooSlowError,
)

__all__ = [
    "AbathurError",
    "Agent",
    "BlockingGame",
    "ConnectError",
    "ConnectionLostError",
    "DaemonError",
    "DecompressionError",
    "EmulatedGame",
    "Frame",
    "Game",
    "NoAnswerError",
    "ProtocolError",
    "Recording",
    "RecordingError",
    "RequestError",
    "Timing",
    "TooSlowError",
    "Units",
    "connect",
    "connect_blocking",
    "emulated_game",
    "open",
]

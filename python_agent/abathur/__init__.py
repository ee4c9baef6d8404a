"""StarCraft II observations from the Abathur.Sync daemon, for agents in Python.

>>> async with abathur.connect() as game:  # doctest: +SKIP
...     async for frame in game.frames():
...         enemies = frame.units.pos[frame.units.alliance == 4]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abathur import actions, dataset, drawing, errors, events, ids, learn, sc2
    from abathur._client.act import ActResult
    from abathur._client.agent import Agent
    from abathur._client.blocking_game import BlockingGame, connect_blocking
    from abathur._client.blocking_publisher import BlockingPublisher, publisher_blocking
    from abathur._client.game import Game, connect
    from abathur._client.options import Compression, ConnectOptions, Encoding, Policy, SubscribeOptions
    from abathur._client.publisher import Publisher, publisher
    from abathur._events.plots import PlotSeries
    from abathur._events.timeline import Timeline
    from abathur._frame.frame import Frame
    from abathur._frame.timing import Timing
    from abathur._frame.unit_view import UnitView
    from abathur._frame.units import Units
    from abathur._program.daemon import sample
    from abathur._program.emulator import EmulatedGame, emulated_game
    from abathur._recording.followed import FollowedRecording
    from abathur._recording.opened import open_recording as open
    from abathur._recording.recording import Recording
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
    "Compression",
    "ConnectError",
    "ConnectOptions",
    "ConnectionLostError",
    "DaemonError",
    "DecompressionError",
    "EmulatedGame",
    "Encoding",
    "FollowedRecording",
    "Frame",
    "Game",
    "PlotSeries",
    "Policy",
    "ProtocolError",
    "Publisher",
    "Recording",
    "RecordingError",
    "RequestError",
    "SlowConsumerError",
    "SourceLostError",
    "SubscribeOptions",
    "Timeline",
    "Timing",
    "UnitView",
    "Units",
    "actions",
    "connect",
    "connect_blocking",
    "dataset",
    "drawing",
    "emulated_game",
    "errors",
    "events",
    "ids",
    "learn",
    "open",
    "publisher",
    "publisher_blocking",
    "sample",
    "sc2",
]

#: Version of the package, which is also the daemon's.
__version__: str

# Where the names are. A module is imported when a name of it is used first: `import abathur` and the command line take
# 0.03 s instead of 0.3. The other public names are errors.
_MODULES = {
    "ActResult": "_client.act",
    "Agent": "_client.agent",
    "BlockingGame": "_client.blocking_game",
    "BlockingPublisher": "_client.blocking_publisher",
    "Compression": "_client.options",
    "ConnectOptions": "_client.options",
    "EmulatedGame": "_program.emulator",
    "Encoding": "_client.options",
    "FollowedRecording": "_recording.followed",
    "Frame": "_frame.frame",
    "Game": "_client.game",
    "PlotSeries": "_events.plots",
    "Policy": "_client.options",
    "Publisher": "_client.publisher",
    "Recording": "_recording.recording",
    "SubscribeOptions": "_client.options",
    "Timeline": "_events.timeline",
    "Timing": "_frame.timing",
    "UnitView": "_frame.unit_view",
    "Units": "_frame.units",
    "connect": "_client.game",
    "connect_blocking": "_client.blocking_game",
    "emulated_game": "_program.emulator",
    "open": "_recording.opened",
    "publisher": "_client.publisher",
    "publisher_blocking": "_client.blocking_publisher",
    "sample": "_program.daemon",
}
_SUBMODULES = ("actions", "dataset", "drawing", "errors", "events", "ids", "learn", "sc2")


# Type checkers see the imports above, and only the new names of errors.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        from importlib import import_module

        if name == "__version__":
            from importlib.metadata import version

            return version("abathur-agent")
        if name in _SUBMODULES:
            return import_module(f"abathur.{name}")
        if name in _MODULES:
            module = import_module(f"abathur.{_MODULES[name]}")
            value = getattr(module, "open_recording" if name == "open" else name)
        else:
            errors = import_module("abathur.errors")
            if name not in __all__:
                return errors.renamed(name)
            value = getattr(errors, name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})

"""What to write in place of names that games do not have: for errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_OF_PLAYBACK = ("pause", "resume", "step", "seek", "set_rate", "set_loop")
_OF_MATCHES = ("map_name", "game_info", "game_data", "player_id", "tick_hz")
_OF_FRAMES = ("observation", "units", "events", "game_loop", "grids", "time", "player")

GAME: Final[Mapping[str, str]] = {
    **{name: f"game.playback.{name}()" for name in _OF_PLAYBACK},
    **{name: f"game.match().{name}" for name in _OF_MATCHES},
    **{name: f"frame.{name} of each frame of game.frames()" for name in _OF_FRAMES},
    "frame": "the next frame of game.frames(), or game.frame_at(game_loop)",
    "subscribe": "game.frames()",
}

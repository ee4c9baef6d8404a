"""Names that users look for at a game, and where they are."""

from __future__ import annotations

from typing import Any

_OF_FRAMES = "a frame has it: `for frame in game.frames()`, with `async for` where the game is asynchronous"
_PLACES = {
    **{name: f"game.playback.{name}()" for name in ("pause", "resume", "step", "seek", "set_rate", "set_loop")},
    **{
        name: f"game.match() has it: `.{name}`"
        for name in ("map_name", "game_info", "game_data", "player_id", "tick_hz")
    },
    **dict.fromkeys(("observation", "units", "events", "game_loop", "grids", "time", "player"), _OF_FRAMES),
    "frame": "the next frame of `game.frames()`, or `game.frame_at(game_loop)`",
    "subscribe": "game.frames()",
}


class Elsewhere:
    """Says where an attribute is that a game does not have."""

    def __getattr__(self, name: str) -> Any:
        """Raise AttributeError, which says where users find it."""
        text = f"{type(self).__name__!r} object has no attribute {name!r}"
        raise AttributeError(f"{text}: {_PLACES[name]}" if name in _PLACES else text, name=name, obj=self)

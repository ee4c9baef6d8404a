"""What to write in place of names that recordings do not have: for errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

RECORDING: Final[Mapping[str, str]] = {
    "map": "match.map_name",
    "name": "match.path.name",
    "file": "match.path",
    "winner": "match.players, which has the result of each",
    "results": "match.players, which has the result of each",
    "player": "match.players",
    "race": "match.players",
    "match_id": 'match.metadata["match_id"]',
    "player_id": 'match.metadata["player_id"]',
    "version": "match.game_version",
    "info": "match.game_info()",
    "length": "len(match), or match.duration",
    "num_frames": "len(match)",
    "n_frames": "len(match)",
    "seconds": "match.duration",
    "time": "match.duration",
    "fps": "match.tick_hz",
    "frame": "match[0], or match.frame_at(game_loop)",
    "get_frame": "match[0], or match.frame_at(game_loop)",
    "at": "match.frame_at(game_loop)",
    "seek": "match.frames(start=game_loop)",
    "skip": "match.frames(start=game_loop)",
    "game_loops": "[frame.game_loop for frame in match]",
    "observations": "(frame.observation for frame in match)",
    "events": "(event for frame in match for event in frame.events)",
    "actions": "match.action_requests()",
    "units": "match.units_table(), or match[0].units",
    "df": "match.units_table().to_pandas()",
    "to_pandas": "match.units_table().to_pandas()",
    "to_arrow": "match.units_table()",
    "to_numpy": "match.units_arrays()",
    "read": "match.frames()",
}

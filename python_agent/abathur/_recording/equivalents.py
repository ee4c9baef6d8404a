"""What to write in place of names that recordings do not have: for errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

RECORDING: Final[Mapping[str, str]] = {
    "map": "recording.map_name",
    "name": "recording.path.name",
    "file": "recording.path",
    "winner": "recording.players, which has the result of each",
    "results": "recording.players, which has the result of each",
    "player": "recording.players",
    "race": "recording.players",
    "match_id": 'recording.metadata["match_id"]',
    "player_id": 'recording.metadata["player_id"]',
    "version": "recording.game_version",
    "info": "recording.game_info()",
    "length": "len(recording), or recording.duration",
    "num_frames": "len(recording)",
    "n_frames": "len(recording)",
    "seconds": "recording.duration",
    "time": "recording.duration",
    "fps": "recording.tick_hz",
    "frame": "recording[0], or recording.frame_at(game_loop)",
    "get_frame": "recording[0], or recording.frame_at(game_loop)",
    "at": "recording.frame_at(game_loop)",
    "seek": "recording.frames(start=game_loop)",
    "skip": "recording.frames(start=game_loop)",
    "game_loops": "[frame.game_loop for frame in recording]",
    "observations": "(frame.observation for frame in recording)",
    "events": "(event for frame in recording for event in frame.events)",
    "actions": "recording.action_requests()",
    "units": "recording.units_table(), or recording[0].units",
    "df": "recording.units_table().to_pandas()",
    "to_pandas": "recording.units_table().to_pandas()",
    "to_arrow": "recording.units_table()",
    "to_numpy": "recording.units_arrays()",
    "read": "recording.frames()",
}

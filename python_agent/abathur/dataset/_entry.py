"""What a dataset knows of one recording: an entry of its manifest."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from abathur._recording.match_facts import RecordedPlayer


@dataclass(slots=True)
class Part:
    """A Parquet file of one recording.

    Attributes:
        file: Its path in the dataset.
        rows: Number of rows.
        bytes: Its size.
        sha256: Its content.
    """

    file: str
    rows: int
    bytes: int
    sha256: str


@dataclass(slots=True)
class Entry:
    """One recording.

    Attributes:
        sha256: Content of the recording.
        files: Names of the files with this content, without their folders, in order.
        bytes: Size of the recording.
        match_id: Identifies the match.
        player_id: The player who sees it; 0: not known.
        map_name: Name of the map.
        game_version: Version of the game.
        tick_hz: Game loops a second.
        source: Source of the observations.
        simulated: Whether they were generated.
        players: The players of the match.
        frames: Observations in the recording.
        sampled: Those of them that are in the dataset.
        first_game_loop: Game loop of the first sampled frame; None without frames.
        last_game_loop: Game loop of the last observation.
        parts: The Parquet files, by table.
    """

    sha256: str
    files: list[str]
    bytes: int
    match_id: str
    player_id: int
    map_name: str
    game_version: str
    tick_hz: float
    source: str
    simulated: bool
    players: list[RecordedPlayer]
    frames: int
    sampled: int
    first_game_loop: int | None
    last_game_loop: int | None
    parts: dict[str, Part]

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Entry:
        """From the values of `to_json`."""
        players = [RecordedPlayer(**each) for each in values["players"]]
        parts = {table: Part(**each) for table, each in values["parts"].items()}
        return cls(**{**values, "players": players, "parts": parts})

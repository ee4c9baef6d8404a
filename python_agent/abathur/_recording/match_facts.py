"""The players of a recorded match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from s2clientprotocol import common_pb2, sc2api_pb2

from abathur._values import game_time, html_table
from abathur._values.game_time import LOOPS_PER_SECOND
from abathur.errors import RecordingError


@dataclass(frozen=True, slots=True)
class RecordedPlayer:
    """A player of a match, as far as the recording tells.

    Attributes:
        player_id: Its number in the match, from 1.
        name: Its name.
        kind: ``participant``, ``computer`` or ``observer``.
        race: ``Terran``, ``Zerg`` or ``Protoss``; None if it chose random and the recorded player does not know.
        result: ``victory``, ``defeat``, ``tie``, ``undecided``; None if the recording ends before the match.
    """

    player_id: int
    name: str
    kind: str
    race: str | None
    result: str | None


class Facts(Protocol):
    """What a recording tells of its match: see `Recording`."""

    path: Path

    def __len__(self) -> int:
        """Number of frames."""

    @property
    def map_name(self) -> str:
        """The name of the map."""

    @property
    def game_version(self) -> str:
        """The version of the game."""

    @property
    def duration(self) -> float:
        """The game time of the last frame, in seconds."""

    @property
    def players(self) -> list[RecordedPlayer]:
        """The players."""


def players(info: sc2api_pb2.ResponseGameInfo | None, results: Mapping[int, str]) -> list[RecordedPlayer]:
    """The players of the game info, and those who have a result, by their number."""
    found = {} if info is None else {each.player_id: _player(each, results) for each in info.player_info}
    for number, result in results.items():
        found.setdefault(number, RecordedPlayer(number, "", "participant", None, result))
    return [found[number] for number in sorted(found)]


def results(response: sc2api_pb2.ResponseObservation) -> dict[int, str]:
    """The results in an observation, by the number of the player."""
    return {each.player_id: sc2api_pb2.Result.Name(each.result).lower() for each in response.player_result}


def _player(info: sc2api_pb2.PlayerInfo, results: Mapping[int, str]) -> RecordedPlayer:
    kind = sc2api_pb2.PlayerType.Name(info.type).lower()
    race = _race(info.race_actual) or _race(info.race_requested)
    return RecordedPlayer(info.player_id, info.player_name, kind, race, results.get(info.player_id))


def _race(number: common_pb2.Race.ValueType) -> str | None:
    return None if number in (common_pb2.NoRace, common_pb2.Random) else common_pb2.Race.Name(number)


def html(recording: Facts) -> str:
    """A recording as a table in HTML. Of a damaged file it has what can be read."""
    rows: list[tuple[str, object]] = [("map", recording.map_name), ("frames", len(recording))]
    try:
        rows.append(("game time of the last frame", game_time.clock(round(recording.duration * LOOPS_PER_SECOND))))
        for player in recording.players:
            words = (player.name, player.race or "random race", player.result or "no result")
            rows.append((f"player {player.player_id}", ", ".join(filter(None, words))))
    except RecordingError as error:
        rows.append(("damaged", error))
    if recording.game_version:
        rows.append(("game version", recording.game_version))
    return html_table.table(recording.path.name, (), rows)

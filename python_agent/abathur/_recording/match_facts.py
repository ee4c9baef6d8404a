"""The players of a recorded match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from s2clientprotocol import common_pb2, sc2api_pb2


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

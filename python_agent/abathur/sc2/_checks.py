"""What BotAI cannot run on, said before it starts: it would take most of this for a defeat."""

from __future__ import annotations

from s2clientprotocol import common_pb2, sc2api_pb2

from abathur.errors import AbathurError

_RACES = (common_pb2.Terran, common_pb2.Zerg, common_pb2.Protoss)
#: KD8Charge, ParasiticBombDummy, ForceField: BotAI does not look them up.
_EFFECTS = frozenset((830, 824, 135))


def check_match(
    info: sc2api_pb2.ResponseGameInfo | None, data: sc2api_pb2.ResponseData | None, player_id: int
) -> tuple[sc2api_pb2.ResponseGameInfo, sc2api_pb2.ResponseData]:
    """The game info and the game data of a match, if a bot can run on them.

    Raises:
        AbathurError: it cannot.
    """
    if info is None or not info.ByteSize():
        raise _cannot("the match has no game info: a recording gets it with `--game-info`, a publisher sends it")
    if data is None or not data.units:
        raise _cannot("the match has no game data: a recording gets it with `--game-data`, a publisher sends it")
    races = {player.player_id: player.race_actual or player.race_requested for player in info.player_info}
    if player_id not in races:
        known = ", ".join(map(str, sorted(races))) or "none"
        raise _cannot(f"the game info has no player {player_id}, who observes this match; it has {known}")
    if races[player_id] not in _RACES:
        raise _cannot(f"player {player_id} has race {races[player_id]} in the game info, not terran, zerg or protoss")
    if len(races) == 2 and set(races) != {1, 2}:
        raise _cannot(f"the two players of the game info have the numbers {sorted(races)}, not 1 and 2")
    size = info.start_raw.map_size
    for name, bits in (("pathing_grid", 1), ("terrain_height", 8), ("placement_grid", 1)):
        grid = getattr(info.start_raw, name)
        _check_grid(grid, f"{name} of the game info", bits)
        if (grid.size.x, grid.size.y) != (size.x, size.y):
            raise _cannot(f"{name} of the game info has {grid.size.x}x{grid.size.y} cells, the map {size.x}x{size.y}")
    return info, data


def check_observation(response: sc2api_pb2.ResponseObservation) -> None:
    """Check the first observation.

    Raises:
        AbathurError: a bot cannot run on it.
    """
    raw = response.observation.raw_data
    if not raw.units:
        raise _cannot("the first observation has no units; subscribe without `fields`")
    _check_grid(raw.map_state.visibility, "visibility of the observation", 8)
    creep = raw.map_state.creep
    if creep.size.x * creep.size.y not in (len(creep.data), len(creep.data) * 8) or not creep.data:
        raise _cannot(f"creep of the observation has {len(creep.data)} bytes for {creep.size.x}x{creep.size.y} cells")


def check_types(response: sc2api_pb2.ResponseObservation, known: frozenset[int]) -> None:
    """Check that the types of all units are known.

    Raises:
        AbathurError: the game data lacks one.
    """
    units = response.observation.raw_data.units
    unknown = {unit.unit_type for unit in units} - known - _EFFECTS
    if unknown and (lacking := {unit.unit_type for unit in units if not unit.is_blip} & unknown):
        raise _cannot(
            f"the game data lacks unit type {min(lacking)}, which is in the observation at game loop "
            f"{response.observation.game_loop}: it is of another version of the game"
        )


def _check_grid(grid: common_pb2.ImageData, what: str, bits: int) -> None:
    cells = grid.size.x * grid.size.y
    if not cells or len(grid.data) * 8 != cells * bits:
        raise _cannot(f"{what} has {len(grid.data)} bytes for {grid.size.x}x{grid.size.y} cells of {bits} bits")


def _cannot(reason: str) -> AbathurError:
    return AbathurError(f"a BotAI cannot run on this match: {reason}")

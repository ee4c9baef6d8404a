"""Names that python-sc2 and pandas have for units and frames, and what to write here: for errors."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from typing import Any, Final

#: Of units, and of one unit.
_OF_BOTH: Final = {
    "type_id": "{0}.unit_type",
    "position": "{0}.pos",
    "position3d": "{0}.pos",
    "is_mine": "{0}.alliance == 1",
    "is_enemy": "{0}.alliance == 4",
    "is_ready": "{0}.build_progress == 1",
    "is_visible": "{0}.display_type == 1",
    "is_snapshot": "{0}.display_type == 2",
    "is_cloaked": "{0}.cloak == 1",
    "owner_id": "{0}.owner",
    "add_on": "{0}.add_on_tag",
    "order_target": "{0}.orders",
    "distance_to_squared": "{0}.distance_to(place) ** 2",
    "types": "{0}.unit_type",
    "type": "{0}.unit_type",
    "hp": "{0}.health",
    "minerals": "{0}.mineral_contents",
    "vespene": "{0}.vespene_contents",
    "gas": "{0}.vespene_contents",
    "progress": "{0}.build_progress",
    "shields": "{0}.shield",
    "mana": "{0}.energy",
}
#: By the name that others have for it.
UNITS: Final[Mapping[str, str]] = {name: text.format("units") for name, text in _OF_BOTH.items()} | {
    "amount": "len(units)",
    "size": "len(units)",
    "count": "len(units)",
    "shape": "len(units)",
    "empty": "len(units) == 0",
    "exists": "len(units) > 0",
    "first": "units[0]",
    "last": "units[-1]",
    "random": "random.choice(units)",
    "sample": "random.sample(units, n)",
    "take": "units[:n]",
    "head": "units[:n]",
    "tail": "units[-n:]",
    "tags": "units.tag",
    "type_ids": "units.unit_type",
    "names": "units.name",
    "of_type": "units.where(unit_type=...)",
    "exclude_type": "units[~numpy.isin(units.unit_type, ...)]",
    "by_type": "units.where(unit_type=...)",
    "find_by_tag": "units.by_tag(tag)",
    "tags_in": "units.where(tag=tags)",
    "tags_not_in": "units[~numpy.isin(units.tag, tags)]",
    "owned": 'units.where(alliance="self")',
    "mine": 'units.where(alliance="self")',
    "own": 'units.where(alliance="self")',
    "enemy": 'units.where(alliance="enemy")',
    "enemies": 'units.where(alliance="enemy")',
    "ready": "units[units.build_progress == 1]",
    "not_ready": "units[units.build_progress < 1]",
    "idle": "units[numpy.diff(units.orders.offsets) == 0]",
    "flying": "units[units.is_flying]",
    "not_flying": "units[~units.is_flying]",
    "visible": "units[units.display_type == 1]",
    "selected": "units[units.is_selected]",
    "structure": "units[numpy.isin(units.unit_type, ...)]",
    "sorted": "units.sort_by(key)",
    "sort": "units.sort_by(key)",
    "sort_values": "units.sort_by(key)",
    "sorted_by_distance_to": "units.sort_by(units.distance_to(place))",
    "closest": "units.closest_to(place)",
    "closest_n_units": "units.sort_by(units.distance_to(place))[:n]",
    "furthest_to": "units.sort_by(units.distance_to(place))[-1]",
    "closest_distance_to": "units.distance_to(place).min()",
    "furthest_distance_to": "units.distance_to(place).max()",
    "further_distance_to": "units.distance_to(place).max()",
    "closer_than_any_of": "units.in_range(others, distance)",
    "in_distance_between": "units.closer_than(far, place).further_than(near, place)",
    "within": "units.in_range(place, distance)",
    "subgroup": "units.where(tag=units_or_tags)",
    "append": "units + others",
    "index": "numpy.flatnonzero(units.tag == unit.tag)",
    "concat": "units + others",
    "health_percentage": "units.health / units.health_max",
    "shield_percentage": "units.shield / units.shield_max",
    "energy_percentage": "units.energy / units.energy_max",
    "is_idle": "numpy.diff(units.orders.offsets) == 0",
    "columns": "units.to_arrow().column_names",
    "dtypes": "units.to_pandas().dtypes",
    "dtype": "units.health.dtype",
    "values": "units.to_pandas().to_numpy()",
    "to_numpy": "units.to_pandas().to_numpy()",
    "numpy": "units.to_pandas().to_numpy()",
    "to_list": "list(units)",
    "tolist": "list(units)",
    "to_dict": "[dict(unit) for unit in units]",
    "to_polars": "polars.DataFrame(units)",
    "df": "units.to_pandas()",
    "iloc": "units[...]",
    "loc": "units[...]",
    "query": "units.where(...)",
    "apply": "[function(unit) for unit in units]",
    "map": "[function(unit) for unit in units]",
    "groupby": "units.to_pandas().groupby(...)",
    "value_counts": "units.to_pandas().value_counts(...)",
    "describe": "units.to_pandas().describe()",
    "to_csv": "units.to_pandas().to_csv(...)",
    "to_parquet": "units.to_pandas().to_parquet(...)",
    "copy": "copy.copy(units)",
    "mean": "units.health.mean()",
    "sum": "units.health.sum()",
    "min": "units.health.min()",
    "max": "units.health.max()",
    "attack": "abathur.actions.attack(units, target)",
    "move": "abathur.actions.move(units, target)",
    "train": "abathur.actions.train(units, unit_type)",
    "build": "abathur.actions.build(units, unit_type, place)",
}
#: The same for one unit.
UNIT: Final[Mapping[str, str]] = {name: text.format("unit") for name, text in _OF_BOTH.items()} | {
    "id": "unit.tag",
    "health_percentage": "unit.health / unit.health_max",
    "shield_percentage": "unit.shield / unit.shield_max",
    "energy_percentage": "unit.energy / unit.energy_max",
    "is_idle": "not unit.orders",
    "to_dict": "dict(unit)",
    "_asdict": "dict(unit)",
    "asdict": "dict(unit)",
    "columns": "unit.keys()",
    "is_structure": "the attributes of its type in game_data()",
    "has_buff": "any(buff.buff_id == ... for buff in unit.buffs)",
    "position_tuple": "unit.position",
    "closest_to": "units.closest_to(unit)",
    "in_range": "units.in_range(unit, distance)",
    "attack": "abathur.actions.attack(unit, target)",
    "move": "abathur.actions.move(unit, target)",
    "train": "abathur.actions.train(unit, unit_type)",
    "build": "abathur.actions.build(unit, unit_type, place)",
}
#: The same for a frame.
FRAME: Final[Mapping[str, str]] = {
    **{
        name: f"frame.player.{name}"
        for name in ("minerals", "vespene", "food_used", "food_cap", "food_army", "food_workers", "army_count")
    },
    "supply": "frame.player.food_used",
    "supply_used": "frame.player.food_used",
    "supply_cap": "frame.player.food_cap",
    "gas": "frame.player.vespene",
    "player_id": "frame.player.player_id",
    "player_common": "frame.player",
    "game_time": "frame.time",
    "seconds": "frame.time",
    "timestamp": "frame.time",
    "loop": "frame.game_loop",
    "step": "frame.game_loop",
    "iteration": "frame.game_loop",
    "tick": "frame.game_loop",
    "number": "frame.sequence",
    "enemies": 'frame.units.where(alliance="enemy")',
    "enemy_units": 'frame.units.where(alliance="enemy")',
    "own_units": 'frame.units.where(alliance="self")',
    "mine": 'frame.units.where(alliance="self")',
    "structures": "frame.units[numpy.isin(frame.units.unit_type, ...)]",
    "workers": 'frame.units.where(unit_type=["SCV", "Drone", "Probe"])',
    "townhalls": "frame.units.where(unit_type=...)",
    "pos": "frame.units.pos",
    "visibility": "frame.grids.visibility",
    "creep": "frame.grids.creep",
    "raw_data": "frame.rest.observation.raw_data",
    "score": "frame.rest.observation.score",
    "alerts": "frame.rest.observation.alerts",
    "chat": "frame.rest.chat",
    "actions": "frame.rest.actions",
    "result": "frame.rest.player_result",
    "results": "frame.rest.player_result",
    "upgrades": "frame.rest.observation.raw_data.player.upgrade_ids",
    "effects": "frame.rest.observation.raw_data.effects",
    "dead_units": "frame.rest.observation.raw_data.event.dead_units",
    "map_size": "game_info().start_raw.map_size of the recording or the game",
    "map_name": "map_name of the recording, or of game.match()",
    "to_pandas": "frame.units.to_pandas()",
    "to_arrow": "frame.units.to_arrow()",
    "to_dict": "frame.json",
    "copy": "copy.copy(frame)",
}
#: The same for grids.
GRIDS: Final[Mapping[str, str]] = {
    "pathing": "game_info().start_raw.pathing_grid of the recording or the game",
    "pathing_grid": "game_info().start_raw.pathing_grid of the recording or the game",
    "placement": "game_info().start_raw.placement_grid of the recording or the game",
    "placement_grid": "game_info().start_raw.placement_grid of the recording or the game",
    "height": "game_info().start_raw.terrain_height of the recording or the game",
    "terrain_height": "game_info().start_raw.terrain_height of the recording or the game",
    "shape": "grids.visibility.shape",
    "has_creep": "grids.creep",
}


def absent(owner: object, name: str, equivalents: Mapping[str, str]) -> Any:
    """Raise AttributeError for an attribute, with what to write in place of it: for `__getattr__`.

    Args:
        owner: The object.
        name: The name of the attribute.
        equivalents: `FRAME`, `UNIT`, ...

    Raises:
        AttributeError: the one of the attribute itself, if it exists and could not be read.
    """
    kind = type(owner)
    if hasattr(kind, name):
        return object.__getattribute__(owner, name)
    # Python, and notebooks, ask for many names with underscores.
    names = () if name.startswith("_") else [each for each in dir(owner) if not each.startswith("_")]
    found = hint(name, equivalents, names)
    raise AttributeError(f"'{kind.__name__}' object has no attribute {name!r}{found}", name=name, obj=owner)


def hint(name: str, equivalents: Mapping[str, str], names: Collection[str]) -> str:
    """What to write in place of a name that does not exist: the end of an error's text, which may be empty.

    Args:
        name: The name.
        equivalents: `UNITS` or `UNIT`.
        names: Those that exist.
    """
    found = equivalents.get(name)
    if found is not None:
        return f": write {found}"
    close = difflib.get_close_matches(name, names, n=2)
    return f": did you mean {' or '.join(close)}?" if close else ""

"""The columns of units and of their lists: type, and the field that they are."""

from __future__ import annotations

#: Columns by name: dtype, and the path of the field in `SC2APIProtocol.Unit`.
COLUMNS: dict[str, tuple[str, str]] = {
    "tag": ("u8", "tag"),
    "unit_type": ("u4", "unit_type"),
    "owner": ("i4", "owner"),
    "alliance": ("i1", "alliance"),
    "display_type": ("i1", "display_type"),
    "cloak": ("i1", "cloak"),
    "x": ("f4", "pos.x"),
    "y": ("f4", "pos.y"),
    "z": ("f4", "pos.z"),
    "facing": ("f4", "facing"),
    "radius": ("f4", "radius"),
    "build_progress": ("f4", "build_progress"),
    "detect_range": ("f4", "detect_range"),
    "radar_range": ("f4", "radar_range"),
    "health": ("f4", "health"),
    "health_max": ("f4", "health_max"),
    "shield": ("f4", "shield"),
    "shield_max": ("f4", "shield_max"),
    "energy": ("f4", "energy"),
    "energy_max": ("f4", "energy_max"),
    "weapon_cooldown": ("f4", "weapon_cooldown"),
    "mineral_contents": ("i4", "mineral_contents"),
    "vespene_contents": ("i4", "vespene_contents"),
    "assigned_harvesters": ("i4", "assigned_harvesters"),
    "ideal_harvesters": ("i4", "ideal_harvesters"),
    "cargo_space_taken": ("i4", "cargo_space_taken"),
    "cargo_space_max": ("i4", "cargo_space_max"),
    "attack_upgrade_level": ("i4", "attack_upgrade_level"),
    "armor_upgrade_level": ("i4", "armor_upgrade_level"),
    "shield_upgrade_level": ("i4", "shield_upgrade_level"),
    "engaged_target_tag": ("u8", "engaged_target_tag"),
    "add_on_tag": ("u8", "add_on_tag"),
    "is_flying": ("?", "is_flying"),
    "is_burrowed": ("?", "is_burrowed"),
    "is_hallucination": ("?", "is_hallucination"),
    "is_on_screen": ("?", "is_on_screen"),
    "is_selected": ("?", "is_selected"),
    "is_blip": ("?", "is_blip"),
    "is_powered": ("?", "is_powered"),
    "is_active": ("?", "is_active"),
    "buff_duration_remain": ("i4", "buff_duration_remain"),
    "buff_duration_max": ("i4", "buff_duration_max"),
}
_POINT_OF_ORDER = "target_world_space_pos"
ORDER_COLUMNS: dict[str, tuple[str, str]] = {
    "ability_id": ("u4", "ability_id"),
    "target_unit_tag": ("u8", "target_unit_tag"),
    "x": ("f4", f"{_POINT_OF_ORDER}.x"),
    "y": ("f4", f"{_POINT_OF_ORDER}.y"),
    "z": ("f4", f"{_POINT_OF_ORDER}.z"),
    "progress": ("f4", "progress"),
}
BUFF_COLUMNS: dict[str, tuple[str, str]] = {"buff_id": ("u4", "buff_id")}
PASSENGER_COLUMNS: dict[str, tuple[str, str]] = {
    "tag": ("u8", "tag"),
    "unit_type": ("u4", "unit_type"),
    "health": ("f4", "health"),
    "health_max": ("f4", "health_max"),
    "shield": ("f4", "shield"),
    "shield_max": ("f4", "shield_max"),
    "energy": ("f4", "energy"),
    "energy_max": ("f4", "energy_max"),
}
RALLY_COLUMNS: dict[str, tuple[str, str]] = {
    "x": ("f4", "point.x"),
    "y": ("f4", "point.y"),
    "z": ("f4", "point.z"),
    "tag": ("u8", "tag"),
}

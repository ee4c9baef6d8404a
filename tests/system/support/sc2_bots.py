"""Bots of python-sc2 that use its API as its users' bots do, and know nothing of this project."""

from __future__ import annotations

from typing import Any

from sc2.bot_ai import BotAI
from sc2.data import Result
from sc2.ids.ability_id import AbilityId
from sc2.ids.unit_typeid import UnitTypeId
from sc2.ids.upgrade_id import UpgradeId
from sc2.position import Point2, Point3


class Noting(BotAI):
    """Notes what it sees in each step."""

    def __init__(self) -> None:
        super().__init__()
        self.notes: list[Any] = []
        self.result: Result | None = None

    async def on_end(self, game_result: Result) -> None:
        self.result = game_result


class Census(Noting):
    """Counts everything, by attributes and computed values of units."""

    async def on_start(self) -> None:
        # python-sc2 takes the first town hall for the start: in the sample, which begins late, another one.
        self.notes.append((self.enemy_start_locations, self.race, self.enemy_race))
        self.notes.append(sorted(map(tuple, self.expansion_locations_list)))
        self.notes.append((len(self.game_info.map_ramps), self.game_info.map_center, self.game_info.map_name))

    async def on_step(self, iteration: int) -> None:
        place = self.enemy_start_locations[0]
        enemies = self.enemy_units | self.enemy_structures
        army = self.units.exclude_type({UnitTypeId.DRONE, UnitTypeId.LARVA, UnitTypeId.OVERLORD})
        self.notes.append(
            (
                self.state.game_loop,
                self.minerals,
                self.supply_used,
                self.units.amount,
                self.structures.ready.amount,
                self.mineral_field.amount,
                self.vespene_geyser.amount,
                len(self.state.dead_units),
                round(sum(unit.health_percentage for unit in army), 4),
                sum(len(unit.orders) for unit in self.units),
                sum(unit.is_idle for unit in self.units),
                [round(unit.calculate_speed(), 3) for unit in army[:3]],
                [round(unit.ground_dps, 3) for unit in army[:3]],
                [unit.in_ability_cast_range(AbilityId.EFFECT_CORROSIVEBILE, place) for unit in army[:2]],
                enemies.closest_to(place).tag if enemies else None,
                self.state.visibility[place.rounded],
                self.has_creep(place),
                self.in_pathing_grid(place),
                len(self.state.effects),
                self.get_terrain_height(place),
            )
        )


class Costs(Noting):
    """Asks the game data."""

    async def on_step(self, iteration: int) -> None:
        if iteration % 20:
            return
        types = (UnitTypeId.ZERGLING, UnitTypeId.BANELING, UnitTypeId.HATCHERY, UnitTypeId.LAIR, UnitTypeId.ROACH)
        self.notes.append([(each, self.calculate_cost(each), self.calculate_supply_cost(each)) for each in types])
        self.notes.append([self.can_afford(each) for each in types])
        self.notes.append([self.already_pending(each) for each in types])
        self.notes.append(self.already_pending_upgrade(UpgradeId.ZERGLINGMOVEMENTSPEED))
        self.notes.append([self.tech_requirement_progress(each) for each in types])
        self.notes.append(self.calculate_unit_value(UnitTypeId.ROACH))
        self.notes.append(self.structure_type_build_progress(UnitTypeId.SPAWNINGPOOL))


class Macro(Noting):
    """Trains, expands and sends its workers."""

    async def on_step(self, iteration: int) -> None:
        await self.distribute_workers()
        if self.larva and self.can_afford(UnitTypeId.DRONE):
            self.larva.first.train(UnitTypeId.DRONE)
        if iteration % 40 == 0:
            await self.expand_now(UnitTypeId.HATCHERY, max_distance=10)
            self.notes.append(await self.get_next_expansion())
        for queen in self.units(UnitTypeId.QUEEN):
            queen(AbilityId.EFFECT_INJECTLARVA, self.townhalls.first)


class Painter(Noting):
    """Draws what it knows, and talks."""

    async def on_step(self, iteration: int) -> None:
        for hall in self.townhalls:
            self.client.debug_sphere_out(hall, 9, color=Point3((0, 255, 0)))
            self.client.debug_text_world(f"{hall.name}", hall, color=(255, 200, 0))
            self.client.debug_box2_out(hall, 2.5)
        self.client.debug_line_out(Point3((0, 0, 5)), Point3((10, 10, 5)))
        self.client.debug_text_screen("on the screen", (0.1, 0.1))
        if iteration == 3:
            await self.chat_send("hello")
            await self.client.move_camera(Point2((20, 20)))
            self.notes.append("talked")


ALL = (Census, Costs, Macro, Painter)

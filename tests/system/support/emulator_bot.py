"""A bot of python-sc2 that knows nothing of this project. As a program, it takes a ladder's arguments."""

from __future__ import annotations

import argparse
import asyncio
import json
from typing import Any

from sc2.bot_ai import BotAI
from sc2.data import Race, Result
from sc2.ids.ability_id import AbilityId
from sc2.ids.unit_typeid import UnitTypeId
from sc2.main import play_from_websocket
from sc2.player import Bot
from sc2.portconfig import Portconfig
from sc2.unit_command import UnitCommand


class Watcher(BotAI):
    """Looks at everything that bots look at, and orders a little."""

    def __init__(self) -> None:
        super().__init__()
        self.loops: list[int] = []
        self.minerals_seen: list[int] = []
        self.tags_seen: list[set[int]] = []
        self.destroyed: list[int] = []
        self.first: dict[str, Any] = {}
        self.started = False
        self.result: Result | None = None

    async def on_start(self) -> None:
        self.started = True
        await self.chat_send("gl hf")

    async def on_step(self, iteration: int) -> None:
        self.loops.append(self.state.game_loop)
        self.minerals_seen.append(self.minerals)
        self.tags_seen.append({unit.tag for unit in self.all_units})
        if iteration == 0:
            await self._look_around()
        elif iteration % 50 == 0:
            for worker in self.workers:
                worker.attack(self.enemy_start_locations[0])

    async def on_unit_destroyed(self, unit_tag: int) -> None:
        self.destroyed.append(unit_tag)

    async def on_end(self, game_result: Result) -> None:
        self.result = game_result

    async def _look_around(self) -> None:
        target = self.enemy_start_locations[0]
        walkers = self.units.not_flying
        first = self.first
        first["townhalls"] = self.townhalls.amount
        first["expansions"] = len(self.expansion_locations_list)
        first["ramps"] = len(self.game_info.map_ramps)
        first["races"] = (self.race, self.enemy_race)
        first["walk"] = await self.client.query_pathing(walkers.first, self.game_info.map_center)
        first["walks"] = await self.client.query_pathings([[unit, target] for unit in walkers])
        first["walkers"] = walkers.amount
        first["halls walk"] = await self.client.query_pathing(self.townhalls.first, target)
        first["between starts"] = await self.client.query_pathing(target, self.start_location)
        first["next expansion"] = await self.get_next_expansion()
        first["abilities"] = await self.get_available_abilities(self.units)
        first["units"] = self.units.amount
        building = {Race.Zerg: UnitTypeId.SPAWNINGPOOL, Race.Terran: UnitTypeId.BARRACKS}.get(
            self.race, UnitTypeId.PYLON
        )
        first["on hall"] = await self.can_place(building, [self.start_location])
        first["spot"] = await self.find_placement(building, near=self.start_location, max_distance=30)
        await self.client.debug_create_unit([[UnitTypeId.ZERGLING, 2, self.game_info.map_center, 1]])
        self.client.debug_text_simple("seen")
        if self.workers:
            self.workers.first.move(self.game_info.map_center)
            self.workers.first.hold_position(queue=True)
            if self.mineral_field:
                self.workers.random.gather(self.mineral_field.first)
            if first["spot"] is not None:
                self.workers.first.build(building, first["spot"])
        first["results"] = await self.client.actions(
            [UnitCommand(AbilityId.STOP, walkers.first), UnitCommand(AbilityId.ATTACK, walkers.first, target)],
            return_successes=True,
        )


def main() -> None:
    """Play one match as a ladder starts it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--GamePort", type=int, required=True)
    parser.add_argument("--StartPort", type=int)
    parser.add_argument("--LadderServer", default="127.0.0.1")
    parser.add_argument("--OpponentId")
    parser.add_argument("--RealTime", action="store_true")
    arguments = parser.parse_args()
    ports = None
    if arguments.StartPort is not None:
        start = arguments.StartPort
        ports = Portconfig(server_ports=[start + 2, start + 3], player_ports=[[start + 4, start + 5]])
    bot = Watcher()
    url = f"ws://{arguments.LadderServer}:{arguments.GamePort}/sc2api"
    result = asyncio.run(play_from_websocket(url, Bot(Race.Zerg, bot, "Watcher"), arguments.RealTime, ports))
    print(json.dumps({"result": result.name, "loops": bot.loops, "destroyed": bot.destroyed}))


if __name__ == "__main__":
    main()

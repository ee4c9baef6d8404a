"""An agent that plays: it sends all its workers at the enemy's start location, through the daemon.

abathur live --map AcropolisLE.SC2Map --opponent ai:zerg --allow-actions --agent "python worker_rush_agent.py"
"""

from __future__ import annotations

import abathur
from abathur import actions
from s2clientprotocol import sc2api_pb2

WORKERS = (84, 45, 104)  # Probe, SCV, Drone
MINE = 1
ENEMY = 4


class WorkerRush(abathur.Agent):
    """Attacks once, and then whatever comes near."""

    policy = "lockstep"
    rushes = 0

    async def on_start(self) -> None:
        """Find out where the enemy must be."""
        match = await self.game.match()
        assert match is not None
        starts = match.game_info.start_raw.start_locations
        self.target = (starts[0].x, starts[0].y) if starts else None
        await self.act([actions.chat("(glhf)")])

    async def on_step(self, frame: abathur.Frame) -> None:
        """Send workers that do not attack yet."""
        units = frame.units
        enemies = units.tag[units.alliance == ENEMY]
        target = int(enemies[0]) if len(enemies) else self.target
        workers = [
            unit.tag
            for unit in frame.observation.raw_data.units
            if unit.alliance == MINE
            and unit.unit_type in WORKERS
            and not any(order.ability_id == actions.ATTACK for order in unit.orders)
        ]
        if not workers or target is None or frame.game_loop % 22:
            return
        result = await self.act([actions.attack(workers, target)])
        self.rushes += 1
        for index, error in result.errors.items():
            print(f"action {index}: {error}")

    async def on_end(self, results: list[sc2api_pb2.PlayerResult]) -> None:
        """Say how it went."""
        outcome = ", ".join(f"player {each.player_id}: {sc2api_pb2.Result.Name(each.result)}" for each in results)
        print(f"{self.rushes} attacks, {self.game.late_actions} too late. {outcome}")


if __name__ == "__main__":
    WorkerRush().run()

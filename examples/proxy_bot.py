"""A bot of python-sc2 as it is, played through the proxy: nothing in it knows of Abathur.

    abathur proxy --listen 5001 --sc2 127.0.0.1:5000 -o match.mcap --agent "python examples/numpy_agent.py"
    python examples/proxy_bot.py --LadderServer 127.0.0.1 --GamePort 5001

The arguments are those with which AI Arena starts a bot; GamePort is the proxy's instead of the game's.
"""

from __future__ import annotations

import argparse
import asyncio

from sc2.bot_ai import BotAI
from sc2.data import Race, Result
from sc2.main import play_from_websocket
from sc2.player import Bot
from sc2.portconfig import Portconfig


class Defender(BotAI):
    """Keeps its workers busy, and attacks enemies that come near."""

    async def on_step(self, iteration: int) -> None:
        """Called for each step."""
        if iteration == 0:
            await self.chat_send("(glhf)")
        await self.distribute_workers()
        intruders = self.enemy_units.closer_than(30, self.start_location)
        if intruders and iteration % 8 == 0:
            for unit in self.units - self.workers:
                unit.attack(intruders.center)

    async def on_end(self, game_result: Result) -> None:
        """Called at the end."""
        print(f"the bot saw {self.state.game_loop} game loops: {game_result.name}")


def main() -> None:
    """Play one match."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--LadderServer", default="127.0.0.1")
    parser.add_argument("--GamePort", type=int, required=True)
    parser.add_argument("--StartPort", type=int)
    parser.add_argument("--OpponentId")
    parser.add_argument("--RealTime", action="store_true")
    arguments = parser.parse_args()
    ports = None
    if arguments.StartPort is not None:
        first = arguments.StartPort
        ports = Portconfig(server_ports=[first + 2, first + 3], player_ports=[[first + 4, first + 5]])
    url = f"ws://{arguments.LadderServer}:{arguments.GamePort}/sc2api"
    asyncio.run(play_from_websocket(url, Bot(Race.Zerg, Defender()), arguments.RealTime, ports))


if __name__ == "__main__":
    main()

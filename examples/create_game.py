"""Creates a game against the built-in AI, for a bot that only joins, such as one that is started as for a ladder.

python examples/create_game.py 127.0.0.1:5000 AcropolisLE.SC2Map
python examples/proxy_bot.py --LadderServer 127.0.0.1 --GamePort 5001
"""

from __future__ import annotations

import argparse
import asyncio
import sys

import aiohttp
from s2clientprotocol import common_pb2, sc2api_pb2


async def create(address: str, map_name: str) -> str:
    """Create a game; returns what the game refuses, or nothing."""
    request = sc2api_pb2.Request()
    request.create_game.local_map.map_path = map_name
    request.create_game.player_setup.add(type=sc2api_pb2.Participant)
    request.create_game.player_setup.add(type=sc2api_pb2.Computer, race=common_pb2.Terran, difficulty=sc2api_pb2.Easy)
    async with aiohttp.ClientSession() as session, session.ws_connect(f"ws://{address}/sc2api") as game:
        await game.send_bytes(request.SerializeToString())
        response = sc2api_pb2.Response.FromString(await game.receive_bytes())
    return " ".join([*response.error, response.create_game.error_details])


def main() -> None:
    """Create one game."""
    parser = argparse.ArgumentParser()
    parser.add_argument("address", metavar="HOST:PORT", help="of the game")
    parser.add_argument("map", metavar="MAP", help="a file in the game's folder Maps")
    options = parser.parse_args()
    refusal = asyncio.run(create(options.address, options.map)).strip()
    if refusal:
        sys.exit(f"no game was created: {refusal}")
    print(f"created a game on {options.map}; a bot may join")


if __name__ == "__main__":
    main()

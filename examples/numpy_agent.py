"""An agent that sees the match as arrays: where the enemy's army is, and how much of it.

abathur play
python examples/numpy_agent.py
"""

from __future__ import annotations

import asyncio

import abathur
import numpy as np

ENEMY = 4
LOOPS_PER_SECOND = 22.4


async def main() -> None:
    """Print a line for each second of the match."""
    async with abathur.connect() as game:
        async for frame in game.frames(fields=["observation.game_loop", "observation.raw_data.units"], every=22):
            units = frame.units
            enemies = units.alliance == ENEMY
            seconds = frame.game_loop / LOOPS_PER_SECOND
            if not enemies.any():
                print(f"{seconds:6.0f} s: no enemy in sight")
                continue
            center = units.pos[enemies, :2].mean(axis=0)
            health = float(np.sum(units.health[enemies] + units.shield[enemies]))
            place = f"({center[0]:.0f}, {center[1]:.0f})"
            skipped = f", {frame.dropped} frames dropped" if frame.dropped else ""
            print(f"{seconds:6.0f} s: {enemies.sum()} enemies around {place}, {health:.0f} health{skipped}")


if __name__ == "__main__":
    asyncio.run(main())

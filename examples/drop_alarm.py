"""An agent that says when an enemy drop leaves their base, and shows it on the map.

abathur play
python examples/drop_alarm.py
"""

from __future__ import annotations

import abathur
import numpy as np
from abathur import drawing
from abathur.ids import UnitTypeId

TRANSPORTS = (UnitTypeId.MEDIVAC, UnitTypeId.WARPPRISM, UnitTypeId.OVERLORDTRANSPORT)
BASE_RADIUS = 40


class DropAlarm(abathur.Agent):
    """Follows transports of the enemy by their tags."""

    encoding = "columns"

    async def on_start(self) -> None:
        """Find the enemy's base."""
        match = await self.game.match()
        assert match is not None
        start = match.game_info.start_raw.start_locations[0]
        self.base = np.array((start.x, start.y))
        self.outside: dict[int, str] = {}

    async def on_step(self, frame: abathur.Frame) -> None:
        """Say which transports have left the base since the last frame, and draw all that are outside."""
        drops = frame.units.where(alliance="enemy", unit_type=TRANSPORTS)
        drops = drops[np.hypot(*(drops.pos[:, :2] - self.base).T) > BASE_RADIUS]
        for drop in drops:
            if drop.tag not in self.outside:
                self.outside[drop.tag] = drop.name
                print(f"{frame.game_loop / 22.4:.0f} s: {drop.name} left their base, at {drop.x:.0f}, {drop.y:.0f}")
        await self.draw(drawing.circle((drop.x, drop.y), 5, color="#d55e00") for drop in drops)

    async def on_unit_destroyed(self, tag: int) -> None:
        """Give the all-clear."""
        if tag in self.outside:
            print(f"{self.outside.pop(tag)} was shot down")


if __name__ == "__main__":
    DropAlarm().run()

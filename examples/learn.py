"""Learns from 40 generated matches who wins the next fight, and says it beside a match.

abathur play
python examples/learn.py
"""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import abathur
import numpy as np
from abathur import drawing, learn

MATCHES = [Path("fights", f"{seed}.mcap") for seed in range(1, 41)]
UNITS = ["x", "y", "health", "shield", "is_own", "is_enemy", "display_type"]
SPEC = learn.Spec(frames=4, every=16, slots=400, units=UNITS)
NEAR, VIOLET = 15, "#7a00cc"


def look(window: learn.Window) -> tuple[Any, Any]:
    """Seven numbers of both armies near the enemy, (..., 7), and where that is, (..., 2); of one window, or of many."""
    x, y, health, shield, own, enemy, seen = np.moveaxis(window["units"].astype(float), -1, 0)
    enemy *= seen == 1  # Not what was seen before.
    place = np.stack([(each * enemy).sum(-1) / np.maximum(enemy.sum(-1), 1) for each in (x, y)], -1)
    own *= np.hypot(x - place[..., :1], y - place[..., 1:]) < NEAR
    strong = np.stack([np.log1p((each * (health + shield)).sum(-1)) for each in (own, enemy)], -1)
    many = np.stack([np.log1p(each.sum(-1)) for each in (own, enemy)], -1)[..., -1, :]
    change = strong[..., -1, :] - strong[..., 0, :]
    return np.concatenate([strong[..., -1, :], change, many, np.ones_like(many[..., :1])], -1), place[..., -1, :]


def fights(data: learn.Windows) -> tuple[Any, Any]:
    """The numbers before each fight, and whether the enemy lost more in it."""
    seen = [(look(batch)[0], batch["target"]) for batch in data.batches(64, shuffle=False, drop_last=True)]
    numbers, target = (np.concatenate(each) for each in zip(*seen, strict=True))
    is_fight = target[:, 0] != target[:, 1]
    return numbers[is_fight], (target[:, 1] > target[:, 0])[is_fight]


def chance(numbers: Any, weights: Any) -> Any:
    """The probability to win."""
    return 1 / (1 + np.exp(-numbers @ weights))


async def main(address: str | None = None) -> None:
    """Make the matches, learn, and predict beside a match."""
    for path in (path for path in MATCHES if not path.exists()):
        path.parent.mkdir(exist_ok=True)
        command = ["abathur", "synth", "--seed", path.stem, "--compact", "--quiet", "--output", path]
        subprocess.run([sys.executable, "-m", *command], check=True)
    train, test = learn.Windows(MATCHES, SPEC, step=32, target=learn.losses(within=224)).split(0.75, seed=1)
    (numbers, won), (new, new_won) = fights(train), fights(test)
    weights = np.zeros(numbers.shape[1])
    for _ in range(20):  # Newton's method, which needs no rate.
        found = chance(numbers, weights)
        curvature = (numbers.T * (found * (1 - found))) @ numbers + np.eye(len(weights))
        weights += np.linalg.solve(curvature, numbers.T @ (won - found) - weights)
    losses = [-np.log(np.where(new_won, each, 1 - each)).mean() for each in (chance(new, weights), won.mean())]
    fought = f"{len(new)} fights in {len(test.recordings)} other matches"
    print(f"{fought}: log loss {losses[0]:.3f}, of the base rate {losses[1]:.3f}")
    async with abathur.connect(address) as game:
        async for window in learn.live(game, SPEC):
            found, place = look(window)
            value = float(chance(found, weights))
            await game.plot("chance to win the next fight", value)
            shapes = [drawing.circle(place, NEAR, color=VIOLET), drawing.text(place, f"{value:.0%}", color=VIOLET)]
            await game.draw(shapes)


if __name__ == "__main__":
    asyncio.run(main())

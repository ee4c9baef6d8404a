"""python-sc2 with Abathur: games that are recorded and shown, and bots that watch.

`run_game` starts a game as python-sc2 does, with a daemon between each bot and its game. `run` runs an unchanged
``BotAI`` subclass on frames: it watches a match that another bot plays.

>>> from abathur.sc2 import run_game  # instead of: from sc2.main import run_game
>>> abathur.sc2.run(MyBot(), "127.0.0.1:22400")  # doctest: +SKIP

Needs burnysc2: ``pip install abathur-agent[sc2]``. docs/agents-advanced.md has the rules.
"""

from __future__ import annotations

from abathur.sc2._games import ObservedGame, observed, run_game, run_multiple_games
from abathur.sc2._result import BotResult
from abathur.sc2._run import run, run_async

__all__ = ["BotResult", "ObservedGame", "observed", "run", "run_async", "run_game", "run_multiple_games"]

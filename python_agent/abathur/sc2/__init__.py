"""Runs bots of python-sc2 on frames: an unchanged ``BotAI`` subclass watches a match that another bot plays.

>>> abathur.sc2.run(MyBot(), "127.0.0.1:22400")  # doctest: +SKIP

Needs burnysc2: ``pip install abathur-agent[sc2]``. docs/agents.md has the rules.
"""

from __future__ import annotations

from abathur.sc2._result import BotResult
from abathur.sc2._run import run, run_async

__all__ = ["BotResult", "run", "run_async"]

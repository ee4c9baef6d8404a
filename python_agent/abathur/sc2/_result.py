"""What a run of a bot on frames has come to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sc2.bot_ai import BotAI
    from sc2.data import Result


@dataclass(slots=True)
class BotResult:
    """The end of a run of `abathur.sc2.run`.

    Attributes:
        bot: The bot; after a playback went back, the newest.
        result: The result of its player; ``Result.Undecided`` if the frames ended without one.
        steps: How often `on_step` was called, of all bots.
        game_loop: Game loop of the last frame.
        bots: Number of bots: one more each time a playback went back, or another match began.
        actions_sent: Actions that the game received.
        actions_withheld: Actions that the source does not accept. The bot is told that they succeeded.
        queries_unanswered: Queries that neither game nor daemon answered. The bot got an estimate.
        debug_withheld: Debug commands, other than drawings, which are not passed on.
    """

    bot: BotAI
    result: Result
    steps: int = 0
    game_loop: int = 0
    bots: int = 1
    actions_sent: int = 0
    actions_withheld: int = 0
    queries_unanswered: int = 0
    debug_withheld: int = 0

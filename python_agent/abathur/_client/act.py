"""The game's answer to actions, and refusals of requests."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from s2clientprotocol import error_pb2

from abathur.errors import RequestError
from abathur.sync.v1 import sync_pb2

_SUCCESS = "Success"


@dataclass(frozen=True, slots=True)
class ActResult:
    """The game's answer to the actions of one `Game.act`.

    Attributes:
        results: Name of the `ActionResult` of each action, in order: ``Success``, ``NotEnoughMinerals``, ...
        game_loop: Game loop of the newest observation when the game received them.
        late_game_loops: Game loops since the observation that they answer; 0: in time.
    """

    results: tuple[str, ...]
    game_loop: int
    late_game_loops: int

    @property
    def ok(self) -> bool:
        """Whether the game accepted every action."""
        return all(result == _SUCCESS for result in self.results)

    @property
    def errors(self) -> dict[int, str]:
        """The actions that failed: their index, and the name of the `ActionResult`."""
        return {index: result for index, result in enumerate(self.results) if result != _SUCCESS}


def from_message(message: sync_pb2.ActResult) -> ActResult:
    """The result from its message. Unknown results of a newer game are numbers."""
    known = error_pb2.ActionResult.DESCRIPTOR.values_by_number
    names = tuple(known[value].name if value in known else str(value) for value in message.response.result)
    return ActResult(names, message.game_loop, message.late_game_loops)


@contextlib.contextmanager
def refusals() -> Iterator[None]:
    """Keep refusals of actions as `RequestError`: its subclasses are for subscriptions."""
    try:
        yield
    except RequestError as error:
        raise RequestError(error.code, error.message) from None

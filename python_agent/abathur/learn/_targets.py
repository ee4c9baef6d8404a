"""What a model is to predict: what comes after a window."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from s2clientprotocol import sc2api_pb2

from abathur._frame.frame import Frame
from abathur._recording.recording import Recording
from abathur._values import arguments
from abathur.errors import RecordingError
from abathur.learn._spec import check_number

#: An array of some shape, float32.
Values: TypeAlias = NDArray[np.float32]

_MAX_WITHIN = 1_000_000
_MAX_ACTIONS = 4096
_RESULTS: Final = {"victory": 1.0, "defeat": 0.0, "tie": 0.5}
#: The numbers of an action in the target `actions`.
ACTION: Final = ("ability_id", "x", "y", "target_slot", "unit_slot", "number_of_units", "queued")


class Future(list[Frame]):
    """The sampled frames after a window, up to its horizon, for a target that is a function.

    Attributes:
        now: The last frame of the window.
    """

    def __init__(self, now: Frame, frames: Sequence[Frame]) -> None:
        super().__init__(frames)
        self.now: Frame = now


class Target(ABC):
    """What a model is to predict. Made by `losses`, `resources`, `actions`, `result`, or of a function. Pickles.

    Attributes:
        within: How many game loops after a window are needed.
        shape: Of its values; None: it is known when there is one.
        reads_all: Whether it needs what happened once in the frames that are not sampled.
        compares: Whether it needs only the last frame of a window, and the last one behind it.
    """

    within: int = 0
    shape: tuple[int, ...] | None = ()
    reads_all: bool = False
    compares: bool = False

    def note(self, frame: Frame, happened: Sequence[sc2api_pb2.ResponseObservation]) -> Any:
        """What it needs of a sampled frame, and of all since the one before, if it reads all."""
        return None

    @abstractmethod
    def look(self, now: Any, after: Sequence[Any]) -> Any:
        """What it makes of the notes of the last frame of a window, and of the frames behind it."""

    def value(self, seen: Any, tags: NDArray[np.int64]) -> Values:
        """The value of a window, of what `look` made and of the units of its slots."""
        return seen  # type: ignore[no-any-return]

    def check(self, every: int) -> None:
        """Raise ValueError if the horizon does not fit to the game loops from one sampled frame to the next."""
        if self.within % every:
            raise ValueError(f"within={self.within} is not a multiple of the {every} game loops of the spec's `every`")


class _Losses(Target):
    shape = (2,)
    compares = True

    def __init__(self, within: int) -> None:
        self.within = _horizon(within)

    def note(self, frame: Frame, happened: Sequence[sc2api_pb2.ResponseObservation]) -> Values:
        details = frame._without_units().observation.score.score_details
        parts = (
            (details.lost_minerals, details.lost_vespene),
            (details.killed_minerals, details.killed_vespene),
        )
        sums = [sum(value for part in both for _, value in part.ListFields()) for both in parts]
        return np.array(sums, np.float32)

    def look(self, now: Any, after: Sequence[Any]) -> Any:
        return after[-1] - now


class _Resources(Target):
    shape = (2,)
    compares = True

    def __init__(self, within: int) -> None:
        self.within = _horizon(within)

    def note(self, frame: Frame, happened: Sequence[sc2api_pb2.ResponseObservation]) -> Values:
        player = frame.player
        return np.array([player.minerals, player.vespene], np.float32)

    def look(self, now: Any, after: Sequence[Any]) -> Any:
        return after[-1]


class _Actions(Target):
    reads_all = True

    def __init__(self, within: int, limit: int) -> None:
        self.within = _horizon(within)
        self._limit = check_number("limit", limit, _MAX_ACTIONS)
        self.shape = (self._limit, len(ACTION))

    def note(self, frame: Frame, happened: Sequence[sc2api_pb2.ResponseObservation]) -> list[Any]:
        return [command for response in happened for command in _commands(response)]

    def look(self, now: Any, after: Sequence[Any]) -> Any:
        return list(islice((command for note in after for command in note), self._limit))

    def value(self, seen: Any, tags: NDArray[np.int64]) -> Values:
        made = np.zeros((self._limit, len(ACTION)), np.float32)
        made[:, 3:5] = -1
        for row, command in zip(made, seen, strict=False):
            point, units = command.target_world_space_pos, command.unit_tags
            target = command.target_unit_tag if command.HasField("target_unit_tag") else 0
            row[:] = (
                command.ability_id,
                point.x,
                point.y,
                _slot(tags, target),
                _slot(tags, units[0] if units else 0),
                len(units),
                command.queue_command,
            )
        return made


class MatchTarget(Target):
    """One of which all windows of a recording have one value."""

    @abstractmethod
    def of_match(self, recording: Recording) -> Values:
        """The value.

        Raises:
            RecordingError: the recording does not have it.
        """

    def look(self, now: Any, after: Sequence[Any]) -> Any:
        """Nothing: frames are not needed."""
        return None


class _Result(MatchTarget):
    def of_match(self, recording: Recording) -> Values:
        found = recording.result
        if found not in _RESULTS:
            raise RecordingError(f"{recording.path} has no result of its player, which the target `result` needs")
        return np.array(_RESULTS[found], np.float32)


class _Function(Target):
    shape = None

    def __init__(self, function: Callable[[Future, int], Any], within: int) -> None:
        self._function = function
        self.within = _horizon(within, "horizon")

    def note(self, frame: Frame, happened: Sequence[sc2api_pb2.ResponseObservation]) -> Frame:
        return frame

    def look(self, now: Any, after: Sequence[Any]) -> Any:
        return np.array(self._function(Future(now, after), self.within), np.float32)


def losses(within: int = 224) -> Target:
    """What both sides lose in the game loops after a window: (2,) float32, own and enemy losses.

    Minerals and vespene of units, structures and upgrades, as the game's score counts them.

    Args:
        within: Game loops, a multiple of `Spec.every`; 224 are 10 s.
    """
    return _Losses(within)


def resources(within: int = 672) -> Target:
    """What the player has some game loops after a window: (2,) float32, minerals and vespene.

    Args:
        within: Game loops, a multiple of `Spec.every`; 672 are 30 s.
    """
    return _Resources(within)


def actions(within: int = 224, limit: int = 1) -> Target:
    """The first commands of the player after a window: (limit, 7) float32, zeros behind the last one.

    Their numbers are ``ability_id``, ``x`` and ``y`` of the target in map cells, ``target_slot`` and ``unit_slot`` (the
    slots of the target and of the first commanded unit in the window, else -1), ``number_of_units``, ``queued``.
    Commands are those that observations tell, without camera and chat.

    Args:
        within: Game loops in which they are looked for, a multiple of `Spec.every`.
        limit: How many.
    """
    return _Actions(within, limit)


def result() -> Target:
    """How the match ends for the player who sees it: () float32, 1 victory, 0 defeat, 0.5 tie.

    A recording without that result is not read: it is in `Windows.failures`.
    """
    return _Result()


_BY_NAME: dict[str, Callable[[], Target]] = {
    "result": result,
    "losses": losses,
    "resources": resources,
    "actions": actions,
}


def target_of(given: Target | str | Callable[..., Any] | None, horizon: int | None) -> Target | None:
    """A target of what a user gives: a target, its name, or a function.

    Raises:
        TypeError, ValueError: it is something else, or a horizon is missing or not used.
    """
    if isinstance(given, str):
        if given not in _BY_NAME:
            raise ValueError(f"there is no target {given!r}; there are {', '.join(_BY_NAME)}")
        given = _BY_NAME[given]()
    elif any(given is factory for factory in _BY_NAME.values()):
        given = given()  # type: ignore[misc, operator]
    if given is None or isinstance(given, Target):
        if horizon is not None:
            raise ValueError("horizon is for a target that is a function; others have `within`")
        return given
    if not callable(given):
        raise TypeError(f"target is a function, or learn.losses() and others, not {arguments.shown(given)}")
    if horizon is None:
        raise ValueError("a target that is a function needs horizon=GAME_LOOPS: how far after a window it looks")
    return _Function(given, horizon)


def _commands(response: sc2api_pb2.ResponseObservation) -> Iterator[Any]:
    for action in response.actions:
        if action.action_raw.HasField("unit_command"):
            yield action.action_raw.unit_command


def _slot(tags: NDArray[np.int64], tag: int) -> int:
    if not tag:
        return -1
    found = np.flatnonzero(tags == tag - (tag >> 63 << 64))
    return int(found[0]) if len(found) else -1


def _horizon(loops: object, name: str = "within") -> int:
    return check_number(name, loops, _MAX_WITHIN)

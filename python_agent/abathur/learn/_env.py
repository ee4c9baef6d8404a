"""A Gymnasium environment over the game."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, SupportsFloat, TypeAlias

import gymnasium
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from s2clientprotocol import sc2api_pb2

from abathur._frame.frame import Frame
from abathur._values import arguments, messages
from abathur.errors import AbathurError
from abathur.learn._env_episode import Episode, Observation, fitted, space_of, victory
from abathur.learn._env_game import LOST, EnvGame, Errors, GameOptions, MatchOverError
from abathur.learn._spec import Spec, check_number

ID = "abathur/StarCraftII-v0"
_MAX_STEP = 1000
_MAX_LOOPS = 2**31 - 1

Actions: TypeAlias = sc2api_pb2.Action | Iterable[sc2api_pb2.Action] | None
Act: TypeAlias = Callable[[Any, Frame], Actions]
Reward: TypeAlias = Callable[[Frame, Frame], SupportsFloat]


class Env(gymnasium.Env[Observation, Any]):
    """StarCraft II as a Gymnasium environment; with `recording`, the emulator, whose match does not react to actions.

    ::

        def act(action, frame):
            own = frame.units.tag[frame.units.alliance == 1]
            return abathur.actions.attack(own, (float(action[0]), float(action[1])))

        env = learn.Env(spec, action_space=gymnasium.spaces.Box(0, 200, (2,)), act=act, map="AcropolisLE.SC2Map")
        observation, info = env.reset(seed=1)

    A step sends the actions, and lets the game go on by `step` game loops; between steps the game waits, at most an
    hour. A game begins with each `reset`, in the same process of the game. The first `reset` starts it. It ends with
    `close`, and with this process, also one that is killed. Each Env has a game and a daemon of its own, on free ports:
    `gymnasium.vector` runs several.

    An observation is a dict of new arrays, the window of the spec (`Spec`) at the frame: ``units`` (S, F) float32,
    ``mask`` (S,) bool, ``types`` (S,) int32, ``players`` (P,) float32 and ``grids`` (H, W, C) uint8; with more than one
    frame, with T frames as the first axis. ``info`` has:

    - ``tags`` (S,) int64 and ``overflow``, as in `Spec`; ``loops`` (T,) int32 with more than one frame.
    - ``game_loop``: of the frame.
    - ``alerts``: names of its alerts.
    - ``errors``: for each action of this step that failed its index and the name of the result; -1 where the game says
      only later, or has refused all of them.
    - ``seed``: of the game.
    - ``emulated``: whether it is the emulator.
    - ``result``: of the own player: ``Victory``, ``Defeat``, ``Tie`` or ``Undecided``; empty until the match has one.
    - ``lost``: why there is no new frame: the game crashed or disconnected, and the next `reset` starts it again; or it
      ended without a result. Else empty.

    A step is ``terminated`` when the match has a result, ``truncated`` after `max_loops`, and when the game is lost or
    ends without a result: then the observation is the last one again. A game is not deterministic: the same seed and
    actions may give other observations.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}  # type: ignore[misc]

    def __init__(
        self,
        spec: Spec,
        *,
        action_space: spaces.Space[Any],
        act: Act,
        reward: Reward | None = None,
        map: str | Iterable[str] | None = None,
        race: str = "random",
        opponent: str | Iterable[str] = "ai:random:easy",
        sc2: str | None = None,
        recording: str | os.PathLike[str] | None = None,
        step: int | None = None,
        max_loops: int | None = None,
        output: str | os.PathLike[str] | None = None,
        timeout: float = 120.0,
        render_mode: None = None,
    ) -> None:
        """Nothing is started yet: it can be pickled and copied, and the process forked.

        Args:
            spec: What an observation is. Grids need `Spec.grid_size`, more than one frame `Spec.pad`.
            action_space: The actions of the agent.
            act: Makes the game's actions of an action and the newest frame: of `abathur.actions`, one, several or None.
            reward: Of a step, of its frame and the one before. Default: 1 for victory and -1 for defeat, else 0.
            map: ``FILE.SC2Map`` in the game's Maps folder, or the name of a Battle.net map; several: one a game, in
                turn. Not needed with `recording`.
            race: Of the agent: ``terran``, ``zerg``, ``protoss`` or ``random``.
            opponent: ``ai:RACE:DIFFICULTY``; several: one a game, in turn.
            sc2: ``HOST:PORT`` of a running game. Default: the installed game is started.
            recording: Play this recording with the emulator in place of the game: for tests of programs.
            step: Game loops of a step. Default: `Spec.every`. With more than one frame, a multiple of it.
            max_loops: Game loops after which an episode is truncated. None: no limit.
            output: Record each match: a file, or a folder as a path that ends in ``/``. As ``-o`` of `live`.
            timeout: Seconds that the game may take to start, and for a step: a game that hangs is lost then.
            render_mode: None: the daemon's dashboard shows the match.

        Raises:
            TypeError: an argument is of another type.
            ValueError: the spec does not fit, a number is out of range, `map` is missing, or `sc2` is given with
                `recording`.
        """
        if not isinstance(spec, Spec):
            raise TypeError(f"spec is a learn.Spec, not {arguments.shown(spec)}")
        if not isinstance(action_space, spaces.Space):
            raise TypeError(f"action_space is a gymnasium.spaces.Space, not {arguments.shown(action_space)}")
        for name, function in (("act", act), ("reward", reward or victory)):
            if not callable(function):
                raise TypeError(f"{name} is a function, not {arguments.shown(function)}")
        if render_mode is not None:
            raise ValueError(f"render_mode is {render_mode!r}; it must be None: the daemon's dashboard shows the match")
        loops = check_number("step", spec.every if step is None else step, _MAX_STEP)
        self._window_spec, self._frames_a_step = fitted(spec, loops)
        self._max_loops = None if max_loops is None else check_number("max_loops", max_loops, _MAX_LOOPS)
        self._options = GameOptions(
            maps=_names("map", map),
            race=race,
            opponents=_names("opponent", opponent),
            sc2=sc2,
            recording=None if recording is None else os.fspath(recording),
            output=None if output is None else os.fspath(output),
            step=loops // self._frames_a_step,
            timeout=timeout,
        )
        self._act, self._reward = act, reward or victory
        self.action_space: spaces.Space[Any] = action_space
        self._space = space_of(self._window_spec)
        self.observation_space: spaces.Space[Observation] = self._space  # type: ignore[assignment]
        kwargs = {
            "spec": spec, "action_space": action_space, "act": act, "reward": reward, "map": map, "race": race,
            "opponent": opponent, "sc2": sc2, "recording": recording, "step": step, "max_loops": max_loops,
            "output": output, "timeout": timeout,
        }  # fmt: skip
        self.spec: EnvSpec | None = EnvSpec(ID, entry_point="abathur.learn:Env", nondeterministic=True, kwargs=kwargs)
        self._game: EnvGame | None = None
        self._closing: weakref.finalize[..., Any] | None = None
        self._episode: Episode | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin the next game; one that is played ends.

        Args:
            seed: Of the generator `np_random`, and modulo 2**32 of the game. Default: the game's seed comes from
                `np_random`.
            options: Not used.

        Returns:
            The first observation, and the info.

        Raises:
            DaemonError: the daemon, or the game, cannot be started.
            RecordingError: the recording cannot be played.
            AbathurError: the game does not begin; or its grids do not fit.
        """
        super().reset(seed=seed)
        game_seed = int(self.np_random.integers(2**32)) if seed is None else int(seed) % 2**32
        self._episode = None
        self._episode = Episode(self._window_spec, self._first_frame(game_seed), game_seed)
        return self._seen(self._episode, ())

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Act, and let the game go on.

        Args:
            action: One of the action space: what `act` takes.

        Returns:
            Observation, reward, terminated, truncated and info: see `Env`.

        Raises:
            AbathurError: no episode runs; `act` returned something else than actions, or `reward` than a number.
        """
        episode = self._episode
        if episode is None:
            raise AbathurError("no episode runs: call reset")
        if episode.is_over:
            raise AbathurError("the episode is over: call reset")
        game, before = self._started(), episode.frame
        errors: Errors = ()
        try:
            if actions := self._actions(action, before):
                errors = game.act(actions)
            for _ in range(self._frames_a_step):
                episode.push(game.advance())
                if episode.frame.rest.player_result:
                    break
        except MatchOverError as error:
            return self._without_frame(episode, errors, str(error))
        except LOST as error:
            self._end()
            return self._without_frame(episode, errors, str(error))
        terminated = bool(episode.frame.rest.player_result)
        truncated = not terminated and self._max_loops is not None and episode.loops >= self._max_loops
        episode.is_over = terminated or truncated
        observation, info = self._seen(episode, errors)
        return observation, self._reward_of(episode.frame, before), terminated, truncated, info

    def render(self) -> None:
        """Nothing: the daemon's dashboard shows the match."""

    def close(self) -> None:
        """End the game, and the processes that were started. Twice is fine; `reset` starts them again."""
        self._episode = None
        self._end()

    def __getstate__(self) -> dict[str, Any]:
        """What it was made of. Raises AbathurError if its game runs, which another process does not have."""
        if self._game is not None:
            raise AbathurError("an Env whose game runs cannot be pickled or copied: make one where it is used")
        return self.__dict__

    def _end(self) -> None:
        closing, self._closing, self._game = self._closing, None, None
        if closing is not None:
            closing()

    def _started(self) -> EnvGame:
        if self._game is None:
            self._game = game = EnvGame(self._options)
            # Also when nothing refers to it any more, and at the end of the program.
            self._closing = weakref.finalize(self, game.close)
        if not self._game.is_of_this_process:
            raise AbathurError("the game of this Env was started by another process: make an Env where it is used")
        return self._game

    def _first_frame(self, seed: int) -> Frame:
        """That of the next match."""
        was_started = self._game is not None
        try:
            return self._started().next(seed)
        except AbathurError:
            self._end()
            if not was_started:
                raise
        # The game was lost since the last step, for which it is not too late.
        return self._first_frame(seed)

    def _actions(self, action: Any, frame: Frame) -> list[sc2api_pb2.Action]:
        made = self._act(action, frame)
        try:
            return [] if made is None else messages.each(made, sc2api_pb2.Action)
        except TypeError as error:
            raise AbathurError(f"act must return actions of abathur.actions, or None: {error}") from error

    def _reward_of(self, frame: Frame, before: Frame) -> float:
        reward = self._reward(frame, before)
        try:
            return float(reward)
        except (TypeError, ValueError):
            raise AbathurError(f"reward must return a number, not {arguments.shown(reward)}") from None

    def _without_frame(
        self, episode: Episode, errors: Errors, lost: str
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        episode.is_over = True
        observation, info = self._seen(episode, errors, lost)
        return observation, 0.0, False, True, info

    def _seen(self, episode: Episode, errors: Errors, lost: str = "") -> tuple[Observation, dict[str, Any]]:
        is_emulated = self._options.recording is not None
        return episode.observation(self._space), episode.info(errors, is_emulated=is_emulated, lost=lost)


def _names(name: str, given: str | Iterable[str] | None) -> tuple[str, ...]:
    names = () if given is None else (given,) if isinstance(given, str) else tuple(given)
    for each in names:
        if not isinstance(each, str):
            raise TypeError(f"{name} is text, or several, not {arguments.shown(each)}")
    return names


gymnasium.register(ID, entry_point="abathur.learn:Env", nondeterministic=True)

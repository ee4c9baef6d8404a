"""An episode of an environment: its observations and what is told beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from s2clientprotocol import error_pb2, sc2api_pb2

from abathur._frame.frame import Frame
from abathur.learn._assembled import Window
from abathur.learn._env_game import Errors
from abathur.learn._features import Feature
from abathur.learn._rolling import Rolling
from abathur.learn._spec import Spec

Observation: TypeAlias = dict[str, NDArray[Any]]

#: Of features, before they are divided by their scale: no number of the game is larger.
_MOST = 1e9
_MAX_TYPE = 2**31 - 1
_RESULTS: Any = sc2api_pb2.Result
_ALERTS: Any = sc2api_pb2.Alert
_ACTION_RESULTS: Any = error_pb2.ActionResult


class Episode:
    """What is known of a match that is played.

    Attributes:
        frame: The newest frame.
        seed: Of the game.
        is_over: Whether the last step was terminated or truncated.
    """

    def __init__(self, spec: Spec, frame: Frame, seed: int) -> None:
        """Begin with the first frame.

        Raises:
            AbathurError: its grids do not fit.
        """
        self.frame = frame
        self.seed = seed
        self.is_over = False
        self._first_loop = frame.game_loop
        self._rolling = Rolling(spec)
        window = self._rolling.push(frame)
        # Of the first frame of a match there is always one: see `fitted`.
        assert window is not None
        self._window: Window = window

    def push(self, frame: Frame) -> None:
        """The next frame. Where it is not sampled, as the last one of a match may be, the window stays.

        Raises:
            AbathurError: its grids do not fit.
        """
        self.frame = frame
        self._window = self._rolling.push(frame) or self._window

    @property
    def loops(self) -> int:
        """Game loops since it began."""
        return self.frame.game_loop - self._first_loop

    def observation(self, space: Mapping[str, Any]) -> Observation:
        """New arrays, also where the window has not changed."""
        first = 0 if self._rolling.spec.frames == 1 else slice(None)
        return {name: self._window[name][first].copy() for name in space}

    def info(self, errors: Errors, *, is_emulated: bool, lost: str) -> dict[str, Any]:
        """What is told beside an observation: see `Env`."""
        rest, window = self.frame.rest, self._window
        late = tuple((-1, _name(_ACTION_RESULTS, each.result)) for each in rest.action_errors)
        info = {
            "tags": window["tags"].copy(),
            "overflow": int(window["overflow"]),
            "game_loop": self.frame.game_loop,
            "alerts": tuple(_name(_ALERTS, each) for each in rest.observation.alerts),
            # Where there is no new frame, those of the last one were told before.
            "errors": errors if lost else errors + late,
            "seed": self.seed,
            "emulated": is_emulated,
            "result": result_of(self.frame),
            "lost": lost,
        }
        if self._rolling.spec.frames > 1:
            info["loops"] = window["loops"].copy()
        return info


def victory(frame: Frame, before: Frame) -> float:
    """1 for victory and -1 for defeat, at the end of a match; else 0."""
    return {"Victory": 1.0, "Defeat": -1.0}.get(result_of(frame), 0.0)


def result_of(frame: Frame) -> str:
    """The result of the player who sees a frame; empty without one."""
    results = frame.rest.player_result
    found = (each.result for each in results if each.player_id == frame.player.player_id)
    return next((_name(_RESULTS, each) for each in found), "")


def fitted(spec: Spec, step: int) -> tuple[Spec, int]:
    """The spec of the windows, and how many frames a step of so many game loops has.

    Raises:
        ValueError: the spec does not fit.
    """
    if spec.grid_features and spec.grid_size is None:
        raise ValueError("an Env needs the size of grids before its first game: give Spec(grid_size=(ROWS, COLUMNS))")
    if spec.frames == 1:
        # Each frame is a window.
        return replace(spec, every=1), 1
    if not spec.pad:
        raise ValueError("an Env has an observation from the first frame on: give Spec(pad=True)")
    if step % spec.every:
        raise ValueError(f"step is {step}; with several frames it must be a multiple of Spec.every, {spec.every}")
    return spec, step // spec.every


def space_of(spec: Spec) -> spaces.Dict[Any]:
    """The space of observations."""
    shape = () if spec.frames == 1 else (spec.frames,)
    slots = (*shape, spec.number_of_slots)
    made: dict[str, spaces.Space[Any]] = {
        "units": _box(spec.unit_features, slots),
        "mask": spaces.Box(0, 1, slots, np.bool_),
        "types": spaces.Box(0, _MAX_TYPE, slots, np.int32),
    }
    if spec.player_features:
        made["players"] = _box(spec.player_features, shape)
    if spec.grid_features and spec.grid_size is not None:
        made["grids"] = spaces.Box(0, 255, (*shape, *spec.grid_size, len(spec.grid_features)), np.uint8)
    return spaces.Dict(made)


def _box(features: tuple[Feature, ...], shape: tuple[int, ...]) -> spaces.Box:
    most = np.array([_MOST / abs(each.scale) for each in features], np.float32)
    high = np.broadcast_to(most, (*shape, len(features)))
    return spaces.Box(-high, high, dtype=np.float32)


def _name(enum: Any, value: int) -> str:
    """The name of a value; of one that only a newer game has, the number."""
    known = enum.DESCRIPTOR.values_by_number
    return str(known[value].name) if value in known else str(value)

"""`learn.Env` without a game: arguments, spaces, what it needs. With one: tests/system/test_learn_env.py."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pytest
from abathur import learn
from gymnasium import spaces

SPACE = spaces.Discrete(2)


def nothing(action: Any, frame: Any) -> None:
    return None


def env_of(**options: Any) -> learn.Env:
    given: dict[str, Any] = {"action_space": SPACE, "act": nothing, "recording": "match.mcap", **options}
    return learn.Env(given.pop("spec", learn.Spec()), **given)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"spec": 1}, TypeError, r"spec is a learn\.Spec"),
        ({"spec": learn.Spec(grids=["creep"])}, ValueError, "grid_size"),
        ({"spec": learn.Spec(frames=2, pad=False)}, ValueError, "pad=True"),
        ({"spec": learn.Spec(frames=2, every=8), "step": 12}, ValueError, r"multiple of Spec\.every, 8"),
        ({"step": 0}, ValueError, "step is 0"),
        ({"step": 1001}, ValueError, "step is 1001"),
        ({"max_loops": 0}, ValueError, "max_loops is 0"),
        ({"max_loops": 1.5}, TypeError, "max_loops is a number"),
        ({"act": None}, TypeError, "act is a function"),
        ({"reward": 1}, TypeError, "reward is a function"),
        ({"action_space": (2,)}, TypeError, "action_space is a gymnasium.spaces.Space"),
        ({"recording": None}, ValueError, "map is missing"),
        ({"sc2": "127.0.0.1:5000"}, ValueError, "sc2 and recording exclude each other"),
        ({"map": (1,)}, TypeError, "map is text"),
        ({"timeout": 0}, ValueError, "timeout is 0"),
        ({"render_mode": "human"}, ValueError, "render_mode is 'human'"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        env_of(**options)


def test_the_space_has_the_shapes_of_the_spec() -> None:
    one = env_of(spec=learn.Spec(slots=8, units=["x"], players=["minerals", "vespene"])).observation_space
    assert isinstance(one, spaces.Dict)
    assert {name: (each.shape, each.dtype) for name, each in one.items()} == {
        "units": ((8, 1), np.float32),
        "mask": ((8,), np.bool_),
        "types": ((8,), np.int32),
        "players": ((2,), np.float32),
    }
    spec = learn.Spec(frames=3, slots="match", match_slots=5, units={"x": 200}, grids=["creep"], grid_size=(4, 6))
    more = env_of(spec=spec).observation_space
    assert isinstance(more, spaces.Dict)
    assert {name: each.shape for name, each in more.items()} == {
        "units": (3, 5, 1),
        "mask": (3, 5),
        "types": (3, 5),
        "grids": (3, 4, 6, 1),
    }
    bounds = more["units"]
    assert (
        isinstance(bounds, spaces.Box) and (bounds.high == np.float32(5e6)).all() and (bounds.low == -bounds.high).all()
    )


def test_an_unused_env_is_pickled_and_copied() -> None:
    env = env_of()
    for other in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env)):
        assert other.observation_space == env.observation_space
    env.close()
    env.close()


def run_script(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60, check=False
    )


def test_gymnasium_is_needed_for_it_alone() -> None:
    done = run_script(
        """
        import sys
        import abathur.learn
        assert "gymnasium" not in sys.modules
        assert "Env" in abathur.learn.__all__
        sys.modules["gymnasium"] = None
        try:
            abathur.learn.Env
        except abathur.AbathurError as error:
            print(error)
        try:
            abathur.learn.Emv
        except AttributeError as error:
            print(error)
        """
    )
    assert done.stdout.splitlines() == [
        "learn.Env needs gymnasium: pip install abathur-agent[learn]",
        "module 'abathur.learn' has no attribute 'Emv'",
    ], done.stderr

"""Tensors for agents that learn: the same from recordings, beside a live match, and in a Gymnasium environment.

>>> spec = learn.Spec(frames=16, every=8, slots=512, units=["x", "y", "health"])  # doctest: +SKIP
>>> data = learn.Windows("matches/*.mcap", spec, step=64, target=learn.losses(within=224))  # doctest: +SKIP
>>> for batch in data.batches(64, seed=1):  # doctest: +SKIP
...     model.update(batch["units"], batch["mask"], batch["target"])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abathur.errors import AbathurError
from abathur.learn._assembled import Window
from abathur.learn._batches import Batches
from abathur.learn._features import Feature, scaled
from abathur.learn._index import Failure
from abathur.learn._live import live
from abathur.learn._rolling import Rolling
from abathur.learn._spec import Spec
from abathur.learn._targets import ACTION, Future, Target, actions, losses, resources, result
from abathur.learn._windows import Windows

if TYPE_CHECKING:
    from abathur.learn._env import Env

__all__ = [
    "ACTION",
    "Batches",
    "Env",
    "Failure",
    "Feature",
    "Future",
    "Rolling",
    "Spec",
    "Target",
    "Window",
    "Windows",
    "actions",
    "live",
    "losses",
    "resources",
    "result",
    "scaled",
]


def __getattr__(name: str) -> Any:
    """`Env`, which needs Gymnasium: it is imported when it is used."""
    if name != "Env":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        import gymnasium  # noqa: F401
    except ImportError:
        raise AbathurError("learn.Env needs gymnasium: pip install abathur-agent[learn]") from None
    from abathur.learn._env import Env

    return Env

"""Tensors for agents that learn: the same from recordings, beside a live match, and in a Gymnasium environment.

>>> spec = learn.Spec(frames=16, every=8, slots=512, units=["x", "y", "health"])  # doctest: +SKIP
>>> data = learn.Windows("matches/*.mcap", spec, step=64, target=learn.losses(within=224))  # doctest: +SKIP
"""

from __future__ import annotations

from abathur.learn._features import Feature, scaled
from abathur.learn._rolling import Rolling
from abathur.learn._spec import Spec

__all__ = ["Feature", "Rolling", "Spec", "scaled"]

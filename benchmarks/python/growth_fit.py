"""How a figure grows: the exponent b of y = a * x^b, and what it is called."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

FLAT = 0.15
LINEAR = (0.8, 1.2)

#: A pair of what is varied and what is measured.
Point = tuple[float, float]


@dataclass(frozen=True)
class Fit:
    """y = factor * x^exponent, fitted over `points` points."""

    exponent: float
    factor: float
    points: int

    @property
    def verdict(self) -> str:
        """What the exponent is called."""
        return verdict(self.exponent)


def upper_half(points: Sequence[Point]) -> list[Point]:
    """The points with x at or above the geometric middle of the range; at least the upper two.

    Only values above 0 have a logarithm: the others do not count.
    """
    usable = sorted((x, y) for x, y in points if x > 0 and y > 0)
    if len(usable) < 3:
        return usable
    middle = math.sqrt(usable[0][0] * usable[-1][0])
    upper = [each for each in usable if each[0] >= middle * (1 - 1e-9)]
    return upper if len(upper) > 1 else usable[-2:]


def fit(points: Sequence[Point]) -> Fit | None:
    """Least squares on the logarithms of the upper half of the range; None where fewer than two points are left."""
    used = upper_half(points)
    if len({x for x, _ in used}) < 2:
        return None
    x, y = np.log(np.array(used)).T
    exponent, factor = np.polyfit(x, y, 1)
    return Fit(float(exponent), math.exp(factor), len(used))


def verdict(exponent: float) -> str:
    """``flat``, ``linear``, ``between``, ``more than linear``, or ``falls``."""
    if abs(exponent) < FLAT:
        return "flat"
    if exponent < 0:
        return "falls"
    if LINEAR[0] <= exponent <= LINEAR[1]:
        return "linear"
    return "between" if exponent < LINEAR[0] else "more than linear"

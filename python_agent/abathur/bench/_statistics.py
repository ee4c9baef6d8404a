"""Statistics of samples. Samples are single operations in nanoseconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

TRIM = 0.25
"""Share of the samples that the trimmed mean drops at each end."""

QUANTILES: tuple[float, ...] = (*range(100), 99.5, 99.9, 100)
"""Percentages at which quantiles are given."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Statistics over the samples of all rounds together. Created by `summarize`.

    The trimmed mean is that of the post of 2018, "25 %": the lowest quarter and the highest quarter of the samples are
    dropped (each rounded down), and the middle is averaged. Quantiles are interpolated linearly between the two
    nearest samples, as NumPy does by default.
    """

    ordered: tuple[float, ...]
    rounds: tuple[float, ...]

    @property
    def trimmed_mean(self) -> float:
        """Mean of the middle half, ns."""
        return trimmed_mean(self.ordered)

    def percentile(self, percentage: float) -> float:
        """The value below which this percentage of the samples lies, ns."""
        position = percentage / 100 * (len(self.ordered) - 1)
        below = int(position)
        if below + 1 >= len(self.ordered):
            return self.ordered[-1]
        return self.ordered[below] + (position - below) * (self.ordered[below + 1] - self.ordered[below])

    def to_json(self) -> dict[str, Any]:
        """The JSON object of a result."""
        return {
            "trimmed_mean": self.trimmed_mean,
            "min": self.ordered[0],
            "p50": self.percentile(50),
            "p90": self.percentile(90),
            "p99": self.percentile(99),
            "p99_9": self.percentile(99.9),
            "max": self.ordered[-1],
            "rounds": list(self.rounds),
            "quantiles": [[each, self.percentile(each)] for each in QUANTILES],
        }


def summarize(rounds: Sequence[Sequence[float]]) -> Statistics | None:
    """Statistics of the samples of some rounds; None if there are none."""
    whole = [sorted(samples) for samples in rounds if samples]
    if not whole:
        return None
    everything = sorted(sample for samples in whole for sample in samples)
    return Statistics(tuple(everything), tuple(trimmed_mean(samples) for samples in whole))


def trimmed_mean(ordered: Sequence[float]) -> float:
    """Mean of sorted samples without a quarter at each end."""
    left = int(len(ordered) * TRIM)
    middle = ordered[left : len(ordered) - left]
    return sum(middle) / len(middle)

"""Options of a match run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Options:
    """Options of ``abathur bench``.

    Attributes:
        recording: Recording (MCAP) whose observations are encoded and decoded.
        codecs: Names of the codecs.
        rounds: Passes of each codec over its frames, in another order of the codecs each. 1, because the many frames of
            a match are enough samples.
        frames: Frames to take, evenly spaced from the first to the last; None: every frame.
        budget: Seconds that the whole run may take; None: no limit. Each codec then uses as many evenly spaced frames
            as fit into its share; the unused share of a fast codec is distributed to the others. No codec uses more
            frames than fit into 256 MiB.
        seed: Start of the random sequence that orders the codecs.
    """

    recording: Path
    codecs: tuple[str, ...]
    rounds: int = 1
    frames: int | None = None
    budget: float | None = None
    seed: int = 1

"""What a match run measures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Options:
    """Options of ``abathur bench``.

    Attributes:
        recording: Recording (MCAP) whose observations are encoded and decoded.
        codecs: Names of the codecs.
        rounds: Times that each codec goes over its frames, the order of the codecs another in each. 1, because every
            frame of a match is many samples.
        frames: Frames to take, evenly spaced from the first to the last; None: every frame.
        budget: Seconds that the whole run may take; None: as long as it takes. Each codec then takes as many evenly
            spaced frames as fit into its share; what a fast codec does not need of it goes to the others. No codec
            takes more frames than fit into 256 MiB.
        seed: Start of the random sequence that orders the codecs.
    """

    recording: Path
    codecs: tuple[str, ...]
    rounds: int = 1
    frames: int | None = None
    budget: float | None = None
    seed: int = 1

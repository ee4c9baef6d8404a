"""The recordings that benchmarks play, made or imported where they are missing."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from processes import BENCHMARKS, DAEMON, ROOT, Process

LOCAL = ROOT / "benchmarks" / "local"
SKIRMISH = ROOT / "recordings" / "skirmish.mcap"
#: Sequences of real observations, which `dotnet make.cs` finds beside the checkout.
SEQUENCES = Path(os.environ.get("ABATHUR_SHARED", "shared")) / "sequences"


@dataclass(frozen=True)
class Frames:
    """Frames to send: a part of a recording."""

    name: str
    recording: Path
    start: float = 0.0
    duration: float | None = None

    @staticmethod
    def late(elite: Path) -> Frames:
        """The largest minute of the match."""
        return Frames("late", elite, start=9200 / 22.4, duration=60)

    def window(self) -> list[str]:
        """Which part it is, for `play`."""
        duration = [] if self.duration is None else ["--playback-duration", str(self.duration)]
        return ["--start-offset", str(self.start), *duration]

    def daemon_options(self) -> list[str]:
        """For `play`, over and over."""
        return ["--loop", *self.window()]

    def baseline_options(self) -> list[str]:
        """For the baseline server."""
        return [word.replace("--playback-duration", "--duration") for word in self.window()]


def made(path: Path, program: Path, *line: str | Path) -> Path:
    """A file or folder that a command makes where it is missing: the words of the command, and the path behind them."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        print(f"making {path.name}", flush=True)
        with Process(["dotnet", program, *line, path]) as making:
            making.wait()
    return path


def make_elite(seed: int | None = None) -> Path:
    """The whole match in large frames, or another one with a seed."""
    name, options = ("elite", []) if seed is None else (f"elite-{seed}", ["--seed", str(seed)])
    return made(LOCAL / f"{name}.mcap", DAEMON, "synth", "--preset", "elite", *options, "-o")


def make_compact(recording: Path) -> Path:
    """The same recording, compact."""
    return made(LOCAL / f"{recording.stem}-compact.mcap", DAEMON, "export", recording, "--compact", "-o")


def make_part(recording: Path, start: int, stop: int) -> Path:
    """The frames from a game loop to before another one as a recording of their own."""
    path = LOCAL / f"{recording.stem}-{start}-{stop}.mcap"
    return made(path, DAEMON, "export", recording, "-q", "--start", str(start), "--stop", str(stop), "-o")


@dataclass(frozen=True)
class Sequences:
    """Recordings of the sequences: as they are, and with noisier motion."""

    plain: list[Path]
    noisy: list[Path]


def make_noisy(recordings: list[Path]) -> list[Path]:
    """The same recordings with noisier motion and fights."""
    return [made(each.with_name(f"{each.stem}-noisy.mcap"), BENCHMARKS, "noise", each) for each in recordings]


def make_levels() -> Path:
    """The folder of an observation for each level of complexity."""
    make_elite()
    return made(LOCAL / "levels", BENCHMARKS, "levels")


def import_sequences(name: str = "*") -> list[Path]:
    """The sequences rebuilt from replays, as recordings; those that there are. Empty if the folder is absent."""
    sources = sorted(SEQUENCES.glob(f"{name}.obs.zst"))
    return [
        made(LOCAL / f"{each.name.removesuffix('.obs.zst')}.mcap", DAEMON, "import", each, "-o") for each in sources
    ]

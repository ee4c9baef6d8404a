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

    def daemon_options(self) -> list[str]:
        """For `play`."""
        duration = [] if self.duration is None else ["--playback-duration", str(self.duration)]
        return ["--loop", "--start-offset", str(self.start), *duration]

    def baseline_options(self) -> list[str]:
        """For the baseline server."""
        duration = [] if self.duration is None else ["--duration", str(self.duration)]
        return ["--start-offset", str(self.start), *duration]


def make_elite() -> Path:
    """The whole match in large frames; made where it is missing."""
    path = LOCAL / "elite.mcap"
    if not path.exists():
        LOCAL.mkdir(parents=True, exist_ok=True)
        print(f"making {path.name}", flush=True)
        with Process(["dotnet", DAEMON, "synth", "--preset", "elite", "-o", path]) as synth:
            synth.wait()
    return path


def make_compact(recording: Path, *, again: bool = False) -> Path:
    """The same recording, compact; made where it is missing, or again."""
    path = LOCAL / f"{recording.stem}-compact.mcap"
    if again or not path.exists():
        path.unlink(missing_ok=True)
        with Process(["dotnet", DAEMON, "export", recording, "-o", path, "--compact"]) as export:
            export.wait()
    return path


def make_part(recording: Path, start: int, stop: int) -> Path:
    """The frames from a game loop to before another one as a recording of their own; made where it is missing."""
    path = LOCAL / f"{recording.stem}-{start}-{stop}.mcap"
    if not path.exists():
        limits = ["--start", str(start), "--stop", str(stop)]
        with Process(["dotnet", DAEMON, "export", recording, "-o", path, *limits, "-q"]) as export:
            export.wait()
    return path


@dataclass(frozen=True)
class Sequences:
    """Recordings of the sequences: as they are, and with noisier motion."""

    plain: list[Path]
    noisy: list[Path]


def make_noisy(recordings: list[Path]) -> list[Path]:
    """The same recordings with noisier motion and fights; made where they are missing."""
    made = []
    for source in recordings:
        path = source.with_name(f"{source.stem}-noisy.mcap")
        if not path.exists():
            print(f"making {path.name}", flush=True)
            with Process(["dotnet", BENCHMARKS, "noise", source, path]) as noise:
                noise.wait()
        made.append(path)
    return made


def make_levels() -> Path:
    """The folder of an observation for each level of complexity; made where it is missing."""
    folder = LOCAL / "levels"
    if not folder.exists():
        make_elite()
        with Process(["dotnet", BENCHMARKS, "levels", folder]) as levels:
            levels.wait()
    return folder


def import_sequences() -> list[Path]:
    """The sequences rebuilt from replays, as recordings; those that there are. Empty if the folder is absent."""
    recordings = []
    for source in sorted(SEQUENCES.glob("*.obs.zst")):
        path = LOCAL / f"{source.name.removesuffix('.obs.zst')}.mcap"
        if not path.exists():
            LOCAL.mkdir(parents=True, exist_ok=True)
            print(f"importing {source.name}", flush=True)
            with Process(["dotnet", DAEMON, "import", source, "-o", path]) as importing:
                importing.wait()
        recordings.append(path)
    return recordings

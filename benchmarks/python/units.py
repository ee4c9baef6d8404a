"""Units in Python: columns of a frame to arrays beside parsing the same frame, and a recording to one Parquet table.

The recording is `elite`; frames are those of its largest minute. Run it with another PYTHONPATH and ABATHUR_SYNC, by
turns, to compare two versions.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import abathur
import numpy as np
from abathur._frame.columns_source import ColumnsUnits
from abathur._frame.unit_columns import COLUMNS
from abathur._frame.units import Units
from abathur.columns import ColumnsDecoder
from processes import DAEMON, Process
from s2clientprotocol import sc2api_pb2

from recordings import Frames, make_elite, make_part

FRAMES = 600
PARSED = 150


def payloads(late: Frames, count: int = FRAMES) -> list[bytes]:
    """The first frames of a part in columns, as a subscriber gets them after decompression."""
    taken: list[bytes] = []
    decode = ColumnsDecoder.decode

    def keeping(decoder: ColumnsDecoder, payload: bytes) -> object:
        taken.append(payload)
        return decode(decoder, payload)

    ports = ["--grpc-port", "0", "--socket-port", "0", "--http-port", "0"]
    line = ["dotnet", DAEMON, "play", late.recording, "--rate", "unlimited", "--wait-agents", "1", "--stop-with-parent"]
    with Process([*line, *ports, *late.daemon_options()]) as daemon:
        addresses = dict(each.split("=", 1) for each in daemon.read_line().split()[1:])
        ColumnsDecoder.decode = keeping  # type: ignore[method-assign, assignment]
        try:
            with abathur.connect_blocking(f"socket://{addresses['socket']}") as game:
                for _ in zip(range(count), game.frames(policy="every", encoding="columns"), strict=False):
                    pass
        finally:
            ColumnsDecoder.decode = decode  # type: ignore[method-assign]
    return taken


def positions_types_alliance_health(units: Units) -> None:
    """Touch what most agents do."""
    _ = units.pos, units.unit_type, units.alliance, units.health


def all_columns(units: Units) -> None:
    """Touch every column."""
    for name in COLUMNS:
        getattr(units, name)


def decoded(frames: list[bytes], touch: Callable[[Units], None]) -> list[float]:
    """Milliseconds of each frame: decoded and touched."""
    decoder = ColumnsDecoder()
    taken = []
    for payload in frames:
        start = time.perf_counter_ns()
        touch(Units(ColumnsUnits(decoder.decode(payload))))
        taken.append((time.perf_counter_ns() - start) / 1e6)
    return taken


def parsed(observations: list[bytes]) -> list[float]:
    """Milliseconds of each frame: parsed from protobuf, and nothing read."""
    taken = []
    for observation in observations:
        start = time.perf_counter_ns()
        sc2api_pb2.ResponseObservation.FromString(observation)
        taken.append((time.perf_counter_ns() - start) / 1e6)
    return taken


def export(recording: Path) -> str:
    """Rows a second of `abathur export` to Parquet, in a process of its own."""
    import pyarrow.parquet

    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "units.parquet"
        before, start = os.times(), time.perf_counter()
        line = [sys.executable, "-m", "abathur", "export", str(recording), "-q", "-o", str(output)]
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
        seconds, after = time.perf_counter() - start, os.times()
        rows = pyarrow.parquet.read_metadata(output).num_rows
    processor = sum(after[2:4]) - sum(before[2:4])
    return (
        f"{rows} rows in {seconds:.2f} s, {rows / seconds / 1000:.0f},000 rows/s, {processor / rows * 1e6:.2f} µs a row"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    elite = make_elite()
    frames = payloads(Frames.late(elite))
    with abathur.open(elite) as match:
        observations = [each for number, each in enumerate(match.payloads()) if 9200 <= number < 9200 + PARSED]
    size = np.median([len(each) for each in observations]) / 1000
    print(f"{size:.0f} KB a frame in protobuf; milliseconds a frame, median; load average at the start of the round")
    for _ in range(options.rounds):
        four, every = decoded(frames, positions_types_alliance_health), decoded(frames, all_columns)
        times = " ".join(f"{np.median(each):8.3f}" for each in (four, every, parsed(observations)))
        print(f"positions, types, alliance, health | all columns | parsing: {times}  load {os.getloadavg()[0]:.1f}")
    for recording in (elite, make_part(elite, 9200, 11200)):
        for _ in range(options.rounds):
            print(f"export {recording.name}: {export(recording)}  load {os.getloadavg()[0]:.1f}", flush=True)


if __name__ == "__main__":
    main()

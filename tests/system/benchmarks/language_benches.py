"""Running the codec benchmarks of other languages in tests."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import abathur
from programs import ROOT, SKIRMISH
from s2clientprotocol import sc2api_pb2

FRAMES = 2
ROUNDS = 2
#: A varint field of a newer game: number 1000, value 1.
UNKNOWN_FIELD = b"\xc0\x3e\x01"


def run(program: str, *arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``benchmarks/python/PROGRAM``. It may have to build first."""
    return subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "python" / program), *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
        env={**os.environ, **environment},
    )


@dataclass(frozen=True)
class Bench:
    """A result, and the lengths of the observations that it was measured on: of frames, and of levels by name."""

    result: dict[str, Any]
    path: Path
    frames: list[int]
    levels: dict[str, int]


def measure(program: str, folder: Path) -> Bench:
    """Every row of a program over the first and the last frame of the committed recording, and over levels."""
    out = folder / "out.json"
    with abathur.open(SKIRMISH) as match:
        observations = [payload for number, payload in enumerate(match.payloads()) if number in (0, 1343)]
    levels = {
        "empty": b"",
        "frame": observations[0],
        "newer": observations[0] + UNKNOWN_FIELD,
        "signs": with_position(-0.0),
        "undefined": with_position(math.nan),
    }
    for name, observation in levels.items():
        (folder / f"{name}.binpb").write_bytes(observation)
    small = ["--frames", str(FRAMES), "--rounds", str(ROUNDS), "--quick"]
    done = run(program, SKIRMISH, *small, "--levels", folder, "--json", out)
    assert done.returncode == 0, done.stderr
    result = json.loads(out.read_text(encoding="utf-8"))
    return Bench(result, out, [len(each) for each in observations], {name: len(each) for name, each in levels.items()})


def with_position(x: float) -> bytes:
    """An observation of one unit."""
    response = sc2api_pb2.ResponseObservation()
    response.observation.raw_data.units.add(tag=(1 << 63) - 1).pos.x = x
    return response.SerializeToString()


def check_statistics(found: dict[str, Any], rounds: int = ROUNDS) -> None:
    """The order of what is given of samples."""
    ordered = [found[name] for name in ("min", "p50", "p90", "p99", "max")]
    assert ordered == sorted(ordered)
    assert found["min"] <= found["trimmed_mean"] <= found["max"]
    assert 0 < found["min"] <= found["mean"] <= found["max"]
    assert len(found["rounds"]) == rounds


def check_shape(bench: Bench, language: str, runtime: str) -> None:
    """What every result has."""
    result = bench.result
    assert result["recording"] == {
        "file": "skirmish.mcap",
        "frames": 1344,
        "bytes": SKIRMISH.stat().st_size,
        "simulated": True,
    }
    shape = [result[name] for name in ("frames", "rounds", "language", "interrupted", "trim")]
    assert shape == [FRAMES, ROUNDS, language, False, 0.25]
    environment = result["environment"]
    assert list(environment["runtimes"]) == [runtime]
    assert {"date", "commit", "cpu", "cores", "os", "load", "packages"} <= set(environment)
    assert set(result["levels"]) == set(bench.levels)
    for rows in result["levels"].values():
        assert list(rows) == list(result["codecs"])


def check_row(bench: Bench, codec: str, *, encodes: bool = True) -> None:
    """A row of the frames, and of the level that is the first of them."""
    row = bench.result["codecs"][codec]
    of_level = bench.result["levels"]["frame"][codec]
    assert (row["error"], of_level["error"]) == (None, None)
    assert (row["frames"], [number for number, _ in row["bytes_series"]]) == (FRAMES, [0, 1343])
    assert of_level["bytes"]["mean"] == row["bytes_series"][0][1]
    for each in (row, of_level):
        assert (each["encode_ns"] is not None) == encodes
        for operation in ("encode", "decode", "decode_touch") if encodes else ("decode", "decode_touch"):
            check_statistics(each[f"{operation}_ns"])
            assert each[f"allocated_bytes_{operation}"] > 0
        assert each["footnotes"]


def check_protobuf_bytes(bench: Bench, codec: str) -> None:
    """The row writes the bytes of protobuf: as many as were recorded."""
    assert [size for _, size in bench.result["codecs"][codec]["bytes_series"]] == bench.frames
    for name, length in bench.levels.items():
        row = bench.result["levels"][name][codec]
        lost = len(UNKNOWN_FIELD) if any("newer game" in each for each in row["cannot_carry"]) else 0
        assert row["bytes"]["mean"] == length - lost


def failed_levels(bench: Bench) -> dict[str, set[str]]:
    """Codecs with an error, by level."""
    levels = bench.result["levels"].items()
    found = {level: {name for name, row in rows.items() if row["error"]} for level, rows in levels}
    return {level: names for level, names in found.items() if names}


def losing_unknown_fields(bench: Bench) -> set[str]:
    """Codecs from which unknown fields did not come back."""
    rows = bench.result["levels"]["newer"].items()
    line = "unknown fields of a newer game: 1 of 1 frames came back without them"
    return {name for name, row in rows if line in row["cannot_carry"]}

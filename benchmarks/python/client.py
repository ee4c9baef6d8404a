"""The C# client beside the Python client, on the same daemon and recording: `dotnet make.cs bench client`."""

from __future__ import annotations

import argparse
import datetime
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import abathur
from figures import Figures, machine, save, table
from processes import BENCHMARKS, DAEMON, MeasureError, Server

from recordings import LOCAL, SKIRMISH

ENCODINGS = (("columns", "zstd-stream"), ("proto", "none"))
_LANGUAGES = ("C#", "C# gRPC", "Python")
_MAX_FRAMES = 3000


def read(address: str, encoding: str, compression: str) -> dict[str, float]:
    """Read all frames in this process, with the columns that agents use most."""
    frames, total = 0, 0.0
    with abathur.connect_blocking(f"socket://{address}") as game:
        for frame in game.frames(policy="every", encoding=encoding, compression=compression):  # type: ignore[arg-type]
            if frames == 0:
                started, cpu = time.perf_counter(), _cpu()
            frames += 1
            units = frame.units
            total += float(units.x.sum() + units.y.sum() + units.health.sum() + units.shield.sum())
            total += float(units.unit_type.sum() + units.alliance.sum()) + float((units.tag & 0xFF).sum())
    return {"frames": frames, "seconds": time.perf_counter() - started, "cpu_seconds": _cpu() - cpu, "sum": total}


def measure(recording: Path, rounds: int, figures: Figures) -> None:
    """A round in each language and encoding, in turn; then single frames in C#."""
    for _ in range(rounds):
        for encoding, compression in ENCODINGS:
            sums = []
            for language in _LANGUAGES:
                result = _run(language, recording, encoding, compression)
                key = (recording.stem, f"{encoding}+{compression}".removesuffix("+none"), language)
                figures.add("frames/s", (result["frames"] - 1) / result["seconds"], *key, "rate")
                figures.add("ms", 1000 * result["cpu_seconds"] / (result["frames"] - 1), *key, "cpu")
                sums.append(result["sum"])
            # float32 sums of NumPy are rounded differently.
            if max(sums) - min(sums) > 1e-4 * abs(sums[0]):
                raise MeasureError(f"the readers do not agree: {sums}")
        decoded = json.loads(_output("decode", str(recording), str(_MAX_FRAMES)))
        for name in (
            "observation_bytes",
            "decode_p50_ms",
            "decode_p99_ms",
            "events_p50_ms",
            "events_p99_ms",
            "allocated_bytes",
        ):
            is_time = name.endswith("_ms")
            figures.add("us" if is_time else "bytes", decoded[name] * (1000 if is_time else 1), recording.stem, name)


def page(figures: Figures, recordings: list[Path], rounds: int) -> str:
    """README of the results."""
    about = machine()
    rows = [
        [f"{recording.stem}, {'+'.join(encoding).removesuffix('+none')}, {language}"]
        + [
            figures.text(recording.stem, "+".join(encoding).removesuffix("+none"), language, name)
            for name in ("rate", "cpu")
        ]
        for recording in recordings
        for encoding in ENCODINGS
        for language in _LANGUAGES
    ]
    names = ("observation_bytes", "decode_p50_ms", "decode_p99_ms", "events_p50_ms", "events_p99_ms", "allocated_bytes")
    single = [[recording.stem, *(figures.text(recording.stem, name) for name in names)] for recording in recordings]
    made = f"{about['date']}: {about['cpu']}, {about['cores']} cores that run daemon and reader together"
    versions = f"{about['os']}, Python {about['python']}, .NET {about['dotnet']}, commit {about['commit']}"
    heads = ["recording", "observation, bytes", "decode p50, µs", "decode p99, µs"]
    heads += ["events p50, µs", "events p99, µs", "allocated, B"]
    return f"""# The C# client beside the Python client

Made by `dotnet make.cs bench client` on {made},
load {about["load"]} at the end, {versions}.

A daemon plays the recording as fast as its one reader takes it (`every`, over the socket; `C# gRPC`: over gRPC).
The reader sums positions, health, shield, types, alliances and tags of all units of each frame. {rounds} rounds,
languages in turn; medians, with the least and the most in brackets.

{table(["reader", "frames/s", "CPU of the reader, ms a frame"], rows)}
Single frames of `columns+zstd-stream` in C# (the last {_MAX_FRAMES:,} of the recording): from the message to all
columns of the units and their orders, and the unit events of the frame.

{table(heads, single)}"""


def main() -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="dotnet make.cs bench client", description=__doc__)
    parser.add_argument("recordings", nargs="*", type=Path, help="recordings (default: the sample)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default: 5)")
    parser.add_argument("--read", nargs=3, metavar=("ADDRESS", "ENCODING", "COMPRESSION"), help=argparse.SUPPRESS)
    parser.add_argument(
        "--output", type=Path, default=LOCAL / f"{datetime.date.today()}-client", help="folder of the results"
    )
    options = parser.parse_args()
    if options.read:
        print(json.dumps(read(*options.read)))
        return 0
    if options.rounds < 1:
        parser.error("--rounds is positive")
    recordings = options.recordings or [SKIRMISH]
    figures = Figures()
    try:
        for recording in recordings:
            measure(recording, options.rounds, figures)
    except MeasureError as error:
        print(f"client: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    text = page(figures, recordings, options.rounds)
    save(options.output, {"machine": machine(), "figures": figures.to_json()}, text)
    print(text)
    return 0


def _run(language: str, recording: Path, encoding: str, compression: str) -> dict[str, Any]:
    ports = [each for name in ("grpc", "socket", "http") for each in (f"--{name}-port", "0")]
    play: list[str | Path] = [DAEMON, "play", recording, *ports, "--rate", "unlimited", "--wait-agents", "1"]
    with Server([*play, "--stop-with-parent"]) as daemon:
        address = daemon.address("socket")
        if language.startswith("C#"):
            place = f"grpc://{daemon.address('grpc')}" if language.endswith("gRPC") else address
            return json.loads(_output("read", place, encoding, compression))  # type: ignore[no-any-return]
        # A process of its own, as in C#.
        line = [sys.executable, __file__, "--read", address, encoding, compression]
        return json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)  # type: ignore[no-any-return]


def _output(*arguments: str) -> str:
    done = subprocess.run(
        ["dotnet", str(BENCHMARKS), "client", *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise MeasureError(f"client {arguments[0]} failed: {done.stderr}")
    return done.stdout


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())

"""The C# client beside the Python client, on the same daemon and recording: `dotnet make.cs bench client`."""

from __future__ import annotations

import json
import resource
import sys
import time
from itertools import product
from pathlib import Path

import abathur
from figures import Figures
from pages import figure_table, made, page
from processes import BENCHMARKS, Daemon, MeasureError
from runs import answer, arguments, ask, output_of, rounds, run

from recordings import SKIRMISH

ENCODINGS = {"columns+zstd-stream": ("columns", "zstd-stream"), "proto": ("proto", "none")}
_LANGUAGES = ("C#", "C# gRPC", "Python")
_MAX_FRAMES = 3000
#: Figures of single frames, and their heads; times are told in µs.
_SINGLE = {
    "observation_bytes": "observation, bytes",
    "decode_p50_ms": "decode p50, µs",
    "decode_p99_ms": "decode p99, µs",
    "events_p50_ms": "events p50, µs",
    "events_p99_ms": "events p99, µs",
    "allocated_bytes": "allocated, B",
}


def read(address: str, encoding: str, compression: str) -> dict[str, float]:
    """Read all frames in a process of its own, with the columns that agents use most."""
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


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _csharp(*given: object) -> dict[str, float]:
    made: dict[str, float] = json.loads(output_of(["dotnet", str(BENCHMARKS), "client", *map(str, given)]))
    return made


def _read(language: str, recording: Path, encoding: str, compression: str) -> dict[str, float]:
    with Daemon(recording, "--rate", "unlimited", "--wait-agents", "1") as daemon:
        if language == "Python":
            result: dict[str, float] = ask(__file__, "read", daemon.address("socket"), encoding, compression)
            return result
        address = f"grpc://{daemon.address('grpc')}" if language.endswith("gRPC") else daemon.address("socket")
        return _csharp("read", address, encoding, compression)


def measure(recording: Path, figures: Figures) -> None:
    """A round in each language and encoding, in turn; then single frames in C#."""
    for name, encoding in ENCODINGS.items():
        sums = []
        for language in _LANGUAGES:
            result = _read(language, recording, *encoding)
            key = (recording.stem, name, language)
            figures.add("frames/s", (result["frames"] - 1) / result["seconds"], *key, "rate")
            figures.add("ms", 1000 * result["cpu_seconds"] / (result["frames"] - 1), *key, "cpu")
            sums.append(result["sum"])
        # float32 sums of NumPy are rounded differently.
        if max(sums) - min(sums) > 1e-4 * abs(sums[0]):
            raise MeasureError(f"the readers do not agree: {sums}")
    decoded = _csharp("decode", recording, _MAX_FRAMES)
    for name in _SINGLE:
        is_time = name.endswith("_ms")
        figures.add("us" if is_time else "bytes", decoded[name] * (1000 if is_time else 1), recording.stem, name)


def main() -> int:
    """Measure, and write the page."""
    more = {"recordings": {"nargs": "*", "type": Path, "help": "recordings (default: the sample)"}}
    options = arguments("client", __doc__, more, rounds=(5, "rounds"))
    recordings = options.recordings or [SKIRMISH]
    names = [each.stem for each in recordings]

    def measured(figures: Figures) -> None:
        for _ in rounds(options.rounds):
            for recording in recordings:
                measure(recording, figures)

    def written(figures: Figures) -> str:
        readers = {", ".join(each): each for each in product(names, ENCODINGS, _LANGUAGES)}
        return page(
            "The C# client beside the Python client",
            made("client"),
            "A daemon plays the recording as fast as its one reader takes it (`every`, over the socket; `C# gRPC`: "
            "over gRPC). The reader sums positions, health, shield, types, alliances and tags of all units of each "
            f"frame. {options.rounds} rounds, languages in turn; medians, with the least and the most in brackets.",
            figure_table(figures, "reader", readers, {"frames/s": "rate", "CPU of the reader, ms a frame": "cpu"}),
            f"Single frames of `columns+zstd-stream` in C# (the last {_MAX_FRAMES:,} of the recording): from the "
            "message to all columns of the units and their orders, and the unit events of the frame.",
            figure_table(
                figures,
                "recording",
                {name: (name,) for name in names},
                {head: figure for figure, head in _SINGLE.items()},
            ),
        )

    return run(options, measured, written)


if __name__ == "__main__":
    sys.exit(answer({"read": read}, main))

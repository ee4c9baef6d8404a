"""Runs JMH and takes samples from its result; and HTTP between two JVMs, of frames as protobuf and as JSON."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from languages import builds
from languages.measured import sizes, summary

_WARM_UP_MS = 2_000
_TIMEOUT_SECONDS = 30


def measure_http(
    java: list[str], folder: Path, name: str, *, rounds: int, seed: int, quick: bool
) -> dict[str, dict[str, Any]]:
    """Run server and client.

    Args:
        java: Command and classpath.
        folder: Has the frames.
        name: Of the frames.
        rounds: Passes over the frames, for each kind of request in another order.
        seed: Start of the order.
        quick: Whether to do without warming up.

    Returns:
        Rows by kind: ``bytes`` of the body, ``total_ns``, and of that ``server_codec_ns`` and ``server_gzip_ns``.
    """
    out = folder / "http.json"
    # Without it, an answer of more than one packet waits for the client's delayed acknowledgement: 40 ms.
    server = [java[0], "-Dsun.net.httpserver.nodelay=true", *java[1:], "abathur.bench.FrameServer", str(folder), name]
    with subprocess.Popen(server, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            ready = process.stdout.readline().split()
            if ready[:1] != ["ready"]:
                raise builds.BuildError(f"the HTTP server did not start: {' '.join(ready)}", "")
            client = ["abathur.bench.FrameClient", str(folder), name, f"http://127.0.0.1:{ready[1]}", str(out)]
            client += [str(rounds), str(seed), str(0 if quick else _WARM_UP_MS)]
            builds.run([*java, *client], cwd=folder)
        finally:
            process.stdin.close()
            try:
                process.wait(_TIMEOUT_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
    found: dict[str, dict[str, Any]] = json.loads(out.read_text(encoding="utf-8"))
    return {kind: _row(row, is_compressed=kind.endswith("-gzip")) for kind, row in found.items()}


def _row(row: dict[str, Any], *, is_compressed: bool) -> dict[str, Any]:
    return {
        "bytes": sizes(row["bytes"]),
        "total_ns": summary(row["total"]),
        "server_codec_ns": summary(row["server_codec"]),
        "server_gzip_ns": summary(row["server_gzip"]) if is_compressed else None,
    }


FOLDER = "ABATHUR_BENCH_FOLDER"
_BENCHMARK = "abathur.bench.CodecBenchmark"
#: One fork a round: warm-up, then measurement.
FRAMES = ("-f", "1", "-wi", "3", "-w", "1s", "-i", "3", "-r", "1s")
LEVELS = ("-f", "1", "-wi", "2", "-w", "500ms", "-i", "2", "-r", "250ms")
#: Only that it works, without a fork.
QUICK = ("-f", "0", "-wi", "1", "-w", "10ms", "-i", "1", "-r", "10ms")
_MAX_SAMPLES = 5_000


def run(
    java: list[str],
    folder: Path,
    codecs: Sequence[str],
    frames: Sequence[str],
    rows: dict[str, dict[str, dict[str, Any]]],
    options: Sequence[str],
) -> None:
    """Time codecs once over frames, and add a round to their rows.

    Args:
        java: Command and classpath.
        folder: Has the frames; allocations are appended to a file in it.
        codecs: Their names.
        frames: Names of frames: the recording or levels.
        rows: Rows by name of the frames and codec.
        options: Of JMH: forks and iterations.
    """
    out = folder / "jmh.json"
    command = [*java, "org.openjdk.jmh.Main", _BENCHMARK, "-foe", "true", "-rf", "json", "-rff", str(out)]
    command += ["-p", f"name={','.join(codecs)}", "-p", f"frames={','.join(frames)}", *options]
    builds.run(command, cwd=folder, env={**os.environ, FOLDER: str(folder)})
    for each in json.loads(out.read_text(encoding="utf-8")):
        operation = each["benchmark"].rpartition(".")[2]
        row = rows[each["params"]["frames"]][each["params"]["name"]]
        row.setdefault("samples", {}).setdefault(operation, []).append(samples(each["primaryMetric"]))


def samples(metric: dict[str, Any]) -> list[float]:
    """Single operations of a result in mode SampleTime, ns: at most 5,000, evenly spaced by rank."""
    counted = [pair for fork in metric["rawDataHistogram"] for iteration in fork for pair in iteration]
    counted.sort()
    total = sum(count for _, count in counted)
    wanted = min(total, _MAX_SAMPLES)
    ranks = iter(range(wanted))
    rank = next(ranks)
    found, seen = [], 0
    for value, count in counted:
        seen += count
        while rank is not None and rank * (total - 1) // max(wanted - 1, 1) < seen:
            found.append(float(value))
            rank = next(ranks, None)
    return found


def add_allocated(folder: Path, rows: dict[str, dict[str, dict[str, Any]]]) -> None:
    """Add what operations allocate: the mean over the rounds of what each process has written."""
    taken: dict[tuple[str, ...], list[float]] = {}
    path = folder / "allocated.tsv"
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        codec, name, operation, value = line.split("\t")
        taken.setdefault((name, codec, operation), []).append(float(value))
    for (name, codec, operation), values in taken.items():
        figures = rows[name][codec].setdefault("allocated", {})
        figures[operation] = {"bytes": sum(values) / len(values)}

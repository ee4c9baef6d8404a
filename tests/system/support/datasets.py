"""Recordings for datasets, and what a dataset's folder has."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from mcap.writer import CompressionType, Writer
from programs import ROOT, run_daemon
from s2clientprotocol import sc2api_pb2

TABLES = ("units", "players", "events", "actions")


def synthesize(folder: Path, *, seeds: Iterable[int], steps: int) -> list[Path]:
    """Generated matches, of which each has its own id."""
    made = []
    for seed in seeds:
        path = folder / f"match-{seed:02}.mcap"
        done = run_daemon("synth", "--seed", str(seed), "--steps", str(steps), "-o", str(path), "-q")
        assert done.returncode == 0, done.stderr
        made.append(path)
    return made


def write_recording(
    path: Path,
    observations: Iterable[tuple[int, bytes]],
    *,
    game_info: sc2api_pb2.ResponseGameInfo | None = None,
    actions: Iterable[tuple[int, bytes]] = (),
    chunk_size: int = 1 << 16,
    **metadata: str,
) -> Path:
    """A recording of game loops and serialized observations, written without the daemon."""
    time_of = lambda loop: round(loop * 312_500_000 / 7)  # noqa: E731
    with path.open("wb") as file:
        writer = Writer(file, chunk_size=chunk_size, compression=CompressionType.ZSTD)
        writer.start()
        writer.add_metadata("abathur.match", metadata)
        topics = {
            "/observation": "SC2APIProtocol.ResponseObservation",
            "/actions": "SC2APIProtocol.RequestAction",
            "/game_info": "SC2APIProtocol.ResponseGameInfo",
        }
        channels = {
            topic: writer.register_channel(topic, "protobuf", writer.register_schema(schema, "protobuf", b""))
            for topic, schema in topics.items()
        }
        if game_info is not None:
            writer.add_message(channels["/game_info"], 0, game_info.SerializeToString(), 0)
        messages = [(loop, "/actions", data) for loop, data in actions]
        messages += [(loop, "/observation", data) for loop, data in observations]
        # Log times count up, also where game loops repeat.
        for number, (loop, topic, data) in enumerate(sorted(messages, key=lambda each: each[0]), 1):
            writer.add_message(channels[topic], number, data, time_of(loop), number)
        writer.finish()
    return path


def shown_command(pattern: str) -> list[str]:
    """The words of the command of docs/datasets.md that has a pattern, without `abathur`."""
    page = (ROOT / "docs" / "datasets.md").read_text(encoding="utf-8")
    (line,) = re.findall(rf"^abathur (.*{pattern}.*)$", page, re.M)
    return shlex.split(line)


def contents(folder: Path) -> dict[str, str]:
    """Each file of a dataset, with a hash of its content."""
    files = sorted(each for each in folder.rglob("*") if each.is_file())
    return {each.relative_to(folder).as_posix(): hashlib.sha256(each.read_bytes()).hexdigest() for each in files}


def parts(folder: Path, table: str) -> list[Path]:
    """The files of a table."""
    return sorted((folder / table).rglob("*.parquet"))


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    """All rows of a table, without the columns of the path."""
    found: list[dict[str, Any]] = []
    for part in parts(folder, table):
        # Of the file alone: the columns of the path are not in it.
        found += pq.ParquetFile(part).read().to_pylist()
    return found

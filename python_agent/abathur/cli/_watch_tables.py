"""The tables of ``abathur watch``."""

from __future__ import annotations

from rich.text import Text

from abathur.cli._fitting_table import Column, FittingTable
from abathur.cli._stats import Snapshot

_LATENCY = "latency (p50, p99) in ms from published to received"


def live_table(snapshots: list[Snapshot]) -> FittingTable:
    """What each agent receives now."""
    columns = [
        _agents(snapshots),
        Column("loop", [f"{each.game_loop}" for each in snapshots], keep=8),
        Column("frames/s", [_rate(each) for each in snapshots], keep=7),
        Column("Mbit/s", [f"{each.megabits_per_second:.1f}" for each in snapshots], keep=4),
        *_times(snapshots),
        _drops(snapshots),
    ]
    return FittingTable("Abathur.Sync agents", columns, "Ctrl-C stops")


def summary_table(snapshots: list[Snapshot]) -> FittingTable:
    """What each agent has received."""
    sizes = [f"{each.bytes / each.frames / 1000:.1f}" if each.frames else "-" for each in snapshots]
    columns = [
        _agents(snapshots),
        Column("frames", [f"{each.frames}" for each in snapshots], keep=8),
        Column("frames/s", [f"{each.mean_frames_per_second:.2f}" for each in snapshots], keep=7),
        Column("KB", sizes, keep=3, note="KB a frame"),
        Column("Mbit/s", [f"{each.mean_megabits_per_second:.1f}" for each in snapshots], keep=4),
        *_times(snapshots),
        _drops(snapshots),
    ]
    seconds = max((each.seconds for each in snapshots), default=0.0)
    return FittingTable(f"Summary of {seconds:.1f} s", columns)


def _agents(snapshots: list[Snapshot]) -> Column:
    return Column("agent", [each.label for each in snapshots], keep=10, is_text=True)


def _rate(snapshot: Snapshot) -> str:
    rate = f"{snapshot.frames_per_second:.1f}"
    return f"{rate} / {snapshot.tick_hz:g}" if snapshot.tick_hz else rate


def _times(snapshots: list[Snapshot]) -> list[Column]:
    return [
        Column("decode", [f"{each.decode_ms:.2f}" for each in snapshots], keep=1, note="decode in ms"),
        Column("p50", [f"{each.latency_p50_ms:.2f}" for each in snapshots], keep=5, note=_LATENCY),
        Column("p99", [f"{each.latency_p99_ms:.2f}" for each in snapshots], keep=5, note=_LATENCY),
    ]


def _drops(snapshots: list[Snapshot]) -> Column:
    cells = [Text(f"{each.dropped}", style="red" if each.dropped else "") for each in snapshots]
    return Column("drops", cells, keep=9)

"""`abathur watch` is readable in a narrow terminal and uses a wide one."""

from __future__ import annotations

import io

import pytest
from abathur.cli._fitting_table import Column, FittingTable
from abathur.cli._stats import Snapshot
from abathur.cli._watch_tables import live_table, summary_table
from rich.console import Console

SNAPSHOTS = [
    Snapshot(
        label,
        tick_hz=22.4,
        seconds=125.3,
        frames=2807,
        dropped=dropped,
        game_loop=11_767,
        bytes=175_000_000,
        frames_per_second=22.4,
        megabits_per_second=11.2,
        decode_ms=0.31,
        latency_p50_ms=0.62,
        latency_p99_ms=12.75,
    )
    for label, dropped in (
        ("grpc proto :22400", 0),
        ("socket json :22401", 12),
        ("socket columns+zstd-stream :22401", 0),
    )
]


def rendered(table: FittingTable, width: int) -> list[str]:
    """The lines at a width, without the spaces at their ends."""
    console = Console(width=width, file=io.StringIO(), color_system=None)
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


@pytest.mark.parametrize(
    ("width", "live", "summary"),
    [
        (60, "agent loop frames/s drops", "agent frames frames/s drops"),
        (80, "agent loop frames/s p50 p99 drops", "agent frames frames/s Mbit/s p50 p99 drops"),
        (
            200,
            "agent loop frames/s Mbit/s decode p50 p99 drops",
            "agent frames frames/s KB Mbit/s decode p50 p99 drops",
        ),
    ],
)
def test_columns_are_omitted_by_importance(width: int, live: str, summary: str) -> None:
    assert rendered(live_table(SNAPSHOTS), width)[1].split() == live.split()
    assert rendered(summary_table(SNAPSHOTS), width)[1].split() == summary.split()


@pytest.mark.parametrize("width", [*range(10, 130), 200])
def test_no_line_wraps_and_no_cell_is_cut(width: int) -> None:
    for table in (live_table(SNAPSHOTS), summary_table(SNAPSHOTS)):
        lines = rendered(table, width)
        # The title, the headings with a rule below, the rows, and at most one line of caption.
        assert len(lines) in (len(SNAPSHOTS) + 3, len(SNAPSHOTS) + 4)
        assert all(len(line) <= width for line in lines)
        for snapshot, line in zip(SNAPSHOTS, lines[3:], strict=False):
            whole = line.startswith(snapshot.label)
            assert whole or (line.startswith("…") and snapshot.label.endswith(line[1:])), line


def test_the_caption_explains_the_columns_that_are_shown() -> None:
    wide, narrow = rendered(live_table(SNAPSHOTS[:2]), 80)[-1], rendered(live_table(SNAPSHOTS[:2]), 40)[-1]
    assert wide == "decode in ms; latency (p50, p99) in ms from published to received; Ctrl-C stops"
    assert narrow == "Ctrl-C stops"


def test_a_label_is_no_markup() -> None:
    table = FittingTable("title", [Column("agent", ["socket json [red]/x[/]"], keep=1, is_text=True)])
    assert rendered(table, 40)[3] == "socket json [red]/x[/]"

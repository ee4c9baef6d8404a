"""`status`, `watch` and the line of `play` on real terminals: nothing wraps, and a narrow one has fewer columns."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from programs import FREE_PORTS, SKIRMISH, Play, daemon_command
from terminals import needs_terminal, run_on_terminal

pytestmark = needs_terminal
CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]")


def lines_of(output: str) -> list[str]:
    """What was written between line ends, without colours and movements of the cursor."""
    return [CONTROL.sub("", line).rstrip() for line in re.split(r"[\r\n]+", output)]


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_status(play: Play, columns: int) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    done = run_on_terminal(daemon_command("status", daemon.addresses["http"], "--once"), columns=columns)
    lines = lines_of(done.output)
    assert done.returncode == 0 and all(len(line) <= columns for line in lines), done.output
    assert any(line.startswith("match          Synthetic LE, playback (simulated)") for line in lines)
    assert ("up 0:" in done.output) == (columns >= 80)


@pytest.mark.parametrize(
    ("columns", "headings"),
    [(40, "agent frames drops"), (60, "agent frames frames/s p50 p99 drops")],
)
def test_watch(play: Play, columns: int, headings: str) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1", "--playback-duration", "2")
    done = run_on_terminal([sys.executable, "-m", "abathur", "watch", daemon.grpc], columns=columns)
    lines = lines_of(done.output)
    assert done.returncode == 0 and all(len(line) <= columns for line in lines), done.output
    assert headings.split() in [line.split() for line in lines]


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_playback(columns: int) -> None:
    def quit_when_it_plays(process: subprocess.Popen[bytes], output: str) -> None:
        # Once: a second signal ends it at once.
        if " loop " in output and not told:
            told.append(True)
            process.terminate()

    told: list[bool] = []
    command = daemon_command("play", str(SKIRMISH), *FREE_PORTS, "--loop")
    done = run_on_terminal(command, columns=columns, on_output=quit_when_it_plays)
    # The ready line is for programs, and is as long as it is.
    lines = [line for line in lines_of(done.output) if not line.startswith("ready ")]
    assert done.returncode == 0 and all(len(line) < columns for line in lines), done.output
    shown = [line for line in lines if " loop " in line]
    assert shown and ("agents" in shown[-1]) == (columns >= 80) and ("frames/s" in shown[-1]) == (columns >= 60)

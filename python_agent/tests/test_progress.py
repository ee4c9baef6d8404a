"""Long commands show how far they are on a terminal, and an interrupted one leaves no file."""

from __future__ import annotations

import io
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from abathur.cli._progress import ProgressBar
from programs import SKIRMISH, crossed, daemon_command, run_daemon
from rich.console import Console
from terminals import needs_terminal, run_on_terminal

#: About 100 MB: seconds of each command.
STEPS = "1500"
needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="SIGINT cannot be sent to another process there")
CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]")


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording that takes long, beside its observations."""
    folder = tmp_path_factory.mktemp("match")
    for name in ("match.mcap", "match.obs"):
        done = run_daemon("synth", "--preset", "elite", "--steps", STEPS, "-o", str(folder / name), timeout=120)
        assert done.returncode == 0, done.stderr
    return folder


def arguments(name: str, match: Path, output: Path) -> list[str]:
    """A command that writes a file of 1500 large frames."""
    return {
        "synth": ["synth", "--preset", "elite", "--steps", STEPS, "-o", str(output)],
        "import": ["import", str(match / "match.obs"), "-o", str(output)],
        "export": ["export", str(match / "match.mcap"), "-o", str(output)],
        "recover": ["recover", str(match / "match.mcap"), "-o", str(output)],
    }[name]


@needs_terminal
@crossed(columns=[20, 60, 200], name=["synth", "import", "recover"])
def test_a_line_shows_the_progress_and_is_removed(tmp_path: Path, match: Path, name: str, columns: int) -> None:
    done = run_on_terminal(daemon_command(*arguments(name, match, tmp_path / "out")), columns=columns)
    assert done.returncode == 0, done.output
    drawn = [CONTROL.sub("", line) for line in done.output.split("\n")[0].split("\r")]
    bars = [line for line in drawn if re.search(r"\d %( |$)", line)]
    # How many are drawn depends on the machine: a fast one imports 160 MB between two of them.
    shares = [int(share) for line in bars for share in re.findall(r"(\d+) %", line)]
    assert shares and shares == sorted(shares) and all(len(line) < columns for line in bars), drawn
    if columns >= 60:
        pattern = rf"{name} \[#*-*\] +\d+ %  [\d,.]+ (frames|[kMG]B)/s(  \d+:\d\d left)?"
        assert all(re.fullmatch(pattern, line) for line in bars), bars
    # The last bar is followed by nothing but its removal, and the closing line.
    assert drawn[drawn.index(bars[-1]) + 1] == drawn[-1] or drawn[-1] == "", drawn
    assert f"{tmp_path / 'out'}: " in drawn[-2 if drawn[-1] == "" else -1], drawn


@needs_terminal
def test_a_dumb_terminal_gets_the_closing_line_only(tmp_path: Path, match: Path) -> None:
    done = run_on_terminal(daemon_command(*arguments("recover", match, tmp_path / "out")), columns=80, TERM="dumb")
    assert done.returncode == 0 and done.output.startswith(f"{tmp_path / 'out'}: "), done.output


@needs_signals
@pytest.mark.parametrize("name", ["synth", "export", "recover"])
def test_an_interrupted_command_leaves_no_file(tmp_path: Path, match: Path, name: str) -> None:
    output = tmp_path / "out"
    with subprocess.Popen(
        daemon_command(*arguments(name, match, output)), stderr=subprocess.PIPE, text=True
    ) as process:
        while not (tmp_path / "out.part").exists():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=30)
    assert (process.returncode, error) == (130, "abathur-sync: interrupted: no file was written\n")
    assert list(tmp_path.iterdir()) == []


@needs_signals
def test_an_interrupted_import_leaves_a_complete_recording_and_says_so(tmp_path: Path, match: Path) -> None:
    output = tmp_path / "out.mcap"
    command = daemon_command(*arguments("import", match, output), "--chunk-size", "1024")
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while not (part := tmp_path / "out.mcap.part").exists() or not part.stat().st_size:
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=30)
    assert process.returncode == 130 and error.endswith(
        "abathur-sync: interrupted: the recording has what came before\n"
    )
    assert list(tmp_path.iterdir()) == [output]
    info = run_daemon("info", str(output), "--json")
    assert '"complete": true' in info.stdout, info.stdout


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_the_bar_of_bench_fits_a_terminal(columns: int) -> None:
    terminal = io.StringIO()
    console = Console(file=terminal, width=columns, force_terminal=True, legacy_windows=False)
    progress = ProgressBar(console)
    progress("warming up protobuf", 0, 0)
    progress._last = 0.0
    progress("round 2 of 5: timing protobuf+zstd", 30, 60)
    progress.clear()
    lines = [CONTROL.sub("", line).rstrip() for line in re.split(r"[\r\n]+", terminal.getvalue())]
    shown = [line for line in lines if " % " in line]
    assert shown and all(len(line) <= columns for line in lines), lines
    assert " 50 %" in shown[-1] and re.search(r"\d frames/s", shown[-1]), lines


@needs_terminal
def test_bench_shows_its_progress(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "abathur", "bench", str(SKIRMISH), "--codecs", "protobuf", "--frames", "200"]
    done = run_on_terminal(command, columns=80)
    assert done.returncode == 0, done.output
    assert "warming up protobuf" in done.output and "decode ms" in done.output


@needs_terminal
def test_a_table_shows_its_progress(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "abathur", "export", str(SKIRMISH), "-o", str(tmp_path / "units.npz"), "--force"]
    shown = run_on_terminal(command, columns=80)
    assert shown.returncode == 0, shown.output
    assert re.search(r"export +.*\d %", CONTROL.sub("", shown.output)) and "frames/s" in shown.output
    quiet = run_on_terminal([*command, "--quiet"], columns=80)
    assert (quiet.returncode, "frames/s" in quiet.output) == (0, False)

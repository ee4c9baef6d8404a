"""A recording that is cut, through the command line: one line, or what is there. (Each byte: the .NET tests.)"""

from __future__ import annotations

import random
from pathlib import Path

import abathur
import pytest
from programs import FREE_PORTS, SKIRMISH, Launch, random_seed, run_daemon


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("small")
    stream, recording = folder / "a.obs", folder / "a.mcap"
    assert run_daemon("export", str(SKIRMISH), "-o", str(stream), "--stop", "8980").returncode == 0
    done = run_daemon("import", str(stream), "-o", str(recording), "--chunk-size", "100000")
    assert done.returncode == 0, done.stderr
    return recording.read_bytes()


@pytest.mark.parametrize("number", range(6))
def test_each_command_has_an_error_or_the_rest(tmp_path: Path, small: bytes, launch: Launch, number: int) -> None:
    draw = random.Random(random_seed())
    size = [
        0,
        30,
        draw.randrange(100, 5000),
        *(draw.randrange(len(small) // 4 * part, len(small) // 4 * (part + 1)) for part in (1, 2, 3)),
    ][number]
    cut, back = tmp_path / "cut.mcap", tmp_path / "back.mcap"
    cut.write_bytes(small[:size])
    for command in (("info", str(cut)), ("cat", str(cut)), ("recover", str(cut), "-o", str(back))):
        done = run_daemon(*command)
        assert done.returncode in (0, 3), (command, done.stderr)
        assert "   at " not in done.stderr
        if done.returncode != 0 and not back.exists():
            assert len(done.stderr.splitlines()) == 1, done.stderr
    if not back.exists():
        assert size < 200
        return
    try:
        with abathur.open(back) as match:
            frames = [frame.game_loop for frame in match.frames()]
    except abathur.RecordingError as nothing:
        # Cut before the first observation.
        assert "/observation" in str(nothing)
        assert done.returncode == 3 and "no observation was recovered" in done.stderr, done.stderr
        assert run_daemon("play", str(back)).returncode == 3
        return
    assert frames == list(range(frames[0], frames[0] + len(frames)))
    daemon = launch("play", str(back), *FREE_PORTS, "--wait-agents", "1", "--rate", "unlimited")
    with abathur.connect_blocking(daemon.grpc) as game:
        assert [frame.game_loop for frame in game.frames(policy="every")] == frames
    assert daemon.wait() == 0

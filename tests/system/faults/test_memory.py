"""A reader that takes nothing does not make the daemon grow."""

from __future__ import annotations

import socket
from pathlib import Path

import abathur
import psutil
import pytest
from programs import FREE_PORTS, Launch, matrix, run_daemon

#: What the daemon may take in all, and grow by, over a match of the largest frames (134 KB).
MOST_BYTES = 400_000_000
GROWTH_BYTES = 60_000_000
LOOPS = 16_860


@pytest.fixture(scope="module")
def elite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The largest simulated match."""
    path = tmp_path_factory.mktemp("elite") / "elite.mcap"
    done = run_daemon("synth", "--preset", "elite", "-o", str(path), timeout=100)
    assert done.returncode == 0, done.stderr
    return path


@pytest.mark.measured
@pytest.mark.parametrize("form", matrix("columns", "proto", "json"))
def test_memory_is_flat_with_a_stalled_reader(launch: Launch, elite: Path, form: str) -> None:
    daemon = launch("play", str(elite), *FREE_PORTS, "--start-paused", "--rate", "unlimited", "--loop")
    info = psutil.Process(daemon.process.pid)
    request = f'{{"subscribe":{{"policy":"latest","encoding":"{form}"}}}}\n'.encode()
    with socket.create_connection(("127.0.0.1", daemon.socket_port)) as stalled:
        stalled.sendall(request)
        # The first byte is all that it ever takes.
        stalled.recv(1)
        with abathur.connect_blocking(daemon.grpc) as game, abathur.connect_blocking(daemon.socket) as reader:
            game.playback.resume()
            sizes = []
            for frame in reader.frames(policy="every", encoding="proto"):
                if frame.sequence % (LOOPS // 10) == 0:
                    sizes.append(info.memory_info().rss)
                if frame.sequence >= LOOPS:
                    break
            (waiting,) = (each.frames_waiting for each in game.status().subscribers if each.policy == 0)
    # The first rounds warm up pools and compiled code.
    settled = sizes[len(sizes) // 4]
    print(f"{form}: {settled / 1e6:.0f} MB after a quarter, {max(sizes) / 1e6:.0f} MB at most, {waiting} frames wait")
    assert max(sizes) < MOST_BYTES
    assert max(sizes) < settled + GROWTH_BYTES

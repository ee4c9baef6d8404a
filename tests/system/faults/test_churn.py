"""Two hundred agents that come and die at random, and one that stays. (Latencies: `dotnet make.cs bench churn`.)"""

from __future__ import annotations

import secrets
import sys
import threading
import time
from dataclasses import dataclass

import abathur
import churn
import psutil
import pytest
from churn import AGENTS, crowd
from processes import Daemon
from programs import SKIRMISH

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="agents are killed with SIGKILL and reset on Linux only"
)
FRAMES = 450
#: What compiled code and warm pools may add to a daemon that has just started.
MORE_BYTES = 150_000_000
#: The status is asked for on one.
MORE_CONNECTIONS = 1
MORE_THREADS = 15
#: Within how many game loops all is given back: two minutes at 22.4 game loops a second. The runtime gives memory back
#: when it collects all of it the next time, which with one reader may be a minute away.
GAME_LOOPS_TO_GIVE_BACK = 2688


@dataclass
class Reference:
    """An agent under `every` that stays: how many frames it got; any gap is an error."""

    address: str
    frames: int = 0
    error: str = ""

    def run(self, stop: threading.Event) -> None:
        try:
            with abathur.connect_blocking(self.address) as game:
                last = 0
                for frame in game.frames(policy="every", encoding="proto", name="reference"):
                    if frame.dropped or (last and frame.sequence != last + 1):
                        self.error = f"frame {frame.sequence} came after {last}, {frame.dropped} dropped"
                        return
                    last = frame.sequence
                    self.frames += 1
                    if stop.is_set():
                        return
            self.error = "the stream ended"
        except abathur.AbathurError as error:
            self.error = str(error)


def holds(info: psutil.Process) -> tuple[int, int, int]:
    """Resident bytes, connections and threads of a process."""
    return info.memory_info().rss, len(info.net_connections()), info.num_threads()


@pytest.mark.fuzzing
@pytest.mark.measured
def test_the_one_that_stays_loses_nothing_and_all_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    seed = secrets.randbits(32)
    print(f"seed {seed}")
    monkeypatch.setattr(churn, "KILL_SECONDS", (1.0, 3.0))
    with Daemon(SKIRMISH, "--loop") as daemon:
        info = psutil.Process(daemon.info.pid)
        reference = Reference(f"grpc://{daemon.address('grpc')}")
        stop = threading.Event()
        reading = threading.Thread(target=reference.run, args=(stop,))
        reading.start()
        while reference.frames < 50:
            assert not reference.error, reference.error
        before = holds(info)
        with crowd(daemon, AGENTS, seed) as killed:
            most = 0
            while reference.frames < FRAMES and not reference.error:
                most = max(most, len(daemon.status().subscribers))
            assert len(killed) > 2
        assert not reference.error, reference.error
        assert most > AGENTS // 4, "there was a crowd"
        while {each.name for each in daemon.status().subscribers} != {"reference"}:
            assert not reference.error, reference.error
        # Sockets, and not all descriptors: compiled code is loaded from more files as time goes on.
        # Pools and idle threads are given back with time, so frames of the match are the clock.
        frames = reference.frames
        most_held = (before[0] + MORE_BYTES, before[1] + MORE_CONNECTIONS, before[2] + MORE_THREADS)
        while any(now > limit for now, limit in zip(holds(info), most_held, strict=True)):
            assert not reference.error, reference.error
            assert reference.frames < frames + GAME_LOOPS_TO_GIVE_BACK, (holds(info), most_held)
            time.sleep(0.1)
        stop.set()
        reading.join(20)
        assert not reference.error, reference.error

"""Two hundred agents that come and die at random, and one that stays. (Latencies: `dotnet make.cs bench churn`.)"""

from __future__ import annotations

import sys
import threading

import churn
import psutil
import pytest
from churn import AGENTS, Crowd, Reference
from processes import Daemon
from programs import SKIRMISH

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file descriptors to count")
SEED = 20261122
FRAMES = 450
MORE_BYTES = 150_000_000
MORE_DESCRIPTORS = 12
MORE_THREADS = 15


def test_the_one_that_stays_loses_nothing_and_all_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    print(f"seed {SEED}")
    monkeypatch.setattr(churn, "KILL_SECONDS", (1.0, 3.0))
    with Daemon(SKIRMISH, "--loop") as daemon:
        info = psutil.Process(daemon.info.pid)
        reference = Reference(f"grpc://{daemon.address('grpc')}")
        stop = threading.Event()
        reading = threading.Thread(target=reference.run, args=(stop,))
        reading.start()
        while reference.frames < 50:
            assert not reference.error, reference.error
        before = (info.memory_info().rss, info.num_fds(), info.num_threads())
        with Crowd(daemon, AGENTS, SEED) as crowd:
            most = 0
            while reference.frames < FRAMES and not reference.error:
                most = max(most, len(daemon.status().subscribers))
            assert crowd.killed > 2
        assert not reference.error, reference.error
        assert most > AGENTS // 4, "there was a crowd"
        while {each.name for each in daemon.status().subscribers} != {"reference"}:
            assert not reference.error, reference.error
        # Idle connections go within the handshake's ten seconds.
        frames = reference.frames
        while info.num_fds() > before[1] + MORE_DESCRIPTORS:
            assert reference.frames < frames + 22 * 40, (info.num_fds(), before)
        assert info.num_threads() <= before[2] + MORE_THREADS
        assert info.memory_info().rss <= before[0] + MORE_BYTES, (info.memory_info().rss, before)
        stop.set()
        reading.join(20)
        assert not reference.error, reference.error

"""Two hundred agents that come and die at random, and one that stays. (Latencies: `dotnet make.cs bench churn`.)"""

from __future__ import annotations

import sys
import threading

import churn
import psutil
import pytest
from churn import AGENTS, Crowd
from churn_reference import Reference
from processes import Daemon
from programs import SKIRMISH

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="agents are killed with SIGKILL and reset on Linux only"
)
SEED = 20261122
FRAMES = 450
MORE_BYTES = 150_000_000
#: The status is asked for on one.
MORE_CONNECTIONS = 1
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
        before = (info.memory_info().rss, len(info.net_connections()), info.num_threads())
        with Crowd(daemon, AGENTS, SEED) as crowd:
            most = 0
            while reference.frames < FRAMES and not reference.error:
                most = max(most, len(daemon.status().subscribers))
            assert crowd.killed > 2
        assert not reference.error, reference.error
        assert most > AGENTS // 4, "there was a crowd"
        while {each.name for each in daemon.status().subscribers} != {"reference"}:
            assert not reference.error, reference.error
        # Sockets, and not all descriptors: compiled code is loaded from more files as time goes on.
        frames = reference.frames
        while len(info.net_connections()) > before[1] + MORE_CONNECTIONS:
            assert reference.frames < frames + 22 * 40, (info.net_connections(), before)
        assert info.num_threads() <= before[2] + MORE_THREADS
        assert info.memory_info().rss <= before[0] + MORE_BYTES, (info.memory_info().rss, before)
        stop.set()
        reading.join(20)
        assert not reference.error, reference.error

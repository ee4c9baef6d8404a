"""A real daemon for tests: started on free ports, ended with the test."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from programs import FREE_PORTS, Daemon, Launch, Play, start

# How long an example takes says something about the machine and what else it does, and nothing about the code.
settings.register_profile("abathur", deadline=None)
settings.load_profile("abathur")


@pytest.fixture
def launch() -> Iterator[Launch]:
    """Start any verb that serves; ended after the test, by its own process id."""
    daemons: list[Daemon] = []

    def starter(*arguments: str) -> Daemon:
        daemon = start(*arguments)
        daemons.append(daemon)
        return daemon

    yield starter
    for daemon in daemons:
        if daemon.process.stdin is not None and not daemon.process.stdin.closed:
            daemon.process.stdin.close()
        try:
            daemon.process.wait(10)
        except subprocess.TimeoutExpired:
            daemon.process.kill()
            daemon.process.wait()
        for stream in (daemon.process.stdout, daemon.process.stderr):
            if stream is not None:
                stream.close()


@pytest.fixture
def play(tmp_path: Path, launch: Launch) -> Play:
    """Start `play FILE` on free ports."""

    def starter(file: Path | str, *arguments: str, uds: bool = False) -> Daemon:
        ports = list(FREE_PORTS)
        if uds:
            ports += ["--grpc-uds", str(tmp_path / "g.sock"), "--socket-uds", str(tmp_path / "s.sock")]
        return launch("play", str(file), *ports, *arguments)

    return starter

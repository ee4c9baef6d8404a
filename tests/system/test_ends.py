"""How streams end: in good order (the match is over, the daemon shuts down), or by a crash."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from types import SimpleNamespace

import abathur
import pytest
from emulators import emulated
from programs import FREE_PORTS, PAUSE, SKIRMISH, TIMEOUT, Daemon, Launch, Play, crossed, daemon_command
from s2clientprotocol import sc2api_pb2

TRANSPORTS = ["grpc", "socket"]
FORMS = [{}, {"policy": "every"}, {"policy": "every", "credits": 2}, {"compression": "zstd-stream"}]
by_transport = pytest.mark.parametrize("transport", TRANSPORTS)


def terminate(daemon: Daemon) -> None:
    daemon.process.terminate()


def close_input(daemon: Daemon) -> None:
    assert daemon.process.stdin is not None
    daemon.process.stdin.close()


STOPS = [close_input] if sys.platform == "win32" else [close_input, terminate]


# Connecting again would take up the whole test and fail: with an orderly end nothing is tried.
LONG = 10 * TIMEOUT


@crossed(transport=TRANSPORTS, form=FORMS, stop=STOPS)
async def test_a_daemon_that_is_stopped_ends_frames(
    play: Play, transport: str, form: dict[str, str], stop: Callable[[Daemon], None]
) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1")
    seen = 0
    async with asyncio.timeout(TIMEOUT), abathur.connect(daemon.addresses[transport], reconnect_timeout=LONG) as game:
        async for frame in game.frames(**form):  # type: ignore[arg-type]
            assert not frame.reconnected
            seen += 1
            if seen == 3:
                stop(daemon)
    assert seen >= 3
    assert daemon.wait() == 0


@crossed(transport=TRANSPORTS, form=FORMS)
def test_a_daemon_that_is_stopped_ends_blocking_frames(play: Play, transport: str, form: dict[str, str]) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1")
    seen = 0
    with abathur.connect_blocking(daemon.addresses[transport], reconnect_timeout=LONG) as game:
        for frame in game.frames(**form):  # type: ignore[arg-type]
            assert not frame.reconnected
            seen += 1
            if seen == 3:
                close_input(daemon)
    assert seen >= 3
    assert daemon.wait() == 0


@by_transport
@pytest.mark.parametrize("waits", ["paused", "for the match"])
async def test_a_daemon_that_is_stopped_ends_a_stream_without_a_frame(
    play: Play, launch: Launch, transport: str, waits: str
) -> None:
    daemon = play(SKIRMISH, "--start-paused") if waits == "paused" else launch("serve", "--once", *FREE_PORTS)
    async with asyncio.timeout(TIMEOUT), abathur.connect(daemon.addresses[transport], reconnect_timeout=LONG) as game:
        reading = [asyncio.create_task(anext(game.frames(**form), None)) for form in ({}, {"credits": 1})]  # type: ignore[arg-type]
        async with abathur.connect(daemon.grpc) as other:
            while len((await other.status()).subscribers) < len(reading):
                await asyncio.sleep(PAUSE)
        close_input(daemon)
        for taken in await asyncio.gather(*reading):
            # A paused playback has shown its first frame.
            assert taken is None or (waits == "paused" and taken.sequence == 1)


class Counter(abathur.Agent):
    """Counts; `results` are there once it has ended in good order."""

    def __init__(self, during: Callable[[], None] = lambda: None) -> None:
        self.steps = 0
        self.during = during
        self.results: list[sc2api_pb2.PlayerResult] | None = None

    async def on_step(self, frame: abathur.Frame) -> None:
        self.steps += 1
        if self.steps == 3:
            self.during()

    async def on_end(self, results: list[sc2api_pb2.PlayerResult]) -> None:
        self.results = results


@by_transport
async def test_an_agent_ends_with_its_daemon(play: Play, transport: str) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1")
    agent = Counter(lambda: close_input(daemon))
    async with asyncio.timeout(TIMEOUT):
        await agent.run_async(daemon.addresses[transport])
    assert agent.steps >= 3 and agent.results == []


@by_transport
async def test_an_agent_that_asks_while_the_daemon_ends_ends_with_it(play: Play, transport: str) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1")

    class Asks(Counter):
        async def on_step(self, frame: abathur.Frame) -> None:
            await super().on_step(frame)
            while self.steps >= 3:
                await self.game.status()

    agent = Asks(lambda: close_input(daemon))
    async with asyncio.timeout(TIMEOUT):
        await agent.run_async(daemon.addresses[transport])
    assert agent.results == []


@by_transport
async def test_an_agent_ends_with_its_match_while_the_daemon_goes_on(launch: Launch, transport: str) -> None:
    with emulated() as game:
        daemon = launch(
            "live", "--sc2", game.address, "--map", "Any.SC2Map", "--opponent", "ai:terran:easy", "--step", "50",
            "--wait-agents", "1", *FREE_PORTS,
        )  # fmt: skip
        agent = Counter()
        async with asyncio.timeout(2 * TIMEOUT):
            await agent.run_async(daemon.addresses[transport])
        assert daemon.wait() == 0
    assert agent.results is not None and len(agent.results) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo terminal is a thing of Unix")
@by_transport
async def test_q_in_the_terminal_ends_an_agent(transport: str) -> None:
    import pty

    main, terminal = pty.openpty()
    process = subprocess.Popen(
        daemon_command("play", str(SKIRMISH), "--wait-agents", "1", *FREE_PORTS),
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=terminal,
        text=True,
        start_new_session=True,
    )
    os.close(terminal)
    draining = asyncio.create_task(asyncio.to_thread(drain, main))
    try:
        assert process.stdout is not None
        addresses = dict(item.split("=") for item in process.stdout.readline().split()[1:])
        agent = Counter(lambda: os.write(main, b"q"))
        async with asyncio.timeout(TIMEOUT):
            await agent.run_async(f"{transport}://{addresses[transport]}")
        assert agent.steps >= 3 and agent.results == []
        assert await asyncio.to_thread(process.wait, TIMEOUT) == 0
    finally:
        process.kill()
        process.communicate()
        await draining
        os.close(main)


def drain(terminal: int) -> None:
    """Read what is written to a terminal, which would block its writer else."""
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        return


@crossed(transport=TRANSPORTS, form=FORMS)
async def test_a_daemon_that_is_killed_is_a_lost_connection_and_tried_again(
    play: Play, transport: str, form: dict[str, str]
) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1")
    seen = 0
    async with abathur.connect(daemon.addresses[transport], reconnect_timeout=0.5) as game:
        with pytest.raises(abathur.ConnectionLostError, match=r"after \d+ attempts to reconnect"):
            async for _ in game.frames(**form):  # type: ignore[arg-type]
                seen += 1
                if seen == 3:
                    daemon.process.send_signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
    assert seen >= 3


@pytest.mark.parametrize(("reconnected", "received"), [(False, 0), (True, 0), (False, 1 << 62)])
async def test_frames_on_the_way_follow_a_request_that_met_the_end(
    monkeypatch: pytest.MonkeyPatch, reconnected: bool, received: int
) -> None:
    """A race that no daemon can be made to run: the frame with the results arrives before the answer to a request."""
    result = sc2api_pb2.PlayerResult(player_id=1, result=sc2api_pb2.Victory)

    class Scripted:
        async def __aenter__(self) -> Scripted:
            return self

        async def __aexit__(self, *error: object) -> None:
            pass

        async def _read(self, options: object) -> AsyncIterator[SimpleNamespace]:
            for results in ([], [result]):
                response = SimpleNamespace(player_result=results)
                timing = SimpleNamespace(received=received)
                yield SimpleNamespace(response=response, reconnected=reconnected, timing=timing)

    class Asks(abathur.Agent):
        ended: list[sc2api_pb2.PlayerResult] | None = None

        async def on_step(self, frame: abathur.Frame) -> None:
            raise abathur.ConnectError("scripted", "the match is over")

        async def on_end(self, results: list[sc2api_pb2.PlayerResult]) -> None:
            self.ended = results

    monkeypatch.setattr("abathur._client.agent.connect", lambda address: Scripted())
    agent = Asks()
    if reconnected or received:
        with pytest.raises(abathur.ConnectError):
            await agent.run_async()
    else:
        await agent.run_async()
        assert agent.ended == [result]

"""`live --games 0`: games that agents ask for, and the seeds of games."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import abathur
import pytest
from abathur import RequestError
from abathur.sync.v1 import sync_pb2
from emulators import FIRST_LOOP, emulated, short_match
from noted_game import noted
from programs import (
    ACT,
    FREE_PORTS,
    SKIRMISH,
    TIMEOUT,
    WATCH,
    Daemon,
    Launch,
    run_daemon,
    token_options,
    wait_until,
)

LOOPS = 6
#: The last loop comes again with the result.
WHOLE = [*range(FIRST_LOOP, FIRST_LOOP + LOOPS), FIRST_LOOP + LOOPS - 1]
TRANSPORTS = ("grpc", "socket")
MAPS = ("--map", "One.SC2Map", "--map", "Two.SC2Map", "--opponent", "ai:zerg:elite")
ON_REQUEST = (*MAPS, "--games", "0")
Live = Callable[..., Daemon]


@pytest.fixture
def live(launch: Launch) -> Live:
    return lambda game, *arguments: launch("live", "--sc2", game.address, *FREE_PORTS, *arguments)


async def until_over(game: abathur.Game, number: int) -> list[sync_pb2.MatchSummary]:
    """Wait until that many matches are over, and none runs."""
    while True:
        listed = await game.matches()
        if len(listed) == number and all(each.state == sync_pb2.match_over for each in listed):
            return listed
        await asyncio.sleep(0)


def recorded(path: Path) -> list[int]:
    with abathur.open(path) as match:
        return [frame.game_loop for frame in match]


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_one_reader_plays_three_games(live: Live, tmp_path: Path, transport: str) -> None:
    """The first is left in its middle, the second plays to its end, and the third is left at its first frame."""
    with emulated(short_match(tmp_path, LOOPS)) as emulator, noted(emulator) as game:
        daemon = live(
            game, *ON_REQUEST, "--wait-agents", "1", "--seed", str(2**32 - 2), "-o", f"{tmp_path / 'all'}/",
            "--output-name", "{n}",
        )  # fmt: skip
        loops: list[list[int]] = []
        async with abathur.connect(daemon.addresses[transport]) as agent, asyncio.timeout(TIMEOUT):
            frames = agent.frames(policy="lockstep", follow=True)
            # A reader that subscribes before the first game gets its first frame.
            first = asyncio.ensure_future(anext(frames))
            await wait_until(agent, lambda status: len(status.subscribers) == 1)
            assert await agent.matches() == []
            await agent.next_game()
            frame = await first
            runs: list[str] = []
            while True:
                if frame.run_id not in runs:
                    runs.append(frame.run_id)
                    loops.append([])
                loops[-1].append(frame.game_loop)
                if len(loops) == 1 and len(loops[0]) == 3:
                    await agent.next_game(seed=7)
                elif len(loops) == 2 and loops[-1] == WHOLE:
                    assert frame.response.player_result
                    await agent.next_game()
                elif len(loops) == 3:
                    await agent.next_game(seed=0)
                    break
                frame = await anext(frames)
            listed = await agent.matches()
            await frames.aclose()
        assert loops == [WHOLE[:3], WHOLE, WHOLE[:1]]
        assert [each.match.run_id for each in listed][:3] == runs
        assert [each.reason for each in listed[:3]] == [
            "the next game was asked for",
            "match over: player 1 Undecided, player 2 Undecided",
            "the next game was asked for",
        ]
        assert [each.state for each in listed[:3]] == [sync_pb2.match_over] * 3
        assert await asyncio.to_thread(daemon.stop) == 0
        # By the command line's seed and the number of the game, where the request has none.
        assert game.seeds == [2**32 - 2, 7, 0, 0]
        names = [each.local_map.map_path for each in game.created]
        assert names == ["One.SC2Map", "Two.SC2Map", "One.SC2Map", "Two.SC2Map"]
    files = tmp_path / "all"
    assert [recorded(files / f"{number}.mcap") for number in (1, 2, 3)] == [WHOLE[:3], WHOLE, WHOLE[:1]]
    assert not list(files.glob("*.part"))


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("policy", ["lockstep", "every"])
async def test_readers_that_do_not_follow_get_the_end(live: Live, tmp_path: Path, transport: str, policy: Any) -> None:
    with emulated(short_match(tmp_path, LOOPS)) as game:
        daemon = live(game, *ON_REQUEST, "--wait-agents", "1")
        async with abathur.connect(daemon.addresses[transport]) as agent, asyncio.timeout(TIMEOUT):
            for number in range(3):
                await agent.next_game()
                seen = []
                # Each subscription begins with the match that was asked for.
                async for frame in agent.frames(policy=policy):
                    seen.append(frame.game_loop)
                    if number == 1 and len(seen) == 2:
                        await agent.next_game()
                if number == 1 and policy == "lockstep":
                    assert seen == WHOLE[:2]
                else:
                    assert seen == WHOLE[: len(seen)] and (number == 1 or seen == WHOLE)
        assert await asyncio.to_thread(daemon.stop) == 0


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_blocking_agents_ask_too(live: Live, tmp_path: Path, transport: str) -> None:
    with emulated(short_match(tmp_path, LOOPS)) as game:
        daemon = live(game, *ON_REQUEST, "--wait-agents", "1")
        with abathur.connect_blocking(daemon.addresses[transport]) as agent:
            for _ in range(2):
                agent.next_game(3)
                for frame in itertools.islice(agent.frames(policy="lockstep"), 2):
                    loop = frame.game_loop
                assert loop == FIRST_LOOP + 1
        assert daemon.stop() == 0


async def test_a_game_that_ends_by_itself_is_followed_by_none(live: Live, tmp_path: Path) -> None:
    with emulated(short_match(tmp_path, LOOPS)) as emulator, noted(emulator) as game:
        daemon = live(game, *ON_REQUEST)
        async with abathur.connect(daemon.grpc) as agent, asyncio.timeout(TIMEOUT):
            for number in (1, 2):
                await agent.next_game()
                assert len(await until_over(agent, number)) == number == len(game.created)
            assert game.seeds == [None, None]
        assert await asyncio.to_thread(daemon.stop) == 0


async def test_requests_that_wait_together_are_one_with_the_newest_seed(live: Live, tmp_path: Path) -> None:
    with emulated(short_match(tmp_path, LOOPS)) as emulator, noted(emulator) as game:
        daemon = live(game, *ON_REQUEST, "--wait-agents", "1")
        async with abathur.connect(daemon.grpc) as agent, asyncio.timeout(TIMEOUT):
            await agent.next_game(1)
            await anext(agent.frames(policy="lockstep"))
            # Leaving the game takes as long as the test wants, so that both wait.
            game.hold("leave_game")
            first = asyncio.create_task(agent.next_game(2))
            await asyncio.to_thread(game.held.wait, TIMEOUT)
            second = asyncio.create_task(agent.next_game(3))
            await wait_for_request(agent)
            assert not first.done()
            game.release()
            await asyncio.gather(first, second)
            await anext(agent.frames(policy="lockstep"))
        assert game.seeds == [1, 3]
        assert await asyncio.to_thread(daemon.stop) == 0


async def wait_for_request(agent: abathur.Game) -> None:
    """Wait until the daemon has a request that was sent before: one behind it on the connection is answered."""
    for _ in range(3):
        await agent.status()


async def test_each_game_waits_for_its_agents(live: Live, tmp_path: Path) -> None:
    with emulated(short_match(tmp_path, LOOPS)) as game:
        daemon = live(game, *ON_REQUEST, "--wait-agents", "2")
        async with abathur.connect(daemon.grpc) as agent, asyncio.timeout(TIMEOUT):
            await agent.next_game()
            waiting = asyncio.ensure_future(anext(agent.frames(policy="every")))
            await wait_until(agent, lambda status: len(status.subscribers) == 1)
            # Asked for while the game waits: it is over without a frame.
            await agent.next_game()
            with pytest.raises(StopAsyncIteration):
                await waiting
            both = [anext(agent.frames(policy="every")) for _ in range(2)]
            assert [frame.game_loop for frame in await asyncio.gather(*both)] == [FIRST_LOOP] * 2
            assert (await agent.matches())[0].frames == 0
        assert await asyncio.to_thread(daemon.stop) == 0


async def test_a_game_in_real_time_is_left(live: Live) -> None:
    with emulated() as game:
        daemon = live(game, *ON_REQUEST, "--realtime")
        async with abathur.connect(daemon.grpc) as agent, asyncio.timeout(TIMEOUT):
            runs = set()
            for _ in range(3):
                await agent.next_game()
                frame = await anext(agent.frames())
                runs.add(frame.run_id)
            assert len(runs) == 3
            assert [each.state for each in await agent.matches()] == [sync_pb2.match_over] * 2 + [
                sync_pb2.match_running
            ]
        assert await asyncio.to_thread(daemon.stop) == 0


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_reader_that_holds_the_game_up_does_not_delay_the_next(
    live: Live, tmp_path: Path, transport: str
) -> None:
    """Its queue is full, so that the next frame is recorded, and waits to be published."""
    path = tmp_path / "all"
    with emulated(short_match(tmp_path, LOOPS)) as game:
        daemon = live(game, *ON_REQUEST, "--wait-agents", "1", "-o", f"{path}/", "--output-name", "{n}")
        async with (
            abathur.connect(daemon.addresses[transport]) as holder,
            abathur.connect(daemon.grpc) as agent,
            asyncio.timeout(TIMEOUT),
        ):
            await agent.next_game()
            frames = holder.frames(policy="every", credits=1, buffer=1)
            assert (await anext(frames)).game_loop == FIRST_LOOP
            # One frame was sent, one waits for a credit, and one for the queue.
            await wait_until(agent, lambda status: status.recording.frames == 3)
            await agent.next_game()
            # The next match may be there already.
            over = (await agent.matches())[0]
            assert (over.state, over.reason) == (sync_pb2.match_over, "the next game was asked for")
            # What was queued is still read.
            assert [frame.game_loop async for frame in frames] == [FIRST_LOOP + 1]
            # Its first frames may be out before this reader is in.
            assert (await anext(agent.frames(policy="every", start="oldest"))).game_loop == FIRST_LOOP
        assert await asyncio.to_thread(daemon.stop) == 0
    assert recorded(path / "1.mcap") == WHOLE[:3]


async def test_watchers_see_each_match_later(live: Live, tmp_path: Path) -> None:
    with emulated(short_match(tmp_path, LOOPS)) as game:
        daemon = live(game, *ON_REQUEST, "--wait-agents", "1", "--delay", "1s", *token_options(tmp_path))
        async with (
            abathur.connect(daemon.grpc, token=ACT) as agent,
            abathur.connect(daemon.grpc, token=WATCH) as watcher,
            asyncio.timeout(TIMEOUT),
        ):
            frames = watcher.frames(policy="every", follow=True)
            seen = asyncio.ensure_future(take(frames, 5))
            for count in (2, 3):
                await agent.next_game()
                read = agent.frames(policy="lockstep")
                for _ in range(count):
                    await anext(read)
            assert [loop - FIRST_LOOP for loop in await seen] == [0, 1, 0, 1, 2]
        assert await asyncio.to_thread(daemon.stop) == 0


async def take(frames: AsyncIterator[abathur.Frame], count: int) -> list[int]:
    return [(await anext(frames)).game_loop for _ in range(count)]


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_other_sources_refuse(launch: Launch, live: Live, tmp_path: Path, transport: str) -> None:
    async def refusal(daemon: Daemon) -> str:
        async with abathur.connect(daemon.addresses[transport]) as agent:
            with pytest.raises(RequestError) as refused:
                await agent.next_game()
        assert refused.value.code == "FAILED_PRECONDITION"
        return refused.value.message

    assert await refusal(launch("play", str(SKIRMISH), "--start-paused", *FREE_PORTS)) == (
        "a playback starts no games: the command `live --games 0` does"
    )
    assert "a push starts no games" in await refusal(launch("serve", *FREE_PORTS))
    with emulated(short_match(tmp_path, LOOPS)) as game:
        daemon = live(game, *MAPS, "--games", "2", "--wait-agents", "1")
        assert await refusal(daemon) == (
            "this daemon plays a given number of games: start it with --games 0 for games on request"
        )
        daemon.stop()


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_it_needs_the_token_for_acting(live: Live, tmp_path: Path, transport: str) -> None:
    with emulated(short_match(tmp_path, LOOPS)) as game:
        daemon = live(game, *ON_REQUEST, *token_options(tmp_path))
        codes: dict[str | None, str] = {}
        for token in (None, WATCH, ACT):
            async with abathur.connect(daemon.addresses[transport], token=token) as agent:
                try:
                    await agent.next_game()
                    codes[token] = "OK"
                except RequestError as error:
                    codes[token] = error.code
        assert codes == {None: "UNAUTHENTICATED", WATCH: "PERMISSION_DENIED", ACT: "OK"}
        async with abathur.connect(daemon.grpc, token=ACT) as agent:
            await until_over(agent, 1)
        assert await asyncio.to_thread(daemon.stop) == 0


async def test_a_game_that_dies_ends_the_daemon(live: Live, tmp_path: Path) -> None:
    emulator = emulated()
    with emulator as game:
        daemon = live(game, *ON_REQUEST, "--wait-agents", "1")
        async with abathur.connect(daemon.grpc) as agent, asyncio.timeout(TIMEOUT):
            await agent.next_game()
            with pytest.raises(abathur.SourceLostError, match="closed the connection"):
                async for _ in agent.frames(policy="lockstep"):
                    game.kill()
        assert await asyncio.to_thread(daemon.wait) == 1


async def test_a_request_that_the_game_does_not_survive_is_refused(live: Live, tmp_path: Path) -> None:
    with emulated(short_match(tmp_path, LOOPS)) as emulator, noted(emulator) as game:
        daemon = live(game, *ON_REQUEST, "--wait-agents", "1")
        async with abathur.connect(daemon.grpc) as agent, asyncio.timeout(TIMEOUT):
            await agent.next_game()
            game.hold("step")
            frames = agent.frames(policy="lockstep")
            await anext(frames)
            rest = asyncio.ensure_future(anext(frames))
            await asyncio.to_thread(game.held.wait, TIMEOUT)
            asked = asyncio.create_task(agent.next_game())
            await wait_for_request(agent)
            await asyncio.to_thread(emulator.kill)
            with pytest.raises(RequestError, match="no game begins any more") as refused:
                await asked
            assert refused.value.code == "ABORTED"
            with pytest.raises(abathur.SourceLostError):
                await rest
        assert await asyncio.to_thread(daemon.wait) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--seed", "1"), "--seed needs --map"),
        (("--map", "x", "--seed", "-1"), "--seed must be a whole number, 0 or more, not '-1'"),
        (("--map", "x", "--seed", "4294967296"), "--seed must be a whole number, 0 or more, not '4294967296'"),
        (("--map", "x", "--seed", "one"), "--seed must be a whole number"),
        (("--games", "0"), "--games needs --map"),
        (("--map", "x", "--games", "-1"), "--games must be 0 to 100000"),
        (("--map", "x", "--map", "y", "--games", "1"), "--map is repeated with --games only"),
    ],
)
def test_wrong_command_lines(arguments: tuple[str, ...], message: str) -> None:
    done = run_daemon("live", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


@pytest.mark.parametrize(
    ("seed", "error"), [(-1, ValueError), (2**32, ValueError), (1.5, TypeError), ("1", TypeError), (True, TypeError)]
)
async def test_wrong_seeds_are_not_sent(seed: Any, error: type[Exception]) -> None:
    async with abathur.connect("127.0.0.1:1") as agent:
        with pytest.raises(error, match="seed is"):
            await agent.next_game(seed)


async def test_numbered_games_have_numbered_seeds(live: Live, tmp_path: Path) -> None:
    with emulated(short_match(tmp_path, LOOPS)) as emulator, noted(emulator) as game:
        daemon = live(game, *MAPS, "--games", "3", "--seed", str(2**32 - 2))
        assert await asyncio.to_thread(daemon.wait) == 0
        assert game.seeds == [2**32 - 2, 2**32 - 1, 0]

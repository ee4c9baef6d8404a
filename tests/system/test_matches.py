"""Several matches of one daemon: however a match ends, the next is published and recorded as one of its own."""

from __future__ import annotations

import asyncio
import json
import shutil
import urllib.request
from collections.abc import Callable
from pathlib import Path

import abathur
import pytest
from abathur.sync.v1 import sync_pb2
from emulators import FIRST_LOOP, RawClient, emulated, raw_client, short_match
from google.protobuf import json_format
from programs import FREE_PORTS, SKIRMISH, Daemon, Launch, run_daemon
from proxies import Proxy, proxied
from s2clientprotocol import sc2api_pb2

LOOPS = 12
OVER, LOST = sync_pb2.match_over, sync_pb2.match_lost


def matches(daemon: Daemon) -> list[sync_pb2.MatchSummary]:
    with urllib.request.urlopen(f"{daemon.addresses['http']}/v1/matches", timeout=30) as answer:
        return list(json_format.ParseDict(json.load(answer), sync_pb2.MatchList()).matches)


def loops(path: Path) -> list[int]:
    with abathur.open(path) as match:
        return [frame.game_loop for frame in match.frames()]


async def play(bot: RawClient, count: int) -> list[int]:
    """Observe and step; the game loops that were observed."""
    seen = []
    for _ in range(count):
        answer = await bot.observe()
        seen.append(answer.observation.observation.game_loop)
        await bot.step(1)
    return seen


async def restart(bot: RawClient) -> None:
    assert not (await bot.ask(restart_game=sc2api_pb2.RequestRestartGame())).error


async def load(bot: RawClient) -> None:
    assert not (await bot.ask(quick_load=sc2api_pb2.RequestQuickLoad())).error


async def leave(bot: RawClient) -> None:
    await bot.ask(leave_game=sc2api_pb2.RequestLeaveGame())
    await bot.create()
    await bot.join()


async def finish(bot: RawClient) -> None:
    await bot.step(LOOPS)
    assert (await bot.observe()).observation.player_result
    # Observations of the game that is over belong to no match.
    await bot.observe()
    await leave(bot)


@pytest.mark.parametrize(
    ("how", "reason", "more"),
    [
        (restart, "the bot has restarted the game", 0),
        (load, "the bot has loaded a saved game", 0),
        (leave, "the bot has left the game", 0),
        (finish, "match over: player 1 Undecided, player 2 Undecided", 1),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
async def test_a_match_that_ends_on_a_connection_is_followed_by_the_next(
    tmp_path: Path, how: Callable[[RawClient], object], reason: str, more: int
) -> None:
    with (
        emulated(short_match(tmp_path, LOOPS)) as game,
        proxied(game.address, "-o", str(tmp_path / "match.mcap"), once=False) as proxy,
    ):
        reading = asyncio.create_task(follow(proxy, 2))
        await asyncio.to_thread(subscribed, proxy.daemon)
        async with raw_client(proxy) as bot:  # type: ignore[arg-type]
            await bot.create()
            await bot.join()
            await bot.ask(quick_save=sc2api_pb2.RequestQuickSave())
            first = await play(bot, 5)
            await how(bot)  # type: ignore[misc]
            second = await play(bot, 4)
            listed = await asyncio.to_thread(until_published, proxy.daemon, 2, 4)
        assert await reading == [first + [FIRST_LOOP + LOOPS - 1][:more], second]
        assert (listed[0].state, listed[0].reason, listed[0].frames) == (OVER, reason, 5 + more)
        assert (listed[1].state, listed[1].reason) == (sync_pb2.match_running, "")
        ended = await asyncio.to_thread(until_ended, proxy.daemon, 2)
        assert (ended[1].state, ended[1].frames) == (OVER, 4)
        assert [each.recording.path for each in ended] == [
            str(tmp_path / name) for name in ("match.mcap", "match-2.mcap")
        ]
        code, said = await asyncio.to_thread(proxy.stop)
    assert code == 0, said
    assert reason in said
    assert loops(tmp_path / "match.mcap") == first + [FIRST_LOOP + LOOPS - 1][:more]
    assert loops(tmp_path / "match-2.mcap") == second
    assert {each.match.run_id for each in ended} == {each.match.run_id for each in listed}


@pytest.mark.parametrize("how", ["closed", "lost"])
async def test_a_new_connection_begins_a_new_match(tmp_path: Path, how: str) -> None:
    with (
        emulated(short_match(tmp_path, LOOPS)) as game,
        proxied(game.address, "-o", f"{tmp_path}/", once=False) as proxy,
    ):
        for number in range(3):
            async with raw_client(proxy) as bot:  # type: ignore[arg-type]
                await bot.join()
                await play(bot, 5)
                await asyncio.to_thread(until_published, proxy.daemon, number + 1, 5)
                if how == "lost":
                    transport = bot.socket._writer.transport  # type: ignore[attr-defined]
                    transport.abort()
            listed = await asyncio.to_thread(until_ended, proxy.daemon, number + 1)
            assert listed[-1].state == (OVER if how == "closed" else LOST)
        code, said = await asyncio.to_thread(proxy.stop)
    assert code == (0 if how == "closed" else 1), said
    names = sorted(path.name for path in tmp_path.glob("*.mcap"))
    assert len(names) == 3 and all("_Synthetic LE_Synthetic Zerg-vs-Synthetic Protoss" in name for name in names), names
    assert sum(len(loops(tmp_path / name)) for name in names) == 15


async def test_live_plays_several_games(launch: Launch, tmp_path: Path) -> None:
    folder = tmp_path / "matches"
    with emulated(short_match(tmp_path, LOOPS)) as game:
        arguments = ("--map", "One.SC2Map", "--map", "Two.SC2Map", "--opponent", "ai:zerg:elite", "--wait-agents", "1")
        daemon = launch(
            "live",
            "--sc2",
            game.address,
            *arguments,
            "--games",
            "3",
            *FREE_PORTS,
            "-o",
            f"{folder}/",
            "--output-name",
            "{n}",
        )
        assert await follow(daemon, 3) == [[*range(FIRST_LOOP, FIRST_LOOP + LOOPS), FIRST_LOOP + LOOPS - 1]] * 3
        assert await asyncio.to_thread(daemon.wait) == 0
    assert sorted(path.name for path in folder.iterdir()) == ["1.mcap", "2.mcap", "3.mcap"]


async def test_a_match_that_cannot_be_recorded_does_not_stop_the_next(launch: Launch, tmp_path: Path) -> None:
    folder = tmp_path / "matches"
    daemon = launch("serve", *FREE_PORTS, "-o", f"{folder}/", "--output-name", "{n}")
    await publish(daemon)
    shutil.rmtree(folder)
    await publish(daemon)
    folder.mkdir()
    await publish(daemon)
    listed = await asyncio.to_thread(until_ended, daemon, 3)
    assert ["there is no folder" in each.recording.error for each in listed] == [False, True, False]
    assert daemon.stop() == 1
    assert [path.name for path in folder.iterdir()] == ["3.mcap"]


async def test_killed_in_the_seventh_match_it_leaves_seven_recordings(launch: Launch, tmp_path: Path) -> None:
    daemon = launch("serve", *FREE_PORTS, "-o", str(tmp_path / "match.mcap"), "--chunk-size", "1024")
    for _ in range(6):
        await publish(daemon)
    await asyncio.to_thread(until_ended, daemon, 6)
    frames = frames_of(LOOPS)
    with pytest.raises(abathur.AbathurError):
        async with abathur.publisher(daemon.grpc) as publisher:
            for frame in frames:
                await publisher.publish(frame)
            await asyncio.to_thread(until_recorded, daemon, 7, LOOPS)
            daemon.process.kill()
            while True:
                await publisher.publish(frames[-1])
    names = [f"match-{number}.mcap" for number in range(2, 7)]
    assert [loops(tmp_path / name) for name in ("match.mcap", *names)] == [
        list(range(FIRST_LOOP, FIRST_LOOP + LOOPS))
    ] * 6
    done = run_daemon("recover", str(tmp_path / "match-7.mcap.part"), "-o", str(tmp_path / "last.mcap"))
    assert done.returncode == 0, done.stderr
    assert loops(tmp_path / "last.mcap") == list(range(FIRST_LOOP, FIRST_LOOP + LOOPS))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("-o", "x.mcap", "--output-name", "{n}"), "--output-name needs -o FOLDER"),
        (("--output-name", "{n}"), "--output-name needs -o FOLDER"),
        (("-o", "folder/", "--output-name", "{name}"), "a pattern has {start}, {map}, {players}, {match_id}, {n}"),
        (("-o", "folder/", "--output-name", ""), "--output-name must not be empty"),
    ],
)
def test_wrong_names_are_refused(arguments: tuple[str, ...], told: str) -> None:
    done = run_daemon("serve", *FREE_PORTS, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_folder_that_cannot_be_written_is_told_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run_daemon("serve", *FREE_PORTS, "-o", str(tmp_path / "file" / "folder") + "/")
    assert (done.returncode, done.stdout) == (3, "")
    assert "folder" in done.stderr and len(done.stderr.splitlines()) == 1


def frames_of(count: int) -> list[bytes]:
    with abathur.open(SKIRMISH) as match:
        return [frame.response.SerializeToString() for frame, _ in zip(match.frames(), range(count), strict=False)]


async def publish(daemon: Daemon) -> None:
    async with abathur.publisher(daemon.grpc, map_name="Any") as publisher:
        for frame in frames_of(LOOPS):
            await publisher.publish(frame)


async def follow(daemon: Daemon | Proxy, count: int) -> list[list[int]]:
    """The game loops of the first matches, as a reader gets them that follows."""
    daemon = daemon if isinstance(daemon, Daemon) else daemon.daemon
    reader, writer = await asyncio.open_connection("127.0.0.1", daemon.socket_port, limit=1 << 24)
    writer.write(b'{"subscribe":{"policy":"every","follow":true,"bufferFrames":1024}}\n')
    read: list[list[int]] = []
    ended = 0
    while ended < count:
        message = json.loads(await asyncio.wait_for(reader.readline(), 60))
        if "match" in message:
            read.append([])
        elif "frame" in message:
            read[-1].append(message["frame"]["gameLoop"])
        elif "matchEnded" in message or "end" in message:
            ended += 1
        else:
            raise AssertionError(message)
    writer.close()
    await writer.wait_closed()
    return read


def until(daemon: Daemon, done: Callable[[list[sync_pb2.MatchSummary]], bool]) -> list[sync_pb2.MatchSummary]:
    while not done(listed := matches(daemon)):
        assert daemon.process.poll() is None
    return listed


def until_ended(daemon: Daemon, count: int) -> list[sync_pb2.MatchSummary]:
    return until(
        daemon, lambda listed: len(listed) == count and all(each.state != sync_pb2.match_running for each in listed)
    )


def until_published(daemon: Daemon, count: int, frames: int) -> list[sync_pb2.MatchSummary]:
    return until(daemon, lambda listed: len(listed) == count and listed[-1].frames == frames)


def until_recorded(daemon: Daemon, count: int, frames: int) -> list[sync_pb2.MatchSummary]:
    return until(daemon, lambda listed: len(listed) == count and listed[-1].recording.frames == frames)


def subscribed(daemon: Daemon) -> None:
    while True:
        with urllib.request.urlopen(f"{daemon.addresses['http']}/v1/status", timeout=30) as answer:
            if json.load(answer).get("subscribers"):
                return

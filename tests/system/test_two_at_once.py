"""One proxy before several games: matches that run at the same time, in Python."""

from __future__ import annotations

import asyncio
import json
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import abathur
import pytest
from abathur import RequestError, actions, dataset, drawing
from abathur.sync.v1 import sync_pb2
from datasets import rows
from programs import ACT, PAUSE, TIMEOUT, WATCH, pause, run_daemon, token_options, wait_until
from programs import abathur as cli
from proxies import HandMadeGame, Peer, Proxy, begin, masked, observe, proxied
from s2clientprotocol import query_pb2, sc2api_pb2
from websockets_by_hand import Connection, request

TRANSPORTS = ("grpc", "socket")
VICTORY = sc2api_pb2.PlayerResult(player_id=1, result=sc2api_pb2.Victory)
DEFEAT = sc2api_pb2.PlayerResult(player_id=1, result=sc2api_pb2.Defeat)


BOTS: list[Connection] = []


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while BOTS:
        BOTS.pop().__exit__()


class Player:
    """A bot and its game, by hand."""

    def __init__(self, proxy: Proxy, game: HandMadeGame, player_id: int, **info: Any) -> None:
        """Begin a match."""
        self.bot, self.peer = game.meet(proxy)
        BOTS.append(self.bot)
        self.player_id = player_id
        self._loop = 1
        begin(self.bot, self.peer, player_id, **info)

    def observe(self, *results: sc2api_pb2.PlayerResult) -> None:
        """The next observation."""
        self._loop += 1
        observe(self.bot, self.peer, self._loop, self.player_id, *results)

    def leave(self) -> None:
        """Close the bot's connection, as a process that is over does."""
        self.bot.__exit__()


@contextmanager
def two_games() -> Iterator[tuple[HandMadeGame, HandMadeGame]]:
    with HandMadeGame() as first, HandMadeGame() as second:
        yield first, second


async def running(game: abathur.Game, number: int) -> list[sync_pb2.MatchSummary]:
    """The matches that run, as soon as there are so many."""
    deadline = time.monotonic() + TIMEOUT
    while True:
        found = [each for each in await game.matches() if each.state == sync_pb2.match_running]
        if len(found) == number:
            return found
        assert time.monotonic() < deadline, found
        await asyncio.sleep(PAUSE)


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_both_players_of_a_game_share_a_group_and_reads_take_the_one_that_began_last(transport: str) -> None:
    with two_games() as games, proxied([each.address for each in games], once=False) as proxy:
        async with abathur.connect(proxy.daemon.addresses[transport]) as game:
            Player(proxy, games[0], 1)
            await running(game, 1)
            second = Player(proxy, games[1], 2)
            first, other = await running(game, 2)
            assert [first.match.player_id, other.match.player_id] == [1, 2]
            assert first.match.run_id != other.match.run_id and first.match.match_id != other.match.match_id
            assert first.match.group_id == other.match.group_id == first.match.match_id
            assert (await game.status()).match.run_id == other.match.run_id
            assert (await game.status(run_id=first)).match.run_id == first.match.run_id
            # Without a match: the one that began last. With one: that one.
            for options, expected in (({}, other), ({"run_id": first}, first)):
                frames = game.frames(policy="every", start="oldest", max_frames=1, **options)
                assert [frame.run_id async for frame in frames] == [expected.match.run_id]
            # A reader that is there gets the frames of its match only.
            second.observe()
            seen = [frame async for frame in game.frames(policy="every", start="oldest", max_frames=2)]
            assert [(each.run_id, each.game_loop) for each in seen] == [
                (other.match.run_id, 1),
                (other.match.run_id, 2),
            ]


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_acting_needs_a_match_where_two_run_and_an_agent_acts_in_the_one_that_it_reads(transport: str) -> None:
    attack = [actions.attack([7], (1, 2))]
    with two_games() as games, proxied([each.address for each in games], "--allow-actions", once=False) as proxy:
        first = Player(proxy, games[0], 1)
        async with abathur.connect(proxy.daemon.addresses[transport]) as game:
            (one,) = await running(game, 1)
            Player(proxy, games[1], 2)
            await running(game, 2)
            for refused in (
                game.act(attack),
                game.draw([drawing.circle((1, 2), 3)]),
                game.plot("army", 1),
                game.query(query_pb2.RequestQuery(pathing=[query_pb2.RequestQueryPathing(unit_tag=1)])),
            ):
                with pytest.raises(RequestError, match="several matches run") as error:
                    await refused
                assert error.value.code == "FAILED_PRECONDITION"
            # By name, and by what is read, it goes to that match's game.
            for named in (True, False):
                if not named:
                    async for frame in game.frames(run_id=one, start="oldest", policy="every", max_frames=1):
                        assert frame.run_id == one.match.run_id
                acting = asyncio.ensure_future(game.act(attack, run_id=one if named else ""))
                asked = await asyncio.to_thread(first.peer.request)
                assert asked.action.actions[0].action_raw.unit_command.unit_tags == [7]
                first.peer.respond(asked, action=sc2api_pb2.ResponseAction(result=[1]))
                assert (await acting).ok
                await game.plot("army", 1, run_id=one if named else "")
            plotted = {each.match.run_id: await game.plots(run_id=each) for each in await game.matches()}
            assert [len(plotted[run]) for run in plotted] == [1, 0]


async def test_a_plain_subscription_acts_in_its_match() -> None:
    with two_games() as games, proxied([each.address for each in games], "--allow-actions", once=False) as proxy:
        first = Player(proxy, games[0], 1)
        with abathur.connect_blocking(proxy.daemon.socket) as game:
            frames = game.frames(policy="every", start="oldest")
            frame = next(iter(frames))
            Player(proxy, games[1], 2)
            while sum(each.state == sync_pb2.match_running for each in game.matches()) < 2:
                pause()
            assert game.plot("army", 1).game_loop == frame.game_loop
            assert [each.name for each in game.plots(run_id=frame.run_id)] == ["army"]
            first.observe()


async def test_a_third_bot_is_refused_and_gets_the_game_that_becomes_free() -> None:
    with two_games() as games, proxied([each.address for each in games], once=False) as proxy:
        first = Player(proxy, games[0], 1)
        Player(proxy, games[1], 2)
        refused = urllib.request.Request(f"http://127.0.0.1:{proxy.port}/sc2api", headers=dict(_upgrade()))
        with pytest.raises(urllib.error.HTTPError, match="503") as error:
            await asyncio.to_thread(urllib.request.urlopen, refused, timeout=TIMEOUT)
        assert b"All 2 games have a bot" in error.value.read()
        first.leave()
        async with abathur.connect(proxy.daemon.grpc) as game:
            await running(game, 1)
            Player(proxy, games[0], 1)
            again = await running(game, 2)
            # Again with the player who plays on.
            assert again[0].match.group_id == again[1].match.group_id


@pytest.mark.parametrize(
    ("player_id", "info"),
    [
        (1, {}),
        (2, {"map_name": "Another LE"}),
        (
            2,
            {"player_info": [sc2api_pb2.PlayerInfo(player_id=1, type=sc2api_pb2.Computer)]},
        ),
    ],
    ids=["same player", "other map", "against the computer"],
)
async def test_what_cannot_be_one_game_is_not_one_group(player_id: int, info: dict[str, Any]) -> None:
    with two_games() as games, proxied([each.address for each in games], once=False) as proxy:
        Player(proxy, games[0], 1)
        Player(proxy, games[1], player_id, **info)
        async with abathur.connect(proxy.daemon.grpc) as game:
            one, two = await running(game, 2)
            assert one.match.group_id != two.match.group_id


async def test_the_ports_with_which_bots_join_tell_their_games_apart() -> None:
    """Two games of two bots, on one map, that begin in any order."""
    with ExitStack() as stack:
        games = [stack.enter_context(HandMadeGame()) for _ in range(4)]
        proxy = stack.enter_context(proxied([each.address for each in games], once=False))
        for game, player_id, port in zip(games, (1, 1, 2, 2), (5000, 6000, 6000, 5000), strict=True):
            bot, peer = game.meet(proxy)
            BOTS.append(bot)
            join(bot, peer, player_id, port)
            begin(bot, peer, player_id)
        async with abathur.connect(proxy.daemon.grpc) as daemon:
            groups = [each.match.group_id for each in await running(daemon, 4)]
    assert groups[0] == groups[3] != groups[1] == groups[2]


async def test_bots_that_join_without_ports_play_alone() -> None:
    with two_games() as games, proxied([each.address for each in games], once=False) as proxy:
        for player_id, game in enumerate(games, 1):
            bot, peer = game.meet(proxy)
            BOTS.append(bot)
            join(bot, peer, player_id, None)
            begin(bot, peer, player_id)
        async with abathur.connect(proxy.daemon.grpc) as daemon:
            one, two = await running(daemon, 2)
            assert one.match.group_id != two.match.group_id


def join(bot: Connection, peer: Peer, player_id: int, port: int | None) -> None:
    """A bot joins a game."""
    request = sc2api_pb2.RequestJoinGame(race=1)
    if port is not None:
        request.server_ports.game_port = port
        request.server_ports.base_port = port + 1
    bot.send(masked(sc2api_pb2.Request(join_game=request, id=1000).SerializeToString()))
    asked = peer.request()
    peer.respond(asked, join_game=sc2api_pb2.ResponseJoinGame(player_id=player_id))
    assert bot.read() is not None


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_who_follows_reads_the_first_that_begins_after_its_own(transport: str) -> None:
    with two_games() as games, proxied([each.address for each in games], once=False) as proxy:
        first = Player(proxy, games[0], 1)
        async with abathur.connect(proxy.daemon.addresses[transport]) as game:
            (one,) = await running(game, 1)
            seen: asyncio.Queue[tuple[str, int]] = asyncio.Queue()

            async def follow() -> None:
                async for frame in game.frames(policy="every", start="oldest", follow=True):
                    seen.put_nowait((frame.run_id, frame.game_loop))

            following = asyncio.ensure_future(follow())
            assert await asyncio.wait_for(seen.get(), TIMEOUT) == (one.match.run_id, 1)
            second = Player(proxy, games[1], 2)
            second.observe()
            first.observe(VICTORY)
            assert await asyncio.wait_for(seen.get(), TIMEOUT) == (one.match.run_id, 2)
            # The other player's match goes on for a moment: it is not the next.
            second.observe(DEFEAT)
            await running(game, 0)
            first.leave()
            third = Player(proxy, games[0], 1)
            (next_one,) = await running(game, 1)
            third.observe()
            for loop in (1, 2):
                assert await asyncio.wait_for(seen.get(), TIMEOUT) == (next_one.match.run_id, loop)
            following.cancel()


async def test_both_recordings_are_one_match_of_a_dataset(tmp_path: Path) -> None:
    with two_games() as games, proxied([each.address for each in games], "-o", f"{tmp_path}/", once=False) as proxy:
        players = [Player(proxy, games[0], 1), Player(proxy, games[1], 2)]
        for player in players:
            player.observe(VICTORY)
        async with abathur.connect(proxy.daemon.grpc) as game:
            await running(game, 0)
            group = (await game.matches())[0].match.group_id
        assert proxy.stop()[0] == 0
    files = sorted(tmp_path.glob("*.mcap"))
    assert len(files) == 2
    told = [json.loads(run_daemon("info", "--json", str(file)).stdout)["match"] for file in files]
    assert {each["group_id"] for each in told} == {group} and len({each["match_id"] for each in told}) == 2
    shown = cli("info", str(files[0])).stdout
    assert f"group       {group}" in " ".join(shown.split()).replace("group ", "group       ", 1)
    for file in files:
        with abathur.open(file) as match:
            assert match.metadata["group_id"] == group
    dataset.build(files, tmp_path / "data")
    (row,) = rows(tmp_path / "data", "matches")
    assert row["match_id"] == group
    assert [each["player_id"] for each in row["recordings"]] == [1, 2]
    # Played again, the group is the same.
    played = run_daemon("cat", str(files[1]), "--limit", "1")
    assert played.returncode == 0


async def test_once_ends_with_the_last_match_that_began_beside_the_first() -> None:
    with two_games() as games, proxied([each.address for each in games], once=True) as proxy:
        first, second = Player(proxy, games[0], 1), Player(proxy, games[1], 2)
        async with abathur.connect(proxy.daemon.grpc) as game:
            await running(game, 2)
            first.observe(VICTORY)
            (left,) = await running(game, 1)
            assert left.match.player_id == 2
        second.observe(DEFEAT)
        first.leave()
        second.leave()
        assert proxy.end()[0] == 0


async def test_watchers_with_a_delay_see_both_later_each_in_its_time(tmp_path: Path) -> None:
    options = ("--delay", "2", *token_options(tmp_path))
    with two_games() as games, proxied([each.address for each in games], *options, once=False) as proxy:
        first, second = Player(proxy, games[0], 1), Player(proxy, games[1], 2)
        address = proxy.daemon.grpc
        async with abathur.connect(address, token=ACT) as acting, abathur.connect(address, token=WATCH) as watching:
            live = await running(acting, 2)
            assert await watching.matches() == []
            shown = await running(watching, 2)
            assert [each.match.run_id for each in shown] == [each.match.run_id for each in live]
            for player in (first, second):
                player.observe(VICTORY)
            await running(acting, 0)
            # The end is shown later as well, and until then each can be read.
            assert len(await running(watching, 2)) == 2
            for each in shown:
                frames = watching.frames(policy="every", start="oldest", run_id=each)
                assert [frame.game_loop async for frame in frames] == [1, 2]
            await running(watching, 0)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (("any", "127.0.0.1:5000"), "--sc2 must be HOST:PORT, e.g. 127.0.0.1:5000, or any alone."),
        (("127.0.0.1:5000", "5001"), "--sc2 must be HOST:PORT, e.g. 127.0.0.1:5000, or any alone."),
        (("127.0.0.1:5000", "127.0.0.1:5000"), "--sc2 has the same game twice: a game has one client."),
    ],
)
def test_wrong_games_are_refused(given: tuple[str, ...], problem: str) -> None:
    games = [word for each in given for word in ("--sc2", each)]
    done = run_daemon("proxy", "--listen", "0", *games)
    assert done.returncode == 2
    assert problem in done.stderr


async def missing(game: abathur.Game, what: sync_pb2.Missing.ValueType) -> sync_pb2.WaitStatus:
    """The status of the wait, as soon as this is missing."""
    return (await wait_until(game, lambda status: status.waiting.missing == what)).waiting


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_the_status_says_what_is_missing(transport: str) -> None:
    with HandMadeGame() as game, proxied(game.address, once=False) as proxy:
        async with abathur.connect(proxy.daemon.addresses[transport]) as daemon:
            waiting = (await daemon.status()).waiting
            assert (waiting.missing, waiting.bot_address) == (sync_pb2.missing_bot, f"127.0.0.1:{proxy.port}")
            bot, peer = game.meet(proxy)
            BOTS.append(bot)
            await missing(daemon, sync_pb2.missing_frames)
            begin(bot, peer)
            await running(daemon, 1)
            assert not (await daemon.status()).HasField("waiting")
    with proxied("127.0.0.1:1", "--connect-timeout", "30", once=False) as proxy:
        waiting_bot = socket.create_connection(("127.0.0.1", proxy.port), timeout=TIMEOUT)
        waiting_bot.sendall(request(proxy.port, "/sc2api"))
        async with abathur.connect(proxy.daemon.addresses[transport]) as daemon:
            assert (await missing(daemon, sync_pb2.missing_game)).game_address == "127.0.0.1:1"
        waiting_bot.close()


def _upgrade() -> Iterator[tuple[str, str]]:
    yield "Upgrade", "websocket"
    yield "Connection", "Upgrade"
    yield "Sec-WebSocket-Version", "13"
    yield "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="

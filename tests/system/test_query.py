"""Agents query the game, which answers between the requests of its bot; without a game the daemon answers itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import abathur
import aiohttp
import pytest
from emulators import FIRST_LOOP, RawClient, delimited, emulated, raw_client
from programs import SKIRMISH, Play, run_daemon, wait_until
from proxies import HandMadeGame, Proxy, begin, masked, observation, proxied
from s2clientprotocol import common_pb2, query_pb2, sc2api_pb2
from s2clientprotocol.sc2api_pb2 import Request, Response

WALK = query_pb2.RequestQueryPathing(start_pos=common_pb2.Point2D(x=30, y=30), end_pos=common_pb2.Point2D(x=60, y=60))


def look_around(match: abathur.Recording) -> query_pb2.RequestQuery:
    """Pathing, placement and abilities, of units of the first frame."""
    frame = next(match.frames())
    mine = frame.units[frame.units.alliance == 1]
    middle = common_pb2.Point2D(x=float(mine.x.mean()), y=float(mine.y.mean()))
    return query_pb2.RequestQuery(
        pathing=[WALK, query_pb2.RequestQueryPathing(unit_tag=int(mine.tag[0]), end_pos=middle)],
        abilities=[query_pb2.RequestQueryAvailableAbilities(unit_tag=int(tag)) for tag in mine.tag[:5]],
        placements=[query_pb2.RequestQueryBuildingPlacement(ability_id=1152, target_pos=middle)],
        ignore_resource_requirements=True,
    )


@asynccontextmanager
async def bot_of(proxy: Proxy) -> AsyncIterator[RawClient]:
    async with aiohttp.ClientSession() as session, session.ws_connect(proxy.url, max_msg_size=0) as socket:
        yield RawClient(socket)


async def test_a_playback_answers_as_the_emulator_does(play: Play) -> None:
    with abathur.open(SKIRMISH) as match:
        query = look_around(match)
    with emulated() as game:
        async with raw_client(game) as client:
            await client.join()
            await client.observe()
            expected = (await client.ask(query=query)).query
    assert expected.pathing[0].distance > 0
    assert any(each.abilities for each in expected.abilities)
    daemon = play(str(SKIRMISH), "--start-paused")
    async with abathur.connect(daemon.grpc) as agent, abathur.connect(daemon.addresses["socket"]) as other:
        frames = other.frames(policy="every")
        reading = asyncio.create_task(anext(frames))
        await wait_until(agent, lambda status: len(status.subscribers) == 1)
        with pytest.raises(abathur.RequestError, match="there is no observation"):
            await agent.query(query)
        await agent.playback.step()
        await reading
        # A socket answers requests while its frames are read.
        for answer in (await agent.query(query), await other.query(query)):
            assert (answer.emulated, answer.game_loop, answer.response) == (True, FIRST_LOOP, expected)
        await frames.aclose()


async def test_the_game_answers_few_queries_in_a_game_loop_and_the_daemon_the_others() -> None:
    with abathur.open(SKIRMISH) as match:
        query = look_around(match)
    with emulated() as game, proxied(game.address) as proxy:
        async with bot_of(proxy) as bot, abathur.connect(proxy.daemon.grpc) as agent:
            await bot.join()
            await bot.observe()
            expected = (await bot.ask(query=query)).query
            await agent.match()
            answers = [await agent.query(query) for _ in range(6)]
            assert [answer.response for answer in answers] == [expected] * 6
            by_game = sum(not answer.emulated for answer in answers)
            # Fewer where they took more than 2 ms.
            assert 1 <= by_game <= 4
            assert [answer.emulated for answer in answers] == [False] * by_game + [True] * (6 - by_game)
            # A request of many queries is not let through.
            many = await agent.query(query_pb2.RequestQuery(pathing=[WALK] * 33))
            assert many.emulated and len(many.response.pathing) == 33
            await bot.step(1)
            await bot.observe()
            await wait_until(agent, lambda status: status.frames_published == 2)
            assert not (await agent.query(query)).emulated
            budget = (await agent.status()).frame_budget
            assert budget.query.frames == by_game + 1
            assert 0 < budget.query.mean_ms < 1000


async def test_queries_that_the_daemon_cannot_answer_itself_are_refused_beyond_the_limit() -> None:
    with HandMadeGame() as game, proxied(game.address) as proxy:
        bot, peer = await asyncio.to_thread(game.meet, proxy)
        with bot:
            await asyncio.to_thread(begin, bot, peer)
            async with abathur.connect(proxy.daemon.grpc) as agent:
                await agent.match()
                query = query_pb2.RequestQuery(pathing=[WALK])
                asking = [asyncio.create_task(agent.query(query)) for _ in range(5)]
                refused, waiting = await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)
                error = refused.pop().exception()
                assert isinstance(error, abathur.RequestError) and error.code == "RESOURCE_EXHAUSTED"
                assert "4 requests of at most 32 queries, for at most 2 ms, in a game loop" in str(error)
                # The bot's own requests go by.
                bot.send(masked(Request(observation=sc2api_pb2.RequestObservation(), id=9).SerializeToString()))
                for _ in range(5):
                    asked = await asyncio.to_thread(peer.request)
                    if asked.id == 9:
                        peer.respond(asked, observation=sc2api_pb2.ResponseObservation.FromString(observation(2)))
                    else:
                        assert asked.query == query
                        distances = [query_pb2.ResponseQueryPathing(distance=7)]
                        peer.respond(asked, query=query_pb2.ResponseQuery(pathing=distances))
                answers = await asyncio.gather(*waiting)
                assert [answer.response.pathing[0].distance for answer in answers] == [7] * 4
            answered = bot.read()
            assert answered is not None and Response.FromString(answered.payload).id == 9


async def test_a_playback_without_grids_refuses_queries(play: Play, tmp_path: Path) -> None:
    source, file = tmp_path / "match.obs", tmp_path / "match.mcap"
    with abathur.open(SKIRMISH) as match:
        frames = [frame.response.SerializeToString() for frame in match.frames(stop=FIRST_LOOP + 5)]
    source.write_bytes(delimited(frames))
    assert run_daemon("import", str(source), "-o", str(file)).returncode == 0
    daemon = play(str(file), "--start-paused")
    async with abathur.connect(daemon.grpc) as agent:
        with pytest.raises(abathur.RequestError, match="this match cannot be queried: it has no game info") as refused:
            await agent.query(query_pb2.RequestQuery(pathing=[WALK]))
        assert refused.value.code == "FAILED_PRECONDITION"
    with abathur.connect_blocking(daemon.grpc) as blocking, pytest.raises(abathur.RequestError, match="no game info"):
        blocking.query(query_pb2.RequestQuery(pathing=[WALK]))


async def test_a_token_for_watching_does_not_query(play: Play, tmp_path: Path) -> None:
    files = {"--token-file": "acts-with-this-token", "--watch-token-file": "watches-with-this-token"}
    options = []
    for option, token in files.items():
        path = tmp_path / token
        path.write_text(token)
        path.chmod(0o600)
        options += [option, str(path)]
    daemon = play(str(SKIRMISH), *options)
    async with abathur.connect(daemon.grpc, token=files["--watch-token-file"]) as agent:
        with pytest.raises(abathur.RequestError, match="for watching") as refused:
            await agent.query(query_pb2.RequestQuery(pathing=[WALK]))
        assert refused.value.code == "PERMISSION_DENIED"
        assert len(await agent.timeline()) == 29

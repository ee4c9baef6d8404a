"""`abathur-sync proxy` between the emulator and real bots, with real agents beside them."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import abathur
import aiohttp
import emulator_bot
import pytest
from abathur.sync.v1 import sync_pb2
from emulator_bot import Watcher
from emulators import FIRST_LOOP, IN_GAME, LAST_LOOP, RawClient, emulated, short_match
from programs import run_daemon
from proxies import WHOLE_DATA, Agent, HandMadeGame, Proxy, begin, masked, observation, proxied, recorded
from s2clientprotocol import raw_pb2, sc2api_pb2
from s2clientprotocol.sc2api_pb2 import Request, Response
from sc2.data import Race, Result
from sc2.main import play_from_websocket
from sc2.player import Bot

# python-sc2 passes aiohttp a timeout in the old way.
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning:sc2", "ignore:parameter 'timeout':DeprecationWarning"
)

BOT = Path(emulator_bot.__file__)
STOP = sc2api_pb2.Action(
    action_raw=raw_pb2.ActionRaw(unit_command=raw_pb2.ActionRawUnitCommand(ability_id=4, unit_tags=[1]))
)


@asynccontextmanager
async def raw_client(proxy: Proxy) -> AsyncIterator[RawClient]:
    """A bot of which each byte is known."""
    async with aiohttp.ClientSession() as session, session.ws_connect(proxy.url, max_msg_size=0) as socket:
        yield RawClient(socket)


async def subscribed(proxy: Proxy, count: int) -> None:
    """Wait until so many agents watch."""
    async with abathur.connect(proxy.daemon.grpc) as game:
        async with asyncio.timeout(30):
            while len((await game.status()).subscribers) < count:
                await asyncio.sleep(0)


async def status(proxy: Proxy) -> sync_pb2.Status:
    async with abathur.connect(proxy.daemon.grpc) as game:
        return await game.status()


def body(response: bytes) -> bytes:
    """The observation in a serialized response of the emulator, as it stands there."""
    whole = Response.FromString(response)
    size = whole.observation.ByteSize()
    start = response.index(whole.observation.SerializeToString()[:16])
    found = response[start : start + size]
    assert sc2api_pb2.ResponseObservation.FromString(found) == whole.observation
    return found


async def test_a_bot_of_python_sc2_plays_the_whole_recording(tmp_path: Path) -> None:
    file = tmp_path / "match.mcap"
    bot = Watcher()
    with emulated() as game, proxied(game.address, "-o", str(file)) as proxy:
        agent = abathur.connect(proxy.daemon.grpc, reconnect_timeout=0)
        seen: list[int] = []

        async def watch() -> None:
            async for frame in agent.frames(policy="latest"):
                seen.append(frame.game_loop)

        watching = asyncio.create_task(watch())
        await subscribed(proxy, 1)
        result = await play_from_websocket(proxy.url, Bot(Race.Zerg, bot), False, None)
        await watching
        await agent.close()
        code, said = await asyncio.to_thread(proxy.end)
        actions = game.actions()
    assert result == bot.result == Result.Victory
    assert bot.loops == list(range(FIRST_LOOP, LAST_LOOP + 1, bot.client.game_step))
    assert code == 0, said
    assert "0 dropped" in said and "40 ms (ladder)" in said, said
    assert seen == sorted(seen) and seen[-1] >= bot.loops[-1]

    topics = recorded(file)
    loops = [sc2api_pb2.ResponseObservation.FromString(each).observation.game_loop for each in topics["/observation"]]
    assert sorted(set(bot.loops) - set(loops)) == []
    asked = [action for each in topics["/actions"] for action in sc2api_pb2.RequestAction.FromString(each).actions]
    assert [each.SerializeToString() for each in asked] == [each.SerializeToString() for _, each in actions]
    events = [sync_pb2.Event.FromString(each) for each in topics["/events"]]
    assert {each.stepped.count for each in events if each.HasField("stepped")} == {bot.client.game_step}
    ended = [each for each in events if each.HasField("match_ended")]
    assert [each.result for each in ended[0].match_ended.player_result] == [1, 2]
    assert len(topics["/game_info"]) == len(topics["/game_data"]) == 1
    with abathur.open(file) as match:
        assert match.game_info() is not None and match.metadata["source"] == "proxy"

    # And again, without the game.
    again = Watcher()
    with emulated(file) as game:
        assert await play_from_websocket(game.url, Bot(Race.Zerg, again), False, None) == Result.Victory
    assert again.loops == bot.loops and again.minerals_seen == bot.minerals_seen


def test_a_bot_plays_by_ladder_arguments(tmp_path: Path) -> None:
    with emulated(short_match(tmp_path, 45), result="victory") as game, proxied(game.address) as proxy:
        arguments = ["--LadderServer", "127.0.0.1", "--GamePort", str(proxy.port), "--StartPort", "5690"]
        done = subprocess.run(
            [sys.executable, str(BOT), *arguments, "--OpponentId", "x"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        code, said = proxy.end()
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["result"] == "Victory"
    assert code == 0 and "14 frames, 0 game loops skipped" in said, said


async def test_agents_and_the_recording_get_every_observation_byte_for_byte(tmp_path: Path) -> None:
    file = tmp_path / "match.mcap"
    passed: list[bytes] = []
    with emulated() as game, proxied(game.address, "-o", str(file)) as proxy:
        agents = [Agent(proxy, "grpc"), Agent(proxy, "socket")]
        first = [asyncio.create_task(agent.next()) for agent in agents]
        await subscribed(proxy, 2)
        async with raw_client(proxy) as bot:
            await bot.join()
            for loop in range(60):
                await bot.socket.send_bytes(Request(observation=sc2api_pb2.RequestObservation()).SerializeToString())
                passed.append(body(await bot.socket.receive_bytes(timeout=30)))
                frames = [await each for each in first] if loop == 0 else [await agent.next() for agent in agents]
                for taken in frames:
                    assert taken.endswith(passed[-1])
                    assert taken.count(passed[-1]) == 1
                await bot.step(1)
            await bot.ask(quit=sc2api_pb2.RequestQuit())
        for agent in agents:
            with pytest.raises(StopAsyncIteration):
                await agent.next()
        code, said = await asyncio.to_thread(proxy.end)
    assert code == 0, said
    assert recorded(file)["/observation"] == passed
    assert len(set(passed)) == 60


async def test_agents_act_between_the_bots_requests(tmp_path: Path) -> None:
    file = tmp_path / "match.mcap"
    with emulated() as game, proxied(game.address, "--allow-actions", "-o", str(file)) as proxy:
        async with raw_client(proxy) as bot, abathur.connect(proxy.daemon.grpc) as agent:
            await bot.join()
            await bot.observe()
            for number in range(1, 51):
                acting = asyncio.create_task(agent.act([STOP, STOP]))
                requests = [Request(observation=sc2api_pb2.RequestObservation(), id=2 * number)]
                requests.append(Request(step=sc2api_pb2.RequestStep(count=1), id=2 * number + 1))
                # Two at once, as no client of Blizzard's does.
                for request in requests:
                    await bot.socket.send_bytes(request.SerializeToString())
                answers = [await bot.answer() for _ in requests]
                assert [each.id for each in answers] == [2 * number, 2 * number + 1]
                assert [each.WhichOneof("response") for each in answers] == ["observation", "step"]
                done = await acting
                assert len(done.results) == 2
            counted = (await agent.status()).actions
            assert (counted.given, counted.refused) == (100, 0)
        code, said = await asyncio.to_thread(proxy.end)
        logged = game.actions()
    assert code == 0, said
    assert [action.action_raw.unit_command.ability_id for _, action in logged] == [4] * 100
    assert len(recorded(file)["/actions"]) == 50


async def test_without_leave_agents_do_not_act() -> None:
    with emulated() as game, proxied(game.address) as proxy:
        async with raw_client(proxy) as bot, abathur.connect(proxy.daemon.grpc) as agent:
            await bot.join()
            await bot.observe()
            with pytest.raises(abathur.RequestError, match="--allow-actions") as refused:
                await agent.act([STOP])
        assert refused.value.code == "FAILED_PRECONDITION"
        await asyncio.to_thread(proxy.end)
        assert game.actions() == []


async def test_an_agent_that_floods_is_refused_and_the_game_goes_on() -> None:
    with HandMadeGame() as game, proxied(game.address, "--allow-actions") as proxy:
        bot, peer = await asyncio.to_thread(game.meet, proxy)
        with bot:
            await asyncio.to_thread(begin, bot, peer)
            async with abathur.connect(proxy.daemon.grpc) as agent:
                await agent.match()
                first = asyncio.create_task(agent.act([STOP]))
                # The game takes its time over this one.
                slow = await asyncio.to_thread(peer.request)
                assert slow.HasField("action")
                flood = [asyncio.create_task(agent.act([STOP])) for _ in range(100)]
                refused, _ = await asyncio.wait(flood, return_when=asyncio.FIRST_COMPLETED)
                while len(refused) < 36:
                    more, _ = await asyncio.wait(set(flood) - refused, return_when=asyncio.FIRST_COMPLETED)
                    refused |= more
                assert len(refused) == 36
                for each in refused:
                    error = each.exception()
                    assert isinstance(error, abathur.RequestError) and error.code == "RESOURCE_EXHAUSTED"
                # The bot's own requests go by.
                bot.send(masked(Request(observation=sc2api_pb2.RequestObservation(), id=9).SerializeToString()))
                asked = await asyncio.to_thread(peer.request)
                assert asked.id == 9
                success = sc2api_pb2.ResponseAction(result=[1])
                peer.respond(slow, action=success)
                peer.respond(asked, observation=sc2api_pb2.ResponseObservation.FromString(observation(2)))
                for _ in range(64):
                    asked = await asyncio.to_thread(peer.request)
                    peer.respond(asked, action=success)
                done = await asyncio.gather(first, *(set(flood) - refused))
                assert {tuple(each.results) for each in done} == {("Success",)}
                counted = (await agent.status()).actions
                assert (counted.given, counted.refused) == (65, 36)
            answered = bot.read()
            assert answered is not None and Response.FromString(answered.payload).id == 9


async def test_what_the_bot_never_asked_is_asked_in_between() -> None:
    with HandMadeGame() as game, proxied(game.address) as proxy:
        bot, peer = await asyncio.to_thread(game.meet, proxy)
        with bot:
            await asyncio.to_thread(begin, bot, peer)
            async with abathur.connect(proxy.daemon.grpc) as agent:
                match = await agent.match()
                assert match is not None and (match.map_name, match.game_version) == ("By Hand", "5.0.13")
            # Nothing of that comes to the bot: the next is what it asks next.
            bot.send(masked(Request(ping=sc2api_pb2.RequestPing(), id=2).SerializeToString()))
            peer.respond(await asyncio.to_thread(peer.request), ping=sc2api_pb2.ResponsePing())
            answered = bot.read()
            assert answered is not None and Response.FromString(answered.payload).id == 2


async def test_what_the_bot_asked_is_not_asked_again() -> None:
    with HandMadeGame() as game, proxied(game.address) as proxy:
        bot, peer = await asyncio.to_thread(game.meet, proxy)
        told = {
            "ping": sc2api_pb2.ResponsePing(game_version="5.0.13"),
            "game_info": sc2api_pb2.ResponseGameInfo(map_name="Asked"),
            "data": sc2api_pb2.ResponseData(),
            "observation": sc2api_pb2.ResponseObservation.FromString(observation(1)),
        }
        with bot:
            for number, (kind, response) in enumerate(told.items(), start=1):
                request = Request(id=number)
                getattr(request, kind).CopyFrom(WHOLE_DATA if kind == "data" else getattr(request, kind))
                getattr(request, kind).SetInParent()
                bot.send(masked(request.SerializeToString()))
                assert await asyncio.to_thread(peer.request) == request
                peer.respond(request, **{kind: response})
                answered = bot.read()
                assert answered is not None and Response.FromString(answered.payload).id == number
            async with abathur.connect(proxy.daemon.grpc) as agent:
                match = await agent.match()
                assert match is not None and match.map_name == "Asked" and match.source == sync_pb2.proxy
            # The match has begun, so that the game would have been asked by now.
            bot.send(masked(Request(ping=sc2api_pb2.RequestPing(), id=9).SerializeToString()))
            assert (await asyncio.to_thread(peer.request)).id == 9


async def test_pipelined_requests_keep_their_order() -> None:
    with emulated() as game, proxied(game.address) as proxy:
        async with raw_client(proxy) as bot:
            await bot.join()
            for number in range(200):
                kind = {"step": sc2api_pb2.RequestStep()} if number % 2 else {"observation": OBSERVE}
                await bot.socket.send_bytes(Request(id=number, **kind).SerializeToString())
            answers = [await bot.answer() for _ in range(200)]
            assert [each.id for each in answers] == list(range(200))
            loops = [each.observation.observation.game_loop for each in answers[::2]]
            assert loops == list(range(FIRST_LOOP, FIRST_LOOP + 100))
            assert answers[-1].status == IN_GAME


OBSERVE = sc2api_pb2.RequestObservation()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "--listen"),
        (("--listen", "0"), "--sc2"),
        (("--listen", "70000", "--sc2", "127.0.0.1:5000"), "0 to 65535"),
        (("--listen", "0", "--sc2", "127.0.0.1"), "HOST:PORT"),
        (("--listen", "0", "--sc2", "127.0.0.1:0"), "HOST:PORT"),
        (("--listen", "0", "--sc2", "127.0.0.1:5000", "--connect-timeout", "-1"), "--connect-timeout"),
    ],
)
def test_a_wrong_command_line(arguments: tuple[str, ...], complaint: str) -> None:
    done = run_daemon("proxy", *arguments)
    assert done.returncode == 2
    assert complaint in done.stderr


def test_a_port_that_is_taken_and_a_recording_that_exists(tmp_path: Path) -> None:
    with HandMadeGame() as game:
        taken = run_daemon("proxy", "--listen", game.address.split(":")[1], "--sc2", game.address)
        assert taken.returncode == 1
        assert "--listen" in taken.stderr and "Traceback" not in taken.stderr and "   at " not in taken.stderr
        file = tmp_path / "there.mcap"
        file.write_bytes(b"precious")
        exists = run_daemon("proxy", "--listen", "0", "--sc2", game.address, "-o", str(file))
        assert exists.returncode != 0 and "--force" in exists.stderr
        assert file.read_bytes() == b"precious"

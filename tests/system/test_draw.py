"""`game.draw`: who watches sees it, the game shows it, recordings keep it and playbacks show it again."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import abathur
import pytest
from abathur import actions, drawing
from abathur.sync.v1 import sync_pb2
from emulators import FIRST_LOOP, emulated
from programs import FREE_PORTS, SKIRMISH, TIMEOUT, Daemon, Launch, Play, wait_until
from proxies import HandMadeGame, begin, masked, proxied
from s2clientprotocol import debug_pb2, sc2api_pb2
from test_proxy import raw_client

Request = sc2api_pb2.Request
START = 9000


class Watcher:
    """What a JSON socket with drawings is told, without the package under test."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        self.game_loop = 0

    async def next(self) -> dict[str, Any]:
        """The next drawings: layers with texts, or the kinds of other shapes. Frames are skipped."""
        while True:
            message = await self._read()
            if "drawings" in message:
                layers = message["drawings"].get("layers", [])
                return {title(layer): [named(each) for each in layer["shapes"]] for layer in layers}
            assert "match" in message or "frame" in message, message

    async def pass_frame(self, game_loop: int) -> None:
        """Skip to the first frame after this game loop. No drawings may come before it."""
        while self.game_loop <= game_loop:
            message = await self._read()
            assert "match" in message or "frame" in message, message

    async def _read(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(await asyncio.wait_for(self._reader.readline(), TIMEOUT))
        if "frame" in message:
            self.game_loop = message["frame"].get("gameLoop", 0)
        return message


def title(layer: dict[str, Any]) -> str:
    return layer.get("name", "") + ("*" if layer.get("recorded") else "")


def named(drawn: dict[str, Any]) -> str:
    shape = drawn["shape"]
    kind = next(kind for kind in ("point", "circle", "line", "text") if kind in shape)
    return shape["text"]["text"] if kind == "text" else kind


@contextlib.asynccontextmanager
async def watching(daemon: Daemon, **options: Any) -> AsyncIterator[Watcher]:
    reader, writer = await asyncio.open_connection("127.0.0.1", daemon.socket_port, limit=2**24)
    request = {"policy": "latest", "drawings": True, "fieldMask": "observation.gameLoop", **options}
    writer.write(json.dumps({"subscribe": request}).encode() + b"\n")
    try:
        yield Watcher(reader)
    finally:
        writer.transport.abort()


@pytest.mark.parametrize("transport", ["grpc", "socket"])
async def test_whoever_watches_sees_what_is_drawn_until_its_time_is_over(play: Play, transport: str) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    async with watching(daemon) as watcher, abathur.connect(daemon.addresses[transport]) as game:
        frames = game.frames(encoding="proto")
        reading = asyncio.ensure_future(anext(frames))
        async with abathur.connect(daemon.grpc) as controller:
            await wait_until(controller, lambda status: len(status.subscribers) >= 2)
            await controller.playback.step()
            frame = await reading
            shapes = [
                drawing.point((60, 40)),
                drawing.circle((60.5, 40), 8, color="#e69f00"),
                drawing.line((1, 2), (3, 4, 5), color=0xFF),
                drawing.text((60, 40), "hier", lifetime=2),
            ]
            drawn = await game.draw(shapes, layer="army")
            assert (drawn.game_loop, drawn.shapes) == (frame.game_loop, 4)
            assert await watcher.next() == {"army": ["point", "circle", "line", "hier"]}
            # A later client gets the same.
            async with watching(daemon) as late:
                assert await late.next() == {"army": ["point", "circle", "line", "hier"]}
            await controller.playback.step()
            await watcher.pass_frame(frame.game_loop)
            await controller.playback.step()
            assert await watcher.next() == {"army": ["point", "circle", "line"]}
            assert watcher.game_loop in (frame.game_loop + 1, frame.game_loop + 2)
            await game.draw([drawing.text((1, 1), "new", lifetime=100)], layer="army")
            assert await watcher.next() == {"army": ["new"]}
            await game.draw([], layer="army")
            assert await watcher.next() == {}
        await frames.aclose()


async def test_refusals_say_what_is_wrong(play: Play) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    async with abathur.connect(daemon.grpc) as game:
        for shapes, code, words in (
            ([sync_pb2.Shape()], "INVALID_ARGUMENT", r"shapes\[0\]: expected one of point, circle, line, text"),
            ([sync_pb2.Shape(circle={"at": {"x": 1, "y": 1}, "radius": -1})], "INVALID_ARGUMENT", r"radius -1"),
            ([drawing.point((1, 1))] * 1001, "INVALID_ARGUMENT", "1001 shapes at once; at most 1000"),
            ([drawing.point((1, 1))], "INVALID_ARGUMENT", "layer has 65 characters"),
        ):
            with pytest.raises(abathur.RequestError, match=words) as refused:
                await game.draw(shapes, layer="x" * 65 if "layer" in words else "")
            assert refused.value.code == code
        for layer in range(4):
            await game.draw([drawing.point((1, 1))] * 1000, layer=str(layer))
        with pytest.raises(abathur.RequestError, match="more than 4000 shapes or 64 layers") as refused:
            await game.draw([drawing.point((1, 1))], layer="one more")
        assert refused.value.code == "RESOURCE_EXHAUSTED"
    with abathur.connect_blocking(daemon.grpc) as blocking:
        assert blocking.draw([], layer="0").shapes == 3000


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: drawing.point((1,)), "a position is"),
        (lambda: drawing.point((1, 2), color="red"), "a color is"),
        (lambda: drawing.point((1, 2), color=1 << 24), "a color is"),
    ],
)
def test_what_is_no_place_or_color_is_refused_at_once(make: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


async def test_drawings_are_recorded_and_shown_again_on_playback(launch: Launch, play: Play, tmp_path: Path) -> None:
    file = tmp_path / "drawn.mcap"
    daemon = launch("serve", "--once", *FREE_PORTS, "-o", str(file))
    with abathur.open(SKIRMISH) as match:
        observations = [frame.response for frame, _ in zip(match.frames(), range(60), strict=False)]
    loops = [each.observation.game_loop for each in observations]
    async with abathur.connect(daemon.grpc) as game, abathur.publisher(daemon.grpc, map_name="X") as bot:
        for number, observation in enumerate(observations):
            await bot.publish(observation)
            if number == 10:
                await wait_until(game, lambda status: status.frames_published >= 11)
                await game.draw([drawing.text((1, 2), "short", lifetime=5), drawing.circle((3, 4), 5)], layer="plan")
            if number == 59:
                await wait_until(game, lambda status: status.frames_published >= 60)
                await game.draw([drawing.text((1, 2), "the last word")], layer="end")
    assert await asyncio.to_thread(daemon.wait) == 0

    daemon = play(file, "--start-paused")
    async with watching(daemon) as watcher, abathur.connect(daemon.grpc) as game:
        await wait_until(game, lambda status: bool(status.subscribers))
        await game.playback.seek(loops[20])
        await game.playback.step()
        # The short one is gone by then; the state before is looked up.
        assert await watcher.next() == {"plan*": ["circle"]}
        await game.playback.seek(loops[11])
        await game.playback.step()
        assert await watcher.next() == {"plan*": ["short", "circle"]}
        # Before the frame, it would belong to the later one, and the frame would take it away.
        await wait_until(game, lambda status: status.playback.game_loop == loops[11])
        await game.draw([drawing.point((1, 1))], layer="plan")
        assert await watcher.next() == {"plan*": ["short", "circle"], "plan": ["point"]}
        await game.playback.seek(loops[5])
        await game.playback.step()
        # What was drawn at a later loop is not there yet, in the recording or now.
        while (shown := await watcher.next()) not in ({}, {"plan": ["point"]}):
            # The seek takes away what the agent has drawn; the recorded drawings go with the frame.
            assert shown == {"plan*": ["short", "circle"]}
    from mcap.reader import make_reader
    from mcap_protobuf.decoder import DecoderFactory

    with file.open("rb") as stream:
        reader = make_reader(stream, decoder_factories=[DecoderFactory()])
        states = [each for _, _, _, each in reader.iter_decoded_messages(topics=["/drawings"])]
    assert [[layer.name for layer in each.layers] for each in states] == [["plan"], ["plan"], ["end", "plan"]]
    assert states[0].layers[0].shapes[0].until_game_loop == loops[10] + 5


async def test_a_live_game_shows_them(launch: Launch) -> None:
    with emulated() as game:
        daemon = launch(
            "live", "--sc2", game.address, *FREE_PORTS, "--map", "X.SC2Map", "--allow-actions", "--wait-agents", "1"
        )
        async with abathur.connect(daemon.grpc) as agent:
            async for frame in agent.frames(policy="lockstep"):
                if frame.game_loop == FIRST_LOOP:
                    await agent.draw([drawing.text((60, 40), "attack", color="#ff8000", lifetime=3)], layer="plan")
                if frame.game_loop == FIRST_LOOP + 10:
                    break
        commands = debugs(game)
    # Drawn once, and taken away when its time is over.
    assert [len(each.text) for each in commands] == [1, 0]
    text = commands[0].text[0]
    assert (text.text, text.world_pos.x, text.world_pos.y) == ("attack", 60, 40)
    assert (text.color.r, text.color.g, text.color.b) == (255, 128, 0)


async def test_a_live_game_without_leave_to_act_is_left_alone(launch: Launch) -> None:
    with emulated() as game:
        daemon = launch("live", "--sc2", game.address, *FREE_PORTS, "--map", "X.SC2Map", "--wait-agents", "1")
        async with watching(daemon) as watcher, abathur.connect(daemon.grpc) as agent:
            async for frame in agent.frames(policy="lockstep"):
                if frame.game_loop == FIRST_LOOP:
                    await agent.draw([drawing.point((1, 1))])
                if frame.game_loop == FIRST_LOOP + 5:
                    break
            assert await watcher.next() == {"": ["point"]}
        assert debugs(game) == []


def debugs(game: abathur.EmulatedGame) -> list[debug_pb2.DebugDraw]:
    return [command.draw for _, command in game.debug_commands() if command.HasField("draw")]


async def test_beside_a_bot_its_own_drawing_stays() -> None:
    own = debug_pb2.DebugCommand(draw=debug_pb2.DebugDraw(text=[debug_pb2.DebugText(text="mine")]))
    with HandMadeGame() as game, proxied(game.address, "--allow-actions") as proxy:
        bot, peer = await asyncio.to_thread(game.meet, proxy)
        with bot:
            await asyncio.to_thread(begin, bot, peer)
            async with abathur.connect(proxy.daemon.grpc) as agent:
                await agent.match()
                await agent.draw([drawing.circle((1, 2), 3)])
                asked = await asyncio.to_thread(peer.request)
                assert [len(each.draw.spheres) for each in asked.debug.debug] == [1]
                peer.respond(asked, debug=sc2api_pb2.ResponseDebug())
                # What the bot draws takes the place of everything in the game: all of it is put back together.
                request = Request(debug=sc2api_pb2.RequestDebug(debug=[own]), id=7)
                bot.send(masked(request.SerializeToString()))
                passed = await asyncio.to_thread(peer.request)
                assert passed == request
                peer.respond(passed, debug=sc2api_pb2.ResponseDebug())
                merged = await asyncio.to_thread(peer.request)
                assert [each.text for each in merged.debug.debug[0].draw.text] == ["mine"]
                assert [each.p.x for each in merged.debug.debug[0].draw.spheres] == [1]
                peer.respond(merged, debug=sc2api_pb2.ResponseDebug())
                answered = bot.read()
                assert answered is not None and sc2api_pb2.Response.FromString(answered.payload).id == 7


async def test_a_bot_draws_undisturbed_as_long_as_no_agent_does(tmp_path: Path) -> None:
    with emulated() as game, proxied(game.address, "--allow-actions") as proxy:
        async with raw_client(proxy) as bot, abathur.connect(proxy.daemon.grpc) as agent:
            await bot.join()
            await bot.observe()
            draw = debug_pb2.DebugCommand(draw=debug_pb2.DebugDraw(text=[debug_pb2.DebugText(text="mine")]))
            await bot.ask(debug=sc2api_pb2.RequestDebug(debug=[draw]))
            await agent.act([actions.chat("hi")])
            await bot.observe()
        await asyncio.to_thread(proxy.end)
        assert [each.text[0].text for each in debugs(game)] == ["mine"]

"""A game whose clients' requests are noted: a relay of WebSocket messages before the emulator, in a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import abathur
import aiohttp
from aiohttp import web
from s2clientprotocol import sc2api_pb2
from s2clientprotocol.sc2api_pb2 import Request, Response


class NotedGame:
    """Where clients connect, and what they have sent."""

    def __init__(self, game: abathur.EmulatedGame) -> None:
        self._game = game
        self.port = 0
        self.created: list[sc2api_pb2.RequestCreateGame] = []
        #: A request waits before the game, since `hold`.
        self.held = threading.Event()
        #: The result of every action; None: what the game answers.
        self.action_result: int | None = None
        self._kind = ""
        self._until = threading.Event()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def seeds(self) -> list[int | None]:
        """The seed of each game that was created; None: the game chooses."""
        return [each.random_seed if each.HasField("random_seed") else None for each in self.created]

    def hold(self, kind: str) -> None:
        """Let requests of a kind wait until `release`."""
        self._kind = kind

    def release(self) -> None:
        """Let them go on."""
        self._kind = ""
        self._until.set()

    async def relay(self, request: web.Request) -> web.WebSocketResponse:
        """One client, until it or the game disconnects."""
        client = web.WebSocketResponse(max_msg_size=0)
        await client.prepare(request)
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(self._game.url, max_msg_size=0) as game,
            asyncio.TaskGroup() as tasks,
        ):
            tasks.create_task(self._requests(client, game))
            tasks.create_task(self._answers(game, client))
        return client

    async def _requests(self, client: web.WebSocketResponse, game: aiohttp.ClientWebSocketResponse) -> None:
        async for message in client:
            asked = Request.FromString(message.data)
            if asked.HasField("create_game"):
                self.created.append(asked.create_game)
            if asked.WhichOneof("request") == self._kind:
                self.held.set()
                await asyncio.to_thread(self._until.wait)
            if not game.closed:
                await game.send_bytes(message.data)
        await game.close()

    async def _answers(self, game: aiohttp.ClientWebSocketResponse, client: web.WebSocketResponse) -> None:
        async for message in game:
            data = message.data
            if self.action_result is not None:
                answer = Response.FromString(data)
                answer.action.result[:] = [self.action_result] * len(answer.action.result)
                data = answer.SerializeToString() if answer.HasField("action") and answer.action.result else data
            await client.send_bytes(data)
        await client.close()


@contextmanager
def noted(game: abathur.EmulatedGame) -> Iterator[NotedGame]:
    """Note what the clients of an emulated game send."""
    made = NotedGame(game)
    ready, over = threading.Event(), threading.Event()

    async def serve() -> None:
        application = web.Application()
        application.router.add_get("/sc2api", made.relay)
        runner = web.AppRunner(application, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        made.port = runner.addresses[0][1]
        ready.set()
        await asyncio.to_thread(over.wait)
        await runner.cleanup()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    try:
        ready.wait()
        yield made
    finally:
        made.release()
        over.set()
        thread.join()

"""A connection to a daemon, as agents use it. tools/make_blocking.py generates `_blocking_game` from this."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from contextlib import aclosing
from types import TracebackType
from typing import TYPE_CHECKING, Any, Unpack

from s2clientprotocol import query_pb2, sc2api_pb2

from abathur import drawing
from abathur._client import act, runs
from abathur._client import request as _request
from abathur._client.act import ActResult
from abathur._client.equivalents import GAME
from abathur._client.options import ConnectOptions, SubscribeOptions, check_known
from abathur._client.playback import Playback
from abathur._client.reconnect import Backoff, GapCounter
from abathur._client.runs import Run
from abathur._events import plots
from abathur._events.event_stream import EventStream
from abathur._events.plots import PlotSeries
from abathur._events.timeline import Timeline, from_message
from abathur._frame.equivalents import absent
from abathur._frame.frame import Frame
from abathur._program import address as _address
from abathur._program.address import Address
from abathur._transport import compression
from abathur._transport.grpc import AsyncGrpcConnection
from abathur._transport.nats.connection import AsyncNatsConnection
from abathur._transport.reading import refused_if_too_old
from abathur._transport.socket import AsyncSocketConnection
from abathur._transport.timeouts import CONNECT_TIMEOUT, RECONNECT_TIMEOUT, REQUEST_TIMEOUT, Timeouts
from abathur._values import game_time, html_table, messages
from abathur._values.game_time import GameTime
from abathur._values.read_only import explain
from abathur.errors import AbathurError, ConnectError, LostError, ProtocolError, RequestError
from abathur.sync.v1 import sync_pb2


def connect(address: str | None = None, **options: Unpack[ConnectOptions]) -> Game:
    """Connect to a daemon: ``async with abathur.connect() as game``.

    Args:
        address: ``HOST:PORT`` or ``grpc://HOST:PORT`` for gRPC, ``socket://HOST:PORT`` for the socket,
            ``grpcs://`` and ``sockets://`` for the same with TLS, ``grpc+unix:PATH`` and ``socket+unix:PATH`` for Unix
            domain sockets. ``nats://HOST:PORT/MATCH`` for a match that a relay publishes to NATS, ``natss://`` with
            TLS (docs/nats.md). ``match:NAME`` for a match on this machine, as `abathur matches` lists them. Default:
            ABATHUR_ADDRESS, else 127.0.0.1:22400.
        **options:
            - token: Token for the daemon, if it needs one. Default: ABATHUR_TOKEN, else none. On NATS: the token of
              its servers. Default: ABATHUR_NATS_TOKEN, else none.
            - ca: With TLS: file (PEM) with the trusted root certificates. Default: ABATHUR_CA, else the system's.
            - creds: On NATS: file with credentials. Default: ABATHUR_NATS_CREDS, else none.
            - wait: Seconds that `Game.frames` waits for a daemon that is not there yet. Default: 0.
            - reconnect_timeout: Seconds to connect again after a broken connection, and to a daemon that does not
              answer, before `Game.frames` raises. 0: once. Default: 30.
            - connect_timeout: Seconds that one connection may take, and again the daemon's first message on it. Frames
              may follow much later: a playback may be paused, and a match may not have begun. Default: 10.
            - request_timeout: Seconds that the answer to a request (`Game.act`, ...) may take. Default: 30.

    Raises:
        TypeError: there is no such option.
        ValueError: `address` is invalid, or a timeout is not greater than 0.
        AbathurError: no daemon on this machine publishes a match with this name.
        AbathurError: on NATS: a package that it needs is not installed.
    """
    check_known(options, ConnectOptions)
    timeouts = Timeouts(
        connect=options.get("connect_timeout", CONNECT_TIMEOUT), request=options.get("request_timeout", REQUEST_TIMEOUT)
    )
    parsed = _address.parse(address, options.get("token"), options.get("ca"), options.get("creds"))
    _address.check_match(parsed)
    return Game(parsed, options.get("reconnect_timeout", RECONNECT_TIMEOUT), timeouts, options.get("wait", 0.0))


class Game:
    """A connection to a daemon. Made by `connect`.

    A request is about one match of the daemon: that of its `run_id`. Without one: that of the last
    frame; before the first the match that runs, of several the one that began last, else the next. It raises
    RequestError with NOT_FOUND where the daemon does not know the match, with FAILED_PRECONDITION where it needs one
    that runs.

    Attributes:
        address: Address of the daemon.
        late_actions: Actions that the game received when the frame that they answer was not the newest any more.
        playback: Controls the playback, if the daemon plays a recording: ``await game.playback.pause()``.
    """

    def __init__(self, address: Address, reconnect_timeout: float, timeouts: Timeouts, wait: float) -> None:
        """Use `connect`."""
        self.address = address
        self._reconnect_timeout = reconnect_timeout
        self._timeouts = timeouts
        self._wait = wait
        self._connection: AsyncGrpcConnection | AsyncSocketConnection | AsyncNatsConnection
        if address.transport == "nats":
            self._connection = AsyncNatsConnection(address, timeouts)
        elif address.transport == "socket":
            self._connection = AsyncSocketConnection(address, timeouts)
        else:
            self._connection = AsyncGrpcConnection(address, timeouts)
        self._game_loop = 0
        self._run_id = ""
        self._is_closed = False
        self.late_actions: int = 0
        self.playback: Playback = Playback(self._ask)

    async def __aenter__(self) -> Game:
        """Nothing is sent yet. A game that was closed is open again."""
        self._is_closed = False
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the connection."""
        explain(error)
        await self.close()

    async def close(self) -> None:
        """Close the connection; streams end."""
        self._is_closed = True
        await self._connection.close()

    # Type checkers find misspelled names.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """What to write in place of a name that does not exist."""
            return absent(self, name, GAME)

    def __repr__(self) -> str:
        """Where the daemon is."""
        return f"<{type(self).__name__} at {self.address}{', closed' if self._is_closed else ''}>"

    def _repr_html_(self) -> str:
        """For notebooks: where the daemon is, and the last frame. It asks the daemon for nothing."""
        rows: list[tuple[str, object]] = [("address", self.address), ("state", "closed" if self._is_closed else "open")]
        if self._game_loop:
            rows += [("game loop", self._game_loop), ("game time", game_time.clock(self._game_loop))]
        return html_table.table(type(self).__name__, (), [*rows, ("late actions", self.late_actions)])

    async def match(self, run_id: Run = "") -> sync_pb2.Match | None:
        """The constant data of a match: map, tick rate, game info, game data. Waits until there is a match.

        On the socket, without `run_id`, it is known once `frames` is being read (None before).

        Args:
            run_id: The match, see `Game`.

        Raises:
            ConnectError: no daemon answers.
            RequestError: NOT_FOUND: it does not know the match; DEADLINE_EXCEEDED: it accepts connections, but does not
                answer.
        """
        with self._connected():
            return await self._connection.match(self._run(run_id))

    async def matches(self) -> list[sync_pb2.MatchSummary]:
        """The matches of the daemon, in the order in which they began: the one that runs, and those that are over.

        Raises:
            ConnectError: no daemon answers.
            RequestError: UNIMPLEMENTED: the daemon is too old, or the address is one of NATS.
        """
        with contextlib.nullcontext() if self.address.transport == "nats" else refused_if_too_old():
            return list((await self._ask(sync_pb2.ClientMessage(matches=sync_pb2.GetMatchesRequest()))).matches.matches)

    async def frames(self, **options: Unpack[SubscribeOptions]) -> AsyncGenerator[Frame, None]:
        """Frames until the match ends, or the daemon shuts down. With `follow`, those of the next matches as well.

        A broken connection is made again; the next frame has the number of dropped frames.

        Args:
            **options:
                - policy: ``latest`` (default; skip to the newest frame when this agent lags; `Frame.dropped` counts),
                  ``every`` (drop no frame), ``lockstep`` (the game waits until the next frame is requested).
                - encoding: ``auto`` (default: protobuf, the fastest for an agent that reads `Frame.observation`,
                  alone or with `Frame.units`), ``proto``, ``json`` or ``columns``: NumPy arrays, the smallest, and the
                  fastest for `Frame.units` with `Frame.grids`.
                - compression: ``none`` (default), or ``gzip``, ``br`` or ``zstd`` for each frame independently, or
                  ``zstd-stream`` or ``br-stream`` with the history of the stream: a tenth of that size or less. Not for
                  ``json`` on the socket, whose lines are not compressed.
                - compression_level: gzip 1 to 9, br 1 to 11, zstd 1 to 19, zstd-stream 1 to 19, br-stream 2 to 11;
                  0 (default): the daemon's default.
                - fields: Field mask on `ResponseObservation`, e.g. ``["observation.raw_data.units"]``. Empty (default):
                  everything.
                - every: Only frames at least this many game loops apart, and the last one. 0 and 1 (default): every
                  frame.
                - start: ``live`` (default), ``oldest``, a game loop or a game time (``"2:00"``): begin with the frames
                  that the daemon keeps, as fast as this agent takes them; the live ones follow without gap or
                  duplicate. Not used again after a reconnection.
                - max_frames: End after this many frames. 0 (default): no limit.
                - run_id: The match to read: the `run_id` of a `Match`, or an element of `matches`. One that is over has
                  the frames that the daemon keeps (`start`). Default: the one that runs, else the next.
                - follow: Go on with the next match when one is over, until the daemon ends. `Frame.run_id` tells them
                  apart; sequence numbers and events begin again. After a broken connection it goes on with the match
                  that runs then. Default: False.
                - buffer: Frames that may wait in the daemon under ``every``. 0 (default): its default, 64.
                - credits: Maximum number of unacknowledged frames; with 1 the frame is never stale. 0 (default): no
                  limit.
                - lockstep_timeout: Seconds that the daemon waits for this agent under ``lockstep``. None (default): its
                  default.
                - name: Shown in the daemon's status.
                - max_frame_bytes: Largest payload that is accepted, in bytes after decompression. Default: 64 MiB.

        Raises:
            TypeError: there is no such option.
            ValueError: unknown policy, encoding, compression or start.
            AbathurError: the package that reads the compression is not installed.
            ConnectError: no daemon is there within `wait`, or none answers within `reconnect_timeout`.
            ConnectionLostError: the connection broke and could not be made again.
            RequestError: the daemon refuses the subscription: OUT_OF_RANGE: it does not keep the frame of `start`;
                FAILED_PRECONDITION: it keeps none; NOT_FOUND: it does not know the match of `run_id`; UNIMPLEMENTED: it
                is too old for `run_id` and `follow`, or the address is one of NATS.
            SlowConsumerError: this agent did not keep up with ``every``.
            AckTimeoutError: it did not acknowledge in time under ``lockstep``.
            DecompressionError: a frame is damaged, or larger than `max_frame_bytes`.
        """
        async with aclosing(self._read(options)) as events:
            async for event in events:
                if isinstance(event, Frame):
                    yield event

    async def _read(self, options: SubscribeOptions) -> AsyncGenerator[Frame | sync_pb2.MatchEnded, None]:
        """The frames of a subscription, and with `follow` the end of each match behind them."""
        request = _request.subscribe_request(options)
        self._check_open()
        limit = options.get("max_frame_bytes", compression.DEFAULT_LIMIT)
        backoff = Backoff(self.address, self._reconnect_timeout, self._wait, self._timeouts)
        gaps = GapCounter(request.every_game_loops)
        events = EventStream()
        received = 0
        last: Frame | None = None
        while True:
            try:
                async with aclosing(self._connection.subscribe(request, limit)) as stream:
                    async for event in stream:
                        if isinstance(event, Frame):
                            gaps.check(event, backoff.is_retrying)
                            if request.follow and last is not None and not event._is_of_run(last):
                                # It ended while the connection was broken.
                                yield sync_pb2.MatchEnded(run_id=last.run_id, reason="the connection broke")
                            last = event
                            self._game_loop = event.game_loop
                            self._run_id = event.run_id if event._names_match else ""
                            events.follow(event)
                            received += 1
                        else:
                            last = None
                        backoff.succeed()
                        yield event
                        # Frames that have come already need no wait, and others in the event loop have their turn.
                        await asyncio.sleep(0)
                return
            except LostError as error:
                delay = backoff.fail(error, await asyncio.to_thread(backoff.look))
            except ProtocolError:
                backoff.check(await asyncio.to_thread(backoff.look))
                raise
            if received:
                _request.continue_after(request, self._game_loop)
            if request.max_frames:
                request.max_frames -= received
                received = 0
                if request.max_frames == 0:
                    return
            await asyncio.sleep(delay)

    async def frame_at(self, game_loop: GameTime, **options: Unpack[SubscribeOptions]) -> Frame:
        """The kept frame at a game loop, or at a game time (``"2:00"``), or the first one after it.

        Args:
            game_loop: The game loop. The daemon's status has the range of those that it keeps.
            **options: As for `frames`; `policy`, `start`, `max_frames` and `follow` have no effect. `run_id` is by
                default that of a request, see `Game`.

        Raises:
            RequestError: OUT_OF_RANGE: the daemon does not keep it; FAILED_PRECONDITION: it keeps none.
            ConnectError: the match or the daemon ended meanwhile; `frames` has more errors.
        """
        run_id = self._run(options.get("run_id", ""))
        given: SubscribeOptions = {
            **options,
            "policy": "every",
            "start": game_loop,
            "max_frames": 1,
            "run_id": run_id,
            "follow": False,
        }
        answered = self._game_loop, self._run_id
        try:
            async with aclosing(self.frames(**given)) as frames:
                async for frame in frames:
                    return frame
        finally:
            # Actions answer the newest frame, not this one.
            self._game_loop, self._run_id = answered
        raise ConnectError(str(self.address), f"the daemon ended before it sent the frame at game loop {game_loop}")

    async def timeline(self, *, after: int = 0, run_id: Run = "") -> Timeline:
        """Some numbers of the match so far, one row a game second: resources, income, supply, army value, losses.

        Args:
            after: Only rows after this game loop. 0: all.
            run_id: The match, see `Game`.
        """
        request = sync_pb2.GetTimelineRequest(after_game_loop=after, run_id=self._run(run_id))
        return from_message((await self._ask(sync_pb2.ClientMessage(timeline=request))).timeline)

    async def query(self, request: query_pb2.RequestQuery, *, run_id: Run = "") -> sync_pb2.QueryResult:
        """Ask the game: pathing distances, placements, available abilities.

        A query costs the game time, so it needs the right to act, and few are let through in a game loop.

        Args:
            request: The query, as a client of the game sends it.
            run_id: The match, see `Game`.

        Returns:
            `response`: as the game answered; `emulated`: whether the daemon computed it, as for recordings;
            `game_loop`: of the newest observation then.

        Raises:
            RequestError: nothing can answer (FAILED_PRECONDITION), or too many queries wait (RESOURCE_EXHAUSTED).
        """
        asked = sync_pb2.QueryRequest(query=request, run_id=self._run(run_id))
        with act.refusals():
            return (await self._ask(sync_pb2.ClientMessage(query=asked))).query

    async def act(
        self, actions: sc2api_pb2.Action | Iterable[sc2api_pb2.Action], *, max_late: int = 0, run_id: Run = ""
    ) -> ActResult:
        """Send actions to the game, as an answer to the last frame. `abathur.actions` creates the common ones.

        Args:
            actions: One, or at most 1000.
            max_late: Refuse them if more than this many game loops have passed since that frame. 0: never refuse late
                actions; `ActResult.late_game_loops` and `late_actions` count them.
            run_id: The match, see `Game`.

        Raises:
            RequestError: the source accepts no actions (FAILED_PRECONDITION), they are too late (OUT_OF_RANGE), or too
                many already wait for the game (RESOURCE_EXHAUSTED).
        """
        given = messages.each(actions, sc2api_pb2.Action)
        request = sync_pb2.ActRequest(
            game_loop=self._game_loop, actions=given, max_late_game_loops=max_late, run_id=self._run(run_id)
        )
        with act.refusals():
            result = act.from_message((await self._ask(sync_pb2.ClientMessage(act=request))).act)
        self.late_actions += len(given) if result.late_game_loops else 0
        return result

    async def next_game(self, seed: int | None = None) -> None:
        """End the match that runs, and begin the next game of a daemon that plays them on request: ``live --games 0``.

        It returns when that match is over: frames that are read then, and requests, are of the next one. With `follow`,
        `frames` goes on with it. The ended match has no results.

        Args:
            seed: Seed of the game's random numbers, 0 to 4294967295. None (default): as the daemon's command line says.

        Raises:
            TypeError: `seed` is not an integer.
            ValueError: it is not in this range.
            ConnectError: no daemon answers, or it is shutting down.
            RequestError: the daemon plays no games on request (FAILED_PRECONDITION), the token does not allow it
                (PERMISSION_DENIED), or the game has disconnected (ABORTED).
        """
        control = sync_pb2.ControlRequest(next_game=_request.next_game(seed))
        with act.refusals():
            await self._ask(sync_pb2.ClientMessage(control=control))
        self._game_loop, self._run_id = 0, ""

    async def draw(
        self, shapes: sync_pb2.Shape | Iterable[sync_pb2.Shape], *, layer: str = "", run_id: Run = ""
    ) -> sync_pb2.DrawResult:
        """Draw over the map: on the dashboard, in a game that accepts agents' actions, and in its recording.

        Args:
            shapes: One, or at most 1000; `abathur.drawing` creates them. They replace the shapes on the layer that have
                no lifetime, so an agent that draws in each step shows its current state. None: clears the layer.
            layer: Name of the layer.
            run_id: The match, see `Game`.

        Raises:
            RequestError: a shape is invalid (INVALID_ARGUMENT), or more than 4,000 at once (RESOURCE_EXHAUSTED).
        """
        request = drawing.request(messages.each(shapes, sync_pb2.Shape), layer, self._game_loop)
        request.run_id = self._run(run_id)
        with act.refusals():
            return (await self._ask(sync_pb2.ClientMessage(draw=request))).draw

    async def plot(self, name: str, value: float, *, agent: str = "", run_id: Run = "") -> sync_pb2.PlotResult:
        """Add a value to a series, at the game loop of the last frame: a graph on the dashboard, and in the recording.

        Args:
            name: Name of the series, at most 64 characters.
            value: A finite number. A second value at the same game loop replaces the first.
            agent: Whose series it is, at most 64 characters.
            run_id: The match, see `Game`.

        Raises:
            RequestError: the name or the value is invalid (INVALID_ARGUMENT), or there would be more than 64 series of
                the agent or 256 of all (RESOURCE_EXHAUSTED).
        """
        return await self.plot_all({name: value}, agent=agent, run_id=run_id)

    async def plot_all(self, values: Mapping[str, float], *, agent: str = "", run_id: Run = "") -> sync_pb2.PlotResult:
        """Add a value to each of some series, in one request. See `plot`.

        Args:
            values: 1 to 64 finite numbers by name of the series.
            agent: Whose series they are.
            run_id: The match, see `Game`.

        Raises:
            RequestError: as `plot`.
        """
        request = plots.request(values, agent, self._game_loop)
        request.run_id = self._run(run_id)
        with act.refusals():
            return (await self._ask(sync_pb2.ClientMessage(plot=request))).plot

    async def plots(self, *, after: int = 0, run_id: Run = "") -> list[PlotSeries]:
        """The series of all agents so far, and of a playback those in the recording.

        Args:
            after: Only points after this game loop. 0: all.
            run_id: The match, see `Game`.
        """
        request = sync_pb2.GetPlotsRequest(after_game_loop=after, run_id=self._run(run_id))
        return plots.from_message((await self._ask(sync_pb2.ClientMessage(plots=request))).plots)

    async def status(self, *, run_id: Run = "") -> sync_pb2.Status:
        """The status of the daemon.

        Args:
            run_id: The match whose source, recording, history and subscribers it has, see `Game`.
        """
        request = sync_pb2.GetStatusRequest(run_id=self._run(run_id))
        return (await self._ask(sync_pb2.ClientMessage(status=request))).status

    async def _ask(self, message: sync_pb2.ClientMessage) -> sync_pb2.Result:
        with self._connected():
            return await self._connection.request(message)

    async def _is_after_match(self, refusal: RequestError) -> bool:
        """Whether a request was refused because the match of the last frame is over: others may be on the way."""
        if refusal.code != "FAILED_PRECONDITION":
            return False
        running = [each.match.run_id for each in await self.matches() if each.state == sync_pb2.match_running]
        return self._run_id not in running

    def _run(self, run_id: Run) -> str:
        """The match that a request is about."""
        return runs.run_id(run_id) or self._run_id

    def _check_open(self) -> None:
        if self._is_closed:
            raise AbathurError(f"the connection to {self.address} is closed: connect again")

    @contextlib.contextmanager
    def _connected(self) -> Iterator[None]:
        self._check_open()
        try:
            yield
        except LostError as error:
            raise ConnectError(str(self.address), str(error)) from None

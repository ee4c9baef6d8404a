"""`--delay`: a daemon answers watchers as one would whose match runs that much later, whatever they ask.

Of two daemons the first hides frames, drawings, numbers and the end of its match; the second does not have them yet.
Each answer to the token for watching is the same, but for what is in `VOLATILE`.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import abathur
import aiohttp
import grpc
import pytest
from abathur import drawing
from abathur.sync.v1 import sync_pb2
from google.protobuf import json_format
from programs import ACT, FREE_PORTS, SKIRMISH, TIMEOUT, WATCH, Launch, pause, token_options
from s2clientprotocol import sc2api_pb2

SERVICE = sync_pb2.DESCRIPTOR.services_by_name["GameSync"]
#: What may differ: times, which are of each daemon's own clock and start; random ids; ports; bytes with times in them.
VOLATILE = {
    "uptime", "framesPerSecond", "bytesSent", "bytes", "bytesPublished", "matchId", "runId", "peer", "delay",
    "beganUnixNs",
    "capturedMonotonicNs", "capturedUnixNs", "publishedMonotonicNs", "publishedUnixNs", "encodedMonotonicNs",
    # A header, and what /v1/compare measures meanwhile.
    "Date", "mean", "streamFrames",
}  # fmt: skip
#: The daemon's own subscription for /v1/compare, which ends some time after it.
COMPARED = "encodings compared"
FIRST_LOOP = 9000
SHOWN, HIDDEN = 10, 5
#: The delay has to be longer than asking takes: the first that is, on this machine.
DELAYS = (4, 16, 64)
Answers = dict[str, Any]


def stable(value: Any) -> Any:
    """Without what is volatile."""
    if isinstance(value, dict):
        return {key: stable(each) for key, each in value.items() if key not in VOLATILE}
    if isinstance(value, list):
        return [stable(each) for each in value if not (isinstance(each, dict) and each.get("name") == COMPARED)]
    return value


def observations() -> list[sc2api_pb2.ResponseObservation]:
    with abathur.open(SKIRMISH) as recording:
        taken = [frame.response for frame in itertools.islice(recording.frames(), SHOWN + HIDDEN)]
    for number, each in enumerate(taken):
        each.observation.game_loop = FIRST_LOOP + number
    return taken


class Match:
    """A daemon, and the bot that publishes its match there."""

    def __init__(self, launch: Launch, folder: Path, delay: float) -> None:
        recordings = folder / "recordings"
        recordings.mkdir(parents=True)
        shutil.copy(SKIRMISH, recordings / "old.mcap")
        os.utime(recordings / "old.mcap", (0, 0))
        record = ("--recordings", str(recordings), "-o", str(recordings / "own.mcap"))
        self.delay = delay
        self.daemon = launch("serve", "--once", *FREE_PORTS, *token_options(folder), *record, "--delay", f"{delay}s")
        self._open = contextlib.ExitStack()
        self._bot: abathur.BlockingPublisher | None = None
        self.hides_since = 0.0

    def publish(self, frames: list[sc2api_pb2.ResponseObservation], text: str) -> None:
        """Some frames, and what an agent draws and plots before the last one. The first ones begin the match."""
        self.hides_since = time.monotonic()
        if self._bot is None:
            bot = abathur.publisher_blocking(self.daemon.grpc, token=ACT, map_name="Ladder LE")
            self._bot = self._open.enter_context(bot)
        for each in frames[:-1]:
            self._bot.publish(each)
        with abathur.connect_blocking(self.daemon.grpc, token=ACT) as agent:
            newest = frames[-2].observation.game_loop
            next(frame for frame in agent.frames(policy="every", start="oldest") if frame.game_loop == newest)
            agent.draw([drawing.text((1, 1), text)], layer="plan")
            agent.plot(text, 1.0, agent="Bot")
        self._bot.publish(frames[-1])

    def end(self) -> None:
        """The match is over."""
        self._open.close()

    def until_shown(self, frames: int) -> None:
        """Wait until watchers see this many frames."""
        with abathur.connect_blocking(self.daemon.grpc, token=WATCH) as watcher:
            deadline = time.monotonic() + self.delay + TIMEOUT
            while watcher.status().frames_published < frames:
                assert time.monotonic() < deadline

    def answers(self, shown: int) -> Answers:
        """What a watcher is told, by question, while another one has a subscription."""
        with abathur.connect_blocking(self.daemon.grpc, token=WATCH) as watcher:
            frames = watcher.frames(policy="every", start="oldest", name="viewer")
            for _ in range(shown):
                next(frames)
            told: Answers = {}
            for path in self._paths():
                # /v1/compare answers twice a second.
                while (answer := self._get(path))["status"] == 429:
                    pause()
                told[f"GET {path}"] = answer
            for number, (method, request) in enumerate(self._calls()):
                told[f"rpc {number} {method.name}"] = self._call(method, request)
            frames.close()
        if shown:
            told["session"] = asyncio.run(self._session(shown))
            told["socket"] = asyncio.run(self._lines(shown))
        return {question: stable(answer) for question, answer in told.items()}

    def _paths(self) -> list[str]:
        names = ["own.mcap", "own.mcap.part", "nothing.mcap"]
        recordings = [f"/v1/recordings/{name}{end}" for name in names for end in ("", "/sync")]
        named = ["status", "timeline", "plots", "compare", "recordings", "sync", "nothing"]
        return ["/", "/healthz", "/readyz", "/metrics", *(f"/v1/{name}" for name in named), *recordings]

    def _get(self, path: str) -> Answers:
        request = urllib.request.Request(
            self.daemon.addresses["http"] + path, headers={"Authorization": f"Bearer {WATCH}"}
        )
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
                status, headers, body = answer.status, dict(answer.headers), answer.read()
        except urllib.error.HTTPError as error:
            with error:
                status, headers, body = error.code, dict(error.headers), error.read()
        with contextlib.suppress(ValueError):
            return {"status": status, "json": json.loads(body)}
        # The delay itself is told.
        text = body.decode().replace(f"{self.delay:g} s later", "later").replace(f"{self.delay + 2:g} s ago", "ago")
        headers.pop("Content-Length", None)
        return {"status": status, "headers": headers, "body": text}

    def _calls(self) -> list[tuple[Any, Any]]:
        """Each method: with the empty request, and with requests that ask for what is hidden."""
        hidden = FIRST_LOOP + SHOWN + 1
        requests: dict[str, list[Any]] = {
            "Subscribe": [
                sync_pb2.SubscribeRequest(start_game_loop=hidden),
                sync_pb2.SubscribeRequest(policy=sync_pb2.lockstep),
                sync_pb2.SubscribeRequest(compression_level=99),
            ],
            "Session": [sync_pb2.ClientMessage(subscribe=sync_pb2.SubscribeRequest(start_game_loop=hidden))],
            "Publish": [sync_pb2.PublishRequest()],
            "Act": [sync_pb2.ActRequest(game_loop=hidden, max_late_game_loops=1)],
            "GetTimeline": [sync_pb2.GetTimelineRequest(), sync_pb2.GetTimelineRequest(after_game_loop=hidden)],
            "GetPlots": [sync_pb2.GetPlotsRequest(), sync_pb2.GetPlotsRequest(after_game_loop=hidden)],
        }
        return [
            (method, request)
            for method in SERVICE.methods
            for request in requests.get(method.name, [method.input_type._concrete_class()])
        ]

    def _call(self, method: Any, request: Any) -> Answers:
        metadata = [("authorization", f"Bearer {WATCH}")]
        path = f"/{SERVICE.full_name}/{method.name}"
        with grpc.insecure_channel(self.daemon.grpc.removeprefix("grpc://")) as channel:
            call: Callable[..., Any] = {
                (False, False): channel.unary_unary, (False, True): channel.unary_stream,
                (True, False): channel.stream_unary, (True, True): channel.stream_stream,
            }[method.client_streaming, method.server_streaming](path)  # fmt: skip
            data = request.SerializeToString()
            try:
                answer = call(iter([data]) if method.client_streaming else data, metadata=metadata, timeout=TIMEOUT)
                payloads = list(answer) if method.server_streaming else [answer]
            except grpc.RpcError as error:
                return {"code": error.code().name, "details": error.details()}
        answers = [method.output_type._concrete_class.FromString(each) for each in payloads]
        return {"answers": [json_format.MessageToDict(each) for each in answers]}

    async def _session(self, frames: int) -> list[Any]:
        """All frames on a WebSocket, with the drawings, and the answers to requests between them."""
        told = []
        address = self.daemon.addresses["http"] + "/v1/sync"
        async with aiohttp.ClientSession() as session, session.ws_connect(address, max_msg_size=0) as ws:
            await ws.send_str(json.dumps(self._subscribe(frames + 1)))
            for request in self._requests():
                await ws.send_str(json.dumps(request))
            while len(told) < 1 + frames + 1 + len(self._requests()):
                told.append(json.loads(await ws.receive_str(timeout=TIMEOUT)))
        return self._sorted(told)

    async def _lines(self, frames: int) -> list[Any]:
        """The same on the socket."""
        told = []
        reader, writer = await asyncio.open_connection("127.0.0.1", self.daemon.socket_port, limit=2**26)
        try:
            for message in [self._subscribe(frames + 1), *self._requests()]:
                writer.write(json.dumps(message).encode() + b"\n")
            while len(told) < 1 + frames + 1 + len(self._requests()):
                told.append(json.loads(await asyncio.wait_for(reader.readline(), TIMEOUT)))
        finally:
            writer.transport.abort()
        return self._sorted(told)

    def _subscribe(self, most: int) -> Answers:
        request = {"policy": "every", "startOldest": True, "maxFrames": most, "drawings": True}
        return {"subscribe": request, "token": WATCH}

    def _requests(self) -> list[Answers]:
        names = ("timeline", "plots", "act", "draw", "query", "control", "plot")
        return [{"id": number, name: {}} for number, name in enumerate(names, 1)]

    def _sorted(self, told: list[Any]) -> list[Any]:
        """Answers come between any two frames."""
        kinds = ("match", "frame", "drawings", "result", "error", "end")

        def place(message: Answers) -> tuple[int, int]:
            kind = next(kind for kind in kinds if kind in message)
            return kinds.index(kind), int(message[kind].get("id", 0))

        return sorted(told, key=place)


def ask(first: Match, second: Match, shown: int) -> bool:
    """Compare all answers. False if this took so long that the first one shows more now."""
    hidden = first.answers(shown)
    if time.monotonic() - first.hides_since > first.delay:
        return False
    other = second.answers(shown)
    assert hidden.keys() == other.keys()
    for question, answer in hidden.items():
        assert answer == other[question], question
    return True


def compared(launch: Launch, folder: Path, delay: float) -> bool:
    """Compare before the match, in it, and when it is over for those who act. False: asking took longer than that."""
    first, second = Match(launch, folder / "first", delay), Match(launch, folder / "second", 0.1)
    frames = observations()
    with abathur.connect_blocking(first.daemon.grpc, token=ACT) as agent:
        first.publish(frames[:SHOWN], "shown")
        # An agent that watchers are not told of, either.
        playing = agent.frames(policy="every", start="oldest", name="agent")
        next(playing)
        if not ask(first, second, shown=0):
            return False
        first.until_shown(SHOWN)
        second.publish(frames[:SHOWN], "shown")
        second.until_shown(SHOWN)
        first.publish(frames[SHOWN:], "hidden")
        if not ask(first, second, shown=SHOWN):
            return False
        first.end()
        is_compared = ask(first, second, shown=SHOWN)
    second.end()
    return is_compared


def test_all_answers_are_those_of_a_match_that_runs_later(launch: Launch, tmp_path: Path) -> None:
    if not any(compared(launch, tmp_path / str(delay), delay) for delay in DELAYS):
        pytest.fail("asking takes longer than a minute")

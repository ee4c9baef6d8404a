"""`--delay`: with the token for watching, nothing is seen of a match before it is as old as the delay, on any path."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import abathur
import aiohttp
import grpc
import pytest
from abathur import actions, drawing
from abathur.errors import StoppingError
from abathur.sync.v1 import sync_pb2
from google.protobuf import json_format
from nats_servers import RelayProcess, Server, eventually, needs_nats
from programs import (
    ACT,
    FREE_PORTS,
    SKIRMISH,
    TIMEOUT,
    WATCH,
    Daemon,
    Launch,
    crossed,
    in_thread,
    run_daemon,
    start,
    token_options,
)
from s2clientprotocol import query_pb2, sc2api_pb2

DELAY = 2.0
#: How late what is due may come: that it comes, not how fast.
LATE = 60.0
FIRST_LOOP = 9000
TICK = 1 / 22.4
SERVICE = "/abathur.sync.v1.GameSync/"
#: Coarsest times of file systems, which recordings have to be older.
COARSE = 2.0
now = time.perf_counter_ns


def observations(count: int) -> list[sc2api_pb2.ResponseObservation]:
    """Of successive game loops."""
    with abathur.open(SKIRMISH) as recording:
        taken = [frame.response for frame in itertools.islice(recording.frames(), count)]
    for number, each in enumerate(taken):
        each.observation.game_loop = FIRST_LOOP + number
    return taken


class Ladder:
    """A bot that publishes in real time, and what the token for acting shows of it."""

    def __init__(self, daemon: Daemon, recordings: Path) -> None:
        self.daemon = daemon
        self.recordings = recordings
        self._captured: dict[int, int] = {}
        self._newest = 0
        self._grown = threading.Condition()
        self._stop = threading.Event()
        self._threads = [in_thread(self._publish), in_thread(self._look)]

    def _publish(self) -> None:
        taken = observations(224)
        with abathur.publisher_blocking(self.daemon.grpc, token=ACT, map_name="Ladder LE") as bot:
            began = time.monotonic()
            for number in itertools.count():
                each = taken[number % len(taken)]
                each.observation.game_loop = FIRST_LOOP + number
                bot.publish(each)
                if self._stop.wait(max(0.0, began + (number + 1) * TICK - time.monotonic())):
                    break

    def _look(self) -> None:
        with abathur.connect_blocking(self.daemon.grpc, token=ACT) as game:
            for frame in game.frames(policy="every", start="oldest", fields=["observation.game_loop"], name="act"):
                with self._grown:
                    self._captured[frame.game_loop] = frame.timing.captured
                    self._newest = frame.game_loop
                    self._grown.notify_all()

    def newest(self) -> int:
        """The newest game loop, as it is."""
        with self._grown:
            assert self._grown.wait_for(lambda: self._newest > 0, TIMEOUT)
            return self._newest

    def age(self, game_loop: int, at: int) -> float:
        """Seconds since a frame was captured."""
        with self._grown:
            assert self._grown.wait_for(lambda: game_loop in self._captured, TIMEOUT)
            return (at - self._captured[game_loop]) / 1e9

    def check(self, game_loop: int, *, is_newest: bool = True) -> None:
        """What was seen just now is as old as the delay; if it is the newest, it is not much older."""
        age = self.age(game_loop, now())
        assert age >= DELAY
        assert not is_newest or age < DELAY + LATE

    def check_frame(self, frame: abathur.Frame, *, is_newest: bool = True) -> None:
        """The same for a frame at the time when it was received."""
        age = self.age(frame.game_loop, frame.timing.received)
        assert frame.timing.captured == self._captured[frame.game_loop]
        assert frame.timing.published - frame.timing.captured >= DELAY * 1e9
        assert age >= DELAY
        assert not is_newest or age < DELAY + LATE

    def until_shown(self) -> None:
        """Wait until watchers see frames."""
        with abathur.connect_blocking(self.daemon.grpc, token=WATCH) as game:
            next(game.frames())

    def end(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(TIMEOUT)


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ladder]:
    """One match for all tests, which is recorded into the folder of recordings."""
    folder = tmp_path_factory.mktemp("delay")
    recordings = folder / "recordings"
    recordings.mkdir()
    sockets = ("--grpc-uds", str(folder / "g.sock"), "--socket-uds", str(folder / "s.sock"))
    record = ("--recordings", str(recordings), "-o", str(recordings / "own.mcap"))
    daemon = start("serve", "--once", *FREE_PORTS, *sockets, *token_options(folder), *record, "--delay", "2s")
    ladder = Ladder(daemon, recordings)
    try:
        ladder.until_shown()
        yield ladder
    finally:
        ladder.end()
        daemon.close()


def get(daemon: Daemon, path: str, token: str = WATCH, method: str = "GET") -> tuple[int, str]:
    """Status and body."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    request = urllib.request.Request(daemon.addresses["http"] + path, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


@contextlib.contextmanager
def channel(daemon: Daemon) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(daemon.grpc.removeprefix("grpc://")) as opened:
        yield opened


def call(daemon: Daemon, name: str, request: Any, answer: Any, token: str = WATCH) -> Any:
    with channel(daemon) as opened:
        data = opened.unary_unary(SERVICE + name)(
            request.SerializeToString(), metadata=[("authorization", f"Bearer {token}")], timeout=TIMEOUT
        )
    return answer.FromString(data)


# Frames.


@crossed(encoding=["proto", "json", "columns"], compression=["none", "gzip", "br", "zstd", "zstd_stream", "br_stream"])
def test_frames_of_subscribe(ladder: Ladder, encoding: str, compression: str) -> None:
    request = sync_pb2.SubscribeRequest(
        policy=sync_pb2.every,
        encoding=sync_pb2.Encoding.Value(encoding),
        compression=sync_pb2.Compression.Value(compression),
        max_frames=5,
    )
    with channel(ladder.daemon) as opened:
        stream = opened.unary_stream(SERVICE + "Subscribe")(
            request.SerializeToString(), metadata=[("authorization", f"Bearer {WATCH}")], timeout=TIMEOUT
        )
        frames = [(sync_pb2.Frame.FromString(data), now()) for data in stream]
    assert len(frames) == 5
    for frame, at in frames:
        assert ladder.age(frame.game_loop, at) >= DELAY
        assert frame.published_monotonic_ns - frame.captured_monotonic_ns >= DELAY * 1e9
        assert not frame.encoded_monotonic_ns or frame.encoded_monotonic_ns >= frame.published_monotonic_ns
        assert frame.game_loop == FIRST_LOOP + frame.sequence - 1


@crossed(transport=["grpc", "socket", "grpc+unix", "socket+unix"], policy=["latest", "every"])
async def test_frames_of_each_transport(ladder: Ladder, transport: str, policy: Any) -> None:
    async with abathur.connect(ladder.daemon.addresses[transport], token=WATCH) as game:
        async for frame in game.frames(policy=policy, encoding="columns", compression="zstd-stream", max_frames=20):
            ladder.check_frame(frame)
    async with abathur.connect(ladder.daemon.addresses[transport], token=WATCH) as game:
        async for frame in game.frames(policy=policy, encoding="json", credits=1, max_frames=20):
            ladder.check_frame(frame)


async def test_a_frame_is_the_one_that_was_published(ladder: Ladder) -> None:
    async def first(token: str, start: Any) -> abathur.Frame:
        async with abathur.connect(ladder.daemon.grpc, token=token) as game:
            (frame,) = [frame async for frame in game.frames(start=start, max_frames=1)]
            return frame

    shown = await first(WATCH, "live")
    published = await first(ACT, shown.game_loop)
    assert (shown.sequence, shown.timing.captured) == (published.sequence, published.timing.captured)
    for frame in (shown, published):
        frame.response.observation.raw_data.units.sort(key=lambda unit: unit.tag)
    assert shown.response == published.response


async def test_what_happened_in_skipped_frames_is_of_then(ladder: Ladder) -> None:
    async with abathur.connect(ladder.daemon.grpc, token=WATCH) as game:
        async for frame in game.frames(policy="every", every=10, max_frames=5):
            ladder.check_frame(frame)


async def test_the_history_ends_with_what_is_shown(ladder: Ladder) -> None:
    async with abathur.connect(ladder.daemon.grpc, token=WATCH) as game:
        kept = (await game.status()).history
        count = kept.last_game_loop - kept.first_game_loop + 30
        loops = []
        async for frame in game.frames(policy="every", start="oldest", max_frames=count):
            ladder.check_frame(frame, is_newest=False)
            loops.append(frame.game_loop)
    # Of the part that it had to wait for, each one came when it was shown.
    assert loops == list(range(FIRST_LOOP, FIRST_LOOP + count))


@pytest.mark.parametrize("transport", ["grpc", "socket"])
async def test_a_newer_start_is_refused_without_telling(ladder: Ladder, transport: str) -> None:
    async with abathur.connect(ladder.daemon.addresses[transport], token=WATCH) as game:
        with pytest.raises(abathur.RequestError, match="OUT_OF_RANGE") as refused:
            await anext(game.frames(start=ladder.newest()))
        told = re.search(r"keeps game loops (\d+) to (\d+)", str(refused.value))
        assert told is not None
        ladder.check(int(told[2]))
        frame = await game.frame_at(int(told[2]))
        assert frame.game_loop == int(told[2])
        ladder.check_frame(frame)


def test_the_newest_frame_is_the_newest_shown(ladder: Ladder) -> None:
    request = sync_pb2.SubscribeRequest(newest=True, max_frames=1)
    with channel(ladder.daemon) as opened:
        stream = opened.unary_stream(SERVICE + "Subscribe")(
            request.SerializeToString(), metadata=[("authorization", f"Bearer {WATCH}")], timeout=TIMEOUT
        )
        frame = sync_pb2.Frame.FromString(next(stream))
        ladder.check(frame.game_loop)


@contextlib.asynccontextmanager
async def websocket(daemon: Daemon, path: str = "/v1/sync", **subscribe: Any) -> AsyncIterator[Any]:
    """A connection that has subscribed with a text message."""
    address = daemon.addresses["http"] + path
    headers = {"Authorization": f"Bearer {WATCH}"} if path != "/v1/sync" else {}
    async with aiohttp.ClientSession() as session, session.ws_connect(address, max_msg_size=0, headers=headers) as ws:
        await ws.send_str(json.dumps({"subscribe": subscribe, "token": WATCH}))
        yield ws


async def receive(ws: Any) -> sync_pb2.ServerMessage:
    return json_format.Parse(await ws.receive_str(timeout=TIMEOUT), sync_pb2.ServerMessage())


async def result(ws: Any, request: str) -> sync_pb2.Result:
    """The answer to a request; frames are skipped."""
    await ws.send_str(json.dumps({"id": 1, request: {}}))
    while True:
        message = await receive(ws)
        if message.HasField("result"):
            return message.result


async def test_frames_of_websocket(ladder: Ladder) -> None:
    async with websocket(ladder.daemon, policy="every", maxFrames=20, fieldMask="observation.gameLoop") as ws:
        assert (await receive(ws)).match.map_name == "Ladder LE"
        for _ in range(20):
            frame = (await receive(ws)).frame
            ladder.check(frame.game_loop)
            assert frame.observation.observation.game_loop == frame.game_loop


# Requests.


def check_timeline(ladder: Ladder, timeline: Any) -> None:
    ladder.check(timeline.game_loops[-1])
    assert timeline.game_loops[0] == FIRST_LOOP


def check_status(ladder: Ladder, status: sync_pb2.Status) -> None:
    """All that it tells, field by field: a field that is added needs a decision."""
    assert {field.name for field, _ in status.ListFields()} <= {
        "match", "subscribers", "frames_published", "bytes_published", "bytes_sent", "frames_per_second", "process",
        "history", "delay",
    }  # fmt: skip
    assert status.delay.ToTimedelta().total_seconds() == DELAY
    ladder.check(FIRST_LOOP + status.frames_published - 1)
    ladder.check(status.history.last_game_loop)
    assert status.history.frames <= status.frames_published
    assert {field.name for field, _ in status.process.ListFields()} == {"version", "uptime"}
    assert status.match.map_name == "Ladder LE"
    # Those of the match as it is are not shown: the test reads it with the token for acting.
    assert all(each.name != "act" for each in status.subscribers)


def test_timeline_and_status_of_grpc(ladder: Ladder) -> None:
    for _ in range(10):
        timeline = call(ladder.daemon, "GetTimeline", sync_pb2.GetTimelineRequest(), sync_pb2.Timeline)
        check_timeline(ladder, timeline)
        check_status(ladder, call(ladder.daemon, "GetStatus", sync_pb2.GetStatusRequest(), sync_pb2.Status))


def test_timeline_and_status_of_http(ladder: Ladder) -> None:
    for _ in range(10):
        check_timeline(ladder, json_format.Parse(get(ladder.daemon, "/v1/timeline")[1], sync_pb2.Timeline()))
        check_status(ladder, json_format.Parse(get(ladder.daemon, "/v1/status")[1], sync_pb2.Status()))


async def test_timeline_and_status_of_a_session(ladder: Ladder) -> None:
    async with websocket(ladder.daemon, fieldMask="observation.gameLoop") as ws:
        check_timeline(ladder, (await result(ws, "timeline")).timeline)
        check_status(ladder, (await result(ws, "status")).status)
    async with abathur.connect(ladder.daemon.socket, token=WATCH) as game:
        async for _ in game.frames():
            check_status(ladder, await game.status())
            check_timeline(ladder, await game.timeline())
            break


async def test_plots_are_seen_later(ladder: Ladder) -> None:
    async with (
        abathur.connect(ladder.daemon.grpc, token=ACT) as bot,
        abathur.connect(ladder.daemon.grpc, token=WATCH) as watcher,
        websocket(ladder.daemon, fieldMask="observation.gameLoop") as ws,
    ):
        plotted: dict[float, int] = {}
        loops_of: dict[int, float] = {}
        for value in (1.0, 2.0):
            plotted[value] = now()
            loops_of[(await bot.plot("threat", value, agent="Bot")).game_loop] = value
        ways = {
            "grpc": lambda: watcher.plots(),
            "http": lambda: asyncio.to_thread(get, ladder.daemon, "/v1/plots"),
            "session": lambda: result(ws, "plots"),
        }
        shown: dict[str, dict[int, float]] = {}
        while len(shown) < len(ways) or any(points != loops_of for points in shown.values()):
            for name, way in ways.items():
                answer = await way()
                at = now()
                if name == "grpc":
                    found = answer
                elif name == "http":
                    found = json_format.Parse(answer[1], sync_pb2.Plots()).series
                else:
                    found = answer.plots.series
                pairs = [pair for each in found for pair in zip(each.game_loops, each.values, strict=True)]
                points = {int(loop): float(value) for loop, value in pairs}
                for loop, value in points.items():
                    assert ladder.age(loop, at) >= DELAY
                    # Not only the frame, also the value.
                    assert (at - plotted[value]) / 1e9 >= DELAY
                if points:
                    shown[name] = points


def test_who_acts_sees_watchers_and_the_match_as_it_is(ladder: Ladder) -> None:
    with abathur.connect_blocking(ladder.daemon.grpc, token=WATCH) as watcher:
        frames = watcher.frames(name="viewer", policy="every")
        next(frames)
        shown = call(ladder.daemon, "GetStatus", sync_pb2.GetStatusRequest(), sync_pb2.Status)
        status = call(ladder.daemon, "GetStatus", sync_pb2.GetStatusRequest(), sync_pb2.Status, ACT)
        assert not status.HasField("delay")
        frames.close()
    assert status.frames_published > shown.frames_published
    watching = [each.name for each in shown.subscribers]
    assert "viewer" in watching and "act" not in watching
    assert status.HasField("recording") and status.process.working_set_bytes > 0
    assert "viewer" in [each.name for each in status.subscribers]
    assert len({each.id for each in status.subscribers}) == len(status.subscribers) >= 2
    # What watchers are told of ids does not count those who act.
    shown = [each.id for each in status.subscribers if each.name == "viewer"]
    assert shown and all(number % 2 == 1 for number in shown)
    assert "abathur_subscriptions" in get(ladder.daemon, "/metrics", ACT)[1]


def test_metrics_are_refused(ladder: Ladder) -> None:
    status, text = get(ladder.daemon, "/metrics")
    assert status == 403
    assert text == "metrics count the match as it is now: with --delay, they need the token for acting\n"


async def test_sizes_are_those_of_the_shown_frame(ladder: Ladder) -> None:
    async def compared() -> Any:
        status, text = await asyncio.to_thread(get, ladder.daemon, "/v1/compare")
        return json.loads(text) if status == 200 else None

    sizes = await eventually(compared)
    ladder.check(sizes["gameLoop"])
    assert FIRST_LOOP + sizes["sequence"] - 1 == sizes["gameLoop"]
    status, _ = get(ladder.daemon, "/v1/compare?run=" + "0" * 32)
    assert status == 404


async def test_drawings_are_seen_later(ladder: Ladder) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", ladder.daemon.socket_port, limit=2**24)
    request = {"policy": "latest", "drawings": True, "fieldMask": "observation.gameLoop"}
    writer.write(json.dumps({"subscribe": request, "token": WATCH}).encode() + b"\n")
    drawn: dict[str, int] = {}
    seen: list[str] = []
    newest = 0
    try:
        async with abathur.connect(ladder.daemon.grpc, token=ACT) as game:
            while len(seen) < 5:
                message = json.loads(await asyncio.wait_for(reader.readline(), TIMEOUT))
                at = now()
                for layer in message.get("drawings", {}).get("layers", []):
                    text = layer["shapes"][0]["shape"]["text"]["text"]
                    assert (at - drawn[text]) / 1e9 >= DELAY
                    if text not in seen:
                        seen.append(text)
                if "drawings" in message and "gameLoop" in message["drawings"]:
                    assert ladder.age(message["drawings"]["gameLoop"], at) >= DELAY
                if "frame" in message:
                    newest = message["frame"]["gameLoop"]
                # More than a frame apart: each state is one of a frame.
                if newest and newest % 10 == 0 and len(drawn) < 5 and str(newest) not in drawn:
                    drawn[str(newest)] = now()
                    await game.draw([drawing.text((1, 1), str(newest))], layer="plan")
            await game.draw([], layer="plan")
    finally:
        writer.transport.abort()
    # Each state was shown, in their order.
    assert seen == list(drawn)


async def test_nothing_else_is_allowed(ladder: Ladder) -> None:
    loop = ladder.newest()
    async with abathur.connect(ladder.daemon.grpc, token=WATCH) as game:
        requests = [
            game.act([actions.chat("hi")]),
            game.draw([drawing.point((1, 1))]),
            game.query(query_pb2.RequestQuery()),
            game.playback.pause(),
            anext(game.frames(policy="lockstep")),
        ]
        for request in requests:
            with pytest.raises(abathur.RequestError, match="PERMISSION_DENIED: this token is for watching") as refused:
                await request
            assert str(loop)[:3] not in str(refused.value)
        with pytest.raises(abathur.RequestError, match="PERMISSION_DENIED"):
            async with abathur.publisher(ladder.daemon.grpc, token=WATCH) as bot:
                await bot.publish(sc2api_pb2.ResponseObservation())
    assert get(ladder.daemon, "/v1/recordings/new.mcap", method="PUT") == (403, "this token is for watching\n")


# Recordings.


def names(ladder: Ladder, token: str) -> set[str]:
    return {each["name"] for each in json.loads(get(ladder.daemon, "/v1/recordings", token)[1])["recordings"]}


async def refusal(ladder: Ladder, name: str) -> tuple[int, str]:
    """How the playback of a recording is refused: by the handshake, and for a page by an ordinary request."""
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        async with websocket(ladder.daemon, f"/v1/recordings/{name}/sync"):
            pass
    status, text = get(ladder.daemon, f"/v1/recordings/{name}/sync")
    assert refused.value.status == status
    return status, text


async def test_the_recording_that_is_written_cannot_be_opened(ladder: Ladder) -> None:
    assert (ladder.recordings / "own.mcap.part").exists()
    assert not any(name.startswith("own") for name in names(ladder, WATCH))
    assert (await refusal(ladder, "own.mcap"))[0] == 404
    assert (await refusal(ladder, "own.mcap.part"))[0] == 400


async def test_a_recording_that_another_program_writes_cannot_be_opened(ladder: Ladder) -> None:
    file = ladder.recordings / "growing.mcap"
    content = SKIRMISH.read_bytes()
    with file.open("wb", buffering=0) as writer:
        writer.write(content[: len(content) // 2])
        # As old as if it had been written long ago: then the next chunk comes.
        os.utime(file, (0, 0))
        assert file.name in names(ladder, WATCH)
        writer.write(content[len(content) // 2 :])
        assert file.name not in names(ladder, WATCH)
        assert file.name in names(ladder, ACT)
        status, text = await refusal(ladder, file.name)
    # As for one that does not exist: the recording of the match gets its name when the match ends.
    assert (status, text) == await refusal(ladder, "nothing.mcap")
    assert status == 404
    assert text == (
        "there is no such recording that was last written to 4 s ago or earlier: "
        "with this token a match is seen 2 s later\n"
    )
    seen = time.time() - DELAY - COARSE
    os.utime(file, (seen + 30, seen + 30))
    assert file.name not in names(ladder, WATCH)
    os.utime(file, (seen, seen))
    assert file.name in names(ladder, WATCH)
    file.unlink()


async def test_an_old_recording_is_played_and_does_not_tell_of_the_daemon(ladder: Ladder) -> None:
    file = ladder.recordings / "old.mcap"
    shutil.copy(SKIRMISH, file)
    os.utime(file, (0, 0))
    async with websocket(
        ladder.daemon, "/v1/recordings/old.mcap/sync", policy="every", fieldMask="observation.gameLoop"
    ) as ws:
        assert (await receive(ws)).match.simulated
        assert (await receive(ws)).frame.game_loop == 8960
        status = (await result(ws, "status")).status
    assert status.playback.sequence >= 1
    assert {field.name for field, _ in status.process.ListFields()} == {"version", "uptime"}
    file.unlink()


# The start and the end.


def health(daemon: Daemon) -> bytes:
    with channel(daemon) as opened:
        answer: bytes = opened.unary_unary("/grpc.health.v1.Health/Check")(b"", timeout=TIMEOUT)
    return answer


async def test_the_start_and_the_end_are_seen_later(launch: Launch, tmp_path: Path) -> None:
    record = ("--recordings", str(tmp_path), "-o", str(tmp_path / "own.mcap"))
    daemon = launch("serve", "--once", *FREE_PORTS, *token_options(tmp_path), *record, "--delay", "2")

    async def watch() -> tuple[list[abathur.Frame], int]:
        async with abathur.connect(daemon.grpc, token=WATCH) as game:
            frames = [frame async for frame in game.frames(policy="every")]
        return frames, now()

    def no_match() -> None:
        with pytest.raises(grpc.RpcError) as refused:
            call(daemon, "GetMatch", sync_pb2.GetMatchRequest(), sync_pb2.Match)
        assert refused.value.details() == "there is no match yet"
        assert not json_format.Parse(get(daemon, "/v1/status")[1], sync_pb2.Status()).HasField("match")

    watching = asyncio.create_task(watch())
    async with abathur.connect(daemon.grpc, token=WATCH) as game, abathur.connect(daemon.grpc, token=ACT) as player:
        waiting = asyncio.create_task(game.match())
        began = now()
        async with abathur.publisher(daemon.grpc, token=ACT, map_name="Short LE") as bot:
            for each in observations(10):
                await bot.publish(each)
            ending = now()
        live = [frame async for frame in player.frames(policy="every", start="oldest")]
        assert [frame.game_loop for frame in live] == list(range(FIRST_LOOP, FIRST_LOOP + 10))
        # The match is over for those who act. Nothing that others can ask says so.
        facts = (get(daemon, "/readyz"), health(daemon), get(daemon, "/v1/recordings"))
        if (now() - began) / 1e9 < DELAY:
            no_match()
            assert not waiting.done() and not watching.done()
            assert facts[0] == (200, "ready\n")
            assert facts[1] == b"\x08\x01"
            assert json.loads(facts[2][1]) == {"recordings": []}
        match = await waiting
        assert match is not None and match.map_name == "Short LE"
        assert (now() - began) / 1e9 >= DELAY
        # The recording was complete before.
        assert (tmp_path / "own.mcap").exists()
        frames, ended = await watching
    assert [frame.game_loop for frame in frames] == list(range(FIRST_LOOP, FIRST_LOOP + 10))
    for frame, other in zip(frames, live, strict=True):
        assert frame.timing.captured == other.timing.captured
        assert frame.timing.received - frame.timing.captured >= DELAY * 1e9
    assert DELAY <= (ended - ending) / 1e9 < DELAY + LATE
    assert await asyncio.to_thread(daemon.wait) == 0
    with abathur.open(tmp_path / "own.mcap") as recording:
        assert len(list(recording.frames())) == 10


async def test_a_stop_request_does_not_wait(launch: Launch, tmp_path: Path) -> None:
    daemon = launch("serve", "--once", *FREE_PORTS, *token_options(tmp_path), "--delay", "1h")

    async def watch() -> list[int]:
        seen = []
        async with abathur.connect(daemon.grpc, token=WATCH, reconnect_timeout=0) as game:
            with contextlib.suppress(StoppingError):
                async for frame in game.frames(policy="every"):
                    seen.append(frame.game_loop)
        return seen

    watching = asyncio.create_task(watch())
    async with abathur.publisher(daemon.grpc, token=ACT) as bot:
        for each in observations(3):
            await bot.publish(each)
    assert await asyncio.to_thread(daemon.stop) == 0
    assert await watching == []


# The command line.


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("--delay 0.05s TOKEN WATCH", "--delay must be a time of 0.1s to 1h, such as 90s, 1.5m or 90 (seconds)."),
        ("--delay 61m TOKEN WATCH", "--delay must be a time of 0.1s to 1h"),
        ("--delay soon TOKEN WATCH", "--delay must be a time of 0.1s to 1h"),
        ("--delay 60s", "--delay: a delay is for clients with the token for watching, so it needs two different"),
        ("--delay 60s TOKEN", "so it needs two different tokens: --watch-token-file (or ABATHUR_WATCH_TOKEN)"),
        ("--delay 60s WATCH", "and --token-file (or ABATHUR_TOKEN) for those who see the match at once and act."),
        ("--delay 60s TOKEN SAME", "so it needs two different tokens"),
        ("--delay 60s TOKEN WATCH --history-mb 0", "--delay needs --history-mb of 1 or more"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, line: str, problem: str) -> None:
    options = token_options(tmp_path)
    files = {"TOKEN": options[:2], "WATCH": options[2:]}
    files["SAME"] = ("--watch-token-file", files["TOKEN"][1])
    arguments = [word for each in line.split() for word in files.get(each, (each,))]
    done = run_daemon("serve", *FREE_PORTS, *arguments)
    assert done.returncode == 2
    assert problem in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_playback_has_no_delay(tmp_path: Path) -> None:
    done = run_daemon("play", str(SKIRMISH), *FREE_PORTS, *token_options(tmp_path), "--delay", "60s")
    assert done.returncode == 2
    for command in ("proxy", "live", "serve"):
        assert "--delay TIME" in run_daemon(command, "--help").stdout
    assert "--delay" not in run_daemon("play", "--help").stdout


# NATS.


async def check_relayed(ladder: Ladder, address: str) -> None:
    """A reader of the match on NATS sees it as a watcher does."""
    async with abathur.connect(address, wait=TIMEOUT) as game:
        async for frame in game.frames(policy="every", start="oldest", max_frames=60):
            ladder.check_frame(frame, is_newest=False)
        async for frame in game.frames(policy="latest", max_frames=10):
            ladder.check_frame(frame)
        check_status(ladder, await game.status())
        ladder.check((await game.timeline()).game_loops[-1])
        with pytest.raises(abathur.RequestError, match="PERMISSION_DENIED"):
            await game.draw([drawing.point((1, 1))])


@needs_nats
async def test_a_relay_with_the_token_for_watching(ladder: Ladder, server: Server) -> None:
    # Its own login is the other token: the one for relays counts.
    tokens = {"ABATHUR_TOKEN": ACT, "ABATHUR_RELAY_TOKEN": WATCH}
    with RelayProcess(server.url, "--address", ladder.daemon.grpc, "--match", "ladder", **tokens):
        await check_relayed(ladder, f"{server.url}/ladder")
        listed = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-m", "abathur", "matches", server.url, "--json"],
            capture_output=True,
            check=True,
            timeout=TIMEOUT,
        )
        (entry,) = json.loads(listed.stdout)
        ladder.check(entry["game_loop"], is_newest=False)


@needs_nats
@pytest.mark.parametrize("how", ["relay", "agent"])
async def test_a_relay_that_the_daemon_runs(
    server: Server, launch: Launch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    for name, token in (("ABATHUR_TOKEN", ACT), ("ABATHUR_WATCH_TOKEN", WATCH)):
        monkeypatch.setenv(name, token)
    address = f"{server.url}/own-{how}"
    command = address if how == "relay" else f'"{sys.executable}" -m abathur relay {address}'
    daemon = launch("serve", "--once", *FREE_PORTS, "--delay", "2s", f"--{how}", command)
    ladder = Ladder(daemon, tmp_path)
    try:
        await asyncio.to_thread(ladder.until_shown)
        await check_relayed(ladder, address)
    finally:
        ladder.end()

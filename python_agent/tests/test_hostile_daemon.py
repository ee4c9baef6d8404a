"""The client against a daemon that is silent, floods, or sends what is not the protocol."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import socket
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import abathur
import grpc
import pytest
from abathur._frame.frame import Frame
from abathur._transport import frames
from abathur._transport import messages as _messages
from abathur._transport.payloads import MAX_EARLIER, PayloadReader
from abathur._transport.reading import Reading
from abathur.sync.v1 import sync_pb2
from hostile import Script, answers, closes, hostile, json_line, request, says, silent, until_closed
from hypothesis import example, given
from hypothesis import strategies as st
from programs import FREE_PORTS, SKIRMISH, TIMEOUT, Launch
from s2clientprotocol import sc2api_pb2

LIMITS: dict[str, Any] = {"reconnect_timeout": 0, "connect_timeout": 0.2, "request_timeout": 0.2}
FRAME = {"sequence": "1", "gameLoop": 5, "observation": {"observation": {"gameLoop": 5}}}


async def first(address: str, *, subscription: dict[str, Any] | None = None, **options: Any) -> Frame | None:
    async with asyncio.timeout(TIMEOUT), abathur.connect(address, **{**LIMITS, **options}) as game:
        return await anext(game.frames(encoding="json", **(subscription or {})), None)


def first_blocking(address: str, **options: Any) -> Frame | None:
    with abathur.connect_blocking(address, **{**LIMITS, **options}) as game:
        return next(iter(game.frames(encoding="json")), None)


# --- silence


def trickles(connection: socket.socket) -> None:
    """A line that never ends."""
    request(connection)
    connection.sendall(b'{"match":')
    until_closed(connection)


@pytest.mark.parametrize("script", [silent, trickles])
async def test_a_silent_daemon_is_given_up(script: Script) -> None:
    with hostile(script) as address:
        with pytest.raises(abathur.ConnectError, match=r"did not answer within 0\.2 s \(connect_timeout\)"):
            await first(address)
        with pytest.raises(abathur.ConnectError, match="connect_timeout"):
            await asyncio.to_thread(first_blocking, address)


@pytest.mark.parametrize(
    ("script", "error"),
    [
        (silent, r"DEADLINE_EXCEEDED: the daemon did not answer within 0\.2 s \(request_timeout\)"),
        (trickles, "DEADLINE_EXCEEDED"),
        (closes, "closed"),
        (answers(b"[]\n"), "expected a JSON object"),
        (answers(b'{"frame":{"gameLoop":5}}\n'), "expected the answer to a request"),
        (answers(b'{"end":{"reason":"over"}}\n'), "the daemon ended the stream: over"),
        (answers(b'{"error":{"code":"UNAVAILABLE","message":"shutting down","fatal":true}}\n'), "shutting down"),
        (
            answers(b'{"error":{"code":"INVALID_ARGUMENT","message":"subscribe first","fatal":true}}\n'),
            "subscribe first",
        ),
    ],
    ids=["silent", "trickles", "closes", "list", "frame", "end", "stops", "refuses"],
)
async def test_a_request_without_frames_ends_well(script: Script, error: str) -> None:
    with hostile(script) as address:
        async with asyncio.timeout(TIMEOUT), abathur.connect(address, **LIMITS) as game:
            with pytest.raises(abathur.AbathurError, match=error):
                await game.status()
        with abathur.connect_blocking(address, **LIMITS) as blocking, pytest.raises(abathur.AbathurError, match=error):
            blocking.status()


class Silent(grpc.GenericRpcHandler):
    """A gRPC server that takes every call and says nothing."""

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler:
        def wait(_: object, context: grpc.ServicerContext) -> Iterator[bytes]:
            _over(context).result()
            yield from ()

        def wait_unary(call: object, context: grpc.ServicerContext) -> bytes:
            list(wait(call, context))
            return b""

        if details.method.endswith("/Subscribe"):
            return grpc.unary_stream_rpc_method_handler(wait)
        if details.method.endswith("/Session"):
            return grpc.stream_stream_rpc_method_handler(wait)
        return grpc.unary_unary_rpc_method_handler(wait_unary)


def _over(context: grpc.ServicerContext) -> Future[None]:
    over: Future[None] = Future()
    if not context.add_callback(lambda: over.set_result(None)):
        over.set_result(None)
    return over


@contextlib.contextmanager
def grpc_server(handler: grpc.GenericRpcHandler) -> Iterator[str]:
    with ThreadPoolExecutor(8) as pool:
        server = grpc.server(pool, handlers=[handler])
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            yield f"grpc://127.0.0.1:{port}"
        finally:
            server.stop(0).wait()


async def test_a_silent_grpc_server_is_given_up() -> None:
    with grpc_server(Silent()) as address:
        for form in ({}, {"credits": 1}):
            async with asyncio.timeout(TIMEOUT), abathur.connect(address, **LIMITS) as game:
                with pytest.raises(abathur.ConnectError, match="connect_timeout"):
                    await anext(game.frames(**form))  # type: ignore[arg-type]
                for call in (game.status, game.match, game.playback.pause):
                    with pytest.raises(abathur.RequestError, match="request_timeout") as error:
                        await call()
                    assert error.value.code == "DEADLINE_EXCEEDED"
                with pytest.raises(abathur.RequestError, match="request_timeout"):
                    await game.act([])
            await asyncio.to_thread(grpc_blocking, address, form)


def grpc_blocking(address: str, form: dict[str, int]) -> None:
    with abathur.connect_blocking(address, **LIMITS) as game:
        with pytest.raises(abathur.ConnectError, match="connect_timeout"):
            next(iter(game.frames(**form)))  # type: ignore[arg-type]
        for call in (game.status, game.match, game.playback.pause):
            with pytest.raises(abathur.RequestError, match="request_timeout"):
                call()


# --- one match


class OneMatch(grpc.GenericRpcHandler):
    """A gRPC server that knows only one match: it has no other call, and does not say when the match began."""

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler | None:
        def session(messages: Iterator[bytes], _: grpc.ServicerContext) -> Iterator[bytes]:
            next(messages)
            yield sync_pb2.ServerMessage(match=sync_pb2.Match(run_id="1")).SerializeToString()
            yield sync_pb2.ServerMessage(frame=sync_pb2.Frame(sequence=1)).SerializeToString()

        return grpc.stream_stream_rpc_method_handler(session) if details.method.endswith("/Session") else None


@contextlib.contextmanager
def one_match_socket() -> Iterator[str]:
    """The same on the socket."""
    refusal = json_line(error={"id": "1", "code": "INVALID_ARGUMENT", "message": "expected one of ack, act, timeline"})

    def script(connection: socket.socket) -> None:
        is_subscription = b"subscribe" in request(connection)
        connection.sendall(json_line(match={"runId": "1"}) + json_line(frame=FRAME) if is_subscription else refusal)
        until_closed(connection)

    with hostile(script) as address:
        yield address


@pytest.mark.parametrize("daemon", [lambda: grpc_server(OneMatch()), one_match_socket], ids=["grpc", "socket"])
async def test_a_daemon_that_knows_one_match_is_said_to_be_too_old(
    daemon: Callable[[], contextlib.AbstractContextManager[str]],
) -> None:
    with daemon() as address:
        for subscription in ({"follow": True}, {"run_id": "1"}):
            with pytest.raises(abathur.RequestError, match="UNIMPLEMENTED: the daemon is too old"):
                await first(address, subscription=subscription)
        async with abathur.connect(address, **LIMITS) as game:
            with pytest.raises(abathur.RequestError, match="UNIMPLEMENTED: the daemon is too old"):
                await game.matches()


async def test_requests_on_the_socket_have_a_timeout() -> None:
    script = says(json_line(frame=FRAME))
    with hostile(script) as address:
        async with asyncio.timeout(TIMEOUT), abathur.connect(address, **LIMITS) as game:
            frames = game.frames(encoding="json")
            await anext(frames)
            for call in (game.status(), game.act([]), game.playback.pause(), game.draw([])):
                with pytest.raises(abathur.RequestError, match=r"within 0\.2 s \(request_timeout\)"):
                    await call
            await frames.aclose()

        def blocking() -> None:
            with abathur.connect_blocking(address, **LIMITS) as game:
                frames = game.frames(encoding="json")
                next(frames)
                for call in (game.status, game.playback.pause):
                    with pytest.raises(abathur.RequestError, match="request_timeout"):
                        call()
                frames.close()  # type: ignore[attr-defined]

        await asyncio.to_thread(blocking)


async def test_a_daemon_that_waits_for_its_match_is_not_silent(launch: Launch) -> None:
    """The limits pass several times meanwhile: each needs an answer of the daemon, which it gives."""
    daemon = launch("serve", "--once", *FREE_PORTS)
    with abathur.open(SKIRMISH) as match:
        observation = next(match.frames()).response
    limits = {"reconnect_timeout": 0, "connect_timeout": 2, "request_timeout": 2}
    async with asyncio.timeout(TIMEOUT):
        waiting = [
            asyncio.create_task(_first_frame(address, limits, form))
            for address in (daemon.grpc, daemon.socket)
            for form in ({}, {"credits": 1})
        ]
        async with abathur.connect(daemon.grpc, **limits) as game:
            asked = asyncio.create_task(game.match())
            done, _ = await asyncio.wait([*waiting, asked], timeout=5)
            assert not done
            async with abathur.publisher(daemon.grpc, map_name="late") as publisher:
                await publisher.publish(observation)
                assert [await each for each in waiting] == [observation.observation.game_loop] * len(waiting)
                match_there = await asked
                assert match_there is not None and match_there.map_name == "late"


async def _first_frame(address: str, limits: dict[str, Any], form: dict[str, int]) -> int:
    async with abathur.connect(address, **limits) as game:
        frame = await anext(game.frames(**form))  # type: ignore[arg-type]
        return frame.game_loop


def test_timeouts_must_be_positive() -> None:
    for option in ("connect_timeout", "request_timeout"):
        for value in (0, -1, math.nan):
            with pytest.raises(ValueError, match=option):
                abathur.connect("127.0.0.1:1", **{option: value})


# --- floods


def flooding(*messages: bytes) -> Script:
    """The match, and then these again and again, as fast as they go."""

    def flood(connection: socket.socket) -> None:
        chunk = b"".join(messages) * (1 + 100_000 // len(b"".join(messages)))
        while True:
            connection.sendall(chunk)

    return says(then=flood)


def stream_of(game: abathur.Game | abathur.BlockingGame) -> Any:
    """The one connection of a client by the socket."""
    connection: Any = game._connection
    (stream,) = connection._streams
    return stream


async def test_a_flood_of_frames_leaves_a_slow_latest_reader_one() -> None:
    with hostile(flooding(json_line(frame=FRAME))) as address:
        async with asyncio.timeout(TIMEOUT), abathur.connect(address, **LIMITS) as game:
            frames = game.frames(policy="latest", encoding="json")
            await anext(frames)
            # The reader is slow: what comes meanwhile is received by the event loop, and read for the answer.
            with pytest.raises(abathur.RequestError, match="request_timeout"):
                await game.status()
            stream = stream_of(game)
            assert len(stream._session.waiting) <= 1 and len(stream._receiver.buffer) <= 4 << 20
            await frames.aclose()

        def blocking() -> None:
            with abathur.connect_blocking(address, **LIMITS) as game:
                frames = game.frames(policy="latest", encoding="json")
                next(frames)
                with pytest.raises(abathur.RequestError, match="request_timeout"):
                    game.status()
                stream = stream_of(game)
                assert len(stream._session.waiting) <= 1 and len(stream._receiver.buffer) <= 4 << 20
                frames.close()  # type: ignore[attr-defined]

        await asyncio.to_thread(blocking)


async def test_answers_that_nobody_asked_for_are_not_kept() -> None:
    answers = [json_line(result={"id": str(number), "status": {}}) for number in range(2, 5000)]
    answers += [json_line(error={"id": str(number), "message": "x"}) for number in range(5000, 9000)]
    with hostile(says(json_line(frame=FRAME), *answers, json_line(frame={**FRAME, "sequence": "2"}))) as address:
        async with asyncio.timeout(TIMEOUT), abathur.connect(address, **LIMITS) as game:
            frames = game.frames(policy="every", encoding="json")
            assert [(await anext(frames)).sequence for _ in range(2)] == [1, 2]
            stream = stream_of(game)
            assert not stream._session._answers
            await frames.aclose()


# --- payloads of dropped frames


def zstd_frame(earlier: list[int], own: int) -> sync_pb2.Frame:
    """A keyframe behind payloads of these sizes, all zeros, which compress to nearly nothing."""
    import zstandard

    stream = zstandard.ZstdCompressor(level=1).compressobj()
    flush = zstandard.COMPRESSOBJ_FLUSH_BLOCK
    parts = [stream.compress(bytes(size)) + stream.flush(flush) for size in [*earlier, own]]
    return sync_pb2.Frame(
        sequence=1,
        keyframe=True,
        compression=sync_pb2.zstd_stream,
        encoding=sync_pb2.proto,
        earlier=parts[:-1],
        data=parts[-1],
        plain_bytes=own,
    )


def test_more_earlier_payloads_than_the_protocol_has_are_refused() -> None:
    assert PayloadReader().read(zstd_frame([1] * MAX_EARLIER, 2)) == bytes(2)
    for message in (
        zstd_frame([1] * (MAX_EARLIER + 1), 2),
        sync_pb2.Frame(encoding=sync_pb2.columns, earlier=[b""] * (MAX_EARLIER + 1), data=b""),
        sync_pb2.Frame(compression=sync_pb2.gzip, earlier=[b""] * (MAX_EARLIER + 1), data=b""),
    ):
        with pytest.raises(abathur.ProtocolError, match="payloads of 32 earlier frames; at most 31"):
            PayloadReader().read(message)


def test_earlier_payloads_are_bounded_together_and_held_one_at_a_time() -> None:
    megabytes = 1 << 20
    bomb = zstd_frame([30 * megabytes] * 30, 1)
    assert bomb.ByteSize() < 200_000
    with pytest.raises(abathur.DecompressionError, match="has more than"):
        PayloadReader().read(bomb)
    message = zstd_frame([10 * megabytes] * 6, 1)
    tracemalloc.start()
    payloads = [len(payload) for payload in PayloadReader().read_all(message)]
    assert PayloadReader().read(message) == bytes(1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert payloads == [10 * megabytes] * 6 + [1]
    assert peak < 35 * megabytes
    # A limit that is smaller than what 31 honest payloads have together is a limit for each of them.
    assert PayloadReader(megabytes).read(zstd_frame([megabytes] * 31, 5)) == bytes(5)


def test_a_plain_frame_does_not_keep_earlier_payloads() -> None:
    message = sync_pb2.Frame(sequence=1, earlier=[bytes(1 << 20)] * 30, observation=sc2api_pb2.ResponseObservation())
    frame = frames.from_message(message, received=0, size=0)
    assert frame.response.ByteSize() == 0 and message.ByteSize() < 100


# --- fields


NUMBERS: list[Any] = [-1, 2**64, 2**70, 10**400, 1.5, 1e300, True, None, "x", "-1", "1" * 400, " 1", "1e3", [], {}]


@pytest.mark.parametrize(
    "field",
    ["sequence", "gameLoop", "dropped", "publishedMonotonicNs", "capturedMonotonicNs", "encodedMonotonicNs"],
)
@pytest.mark.parametrize("value", NUMBERS, ids=lambda value: str(value)[:12])
async def test_a_bad_number_is_a_protocol_error(field: str, value: Any) -> None:
    line = json_line(frame={**FRAME, field: value})
    # Python's own reader of JSON refuses integers of more than 4,300 digits, orjson those beyond a float.
    with pytest.raises(abathur.ProtocolError, match=f"{field}|line of JSON"):
        _messages.event_from_line(line, 0, Reading())


@pytest.mark.parametrize("value", [-1, 2**64, "x"])
async def test_a_bad_sequence_on_the_wire_is_a_protocol_error(value: object) -> None:
    with hostile(says(json_line(frame={**FRAME, "sequence": value}))) as address:
        # Together: each asks first who listens there, and waits for an answer.
        both = (first(address), asyncio.to_thread(first_blocking, address))
        errors = await asyncio.gather(*both, return_exceptions=True)
    for error in errors:
        assert isinstance(error, abathur.ProtocolError) and "sequence of a frame" in str(error)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.sampled_from(["1", "-1", "UNAVAILABLE", "NaN"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
frame_fields = st.dictionaries(
    st.sampled_from(
        ["sequence", "gameLoop", "dropped", "droppedFirstGameLoop", "matchId", "observation", "publishedMonotonicNs"]
    ),
    json_values,
)
observations = st.fixed_dictionaries(
    {"observation": st.fixed_dictionaries({"rawData": st.fixed_dictionaries({"units": json_values})})}
)
json_messages = st.one_of(
    st.fixed_dictionaries({"frame": frame_fields | json_values}),
    st.fixed_dictionaries({"frame": st.fixed_dictionaries({"observation": observations | json_values})}),
    st.fixed_dictionaries(
        {"error": st.dictionaries(st.sampled_from(["id", "code", "message", "fatal"]), json_values) | json_values}
    ),
    st.fixed_dictionaries({"end": json_values | st.fixed_dictionaries({"reason": json_values})}),
    st.fixed_dictionaries(
        {"result": json_values | st.dictionaries(st.sampled_from(["id", "act", "status"]), json_values)}
    ),
    st.fixed_dictionaries({"match": json_values}),
    json_values,
)


def look_at(event: object) -> None:
    """Ask an event for everything that an agent may ask."""
    if not isinstance(event, Frame):
        return
    for name in ("response", "json", "rest", "observation", "latency", "timing"):
        with contextlib.suppress(abathur.AbathurError):
            getattr(event, name)
    with contextlib.suppress(abathur.AbathurError):
        units = event.units
        for column in ("tag", "pos", "alliance", "orders", "buffs", "is_flying"):
            getattr(units, column)
    with contextlib.suppress(abathur.AbathurError):
        _ = event.grids.visibility, event.grids.creep
    sync_pb2.Ack(sequence=event.sequence)


@given(message=json_messages)
@example(message={"frame": {"observation": []}})
@example(message={"frame": {"observation": {"observation": {"rawData": {"units": [{"tag": "x"}]}}}}})
@example(message={"error": {"code": 5, "fatal": True}})
@example(message={"end": None})
def test_any_json_is_an_event_or_an_error_of_the_package(message: Any) -> None:
    line = json.dumps(message).encode() + b"\n"
    for read in (lambda: _messages.event_from_line(line, 0, Reading()), lambda: _messages.match_from_line(line)):
        with contextlib.suppress(abathur.AbathurError):
            look_at(read())


@given(line=st.binary(max_size=200))
@example(line=b"[" * 100_000)
@example(line=b'{"frame":' + b'{"a":' * 5000 + b"1" + b"}" * 5001)
def test_any_line_is_an_event_or_an_error_of_the_package(line: bytes) -> None:
    for read in (lambda: _messages.event_from_line(line, 0, Reading()), lambda: _messages.match_from_line(line)):
        with contextlib.suppress(abathur.AbathurError):
            look_at(read())


@given(
    data=st.binary(max_size=300),
    payload=st.binary(max_size=100),
    encoding=st.integers(0, 5),
    compression=st.integers(0, 8),
    keyframe=st.booleans(),
    earlier=st.lists(st.binary(max_size=20), max_size=3),
    dropped=st.integers(0, 2**64 - 1),
)
def test_any_bytes_are_an_event_or_an_error_of_the_package(
    data: bytes, payload: bytes, encoding: int, compression: int, keyframe: bool, earlier: list[bytes], dropped: int
) -> None:
    frame = sync_pb2.Frame(
        data=payload,
        encoding=encoding,
        compression=compression,
        keyframe=keyframe,
        earlier=earlier,
        dropped=dropped,  # type: ignore[arg-type]
    )
    for message in (data, sync_pb2.ServerMessage(frame=frame).SerializeToString()):
        with contextlib.suppress(abathur.AbathurError):
            look_at(_messages.event_from_bytes(message, 0, Reading(1 << 20)))


class Babbling(grpc.GenericRpcHandler):
    """A gRPC server whose messages are these bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler:
        if details.method.endswith("/Subscribe"):
            return grpc.unary_stream_rpc_method_handler(lambda call, context: iter([self.data]))
        if details.method.endswith("/Session"):
            return grpc.stream_stream_rpc_method_handler(lambda call, context: iter([self.data]))
        return grpc.unary_unary_rpc_method_handler(lambda call, context: self.data)


async def test_grpc_messages_that_do_not_parse_are_protocol_errors() -> None:
    with grpc_server(Babbling(b"\xff\xff")) as address:
        async with asyncio.timeout(TIMEOUT), abathur.connect(address, reconnect_timeout=0) as game:
            for form in ({}, {"credits": 1}):
                with pytest.raises(abathur.ProtocolError, match="not a"):
                    await anext(game.frames(**form))  # type: ignore[arg-type]
            for call in (game.status(), game.match(), game.act([])):
                with pytest.raises(abathur.ProtocolError, match="not a"):
                    await call

        def blocking() -> None:
            with abathur.connect_blocking(address, reconnect_timeout=0) as game:
                for form in ({}, {"credits": 1}):
                    with pytest.raises(abathur.ProtocolError, match="not a"):
                        next(iter(game.frames(**form)))  # type: ignore[arg-type]
                with pytest.raises(abathur.ProtocolError, match="not a"):
                    game.status()

        await asyncio.to_thread(blocking)

"""The daemon's calls with grpcio, as the public interop suite tries them: cancelled, too late, many, unread, wrong."""

import time
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Any

import grpc
import pytest
from abathur.sync.v1 import sync_pb2
from grpc import Compression, StatusCode
from grpc_host import SERVICE, Connect, Host

pytestmark = pytest.mark.usefixtures("nothing_left_over")

EVERY = sync_pb2.SubscribeRequest(policy=sync_pb2.every, buffer_frames=1024)


class Requests:
    """A request stream that is fed from outside, and ends with `close`."""

    def __init__(self, *requests: Any) -> None:
        self._queue: SimpleQueue[Any] = SimpleQueue()
        for request in requests:
            self._queue.put(request)

    def close(self) -> None:
        self._queue.put(None)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._queue.get, None)


def subscribe(channel: grpc.Channel) -> Callable[..., Any]:
    return channel.unary_stream(
        f"/{SERVICE}/Subscribe", sync_pb2.SubscribeRequest.SerializeToString, sync_pb2.Frame.FromString
    )


def session(channel: grpc.Channel) -> Callable[..., Any]:
    return channel.stream_stream(
        f"/{SERVICE}/Session", sync_pb2.ClientMessage.SerializeToString, sync_pb2.ServerMessage.FromString
    )


def status(channel: grpc.Channel, **options: Any) -> Any:
    call = channel.unary_unary(
        f"/{SERVICE}/GetStatus", sync_pb2.GetStatusRequest.SerializeToString, sync_pb2.Status.FromString
    )
    return call(sync_pb2.GetStatusRequest(), **options)


def test_cancel_after_begin(channel: grpc.Channel) -> None:
    # A call that waits for its first message: one that the daemon refuses could end before it is cancelled.
    requests = Requests()
    call = session(channel)(iter(requests))
    call.cancel()
    requests.close()
    assert call.code() == StatusCode.CANCELLED


def test_cancel_after_the_first_message(channel: grpc.Channel, host: Host) -> None:
    requests = Requests(sync_pb2.ClientMessage(subscribe=EVERY))
    call = session(channel)(iter(requests))
    assert next(call).HasField("match")
    assert host.subscribers() == 1
    call.cancel()
    with pytest.raises(grpc.RpcError):
        next(call)
    requests.close()
    assert call.code() == StatusCode.CANCELLED


def test_a_deadline_ends_a_call_that_waits(channel: grpc.Channel) -> None:
    call = subscribe(channel)(EVERY, timeout=0.05)
    with pytest.raises(grpc.RpcError):
        next(call)
    assert call.code() == StatusCode.DEADLINE_EXCEEDED


def test_a_deadline_that_is_long_enough(channel: grpc.Channel) -> None:
    assert status(channel, timeout=30).HasField("match")


def test_a_deadline_while_the_client_does_not_read(channel: grpc.Channel, host: Host) -> None:
    call = subscribe(channel)(EVERY, timeout=3)
    host.wait_for_subscribers(1)
    control(channel, sync_pb2.ControlRequest(step=sync_pb2.ControlRequest.Step(frames=500)))
    next(call)
    # The rest of them is more than the windows take.
    host.wait_for_subscribers(0)
    with pytest.raises(grpc.RpcError):
        list(call)
    assert call.code() == StatusCode.DEADLINE_EXCEEDED


def test_cancel_while_the_client_does_not_read(channel: grpc.Channel, host: Host) -> None:
    call = subscribe(channel)(EVERY)
    host.wait_for_subscribers(1)
    control(channel, sync_pb2.ControlRequest(step=sync_pb2.ControlRequest.Step(frames=500)))
    next(call)
    call.cancel()


def test_300_streams_on_one_channel(channel: grpc.Channel, host: Host) -> None:
    calls = [subscribe(channel)(EVERY) for _ in range(300)]
    host.wait_for_subscribers(300)
    control(channel, sync_pb2.ControlRequest(step=sync_pb2.ControlRequest.Step(frames=2)))
    for call in calls:
        first, second = next(call), next(call)
        assert (second.sequence, second.dropped) == (first.sequence + 1, 0)
        call.cancel()


def test_a_long_status_is_cut_off_and_does_not_hide_the_code(channel: grpc.Channel) -> None:
    request = sync_pb2.SubscribeRequest()
    request.field_mask.paths.append("☺%" * 10_000)
    with pytest.raises(grpc.RpcError) as failure:
        next(subscribe(channel)(request))
    assert failure.value.code() == StatusCode.INVALID_ARGUMENT
    assert "☺%☺%" in failure.value.details()


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/a",
        "/a/b",
        "/a/b/c",
        f"/{SERVICE}/",
        f"/{SERVICE}/NoSuchMethod",
        f"/{SERVICE}x/GetMatch",
        "/" + "a" * 7_000,
    ],
)
def test_what_is_not_there_is_unimplemented(channel: grpc.Channel, path: str) -> None:
    with pytest.raises(grpc.RpcError) as failure:
        channel.unary_unary(path)(b"")
    assert failure.value.code() == StatusCode.UNIMPLEMENTED


@pytest.mark.parametrize("compression", [Compression.Gzip, Compression.Deflate])
def test_compressed_requests_are_refused(channel: grpc.Channel, compression: Compression) -> None:
    request = sync_pb2.SubscribeRequest(name="x" * 10_000)
    with pytest.raises(grpc.RpcError) as failure:
        next(subscribe(channel)(request, compression=compression))
    assert failure.value.code() == StatusCode.UNIMPLEMENTED
    assert "must not be compressed" in failure.value.details()


def test_what_is_no_message_is_refused_with_the_type_that_it_is_not(channel: grpc.Channel) -> None:
    with pytest.raises(grpc.RpcError) as failure:
        channel.unary_unary(f"/{SERVICE}/GetStatus")(b"\xff\xff\xff")
    assert failure.value.code() == StatusCode.INTERNAL
    assert "GetStatusRequest" in failure.value.details()


def test_large_metadata_is_bounded(connect: Connect) -> None:
    channel = connect("tcp")
    with pytest.raises(grpc.RpcError):
        status(channel, metadata=[("x-large", "a" * 1_000_000)], timeout=30)
    assert status(channel, timeout=30).HasField("match")


def test_keepalive_pings_are_answered(connect: Connect) -> None:
    options = {"grpc__keepalive_time_ms": 50, "grpc__http2__max_pings_without_data": 0}
    channel = connect("tcp", grpc__keepalive_timeout_ms=1000, **options)
    call = subscribe(channel)(EVERY, timeout=1.5)
    started = time.monotonic()
    with pytest.raises(grpc.RpcError):
        next(call)
    # Neither side has given up before.
    assert call.code() == StatusCode.DEADLINE_EXCEEDED and time.monotonic() - started > 1


def test_channels_one_after_the_other(connect: Connect) -> None:
    for i in range(50):
        assert status(connect("tcp" if i % 2 else "uds"), timeout=30).HasField("match")


def control(channel: grpc.Channel, request: Any) -> None:
    channel.unary_unary(
        f"/{SERVICE}/Control", sync_pb2.ControlRequest.SerializeToString, sync_pb2.PlaybackState.FromString
    )(request)

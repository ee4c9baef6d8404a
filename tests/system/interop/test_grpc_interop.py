"""The cases of the public gRPC interop suite, by their names there, with the grpcio client."""

import time
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

import grpc
import pytest
from grpc import Compression, StatusCode

REQUEST_SIZES = [27182, 8, 1828, 45904]
RESPONSE_SIZES = [31415, 9, 2653, 58979]
LARGE_REQUEST, LARGE_RESPONSE = 271828, 314159
SPECIAL_MESSAGE = "\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n"
ECHO_INITIAL, ECHO_TRAILING = "x-grpc-test-echo-initial", "x-grpc-test-echo-trailing-bin"
METADATA = ((ECHO_INITIAL, "test_initial_metadata_value"), (ECHO_TRAILING, b"\xab\xab\xab"))


class Requests:
    """A request stream that is fed from outside, and ends with `close`."""

    def __init__(self, *requests):
        self._queue = SimpleQueue()
        for request in requests:
            self.send(request)

    def send(self, request):
        self._queue.put(request)

    def close(self):
        self._queue.put(None)

    def __iter__(self):
        return iter(self._queue.get, None)


@pytest.fixture
def large(messages):
    payload = messages.Payload(body=bytes(LARGE_REQUEST))
    return messages.SimpleRequest(response_size=LARGE_RESPONSE, payload=payload)


@pytest.fixture
def ask(messages):
    """Makes a streaming request for one response."""

    def ask(size=0, request_bytes=0, interval_us=0, compressed=None, **fields):
        parameters = messages.ResponseParameters(size=size, interval_us=interval_us)
        if compressed is not None:
            parameters.compressed.value = compressed
        payload = messages.Payload(body=bytes(request_bytes))
        return messages.StreamingOutputCallRequest(response_parameters=[parameters], payload=payload, **fields)

    return ask


def sizes(responses):
    return [len(each.payload.body) for each in responses]


def test_empty_unary(service, messages):
    assert service.empty(messages.Empty()) == messages.Empty()


def test_large_unary(service, large):
    assert service.unary(large).payload.body == bytes(LARGE_RESPONSE)


def test_client_streaming(service, messages):
    requests = [messages.StreamingInputCallRequest(payload={"body": bytes(size)}) for size in REQUEST_SIZES]
    assert service.count(iter(requests)).aggregated_payload_size == sum(REQUEST_SIZES)


def test_server_streaming(service, messages):
    parameters = [messages.ResponseParameters(size=size) for size in RESPONSE_SIZES]
    assert sizes(service.stream(messages.StreamingOutputCallRequest(response_parameters=parameters))) == RESPONSE_SIZES


def test_ping_pong(service, ask):
    requests = Requests()
    call = service.duplex(iter(requests))
    for request_bytes, size in zip(REQUEST_SIZES, RESPONSE_SIZES, strict=True):
        requests.send(ask(size, request_bytes))
        assert sizes([next(call)]) == [size]
    requests.close()
    assert list(call) == []
    assert call.code() == StatusCode.OK


def test_half_duplex(service, ask):
    requests = [ask(size, request_bytes) for request_bytes, size in zip(REQUEST_SIZES, RESPONSE_SIZES, strict=True)]
    assert sizes(service.half_duplex(iter(requests))) == RESPONSE_SIZES


def test_empty_stream(service):
    call = service.duplex(iter([]))
    assert list(call) == []
    assert call.code() == StatusCode.OK


def test_custom_metadata_unary(service, large):
    _, call = service.unary.with_call(large, metadata=METADATA)
    assert METADATA[0] in call.initial_metadata()
    assert METADATA[1] in call.trailing_metadata()


def test_custom_metadata_full_duplex(service, ask):
    call = service.duplex(iter([ask(LARGE_RESPONSE, LARGE_REQUEST)]), metadata=METADATA)
    assert sizes(call) == [LARGE_RESPONSE]
    assert METADATA[0] in call.initial_metadata()
    assert METADATA[1] in call.trailing_metadata()


def test_custom_metadata_of_every_byte_and_length(service, messages):
    values = [bytes(range(256))[:length] for length in (0, 1, 2, 3, 4, 255, 256)]
    metadata = [(ECHO_TRAILING, value) for value in values]
    _, call = service.unary.with_call(messages.SimpleRequest(), metadata=metadata)
    assert [value for key, value in call.trailing_metadata() if key == ECHO_TRAILING] == values


def test_custom_metadata_with_an_error_stays_initial_and_trailing(service, messages):
    with pytest.raises(grpc.RpcError) as failure:
        service.unary(messages.SimpleRequest(response_status={"code": 9, "message": "no"}), metadata=METADATA)
    assert failure.value.code() == StatusCode.FAILED_PRECONDITION
    assert METADATA[0] in failure.value.initial_metadata()
    assert METADATA[1] in failure.value.trailing_metadata()


@pytest.mark.parametrize("message", ["test status message", SPECIAL_MESSAGE, "50%", ""])
def test_status_code_and_message_unary(service, messages, message):
    with pytest.raises(grpc.RpcError) as failure:
        service.unary(messages.SimpleRequest(response_status={"code": 2, "message": message}))
    assert (failure.value.code(), failure.value.details()) == (StatusCode.UNKNOWN, message)


@pytest.mark.parametrize("message", ["test status message", SPECIAL_MESSAGE])
def test_status_code_and_message_full_duplex(service, messages, message):
    request = messages.StreamingOutputCallRequest(response_status={"code": 2, "message": message})
    with pytest.raises(grpc.RpcError) as failure:
        list(service.duplex(iter([request])))
    assert (failure.value.code(), failure.value.details()) == (StatusCode.UNKNOWN, message)


def test_every_status_code(service, messages):
    for code in list(StatusCode)[1:]:
        with pytest.raises(grpc.RpcError) as failure:
            service.unary(messages.SimpleRequest(response_status={"code": code.value[0], "message": code.name}))
        assert (failure.value.code(), failure.value.details()) == (code, code.name)


def test_status_after_messages(service, messages, ask):
    refused = messages.StreamingOutputCallRequest(response_status={"code": 11, "message": "far enough"})
    call = service.duplex(iter([ask(1), ask(2), refused, ask(3)]))
    assert sizes([next(call), next(call)]) == [1, 2]
    with pytest.raises(grpc.RpcError):
        next(call)
    assert (call.code(), call.details()) == (StatusCode.OUT_OF_RANGE, "far enough")


def test_long_status_message_is_cut_and_does_not_hide_the_status(service, messages):
    with pytest.raises(grpc.RpcError) as failure:
        service.unary(messages.SimpleRequest(response_status={"code": 3, "message": "☺%" * 20_000}))
    assert failure.value.code() == StatusCode.INVALID_ARGUMENT
    assert failure.value.details().startswith("☺%☺%")


def test_unimplemented_method(service, messages):
    with pytest.raises(grpc.RpcError) as failure:
        service.unimplemented(messages.Empty())
    assert failure.value.code() == StatusCode.UNIMPLEMENTED
    assert "unknown method" in failure.value.details()


def test_unimplemented_service(channel):
    with pytest.raises(grpc.RpcError) as failure:
        channel.unary_unary("/grpc.testing.UnimplementedService/UnimplementedCall")(b"")
    assert failure.value.code() == StatusCode.UNIMPLEMENTED
    assert "unknown service grpc.testing.UnimplementedService" in failure.value.details()


@pytest.mark.parametrize("path", ["/", "/a", "/a/b/c", "/grpc.testing.TestService/", "/" + "a" * 7_000 + "/b"])
def test_unimplemented_path(channel, path):
    with pytest.raises(grpc.RpcError) as failure:
        channel.unary_unary(path)(b"")
    assert failure.value.code() == StatusCode.UNIMPLEMENTED


def test_cancel_after_begin(service):
    requests = Requests()
    call = service.count.future(iter(requests))
    call.cancel()
    requests.close()
    assert call.code() == StatusCode.CANCELLED


def test_cancel_after_first_response(service, ask, host):
    requests = Requests(ask(RESPONSE_SIZES[0], REQUEST_SIZES[0]))
    call = service.duplex(iter(requests))
    assert sizes([next(call)]) == [RESPONSE_SIZES[0]]
    assert host.tell()["calls"] == 1
    call.cancel()
    with pytest.raises(grpc.RpcError):
        next(call)
    requests.close()
    assert call.code() == StatusCode.CANCELLED


def test_timeout_on_sleeping_server(service, ask):
    requests = Requests(ask(RESPONSE_SIZES[0], REQUEST_SIZES[0], interval_us=60_000_000))
    call = service.duplex(iter(requests), timeout=0.05)
    with pytest.raises(grpc.RpcError):
        next(call)
    requests.close()
    assert call.code() == StatusCode.DEADLINE_EXCEEDED


def test_timeout_that_is_long_enough(service, ask):
    call = service.duplex(iter([ask(1, interval_us=20_000), ask(2, interval_us=20_000)]), timeout=30)
    assert sizes(call) == [1, 2]


def test_timeout_while_the_client_does_not_read(service, messages):
    parameters = [messages.ResponseParameters(size=1 << 20)] * 64
    call = service.stream(messages.StreamingOutputCallRequest(response_parameters=parameters), timeout=3)
    # The first message comes long before the deadline, even on a busy machine.
    next(call)
    time.sleep(3.5)
    with pytest.raises(grpc.RpcError):
        list(call)
    assert call.code() == StatusCode.DEADLINE_EXCEEDED


def test_cancel_while_the_client_does_not_read(service, messages):
    parameters = [messages.ResponseParameters(size=1 << 20)] * 64
    call = service.stream(messages.StreamingOutputCallRequest(response_parameters=parameters))
    next(call)
    time.sleep(0.1)
    call.cancel()


def test_client_compressed_unary(service, large):
    large.expect_compressed.value = True
    with pytest.raises(grpc.RpcError) as failure:
        service.unary(large)
    assert failure.value.code() == StatusCode.INVALID_ARGUMENT
    assert len(service.unary(large, compression=Compression.Gzip).payload.body) == LARGE_RESPONSE
    large.expect_compressed.value = False
    assert len(service.unary(large).payload.body) == LARGE_RESPONSE
    with pytest.raises(grpc.RpcError) as failure:
        service.unary(large, compression=Compression.Gzip)
    assert failure.value.code() == StatusCode.INVALID_ARGUMENT


def test_client_compressed_streaming(service, messages):
    def request(size, compressed):
        expected = messages.BoolValue(value=compressed)
        return messages.StreamingInputCallRequest(payload={"body": bytes(size)}, expect_compressed=expected)

    with pytest.raises(grpc.RpcError) as failure:
        service.count(iter([request(27182, True)]))
    assert failure.value.code() == StatusCode.INVALID_ARGUMENT
    total = service.count(iter([request(27182, True), request(45904, True)]), compression=Compression.Gzip)
    assert total.aggregated_payload_size == 27182 + 45904
    # grpcio cannot leave single messages of a compressed stream uncompressed from Python: two calls instead.
    assert service.count(iter([request(45904, False)])).aggregated_payload_size == 45904


def test_client_deflate_is_refused_with_what_is_accepted(service, large):
    with pytest.raises(grpc.RpcError) as failure:
        service.unary(large, compression=Compression.Deflate)
    assert failure.value.code() == StatusCode.UNIMPLEMENTED
    assert "identity,gzip" in failure.value.details()


def test_server_compressed_unary(service, large):
    # The flag of a message is not to be seen through grpcio; that a marked one decompresses shows that it is right.
    for compressed in (True, False):
        large.response_compressed.value = compressed
        assert service.unary(large).payload.body == bytes(LARGE_RESPONSE)


def test_server_compressed_streaming(service, messages):
    parameters = [
        messages.ResponseParameters(size=size, compressed={"value": compressed})
        for size, compressed in [(31415, True), (92653, False), (0, True), (5, True)]
    ]
    call = service.stream(messages.StreamingOutputCallRequest(response_parameters=parameters))
    assert sizes(call) == [31415, 92653, 0, 5]


def test_client_compressed_empty_message(channel):
    # No bytes at all, to be compressed: grpcio leaves them as they are.
    call = channel.unary_unary("/grpc.testing.TestService/StreamingInputCall")
    assert call(b"", compression=Compression.Gzip) == b""


def test_rpc_soak(service, large):
    for _ in range(150):
        assert len(service.unary(large, timeout=30).payload.body) == LARGE_RESPONSE


def test_channel_soak(connect, large):
    for i in range(100):
        service = connect("tcp" if i % 2 else "uds")
        assert len(service.unary(large, timeout=30).payload.body) == LARGE_RESPONSE


def test_rpc_soak_from_threads(service, large):
    with ThreadPoolExecutor(8) as threads:
        responses = threads.map(lambda _: service.unary(large, timeout=30), range(150))
        assert set(sizes(responses)) == {LARGE_RESPONSE}


def test_300_streams_on_one_channel(service, ask, host):
    requests = [Requests(ask(1)) for _ in range(300)]
    calls = [service.duplex(iter(each)) for each in requests]
    for call in calls:
        assert sizes([next(call)]) == [1]
    assert host.tell()["calls"] == 300
    for each in requests:
        each.send(ask(2))
        each.close()
    for call in calls:
        assert sizes(call) == [2]


def test_request_over_the_limit_is_refused(connect, messages):
    service = connect("tcp")
    with pytest.raises(grpc.RpcError) as failure:
        service.unary(messages.SimpleRequest(payload={"body": bytes(9 << 20)}))
    assert failure.value.code() == StatusCode.RESOURCE_EXHAUSTED
    assert "over the limit of 8388608" in failure.value.details()
    assert service.empty(messages.Empty()) == messages.Empty()


def test_request_that_decompresses_over_the_limit_is_refused(service, messages):
    with pytest.raises(grpc.RpcError) as failure:
        service.unary(messages.SimpleRequest(payload={"body": bytes(9 << 20)}), compression=Compression.Gzip)
    assert failure.value.code() == StatusCode.RESOURCE_EXHAUSTED


def test_large_messages_below_the_limit(connect, messages):
    for over in ("tcp", "uds"):
        service = connect(over, grpc__max_receive_message_length=-1)
        body = bytes(range(256)) * (5 << 12)
        request = messages.SimpleRequest(payload={"body": body}, response_size=20 << 20)
        assert len(service.unary(request).payload.body) == 20 << 20


def test_malformed_request(channel):
    with pytest.raises(grpc.RpcError) as failure:
        channel.unary_unary("/grpc.testing.TestService/UnaryCall")(b"\xff\xff\xff")
    assert failure.value.code() == StatusCode.INTERNAL
    assert "SimpleRequest" in failure.value.details()


def test_large_metadata_is_bounded(connect, messages):
    service = connect("tcp")
    with pytest.raises(grpc.RpcError):
        service.unary(messages.SimpleRequest(), metadata=[("x-large", "a" * 1_000_000)], timeout=30)
    assert service.empty(messages.Empty(), timeout=30) == messages.Empty()


def test_keepalive_pings_are_answered(connect, ask):
    options = {"grpc__keepalive_time_ms": 50, "grpc__http2__max_pings_without_data": 0}
    service = connect("tcp", grpc__keepalive_timeout_ms=1000, **options)
    assert sizes(service.duplex(iter([ask(1, interval_us=1_500_000)]))) == [1]

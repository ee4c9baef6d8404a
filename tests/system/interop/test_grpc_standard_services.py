"""Health and reflection, with the clients that grpcio ships."""

from collections.abc import Callable
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pool, message_factory
from grpc import StatusCode
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_host import SERVICE
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

SERVICES = [
    SERVICE,
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
]
Serving = health_pb2.HealthCheckResponse.ServingStatus
Reflect = Callable[..., Any]


@pytest.fixture
def health(channel: grpc.Channel) -> Any:
    return health_pb2_grpc.HealthStub(channel)


@pytest.fixture(params=["v1", "v1alpha"])
def reflect(request: pytest.FixtureRequest, channel: grpc.Channel) -> Reflect:
    """Asks the reflection service of a version; v1 has the messages of v1alpha, under another name."""
    call = channel.stream_stream(
        f"/grpc.reflection.{request.param}.ServerReflection/ServerReflectionInfo",
        reflection_pb2.ServerReflectionRequest.SerializeToString,
        reflection_pb2.ServerReflectionResponse.FromString,
    )

    def reflect(**fields: Any) -> Any:
        (response,) = call(iter([reflection_pb2.ServerReflectionRequest(host="here", **fields)]))
        return response

    return reflect


@pytest.mark.parametrize("service", ["", SERVICE])
def test_health_check(health: Any, service: str) -> None:
    assert health.Check(health_pb2.HealthCheckRequest(service=service)).status == Serving.SERVING


def test_health_check_of_an_unknown_service(health: Any) -> None:
    with pytest.raises(grpc.RpcError) as failure:
        health.Check(health_pb2.HealthCheckRequest(service="missing"))
    assert failure.value.code() == StatusCode.NOT_FOUND


@pytest.mark.parametrize(("service", "expected"), [(SERVICE, Serving.SERVING), ("missing", Serving.SERVICE_UNKNOWN)])
def test_health_watch_tells_at_once(health: Any, service: str, expected: int) -> None:
    watch = health.Watch(health_pb2.HealthCheckRequest(service=service))
    assert next(watch).status == expected
    watch.cancel()


def test_health_malformed_request(channel: grpc.Channel) -> None:
    with pytest.raises(grpc.RpcError) as failure:
        channel.unary_unary("/grpc.health.v1.Health/Check")(b"\x0a\x7f")
    # The library reads it, and says no more.
    assert failure.value.code() == StatusCode.UNKNOWN


def test_reflection_lists_the_services(reflect: Reflect) -> None:
    assert sorted(each.name for each in reflect(list_services="").list_services_response.service) == SERVICES


@pytest.mark.parametrize("symbol", [SERVICE, f"{SERVICE}.GetStatus", "abathur.sync.v1.Match"])
def test_reflection_finds_symbols(reflect: Reflect, symbol: str) -> None:
    files = reflect(file_containing_symbol=symbol).file_descriptor_response.file_descriptor_proto
    # And what it imports.
    assert b"abathur/sync/v1/sync.proto" in files[0] and len(files) > 1


def test_reflection_finds_files(reflect: Reflect) -> None:
    found = reflect(file_by_filename="abathur/sync/v1/sync.proto").file_descriptor_response.file_descriptor_proto
    assert b"abathur/sync/v1/sync.proto" in found[0]


@pytest.mark.parametrize("wanted", [{"file_by_filename": "nowhere.proto"}, {"file_containing_symbol": "a.Nothing"}])
def test_reflection_not_found(reflect: Reflect, wanted: dict[str, str]) -> None:
    assert reflect(**wanted).error_response.error_code == StatusCode.NOT_FOUND.value[0]


def test_reflection_answers_on_one_stream_in_order(channel: grpc.Channel) -> None:
    stub = reflection_pb2_grpc.ServerReflectionStub(channel)
    names = ["abathur/sync/v1/sync.proto", "nowhere.proto"] * 50
    responses = stub.ServerReflectionInfo(
        iter([reflection_pb2.ServerReflectionRequest(file_by_filename=name) for name in names])
    )
    assert [each.HasField("file_descriptor_response") for each in responses] == [True, False] * 50


def test_reflection_database_can_call_what_it_found(channel: grpc.Channel) -> None:
    """What a generic client does: find the method, make its messages, call it."""
    database = ProtoReflectionDescriptorDatabase(channel)
    pool = descriptor_pool.DescriptorPool(database)
    assert SERVICE in database.get_services()
    method = pool.FindServiceByName(SERVICE).FindMethodByName("GetStatus")
    request = message_factory.GetMessageClass(method.input_type)()
    response = channel.unary_unary(f"/{SERVICE}/GetStatus")(request.SerializeToString())
    assert message_factory.GetMessageClass(method.output_type).FromString(response).HasField("match")


@pytest.mark.parametrize("service", SERVICES)
def test_reflection_knows_every_service_that_it_lists(reflect: Reflect, service: str) -> None:
    files = reflect(file_containing_symbol=service).file_descriptor_response.file_descriptor_proto
    assert service.rpartition(".")[2].encode() in files[0]

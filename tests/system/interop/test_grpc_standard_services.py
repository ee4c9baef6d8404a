"""Health and reflection, with the clients that grpcio ships."""

import threading

import grpc
import pytest
from google.protobuf import descriptor_pool, message_factory
from grpc import StatusCode
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

SERVICE = "grpc.testing.TestService"
SERVICES = [
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
    SERVICE,
]
Serving = health_pb2.HealthCheckResponse.ServingStatus


@pytest.fixture
def health(channel):
    return health_pb2_grpc.HealthStub(channel)


@pytest.fixture(params=["v1", "v1alpha"])
def reflect(request, channel):
    """Asks the reflection service of a version; v1 has the messages of v1alpha, under another name."""
    call = channel.stream_stream(
        f"/grpc.reflection.{request.param}.ServerReflection/ServerReflectionInfo",
        reflection_pb2.ServerReflectionRequest.SerializeToString,
        reflection_pb2.ServerReflectionResponse.FromString,
    )

    def reflect(**fields):
        (response,) = call(iter([reflection_pb2.ServerReflectionRequest(host="here", **fields)]))
        assert response.valid_host == "here"
        assert response.original_request == reflection_pb2.ServerReflectionRequest(host="here", **fields)
        return response

    return reflect


@pytest.mark.parametrize("service", ["", SERVICE])
def test_health_check(health, service):
    assert health.Check(health_pb2.HealthCheckRequest(service=service)).status == Serving.SERVING


def test_health_check_of_an_unknown_service(health):
    with pytest.raises(grpc.RpcError) as failure:
        health.Check(health_pb2.HealthCheckRequest(service="missing"))
    assert failure.value.code() == StatusCode.NOT_FOUND
    assert "missing" in failure.value.details()


def test_health_watch_tells_each_change(health, host):
    watch = health.Watch(health_pb2.HealthCheckRequest(service=SERVICE))
    try:
        assert next(watch).status == Serving.SERVING
        for told, expected in [("NotServing", Serving.NOT_SERVING), ("Serving", Serving.SERVING)]:
            host.tell(f"health {SERVICE} {told}")
            assert next(watch).status == expected
            assert health.Check(health_pb2.HealthCheckRequest(service=SERVICE)).status == expected
    finally:
        host.tell(f"health {SERVICE} Serving")
        watch.cancel()


def test_health_watch_of_an_unknown_service_waits_for_it(health, host, request):
    service = f"later.{threading.get_ident()}.{request.node.name}".replace("[", ".").replace("]", "")
    watch = health.Watch(health_pb2.HealthCheckRequest(service=service))
    assert next(watch).status == Serving.SERVICE_UNKNOWN
    host.tell(f"health {service} Serving")
    assert next(watch).status == Serving.SERVING
    watch.cancel()


def test_health_malformed_request(channel):
    with pytest.raises(grpc.RpcError) as failure:
        channel.unary_unary("/grpc.health.v1.Health/Check")(b"\x0a\x7f")
    assert failure.value.code() == StatusCode.INTERNAL


def test_reflection_lists_the_services(reflect):
    assert sorted(each.name for each in reflect(list_services="").list_services_response.service) == SERVICES


@pytest.mark.parametrize(
    "symbol",
    [
        "grpc.testing.TestService",
        "grpc.testing.TestService.UnaryCall",
        "grpc.testing.UnimplementedService",
        "grpc.testing.SimpleRequest",
        "grpc.testing.SimpleRequest.response_size",
        "grpc.testing.PayloadType",
        "grpc.testing.COMPRESSABLE",
        "grpc.testing.cases",
    ],
)
def test_reflection_finds_symbols(reflect, symbol):
    files = reflect(file_containing_symbol=symbol).file_descriptor_response.file_descriptor_proto
    assert [b"interop.proto" in file for file in files] == [True, False]  # and what it imports


@pytest.mark.parametrize(
    "extension",
    [{"file_by_filename": "interop.proto"}, {"file_containing_extension": ("google.protobuf.MethodOptions", 50001)}],
)
def test_reflection_finds_files(reflect, extension):
    if "file_containing_extension" in extension:
        type_, number = extension["file_containing_extension"]
        wanted = reflection_pb2.ExtensionRequest(containing_type=type_, extension_number=number)
        extension = {"file_containing_extension": wanted}
    assert b"interop.proto" in reflect(**extension).file_descriptor_response.file_descriptor_proto[0]


def test_reflection_tells_extension_numbers(reflect):
    numbers = reflect(all_extension_numbers_of_type="google.protobuf.MethodOptions").all_extension_numbers_response
    assert (numbers.base_type_name, numbers.extension_number) == ("google.protobuf.MethodOptions", [50001])
    none = reflect(all_extension_numbers_of_type="grpc.testing.SimpleRequest").all_extension_numbers_response
    assert (none.base_type_name, none.extension_number) == ("grpc.testing.SimpleRequest", [])


@pytest.mark.parametrize(
    "wanted",
    [
        {"file_by_filename": "nowhere.proto"},
        {"file_containing_symbol": "grpc.testing.Nothing"},
        {"file_containing_symbol": ""},
        {"all_extension_numbers_of_type": "grpc.testing.Nothing"},
        {"file_containing_extension": {"containing_type": "grpc.testing.SimpleRequest", "extension_number": 5}},
    ],
)
def test_reflection_not_found(reflect, wanted):
    if isinstance(wanted.get("file_containing_extension"), dict):
        wanted = {"file_containing_extension": reflection_pb2.ExtensionRequest(**wanted["file_containing_extension"])}
    assert reflect(**wanted).error_response.error_code == StatusCode.NOT_FOUND.value[0]


def test_reflection_without_a_question(reflect):
    assert reflect().error_response.error_code == StatusCode.INVALID_ARGUMENT.value[0]


def test_reflection_answers_on_one_stream_in_order(channel):
    stub = reflection_pb2_grpc.ServerReflectionStub(channel)
    names = ["interop.proto", "nowhere.proto"] * 50
    responses = stub.ServerReflectionInfo(
        iter([reflection_pb2.ServerReflectionRequest(file_by_filename=name) for name in names])
    )
    assert [each.original_request.file_by_filename for each in responses] == names


def test_reflection_database_can_call_what_it_found(channel):
    """What a generic client does: find the method, make its messages, call it."""
    database = ProtoReflectionDescriptorDatabase(channel)
    pool = descriptor_pool.DescriptorPool(database)
    service = pool.FindServiceByName(SERVICE)
    assert [method.name for method in service.methods][:2] == ["EmptyCall", "UnaryCall"]
    assert SERVICE in database.get_services()
    check = pool.FindServiceByName("grpc.health.v1.Health").FindMethodByName("Check")
    request = message_factory.GetMessageClass(check.input_type)(service=SERVICE)
    response_type = message_factory.GetMessageClass(check.output_type)
    response = channel.unary_unary("/grpc.health.v1.Health/Check")(request.SerializeToString())
    assert response_type.FromString(response).status == Serving.SERVING


@pytest.mark.parametrize("service", SERVICES)
def test_reflection_knows_every_service_that_it_lists(reflect, service):
    files = reflect(file_containing_symbol=service).file_descriptor_response.file_descriptor_proto
    assert service.rpartition(".")[2].encode() in files[0]

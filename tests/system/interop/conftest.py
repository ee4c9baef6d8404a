"""The host of the gRPC interop suite's test service, and clients for it."""

import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import grpc_tools
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from grpc_tools import protoc

ROOT = Path(__file__).parents[3]
HOST = ROOT / "artifacts/bin/Abathur.GrpcInterop/release/Abathur.GrpcInterop.dll"
PROTO = ROOT / "tests/Abathur.GrpcInterop/interop.proto"


class Host:
    """A running host: its addresses, and what it says about itself."""

    def __init__(self, socket_path: Path) -> None:
        self.socket_path = socket_path
        self.process = subprocess.Popen(
            ["dotnet", str(HOST), "--port", "0", "--uds", str(socket_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        ready = self._read_line()
        assert ready.startswith("ready grpc=127.0.0.1:"), f"the host did not start: {ready!r}"
        self.address = ready.removeprefix("ready grpc=").strip()
        self.port = int(self.address.rpartition(":")[2])

    def tell(self, line: str = "state") -> dict[str, int]:
        """Sends a line; returns the number of open calls and of handlers that failed so far."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        return {key: int(value) for key, _, value in (each.partition("=") for each in self._read_line().split())}

    def wait_until_idle(self, seconds: float = 30) -> dict[str, int]:
        """Waits until no call is open; returns the last state."""
        deadline = time.monotonic() + seconds
        while (state := self.tell())["calls"] and time.monotonic() < deadline:
            time.sleep(0.01)
        return state

    def channel(self, over: str, **options: Any) -> grpc.Channel:
        """A channel of its own connection; options as grpcio names them, with ``__`` for ``.``."""
        arguments = [("grpc.use_local_subchannel_pool", 1)]
        arguments += [(key.replace("__", "."), value) for key, value in options.items()]
        if over == "tcp":
            return grpc.insecure_channel(self.address, options=arguments)
        # Without an authority of its own grpcio sends the socket's path, which is no host name.
        return grpc.insecure_channel(
            f"unix:{self.socket_path}", options=[*arguments, ("grpc.default_authority", "localhost")]
        )

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        finally:
            assert self.process.stdout is not None
            self.process.stdout.close()

    def _read_line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()


class TestService:
    """``grpc.testing.TestService`` on a channel, a multicallable per method."""

    __test__ = False

    def __init__(self, channel: grpc.Channel, messages: SimpleNamespace) -> None:
        def method(kind: str, name: str, request: type, response: type) -> Any:
            path = f"/grpc.testing.TestService/{name}"
            return getattr(channel, kind)(path, request.SerializeToString, response.FromString)

        m = messages
        stream = m.StreamingOutputCallRequest, m.StreamingOutputCallResponse
        self.empty = method("unary_unary", "EmptyCall", m.Empty, m.Empty)
        self.unary = method("unary_unary", "UnaryCall", m.SimpleRequest, m.SimpleResponse)
        self.count = method(
            "stream_unary", "StreamingInputCall", m.StreamingInputCallRequest, m.StreamingInputCallResponse
        )
        self.stream = method("unary_stream", "StreamingOutputCall", *stream)
        self.duplex = method("stream_stream", "FullDuplexCall", *stream)
        self.half_duplex = method("stream_stream", "HalfDuplexCall", *stream)
        self.unimplemented = method("unary_unary", "UnimplementedCall", m.Empty, m.Empty)


@pytest.fixture(scope="session")
def host() -> Iterator[Host]:
    if not HOST.exists():
        pytest.fail(f"{HOST} is missing; build it: dotnet build -c Release", pytrace=False)
    # Not tmp_path: the path of a Unix domain socket is at most 107 bytes.
    with tempfile.TemporaryDirectory(prefix="grpc-") as folder:
        host = Host(Path(folder) / "interop.sock")
        yield host
        host.close()
        assert host.process.returncode == 0


@pytest.fixture(scope="session")
def messages(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """The message classes of interop.proto by name."""
    output = tmp_path_factory.mktemp("protos") / "interop.binpb"
    well_known = Path(grpc_tools.__file__).parent / "_proto"
    arguments = [
        "protoc",
        f"-I{PROTO.parent}",
        f"-I{well_known}",
        "--include_imports",
        f"--descriptor_set_out={output}",
    ]
    assert protoc.main([*arguments, PROTO.name]) == 0
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(output.read_bytes()).file:
        pool.Add(file)
    types = pool.FindFileByName(PROTO.name).message_types_by_name
    return SimpleNamespace(**{name: message_factory.GetMessageClass(type_) for name, type_ in types.items()})


@pytest.fixture(params=["tcp", "uds"])
def channel(request: pytest.FixtureRequest, host: Host) -> Iterator[grpc.Channel]:
    with host.channel(request.param) as channel:
        yield channel


@pytest.fixture
def service(channel: grpc.Channel, messages: SimpleNamespace) -> TestService:
    return TestService(channel, messages)


@pytest.fixture
def connect(host: Host, messages: SimpleNamespace) -> Iterator[Any]:
    """Opens further services, each on a connection of its own; ``over`` and options as in `Host.channel`."""
    channels = []

    def connect(over: str = "tcp", **options: Any) -> TestService:
        channels.append(host.channel(over, **options))
        return TestService(channels[-1], messages)

    yield connect
    for channel in channels:
        channel.close()


@pytest.fixture(autouse=True)
def nothing_left_over(host: Host) -> Iterator[None]:
    """After each test no call is open on the server, and no handler has failed."""
    yield
    assert host.wait_until_idle() == {"calls": 0, "failures": 0}

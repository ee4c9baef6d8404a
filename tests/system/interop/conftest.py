"""The daemon of the tests of gRPC."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_host import Connect, Host


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    # Not tmp_path: the path of a Unix domain socket is at most 107 bytes.
    with tempfile.TemporaryDirectory(prefix="grpc-") as folder:
        host = Host(Path(folder) / "daemon.sock")
        yield host
        assert host.daemon.stop() == 0
        assert host.daemon.process.stderr is not None
        said = host.daemon.process.stderr.read()
        host.daemon.close()
    # What clients do wrong is no fault of the daemon. The exception is Kestrel's own word for a broken header block.
    assert "   at " not in said and " error" not in said, said


@pytest.fixture(params=["tcp", "uds"])
def over(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def channel(host: Host, over: str) -> Iterator[grpc.Channel]:
    with host.channel(over) as channel:
        yield channel


@pytest.fixture
def connect(host: Host) -> Iterator[Connect]:
    """Opens further channels, each on a connection of its own; ``over`` and options as in `Host.channel`."""
    channels = []

    def connect(over: str = "tcp", **options: Any) -> grpc.Channel:
        channels.append(host.channel(over, **options))
        return channels[-1]

    yield connect
    for each in channels:
        each.close()


@pytest.fixture
def nothing_left_over(host: Host) -> Iterator[None]:
    """After each test no stream is open on the server."""
    yield
    host.wait_for_subscribers(0)

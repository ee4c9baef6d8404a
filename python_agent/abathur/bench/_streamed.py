"""The messages of a subscription to a recording, as a daemon sends them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import grpc

from abathur._program import address as _address
from abathur._program.daemon import serving
from abathur._transport.grpc_channel import SERVICE, channel, metadata
from abathur._transport.grpc_errors import translate
from abathur.errors import StoppingError
from abathur.sync.v1 import sync_pb2


def messages(recording: Path, encoding: str, compression: str, options: Sequence[str] = ()) -> list[sync_pb2.Frame]:
    """Every frame of a recording in order, as a daemon sends it.

    Args:
        recording: The file.
        encoding: proto or columns.
        compression: none, or a name as in the options of agents.
        options: Further options of ``play``, e.g. ``--start-offset``.

    Raises:
        DaemonError: the daemon was not found, or does not start.
        AbathurError: it ended the stream before its end.
    """
    request = sync_pb2.SubscribeRequest(
        policy=sync_pb2.every,
        encoding=encoding,
        compression=compression.replace("-", "_"),
        name="abathur bench",
    )
    play = ("play", str(recording), "--rate", "unlimited", "--wait-agents", "1", *options)
    with serving(*play) as addresses:
        return _receive(addresses["grpc"], request)


def _receive(target: str, request: sync_pb2.SubscribeRequest) -> list[sync_pb2.Frame]:
    address = _address.parse(target)
    received: list[sync_pb2.Frame] = []
    with channel(address) as opened:
        call = opened.unary_stream(
            SERVICE + "Subscribe",
            request_serializer=sync_pb2.SubscribeRequest.SerializeToString,
            response_deserializer=sync_pb2.Frame.FromString,
        )
        try:
            received.extend(call(request, metadata=metadata(address)))
        except grpc.RpcError as error:
            problem = translate(error)
            # At the end of the recording the daemon says that it stops.
            if not isinstance(problem, StoppingError):
                raise problem from None
    return received

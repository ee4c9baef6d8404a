"""Subscription options as keywords, turned into the request that travels."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from google.protobuf.field_mask_pb2 import FieldMask

from abathur import _compression
from abathur.sync.v1 import sync_pb2


def subscribe_request(
    *,
    policy: str = "latest",
    encoding: str = "auto",
    compression: str = "none",
    compression_level: int = 0,
    fields: Iterable[str] = (),
    every: int = 1,
    buffer: int = 0,
    credits: int = 0,
    lockstep_timeout: float | None = None,
    name: str = "",
) -> sync_pb2.SubscribeRequest:
    """Build a request; see `Game.frames` for what the keywords mean.

    Raises:
        ValueError: a policy, encoding or compression that does not exist, or fields that are no list.
        AbathurError: the package that reads the compression is not installed.
    """
    request = sync_pb2.SubscribeRequest(
        policy=_value(sync_pb2.Policy, "policy", policy),
        encoding=_value(sync_pb2.Encoding, "encoding", encoding),
        compression=_value(sync_pb2.Compression, "compression", compression),
        compression_level=compression_level,
        every_game_loops=every,
        buffer_frames=buffer,
        credits=credits,
        name=name,
    )
    _compression.require(request.compression)
    if isinstance(fields, str):
        raise ValueError(f"fields is a list of paths: [{fields!r}]")
    paths = list(fields)
    if paths:
        request.field_mask.CopyFrom(FieldMask(paths=paths))
    if lockstep_timeout is not None:
        request.lockstep_timeout.FromTimedelta(timedelta(seconds=lockstep_timeout))
    return request


def needs_acknowledgements(request: sync_pb2.SubscribeRequest) -> bool:
    """Whether the subscriber must tell the daemon which frames it is done with."""
    return request.policy == sync_pb2.lockstep or request.credits > 0


def _value(enum, what: str, name: str):  # type: ignore[no-untyped-def]
    try:
        return enum.Value(name.replace("-", "_"))
    except ValueError:
        known = ", ".join(key.replace("_", "-") for key in enum.keys())  # noqa: SIM118 - an enum wrapper is no dict
        raise ValueError(f"unknown {what} {name!r}; known: {known}") from None

"""The package's errors for those of grpcio."""

from __future__ import annotations

from typing import Any

import grpc

from abathur.errors import LostError, StoppingError, request_error

#: Trailing metadata of a daemon that shuts down. A broken connection is UNAVAILABLE as well, but without it.
_END = ("abathur-end", "stopping")


def translate(error: grpc.RpcError) -> Exception:
    """The package's error for an error of grpcio."""
    code, details = error.code(), error.details() or ""
    if code == grpc.StatusCode.UNAVAILABLE:
        trailers: Any = error.trailing_metadata() or ()
        return StoppingError(details) if _END in map(tuple, trailers) else LostError(details)
    return request_error(code.name, details)


def is_cancelled(error: grpc.RpcError) -> bool:
    """Whether this side ended the call."""
    return bool(error.code() == grpc.StatusCode.CANCELLED)

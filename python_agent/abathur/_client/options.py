"""The options of a connection and of a subscription, as keywords: each one is declared here, and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Literal, TypedDict

from abathur._client.runs import Run
from abathur._values.game_time import GameTime

Policy = Literal["latest", "every", "lockstep"]
Encoding = Literal["auto", "proto", "json", "columns"]
Compression = Literal["none", "gzip", "br", "zstd", "zstd-stream", "br-stream"]


class ConnectOptions(TypedDict, total=False):
    """The options of `connect`, which describes each one."""

    token: str | None  #: default: ABATHUR_TOKEN
    ca: str | os.PathLike[str] | None  #: default: ABATHUR_CA
    creds: str | os.PathLike[str] | None  #: on NATS; default: ABATHUR_NATS_CREDS
    wait: float  #: seconds for a daemon that is not there yet; default: 0
    reconnect_timeout: float  #: seconds; default: 30
    connect_timeout: float  #: seconds; default: 10
    request_timeout: float  #: seconds; default: 30


class SubscribeOptions(TypedDict, total=False):
    """The options of a subscription. `Game.frames` describes each one."""

    policy: Policy  #: default: latest
    encoding: Encoding  #: default: auto
    compression: Compression  #: default: none
    compression_level: int  #: default: 0, the daemon's default
    fields: Iterable[str]  #: paths on ResponseObservation; default: everything
    every: int  #: game loops; default: 1
    start: GameTime | Literal["live", "oldest"]  #: a game loop, a game time, or a name; default: live
    max_frames: int  #: default: 0, no limit
    run_id: Run  #: default: the match that runs, else the next
    follow: bool  #: default: False
    buffer: int  #: frames; default: 0, the daemon's default
    credits: int  #: frames; default: 0, no limit
    lockstep_timeout: float | None  #: seconds; default: None, the daemon's default
    name: str  #: default: ""
    max_frame_bytes: int  #: default: 64 MiB


class AgentOptions(ConnectOptions, SubscribeOptions, total=False):
    """The options of an `Agent`: those of its connection and of its subscription."""


def check_known(options: Mapping[str, object], known: type) -> None:
    """Raise TypeError if a `TypedDict` does not have an option."""
    names = known.__annotations__
    if unknown := options.keys() - names.keys():
        raise TypeError(f"unknown option {min(unknown)!r}; known: {', '.join(names)}")

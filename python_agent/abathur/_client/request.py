"""Converts subscription options from keywords to a request."""

from __future__ import annotations

from datetime import timedelta
from operator import index

from google.protobuf.field_mask_pb2 import FieldMask

from abathur._client import runs
from abathur._client.options import SubscribeOptions, check_known
from abathur._transport import compression
from abathur._values import arguments, game_time
from abathur._values.game_time import GameTime
from abathur.sync.v1 import sync_pb2

#: What ``auto`` is on every transport (benchmarks/results/2026-11-23-encodings): fast for the observation, and for both
#: it and units. The daemon's own ``auto`` on the socket is JSON, for programs without a library.
_BEST = sync_pb2.proto
_MAX_SEED = 2**32 - 1


def subscribe_request(options: SubscribeOptions) -> sync_pb2.SubscribeRequest:
    """Build a request.

    Raises:
        TypeError: an option that does not exist, or a `run_id` that is not a match.
        ValueError: a policy, encoding, compression or start that does not exist, or fields that are not a list.
        AbathurError: the package that reads the compression is not installed.
    """
    check_known(options, SubscribeOptions)
    for name in ("every", "buffer", "credits", "max_frames", "compression_level"):
        if name in options and not arguments.is_integer(options[name]):
            raise TypeError(f"{name} is an integer, not {arguments.shown(options[name])}")
    request = sync_pb2.SubscribeRequest(
        policy=_value(sync_pb2.Policy, "policy", options.get("policy", "latest")),
        encoding=_value(sync_pb2.Encoding, "encoding", options.get("encoding", "auto")) or _BEST,
        compression=_value(sync_pb2.Compression, "compression", options.get("compression", "none")),
        compression_level=options.get("compression_level", 0),
        every_game_loops=options.get("every", 1),
        buffer_frames=options.get("buffer", 0),
        credits=options.get("credits", 0),
        name=options.get("name", ""),
        max_frames=options.get("max_frames", 0),
        run_id=runs.run_id(options.get("run_id", "")),
        follow=options.get("follow", False),
    )
    _set_start(request, options.get("start", "live"))
    compression.require(request.compression)
    fields = options.get("fields", ())
    if isinstance(fields, str):
        raise ValueError(f"fields is a list of paths: [{fields!r}]")
    paths = list(fields)
    if paths:
        request.field_mask.CopyFrom(FieldMask(paths=paths))
    lockstep_timeout = options.get("lockstep_timeout")
    if lockstep_timeout is not None:
        request.lockstep_timeout.FromTimedelta(timedelta(seconds=lockstep_timeout))
    return request


def next_game(seed: int | None) -> sync_pb2.ControlRequest.NextGame:
    """The request for the next game, with its seed.

    Raises:
        TypeError: the seed is not an integer.
        ValueError: it is not in the range of the game's seeds.
    """
    if seed is None:
        return sync_pb2.ControlRequest.NextGame()
    if not arguments.is_integer(seed):
        raise TypeError(f"seed is an integer or None, not {arguments.shown(seed)}")
    if not 0 <= index(seed) <= _MAX_SEED:
        raise ValueError(f"seed is {index(seed)}; 0 to {_MAX_SEED} are allowed")
    return sync_pb2.ControlRequest.NextGame(seed=index(seed))


def _set_start(request: sync_pb2.SubscribeRequest, start: GameTime) -> None:
    if start == "oldest":
        request.start_oldest = True
    elif start != "live":
        try:
            request.start_game_loop = game_time.game_loop(start, "start")
        except (TypeError, ValueError):
            known = "'live', 'oldest', a game loop, or a game time (\"2:00\")"
            raise ValueError(f"start is {arguments.shown(start)}; it is {known}") from None


def continue_after(request: sync_pb2.SubscribeRequest, game_loop: int) -> None:
    """Change a request to one for what comes after a frame, whose connection broke."""
    if request.follow:
        request.ClearField("run_id")
    if request.run_id and request.WhichOneof("start"):
        # The match may be over: nothing else would come.
        request.start_after_game_loop = game_loop
    else:
        # The daemon may be another one, which keeps other frames.
        request.ClearField("start")


def _value(enum, what: str, name: str):  # type: ignore[no-untyped-def]
    try:
        return enum.Value(name.replace("-", "_"))
    except ValueError:
        known = ", ".join(key.replace("_", "-") for key in enum.keys())  # noqa: SIM118 - an enum wrapper is not a dict
        raise ValueError(f"unknown {what} {name!r}; known: {known}") from None

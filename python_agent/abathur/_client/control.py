"""The commands of a playback, as requests."""

from __future__ import annotations

from abathur.sync.v1 import sync_pb2

_Request = sync_pb2.ControlRequest


def pause() -> sync_pb2.ControlRequest:
    """Pause the playback."""
    return _Request(pause=_Request.Pause())


def resume() -> sync_pb2.ControlRequest:
    """Resume the playback."""
    return _Request(resume=_Request.Resume())


def step(frames: int) -> sync_pb2.ControlRequest:
    """Publish that many frames and stay paused."""
    return _Request(step=_Request.Step(frames=frames))


def seek(game_loop: int) -> sync_pb2.ControlRequest:
    """Continue at the first frame at or after a game loop."""
    return _Request(seek=_Request.Seek(game_loop=game_loop))


def set_rate(rate: float) -> sync_pb2.ControlRequest:
    """Multiply the tick rate; 0: unlimited."""
    return _Request(set_rate=_Request.SetRate(rate=rate))


def set_loop(loop: bool) -> sync_pb2.ControlRequest:
    """Repeat at the end, or not."""
    return _Request(set_loop=_Request.SetLoop(loop=loop))

"""Recordings of any number of frames of any size, made of the sample's frames by concatenation."""

from __future__ import annotations

import subprocess
from itertools import islice
from pathlib import Path
from typing import IO

import abathur
from processes import DAEMON, ROOT, MeasureError
from s2clientprotocol import sc2api_pb2
from varints import varint

from recordings import SKIRMISH

#: Frames that differ; after them the first one comes again.
_DIFFERENT = 40
_OBSERVATION_TAG = b"\x1a"
_GAME_LOOP_TAG = b"\x48"


def bodies(size: int) -> list[bytes]:
    """Serialized observations without their game loop, of `size` bytes each (a few more or fewer).

    Frames that are too large lose their images and then units; frames that are too small get a feature layer.
    """
    made = []
    with abathur.open(SKIRMISH) as match:
        for number, frame in enumerate(islice(match.frames(), _DIFFERENT)):
            observation = sc2api_pb2.Observation()
            observation.CopyFrom(frame.observation)
            observation.ClearField("game_loop")
            _shrink(observation, size)
            missing = size - observation.ByteSize()
            if missing > 64:
                layer = observation.feature_layer_data.renders.height_map
                layer.bits_per_pixel = 8
                layer.size.x, layer.size.y = 64, missing // 64
                # As in a game, most of a layer is what it was in the frame before.
                rows = [bytes(row % 8 for row in range(64))] * (layer.size.y - 1)
                layer.data = b"".join([bytes((number + row // 3) % 8 for row in range(64)), *rows])
            made.append(observation.SerializeToString())
    return made


def _shrink(observation: sc2api_pb2.Observation, size: int) -> None:
    if observation.ByteSize() > size:
        observation.raw_data.ClearField("map_state")
    units = observation.raw_data.units
    while observation.ByteSize() > size and len(units) > 1:
        too_many = (observation.ByteSize() - size) * len(units) // observation.ByteSize()
        del units[len(units) - max(1, too_many) :]


def make(path: Path, size: int, frames: int, *, compression: str = "zstd", chunk: int | None = None) -> Path:
    """A recording of that many frames of `size` bytes, with game loops from 0 on. Written by `abathur-sync import`.

    Args:
        path: Where; replaced if it is there.
        size: Bytes of a frame.
        frames: Number of frames.
        compression: ``zstd`` or ``none``.
        chunk: Bytes of a chunk; None: the daemon's default.
    """
    limits = ["--max-bytes", str(2**34), "--max-frames", str(frames)]
    options = ["--compression", compression, *limits, "--force", "--quiet"]
    if compression == "zstd":
        options += ["--level", "1"]
    if chunk is not None:
        options += ["--chunk-size", str(chunk)]
    command = ["dotnet", str(DAEMON), "import", "-", "-o", str(path), *options]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=ROOT
    ) as importing:
        assert importing.stdin is not None and importing.stderr is not None
        try:
            _write(importing.stdin, bodies(size), frames)
        except BrokenPipeError:
            pass
        finally:
            importing.stdin.close()
        said = importing.stderr.read().decode()
    if importing.returncode != 0:
        raise MeasureError(f"import to {path.name}: {said.strip()}")
    return path


def _write(stream: IO[bytes], parts: list[bytes], frames: int) -> None:
    for loop in range(frames):
        observation = parts[loop % len(parts)] + _GAME_LOOP_TAG + varint(loop)
        message = _OBSERVATION_TAG + varint(len(observation)) + observation
        stream.write(varint(len(message)) + message)

"""Streams of the daemon: `columns`, `zstd-stream`, `br-stream`, and columns with a compression."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from s2clientprotocol.sc2api_pb2 import ResponseObservation

from abathur._frame.frame import Frame
from abathur._frame.source import MessageSource
from abathur._transport import compression as _compression
from abathur._transport import frames
from abathur._transport.payloads import PayloadReader
from abathur.bench import _streamed
from abathur.bench._codec import Codec, Sums
from abathur.bench.codecs._arrays import arrays_of, sums_of
from abathur.bench.schema import touch
from abathur.errors import RecordingError
from abathur.sync.v1 import sync_pb2


class StreamCodec(Codec):
    """A row whose payloads depend on those before: the daemon encodes them, and the package's own client reads them."""

    package = "abathur-agent"
    times_encode = False
    is_stream = True

    def __init__(self, encoding: str, compression: str) -> None:
        """A stream of the daemon.

        Args:
            encoding: proto or columns.
            compression: none, or a name as in the options of agents.

        Raises:
            AbathurError: the package for the compression is not installed.
        """
        _compression.require(sync_pb2.Compression.Value(compression.replace("-", "_")))
        self._encoding = encoding
        self._compression = compression
        self._reads_columns = encoding == "columns"
        self._messages: list[sync_pb2.Frame] = []
        self._reader = PayloadReader()
        self._next = 0
        end = (
            "Decodes to a frame of this package: touching it makes all 42 columns of the units, those of their orders, "
            "buffs and passengers, and the grids, NumPy arrays."
            if self._reads_columns
            else "Decodes to a message of protobuf."
        )
        self.footnotes: tuple[str, ...] = (
            "The daemon encodes; that time is in the row of the same name in C#.",
            "Frames are decoded in order, each once, because a payload depends on those since the last keyframe. "
            "Decode and touch is the decoding of a frame with the touch of its result.",
            end,
            *(("Units come back in another order.",) if self._reads_columns else ()),
        )

    def open(self, recording: Path, frames: int) -> None:
        self._messages = _streamed.messages(recording, self._encoding, self._compression)
        if len(self._messages) != frames:
            raise RecordingError(f"the daemon sent {len(self._messages)} of the {frames} frames of {recording}")

    @property
    def keyframes(self) -> list[int]:
        return [number for number, message in enumerate(self._messages) if message.keyframe]

    def restart(self, number: int) -> None:
        self._next = number
        self._reader = PayloadReader()

    def prepare(self, message: ResponseObservation, plain: Callable[[], dict[str, Any]]) -> Any:
        return None

    def encode(self, source: Any) -> Any:
        self._next += 1
        return self._messages[self._next - 1]

    def size(self, encoded: Any) -> int:
        return len(encoded.data)

    def decode(self, data: Any) -> Frame:
        return frames.from_message(data, received=0, size=0, payloads=self._reader)

    def touch(self, decoded: Frame) -> Any:
        return arrays_of(decoded) if self._reads_columns else touch.reader("message")(decoded.response)

    def sums(self, touched: Any) -> Sums:
        return sums_of(touched) if self._reads_columns else super().sums(touched)

    def expected(self, message: ResponseObservation) -> ResponseObservation:
        if self._reads_columns:
            units = message.observation.raw_data.units
            units.sort(key=lambda unit: (unit.tag, unit.SerializeToString()))
        return message

    def expected_sums(self, message: ResponseObservation) -> Sums | None:
        if not self._reads_columns:
            return None
        return sums_of(arrays_of(Frame(MessageSource(message))))

    def to_message(self, decoded: Frame) -> ResponseObservation | None:
        return self.expected(decoded.response)

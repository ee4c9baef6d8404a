"""Recordings that are still being written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from s2clientprotocol import sc2api_pb2

from abathur._frame import Frame
from abathur._growing_file import GrowingFile
from abathur._read_only import explain
from abathur._recorded_frames import OBSERVATIONS, check_every, observations, select
from abathur.errors import ProtocolError, RecordingError

_METADATA = "abathur.match"


class FollowedRecording:
    """A recorded match that is still being written. Made by `open` with ``follow=True``.

    It is read up to its last chunk (16 MiB of observations: some seconds of a match), then waits for the next one, and
    ends with the match. While it waits, the thread that iterates is blocked.

    Attributes:
        path: The file, as it is named when it is complete. Until then it has ``.part`` behind its name.
        metadata: The recording's metadata of its match, as strings: match_id, map_name, tick_hz, simulated, ...
    """

    def __init__(self, path: Path) -> None:
        """Use `open`."""
        self.path = path
        self._file: GrowingFile | None = None
        self.metadata = self._read_metadata()

    def __enter__(self) -> FollowedRecording:
        """The recording is already open."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the file."""
        explain(error)
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def game_info(self) -> sc2api_pb2.ResponseGameInfo | None:
        """The game info, if it precedes the observations, else None. Waits for the first chunk."""
        data = self._before_observations("/game_info")
        return None if data is None else sc2api_pb2.ResponseGameInfo.FromString(data)

    def game_data(self) -> sc2api_pb2.ResponseData | None:
        """The game data, if it precedes the observations, else None. Waits for the first chunk."""
        data = self._before_observations("/game_data")
        return None if data is None else sc2api_pb2.ResponseData.FromString(data)

    def frames(self, *, start: int = 0, stop: int | None = None, every: int = 1) -> Iterator[Frame]:
        """The recorded frames from the start of the file, then those that are written, until the match ends.

        Args:
            start: First game loop.
            stop: Game loop before which to stop; None: to the end.
            every: Only frames at least this many game loops apart. 0 and 1: every frame.

        Raises:
            RecordingError: the file is damaged, or its writer ended without finishing it.
            ValueError: `every` is negative.
        """
        check_every(every)
        return self._frames(start, stop, every)

    def _frames(self, start: int, stop: int | None, every: int) -> Iterator[Frame]:
        try:
            yield from select(observations(self._messages()), start, stop, every, self.metadata.get("match_id", ""))
        except ProtocolError as error:
            raise RecordingError(f"{self.path} is damaged: {error}") from None

    def _messages(self) -> Iterator[tuple[str, Any]]:
        from mcap.records import Channel, Message

        topics: dict[int, str] = {}
        for record in self._records():
            if isinstance(record, Channel):
                topics[record.id] = record.topic
            elif isinstance(record, Message):
                yield topics.get(record.channel_id, ""), record

    def _records(self) -> Iterator[Any]:
        # Not needed by agents, and `import abathur` should be quick.
        from mcap.exceptions import McapError
        from mcap.stream_reader import StreamReader

        self.close()
        file = self._file = self._open()
        try:
            yield from StreamReader(file).records  # type: ignore[arg-type]
        except (McapError, ValueError, OSError) as error:
            raise RecordingError(f"{self.path} is damaged: {str(error) or type(error).__name__}") from None
        finally:
            file.close()

    def _open(self) -> GrowingFile:
        """The file under its name of now. It may be renamed between the look at both."""
        part = self.path.with_name(self.path.name + ".part")
        try:
            return GrowingFile(part)
        except RecordingError:
            return GrowingFile(self.path)

    def _read_metadata(self) -> dict[str, str]:
        from mcap.records import Chunk, DataEnd, Message, Metadata

        for record in self._records():
            if isinstance(record, Metadata) and record.name == _METADATA:
                return dict(record.metadata)
            if isinstance(record, Chunk | DataEnd | Message):
                break
        return {}

    def _before_observations(self, wanted: str) -> bytes | None:
        for topic, message in self._messages():
            if topic == wanted:
                return bytes(message.data)
            if topic in OBSERVATIONS:
                break
        return None

"""Recordings that are still being written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from s2clientprotocol import sc2api_pb2

from abathur._frame.frame import Frame
from abathur._recording.damage import as_recording_error
from abathur._recording.growing_file import GrowingFile
from abathur._recording.recorded_frames import OBSERVATIONS, check_every, observations, select
from abathur._values import game_time
from abathur._values.game_time import GameTime
from abathur._values.printable import printable
from abathur._values.read_only import explain
from abathur.errors import RecordingError

_METADATA = "abathur.match"
_M = TypeVar("_M", sc2api_pb2.ResponseGameInfo, sc2api_pb2.ResponseData)


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
        #: Those of the iterations that have not ended.
        self._files: set[GrowingFile] = set()
        self.metadata: dict[str, str] = self._read_metadata()

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

    def __reduce__(self) -> tuple[type[FollowedRecording], tuple[Path]]:
        """The path: the file is opened again."""
        return FollowedRecording, (self.path.absolute(),)

    def close(self) -> None:
        """Close the file."""
        for file in self._files.copy():
            file.close()

    def game_info(self) -> sc2api_pb2.ResponseGameInfo | None:
        """The game info, if it precedes the observations, else None. Waits for the first chunk."""
        return self._before_observations("/game_info", sc2api_pb2.ResponseGameInfo)

    def game_data(self) -> sc2api_pb2.ResponseData | None:
        """The game data, if it precedes the observations, else None. Waits for the first chunk."""
        return self._before_observations("/game_data", sc2api_pb2.ResponseData)

    def __repr__(self) -> str:
        """File and map."""
        name = printable(self.metadata.get("map_name", "")) or "unknown map"
        return f"<FollowedRecording {self.path.name}: {name}>"

    def frames(self, *, start: GameTime = 0, stop: GameTime | None = None, every: int = 1) -> Iterator[Frame]:
        """The recorded frames from the start of the file, then those that are written, until the match ends.

        Args:
            start: First game loop, or game time: ``"2:00"``.
            stop: Game loop, or game time, before which to stop; None: to the end.
            every: Only frames at least this many game loops apart, and the last one. 0 and 1: every frame.

        Raises:
            RecordingError: the file is damaged, or its writer ended without finishing it.
            TypeError: `start` or `stop` is neither a game loop nor a game time.
            ValueError: `every` is negative, or a text is not a game time.
        """
        check_every(every)
        first = game_time.game_loop(start, "start")
        return self._frames(first, None if stop is None else game_time.game_loop(stop, "stop"), every)

    def __iter__(self) -> Iterator[Frame]:
        """Every frame: `frames` without options."""
        return self.frames()

    def _frames(self, start: int, stop: int | None, every: int) -> Iterator[Frame]:
        with as_recording_error(self.path):
            recorded = observations(self._messages(), None)
            yield from select(recorded, start, stop, every, self.metadata.get("match_id", ""))

    def _messages(self) -> Iterator[tuple[str, Any]]:
        # Not needed by agents, and `import abathur` should be quick.
        from mcap.opcode import Opcode

        from abathur._recording.mcap_file import Contents, message_of, unpacked

        contents = Contents()
        for opcode, content in self._records():
            for kind, record in unpacked(opcode, content):
                contents.add(kind, record)
                if kind == Opcode.MESSAGE:
                    message = message_of(record)
                    channel = contents.channels.get(message.channel_id)
                    yield "" if channel is None else channel.topic, message

    def _records(self) -> Iterator[tuple[int, bytes]]:
        """Opcodes and contents of the records, of which some are chunks."""
        from abathur._recording.mcap_file import check_magic, records

        file = self._open()
        self._files.add(file)
        try:
            with as_recording_error(self.path):
                check_magic(file)
                yield from records(file)
        finally:
            self._files.discard(file)
            file.close()

    def _open(self) -> GrowingFile:
        """The file under its name of now. It may be renamed between the look at both."""
        part = self.path.with_name(self.path.name + ".part")
        try:
            return GrowingFile(part)
        except RecordingError:
            return GrowingFile(self.path)

    def _read_metadata(self) -> dict[str, str]:
        from mcap.opcode import Opcode

        from abathur._recording.mcap_file import metadata_of

        with as_recording_error(self.path):
            for opcode, content in self._records():
                if opcode == Opcode.METADATA and (found := metadata_of(content)).name == _METADATA:
                    return found.metadata
                if opcode in (Opcode.CHUNK, Opcode.DATA_END, Opcode.MESSAGE):
                    break
        return {}

    def _before_observations(self, wanted: str, kind: type[_M]) -> _M | None:
        with as_recording_error(self.path):
            for topic, message in self._messages():
                if topic == wanted:
                    return kind.FromString(message.data)
                if topic in OBSERVATIONS:
                    break
        return None

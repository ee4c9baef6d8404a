"""The sampled frames of a recording, and the requests of actions in it."""

from __future__ import annotations

from collections.abc import Iterator

from s2clientprotocol import sc2api_pb2

from abathur._frame.frame import Frame
from abathur._recording.damage import as_recording_error
from abathur._recording.recorded_frames import (
    ACTIONS,
    OBSERVATION,
    OBSERVATIONS,
    Observation,
    game_loop_of,
    select,
    with_others,
)
from abathur._recording.recording import Recording

#: Game loop and request.
_Request = tuple[int, sc2api_pb2.RequestAction]


class RecordedMatch:
    """Reads a recording once, from its first frame to its last.

    Attributes:
        sent: Game loops and requests of the actions that were read and not taken yet.
        frame_count: Number of frames that were read, whether they are sampled or not.
        last_game_loop: Game loop of the last of them; None before the first.
    """

    def __init__(self, recording: Recording, every: int) -> None:
        """Read an open recording, of which frames at least `every` game loops apart are sampled."""
        self._recording = recording
        self._every = every
        self.sent: list[_Request] = []
        self.frame_count = 0
        self.last_game_loop: int | None = None

    def frames(self) -> Iterator[Frame]:
        """The sampled frames, as `Recording.frames` has them.

        Raises:
            RecordingError: the recording is damaged.
        """
        with as_recording_error(self._recording.path):
            match_id = self._recording.metadata.get("match_id", "")
            yield from select(self._observations(), 0, None, self._every, match_id)

    def _observations(self) -> Iterator[Observation]:
        messages = self._recording._messages([*OBSERVATIONS, ACTIONS], None)
        for topic, message in with_others(messages, self._recording._file.size()):
            if topic == OBSERVATION:
                self.frame_count += 1
                self.last_game_loop = message.game_loop
                yield message
            else:
                self.sent.append((game_loop_of(message), sc2api_pb2.RequestAction.FromString(message.data)))

"""The wire contract (README of Abathur.Client.Nats): names of subjects and streams, and the headers of a message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

#: The directory of matches: a key-value bucket of JetStream, and the stream in which it is kept.
BUCKET = "ABATHUR"
BUCKET_STREAM = f"KV_{BUCKET}"
#: Of each request. What the server itself answers cannot have it, wherever a client lets it send the answer.
REQUEST = {"Abathur-Request": "1"}
#: Of an answer that refuses a request: the name of a gRPC status.
ERROR = "Abathur-Error"
#: What only an actor may ask a relay: the last token of the subject.
ACT_CALLS = ("act", "query", "draw", "plot", "control")
#: A reader says that it is there; not answered.
HERE = "here"
#: How often, in seconds.
HERE_SECONDS = 10.0

_EXPECTED_LAST = "Nats-Expected-Last-Sequence"
_EXPECTED_STREAM = "Nats-Expected-Stream"


def stream(name: str) -> str:
    """The JetStream stream of a match."""
    return f"ABATHUR_{name}"


def frames(name: str) -> str:
    """The subject of the frames of a match, the only one of its stream."""
    return f"abathur.{name}.frames"


def call(name: str, what: str) -> str:
    """The subject of a request to the relay of a match."""
    return f"abathur.{name}.{'act' if what in ACT_CALLS else 'watch'}.{what}"


def inbox(name: str) -> str:
    """The prefix of the subjects at which readers of a match receive answers: permissions are given by it."""
    return f"_INBOX.abathur.{name}"


def key(name: str) -> str:
    """The subject of the entry of a match in the directory."""
    return f"$KV.{BUCKET}.{name}"


def info_key(name: str) -> str:
    """The subject of the constant data of a match in the directory."""
    return f"$KV.{BUCKET}.{name}.info"


@dataclass(frozen=True, slots=True)
class Stamp:
    """The headers of a message on the subject of the frames.

    Attributes:
        run: Identifies the run of the daemon's source; sequence numbers belong to it.
        sequence: Number of the frame in the run; of an end, that of the last frame.
        game_loop: Game loop of the frame; of an end, that of the last frame.
        position: Place of the message in the stream, from 1.
        keyframe: Position of the newest keyframe, on which the frame depends; its own if it is one.
        first: Position from which game loops only grow: the begin of the run, or where a playback last went back.
        end: Why no frame follows: the name of a gRPC status; empty for a frame.
    """

    run: str
    sequence: int
    game_loop: int
    position: int
    keyframe: int
    first: int
    end: str = ""

    @property
    def is_keyframe(self) -> bool:
        """Whether the frame can be read without others."""
        return self.keyframe == self.position

    @property
    def is_possible(self) -> bool:
        """Whether a relay can have made it: what a frame depends on is not behind it."""
        return (
            min(self.sequence, self.game_loop, self.first) >= 0
            and max(1, self.first) <= self.position
            and (1 <= self.keyframe <= self.position)
        )


def stamp(headers: Mapping[str, str] | None, name: str) -> Stamp | None:
    """What the headers of a message say; None for a message that no relay has published for this match.

    A user who reads another match can have its messages sent to any subject: each names the stream that it is for.
    """
    if not headers or "Abathur-Run" not in headers or headers.get(_EXPECTED_STREAM) != stream(name):
        return None
    try:
        found = Stamp(
            headers["Abathur-Run"],
            int(headers["Abathur-Sequence"]),
            int(headers["Abathur-Loop"]),
            int(headers[_EXPECTED_LAST]) + 1,
            int(headers["Abathur-Keyframe"]),
            int(headers["Abathur-First"]),
            headers.get("Abathur-End", ""),
        )
    except (KeyError, ValueError):
        return None
    return found if found.is_possible else None

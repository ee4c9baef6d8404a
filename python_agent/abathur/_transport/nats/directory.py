"""The directory of the matches on a NATS server."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

import zstandard
from google.protobuf.message import DecodeError

from abathur._transport.nats import wire
from abathur._transport.nats.client import ApiError, Client
from abathur._values.malformed import MALFORMED
from abathur.errors import ProtocolError
from abathur.sync.v1 import sync_pb2

#: Largest match after decompression, in bytes.
_MAX_MATCH_BYTES = 64 * 1024 * 1024
#: A running match whose entry was not renewed for so long has lost its relay.
STALE_SECONDS = 20.0


@dataclass
class Player:
    """A player of a match."""

    player_id: int = 0
    name: str = ""
    race: str = ""


@dataclass
class Run:
    """A match that was before another one on the same name.

    Attributes:
        run_id: The run of the daemon's source.
        map_name: The map; empty if unknown.
        state: As of `Entry`.
        since: When it began, in seconds since 1970.
        game_loop: Of its newest frame.
    """

    run_id: str = ""
    map_name: str = ""
    state: str = ""
    since: float = 0.0
    game_loop: int = 0


@dataclass
class Entry:
    """What the directory says of a match.

    Attributes:
        match: Its name.
        match_id: Its id, as in its frames.
        run_id: The run of the daemon's source.
        state: ``running``, ``ended``, ``stopped`` (the daemon was shut down) or ``lost`` (it does not answer).
        reason: Why it does not run.
        since: When the relay began, in seconds since 1970.
        updated: When this was written.
        map_name: The map; empty if unknown.
        tick_hz: Game loops a second.
        source: ``playback``, ``live``, ``proxy`` or ``push``.
        actions_allowed: Whether the source accepts actions.
        players: The players, if the game named them.
        game_loop: Of the newest frame.
        sequence: Its number.
        position: Its place in the stream.
        readers: Readers that were there in the last 25 s.
        group_id: The same for both players of a game.
        former: The matches before it on the same name that its daemon relayed, at most 20, oldest first.
    """

    match: str
    match_id: str = ""
    run_id: str = ""
    state: str = "running"
    reason: str = ""
    since: float = 0.0
    updated: float = 0.0
    map_name: str = ""
    tick_hz: float = 0.0
    source: str = ""
    actions_allowed: bool = False
    players: list[Player] = field(default_factory=list)
    game_loop: int = 0
    sequence: int = 0
    position: int = 0
    readers: int = 0
    group_id: str = ""
    former: list[Run] = field(default_factory=list)

    @property
    def shown_state(self) -> str:
        """The state, if the relay still says so."""
        return "lost" if self.state == "running" and time.time() - self.updated > STALE_SECONDS else self.state


def from_json(data: bytes, name: str) -> Entry | None:
    """The entry of a match from its value; None if it is not one. Keys of newer relays are ignored."""
    try:
        given = json.loads(data)
        players = [Player(**_typed(Player(), each)) for each in given.pop("players")]
        former = [Run(**_typed(Run(), each)) for each in given.pop("former", [])]
        found = Entry(**{**_typed(Entry(""), given), "players": players, "former": former})
        # Times that can be shown.
        for seconds in (found.since, found.updated, *(each.since for each in former)):
            datetime.fromtimestamp(seconds, UTC)
    except (*MALFORMED, OSError):
        return None
    return found if found.match == name else None


def _typed(example: Any, given: dict[str, Any]) -> dict[str, Any]:
    """The known keys. Raises TypeError if a value has another type than the example."""
    found = {}
    for key, value in asdict(example).items():
        if key in given:
            kinds = (int, float) if isinstance(value, float) else (type(value),)
            if type(given[key]) not in kinds:
                raise TypeError(f"{key} is {given[key]!r}")
            found[key] = given[key]
    return found


async def match(client: Client, name: str) -> sync_pb2.Match | None:
    """The constant data of a match; None if it does not exist.

    Raises:
        ProtocolError: it is damaged.
    """
    data = await client.entry(wire.BUCKET_STREAM, wire.info_key(name))
    if not data:
        return None
    try:
        with zstandard.ZstdDecompressor().stream_reader(data) as reader:
            return sync_pb2.Match.FromString(reader.read(_MAX_MATCH_BYTES))
    except (zstandard.ZstdError, DecodeError) as error:
        raise ProtocolError(f"the constant data of the match {name!r} cannot be read: {error}") from None


async def entry(client: Client, name: str) -> Entry | None:
    """What the directory says of a match; None if it has none of this name."""
    data = await client.entry(wire.BUCKET_STREAM, wire.key(name))
    return None if not data else from_json(data, name)


async def entries(client: Client) -> list[Entry]:
    """All matches, by name. Needs the right to read the whole directory."""
    try:
        subjects = await client.subjects(wire.BUCKET_STREAM, wire.key("*"))
    except ApiError as error:
        if error.is_missing:
            return []
        raise
    found = [await entry(client, subject.rpartition(".")[2]) for subject in sorted(subjects)]
    return [each for each in found if each is not None]

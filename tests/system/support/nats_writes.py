"""What only relays write, for tests that stand in for one, or for a user who may publish as one."""

from __future__ import annotations

import json
from dataclasses import asdict

from abathur._transport.nats import wire
from abathur._transport.nats.client import Client
from abathur._transport.nats.directory import Entry
from abathur._transport.nats.wire import Stamp


async def create_directory(client: Client) -> None:
    """Make the bucket of the matches."""
    await client.nats.jetstream().create_key_value(bucket=wire.BUCKET, direct=True)


async def create_stream(client: Client, match: str) -> None:
    """Make the stream of a match."""
    await client.nats.jetstream().add_stream(name=wire.stream(match), subjects=[wire.frames(match)])


def to_json(entry: Entry) -> bytes:
    """The value of an entry in the directory."""
    return json.dumps(asdict(entry)).encode()


def headers(stamp: Stamp, match: str, relay: str, previous: str = "") -> dict[str, str]:
    """The headers with which a relay publishes a message (README of Abathur.Client.Nats).

    Args:
        stamp: What they say.
        match: Its name.
        relay: Identifies the relay.
        previous: The id of the relay's previous message; empty: it is the first one.
    """
    return {
        "Nats-Msg-Id": message_id(stamp, relay),
        "Nats-Expected-Stream": wire.stream(match),
        **({"Nats-Expected-Last-Msg-Id": previous} if previous else {}),
        "Nats-Expected-Last-Sequence": str(stamp.position - 1),
        "Abathur-Run": stamp.run,
        "Abathur-Sequence": str(stamp.sequence),
        "Abathur-Loop": str(stamp.game_loop),
        "Abathur-Keyframe": str(stamp.keyframe),
        "Abathur-First": str(stamp.first),
        **({"Abathur-End": stamp.end} if stamp.end else {}),
    }


def message_id(stamp: Stamp, relay: str) -> str:
    """The id of a message of a relay."""
    return f"{stamp.run}.{stamp.sequence}{stamp.end}.{relay}"


class Writer:
    """Writes as one relay does."""

    def __init__(self, client: Client, match: str, relay: str) -> None:
        self._client = client
        self._match = match
        self._relay = relay
        self._previous = ""

    async def append(self, stamp: Stamp, data: bytes) -> None:
        """Store a message. Raises what nats-py raises if the server refuses it."""
        made = headers(stamp, self._match, self._relay, self._previous)
        self._previous = message_id(stamp, self._relay)
        await self._client.nats.jetstream().publish(wire.frames(self._match), data, headers=made)

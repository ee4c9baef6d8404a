"""Removes the streams of matches that are over, when none of their frames is kept any more."""

from __future__ import annotations

from typing import Any

from abathur._nats import _wire
from abathur._nats._client import ApiError, Client, NoRelayError
from abathur.errors import AbathurError

_PREFIX = _wire.stream("")


async def sweep(client: Client) -> int:
    """Remove them; returns how many. Without the right to list and delete streams, there are none to remove."""
    removed = 0
    try:
        for stream in await _empty(client):
            if not await _has_relay(client, stream.removeprefix(_PREFIX)):
                await client.api(f"STREAM.DELETE.{stream}")
                removed += 1
    except (ApiError, AbathurError):
        pass
    return removed


async def _empty(client: Client) -> list[str]:
    """Names of streams of matches that had messages, and have none."""
    found: list[str] = []
    offset = 0
    while True:
        answer = await client.api("STREAM.LIST", {"offset": offset, "subject": _wire.frames("*")})
        streams: list[dict[str, Any]] = answer.get("streams") or []
        for each in streams:
            name, state = str(each["config"]["name"]), each["state"]
            if name.startswith(_PREFIX) and not state["messages"] and state["last_seq"]:
                found.append(name)
        offset += len(streams)
        if not streams or offset >= int(answer.get("total", 0)):
            return found


async def _has_relay(client: Client, match: str) -> bool:
    """Whether a relay serves the match, which may be silent: a playback can be paused."""
    try:
        await client.request(_wire.call(match, _wire.HERE), b"", _wire.REQUEST)
    except NoRelayError:
        return False
    return True

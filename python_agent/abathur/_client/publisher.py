"""Publishing a bot's own observations to ``abathur-sync serve``. tools/make_blocking.py generates the blocking twin."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType
from typing import Any

from s2clientprotocol import sc2api_pb2

from abathur._client import publish_messages
from abathur._client.publish_messages import Observation
from abathur._program import address as _address
from abathur._program.address import Address, Ca
from abathur._transport.async_publish_stream import AsyncPublishStream
from abathur.errors import AbathurError
from abathur.sync.v1 import sync_pb2


def publisher(address: str | None = None, *, token: str | None = None, ca: Ca | None = None, **match: Any) -> Publisher:
    """Publish observations to a daemon that waits for them: ``async with abathur.publisher() as p``.

    Args:
        address: As for `connect`: gRPC, or the socket. Default: ABATHUR_ADDRESS, else 127.0.0.1:22400.
        token: As for `connect`.
        ca: As for `connect`.
        **match: The match, as fields of `Match`: ``map_name``, ``player_id``, ``game_version``,
            ``tick_hz``, ``game_info`` (`ResponseGameInfo`), ``game_data`` (`ResponseData`), ``match_id``.

    Raises:
        ValueError: `address` is invalid, or `match` has a field that `Match` does not have.
    """
    return Publisher(_address.parse(address, token, ca), publish_messages.match(match))


class Publisher:
    """Publishes one match. Made by `publisher`.

    Attributes:
        address: Address of the daemon.
        frames: Observations published so far; after the end, those that the daemon accepted.
    """

    def __init__(self, address: Address, match: sync_pb2.Match) -> None:
        """Use `publisher`."""
        self.address = address
        self.frames: int = 0
        self._match = match
        self._stream: AsyncPublishStream | None = None

    async def __aenter__(self) -> Publisher:
        """Connect, and send the match.

        Raises:
            ConnectError: no daemon answers.
            RequestError: it accepts no observations (FAILED_PRECONDITION), or another bot publishes (ALREADY_EXISTS);
                on gRPC this may be raised by the first `publish` instead.
        """
        self._stream = await AsyncPublishStream.open(self.address, self._match)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the stream, and wait until the daemon has accepted everything; after an error, abort it."""
        stream, self._stream = self._stream, None
        if stream is None:
            return
        taken = await stream.finish() if kind is None else await stream.close()
        self.frames = taken or self.frames

    def __repr__(self) -> str:
        """Where the daemon is, and how far it is."""
        state = "not open" if self._stream is None else "open"
        return f"<{type(self).__name__} to {self.address}, {state}, {self.frames} frames>"

    async def publish(self, observation: Observation) -> None:
        """Send the next observation. Waits if the daemon is slower.

        With asyncio, a call that is cancelled while its observation is being sent does not interrupt it: the next call
        waits for it.

        Args:
            observation: The game's answer: the message or, faster, its serialized bytes, which are not parsed. Or a
                frame, as a recording has them.

        Raises:
            TypeError: it is no observation.
            ValueError: it is larger than 16 MiB.
            RequestError: the daemon refuses it: it is invalid, or its game loop is before the last one's. On gRPC one
                of the next calls, or the end, raises that.
            ConnectionLostError: the connection to the daemon is lost.
        """
        await self._send(publish_messages.observation(observation))
        self.frames += 1

    async def actions(self, actions: sc2api_pb2.Action | Iterable[sc2api_pb2.Action]) -> None:
        """Send the bot's actions on the newest observation, for the recording. Raises as `publish` does."""
        await self._send(publish_messages.actions(actions))

    async def _send(self, message: bytes) -> None:
        if self._stream is None:
            raise AbathurError("the publisher is not open: use it inside its `with` block")
        await self._stream.send(message)

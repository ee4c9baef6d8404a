"""Appends messages to the stream of a match, each one at the position that it expects."""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from typing import TYPE_CHECKING

from abathur._nats import _wire
from abathur._nats._client import Client
from abathur._nats._wire import Stamp
from abathur.errors import RequestError

if TYPE_CHECKING:
    from nats.aio.msg import Msg
    from nats.aio.subscription import Subscription

#: Messages that the server has not acknowledged yet.
_WINDOW = 256
#: Seconds within which it must acknowledge them.
_ACK_SECONDS = 5.0
#: Of a message, at most; its size counts with it.
_HEADER_BYTES = 1024


class WriteError(Exception):
    """The server did not store a message where it belongs, or did not answer: begin again after the stored ones."""


class StreamWriter:
    """Publishes with several messages on the way. After a failure it is of no use: make another one."""

    def __init__(self, client: Client, match: str) -> None:
        """Subscribe with `begin`."""
        self._client = client
        self._match = match
        self._subject = _wire.frames(match)
        self._prefix = client.nats.new_inbox()
        #: Of this writer, and of its last message. A message of another writer between two of its own would depend on
        #: the wrong keyframe.
        self._id = self._prefix.rpartition(".")[2]
        self._previous = ""
        self._subscription: Subscription | None = None
        #: Positions on the way, and when they were sent.
        self._waiting: deque[tuple[int, float]] = deque()
        self._acknowledged = asyncio.Event()
        self._failure: str | None = None

    async def begin(self) -> None:
        """Receive the acknowledgements."""
        self._subscription = await self._client.subscribe(f"{self._prefix}.*", self._receive)

    async def end(self) -> None:
        """Receive no more."""
        if self._subscription is not None and not self._client.nats.is_closed:
            await self._subscription.unsubscribe()

    async def append(self, stamp: Stamp, data: bytes) -> None:
        """Send a message. Waits while too many are on the way.

        Raises:
            WriteError: it, or one before it, was not stored.
            RequestError: FAILED_PRECONDITION: it is larger than the server accepts.
        """
        largest = self._client.nats.max_payload
        if len(data) > largest - _HEADER_BYTES:
            message = (
                f"a frame of {len(data)} bytes is too large for the NATS server: raise its max_payload of {largest}"
            )
            raise RequestError("FAILED_PRECONDITION", message)
        await self._until(_WINDOW - 1)
        self._waiting.append((stamp.position, time.monotonic()))
        headers = stamp.headers(self._match, self._id, self._previous)
        self._previous = stamp.message_id(self._id)
        try:
            await self._client.nats.publish(
                self._subject, data, reply=f"{self._prefix}.{stamp.position}", headers=headers
            )
        except Exception as error:
            raise WriteError(str(error) or type(error).__name__) from None

    async def flush(self) -> None:
        """Wait until all are stored. Raises as `append` does."""
        await self._until(0)

    async def _until(self, most: int) -> None:
        while True:
            self.check()
            if len(self._waiting) <= most:
                return
            self._acknowledged.clear()
            try:
                async with asyncio.timeout(0.25):
                    await self._acknowledged.wait()
            except TimeoutError:
                continue

    def check(self) -> None:
        """Raise WriteError if a message was not stored, or not within some seconds."""
        if self._failure is None and self._waiting and time.monotonic() - self._waiting[0][1] > _ACK_SECONDS:
            self._failure = f"the server did not acknowledge a message within {_ACK_SECONDS:g} s"
        if self._failure is None and not self._client.is_connected:
            self._failure = "the connection to the server is lost"
        if self._failure is not None:
            raise WriteError(self._failure)

    async def _receive(self, message: Msg) -> None:
        sent = int(message.subject.rpartition(".")[2])
        if message.headers and "Status" in message.headers:
            self._fail("no stream takes the messages: the servers elect a leader, or the stream was deleted")
            return
        answer = json.loads(message.data)
        if "error" in answer or answer.get("seq") != sent:
            self._fail(str(answer.get("error", {}).get("description", f"position {sent} is not free")))
            return
        while self._waiting and self._waiting[0][0] <= sent:
            self._waiting.popleft()
        self._acknowledged.set()

    def _fail(self, reason: str) -> None:
        self._failure = self._failure or reason
        self._acknowledged.set()

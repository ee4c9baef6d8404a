"""Passes requests of readers to the daemon, unopened, and counts the readers."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio

from abathur import _grpc
from abathur._nats import _wire
from abathur._nats._client import Client
from abathur._timeouts import Timeouts
from abathur.errors import RequestError

if TYPE_CHECKING:
    from nats.aio.msg import Msg
    from nats.aio.subscription import Subscription

#: Requests that are with the daemon at once, and those of watching that are.
_MAX_AT_ONCE = 64
_MAX_WATCHING = 32
#: Readers that are counted.
_MAX_READERS = 100_000


class Requests:
    """The requests to one match."""

    def __init__(
        self, client: Client, match: str, channel: grpc.aio.Channel, metadata: _grpc.Metadata, timeouts: Timeouts
    ) -> None:
        """Subscribe with `begin`."""
        self._client = client
        self._match = match
        self._channel: Any = channel
        self._metadata = metadata
        self._timeouts = timeouts
        self._subscriptions: list[Subscription] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._watching = 0
        #: When each reader has last said that it is there.
        self._readers: dict[bytes, float] = {}

    async def begin(self) -> None:
        """Receive requests."""
        for group in ("watch", "act"):
            subject = f"abathur.{self._match}.{group}.*"
            self._subscriptions.append(await self._client.subscribe(subject, self._receive))

    async def end(self) -> None:
        """Receive no more."""
        for task in self._tasks:
            task.cancel()
        for subscription in self._subscriptions:
            with contextlib.suppress(Exception):
                await subscription.unsubscribe()

    def readers(self) -> int:
        """How many readers there are."""
        since = time.monotonic() - _wire.AWAY_SECONDS
        self._readers = {number: at for number, at in self._readers.items() if at >= since}
        return len(self._readers)

    async def _receive(self, message: Msg) -> None:
        *_, group, what = message.subject.split(".")
        if what == _wire.HERE and group == "watch":
            if message.reply:
                await self._client.publish(message.reply)
            elif len(self._readers) < _MAX_READERS and len(message.data) <= 64:
                self._readers[message.data] = time.monotonic()
            return
        if not message.reply or not message.headers or not _wire.REQUEST.items() <= message.headers.items():
            return
        is_watching = group == "watch"
        call = (_wire.WATCH_CALLS if is_watching else _wire.ACT_CALLS).get(what)
        if call is None:
            await self._refuse(message, RequestError("UNIMPLEMENTED", f"there is no request {what!r}"))
        elif len(self._tasks) >= _MAX_AT_ONCE or (is_watching and self._watching >= _MAX_WATCHING):
            await self._refuse(message, RequestError("RESOURCE_EXHAUSTED", "too many requests at once"))
        else:
            self._watching += is_watching
            task = asyncio.create_task(self._pass_on(message, call, is_watching=is_watching))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pass_on(self, message: Msg, call: str, *, is_watching: bool) -> None:
        try:
            answer: bytes = await self._channel.unary_unary(_grpc.SERVICE + call)(
                message.data, timeout=self._timeouts.request, metadata=self._metadata
            )
            if len(answer) > self._client.nats.max_payload:
                raise RequestError("RESOURCE_EXHAUSTED", f"the answer of {len(answer)} bytes is too large for NATS")
            await self._client.publish(message.reply, answer)
        except grpc.RpcError as error:
            await self._refuse(message, RequestError(error.code().name, error.details() or ""))
        except RequestError as error:
            await self._refuse(message, error)
        finally:
            self._watching -= is_watching

    async def _refuse(self, message: Msg, error: RequestError) -> None:
        with contextlib.suppress(Exception):
            await self._client.nats.publish(message.reply, error.message.encode(), headers={_wire.ERROR: error.code})

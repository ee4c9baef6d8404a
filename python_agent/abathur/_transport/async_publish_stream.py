"""The stream of observations to a daemon for asyncio: the blocking one, in a thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from abathur._program.address import Address
from abathur._transport.publish_streams import BlockingPublishStream
from abathur.sync.v1 import sync_pb2

_T = TypeVar("_T")


class AsyncPublishStream:
    """A `BlockingPublishStream` whose calls are made in order, each completely, even if its caller is cancelled."""

    def __init__(self) -> None:
        """Use `open`."""
        self._loop = asyncio.get_running_loop()
        self._calls: queue.SimpleQueue[tuple[asyncio.Future[Any], Callable[..., Any], tuple[Any, ...]] | None]
        self._calls = queue.SimpleQueue()
        self._stream: BlockingPublishStream | None = None
        self._is_closed = False
        # Not of a pool, which would wait for it when the program ends.
        threading.Thread(target=self._work, name="abathur-publish", daemon=True).start()

    @classmethod
    async def open(cls, address: Address, match: sync_pb2.Match) -> AsyncPublishStream:
        """See `BlockingPublishStream.open`."""
        stream = cls()
        try:
            await stream._call(stream._open, address, match)
        except BaseException:
            await stream.close()
            raise
        return stream

    async def send(self, message: bytes) -> None:
        """See `BlockingPublishStream.send`. Cancelled before its turn, the message is not sent."""
        assert self._stream is not None
        await self._call(self._stream.send, message)

    async def finish(self) -> int:
        """See `BlockingPublishStream.finish`."""
        assert self._stream is not None
        try:
            return await self._call(self._stream.finish)
        finally:
            await self.close()

    async def close(self) -> int:
        """See `BlockingPublishStream.close`."""
        self._is_closed = True
        self._calls.put(None)
        # Here, because the thread may be sending.
        return 0 if self._stream is None else self._stream.close()

    def _open(self, address: Address, match: sync_pb2.Match) -> None:
        self._stream = BlockingPublishStream.open(address, match)
        if self._is_closed:
            self._stream.close()

    async def _call(self, do: Callable[..., _T], *arguments: Any) -> _T:
        answer: asyncio.Future[_T] = self._loop.create_future()
        self._calls.put((answer, do, arguments))
        return await answer

    def _work(self) -> None:
        """Make the calls, in the thread."""
        while (call := self._calls.get()) is not None:
            answer, do, arguments = call
            if answer.cancelled():
                continue
            try:
                self._tell(answer, do(*arguments), None)
            except BaseException as error:  # the caller gets it
                self._tell(answer, None, error)

    def _tell(self, answer: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
        def tell() -> None:
            if answer.done():
                return
            if error is None:
                answer.set_result(result)
            else:
                answer.set_exception(error)

        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(tell)
